/** Growing columns: rows are appended in tape order and closed into `Columns`. What is appended is already checked. */
import { ABSENT, type Columns, Flag, Kind, type PriceColumn, type SizeColumn } from './columns.ts';

const INT32_MAX = 2_147_483_647;
const INT32_MIN = -2_147_483_648;

/** Most events of one tape. */
export const EVENTS_MAX = 100_000_000;

export interface Bar {
  readonly o: number;
  readonly h: number;
  readonly l: number;
  readonly c: number;
  readonly z: number;
  /** Length, microseconds. */
  readonly d: number;
}

/** The two sides of a quote; ABSENT where there is none. Prices in E4. */
export interface Sides {
  readonly bidE4: number;
  readonly bidSize: number;
  readonly askE4: number;
  readonly askSize: number;
}

export class ColumnsBuilder {
  rows = 0;
  t: Float64Array<ArrayBuffer>;
  kind: Uint8Array<ArrayBuffer>;
  flags: Uint8Array<ArrayBuffer>;
  inst: Int16Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  a: Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  b: Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  c: Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  d: Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  readonly bars: Bar[] = [];
  readonly texts: string[] = [];
  readonly extras = new Map<number, string>();
  private capacity: number;

  constructor(sizes: { readonly capacity: number; readonly instruments: number }) {
    const n = Math.max(16, sizes.capacity);
    this.capacity = n;
    this.t = new Float64Array(n);
    this.kind = new Uint8Array(n);
    this.flags = new Uint8Array(n);
    this.inst = sizes.instruments > 32_767 ? new Int32Array(n) : new Int16Array(n);
    this.a = new Int32Array(n);
    this.b = new Int32Array(n);
    this.c = new Int32Array(n);
    this.d = new Int32Array(n);
  }

  quote(
    row: { readonly t: number; readonly kind: 0 | 2; readonly inst: number; readonly flags: number },
    sides: Sides,
  ): void {
    const i = this.open(row.t, row.kind, row.inst, row.flags);
    this.put(i, sides.bidE4, sides.bidSize, sides.askE4, sides.askSize);
  }

  trade(
    row: { readonly t: number; readonly kind: 1 | 3; readonly inst: number; readonly flags: number },
    print: { readonly priceE4: number; readonly size: number },
  ): void {
    const i = this.open(row.t, row.kind, row.inst, row.flags);
    this.put(i, print.priceE4, print.size, 0, 0);
  }

  bar(row: { readonly t: number; readonly inst: number }, bar: Bar): void {
    const i = this.open(row.t, Kind.bar, row.inst, 0);
    this.put(i, this.bars.push(bar) - 1, 0, 0, 0);
  }

  close(row: { readonly t: number; readonly inst: number }, at: { readonly priceE4: number }): void {
    const i = this.open(row.t, Kind.close, row.inst, 0);
    this.put(i, at.priceE4, 0, 0, 0);
  }

  halt(row: { readonly t: number; readonly inst: number }, state: 'on' | 'off'): void {
    const i = this.open(row.t, Kind.halt, row.inst, state === 'on' ? Flag.on : 0);
    this.put(i, 0, 0, 0, 0);
  }

  /** `news` (its text) or `other` (its canonical JSON). */
  text(row: { readonly t: number; readonly kind: 6 | 8 }, text: string): void {
    const i = this.open(row.t, row.kind, -1, 0);
    this.put(i, this.texts.push(text) - 1, 0, 0, 0);
  }

  /** The lowest level, for loops that hold their fields as numbers: four fields as the table of `Columns` has them. */
  append(t: number, kind: number, inst: number, flags: number, a: number, b: number, c: number, d: number): void {
    const i = this.open(t, kind, inst, flags);
    this.put(i, a, b, c, d);
  }

  columns(): Columns {
    const n = this.rows;
    return {
      length: n,
      t: fit(this.t, n),
      kind: fit(this.kind, n),
      flags: fit(this.flags, n),
      inst: fit(this.inst, n),
      a: fit(this.a, n),
      b: fit(this.b, n),
      c: fit(this.c, n),
      d: fit(this.d, n),
      bars: barColumns(this.bars),
      texts: this.texts,
      extras: this.extras,
    };
  }

  private open(t: number, kind: number, inst: number, flags: number): number {
    const i = this.rows;
    if (i === this.capacity) this.grow();
    this.t[i] = t;
    this.kind[i] = kind;
    this.inst[i] = inst;
    this.flags[i] = flags;
    this.rows = i + 1;
    return i;
  }

  private put(i: number, a: number, b: number, c: number, d: number): void {
    if (a > INT32_MAX || c > INT32_MAX || a < INT32_MIN || c < INT32_MIN) this.widenPrices();
    if (b > INT32_MAX || d > INT32_MAX) this.widenSizes();
    this.a[i] = a;
    this.b[i] = b;
    this.c[i] = c;
    this.d[i] = d;
  }

  private widenPrices(): void {
    if (this.a instanceof Int32Array) this.a = new Float64Array(this.a);
    if (this.c instanceof Int32Array) this.c = new Float64Array(this.c);
  }

  private widenSizes(): void {
    if (this.b instanceof Int32Array) this.b = new Float64Array(this.b);
    if (this.d instanceof Int32Array) this.d = new Float64Array(this.d);
  }

  private grow(): void {
    const n = this.capacity * 2;
    this.capacity = n;
    this.t = larger(this.t, new Float64Array(n));
    this.kind = larger(this.kind, new Uint8Array(n));
    this.flags = larger(this.flags, new Uint8Array(n));
    this.inst = larger(this.inst, this.inst instanceof Int16Array ? new Int16Array(n) : new Int32Array(n));
    this.a = larger(this.a, this.a instanceof Int32Array ? new Int32Array(n) : new Float64Array(n));
    this.b = larger(this.b, this.b instanceof Int32Array ? new Int32Array(n) : new Float64Array(n));
    this.c = larger(this.c, this.c instanceof Int32Array ? new Int32Array(n) : new Float64Array(n));
    this.d = larger(this.d, this.d instanceof Int32Array ? new Int32Array(n) : new Float64Array(n));
  }
}

function larger<T extends { set(from: ArrayLike<number>): void }>(from: ArrayLike<number>, to: T): T {
  to.set(from);
  return to;
}

/** A column of exactly its rows, so that a tape never holds the room it grew into. */
function fit<T extends { readonly length: number; slice(from: number, to: number): T }>(column: T, rows: number): T {
  return column.length === rows ? column : column.slice(0, rows);
}

function barColumns(bars: readonly Bar[]): Columns['bars'] {
  const prices = bars.every((bar) => bar.h <= INT32_MAX) ? Int32Array : Float64Array;
  const sizes = bars.every((bar) => bar.z <= INT32_MAX) ? Int32Array : Float64Array;
  const column = <T extends PriceColumn | SizeColumn>(to: T, pick: (bar: Bar) => number): T => {
    for (let i = 0; i < bars.length; i++) to[i] = pick(bars[i]!);
    return to;
  };
  const n = bars.length;
  return {
    o: column(new prices(n), (bar) => bar.o),
    h: column(new prices(n), (bar) => bar.h),
    l: column(new prices(n), (bar) => bar.l),
    c: column(new prices(n), (bar) => bar.c),
    z: column(new sizes(n), (bar) => bar.z),
    d: column(new Float64Array(n), (bar) => bar.d),
  };
}

export const NO_SIDES: Sides = { bidE4: ABSENT, bidSize: ABSENT, askE4: ABSENT, askSize: ABSENT };
