/**
 * What the market shows now, one slot a symbol: which row is the standing quote, the last print, the session's sums.
 * The book itself is read from the tape's own row, so that the hot loop writes next to nothing.
 */
import { type Columns, Kind, type Tape, type TapeInstrument } from '../market/columns.ts';

/** Reasons for which an event of a symbol needs more than its row noted. Bits of `attention`. */
export const Attention = {
  /** No session event of the symbol yet, or halted: the rare path decides. */
  special: 1,
  /** No session print yet: quotes set spot. */
  quotesSetSpot: 2,
  /** Some trigger waits to be read at the next event of this symbol. */
  pending: 4,
  /** HOD or LOD take in the last observation at the next event. */
  carry: 8,
  /** A group of conditions watches the book. */
  watchBook: 16,
  /** A group watches volume or VWAP. */
  watchVolume: 32,
  /** Orders follow the book by peg, or wait to be priceable. */
  pegs: 64,
  /** Windows or bars see every print, not only changes of spot. */
  everyPrint: 128,
  /** A plan without WHEN waits for its first event. */
  firstEvent: 256,
  /** Windows or bars are kept for some series. */
  windows: 512,
  /** Some vertical has this contract for a leg. */
  legs: 1024,
  /** A plan owns it, or something beside it, and its worst and best are looked at. */
  held: 2048,
} as const;

/** Bits that send every event of the symbol down the rare path. */
export const RARE = Attention.special | Attention.quotesSetSpot;
/** Bits for which every quote, and every print, leaves the fast path. */
export const QUOTE_SLOW =
  Attention.pending | Attention.carry | Attention.pegs | Attention.firstEvent | Attention.legs | Attention.held;
export const PRINT_SLOW = QUOTE_SLOW | Attention.everyPrint;
export class MarketState {
  readonly symbols: readonly string[];
  readonly tickE4: Float64Array;
  /** Row of the standing quote; -1 when the book is empty. */
  readonly quoteEvent: Int32Array;
  /** Row of a contract's last good quote, kept while some plan owns it; -1 before one. */
  readonly goodQuote: Int32Array;
  /** Floor of the mid of the last good quote, kept until the first print; NaN before one. */
  readonly lastMid: Float64Array;
  readonly halted: Uint8Array;
  /** 1 from the first session event on: series are UNKNOWN before. */
  readonly seen: Uint8Array;
  readonly spot: Float64Array;
  /** Close of the last bar, as long as there are no prints; NaN before one. */
  readonly lastBar: Float64Array;
  readonly open: Float64Array;
  /** Extremes as the series show them: without the current event. */
  readonly hod: Float64Array;
  readonly lod: Float64Array;
  /** Extremes with it. */
  readonly high: Float64Array;
  readonly low: Float64Array;
  /** Kept from when some trigger reads them. */
  readonly volume: Float64Array;
  readonly notional: Float64Array;
  readonly attention: Int32Array;
  /** Whether the symbol has had a quote, a session print: bars set series and fill only as long as it has not. */
  readonly hasQuotes: Uint8Array;
  readonly hasTrades: Uint8Array;
  /** A print beyond these moves something: a level, an extreme, a group that looks at every change. */
  readonly spotLo: Float64Array;
  readonly spotHi: Float64Array;
  /** A print below, a print above which some resting order may fill. */
  readonly printBuy: Float64Array;
  readonly printSell: Float64Array;
  /** An ask below, a bid above which some resting order may fill; infinite when every quote matters. */
  readonly quoteBuy: Float64Array;
  readonly quoteSell: Float64Array;
  /** When some window of the symbol moves by the clock alone. */
  readonly windowNext: Float64Array;
  /** When an event of the symbol or contract may move a `fair` that some order follows. */
  readonly fairNext: Float64Array;
  /** Volume from which a level is reached; the open interval of spot less VWAP in which nothing changes. */
  readonly volumeTo: Float64Array;
  readonly vwapFrom: Float64Array;
  readonly vwapTo: Float64Array;
  /** Open intervals of the book in which nothing changes, while it stays good (or stays not). */
  readonly bookGood: Uint8Array;
  readonly bidFrom: Float64Array;
  readonly bidTo: Float64Array;
  readonly askFrom: Float64Array;
  readonly askTo: Float64Array;
  readonly midFrom: Float64Array;
  readonly midTo: Float64Array;
  readonly spreadFrom: Float64Array;
  readonly spreadTo: Float64Array;

  readonly #columns: Columns;
  /** Row of a contract's last halt, or its end; -1 before one. */
  readonly #halted: Int32Array;
  /** Own fills out of the shown size, and the quote they came from. */
  readonly #takenEvent: Int32Array;
  readonly #bidTaken: Float64Array;
  readonly #askTaken: Float64Array;

