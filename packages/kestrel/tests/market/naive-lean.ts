/** A second, plain reading of LEAN's share files: strings and sorting only, to hold the importer to. */
import { unzipSync } from 'fflate';
import type { NamedBytes } from '../../src/market/index.ts';

interface Line {
  readonly t: number;
  readonly rank: number;
  readonly text: string;
}

/** Canonical lines of a day of one share: quotes first at equal times, files in their own order. */
export function naiveLines(files: readonly NamedBytes[], symbol: string): string[] {
  const lines = files.flatMap((file) => linesOf(file, symbol));
  return lines.sort((a, b) => a.t - b.t || a.rank - b.rank).map((line) => line.text);
}

function linesOf(file: NamedBytes, symbol: string): Line[] {
  const [, date = '', kind = ''] = /([0-9]{8})_(quote|trade)\.zip$/.exec(file.name) ?? [];
  const resolution = /(tick|second|minute)/.exec(file.name)?.[1] ?? '';
  const text = new TextDecoder().decode(Object.values(unzipSync(file.bytes))[0]!);
  const midnight = midnightIn('America/New_York', date);
  const stepMs = resolution === 'second' ? 1_000 : resolution === 'minute' ? 60_000 : 0;
  let bid: string[] = [];
  let ask: string[] = [];
  return text
    .split('\n')
    .filter((row) => row.trim() !== '')
    .map((row) => {
      const f = row.trim().split(',');
      const t = (midnight + Number(f[0]) + stepMs) * 1_000;
      const tail = `"s":"${symbol}"`;
      if (kind === 'trade' && resolution === 'tick') {
        const flag = f[5] === '1' ? ',"suspect":true' : '';
        return { t, rank: 1, text: `{"k":"trade","p":${dollars(f[1]!)},${tail}${flag},"t":${t},"z":${f[2]}}` };
      }
      if (kind === 'trade') {
        const length = resolution === 'second' ? '1s' : '1m';
        const [o, h, l, c] = f.slice(1, 5).map(dollars);
        return {
          t,
          rank: 1,
          text: `{"c":${c},"d":"${length}","h":${h},"k":"bar","l":${l},"o":${o},${tail},"t":${t},"z":${f[5]}}`,
        };
      }
      if (resolution === 'tick') {
        const flag = f[7] === '1' ? ',"suspect":true' : '';
        const shownBid = f[1] === '0' ? bid : [f[1]!, f[2]!];
        const shownAsk = f[3] === '0' ? ask : [f[3]!, f[4]!];
        if (flag === '') [bid, ask] = [shownBid, shownAsk];
        return {
          t,
          rank: 0,
          text: `{${side('a', shownAsk)}${side('b', shownBid)}"k":"quote",${tail}${flag},"t":${t}}`,
        };
      }
      const quoteBid = f[4] === '' || f[4] === '0' ? [] : [f[4]!, f[5]!];
      const quoteAsk = f[9] === '' || f[9] === '0' ? [] : [f[9]!, f[10]!];
      return { t, rank: 0, text: `{${side('a', quoteAsk)}${side('b', quoteBid)}"k":"quote",${tail},"t":${t}}` };
    });
}

function side(name: string, of: readonly string[]): string {
  return of.length === 0 ? '' : `"${name}":${dollars(of[0]!)},"${name}z":${of[1]},`;
}

function dollars(tenThousandths: string): string {
  return String(Number(tenThousandths) / 10_000);
}

/** Milliseconds UTC of a midnight of the United States; the clocks never change then. */
export function midnightIn(timeZone: string, date: string): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
  const utc = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6)));
  const name = format.formatToParts(utc + 6 * 3_600_000).find((part) => part.type === 'timeZoneName')!.value;
  return utc - Number(name.slice(3, 6)) * 3_600_000;
}
