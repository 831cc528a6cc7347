/** Orders, and the side of the book where ours stand: best price first, then first arrived. */
import type { Holding } from './holding.ts';
import type { CompiledPrice, PriceSource } from './price.ts';

export type OrderState = 'in-flight' | 'resting' | 'filled' | 'pulled' | 'refused' | 'dead';
export type OrderRole = 'entry' | 'sell' | 'tp' | 'exit' | 'market';
export type Cause = 'arrival' | 'quote-through' | 'print-through' | 'print-at' | 'market' | 'bar-open' | 'bar-through';

/** Queue of a resting order under maker-v1 that has no place yet. */
export const NO_PLACE = -1;

/** What the matching tells an order's plan. */
export interface OrderOwner {
  readonly name: string;
  /** Bars alone: whether an EXIT of the plan reads TRUE on the bar that ends now, or its ttl falls inside it. */
  lossFirst(barEnd: number): boolean;
}

export interface Order {
  readonly id: number;
  readonly owner: OrderOwner;
  readonly clause: string;
  readonly role: OrderRole;
  readonly side: 'buy' | 'sell';
  /** The position it adds to, or takes from. */
  readonly holding: Holding;
  /** Number of its book: the slot of shares or a contract, past all slots for a vertical. */
  readonly slot: number;
  readonly createdAt: number;
  readonly price: { readonly compiled: CompiledPrice; readonly source: PriceSource } | undefined;
  /** Which expression of the price is in force: `esc` moves on. */
  step: number;
  /** `esc` has moved on, and its price is not in force yet. */
  unpriced: boolean;
  qty: number;
  filled: number;
  /** E4; 0 for a market order. */
  limitE4: number;
  arrivedAt: number | null;
  /** When it reached the book as it is now: a bar that began before then is none of its own. */
  standsFrom: number;
  state: OrderState;
  /** Rank among equals on the book. */
  arrival: number;
  /** Has not met a good quote since it arrived. */
  waiting: boolean;
  queue: number;
  /** A replacement on its way. */
  next: { readonly limitE4: number; readonly qty: number } | undefined;
  /** What the order holds of the budgets, E4. */
  reservedE4: number;
  /** Moves with every replacement sent, so that a stale timer is known. */
  stamp: number;
}

export function left(order: Order): number {
  return order.qty - order.filled;
}

export function alive(order: Order): boolean {
  return order.state === 'in-flight' || order.state === 'resting';
}

/** One symbol's resting orders. */
export class OwnBook {
  readonly slot: number;
  readonly buys: Order[] = [];
  readonly sells: Order[] = [];
  readonly markets: Order[] = [];
  /** Orders that have not met a good quote, and (maker) those without a place in the queue. */
  unsettled = 0;

  constructor(slot: number) {
    this.slot = slot;
  }
  get bestBuy(): number {
    return this.buys.length > 0 ? this.buys[0]!.limitE4 : Number.NEGATIVE_INFINITY;
  }
  get bestSell(): number {
    return this.sells.length > 0 ? this.sells[0]!.limitE4 : Number.POSITIVE_INFINITY;
  }

  add(order: Order): void {
    const list = this.#list(order);
    list.splice(place(list, order), 0, order);
  }

  remove(order: Order): void {
    const list = this.#list(order);
    const at = place(list, order);
    if (list[at] === order) list.splice(at, 1);
  }

  #list(order: Order): Order[] {
    return order.role === 'market' ? this.markets : order.side === 'buy' ? this.buys : this.sells;
  }
}

/** First index whose order does not rank before `order`. */
function place(list: readonly Order[], order: Order): number {
  let lo = 0;
  let hi = list.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (before(list[mid]!, order)) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

function before(a: Order, b: Order): boolean {
  if (a.role !== 'market' && a.limitE4 !== b.limitE4) {
    return a.side === 'buy' ? a.limitE4 > b.limitE4 : a.limitE4 < b.limitE4;
  }
  return a.arrival < b.arrival;
}
