/**
 * The proof of a play: its pins, what its author answered, and what came of it. To verify is to replay from the pins
 * and to compare leaf by leaf, so that the first difference has a name.
 */
import { hashOf } from 'ground/digest';
import { jcs } from 'ground/jcs';
import type { Blotter, Pins } from '../engine/index.ts';
import { fillsOf, type Leaf, leavesOf } from './chain.ts';
import { type ClockRule, canonicalText, Play, pinsOf, type Sliced, type Terms } from './play.ts';
import type { TurnBody } from './turn.ts';

export const PROOF_VERSION = 'kestrel.proof/v1';

export interface Proof {
  readonly v: typeof PROOF_VERSION;
  readonly pins: Pins;
  readonly genesis: string;
  /** Canonical text that `pins.document` is the hash of; null when the play was authored in turns. */
  readonly document: string | null;
  /** Clocks at which frames were delivered, exchange local. */
  readonly checkpoints: readonly string[];
  readonly blinded: boolean;
  readonly turns: readonly {
    readonly ordinal: number;
    readonly parentHash: string;
    readonly frameRoot: string;
    readonly body: TurnBody;
    readonly hash: string;
    /** Whether the clock ran on after the turn (`advance`) or stood (`revise`). */
    readonly clock: ClockRule;
  }[];
  readonly blotter: Blotter;
  readonly tipHash: string;
  readonly conformanceRoot: string;
  /** Hash of all the rest, which also covers what no leaf does. */
  readonly seal: string;
}

/** The proof of a play that has finished. */
export function proofOf(play: Play): Proof {
  const { terms, pins, genesis, turns } = play;
  const body = {
    v: PROOF_VERSION,
    pins,
    genesis,
    document: terms.document === undefined ? null : canonicalText(terms.document),
    checkpoints: terms.checkpoints,
    blinded: terms.blinded,
    turns: turns.map(({ ordinal, parentHash, frameRoot, body, hash, clock }) => ({
      ordinal,
      parentHash,
      frameRoot,
      body,
      hash,
      clock,
    })),
    ...play.finished!,
  } as const;
  return { ...body, seal: hashOf(body) };
}

export type Verification =
  | { readonly kind: 'verified'; readonly tipHash: string; readonly conformanceRoot: string; readonly turns: number }
  | {
      readonly kind: 'differs';
      /** Name of the first leaf that differs, or of the part of the proof that no leaf covers. */
      readonly leaf: string;
      readonly expected: string;
      readonly got: string;
    };

/** Turns that a proof may hold. */
export const PROOF_TURNS_MAX = 1_000_000;
const SHOWN_CHARS_MAX = 200;

/**
 * Replays a proof under the terms its pins name.
 *
 * @param terms found by whoever holds the tapes: everything but what the author answered
 */
export function* verifyProof(proof: Proof, terms: Terms): Sliced<Verification> {
  if (terms.subject !== null && proof.document === null) {
    return differs('document', 'the strategy that a subject of the catalog is played with', proof.document);
  }
  // Before anything runs: a strategy may not even be possible on another day.
  const pins = pinsOf(terms);
  if (jcs(pins) !== canonicalOf(proof.pins)) return firstPin(pins, proof.pins);
  const play = new Play(terms, '');
  if (play.genesis !== proof.genesis) return differs('genesis', play.genesis, proof.genesis);
  if (proof.turns.length > 0) play.start();
  for (const told of proof.turns) {
    const name = `turn ${play.turns.length + 1}`;
    const slot = play.pending?.slot;
    if (slot === undefined) return differs(name, 'no turn: the session has ended', told);
    if (told.frameRoot !== slot.frameRoot) return differs(`${name} frameRoot`, slot.frameRoot, told.frameRoot);
    if (told.clock !== 'runs' && told.clock !== 'stands') return differs(name, 'clock runs | stands', told.clock);
    if (!isBody(told.body)) return differs(name, 'an answer: authored, pass or stand-down', told.body);
    yield* play.answer(told.body, told.clock);
    const replayed = play.turns.at(-1)!;
    if (jcs(replayed) !== canonicalOf(told)) return differs(name, replayed, told);
  }
  const { blotter, tipHash, conformanceRoot } = yield* play.finish();
  const mine = leavesOf({ ...play, fills: fillsOf(blotter), blotter });
  const told = leavesOf({ ...play, fills: fillsTold(proof.blotter), blotter: proof.blotter });
  for (let i = 0; i < Math.max(mine.length, told.length); i++) {
    const [a, b] = [mine[i], told[i]];
    if (a !== undefined && b !== undefined && a.name === b.name && jcs(a.value) === canonicalOf(b.value)) continue;
    return differs((a ?? b)!.name, a?.value ?? 'nothing', toldBy(a, b));
  }
  if (tipHash !== proof.tipHash) return differs('tipHash', tipHash, proof.tipHash);
  if (conformanceRoot !== proof.conformanceRoot) {
    return differs('conformanceRoot', conformanceRoot, proof.conformanceRoot);
  }
  const whole = proofOf(play);
  for (const key of [...Object.keys(whole), ...Object.keys(proof)] as (keyof Proof)[]) {
    const [a, b] = [whole, proof].map((of) => (Object.hasOwn(of, key) ? canonicalOf(of[key]) : 'nothing'));
    if (a !== b) return differs(key, a, b);
  }
  return { kind: 'verified', tipHash, conformanceRoot, turns: play.turns.length };
}

