/** The fill models, `strict-cross-v1` and `maker-v1`: what an order gets from a quote, a print, a bar. */
import { mostToClose } from './instrument.ts';
import type { MarketState } from './market-state.ts';
import { alive, type Cause, left, NO_PLACE, type Order, OwnBook } from './orders.ts';

export interface FillModel {
  readonly name: 'strict-cross-v1' | 'maker-v1' | 'touch-v1';
  readonly latencyUs: number;
  /** Whether prints at the limit fill once the queue has printed. */
  readonly queue: boolean;
  /** Whether a touch fills: the most that may be hoped for, told beside the others and never alone. */
  readonly touch: boolean;
}

/** The models that a run may name. */
export const FILL_MODELS: Readonly<Record<Exclude<FillModel['name'], 'touch-v1'>, FillModel>> = {
  'strict-cross-v1': { name: 'strict-cross-v1', latencyUs: 50_000, queue: false, touch: false },
  'maker-v1': { name: 'maker-v1', latencyUs: 5_000, queue: true, touch: false },
};

/** What may be hoped for: a touch fills. It stands beside other books in a bracket, and no run names it. */
export const TOUCH: FillModel = { name: 'touch-v1', latencyUs: 5_000, queue: false, touch: true };

export interface Execution {
  readonly order: Order;
  readonly qty: number;
  readonly priceE4: number;
  readonly cause: Cause;
  /** Row of the tape. */
  readonly event: number;
  readonly sizeSeen: number;
  readonly queueAhead?: number;
  /** Verticals: prices of the long leg and the short one, E4. */
  readonly legs?: readonly [number, number];
}

export class Matching {
  readonly books: readonly OwnBook[];
  readonly #market: MarketState;
  readonly #model: FillModel;
  readonly #fill: (execution: Execution) => void;
  #arrivals = 0;

  constructor(market: MarketState, model: FillModel, fill: (execution: Execution) => void) {
    this.#market = market;
    this.#model = model;
    this.#fill = fill;
    this.books = market.symbols.map((_, s) => new OwnBook(s));
  }

  /** The order reaches the book, and meets what stands there. */
  arrive(order: Order, t: number): void {
    order.state = 'resting';
    order.arrivedAt ??= t;
    order.standsFrom = t;
    order.arrival = this.#arrivals++;
    order.waiting = true;
    order.queue = NO_PLACE;
    const s = order.slot;
    const m = this.#market;
    if (m.good(s) && m.halted[s] === 0) this.#meet(order, m.quoteEvent[s]!);
    if (order.state === 'resting') {
      const book = this.books[s]!;
      book.add(order);
      this.#count(book);
    }
  }

  /** Takes the order off the book. */
  lift(order: Order): void {
    const book = this.books[order.slot]!;
    book.remove(order);
    this.#count(book);
  }

  /** A quote has replaced the standing one. Only when it is good. */
  quote(s: number, event: number): void {
    const m = this.#market;
    const book = this.books[s]!;
    const ask = m.ask(s);
    const bid = m.bid(s);
    const all = book.unsettled > 0;
    const { touch } = this.#model;
    for (let i = 0; i < book.markets.length; i++) this.#meet(book.markets[i]!, event);
    for (let i = 0; i < book.buys.length; i++) {
      const order = book.buys[i]!;
      const meets = order.limitE4 > ask || (touch && order.limitE4 === ask);
      if (!all && !meets) break;
      this.#standing(order, event, meets, order.limitE4 === bid ? m.bidSize(s) : NO_PLACE);
    }
    for (let i = 0; i < book.sells.length; i++) {
      const order = book.sells[i]!;
      const meets = order.limitE4 < bid || (touch && order.limitE4 === bid);
      if (!all && !meets) break;
      this.#standing(order, event, meets, order.limitE4 === ask ? m.askSize(s) : NO_PLACE);
    }
    this.#sweep(book);
  }

  /** A session print. Buys and sells each have the whole of it. */
  print(s: number, event: number, price: number, size: number): void {
    const book = this.books[s]!;
    this.#share(book.buys, event, price, size);
    this.#share(book.sells, event, price, size);
    this.#sweep(book);
  }

  /** Bars alone: a bar that ended, from `start` on. Each side shares its volume. */
  bar(
    s: number,
    event: number,
    bar: {
      readonly start: number;
      readonly end: number;
      readonly o: number;
      readonly h: number;
      readonly l: number;
      readonly z: number;
    },
  ): void {
    // As with quotes, a price that is not positive is no price.
    if (!(bar.o > 0 && bar.l > 0)) return;
    const book = this.books[s]!;
    const tick = this.#market.tickE4[s]!;
    let toSell = bar.z;
    for (const order of book.markets) {
      if (order.standsFrom > bar.start) continue;
      toSell -= this.#take(order, toSell, Math.max(tick, bar.o - tick), 'market', event, bar.z);
    }
    let toBuy = bar.z;
    for (const order of book.buys) {
      if (order.standsFrom > bar.start) continue;
      if (bar.o < order.limitE4) toBuy -= this.#take(order, toBuy, bar.o, 'bar-open', event, bar.z);
      else if (bar.l < order.limitE4) toBuy -= this.#take(order, toBuy, order.limitE4, 'bar-through', event, bar.z);
    }
    for (const order of book.sells) {
      if (order.standsFrom > bar.start || (order.role === 'tp' && order.owner.lossFirst(bar.end))) continue;
      if (bar.o > order.limitE4) toSell -= this.#take(order, toSell, bar.o, 'bar-open', event, bar.z);
      else if (bar.h > order.limitE4) toSell -= this.#take(order, toSell, order.limitE4, 'bar-through', event, bar.z);
    }
    this.#sweep(book);
  }

