/**
 * The null of a grade: what the plans of a session would have earned with the same tickets, management, fill model and
 * fees, had each fired at an instant drawn at random among those at which it was armed and its price was known.
 */
import { Engine, type PlanRun } from '../engine/index.ts';
import { type KestrelDocument, type Plan, parse, type Statement } from '../lang/index.ts';
import { localToUtc, type Tape, utcToLocal } from '../market/index.ts';
import { Draws } from './draws.ts';
import { Play, type Sliced, type Terms } from './play.ts';
import type { Proof } from './proof.ts';

/** Draws of one session. */
export const NULL_DRAWS = 1_000;
/** Instants that are tried for one draw before the session is said to have too few. */
export const TRIES_MAX = 200;

const SECOND_US = 1_000_000;

export interface Null {
  /** Net result of each draw, E4. */
  readonly results: readonly number[];
  /** Why there are fewer than {@link NULL_DRAWS}. */
  readonly lack?: string;
}

type Using = Extract<Statement, { kind: 'using' }>;

/** A plan that fired, freed of its own trigger. */
interface Fired {
  readonly plan: Plan;
  readonly using: Using | undefined;
  /** Market time between the open and its arming. */
  readonly afterUs: number;
  /** Whole seconds since the epoch: the first at which it was armed, and the one at which it no longer was. */
  readonly from: number;
  to: number;
  /** Seconds at which its price was not known. */
  readonly unpriced: Set<number>;
}

/** @param proof one that has been verified under these terms */
export function* nullOf(proof: Proof, terms: Terms): Sliced<Null> {
  const fired = yield* firedPlans(proof, terms);
  if (fired.length === 0) return { results: [], lack: 'nothing fired, so there is no null to compare with' };
  endAtInvalidation(terms, fired);
  const draws = new Draws('kestrel.null/2', proof.tipHash);
  const results: number[] = [];
  while (results.length < NULL_DRAWS) {
    const netE4 = yield* oneDraw(terms, fired, draws);
    if (netE4 === undefined) {
      const lack = `of ${NULL_DRAWS} draws ${results.length} were found: too few instants at which its plans could have fired`;
      return { results, lack };
    }
    results.push(netE4);
  }
  return { results };
}

/** @returns undefined where no instants can be found at which all plans fire at a price that is known */
function* oneDraw(terms: Terms, fired: readonly Fired[], draws: Draws): Sliced<number | undefined> {
  const seconds: (number | undefined)[] = fired.map(() => undefined);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    for (const [i, one] of fired.entries()) {
      seconds[i] ??= drawn(one, draws);
      if (seconds[i] === undefined) return undefined;
    }
    const runs = played(terms, fired, seconds as number[]);
    yield undefined;
    const missed = runs.flatMap((run, i) => (firedAtPrice(run) ? [] : [i]));
    if (missed.length === 0) return runs.reduce((sum, run) => sum + run.realizedE4 + run.markedE4 - run.feesE4, 0);
    for (const i of missed) {
      fired[i]!.unpriced.add(seconds[i]!);
      seconds[i] = undefined;
    }
  }
  return undefined;
}

/** A second at which the plan was armed and which is not known to be without a price. */
function drawn({ from, to, unpriced }: Fired, draws: Draws): number | undefined {
  if (to - from <= unpriced.size) return undefined;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const second = from + draws.below(to - from);
    if (!unpriced.has(second)) return second;
  }
  return undefined;
}

function firedAtPrice({ firedAt, reason }: PlanRun): boolean {
  return firedAt !== null && reason !== 'refused:unpriceable' && reason !== 'refused:no-contract';
}

/** Runs of the plans, in their order, each firing at its second; undefined: never. */
function played(terms: Terms, fired: readonly Fired[], seconds: readonly (number | undefined)[]): PlanRun[] {
  const { tape, fill, fees, rUsdE4 } = terms;
  const engine = new Engine({ tape, fill, fees, rE4: rUsdE4 });
  const runs = fired.map(({ plan, using, afterUs }, i) => {
    const second = seconds[i];
    const clock =
      second === undefined
        ? ({ kind: 'clock', h: 23, m: 59, s: 59 } as const)
        : ({ kind: 'clock', ...clockAt(tape, second * SECOND_US) } as const);
    const when = { kind: 'when', when: { kind: 'time', cmp: '>=', clock } } as const;
    const document: KestrelDocument = { statements: [...(using === undefined ? [] : [using]), { ...plan, when }] };
    return engine.author([document], { afterUs })[0]!;
  });
  engine.finish();
  return runs;
}