  constructor(tape: Tape) {
    const n = tape.instruments.length;
    this.#columns = tape.columns;
    this.symbols = tape.instruments.map(nameOf);
    this.tickE4 = Float64Array.from(tape.instruments, (x) => x.tickE4);
    const filled = (value: number) => new Float64Array(n).fill(value);
    const unknown = () => filled(Number.NaN);
    this.quoteEvent = new Int32Array(n).fill(-1);
    this.goodQuote = new Int32Array(n).fill(-1);
    this.#halted = new Int32Array(n).fill(-1);
    this.lastMid = unknown();
    this.halted = new Uint8Array(n);
    this.seen = new Uint8Array(n);
    this.spot = unknown();
    this.lastBar = unknown();
    this.open = unknown();
    this.hod = unknown();
    this.lod = unknown();
    this.high = unknown();
    this.low = unknown();
    this.volume = new Float64Array(n);
    this.notional = new Float64Array(n);
    this.attention = new Int32Array(n).fill(Attention.special | Attention.quotesSetSpot);
    this.hasQuotes = new Uint8Array(n);
    this.hasTrades = new Uint8Array(n);
    tape.instruments.forEach((x, s) => {
      // Contracts have no series of their own, so no first event that begins them.
      if (x.kind === 'option') this.attention[s] = 0;
    });
    this.spotLo = filled(Number.POSITIVE_INFINITY);
    this.spotHi = filled(Number.NEGATIVE_INFINITY);
    this.printBuy = filled(Number.NEGATIVE_INFINITY);
    this.printSell = filled(Number.POSITIVE_INFINITY);
    this.quoteBuy = filled(Number.NEGATIVE_INFINITY);
    this.quoteSell = filled(Number.POSITIVE_INFINITY);
    this.windowNext = filled(Number.POSITIVE_INFINITY);
    this.fairNext = filled(Number.POSITIVE_INFINITY);
    this.volumeTo = filled(Number.NEGATIVE_INFINITY);
    this.vwapFrom = filled(Number.POSITIVE_INFINITY);
    this.vwapTo = filled(Number.NEGATIVE_INFINITY);
    this.bookGood = new Uint8Array(n);
    this.bidFrom = filled(Number.POSITIVE_INFINITY);
    this.bidTo = filled(Number.NEGATIVE_INFINITY);
    this.askFrom = filled(Number.POSITIVE_INFINITY);
    this.askTo = filled(Number.NEGATIVE_INFINITY);
    this.midFrom = filled(Number.POSITIVE_INFINITY);
    this.midTo = filled(Number.NEGATIVE_INFINITY);
    this.spreadFrom = filled(Number.POSITIVE_INFINITY);
    this.spreadTo = filled(Number.NEGATIVE_INFINITY);
    this.#takenEvent = new Int32Array(n).fill(-1);
    this.#bidTaken = new Float64Array(n);
    this.#askTaken = new Float64Array(n);
  }

  /** Whether the standing quote can be priced and filled from: two sides, with sizes, neither crossed nor locked. */
  good(s: number): boolean {
    const q = this.quoteEvent[s]!;
    if (q < 0) return false;
    const { a, b, c, d } = this.#columns;
    const bid = a[q]!;
    return bid > 0 && c[q]! > bid && b[q]! > 0 && d[q]! > 0;
  }
  /** Whether a row is a quote that prices and fills. */
  goodRow(q: number): boolean {
    const { a, b, c, d } = this.#columns;
    return a[q]! > 0 && c[q]! > a[q]! && b[q]! > 0 && d[q]! > 0;
  }
  /** Finds the last good quote of a contract among the rows up to the standing one, none of a halt. */
  seekGood(s: number): void {
    const { kind, inst, flags } = this.#columns;
    const from = Math.max(this.goodQuote[s]!, this.#halted[s]!);
    for (let i = this.quoteEvent[s]!; i > from; i--) {
      if (inst[i] === s && kind[i] === Kind.oquote && flags[i] === 0 && this.goodRow(i)) {
        this.goodQuote[s] = i;
        return;
      }
    }
  }
  /** A contract's halt begins or ends at a row: its book is empty, and what it last showed is kept. */
  haltContract(s: number, { row, on }: { readonly row: number; readonly on: 0 | 1 }): void {
    this.seekGood(s);
    this.halted[s] = on;
    this.quoteEvent[s] = -1;
    this.#halted[s] = row;
    const att = this.attention[s]!;
    this.attention[s] = on === 1 ? att | Attention.special : att & ~Attention.special;
  }
  bid(s: number): number {
    return this.#columns.a[this.quoteEvent[s]!]!;
  }
  ask(s: number): number {
    return this.#columns.c[this.quoteEvent[s]!]!;
  }
  bidAt(row: number): number {
    return this.#columns.a[row]!;
  }
  askAt(row: number): number {
    return this.#columns.c[row]!;
  }
  bidSize(s: number): number {
    return this.#columns.b[this.quoteEvent[s]!]!;
  }
  askSize(s: number): number {
    return this.#columns.d[this.quoteEvent[s]!]!;
  }
  mid(s: number): number {
    return Math.floor((this.bid(s) + this.ask(s)) / 2);
  }
  /** The last session print (or the last bar's close); NaN before one. */
  last(s: number): number {
    return this.hasTrades[s] === 1 ? this.spot[s]! : this.lastBar[s]!;
  }

  /** Own fills so far out of a side of the standing quote. */
  taken(s: number, side: 'bid' | 'ask'): number {
    if (this.#takenEvent[s] !== this.quoteEvent[s]) return 0;
    return (side === 'bid' ? this.#bidTaken : this.#askTaken)[s]!;
  }
  take(s: number, side: 'bid' | 'ask', qty: number): void {
    if (this.#takenEvent[s] !== this.quoteEvent[s]) {
      this.#takenEvent[s] = this.quoteEvent[s]!;
      this.#bidTaken[s] = 0;
      this.#askTaken[s] = 0;
    }
    const side1 = side === 'bid' ? this.#bidTaken : this.#askTaken;
    side1[s] = side1[s]! + qty;
  }
}

function nameOf(x: TapeInstrument): string {
  return x.kind === 'option' ? `${x.root} ${x.expiry} ${x.strikeE4 / 1e4} ${x.right}` : x.symbol;
}
