/**
 * A grade over plays that have been replayed: what they earned in R, how surely, and against a null that trades the same
 * tickets at instants drawn at random. One day is an anecdote, and the grade says so.
 */
import { inR } from '../engine/index.ts';
import { Draws } from './draws.ts';
import { nullOf } from './null.ts';
import type { Sliced, Terms } from './play.ts';
import type { Proof } from './proof.ts';

/** Sessions below which no claim is made. */
export const CLAIM_SESSIONS_MIN = 30;
/** Resamples of the interval across sessions, and the mean length of a block. */
const RESAMPLES = 2_000;
const BLOCK_MEAN = 4;
const LEVEL = 0.95;
/** Two-sided 95 % of the normal distribution. */
const Z_95 = 1.959963984540054;

export interface GradeSubject {
  readonly blotter: string;
  readonly tipHash: string;
  readonly trades: number;
  readonly totalR: string;
  readonly expectancyR: string;
  readonly hitRate: { readonly value: number; readonly lo: number; readonly hi: number } | null;
  readonly maxDrawdownR: string;
  readonly feesR: string;
  readonly vsNull: { readonly draws: number; readonly percentile: number; readonly p: number };
}

export interface GradeOutcome {
  readonly n: number;
  readonly subjects: readonly GradeSubject[];
  readonly totalR: string;
  readonly expectancyR: string;
  readonly interval: { readonly lo: number; readonly hi: number; readonly level: number } | null;
  readonly claim: 'none' | 'supported' | 'not-supported';
  readonly notes: readonly string[];
}

/** A proof that has been verified, with the terms it was replayed under. */
export interface Graded {
  readonly blotter: string;
  readonly proof: Proof;
  readonly terms: Terms;
}

/** 1e-6 R, exact. */
function microR(text: string): bigint {
  const negative = text.startsWith('-');
  const [whole = '0', part = ''] = text.replace('-', '').split('.');
  const micro = BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
  return negative ? -micro : micro;
}

const MICRO = 1_000_000;

export function* gradeProofs(graded: readonly Graded[]): Sliced<GradeOutcome> {
  const subjects: GradeSubject[] = [];
  const notes: string[] = [];
  for (const one of graded) subjects.push(yield* gradeOne(one, notes));
  const totals = subjects.map(({ totalR }) => microR(totalR));
  const total = totals.reduce((sum, r) => sum + r, 0n);
  const n = subjects.length;
  const trades = subjects.reduce((sum, subject) => sum + subject.trades, 0);
  const interval =
    n < 2
      ? null
      : bootstrap(
          totals.map((r) => Number(r) / MICRO),
          graded.map(({ proof }) => proof.tipHash),
        );
  if (n === 1) notes.push('one session: no interval and no claim');
  else if (n < CLAIM_SESSIONS_MIN) notes.push(`${n} sessions: fewer than ${CLAIM_SESSIONS_MIN}, so no claim`);
  const claim = n < CLAIM_SESSIONS_MIN || interval === null ? 'none' : interval.lo > 0 ? 'supported' : 'not-supported';
  return {
    n,
    subjects,
    totalR: inR(Number(total), MICRO),
    expectancyR: trades === 0 ? inR(0, 1) : inR(Number(total), MICRO * trades),
    interval,
    claim,
    notes,
  };
}

interface Trade {
  readonly t: number;
  readonly netE4: number;
}

function* gradeOne({ proof, terms, blotter }: Graded, notes: string[]): Sliced<GradeSubject> {
  const trades: Trade[] = proof.blotter.plans
    .filter((plan) => plan.fills.length > 0)
    .map((plan) => ({ t: plan.fills[0]!.t, netE4: plan.netE4 }))
    .sort((a, b) => a.t - b.t);
  const { rUsdE4 } = terms;
  const totalE4 = proof.blotter.totals.netE4;
  const wins = trades.filter(({ netE4 }) => netE4 > 0).length;
  return {
    blotter,
    tipHash: proof.tipHash,
    trades: trades.length,
    totalR: inR(totalE4, rUsdE4),
    expectancyR: trades.length === 0 ? inR(0, 1) : inR(totalE4, rUsdE4 * trades.length),
    hitRate: trades.length === 0 ? null : wilson(wins, trades.length),
    maxDrawdownR: inR(drawdown(trades), rUsdE4),
    feesR: inR(proof.blotter.totals.feesE4, rUsdE4),
    vsNull: yield* againstNull(proof, terms, notes),
  };
}

/** Where the result stands among those of the null: strictly above a share of them, and p counts those that reach it. */
function* againstNull(
  proof: Proof,
  terms: Terms,
  notes: string[],
): Sliced<{ draws: number; percentile: number; p: number }> {
  const { results, lack } = yield* nullOf(proof, terms);
  if (lack !== undefined) notes.push(`${proof.tipHash.slice(0, 12)}: ${lack}`);
  const draws = results.length;
  if (draws === 0) return { draws, percentile: 0, p: 1 };
  const actual = proof.blotter.totals.netE4;
  const below = results.filter((netE4) => netE4 < actual).length;
  return { draws, percentile: six(below / draws), p: six((1 + draws - below) / (1 + draws)) };
}

/** Wilson's interval, rounded to six decimals. */
function wilson(wins: number, n: number): { value: number; lo: number; hi: number } {
  const share = wins / n;
  const z2 = Z_95 * Z_95;
  const middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z_95 * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  return { value: six(share), lo: six(Math.max(0, middle - half)), hi: six(Math.min(1, middle + half)) };
}

function six(value: number): number {
  return Math.round(value * MICRO) / MICRO + 0;
}

/** Deepest fall of the running result below its best so far, E4, positive. */
function drawdown(trades: readonly Trade[]): number {
  let sum = 0;
  let best = 0;
  let worst = 0;
  for (const { netE4 } of trades) {
    sum += netE4;
    best = Math.max(best, sum);
    worst = Math.max(worst, best - sum);
  }
  return worst;
}

// ---------------------------------------------------------------- across sessions

/** Stationary bootstrap of the mean R a session, seeded from the tips. */
function bootstrap(totals: readonly number[], tips: readonly string[]): { lo: number; hi: number; level: number } {
  const draws = new Draws('kestrel.bootstrap/1', ...tips);
  const n = totals.length;
  const means: number[] = [];
  for (let k = 0; k < RESAMPLES; k++) {
    let sum = 0;
    let at = draws.below(n);
    for (let i = 0; i < n; i++) {
      sum += totals[at]!;
      at = draws.chance(1 / BLOCK_MEAN) ? draws.below(n) : (at + 1) % n;
    }
    means.push(sum / n);
  }
  means.sort((a, b) => a - b);
  const at = (share: number): number => six(means[Math.min(RESAMPLES - 1, Math.floor(share * RESAMPLES))]!);
  return { lo: at((1 - LEVEL) / 2), hi: at((1 + LEVEL) / 2), level: LEVEL };
}
