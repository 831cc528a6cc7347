/**
 * What the market shows now, one slot a symbol, in typed arrays: the book, the last print, the session's sums. The
 * hot loop writes here; series, prices and matching read.
 */
import type { Tape, TapeInstrument } from '../market/columns.ts';

/** Reasons for which an event of a symbol needs more than its slot written. Bits of `attention`. */
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
  /** Orders stand on the book. */
  resting: 64,
  /** Orders follow the book by peg, or wait to be priceable. */
  pegs: 128,
  /** Windows or bars are kept for some series. */
  windows: 256,
  /** A plan without WHEN waits for its first event. */
  firstEvent: 512,
  /** A group watches spot. */
  watchSpot: 1024,
  /** Some plan owns, or has owned, the symbol: its excursions follow spot. */
  holding: 2048,
} as const;

export class MarketState {
  readonly symbols: readonly string[];
  /** Row of `tape.instruments` for each slot; shares and indices only. */
  readonly tickE4: Float64Array;
  readonly bid: Float64Array;
  readonly ask: Float64Array;
  readonly bidSize: Float64Array;
  readonly askSize: Float64Array;
  /** Own fills out of the shown size since the last quote. */
  readonly bidTaken: Float64Array;
  readonly askTaken: Float64Array;
  /** 1 while the standing quote is good; else bid, ask and sizes mean nothing. */
  readonly good: Uint8Array;
  readonly quoteEvent: Int32Array;
  /** Floor of the mid of the last good quote; NaN before one. */
  readonly lastMid: Float64Array;
  readonly halted: Uint8Array;
  /** 1 from the first session event on: series are UNKNOWN before. */
  readonly seen: Uint8Array;
  /** Last session print; NaN before one. */
  readonly last: Float64Array;
  readonly spot: Float64Array;
  readonly open: Float64Array;
  /** Extremes as the series show them: without the current event. */
  readonly hod: Float64Array;
  readonly lod: Float64Array;
  /** Extremes with it. */
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly volume: Float64Array;
  readonly notional: Float64Array;
  readonly attention: Int32Array;
  /** Session events of the symbol so far: how often its triggers were read. */
  readonly reads: Float64Array;
  /** Whether the symbol has had a quote, a session print: bars set series and fill only as long as it has not. */
  readonly hasQuotes: Uint8Array;
  readonly hasTrades: Uint8Array;

  constructor(tape: Tape) {
    const n = tape.instruments.length;
    this.symbols = tape.instruments.map(nameOf);
    this.tickE4 = Float64Array.from(tape.instruments, (x) => x.tickE4);
    const unknown = () => new Float64Array(n).fill(Number.NaN);
    this.bid = unknown();
    this.ask = unknown();
    this.bidSize = new Float64Array(n);
    this.askSize = new Float64Array(n);
    this.bidTaken = new Float64Array(n);
    this.askTaken = new Float64Array(n);
    this.good = new Uint8Array(n);
    this.quoteEvent = new Int32Array(n).fill(-1);
    this.lastMid = unknown();
    this.halted = new Uint8Array(n);
    this.seen = new Uint8Array(n);
    this.last = unknown();
    this.spot = unknown();
    this.open = unknown();
    this.hod = unknown();
    this.lod = unknown();
    this.high = unknown();
    this.low = unknown();
    this.volume = new Float64Array(n);
    this.notional = new Float64Array(n);
    this.attention = new Int32Array(n).fill(Attention.special | Attention.quotesSetSpot);
    this.reads = new Float64Array(n);
    this.hasQuotes = new Uint8Array(n);
    this.hasTrades = new Uint8Array(n);
  }

  /** The quote as it is shown; what it cannot be priced from empties the book. */
  quote(s: number, event: number, bid: number, bidSize: number, ask: number, askSize: number): void {
    this.bid[s] = bid;
    this.ask[s] = ask;
    this.bidSize[s] = bidSize;
    this.askSize[s] = askSize;
    this.bidTaken[s] = 0;
    this.askTaken[s] = 0;
    this.quoteEvent[s] = event;
    this.hasQuotes[s] = 1;
    const good = bid > 0 && ask > bid && bidSize > 0 && askSize > 0;
    this.good[s] = good ? 1 : 0;
    if (good) this.lastMid[s] = Math.floor((bid + ask) / 2);
  }
}

function nameOf(x: TapeInstrument): string {
  return x.kind === 'option' ? `${x.root} ${x.expiry} ${x.strikeE4 / 1e4} ${x.right}` : x.symbol;
}
