/** `fair-v1` of one chain of the tape: fitted when it is read, at most once in a second of market time. */
import type { Right } from '../lang/model.ts';
import type { Columns } from '../market/columns.ts';
import { FairFit, type FairInput, type FairReceipt } from './fair-fit.ts';
import { spotOf } from './instrument.ts';
import type { MarketState } from './market-state.ts';

/** A fit stands until the next whole second of market time. */
export const SECOND = 1_000_000;

/** What of a chain the fit reads. */
export interface FairChain {
  readonly listed: {
    readonly strikesE4: readonly number[];
    readonly calls: readonly number[];
    readonly puts: readonly number[];
  };
  readonly underlying: number;
  readonly settlesAt: number;
}

interface Side {
  readonly bid: Float64Array;
  readonly ask: Float64Array;
  readonly t: Float64Array;
}

export class FairValue {
  readonly #chain: FairChain;
  readonly #columns: Columns;
  readonly #market: MarketState;
  readonly #now: () => number;
  readonly #fit = new FairFit();
  readonly #callsE4: Float64Array;
  readonly #putsE4: Float64Array;
  #made: { readonly strikes: Float64Array; readonly calls: Side; readonly puts: Side } | undefined;
  #second = Number.NaN;
  #receipt: FairReceipt | undefined;

  constructor(chain: FairChain, columns: Columns, market: MarketState, now: () => number) {
    this.#chain = chain;
    this.#callsE4 = new Float64Array(chain.listed.strikesE4.length).fill(-1);
    this.#putsE4 = new Float64Array(chain.listed.strikesE4.length).fill(-1);
    this.#columns = columns;
    this.#market = market;
    this.#now = now;
  }

  /** The receipt of the fit that stands now, made first if this market second has none. */
  get receipt(): FairReceipt {
    const t = this.#now();
    const second = Math.floor(t / SECOND);
    if (this.#receipt !== undefined && second === this.#second) return this.#receipt;
    this.#second = second;
    this.#receipt = this.#fit.fit(this.#input(t));
    this.#callsE4.fill(-1);
    this.#putsE4.fill(-1);
    return this.#receipt;
  }

  /**
   * E4; NaN while the receipt is not ok.
   *
   * @param row of the strike in the chain's list
   */
  valueE4(right: Right, row: number): number {
    if (!this.receipt.ok) return Number.NaN;
    const known = right === 'C' ? this.#callsE4 : this.#putsE4;
    let value = known[row]!;
    // Negative: not asked for since this fit was made.
    if (value < 0) {
      value = this.#fit.valueE4(right, this.#chain.listed.strikesE4[row]!);
      known[row] = value;
    }
    return value;
  }

  /** Volatility a year at the forward, 0.2 is twenty per cent; NaN while the receipt is not ok. */
  get atmVol(): number {
    const { ok, atmVol } = this.receipt;
    return ok ? atmVol : Number.NaN;
  }

  /** Annualised, 0.2 is twenty per cent; NaN while the receipt is not ok. */
  vol(strikeE4: number): number {
    return this.receipt.ok ? this.#fit.vol(strikeE4) : Number.NaN;
  }

  #input(t: number): FairInput {
    const { listed, underlying, settlesAt } = this.#chain;
    const n = listed.strikesE4.length;
    this.#made ??= { strikes: Float64Array.from(listed.strikesE4), calls: side(n), puts: side(n) };
    const { strikes, calls, puts } = this.#made;
    this.#gather(listed.calls, calls);
    this.#gather(listed.puts, puts);
    return {
      strikesE4: strikes,
      callBid: calls.bid,
      callAsk: calls.ask,
      callT: calls.t,
      putBid: puts.bid,
      putAsk: puts.ask,
      putT: puts.t,
      spotE4: spotOf(underlying, this.#market),
      t,
      settlesAt,
    };
  }

  #gather(slots: readonly number[], to: Side): void {
    const m = this.#market;
    const { t } = this.#columns;
    for (let i = 0; i < slots.length; i++) {
      const s = slots[i]!;
      const good = s >= 0 && m.good(s) && m.halted[s] === 0;
      to.bid[i] = good ? m.bid(s) : Number.NaN;
      to.ask[i] = good ? m.ask(s) : Number.NaN;
      to.t[i] = good ? t[m.quoteEvent[s]!]! : Number.NaN;
    }
  }
}

function side(n: number): Side {
  return { bid: new Float64Array(n), ask: new Float64Array(n), t: new Float64Array(n) };
}
