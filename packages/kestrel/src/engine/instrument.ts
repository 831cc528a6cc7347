/** What an order trades: shares, one contract, or a vertical of two; its book, its ticks, what bounds it. */
import { gridTickE4, type OptionGrid, onGrid } from '../market/option-ticks.ts';
import type { FeeInstrument } from './fees.ts';
import type { MarketState } from './market-state.ts';
import { onTick, PRICE_MAX_E4 } from './money.ts';

/** The contract of one slot, and the grid its prices stand on. */
export interface Contract {
  readonly slot: number;
  /** Row of its strike in the chain's list. */
  readonly row: number;
  readonly right: 'C' | 'P';
  readonly strikeE4: number;
  readonly multiplier: number;
  readonly chain: ChainPlace;
}

/** What the contracts of one root and expiry share. */
export interface ChainPlace {
  readonly root: string;
  /** As listed, `YYYY-MM-DD`. */
  readonly expiry: string;
  /** The last session on or before it: when it is settled. */
  readonly lastDate: string;
  readonly settles: 'close' | 'open';
  readonly style: 'american' | 'european';
  /** Slot of the underlying; -1 where the tape has none. */
  readonly underlying: number;
  /** Slots of every contract of it. */
  readonly slots: readonly number[];
  /** Why the model has no value, or `ok`. */
  readonly fairWhy: string;
  /** The model's value of a contract now, E4; NaN while its receipt is not ok. */
  fair(right: 'C' | 'P', row: number): number;
}

/** Value of something at a price of its underlying, E4 a unit. */
export function intrinsicE4(contract: Pick<Contract, 'right' | 'strikeE4'>, spotE4: number): number {
  return Math.max(0, contract.right === 'C' ? spotE4 - contract.strikeE4 : contract.strikeE4 - spotE4);
}

interface Common {
  /** Its book's number: the slot of shares or a contract, past all slots for a vertical. */
  readonly id: number;
  readonly name: string;
  /** Units of the underlying that one of it stands for. */
  readonly multiplier: number;
  /** Slots whose quotes make its book: one, or the bought leg of a buy and the sold one. */
  readonly slots: readonly number[];
  /** Slot whose spot is read for `intrinsic`, strikes and `fair`; -1 where the tape has none. */
  readonly underlying: number;
}

export interface Shares extends Common {
  readonly kind: 'shares';
  readonly tickE4: number;
  readonly fee: FeeInstrument;
}

export interface Option extends Common {
  readonly kind: 'option';
  readonly contract: Contract;
  readonly grid: OptionGrid;
  readonly fee: FeeInstrument;
}

export interface Vertical extends Common {
  readonly kind: 'vertical';
  readonly long: Contract;
  readonly short: Contract;
  readonly grid: OptionGrid;
  readonly fees: { readonly long: FeeInstrument; readonly short: FeeInstrument };
}

export type Instrument = Shares | Option | Vertical;

/** Most and least that one unit can be worth at its end, E4; shares and calls have no most. */
export function boundsE4(x: Instrument): { readonly least: number; readonly most: number } {
  if (x.kind !== 'vertical') return { least: 0, most: Number.POSITIVE_INFINITY };
  const width = x.long.strikeE4 - x.short.strikeE4;
  const signed = x.long.right === 'P' ? width : -width;
  return { least: Math.min(0, signed), most: Math.max(0, signed) };
}

/** The chain it is of. */
export function placeOf(x: Option | Vertical): ChainPlace {
  return (x.kind === 'option' ? x.contract : x.long).chain;
}

/** The tick at a price. */
export function tickAt(x: Instrument, priceE4: number): number {
  return x.kind === 'shares' ? x.tickE4 : gridTickE4(x.grid, priceE4);
}

/** The tick price of a computed one: buys down, sells up; NaN below one tick or beyond exact prices. */
export function onTickOf(x: Instrument, valueE4: number, side: 'buy' | 'sell'): number {
  if (x.kind === 'shares') return onTick(valueE4, x.tickE4, side);
  const price = onGrid(x.grid, valueE4, side);
  return price <= PRICE_MAX_E4 ? price : Number.NaN;
}

