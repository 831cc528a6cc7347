/** A delimited text file as a header and rows of texts: quoted fields, either line end, a byte order mark. */

import { type TapeCode, TapeRefusal } from '../refusal.ts';
import { LINE_BYTES_MAX } from '../scan.ts';

/** Most columns of a file. */
export const COLUMNS_MAX = 1_024;

/** Rows of texts under a header, whatever they come from. */
export interface TextTable {
  readonly source: string;
  readonly header: readonly string[];
  /** Line of the present row, from 1. */
  readonly line: number;
  /** Goes to the next row. @returns false at the end */
  next(): boolean;
  /** A field of the present row, spaces around it cut. */
  field(column: number): string;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const LF = 0x0a;

export class CsvTable implements TextTable {
  readonly source: string;
  readonly header: readonly string[];
  line = 0;
  private readonly bytes: Uint8Array;
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private readonly delimiter: string;
  private fields: readonly string[] = [];
  private at = 0;

  /** @throws TapeRefusal where there is no header of at least two columns */
  constructor(bytes: Uint8Array, what: { readonly source: string; readonly delimiter?: string }) {
    this.bytes = bytes;
    this.source = what.source;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
    const first = this.record();
    if (first === undefined) throw this.refusal('tape-empty', 'a header line and rows', 'an empty file');
    this.delimiter = what.delimiter ?? delimiterOf(first);
    this.header = this.split(first);
    if (this.header.length < 2) {
      throw this.refusal('column-missing', 'a header of at least two columns', JSON.stringify(first));
    }
  }

  next(): boolean {
    const record = this.record();
    if (record === undefined) return false;
    this.fields = this.split(record);
    if (this.fields.length !== this.header.length) {
      const expected = `${this.header.length} fields, as the header has`;
      throw this.refusal('row-bad', expected, `${this.fields.length} in ${JSON.stringify(record)}`);
    }
    return true;
  }

  field(column: number): string {
    return this.fields[column]!;
  }

  /** The next record that is not empty; one that goes on in quotes over a line's end is taken whole. */
  private record(): string | undefined {
    for (;;) {
      if (this.at >= this.bytes.length) return undefined;
      this.line++;
      const text = this.lineText();
      if (text.trim() === '') continue;
      if (text.includes('"') && !isBalanced(text)) {
        throw this.refusal('row-bad', 'quotes closed on their own line', JSON.stringify(text));
      }
      return text;
    }
  }

  private lineText(): string {
    const found = this.bytes.indexOf(LF, this.at);
    const from = this.at;
    let to = found < 0 ? this.bytes.length : found;
    this.at = to + 1;
    if (to > from && this.bytes[to - 1] === 0x0d) to--;
    if (to - from > LINE_BYTES_MAX) throw this.refusal('line-long', `at most ${LINE_BYTES_MAX} bytes`, `${to - from}`);
    try {
      return this.utf8.decode(this.bytes.subarray(from, to));
    } catch {
      throw this.refusal('utf8-bad', 'UTF-8', 'bytes that are not');
    }
  }

  private split(record: string): readonly string[] {
    const fields = record.includes('"') ? this.quoted(record) : record.split(this.delimiter, COLUMNS_MAX + 1);
    if (fields.length > COLUMNS_MAX) throw this.refusal('row-bad', `at most ${COLUMNS_MAX} fields`, 'more');
    return fields.map((field) => field.trim());
  }

  private quoted(record: string): string[] {
    const fields: string[] = [];
    let at = 0;
    for (;;) {
      const mark = record.slice(at).search(/\S/);
      const start = mark < 0 ? at : at + mark;
      let end: number;
      if (record[start] === '"') {
        let text = '';
        end = start + 1;
        for (;;) {
          const close = record.indexOf('"', end);
          text += record.slice(end, close);
          end = close + 1;
          if (record[end] !== '"') break;
          text += '"';
          end++;
        }
        fields.push(text);
        const rest = record.indexOf(this.delimiter, end);
        const after = record.slice(end, rest < 0 ? undefined : rest);
        if (after.trim() !== '')
          throw this.refusal('row-bad', 'a delimiter after a quoted field', JSON.stringify(after));
        end = rest;
      } else {
        end = record.indexOf(this.delimiter, at);
        fields.push(record.slice(at, end < 0 ? undefined : end));
      }
      if (end < 0 || fields.length > COLUMNS_MAX) return fields;
      at = end + 1;
    }
  }

  private refusal(code: TapeCode, expected: string, got: string): TapeRefusal {
    return new TapeRefusal(code, { source: this.source, line: this.line, expected, got });
  }
}

/** Quotes come in pairs in a record that is whole. */
function isBalanced(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 0;
}

/** The delimiter that the header has most of; a comma where it has none. */
function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  let best: string = ',';
  let most = 0;
  for (const delimiter of DELIMITERS) {
    const count = bare.split(delimiter).length - 1;
    if (count > most) {
      best = delimiter;
      most = count;
    }
  }
  return best;
}