/** Canonical text of what a file told; a field that is missing where one must be makes it none. */
function canonicalOf(told: unknown): string | undefined {
  try {
    return jcs(told);
  } catch {
    return undefined;
  }
}

function toldBy(mine: Leaf | undefined, told: Leaf | undefined): unknown {
  if (told === undefined) return 'nothing';
  return mine === undefined || mine.name === told.name ? told.value : told.name;
}

function fillsTold(blotter: Blotter): ReturnType<typeof fillsOf> {
  const fills = (blotter as { plans?: unknown } | null)?.plans;
  if (!Array.isArray(fills) || fills.some((plan) => !Array.isArray((plan as { fills?: unknown } | null)?.fills)))
    return [];
  return fillsOf(blotter);
}

/** Closed, as the protocol's own: what no answer can hold was never answered. */
function isBody(body: unknown): body is TurnBody {
  if (typeof body !== 'object' || body === null) return false;
  const { kind, ...rest } = body as Record<string, unknown>;
  const text = kind === 'authored' ? 'document' : kind === 'stand-down' ? 'reason' : undefined;
  if (text === undefined) return kind === 'pass' && Object.keys(rest).length === 0;
  return typeof rest[text] === 'string' && Object.keys(rest).length === 1;
}

function firstPin(mine: Pins, told: Pins): Verification {
  for (const key of Object.keys(mine) as (keyof Pins)[]) {
    if (mine[key] !== told[key]) return differs(`pins.${key}`, mine[key], told[key]);
  }
  return differs('pins', mine, told);
}

function differs(leaf: string, expected: unknown, got: unknown): Verification {
  return { kind: 'differs', leaf, expected: shown(expected), got: shown(got) };
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? 'nothing' : (canonicalOf(value) ?? 'no JSON');
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX).toWellFormed()}…`;
}

/** Why the value is no proof, or undefined where it has a proof's shape. What it says is for the replay to judge. */
export function isProofShape(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is no JSON object';
  const proof = value as Record<string, unknown>;
  if (proof.v !== PROOF_VERSION) return `v is not ${PROOF_VERSION}`;
  const { pins, document, checkpoints, turns, blotter, blinded } = proof;
  if (typeof pins !== 'object' || pins === null) return 'pins is no object';
  const { tape, fill, fees, rUsdE4, thinkMs, subject } = pins as Record<string, unknown>;
  if (typeof tape !== 'string' || typeof fill !== 'string' || typeof fees !== 'string')
    return 'pins names no tape, fill or fees';
  if (!Number.isSafeInteger(rUsdE4) || (thinkMs !== null && !Number.isSafeInteger(thinkMs)))
    return 'pins holds no whole numbers';
  if (subject !== null && typeof subject !== 'string') return 'pins.subject is no id';
  if (document !== null && typeof document !== 'string') return 'document is no text';
  if (!Array.isArray(checkpoints) || checkpoints.some((clock) => typeof clock !== 'string'))
    return 'checkpoints is no list of clocks';
  if (!Array.isArray(turns) || turns.length > PROOF_TURNS_MAX) return 'turns is no list';
  if (turns.some((turn) => typeof turn !== 'object' || turn === null)) return 'turns holds what is no turn';
  if (typeof blotter !== 'object' || blotter === null) return 'blotter is no object';
  return typeof blinded === 'boolean' ? undefined : 'blinded is no truth value';
}