  /** An order that arrives, or waited for a good quote: it takes the touch, and what is left rests. */
  #meet(order: Order, event: number): void {
    const m = this.#market;
    const s = order.slot;
    order.waiting = false;
    const buys = order.side === 'buy';
    const touch = buys ? m.ask(s) : m.bid(s);
    const market = order.role === 'market';
    // A call is worth no more than what it is on: dearer, it is no way out.
    if (market && buys && !(touch <= mostToClose(order.holding.instrument, m))) return;
    if (market || (buys ? order.limitE4 >= touch : order.limitE4 <= touch)) {
      this.#takeQuote(order, touch, market ? 'market' : 'arrival', event);
    }
    if (market || !this.#model.queue || order.state !== 'resting') return;
    const own = buys ? m.bid(s) : m.ask(s);
    const betters = buys ? order.limitE4 > own : order.limitE4 < own;
    if (betters) order.queue = 0;
    else if (order.limitE4 === own) order.queue = buys ? m.bidSize(s) : m.askSize(s);
    else order.queue = NO_PLACE;
  }

  #standing(order: Order, event: number, through: boolean, touchSize: number): void {
    if (order.waiting) {
      this.#meet(order, event);
      return;
    }
    if (through) {
      order.queue = 0;
      this.#takeQuote(order, order.limitE4, 'quote-through', event);
    } else if (order.queue === NO_PLACE && touchSize !== NO_PLACE) {
      order.queue = touchSize;
    }
  }

  /** Shown size not yet taken, on the side the order trades against. */
  #takeQuote(order: Order, price: number, cause: Cause, event: number): void {
    const m = this.#market;
    const s = order.slot;
    const buys = order.side === 'buy';
    const shown = buys ? m.askSize(s) : m.bidSize(s);
    const from = buys ? 'ask' : 'bid';
    m.take(s, from, this.#take(order, shown - m.taken(s, from), price, cause, event, shown));
  }

  #share(list: readonly Order[], event: number, price: number, size: number): void {
    let taken = 0;
    for (let i = 0; i < list.length; i++) {
      const order = list[i]!;
      const through = order.side === 'buy' ? order.limitE4 > price : order.limitE4 < price;
      if (through || (this.#model.touch && order.limitE4 === price)) {
        order.queue = 0;
        taken += this.#take(order, size - taken, order.limitE4, 'print-through', event, size);
        continue;
      }
      if (order.limitE4 !== price || !this.#model.queue) break;
      if (order.queue === NO_PLACE) continue;
      const ahead = order.queue;
      const here = size - taken;
      order.queue = Math.max(0, ahead - here);
      if (here > ahead) taken += this.#take(order, here - ahead, order.limitE4, 'print-at', event, size, ahead);
    }
  }

  #take(
    order: Order,
    available: number,
    priceE4: number,
    cause: Cause,
    event: number,
    sizeSeen: number,
    queueAhead?: number,
  ): number {
    const qty = Math.min(left(order), available);
    if (qty <= 0) return 0;
    order.filled += qty;
    // An order that a replacement on its way will make larger lives on.
    if (left(order) === 0 && (order.next === undefined || order.next.qty <= order.filled)) order.state = 'filled';
    const ahead = queueAhead ?? (this.#model.queue && order.holding.instrument.kind === 'option' ? 0 : undefined);
    this.#fill({ order, qty, priceE4, cause, event, sizeSeen, ...(ahead === undefined ? {} : { queueAhead: ahead }) });
    return qty;
  }

  /** Takes off what filled. */
  #sweep(book: OwnBook): void {
    compact(book.markets);
    compact(book.buys);
    compact(book.sells);
    this.#count(book);
  }

  /** From which prices on the book matters, for the hot loop. */
  #reach(book: OwnBook): void {
    const m = this.#market;
    const s = book.slot;
    // Prices are integers: at the limit or better is better than the next one.
    const { queue, touch } = this.#model;
    const print = queue || touch ? 1 : 0;
    m.printBuy[s] = book.bestBuy + print;
    m.printSell[s] = book.bestSell - print;
    const every = book.unsettled > 0;
    m.quoteBuy[s] = every ? Number.POSITIVE_INFINITY : book.bestBuy + (touch ? 1 : 0);
    m.quoteSell[s] = book.bestSell - (touch ? 1 : 0);
  }

  #count(book: OwnBook): void {
    let n = book.markets.length;
    const queue = this.#model.queue;
    for (const order of book.buys) if (order.waiting || (queue && order.queue === NO_PLACE)) n++;
    for (const order of book.sells) if (order.waiting || (queue && order.queue === NO_PLACE)) n++;
    book.unsettled = n;
    this.#reach(book);
  }
}

function compact(list: Order[]): void {
  let n = 0;
  for (let i = 0; i < list.length; i++) {
    const order = list[i]!;
    if (alive(order)) list[n++] = order;
  }
  list.length = n;
}
