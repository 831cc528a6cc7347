/** Vertical orders: one price for two legs, filled from quotes alone, both legs at once. */
import { askOf, bidOf, boundsE4, isGood, type Vertical } from './instrument.ts';
import { Attention, type MarketState } from './market-state.ts';
import type { Execution, FillModel } from './matching.ts';
import { alive, type Cause, left, type Order, OwnBook } from './orders.ts';

interface VerticalBook {
  readonly of: Vertical;
  readonly least: number;
  readonly most: number;
  readonly orders: OwnBook;
}

export class Verticals {
  readonly #market: MarketState;
  readonly #model: FillModel;
  readonly #fill: (execution: Execution) => void;
  readonly #books = new Map<number, VerticalBook>();
  /** Books by leg, in the order they were first traded. */
  readonly #byLeg = new Map<number, VerticalBook[]>();
  #arrivals = 0;
  /** Some order has filled whole since the books were last cleared of such. */
  #filled = false;

  constructor(market: MarketState, model: FillModel, fill: (execution: Execution) => void) {
    this.#market = market;
    this.#model = model;
    this.#fill = fill;
  }

  arrive(order: Order, t: number): void {
    order.state = 'resting';
    order.arrivedAt ??= t;
    order.standsFrom = t;
    order.arrival = this.#arrivals++;
    order.waiting = true;
    const book = this.#bookOf(order.holding.instrument as Vertical);
    if (isGood(book.of, this.#market)) this.#meet(book, order);
    if (order.state !== 'resting') return;
    book.orders.add(order);
    const { attention } = this.#market;
    for (const leg of book.of.slots) attention[leg] = attention[leg]! | Attention.legs;
  }

  lift(order: Order): void {
    this.#bookOf(order.holding.instrument as Vertical).orders.remove(order);
  }

  /** A leg has a new good quote. */
  quote(leg: number): void {
    let standing = 0;
    for (const book of this.#byLeg.get(leg) ?? []) {
      const { orders } = book;
      const count = orders.markets.length + orders.buys.length + orders.sells.length;
      standing += count;
      if (count === 0) continue;
      if (!isGood(book.of, this.#market)) continue;
      for (const order of orders.markets) this.#meet(book, order);
      const ask = askOf(book.of, this.#market);
      for (const order of orders.buys) this.#standing(book, order, order.limitE4 - ask);
      const bid = bidOf(book.of, this.#market);
      for (const order of orders.sells) this.#standing(book, order, bid - order.limitE4);
      if (!this.#filled) continue;
      this.#filled = false;
      compact(orders.markets);
      compact(orders.buys);
      compact(orders.sells);
    }
    if (standing > 0) return;
    const { attention } = this.#market;
    attention[leg] = attention[leg]! & ~Attention.legs;
  }

  #bookOf(of: Vertical): VerticalBook {
    let book = this.#books.get(of.id);
    if (book !== undefined) return book;
    book = { of, ...boundsE4(of), orders: new OwnBook(of.id) };
    this.#books.set(of.id, book);
    for (const leg of of.slots) {
      const books = this.#byLeg.get(leg) ?? [];
      books.push(book);
      this.#byLeg.set(leg, books);
    }
    return book;
  }

  #meet(book: VerticalBook, order: Order): void {
    order.waiting = false;
    const m = this.#market;
    const buys = order.side === 'buy';
    const touch = buys ? askOf(book.of, m) : bidOf(book.of, m);
    if (order.role === 'market') {
      // Beyond what it can be worth a touch is no way out: the position is worth more kept.
      if (touch >= book.least && touch <= book.most) this.#take(book, order, touch, 'market');
    } else if (buys ? order.limitE4 >= touch : order.limitE4 <= touch) this.#take(book, order, touch, 'arrival');
  }

  /** @param beyond by how much the limit betters what stands against it, E4 */
  #standing(book: VerticalBook, order: Order, beyond: number): void {
    if (order.waiting) this.#meet(book, order);
    else if (beyond > 0 || (beyond === 0 && this.#model.touch)) this.#take(book, order, order.limitE4, 'quote-through');
  }

  #take(book: VerticalBook, order: Order, priceE4: number, cause: Cause): void {
    const m = this.#market;
    const [a, b] = book.of.slots as readonly [number, number];
    const buys = order.side === 'buy';
    const from = buys ? ('ask' as const) : ('bid' as const);
    const against = buys ? ('bid' as const) : ('ask' as const);
    const shownA = buys ? m.askSize(a) : m.bidSize(a);
    const shownB = buys ? m.bidSize(b) : m.askSize(b);
    const qty = Math.min(left(order), shownA - m.taken(a, from), shownB - m.taken(b, against));
    if (qty <= 0) return;
    m.take(a, from, qty);
    m.take(b, against, qty);
    order.filled += qty;
    if (left(order) === 0 && (order.next === undefined || order.next.qty <= order.filled)) {
      order.state = 'filled';
      this.#filled = true;
    }
    const shortE4 = buys ? m.bid(b) : m.ask(b);
    this.#fill({
      order,
      qty,
      priceE4,
      cause,
      event: Math.max(m.quoteEvent[a]!, m.quoteEvent[b]!),
      sizeSeen: Math.min(shownA, shownB),
      // The difference between the order's price and the touch is the bought leg's.
      legs: [priceE4 + shortE4, shortE4],
      ...(this.#model.queue ? { queueAhead: 0 } : {}),
    });
  }
}

function compact(list: Order[]): void {
  let n = 0;
  for (const order of list) if (alive(order)) list[n++] = order;
  list.length = n;
}
