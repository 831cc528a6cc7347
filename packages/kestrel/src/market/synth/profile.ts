/**
 * What real days look like, as constants: three kinds of share, measured on 2013-10-07 to 2013-10-09 in the regular
 * session. How each was measured is said beside it and in docs/synth.md; no row of the data is kept.
 */
import type { Quantiles } from './dice.ts';

/** A curve over the session: one value each thirteenth, half an hour of a whole day. */
export type Curve = readonly number[];

export interface Profile {
  readonly name: ProfileName;
  /** Price of the day before, E4, where the recipe names none; the price level at which the day was measured. */
  readonly priorCloseE4: number;
  readonly tickE4: number;
  /** Standard deviation of the value's 1-minute changes, basis points: what prints show less what their bounce adds. */
  readonly sigmaBps: number;
  /** Quotes and trades of an ordinary day. */
  readonly events: number;
  /**
   * A second's weight is `calm + (1 - calm)·(2k + 1)·u^2k`, `u` uniform: the higher `k`, the more seconds are empty and
   * the fuller the others.
   */
  readonly calm: number;
  readonly k: 2 | 3;
  /** Share of a day's events in each thirteenth; sums to 1. */
  readonly activity: Curve;
  /** Mean absolute 1-minute change in each thirteenth, over its mean. */
  readonly volatility: Curve;
  /** Chance that an event is a trade, after a trade and after a quote, and how the latter varies over the day. */
  readonly tradeAfterTrade: number;
  readonly tradeAfterQuote: number;
  readonly tradeCurve: Curve;
  /** Chance that a trade is on the side of the one before it. */
  readonly sameSide: number;
  /** Share of trades strictly inside the quote, where there is room. */
  readonly inside: number;
  /** Sizes of trades, shares, and the share of those over 100 that are not cut to a multiple of it. */
  readonly tradeSize: Quantiles;
  readonly oddSize: number;
  /** Opening and closing auction, as shares of the day's volume: least and most. */
  readonly openingShare: readonly [number, number];
  readonly closingShare: readonly [number, number];
  /** Spread in ticks over the curve's value, and how it varies over the day; chance a quote draws a new one. */
  readonly spreadTicks: Quantiles;
  readonly spreadCurve: Curve;
  readonly spreadRenewal: number;
  /** Share of quotes whose bid equals their ask, and how many such quotes follow one another, on average. */
  readonly locked: number;
  readonly lockedRun: number;
  /** How far, in ticks, the value moves before the touch follows. */
  readonly slackTicks: number;
  /** Size shown a side, shares; chance a quote draws a new one, else its change, in hundreds; chance of a change. */
  readonly quoteSize: Quantiles;
  readonly sizeRenewal: number;
  readonly sizeChange: number;
  readonly sizeStep: Quantiles;
  /** Chance that an event follows the last one within 50 ms. */
  readonly cluster: number;
  /** Gaps inside a cluster, milliseconds; a fraction is cut. */
  readonly clusterGapMs: Quantiles;
}

export type ProfileName = 'spy' | 'ibm' | 'bac';

/**
 * IBM ticks of all three days (183,068 session states of the best bid and ask, 84,344 trades). Counts, transitions and
 * tables are means of the three days; the spread's table is of all states over the curve.
 */
const IBM: Profile = {
  name: 'ibm',
  priorCloseE4: 1_840_000,
  tickE4: 100,
  sigmaBps: 4,
  events: 90_000,
  calm: 0.03,
  k: 3,
  activity: [0.105, 0.086, 0.077, 0.086, 0.073, 0.054, 0.057, 0.055, 0.051, 0.072, 0.06, 0.079, 0.145],
  volatility: [2.1, 1.43, 1.03, 0.97, 0.98, 0.83, 0.9, 0.72, 0.76, 0.99, 0.74, 0.67, 1.03],
  tradeAfterTrade: 0.477,
  tradeAfterQuote: 0.24,
  tradeCurve: [1.6, 1.15, 1.15, 0.93, 0.93, 0.98, 0.88, 0.8, 0.94, 0.83, 0.75, 0.89, 1.03],
  sameSide: 0.81,
  inside: 0.35,
  tradeSize: {
    p: [0, 0.765, 0.83, 0.93, 0.957, 0.973, 0.981, 0.99, 0.995, 0.998, 0.999, 1],
    x: [100, 100, 200, 300, 400, 500, 600, 820, 1_100, 2_000, 3_000, 11_000],
  },
  oddSize: 0.35,
  openingShare: [0.012, 0.035],
  closingShare: [0.038, 0.05],
  spreadTicks: {
    p: [0, 0.12, 0.29, 0.47, 0.61, 0.73, 0.82, 0.88, 0.93, 0.97, 0.99, 1],
    x: [0.6, 1.3, 2.2, 3.1, 4, 5, 6, 6.8, 7.8, 9.5, 11.5, 16],
  },
  spreadCurve: [2.1, 1.35, 1.05, 0.98, 1.15, 1.04, 1.08, 0.97, 0.92, 1.14, 0.92, 0.79, 0.6],
  spreadRenewal: 0.07,
  locked: 0.007,
  lockedRun: 2,
  slackTicks: 0.8,
  quoteSize: {
    p: [0, 0.4, 0.5, 0.6, 0.75, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995, 1],
    x: [100, 100, 180, 220, 320, 420, 520, 700, 1_000, 1_500, 2_800, 9_000],
  },
  sizeRenewal: 0.02,
  sizeChange: 0.35,
  sizeStep: { p: [0, 0.7, 0.9, 0.95, 0.99, 1], x: [1, 1, 3, 4, 8, 20] },
  cluster: 0.74,
  clusterGapMs: { p: [0, 0.42, 0.68, 0.86, 0.94, 1], x: [0, 0.999, 1.999, 5.9, 20.9, 50] },
};

