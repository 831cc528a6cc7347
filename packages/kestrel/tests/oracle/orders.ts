/** Orders, and how they meet quotes, prints and bars. */
import type { Price } from '../../src/lang/model.ts';
import type { Book, Instrument } from './instrument.ts';
import type { Event } from './market.ts';

export interface Order {
  readonly id: number;
  readonly plan: string;
  /** `sale`: a ticket that gives back what the plan owns. */
  readonly role: 'entry' | 'sale' | 'tp' | 'exit' | 'market';
  readonly clause: string;
  readonly side: 'buy' | 'sell';
  readonly instrument: Instrument;
  /** What was asked for, and what of it is not filled. */
  qty: number;
  left: number;
  /** null for a market exit. */
  limitE4: number | null;
  readonly price: Price | null;
  readonly createdAt: number;
  arrivedAt: number | null;
  /** Since when it stands at its present price: a bar that began before is not for it. */
  standsFrom: number;
  state: 'in-flight' | 'resting' | 'filled' | 'pulled' | 'dead';
  /** Place in time among those that rest. */
  rank: number;
  /** Found no good quote when it arrived: it meets the next one as if it arrived then. */
  meets: boolean;
  /** Size ahead of it at its price; null while it has no place (`maker-v1`). */
  ahead: number | null;
  escaped: boolean;
  /** The price has to be looked at again once nothing is in flight. */
  lookAgain: boolean;
  /** Looked at and found without a price: tried again only at what may give it one. */
  stuck: boolean;
  pending: { limitE4: number; left: number; keepsPlace: boolean } | null;
}

export type Cause = 'arrival' | 'quote-through' | 'print-through' | 'print-at' | 'market' | 'bar-open' | 'bar-through';

export interface Execution {
  readonly qty: number;
  readonly priceE4: number;
  readonly cause: Cause;
  readonly event: number;
  readonly sizeSeen: number;
  readonly queueAhead?: number;
}

export type Fill = 'strict-cross-v1' | 'maker-v1';
export const latencyUs = (fill: Fill): number => (fill === 'maker-v1' ? 5_000 : 50_000);

/** Market exits first, then the best price, then the first arrived. */
export function ranked(orders: readonly Order[], side: 'buy' | 'sell'): Order[] {
  return orders
    .filter((order) => order.side === side && order.state === 'resting' && order.left > 0)
    .sort((one, two) => {
      if ((one.limitE4 === null) !== (two.limitE4 === null)) return one.limitE4 === null ? -1 : 1;
      const better = side === 'buy' ? two.limitE4! - one.limitE4! : one.limitE4! - two.limitE4!;
      return better || one.rank - two.rank;
    });
}

/** Takes the touch as far as size shown and limit allow; without a good quote it waits for one. */
export function meetQuote(order: Order, on: Book, fill: Fill): Execution | undefined {
  const quote = on.halted ? undefined : on.quote;
  if (quote === undefined) {
    order.meets = true;
    order.ahead = null;
    return undefined;
  }
  const buy = order.side === 'buy';
  order.meets = false;
  const touch = buy ? quote.bidE4 : quote.askE4;
  if (fill === 'maker-v1' && order.limitE4 !== null) {
    const behind = buy ? order.limitE4 < touch : order.limitE4 > touch;
    const shown = buy ? quote.bidSize : quote.askSize;
    order.ahead = behind ? null : order.limitE4 === touch ? shown : 0;
  }
  const price = buy ? quote.askE4 : quote.bidE4;
  const reaches = order.limitE4 === null || (buy ? order.limitE4 >= price : order.limitE4 <= price);
  if (!reaches) return undefined;
  const { kind, leastE4, mostE4 } = order.instrument;
  // Two quotes that do not fit together are no price to close at: no vertical is worth more than its width.
  if (order.limitE4 === null && kind === 'vertical' && (price < leastE4 || price > mostE4)) return undefined;
  return takeShown(order, on, { priceE4: price, cause: order.limitE4 === null ? 'market' : 'arrival' });
}

/** A resting order at a new good quote. */
export function restAtQuote(order: Order, on: Book, fill: Fill): Execution | undefined {
  const quote = on.quote!;
  if (order.limitE4 === null || order.meets) return meetQuote(order, on, fill);
  const buy = order.side === 'buy';
  const through = buy ? quote.askE4 < order.limitE4 : quote.bidE4 > order.limitE4;
  if (fill === 'maker-v1') {
    if (through) order.ahead = 0;
    const touch = buy ? quote.bidE4 : quote.askE4;
    if (order.ahead === null && touch === order.limitE4) order.ahead = buy ? quote.bidSize : quote.askSize;
  }
  return through ? takeShown(order, on, { priceE4: order.limitE4, cause: 'quote-through' }) : undefined;
}

function takeShown(
  order: Order,
  on: Book,
  at: { readonly priceE4: number; readonly cause: Cause },
): Execution | undefined {
  const shown = order.side === 'buy' ? on.askLeft : on.bidLeft;
  const qty = Math.min(order.left, shown);
  if (qty === 0) return undefined;
  on.take(order.side, qty);
  return { qty, ...at, event: on.quote!.index, sizeSeen: shown };
}

/** A resting limit at a print, of which own orders before it took `taken`. */
export function restAtPrint(order: Order, print: Event, taken: number, fill: Fill): Execution | undefined {
  if (order.limitE4 === null) return undefined;
  const [price, size] = [print.p!, print.z! - taken];
  const through = order.side === 'buy' ? price < order.limitE4 : price > order.limitE4;
  if (through) {
    order.ahead = 0;
    const qty = Math.min(order.left, size);
    if (qty <= 0) return undefined;
    return { qty, priceE4: order.limitE4, cause: 'print-through', event: print.index, sizeSeen: size };
  }
  if (fill !== 'maker-v1' || price !== order.limitE4 || order.ahead === null) return undefined;
  const queueAhead = order.ahead;
  const ran = Math.min(order.ahead, size);
  order.ahead -= ran;
  const qty = Math.min(order.left, size - ran);
  if (qty <= 0) return undefined;
  return { qty, priceE4: order.limitE4, cause: 'print-at', event: print.index, sizeSeen: size, queueAhead };
}

/** A resting order at a bar that fills, of which own orders before it took `taken`. */
export function restAtBar(order: Order, bar: Event, taken: number, tickE4: number): Execution | undefined {
  const begins = bar.t - bar.d!;
  if (order.standsFrom > begins) return undefined;
  const size = bar.z! - taken;
  const qty = Math.min(order.left, size);
  if (qty <= 0) return undefined;
  const at = { qty, event: bar.index, sizeSeen: size };
  if (order.limitE4 === null) {
    const priceE4 = order.side === 'buy' ? bar.o! + tickE4 : bar.o! - tickE4;
    return priceE4 <= 0 ? undefined : { ...at, priceE4, cause: 'market' };
  }
  const buy = order.side === 'buy';
  if (buy ? bar.o! < order.limitE4 : bar.o! > order.limitE4) return { ...at, priceE4: bar.o!, cause: 'bar-open' };
  if (buy ? bar.l! < order.limitE4 : bar.h! > order.limitE4) {
    return { ...at, priceE4: order.limitE4, cause: 'bar-through' };
  }
  return undefined;
}
