/**
 * A market day in memory: one row an event, in tape order, in typed arrays. Everything the engine reads is here.
 */

/** Event kinds, as stored in `Columns.kind`. */
export const Kind = {
  quote: 0,
  trade: 1,
  oquote: 2,
  otrade: 3,
  bar: 4,
  halt: 5,
  news: 6,
  close: 7,
  /** A kind this version keeps for others and never acts on (open interest …). */
  other: 8,
} as const;

/** Bits of `Columns.flags`. */
export const Flag = {
  /** `halt`: on. */
  on: 1,
  /** Kept, but neither sets series nor fills (a print its source marks as suspicious). */
  suspect: 2,
} as const;

/** The value of an absent price or size. Sizes of 0 are stored as given; the engine treats them as absent. */
export const ABSENT = -1;

/** Prices fit 32 bits up to 214,748.3647; a tape that needs more has Float64Array columns of exact integers. */
export type PriceColumn = Int32Array | Float64Array;
export type SizeColumn = Int32Array | Float64Array;

/**
 * Row `i` is event `i` of the tape (`event` in a blotter).
 *
 * | kind | inst | a | b | c | d |
 * |---|---|---|---|---|---|
 * | quote, oquote | instrument | bid E4 | bid size | ask E4 | ask size |
 * | trade, otrade | instrument | price E4 | size | | |
 * | bar | instrument | row of `bars` | | | |
 * | halt, close | instrument | (close) price E4 | | | |
 * | news | -1 | index of `texts` | | | |
 * | other | -1 | index of `texts` (its JSON) | | | |
 */
export interface Columns {
  readonly length: number;
  /** Microseconds since the Unix epoch, non-decreasing. */
  readonly t: Float64Array;
  readonly kind: Uint8Array;
  readonly flags: Uint8Array;
  /** Index into `instruments`, or -1. */
  readonly inst: Int16Array | Int32Array;
  readonly a: PriceColumn;
  readonly b: SizeColumn;
  readonly c: PriceColumn;
  readonly d: SizeColumn;
  /** Bars by row: o h l c in E4, z in shares, length in microseconds. */
  readonly bars: {
    readonly o: PriceColumn;
    readonly h: PriceColumn;
    readonly l: PriceColumn;
    readonly c: PriceColumn;
    readonly z: SizeColumn;
    readonly d: Float64Array;
  };
  readonly texts: readonly string[];
  /**
   * Canonical text of the events that hold more than their columns (fields this version does not know, another
   * spelling of a default), by row. The engine never reads it; the writer and the identity do.
   */
  readonly extras: ReadonlyMap<number, string>;
}

export type TapeInstrument =
  | { readonly kind: 'equity' | 'index'; readonly symbol: string; readonly tickE4: number }
  | {
      readonly kind: 'option';
      readonly root: string;
      /** `YYYY-MM-DD` */
      readonly expiry: string;
      readonly right: 'C' | 'P';
      readonly strikeE4: number;
      readonly multiplier: number;
      readonly style: 'american' | 'european';
      readonly settles: 'close' | 'open';
      readonly tickE4: number;
    };

export interface Distribution {
  readonly p: readonly number[];
  readonly x: readonly number[];
}

export interface Reference {
  readonly priorCloseE4?: number;
  readonly distributions: Readonly<Record<string, Distribution>>;
  /** Reference volume by `rvol` window: from the header as given, see docs/runtime.md. */
  readonly volume?: unknown;
}

export interface Tape {
  readonly id: string;
  readonly calendar: string;
  /** IANA zone of the exchange. */
  readonly zone: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Microseconds; from the header, else from the calendar. */
  readonly session: { readonly open: number; readonly close: number };
  readonly instruments: readonly TapeInstrument[];
  readonly reference: Readonly<Record<string, Reference>>;
  /** The header as given, unknown fields kept. */
  readonly header: Readonly<Record<string, unknown>>;
  /** SHA-256 of the canonical content, lower-case hex. */
  readonly identity: string;
  readonly columns: Columns;
}
