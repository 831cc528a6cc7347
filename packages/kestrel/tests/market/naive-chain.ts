/** A second, plain reading of LEAN's option files, the share's or index's bars beside: strings and sorting only. */
import { unzipSync } from 'fflate';
import type { NamedBytes } from '../../src/market/index.ts';
import { midnightIn } from './naive-lean.ts';

interface Line {
  readonly t: number;
  /** Quotes of options, bars, prints of options, open interest. */
  readonly rank: number;
  /** Root, expiry, strike, right: in this order at equal times. */
  readonly place: string;
  readonly text: string;
}

/** Canonical lines of a day of minutes: option quotes, then bars, then option prints, then open interest at equal times. */
export function naiveChainLines(files: readonly NamedBytes[]): string[] {
  const lines = files.flatMap(({ name, bytes }) =>
    Object.entries(unzipSync(bytes)).flatMap(([entry, rows]) => linesOf(name, entry, new TextDecoder().decode(rows))),
  );
  const order = (a: Line, b: Line) =>
    a.t - b.t || a.rank - b.rank || (a.place < b.place ? -1 : a.place > b.place ? 1 : 0);
  return lines.sort(order).map((line) => line.text);
}

function linesOf(path: string, entry: string, text: string): Line[] {
  const rows = text
    .split(/\r?\n/)
    .filter((row) => row !== '')
    .map((row) => row.split(','));
  // 20151223_goog_minute_quote_american_call_6000000_20151224.csv
  const [date, symbol, , kind, , right, strike, expiry] = entry.replace('.csv', '').split('_') as string[];
  if (strike === undefined) return barsOf(path, { date: date!, symbol: symbol!.toUpperCase() }, rows);
  const midnight = midnightIn('America/New_York', date!);
  const root = symbol!.toUpperCase();
  const x = `${expiry!.slice(0, 4)}-${expiry!.slice(4, 6)}-${expiry!.slice(6)}`;
  const r = right === 'call' ? 'C' : 'P';
  const place = `${root} ${x} ${strike.padStart(12, '0')} ${r}`;
  const K = `"K":${dollars(strike)}`;
  return rows.map((f): Line => {
    const t = (midnight + Number(f[0]) + (kind === 'openinterest' ? 0 : 60_000)) * 1_000;
    const of = `"r":"${r}","s":"${root}","t":${t},"x":"${x}"`;
    switch (kind) {
      case 'quote':
        return {
          t,
          rank: 1,
          place,
          text: `{${K},${side('a', f[9]!, f[10]!)}${side('b', f[4]!, f[5]!)}"k":"oquote",${of}}`,
        };
      case 'trade':
        return { t, rank: 3, place, text: `{${K},"k":"otrade","p":${dollars(f[4]!)},${of},"z":${f[5]}}` };
      default:
        return { t, rank: 4, place, text: `{${K},"k":"oi",${of},"z":${f[1]}}` };
    }
  });
}

/** An index is in Chicago time and in units of currency, a share in New York time and in ten-thousandths. */
function barsOf(path: string, of: { readonly date: string; readonly symbol: string }, rows: string[][]): Line[] {
  const isIndex = path.startsWith('index/');
  const midnight = midnightIn(isIndex ? 'America/Chicago' : 'America/New_York', of.date);
  const price = (field: string) => (isIndex ? String(Number(field)) : dollars(field));
  return rows.map((f) => {
    const t = (midnight + Number(f[0]) + 60_000) * 1_000;
    const [o, h, l, c] = f.slice(1, 5).map(price);
    const text = `{"c":${c},"d":"1m","h":${h},"k":"bar","l":${l},"o":${o},"s":"${of.symbol}","t":${t},"z":${Number(f[5])}}`;
    return { t, rank: 2, place: '', text };
  });
}

function side(name: string, price: string, size: string): string {
  return price === '' || Number(price) === 0 ? '' : `"${name}":${dollars(price)},"${name}z":${size},`;
}

function dollars(tenThousandths: string): string {
  return String(Number(tenThousandths) / 10_000);
}
