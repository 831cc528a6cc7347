/** The session's end: what underlyings closed at, what contracts settle to, what the rest is marked at. */
import { type Columns, Kind, type Tape } from '../market/columns.ts';
import {
  type Contract,
  type Instrument,
  intrinsicE4,
  markNow,
  type Option,
  placeOf,
  type Vertical,
} from './instrument.ts';
import type { MarketState } from './market-state.ts';

/** An equity option less than this in the money at the end is not exercised (OCC's exercise by exception), E4. */
const EXERCISED_FROM_E4 = 100;

export interface Mark {
  readonly priceE4: number;
  readonly from: 'close' | 'last' | 'mid' | 'cost';
}

export class Marks {
  readonly #tape: Tape;
  readonly #market: MarketState;
  readonly #official = new Map<number, number>();

  constructor(tape: Tape, market: MarketState, closeT: number) {
    this.#tape = tape;
    this.#market = market;
    const { t, kind, inst, a } = tape.columns;
    for (let i = firstRow(t, closeT); i < t.length; i++) {
      const s = inst[i]!;
      if (kind[i] === Kind.close && !this.#official.has(s)) this.#official.set(s, a[i]!);
    }
  }

  /** The official close of a symbol, else its last session print, else its last good mid. */
  symbol(s: number): Mark | undefined {
    const m = this.#market;
    const close = this.#official.get(s);
    if (close !== undefined) return { priceE4: close, from: 'close' };
    if (!Number.isNaN(m.last(s))) return { priceE4: m.last(s), from: 'last' };
    if (!Number.isNaN(m.lastMid[s]!)) return { priceE4: m.lastMid[s]!, from: 'mid' };
    return undefined;
  }

  /** What one expires to, if it expires today and the tape says what its underlying ended at. */
  settlement(
    x: Option | Vertical,
  ): { readonly priceE4: number; readonly underlyingE4: number; readonly from: 'close' | 'last' | 'mid' } | undefined {
    const chain = placeOf(x);
    if (chain.lastDate !== this.#tape.date || chain.settles !== 'close' || chain.underlying < 0) return undefined;
    const at = this.symbol(chain.underlying);
    if (at === undefined || at.from === 'cost') return undefined;
    return {
      priceE4: expiryValue(x, { priceE4: at.priceE4, of: this.#tape.instruments[chain.underlying]!.kind }),
      underlyingE4: at.priceE4,
      from: at.from,
    };
  }

  /** A price for what goes on: shares by their symbol, contracts by the last good quote, else the last print. */
  of(x: Instrument): Mark | undefined {
    if (x.kind === 'shares') return this.symbol(x.slots[0]!);
    const m = this.#market;
    for (const s of x.slots) m.seekGood(s);
    const midE4 = markNow(x, m);
    if (!Number.isNaN(midE4)) return { priceE4: midE4, from: 'mid' };
    const s = x.slots[0]!;
    return x.kind === 'option' && m.hasTrades[s] === 1 ? { priceE4: m.spot[s]!, from: 'last' } : undefined;
  }
}

/** What a contract or vertical is worth at its end; each leg of an equity option by the rule of exercise. */
export function expiryValue(
  x: Option | Vertical,
  underlying: { readonly priceE4: number; readonly of: 'equity' | 'index' | 'option' },
): number {
  const worth = (c: Contract): number => {
    const value = intrinsicE4(c, underlying.priceE4);
    return underlying.of === 'equity' && value < EXERCISED_FROM_E4 ? 0 : value;
  };
  return x.kind === 'option' ? worth(x.contract) : worth(x.long) - worth(x.short);
}

/** First row with time >= t. */
export function firstRow(times: Columns['t'], t: number): number {
  let lo = 0;
  let hi = times.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (times[mid]! < t) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}
