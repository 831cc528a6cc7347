/** A slow second reading of a tape, out of JSON.parse and text alone, to hold the two real readers to. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Plain } from './lines.ts';

export interface OracleRow {
  readonly t: number;
  readonly kind: number;
  /** The fields of `Columns`, where the row has them. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

const KINDS = ['quote', 'trade', 'oquote', 'otrade', 'bar', 'halt', 'news', 'close', 'oi'];

/** Rows of sound lines; prices by decimal text. The header is not looked at. */
export function oracleRows(lines: readonly string[]): OracleRow[] {
  const bars: number[] = [];
  const texts: number[] = [];
  return lines.slice(1).map((line) => {
    const event = JSON.parse(line) as Record<string, number> & { k: string };
    const kind = KINDS.indexOf(event.k);
    const row = { t: event.t!, kind, a: 0, b: 0, c: 0, d: 0 };
    switch (event.k) {
      case 'quote':
      case 'oquote':
        return { ...row, a: e4(event.b), b: event.bz ?? -1, c: e4(event.a), d: event.az ?? -1 };
      case 'trade':
      case 'otrade':
        return { ...row, a: e4(event.p), b: event.z! };
      case 'bar':
        return { ...row, a: bars.push(0) - 1 };
      case 'close':
        return { ...row, a: e4(event.p) };
      case 'news':
      case 'oi':
        return { ...row, a: texts.push(0) - 1 };
      default:
        return row;
    }
  });
}

function e4(value: number | undefined): number {
  if (value === undefined) return -1;
  const [whole = '', decimals = ''] = value.toFixed(4).split('.');
  return Number(BigInt(`${whole}${decimals}`));
}

/** SHA-256 over each line's RFC 8785 text by an independent library, each ended by LF. */
export function oracleIdentity(values: readonly Plain[]): string {
  const hash = createHash('sha256');
  for (const value of values) hash.update(`${canonicalize(value)}\n`);
  return hash.digest('hex');
}
