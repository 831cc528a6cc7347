/**
 * One play of a market day: the clock runs from slot to slot, the author answers each, and everything that happens is
 * an event. The same pins and the same answers give the same events, which is what makes a proof a replay.
 */
import {
  type Blotter,
  type BlotterFill,
  blotterOf,
  documentHash,
  ENGINE_VERSION,
  Engine,
  EngineRefusal,
  type Pins,
} from '../engine/index.ts';
import { type Diagnostic, type KestrelDocument, link, parse, print } from '../lang/index.ts';
import { localToUtc, type Tape } from '../market/index.ts';
import { fillsOf, genesisOf, leavesOf, merkleRootOf, type Turn, tipHashOf, turnHashOf } from './chain.ts';
import { type Frame, frameOf, newSight, type Sight, type Why } from './frame.ts';
import { judgingOf } from './judging.ts';
import { frameRootOf } from './texts.ts';
import type {
  Delivery,
  PlanNews,
  SessionEvent,
  SessionResponse,
  SessionState,
  TurnBody,
  TurnReceipt,
  Verdict,
} from './turn.ts';

/** Everything a session is pinned to at its opening, with what the pins are hashes of. */
export interface Terms {
  readonly tape: Tape;
  readonly fill: string;
  readonly fees: string;
  /** What 1R is, in 1e-4 of the currency. */
  readonly rUsdE4: number;
  /** Market time between an answer and its arming; null where the subject names none, which is none. */
  readonly thinkMs: number;
  /** Exchange-local clocks `HH:MM` at which a frame is delivered. */
  readonly checkpoints: readonly string[];
  /** Text of the strategy that is armed at the open; absent: authored in turns. */
  readonly document?: string;
  /** Catalog id; null for a dataset. */
  readonly subject: string | null;
  /** Frames hide the date. */
  readonly blinded: boolean;
}

/** Refused answers that may be repaired at one instant. */
export const REPAIRS_MAX = 2;
/** Turns at one instant; the last of them runs the clock. */
export const TURNS_AN_INSTANT_MAX = 16;
/** Plans of one session, those that were replaced included. */
export const PLANS_MAX = 20_000;
/** How long before the session's close the last frame is delivered. */
const BEFORE_CLOSE_US = 600_000_000;
/** Tape rows that are run before others get their turn. */
const SLICE_ROWS = 2_048;

/** Whether an answer lets the clock run on (`advance`, `submit`) or stand (`revise`). */
export type ClockRule = 'runs' | 'stands';

export type PlayedTurn = Turn & { readonly hash: string; readonly clock: ClockRule };

export interface Finished {
  readonly blotter: Blotter;
  readonly tipHash: string;
  readonly conformanceRoot: string;
}

/**
 * A long run in slices: each `yield` is a place at which others may be served. Where it yields a promise, it goes on
 * once that is kept; only what was given another thread to ask does so.
 */
export type Sliced<T> = Generator<Promise<void> | undefined, T, undefined>;

/** Runs all slices at once. */
export function whole<T>(sliced: Sliced<T>): T {
  for (;;) {
    const step = sliced.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) throw new Error('a run that waits for another thread was not given time to');
  }
}

/** How far whoever watches a run has seen it: counts of each plan's events and fills. */
export interface Seen {
  readonly events: number[];
  readonly fills: number[];
}

/** What a run has come to that is not over: where its clock is, and what happened since the last look. */
export interface Progress {
  readonly t: number;
  readonly news: readonly (
    | { readonly t: number; readonly kind: 'session/plan'; readonly value: PlanNews }
    | { readonly t: number; readonly kind: 'session/fill'; readonly value: PlanFill }
  )[];
}

type PlanFill = BlotterFill & { readonly plan: string };

export class Play {
  readonly terms: Terms;
  readonly pins: Pins;
  readonly genesis: string;
  readonly turns: PlayedTurn[] = [];
  /** Frame roots in order of their slots, answered or not. */
  readonly frameRoots: string[] = [];
  state: SessionState = 'opened';
  pending: Delivery | undefined;
  finished: Finished | undefined;

