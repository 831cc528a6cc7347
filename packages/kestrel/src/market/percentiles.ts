/** Order statistics of whole numbers. */

/** Nearest-rank percentiles. */
export interface Spread {
  readonly count: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** @returns null where there are none */
export function spreadOf(values: readonly number[]): Spread | null {
  const n = values.length;
  if (n === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (percent: number) => sorted[Math.max(0, Math.ceil((percent * n) / 100) - 1)]!;
  return { count: n, min: sorted[0]!, p50: at(50), p90: at(90), p99: at(99), max: sorted[n - 1]! };
}
