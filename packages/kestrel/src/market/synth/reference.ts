/**
 * The reference of a synthetic day: what its own prior sessions, made by the same recipe, looked like. Series are read
 * every few seconds over all of them, as `docs/runtime.md` defines them; the day itself never enters.
 */

import { US_PER_MINUTE, US_PER_SECOND } from '../calendar-date.ts';
import type { Rows } from '../canon.ts';
import { Kind } from '../columns.ts';

/** Percentiles kept of each series, and the quartiles that `regime` reads of `rv(30m)`. */
export const PERCENTILES = [0.1, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9] as const;

/** Time between two readings: series are read on this grid from the open. */
const STEP_US = 5 * US_PER_SECOND;
const STEPS_A_MINUTE = US_PER_MINUTE / STEP_US;

const MINUTES_A_YEAR = 252 * 390;

export interface ReferenceTable {
  readonly distributions: Readonly<Record<string, { readonly p: readonly number[]; readonly x: readonly number[] }>>;
  /** Mean shares traded in each minute from the open. */
  readonly volume: { readonly windowMinutes: 1; readonly shares: readonly number[] };
}

/** Gathers prior sessions one at a time. */
export class ReferenceBuilder {
  readonly #velocity1m: number[] = [];
  readonly #velocity5m: number[] = [];
  readonly #range5m: number[] = [];
  readonly #rv30m: number[] = [];
  /** Shares and sessions by minute from the open. */
  readonly #shares: number[] = [];
  readonly #sessions: number[] = [];

  /** @param session its open and close in microseconds; `rows` of one instrument, the first `rows.rows` of them */
  add(rows: Rows & { readonly rows: number }, session: { readonly open: number; readonly close: number }): void {
    const grid = new Grid((session.close - session.open) / STEP_US);
    const minutes = Math.floor(grid.steps / STEPS_A_MINUTE);
    for (let m = 0; m < minutes; m++) this.#sessions[m] = (this.#sessions[m] ?? 0) + 1;
    for (let i = 0; i < rows.rows; i++) {
      const since = rows.t[i]! - session.open;
      if (rows.kind[i] !== Kind.trade || since < 0 || rows.t[i]! > session.close) continue;
      grid.trade(Math.floor(since / STEP_US), rows.a[i]!);
      const minute = Math.min(minutes - 1, Math.floor(since / US_PER_MINUTE));
      this.#shares[minute] = (this.#shares[minute] ?? 0) + rows.b[i]!;
    }
    grid.carry();
    this.#read(grid);
  }

  /** @param scale volume of the day that is described, over that of the sessions added */
  table(scale: number): ReferenceTable {
    return {
      distributions: {
        'range(5m)': percentiles(this.#range5m),
        'rv(30m)': percentiles(this.#rv30m),
        'velocity(1m)': percentiles(this.#velocity1m),
        'velocity(5m)': percentiles(this.#velocity5m),
      },
      volume: {
        windowMinutes: 1,
        shares: this.#sessions.map((n, m) => Math.round(((this.#shares[m] ?? 0) / n) * scale)),
      },
    };
  }

  #read({ last, high, low, steps, first }: Grid): void {
    const one = STEPS_A_MINUTE;
    const five = 5 * STEPS_A_MINUTE;
    for (let k = one; k <= steps; k++) {
      const then = last[k - one]!;
      if (then > 0) this.#velocity1m.push((last[k]! / then - 1) * 10_000);
      const before = k >= five ? last[k - five]! : 0;
      if (!(before > 0)) continue;
      this.#velocity5m.push((last[k]! / before - 1) * 10_000);
      let top = high[k]!;
      let bottom = low[k]!;
      for (let j = k - five + 1; j < k; j++) {
        if (high[j]! > top) top = high[j]!;
        if (low[j]! < bottom) bottom = low[j]!;
      }
      this.#range5m.push(((top - bottom) / bottom) * 10_000);
    }
    for (let end = 30; end * one <= steps; end++) {
      let sum = 0;
      for (let m = end - 29; m <= end; m++) {
        const r = last[m * one]! / (m === 1 ? first : last[(m - 1) * one]!) - 1;
        sum += r * r;
      }
      if (sum >= 0) this.#rv30m.push(100 * Math.sqrt((sum / 30) * MINUTES_A_YEAR));
    }
  }
}

/** A session's prices on the grid: entry `k` is what step `k` ended with. Before the first trade there is none. */
class Grid {
  readonly steps: number;
  readonly last: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  first = Number.NaN;

  constructor(steps: number) {
    this.steps = steps;
    this.last = new Float64Array(steps + 1).fill(Number.NaN);
    this.high = new Float64Array(steps + 1);
    this.low = new Float64Array(steps + 1);
  }

  trade(step: number, priceE4: number): void {
    const k = Math.min(this.steps, step + 1);
    if (Number.isNaN(this.first)) this.first = priceE4;
    this.last[k] = priceE4;
    if (priceE4 > this.high[k]!) this.high[k] = priceE4;
    if (this.low[k] === 0 || priceE4 < this.low[k]!) this.low[k] = priceE4;
  }

  /** A step without a trade has the price of the one before. */
  carry(): void {
    for (let k = 1; k <= this.steps; k++) {
      if (!Number.isNaN(this.last[k]!)) continue;
      this.last[k] = this.last[k - 1]!;
      this.high[k] = this.last[k]!;
      this.low[k] = this.last[k]!;
    }
  }
}

/** Values at the percentiles, linear between order statistics, rounded to four decimals. */
function percentiles(values: readonly number[]): { readonly p: readonly number[]; readonly x: readonly number[] } {
  const sorted = Float64Array.from(values).sort();
  const x = PERCENTILES.map((p) => {
    const place = (p / 100) * (sorted.length - 1);
    const i = Math.floor(place);
    const [low, high] = [sorted[i]!, sorted[Math.min(i + 1, sorted.length - 1)]!];
    return Math.round((low + (high - low) * (place - i)) * 10_000) / 10_000 + 0;
  });
  return { p: PERCENTILES, x };
}