  #sessionId: string;
  readonly #engine: Engine;
  readonly #sight: Sight;
  readonly #checkpoints: readonly number[];
  readonly #names = {
    wake: new Set<string>(),
    view: new Set<string>(),
    pod: new Set<string>(),
    book: new Set<string>(),
  };
  readonly #seenEvents: number[] = [];
  readonly #seenFills: number[] = [];
  readonly #ended = new Set<number>();
  #events: SessionEvent[] = [];
  #sequence = 0;
  #turnsHere = 0;
  #repairsLeft = REPAIRS_MAX;
  #deliveredAt = Number.NEGATIVE_INFINITY;

  /**
   * @param sessionId stands in slots only; nothing hashed holds it
   * @throws EngineRefusal when the strategy asks for what the engine does not do
   */
  constructor(terms: Terms, sessionId: string) {
    this.terms = terms;
    this.#sessionId = sessionId;
    this.#engine = new Engine({ tape: terms.tape, fill: terms.fill, fees: terms.fees, rE4: terms.rUsdE4 });
    this.#sight = newSight(terms.tape);
    const strategy = terms.document === undefined ? undefined : parse(terms.document).document;
    this.pins = pinsOf(terms);
    this.genesis = genesisOf(this.pins);
    this.#checkpoints = checkpointTimes(terms);
    if (strategy !== undefined) {
      this.#engine.author([strategy]);
      this.#remember(strategy);
    }
    this.#emit(terms.tape.session.open, 'session/opened', { pins: this.pins, genesis: this.genesis });
  }

  /** Gives the play its session's id, before its first slot. */
  bind(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  /** Events since the last call. */
  takeEvents(): SessionEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /**
   * What happened since the last look of `seen`, in the order in which plans came to it. It is told before it is
   * recorded: the session's events follow when the run is over, in the order of their times.
   */
  progress(seen: Seen): Progress {
    const { row, plans } = this.#engine;
    const { session, columns } = this.terms.tape;
    const news: Progress['news'][number][] = [];
    plans.forEach((run, i) => {
      for (const { t, kind, detail } of run.events.slice(seen.events[i] ?? this.#seenEvents[i] ?? 0)) {
        const value: PlanNews = { plan: run.name, kind, ...(detail === undefined ? {} : { detail }) };
        news.push({ t, kind: 'session/plan', value });
      }
      seen.events[i] = run.events.length;
      for (const fill of run.fills.slice(seen.fills[i] ?? this.#seenFills[i] ?? 0)) {
        news.push({ t: fill.t, kind: 'session/fill', value: { plan: run.name, ...fill } });
      }
      seen.fills[i] = run.fills.length;
    });
    news.sort((a, b) => a.t - b.t);
    return { t: Math.max(session.open, columns.t[row - 1] ?? session.open), news };
  }

  /** The first slot, at the open. */
  start(): Delivery {
    const { open } = this.terms.tape.session;
    this.#collect(open);
    return this.#deliver('open', null, open);
  }

  /** Answers the pending slot. */
  *answer(body: TurnBody, clock: ClockRule): Sliced<SessionResponse> {
    const slot = this.pending!.slot;
    const turn: Turn = { ordinal: slot.ordinal, parentHash: slot.parentHash, frameRoot: slot.frameRoot, body };
    const hash = turnHashOf(turn);
    this.turns.push({ ...turn, hash, clock });
    const { verdict, plans, diagnostics } = this.#take(body);
    const receipt: TurnReceipt = { ordinal: turn.ordinal, hash, verdict, plans, diagnostics };
    this.#emit(this.pending!.frame.t, 'session/turn', { ...turn, receipt });
    this.#turnsHere++;
    const repaired = verdict === 'refused' && this.#repairsLeft > 0;
    if (repaired) this.#repairsLeft--;
    else if (verdict === 'refused') this.#standDown();
    const stands = repaired || (clock === 'stands' && verdict !== 'refused');
    if (stands && this.#turnsHere < TURNS_AN_INSTANT_MAX) {
      return { state: 'pending', turn: receipt, delivery: this.#again(repaired ? 'same-frame' : 'fresh-frame') };
    }
    const delivery = yield* this.#run();
    return delivery === undefined
      ? { state: 'ended', turn: receipt, reason: 'close' }
      : { state: 'pending', turn: receipt, delivery };
  }

  /**
   * Runs what is left of the session with what stands, and settles. A day whose amounts outgrow what is exact ends at
   * its last slot instead: the blotter is that of the instant, and what was open then is open in it.
   */
  *finish(): Sliced<Finished> {
    if (this.finished !== undefined) return this.finished;
    const { genesis, turns } = this;
    let blotter: Blotter;
    try {
      if (this.state !== 'ended') yield* this.#toClose();
      blotter = this.#blotterOf(this.#engine);
    } catch (error) {
      if (!(error instanceof EngineRefusal) || error.code !== 'amount-range') throw error;
      blotter = this.#blotterOf(yield* this.#engineAtLastSlot());
      this.state = 'ended';
      this.pending = undefined;
    }
    const parentHash = turns.at(-1)?.hash ?? genesis;
    this.finished = {
      blotter,
      tipHash: tipHashOf({ parentHash, determinismHash: blotter.determinismHash }),
      conformanceRoot: merkleRootOf(leavesOf({ genesis, turns, fills: fillsOf(blotter), blotter })),
    };
    return this.finished;
  }

  #blotterOf(engine: Engine): Blotter {
    const { document, thinkMs, subject } = this.pins;
    return blotterOf(engine, { document, thinkMs, subject });
  }

  /** The engine as it stood when the last slot was delivered: the same play again, up to there. */
  *#engineAtLastSlot(): Sliced<Engine> {
    const again = new Play(this.terms, this.#sessionId);
    again.start();
    const before = this.pending === undefined ? this.turns.slice(0, -1) : this.turns;
    for (const { body, clock } of before) yield* again.answer(body, clock);
    return again.#engine;
  }

  /** Notes the end of the session with the references of what it leaves. */
  finalized(artifacts: readonly string[]): void {
    const { blotter, tipHash, conformanceRoot } = this.finished!;
    this.state = 'finalized';
    this.pending = undefined;
    this.#emit(this.terms.tape.session.close, 'session/finalized', {
      tipHash,
      conformanceRoot,
      determinismHash: blotter.determinismHash,
      artifacts,
    });
  }

  // -------------------------------------------------------------- answers

  #take(body: TurnBody): { verdict: Verdict; plans: readonly string[]; diagnostics: readonly Diagnostic[] } {
    switch (body.kind) {
      case 'pass':
        return { verdict: 'passed', plans: [], diagnostics: [] };
      case 'stand-down':
        this.#standDown();
        return { verdict: 'stood-down', plans: [], diagnostics: [] };
      case 'authored':
        return this.#author(body.document);
      default:
        return body satisfies never;
    }
  }

  #standDown(): void {
    this.#engine.standDown({ afterUs: this.terms.thinkMs * 1_000 });
  }

  #author(text: string): { verdict: Verdict; plans: readonly string[]; diagnostics: readonly Diagnostic[] } {
    const engine = this.#engine;
    const fired = new Set<string>();
    const plan = new Set<string>();
    for (const run of engine.plans) {
      plan.add(run.name);
      if (run.firedAt !== null) fired.add(run.name);
    }
    const { ok, diagnostics, parsed } = link(text, {
      imports: 'refuse',
      ...judgingOf(this.terms.tape),
      rUsdE4: this.terms.rUsdE4,
      known: { plan, ...this.#names },
      fired,
    });
    if (!ok) return { verdict: 'refused', plans: [], diagnostics };
    const { document } = parsed;
    const more = document.statements.filter((statement) => statement.kind === 'plan').length;
    if (engine.plans.length + more > PLANS_MAX) {
      const message = `a session takes at most ${PLANS_MAX} plans, replaced ones included`;
      return { verdict: 'refused', plans: [], diagnostics: [...diagnostics, overall('K002', message)] };
    }
    try {
      const runs = engine.author([document], { afterUs: this.terms.thinkMs * 1_000 });
      this.#remember(document);
      return { verdict: 'armed', plans: runs.map((run) => run.name), diagnostics };
    } catch (error) {
      if (!(error instanceof EngineRefusal)) throw error;
      return { verdict: 'refused', plans: [], diagnostics: [...diagnostics, diagnosticOf(error)] };
    }
  }

  #remember(document: KestrelDocument): void {
    for (const s of document.statements) {
      if (s.kind === 'wake' || s.kind === 'view' || s.kind === 'pod') this.#names[s.kind].add(s.name);
      if (s.kind === 'pod') for (const book of s.books) this.#names.book.add(book.name);
    }
  }

  // -------------------------------------------------------------- the clock

  *#run(): Sliced<Delivery | undefined> {
    const { close } = this.terms.tape.session;
    const engine = this.#engine;
    const beforeClose = close - BEFORE_CLOSE_US;
    for (;;) {
      const last = this.#deliveredAt;
      const checkpoint = this.#checkpoints.find((t) => t > last);
      const target = Math.min(checkpoint ?? close, beforeClose > last ? beforeClose : close);
      const stop = engine.runUntil(Math.min(target, this.#sliceEnd()));
      if (stop.t >= close) break;
      if (stop.why === 'time' && stop.t < target) {
        yield undefined;
        continue;
      }
      if (stop.t <= last) continue;
      this.#collect(stop.t);
      if (stop.t === checkpoint) return this.#deliver('checkpoint', null, stop.t);
      if (stop.why !== 'time') return this.#deliver(stop.why, stop.why === 'wake' ? (stop.wake ?? null) : null, stop.t);
      return this.#deliver('close', null, stop.t);
    }
    yield* this.#toClose();
    return undefined;
  }

  *#toClose(): Sliced<void> {
    const { close } = this.terms.tape.session;
    const engine = this.#engine;
    for (let end = this.#sliceEnd(); end < close; end = this.#sliceEnd()) {
      engine.runTo(end);
      yield undefined;
    }
    engine.finish();
    this.#collect(close);
    this.state = 'ended';
    this.pending = undefined;
  }

  /** An instant at which the run may pause: the last one before the slice's end, or the whole of a crowded one. */
  #sliceEnd(): number {
    const { t } = this.terms.tape.columns;
    const first = t[this.#engine.row];
    const last = t[this.#engine.row + SLICE_ROWS];
    if (first === undefined || last === undefined) return Number.POSITIVE_INFINITY;
    return first === last ? last : last - 1;
  }

  // -------------------------------------------------------------- slots

  #deliver(why: Why, wake: string | null, t: number): Delivery {
    this.#deliveredAt = t;
    this.#turnsHere = 0;
    this.#repairsLeft = REPAIRS_MAX;
    return this.#slot(this.#frame(why, wake, t));
  }

  #again(what: 'same-frame' | 'fresh-frame'): Delivery {
    const { frame } = this.pending!;
    return this.#slot(what === 'same-frame' ? frame : this.#frame(frame.why, frame.wake, frame.t));
  }

  #frame(why: Why, wake: string | null, t: number): Frame {
    return frameOf(this.#engine, { why, wake, t, blinded: this.terms.blinded, sight: this.#sight });
  }

  #slot(frame: Frame): Delivery {
    const { turns } = this;
    const frameRoot = frameRootOf(frame);
    this.frameRoots.push(frameRoot);
    const delivery: Delivery = {
      slot: {
        sessionId: this.#sessionId,
        ordinal: turns.length + 1,
        parentHash: turns.at(-1)?.hash ?? this.genesis,
        frameRoot,
      },
      why: frame.why,
      ...(frame.wake === null ? {} : { wake: frame.wake }),
      frame,
      repairsLeft: this.#repairsLeft,
    };
    this.pending = delivery;
    this.state = 'pending';
    this.#emit(frame.t, 'session/frame', delivery);
    return delivery;
  }

  // -------------------------------------------------------------- events

  #emit<K extends SessionEvent['kind']>(t: number, kind: K, value: Extract<SessionEvent, { kind: K }>['value']): void {
    this.#events.push({ sequence: ++this.#sequence, t, kind, value } as unknown as SessionEvent);
  }

  /** What plans did and filled since the last look, in order of time; at one instant a plan's own events come first. */
  #collect(now: number): void {
    type Found = { readonly t: number; readonly emit: () => void };
    const found: Found[] = [];
    this.#engine.plans.forEach((run, i) => {
      for (let k = this.#seenEvents[i] ?? 0; k < run.events.length; k++) {
        const { t, kind, detail } = run.events[k]!;
        const news: PlanNews = { plan: run.name, kind, ...(detail === undefined ? {} : { detail }) };
        found.push({ t, emit: () => this.#emit(t, 'session/plan', news) });
      }
      this.#seenEvents[i] = run.events.length;
    });
    const fills = this.#engine.plans.flatMap((run, i) => {
      const fresh = run.fills.slice(this.#seenFills[i] ?? 0);
      this.#seenFills[i] = run.fills.length;
      return fresh.map((fill) => ({ plan: run.name, ...fill }));
    });
    fills.sort((a, b) => a.seq - b.seq);
    for (const fill of fills) found.push({ t: fill.t, emit: () => this.#emit(fill.t, 'session/fill', fill) });
    this.#engine.plans.forEach((run, i) => {
      if (run.state !== 'done' || this.#ended.has(i)) return;
      this.#ended.add(i);
      const news: PlanNews = {
        plan: run.name,
        kind: 'done',
        ...(run.reason === undefined ? {} : { detail: run.reason }),
      };
      const t = endOf(run.reason, { fill: run.fills.at(-1)?.t, event: run.events.at(-1)?.t }) ?? now;
      found.push({ t, emit: () => this.#emit(t, 'session/plan', news) });
    });
    found.sort((a, b) => a.t - b.t);
    for (const { emit } of found) emit();
  }
}

/** When a plan ended, where its own facts tell: the sale that closed it, or the event that gave the reason. */
function endOf(
  reason: string | undefined,
  last: { readonly fill: number | undefined; readonly event: number | undefined },
): number | undefined {
  if (reason === 'closed') return last.fill;
  return reason === 'expired' || reason === 'settled' || reason?.startsWith('disarmed') === true
    ? last.event
    : undefined;
}

export function pinsOf(terms: Terms): Pins {
  return {
    engine: ENGINE_VERSION,
    tape: terms.tape.identity,
    document: terms.document === undefined ? null : documentHash([parse(terms.document).document]),
    fill: terms.fill,
    fees: terms.fees,
    rUsdE4: terms.rUsdE4,
    thinkMs: terms.thinkMs,
    subject: terms.subject,
  };
}

/** The canonical text that `pins.document` is the hash of. */
export function canonicalText(document: string): string {
  return print(parse(document).document);
}

function checkpointTimes({ tape, checkpoints }: Terms): number[] {
  const times: number[] = [];
  for (const clock of checkpoints) {
    const [h = 0, m = 0] = clock.split(':').map(Number);
    const at = localToUtc(tape.zone, { date: tape.date, h, m, s: 0 });
    if (at.kind === 'exact' && at.t > tape.session.open && at.t < tape.session.close) times.push(at.t);
  }
  return times.sort((a, b) => a - b);
}

/** What only the engine knows to refuse, over the whole document. */
function diagnosticOf(error: EngineRefusal): Diagnostic {
  const diagnostic = overall(error.code, error.message);
  return error.expected === undefined ? diagnostic : { ...diagnostic, expected: [error.expected] };
}

function overall(code: string, message: string): Diagnostic {
  return { code, severity: 'error', message, span: { start: 0, end: 0, line: 1, column: 1 } };
}
