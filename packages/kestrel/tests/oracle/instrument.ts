/** What a plan can own: shares, a contract, or a vertical of two contracts under one price. */
import { optionTickE4 } from '../../src/market/option-ticks.ts';
import type { ContractState, Contracts } from './contracts.ts';
import type { Quote, SymbolState } from './market.ts';

/** Where orders meet the market. */
export interface Book {
  readonly halted: boolean;
  /** The good quote that stands. */
  readonly quote: Quote | undefined;
  /** Of the shown sizes, what own orders have not taken. */
  readonly askLeft: number;
  readonly bidLeft: number;
  take(side: 'buy' | 'sell', qty: number): void;
}

export interface Instrument {
  readonly kind: 'shares' | 'option' | 'vertical';
  readonly name: string;
  readonly multiplier: number;
  /** The symbol whose spot, halts and close are this instrument's. */
  readonly on: SymbolState;
  readonly legs: readonly ContractState[];
  readonly book: Book;
  /** Least and most that one unit can ever be worth. */
  readonly leastE4: number;
  readonly mostE4: number;
  tickE4(atE4: number): number;
  readonly lastE4: number | undefined;
  intrinsicE4(spotE4: number): number;
}

class Single implements Book {
  private readonly of: SymbolState | ContractState;
  constructor(of: SymbolState | ContractState) {
    this.of = of;
  }
  get halted(): boolean {
    return this.of.halted;
  }
  get quote(): Quote | undefined {
    return this.of.quote;
  }
  get askLeft(): number {
    return this.of.askLeft;
  }
  get bidLeft(): number {
    return this.of.bidLeft;
  }
  take(side: 'buy' | 'sell', qty: number): void {
    if (side === 'buy') this.of.askLeft -= qty;
    else this.of.bidLeft -= qty;
  }
}

/** Long a and short b, one price. */
class Pair implements Book {
  private readonly a: ContractState;
  private readonly b: ContractState;
  constructor(a: ContractState, b: ContractState) {
    this.a = a;
    this.b = b;
  }
  get halted(): boolean {
    return this.a.halted;
  }
  get quote(): Quote | undefined {
    const [a, b] = [this.a.quote, this.b.quote];
    if (a === undefined || b === undefined) return undefined;
    return {
      index: Math.max(a.index, b.index),
      t: Math.max(a.t, b.t),
      bidE4: a.bidE4 - b.askE4,
      bidSize: Math.min(a.bidSize, b.askSize),
      askE4: a.askE4 - b.bidE4,
      askSize: Math.min(a.askSize, b.bidSize),
    };
  }
  get askLeft(): number {
    return Math.min(this.a.askLeft, this.b.bidLeft);
  }
  get bidLeft(): number {
    return Math.min(this.a.bidLeft, this.b.askLeft);
  }
  take(side: 'buy' | 'sell', qty: number): void {
    if (side === 'buy') {
      this.a.askLeft -= qty;
      this.b.bidLeft -= qty;
    } else {
      this.a.bidLeft -= qty;
      this.b.askLeft -= qty;
    }
  }
}

export function sharesOf(on: SymbolState): Instrument {
  return {
    kind: 'shares',
    name: on.symbol,
    multiplier: 1,
    on,
    legs: [],
    book: new Single(on),
    leastE4: 0,
    mostE4: Number.POSITIVE_INFINITY,
    tickE4: () => on.tickE4,
    get lastE4() {
      return on.lastE4;
    },
    intrinsicE4: () => {
      throw new Error('shares have no intrinsic value');
    },
  };
}

const strikeText = (e4: number): string => String(e4 / 1e4);

export function optionOf(legs: readonly ContractState[], date: string): Instrument {
  const [a, b] = legs as [ContractState, ContractState | undefined];
  const { root, expiry, right, multiplier, tickE4: headerTickE4 } = a.terms;
  const complex = b !== undefined;
  const ticks = complex ? { root, date, complex } : { root, date, complex, headerTickE4 };
  const shared = {
    multiplier,
    on: a.underlying!,
    legs,
    tickE4: (priceE4: number) => optionTickE4({ ...ticks, priceE4 }),
  };
  if (b === undefined) {
    return {
      ...shared,
      kind: 'option',
      name: `${root} ${expiry} ${strikeText(a.terms.strikeE4)} ${right}`,
      book: new Single(a),
      leastE4: 0,
      mostE4: Number.POSITIVE_INFINITY,
      get lastE4() {
        return a.lastE4;
      },
      intrinsicE4: (spotE4) => a.intrinsicE4(spotE4),
    };
  }
  // What a pays above b, at most: a put of the higher strike, a call of the lower one.
  const width = (right === 'P' ? 1 : -1) * (a.terms.strikeE4 - b.terms.strikeE4);
  return {
    ...shared,
    kind: 'vertical',
    name: `${root} ${expiry} ${strikeText(a.terms.strikeE4)}/${strikeText(b.terms.strikeE4)} ${right}`,
    book: new Pair(a, b),
    leastE4: Math.min(0, width),
    mostE4: Math.max(0, width),
    lastE4: undefined,
    intrinsicE4: (spotE4) => a.intrinsicE4(spotE4) - b.intrinsicE4(spotE4),
  };
}

/** Value by the chain's fit, of a vertical the difference of its legs'. */
export function fairOf(instrument: Instrument, contracts: Contracts, now: number): number | undefined {
  const [a, b] = instrument.legs.map((leg) => contracts.fairE4(leg, now));
  if (a === undefined) return undefined;
  if (instrument.kind === 'option') return a;
  return b === undefined ? undefined : a - b;
}