/** Value of one unit at a price of the underlying, E4. Of shares, the price itself. */
export function valueAt(x: Instrument, spotE4: number): number {
  switch (x.kind) {
    case 'shares':
      return spotE4;
    case 'option':
      return intrinsicE4(x.contract, spotE4);
    case 'vertical':
      return intrinsicE4(x.long, spotE4) - intrinsicE4(x.short, spotE4);
  }
}

/** Most that a purchase which closes may pay for one unit now: what it can be worth; NaN while that is UNKNOWN. */
export function mostToClose(x: Instrument, m: MarketState): number {
  return x.kind === 'option' ? spotOf(x.underlying, m) : boundsE4(x).most;
}

/** Whether each leg has a quote that prices and fills, and trades. */
export function isGood(x: Instrument, m: MarketState): boolean {
  const first = x.slots[0]!;
  if (!m.good(first) || m.halted[first] === 1) return false;
  if (x.kind !== 'vertical') return true;
  const second = x.slots[1]!;
  return m.good(second) && m.halted[second] === 0;
}

/** Of a good instrument. May be negative for a vertical with wide legs. */
export function bidOf(x: Instrument, m: MarketState): number {
  return x.kind === 'vertical' ? m.bid(x.slots[0]!) - m.ask(x.slots[1]!) : m.bid(x.slots[0]!);
}

/** Of a good instrument. */
export function askOf(x: Instrument, m: MarketState): number {
  return x.kind === 'vertical' ? m.ask(x.slots[0]!) - m.bid(x.slots[1]!) : m.ask(x.slots[0]!);
}

/** Floor of the mean of a good bid and ask. */
export function midOf(x: Instrument, m: MarketState): number {
  return Math.floor((bidOf(x, m) + askOf(x, m)) / 2);
}

/** Spot of what is settled against; NaN while it is UNKNOWN. */
export function spotOf(underlying: number, m: MarketState): number {
  if (underlying < 0 || m.seen[underlying] === 0 || m.halted[underlying] === 1) return Number.NaN;
  return m.spot[underlying]!;
}

/** `intrinsic` now; NaN while the underlying's spot is UNKNOWN. Of shares there is none. */
export function intrinsicNow(x: Instrument, m: MarketState): number {
  if (x.kind === 'shares') return Number.NaN;
  const spot = spotOf(x.underlying, m);
  return Number.isNaN(spot) ? spot : valueAt(x, spot);
}

/** `fair` now: of shares the mid weighted by the opposite sizes, of options the model's; NaN is UNKNOWN. */
export function fairNow(x: Instrument, m: MarketState): number {
  switch (x.kind) {
    case 'shares': {
      const s = x.slots[0]!;
      if (!isGood(x, m)) return Number.NaN;
      return (m.bid(s) * m.askSize(s) + m.ask(s) * m.bidSize(s)) / (m.bidSize(s) + m.askSize(s));
    }
    case 'option':
      return fairOf(x.contract, m);
    case 'vertical':
      return fairOf(x.long, m) - fairOf(x.short, m);
  }
}

/** What the receipt of an option's `fair` says now; undefined of shares. */
export function fairWhy(x: Instrument): string | undefined {
  if (x.kind === 'shares') return undefined;
  return placeOf(x).fairWhy;
}

function fairOf(c: Contract, m: MarketState): number {
  return m.halted[c.slot] === 1 ? Number.NaN : c.chain.fair(c.right, c.row);
}

/** Mid of the last good quotes of its contracts, floor; NaN before each has had one. Of shares, the spot. */
export function markNow(x: Instrument, m: MarketState): number {
  const first = x.slots[0]!;
  if (x.kind === 'shares') return spotOf(first, m);
  const a = m.goodQuote[first]!;
  if (a < 0) return Number.NaN;
  if (x.kind === 'option') return Math.floor((m.bidAt(a) + m.askAt(a)) / 2);
  const b = m.goodQuote[x.slots[1]!]!;
  if (b < 0) return Number.NaN;
  return Math.floor((m.bidAt(a) - m.askAt(b) + m.askAt(a) - m.bidAt(b)) / 2);
}