/** A plan that its own INVALIDATE would have ended while it waited was not armed after that. */
function endAtInvalidation(terms: Terms, fired: readonly Fired[]): void {
  if (!fired.some(({ plan }) => plan.clauses.some(({ kind }) => kind === 'invalidate'))) return;
  for (const [i, run] of played(terms, fired, []).entries()) {
    const end = run.events.find(({ kind }) => kind === 'invalidated');
    const one = fired[i]!;
    if (end !== undefined) one.to = Math.min(one.to, Math.ceil(end.t / SECOND_US));
  }
}

// ---------------------------------------------------------------- what fired

/** Plans that fired, out of the documents that armed them, freed of what ties them to other plans and to an instant. */
function* firedPlans(proof: Proof, terms: Terms): Sliced<Fired[]> {
  const { open } = terms.tape.session;
  const written = new Map<string, { readonly plan: Plan; readonly using: Using | undefined }>();
  for (const text of yield* armedTexts(proof, terms)) {
    let using: Using | undefined;
    for (const s of parse(text).document.statements) {
      if (s.kind === 'using') using = s;
      if (s.kind === 'plan') written.set(s.name, { plan: s, using });
    }
  }
  return proof.blotter.plans.flatMap(({ name, firedAt, armedAt }) => {
    const found = written.get(name);
    if (found === undefined || firedAt === null || armedAt === null) return [];
    const { regime: _gate, when: _when, book: _book, ...rest } = found.plan;
    const clauses = rest.clauses.filter((clause) => clause.kind !== 'arm' && !isTied(clause));
    const plan = untied({ ...rest, clauses });
    const end = endOf(plan, armedAt, terms.tape);
    const from = Math.floor(armedAt / SECOND_US) + 1;
    const to = Math.max(from + 1, Math.ceil(end / SECOND_US));
    return [{ plan, using: found.using, afterUs: armedAt - open, from, to, unpriced: new Set<number>() }];
  });
}

/**
 * Documents that armed plans, in their order: those that a repair replaced did not. What the author did once a plan had
 * fired is no part of the null, since he would not have done it had it fired at another instant.
 */
function* armedTexts(proof: Proof, terms: Terms): Sliced<readonly string[]> {
  const texts = proof.document === null ? [] : [proof.document];
  const play = new Play(terms, '');
  if (proof.turns.length > 0) play.start();
  for (const { body, clock } of proof.turns) {
    const { turn } = yield* play.answer(body, clock);
    if (turn.verdict === 'armed' && body.kind === 'authored') texts.push(body.document);
  }
  return texts;
}

/** When the plan's time is over, or the session's, in microseconds. */
function endOf({ ttl }: Plan, armedAt: number, { zone, date, session }: Tape): number {
  if (ttl.kind !== 'clock') {
    return Math.min(session.close, armedAt + ttl.duration.n * { s: 1, m: 60, h: 3_600 }[ttl.duration.unit] * SECOND_US);
  }
  const at = localToUtc(zone, { date, h: ttl.h, m: ttl.m, s: ttl.s ?? 0 });
  return at.kind === 'exact' ? Math.min(session.close, at.t) : session.close;
}

/** Whether it reads states of other plans, which stand in no null. */
function isTied(part: unknown): boolean {
  return JSON.stringify(part).includes('"kind":"plan"');
}

/** Without the `cancel-if` of tickets that read other plans. */
function untied<T>(part: T): T {
  if (Array.isArray(part)) {
    const kept = part.filter((inner) => (inner as { kind?: unknown } | null)?.kind !== 'cancel-if' || !isTied(inner));
    return kept.map(untied) as T;
  }
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, untied(inner)])) as T;
}

function clockAt(tape: Tape, t: number): { readonly h: number; readonly m: number; readonly s: number } {
  const { h, m, s } = utcToLocal(tape.zone, t);
  return { h, m, s };
}
