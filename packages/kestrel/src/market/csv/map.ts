/** Which column is which: `t=Time,o=Open,h=High,l=Low,c=Close,v=Volume`, or found by the usual names. */
import { TapeRefusal } from '../refusal.ts';

export const CSV_FIELDS = ['t', 's', 'o', 'h', 'l', 'c', 'z', 'p', 'b', 'bz', 'a', 'az'] as const;
export type CsvField = (typeof CSV_FIELDS)[number];

/** The usual names, lower case without blanks, `_` and `-`. `v` is `z` in a map, as bars have volumes. */
const USUAL: Readonly<Record<CsvField, readonly string[]>> = {
  t: ['t', 'time', 'timestamp', 'datetime', 'date', 'tsevent', 'tsrecv'],
  s: ['s', 'symbol', 'ticker'],
  o: ['o', 'open'],
  h: ['h', 'high'],
  l: ['l', 'low'],
  c: ['c', 'close'],
  z: ['z', 'v', 'volume', 'vol', 'size', 'quantity', 'qty'],
  p: ['p', 'price', 'last', 'tradeprice'],
  b: ['b', 'bid', 'bidprice'],
  bz: ['bz', 'bidsize', 'bidqty', 'bidvolume'],
  a: ['a', 'ask', 'askprice', 'offer'],
  az: ['az', 'asksize', 'askqty', 'askvolume'],
};

/** Column numbers of a file's fields, from 0; `t` may be two columns, a date and a clock. */
export interface CsvColumns {
  readonly t: readonly number[];
  readonly field: ReadonlyMap<CsvField, number>;
}

/**
 * @param map text as above, names as the header has them, `t=Date+Time` for two; absent: the usual names
 * @throws TapeRefusal `option-bad` on a map that is none, `column-missing` on a name that the header has not once
 */
export function columnsOf(header: readonly string[], map: string | undefined, source: string): CsvColumns {
  const wanted = map === undefined ? undefined : parseMap(map);
  const field = new Map<CsvField, number>();
  let t: number[] = [];
  for (const name of CSV_FIELDS) {
    if (name === 't') {
      t = wanted === undefined ? usualTime(header) : timeOf(wanted).map((column) => numberOf(header, column, source));
      continue;
    }
    const column = wanted === undefined ? usual(header, name) : wanted.get(name);
    if (column !== undefined) field.set(name, typeof column === 'number' ? column : numberOf(header, column, source));
  }
  if (t.length === 0) {
    throw new TapeRefusal('column-missing', {
      source,
      line: 1,
      expected: 'a column of times',
      got: header.join(', '),
      next: 'say which with a map: t=NAME',
    });
  }
  return { t, field };
}

export function parseMap(map: string): ReadonlyMap<CsvField, string> {
  const out = new Map<CsvField, string>();
  for (const part of map.split(',')) {
    const at = part.indexOf('=');
    const given = part.slice(0, Math.max(0, at)).trim();
    const name = given === 'v' ? 'z' : given;
    const column = part.slice(at + 1).trim();
    if (at < 0 || column === '' || !(CSV_FIELDS as readonly string[]).includes(name) || out.has(name as CsvField)) {
      const expected = `a map such as t=Time,o=Open,h=High,l=Low,c=Close,v=Volume; fields ${CSV_FIELDS.join(' ')} v, each once`;
      throw new TapeRefusal('option-bad', { expected, got: JSON.stringify(part) });
    }
    out.set(name as CsvField, column);
  }
  return out;
}

function timeOf(wanted: ReadonlyMap<CsvField, string>): readonly string[] {
  return wanted.get('t')?.split('+', 2) ?? [];
}

/** `Date` and `Time` side by side are one time. */
function usualTime(header: readonly string[]): number[] {
  const date = header.findIndex((name) => plainName(name) === 'date');
  const clock = header.findIndex((name) => plainName(name) === 'time');
  if (date >= 0 && clock >= 0) return [date, clock];
  const found = usual(header, 't');
  return found === undefined ? [] : [found];
}

function usual(header: readonly string[], field: CsvField): number | undefined {
  for (const name of USUAL[field]) {
    const at = header.findIndex((column) => plainName(column) === name);
    if (at >= 0) return at;
  }
  return undefined;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

function numberOf(header: readonly string[], column: string, source: string): number {
  const at = header.indexOf(column.trim());
  if (at >= 0 && header.indexOf(column.trim(), at + 1) < 0) return at;
  const expected = `the column ${JSON.stringify(column.trim())} once`;
  throw new TapeRefusal('column-missing', { source, line: 1, expected, got: header.join(', ') });
}
