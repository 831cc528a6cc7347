/** Rows of numbers in delimited text, read from bytes without an object a row. Numbers stay exact. */
import { type DecimalFault, scaledInteger } from './decimal.ts';
import { TapeRefusal } from './refusal.ts';
import { LINE_BYTES_MAX } from './scan.ts';

/** Most fields of a row. */
export const ROW_FIELDS_MAX = 64;

const LF = 0x0a;
const CR = 0x0d;
const TENS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;

/** What `decimals` says of a field that is no plain number. */
const EMPTY = -1;
const OTHER = -2;

export class NumberRows {
  /** Line of the present row, from 1. */
  line = 0;
  /** Fields of the present row. */
  count = 0;
  readonly source: string;
  private readonly bytes: Uint8Array;
  private readonly delimiter: number;
  private readonly from = new Int32Array(ROW_FIELDS_MAX);
  private readonly to = new Int32Array(ROW_FIELDS_MAX);
  /** All digits of the number as one integer, and how many of them are decimals. */
  private readonly digits = new Float64Array(ROW_FIELDS_MAX);
  private readonly decimals = new Int8Array(ROW_FIELDS_MAX);
  private at = 0;

  constructor(
    bytes: Uint8Array,
    what: { readonly source: string; readonly delimiter?: number; readonly skipLines?: number },
  ) {
    this.bytes = bytes;
    this.source = what.source;
    this.delimiter = what.delimiter ?? 0x2c;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
    for (let i = 0; i < (what.skipLines ?? 0); i++) this.skipLine();
  }

  /** @returns whether there is another row; empty lines are let pass */
  next(): boolean {
    const { bytes } = this;
    while (this.at < bytes.length) {
      this.line++;
      this.readRow();
      if (this.count > 1 || this.decimals[0] !== EMPTY) return true;
    }
    return false;
  }

  isEmpty(field: number): boolean {
    return this.decimals[field] === EMPTY;
  }

  /** The field times 10^scale, exactly. */
  scaled(field: number, scale: number): number | DecimalFault {
    const decimals = this.decimals[field]!;
    if (decimals >= 0 && scale >= decimals && scale - decimals < TENS.length) {
      const value = this.digits[field]! * TENS[scale - decimals]!;
      if (value <= Number.MAX_SAFE_INTEGER) return value;
    }
    return scaledInteger(this.text(field), scale);
  }

  text(field: number): string {
    return new TextDecoder('latin1').decode(this.bytes.subarray(this.from[field], this.to[field]));
  }

  /** The present row as it stands, for refusals. */
  rowText(): string {
    return new TextDecoder('latin1').decode(this.bytes.subarray(this.from[0], this.to[this.count - 1]));
  }

  private skipLine(): void {
    const found = this.bytes.indexOf(LF, this.at);
    this.at = found < 0 ? this.bytes.length : found + 1;
    this.line++;
  }

  private readRow(): void {
    const { bytes, delimiter } = this;
    const n = bytes.length;
    const start = this.at;
    let at = start;
    let field = 0;
    for (;;) {
      if (field >= ROW_FIELDS_MAX) throw this.refusal(`at most ${ROW_FIELDS_MAX} fields`, 'more');
      this.from[field] = at;
      let digits = 0;
      let value = 0;
      let point = -1;
      let plain = true;
      while (at < n) {
        const c = bytes[at]!;
        if (c >= 0x30 && c <= 0x39) {
          value = value * 10 + (c - 0x30);
          digits++;
        } else if (c === 0x2e && point < 0 && digits > 0) point = digits;
        else if (c === delimiter || c === LF || (c === CR && (at + 1 === n || bytes[at + 1] === LF))) break;
        else plain = false;
        at++;
      }
      this.to[field] = at;
      const decimals = point < 0 ? 0 : digits - point;
      if (at === this.from[field]) this.decimals[field] = EMPTY;
      else if (!plain || digits === 0 || digits > 15 || point === digits || decimals > 15) this.decimals[field] = OTHER;
      else {
        this.decimals[field] = decimals;
        this.digits[field] = value;
      }
      field++;
      if (at - start > LINE_BYTES_MAX) {
        throw new TapeRefusal('line-long', {
          source: this.source,
          line: this.line,
          expected: `at most ${LINE_BYTES_MAX} bytes`,
          got: 'more',
        });
      }
      if (at >= n || bytes[at] !== delimiter) break;
      at++;
    }
    if (bytes[at] === CR) at++;
    this.at = at + 1;
    this.count = field;
  }

  private refusal(expected: string, got: string): TapeRefusal {
    return new TapeRefusal('row-bad', { source: this.source, line: this.line, expected, got });
  }
}