/** BAC ticks of 2013-10-08 (286,999 states, 124,969 trades): a low price, a spread of one tick, deep queues. */
const BAC: Profile = {
  name: 'bac',
  priorCloseE4: 138_000,
  tickE4: 100,
  sigmaBps: 6,
  events: 412_000,
  calm: 0.03,
  k: 2,
  activity: [0.085, 0.079, 0.088, 0.076, 0.066, 0.067, 0.054, 0.055, 0.056, 0.089, 0.079, 0.085, 0.121],
  volatility: [1.47, 0.96, 0.81, 0.81, 1.22, 1.02, 0.77, 0.61, 0.82, 1.18, 0.97, 1.12, 1.11],
  tradeAfterTrade: 0.705,
  tradeAfterQuote: 0.128,
  tradeCurve: [1.2, 1.05, 1.2, 0.98, 1.2, 0.8, 0.75, 0.95, 0.92, 0.78, 0.68, 0.88, 1.3],
  sameSide: 0.845,
  inside: 0,
  tradeSize: {
    p: [0, 0.39, 0.415, 0.53, 0.612, 0.673, 0.735, 0.8, 0.825, 0.863, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1],
    x: [
      100, 100, 200, 300, 400, 500, 600, 850, 1_000, 1_100, 1_400, 2_500, 4_700, 7_200, 11_100, 20_000, 28_000, 100_000,
    ],
  },
  oddSize: 0.17,
  openingShare: [0.008, 0.014],
  closingShare: [0.025, 0.035],
  spreadTicks: { p: [0, 0.998, 1], x: [1, 1, 2.4] },
  spreadCurve: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  spreadRenewal: 0.02,
  locked: 0.033,
  lockedRun: 60,
  slackTicks: 1,
  quoteSize: {
    p: [0, 0.01, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.85, 0.9, 0.95, 0.98, 0.99, 1],
    x: [
      100, 3_100, 12_400, 20_000, 38_800, 54_800, 63_400, 72_300, 89_000, 114_000, 135_000, 172_000, 230_000, 275_000,
      420_000,
    ],
  },
  sizeRenewal: 0,
  sizeChange: 0.85,
  sizeStep: { p: [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1], x: [1, 2, 5, 10, 28, 52, 153, 442] },
  cluster: 0.82,
  clusterGapMs: { p: [0, 0.64, 0.8, 0.9, 0.96, 1], x: [0, 0.999, 1.999, 5.9, 20.9, 50] },
};

/**
 * SPY seconds of all three days (68,183 quotes, 52,353 trade bars): spread, sizes, volume and volatility are SPY's own.
 * Seconds do not show single ticks, so how ticks follow one another (`trade*`, `sameSide`, `sizeStep`, `cluster*`) is
 * BAC's, the other share whose spread is one tick; the event count is BAC's by SPY's ratio of traded shares.
 */
const SPY: Profile = {
  name: 'spy',
  priorCloseE4: 1_688_900,
  tickE4: 100,
  sigmaBps: 3.4,
  events: 590_000,
  calm: 0.05,
  k: 2,
  activity: [0.126, 0.094, 0.071, 0.072, 0.065, 0.051, 0.042, 0.06, 0.051, 0.08, 0.05, 0.062, 0.176],
  volatility: [1.42, 1.19, 1.04, 0.93, 0.97, 0.88, 0.75, 0.91, 0.91, 1.24, 0.92, 0.8, 1.29],
  tradeAfterTrade: 0.705,
  tradeAfterQuote: 0.128,
  tradeCurve: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  sameSide: 0.8,
  inside: 0,
  tradeSize: BAC.tradeSize,
  oddSize: 0.12,
  openingShare: [0.001, 0.002],
  closingShare: [0.008, 0.015],
  spreadTicks: { p: [0, 0.998, 1], x: [1, 1, 2.4] },
  spreadCurve: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  spreadRenewal: 0.02,
  locked: 0.009,
  lockedRun: 20,
  slackTicks: 1.1,
  quoteSize: {
    p: [0, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.85, 0.9, 0.95, 0.98, 0.99, 1],
    x: [100, 700, 1_300, 2_600, 3_900, 4_800, 6_000, 8_500, 14_100, 30_500, 53_000, 58_500, 102_000, 104_000],
  },
  sizeRenewal: 0.005,
  sizeChange: 0.85,
  sizeStep: { p: [0, 0.5, 0.75, 0.9, 0.95, 0.99, 1], x: [1, 2, 4, 8, 15, 35, 100] },
  cluster: 0.82,
  clusterGapMs: BAC.clusterGapMs,
};

export const PROFILES: ReadonlyMap<string, Profile> = new Map(
  [SPY, IBM, BAC].map((profile) => [profile.name, profile]),
);

/** A curve's value at a share of the session in [0, 1], linear between the middles of its parts. */
export function at(curve: Curve, share: number): number {
  const place = share * curve.length - 0.5;
  const i = Math.max(0, Math.min(curve.length - 2, Math.floor(place)));
  const part = Math.max(0, Math.min(1, place - i));
  return curve[i]! + (curve[i + 1]! - curve[i]!) * part;
}
