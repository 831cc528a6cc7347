/** LEAN archives: golden small ones that say each rule, and every real day that is at hand. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import {
  Flag,
  importLean,
  Kind,
  type LeanOptions,
  parseTape,
  type Tape,
  TapeRefusal,
  tapeInfo,
  writeTape,
} from '../../src/market/index.ts';
import { DERIVED, HAS_DATA, leanArchives, leanFile } from './data.ts';
import { textOf } from './lines.ts';
import { naiveChainLines } from './naive-chain.ts';
import { naiveLines } from './naive-lean.ts';

interface Case {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly entries: Readonly<Record<string, readonly string[]>> }[];
  readonly options?: LeanOptions;
  /** Rows of a daily file, given as `daily`. */
  readonly daily?: readonly string[];
  /** Event lines that come out, or */
  readonly lines?: readonly string[];
  readonly header?: Readonly<Record<string, unknown>>;
  /** the code it is refused with, and a piece of its message. */
  readonly code?: string;
  readonly message?: string;
}

const CASES = JSON.parse(readFileSync(new URL('lean.json', import.meta.url), 'utf8')) as readonly Case[];

function zipOf(entries: Readonly<Record<string, readonly string[]>>): Uint8Array {
  return zipSync(
    Object.fromEntries(Object.entries(entries).map(([name, rows]) => [name, Buffer.from(rows.join('\n'))])),
  );
}

function made(input: Case): { tape: Tape } | { refusal: TapeRefusal } {
  const files = input.files.map(({ path, entries }) => ({ name: path, bytes: zipOf(entries) }));
  const daily =
    input.daily === undefined ? {} : { daily: { name: 'daily/x.zip', bytes: zipOf({ 'x.csv': input.daily }) } };
  try {
    return importLean(files, { ...input.options, ...daily });
  } catch (error) {
    if (error instanceof TapeRefusal) return { refusal: error };
    throw error;
  }
}

function check(input: Case): void {
  const got = made(input);
  if ('refusal' in got) {
    expect([got.refusal.message, got.refusal.code]).toEqual([got.refusal.message, input.code]);
    expect(got.refusal.message).toContain(input.message ?? '');
    return;
  }
  const [header, ...lines] = textOf(got.tape).trimEnd().split('\n');
  expect(lines).toEqual(input.lines);
  expect(JSON.parse(header!)).toMatchObject(input.header ?? {});
  expect(parseTape(textOf(got.tape)).tape.identity).toBe(got.tape.identity);
}

describe('a LEAN archive', () => {
  test.each(CASES)('$name', check);
});

test('the order in which archives are named changes nothing of a chain and its share', () => {
  const contract = '20131007_goog_minute_quote_american_call_8000000_20131011.csv';
  const files = [
    {
      name: 'option/usa/minute/goog/20131007_quote_american.zip',
      bytes: zipOf({ [contract]: ['34200000,9000,9000,9000,9500,2,10000,10000,10000,10500,3'] }),
    },
    {
      name: 'equity/usa/tick/goog/20131007_trade.zip',
      bytes: zipOf({ '20131007_GOOG_Trade_Tick.csv': ['34200000,8700000,100,Q,0,0'] }),
    },
  ];
  const { tape } = importLean(files);
  expect(tape.id).toBe('goog-2013-10-07-tick');
  expect(importLean([...files].reverse()).tape.identity).toBe(tape.identity);
});

test('a chain of 275,000 rows, a quarter of them one-sided, is counted side by side', () => {
  const contracts = 704;
  const minutes = 391;
  const entries: Record<string, readonly string[]> = {};
  for (let k = 0; k < contracts; k++) {
    const right = k % 2 === 0 ? 'call' : 'put';
    const strike = 1_500_000 + (k >> 1) * 10_000;
    entries[`20131007_spy_minute_quote_american_${right}_${strike}_20131018.csv`] = Array.from(
      { length: minutes },
      (_, m) => {
        const bid = (k + m) % 8 === 0 ? ',,,,' : `${1_000 + k},${1_000 + k},${1_000 + k},${1_000 + k},${1 + (m % 9)}`;
        const ask = (k + m) % 8 === 4 ? ',,,,' : `${1_100 + k},${1_100 + k},${1_100 + k},${1_100 + k},${1 + (k % 7)}`;
        return `${34_140_000 + m * 60_000},${bid},${ask}`;
      },
    );
  }
  const { tape } = importLean([{ name: 'option/usa/minute/spy/20131007_quote_american.zip', bytes: zipOf(entries) }]);
  const [chain] = tapeInfo(tape).chains;
  expect(tape.columns.length).toBe(contracts * minutes);
  expect(chain).toMatchObject({
    contracts,
    active: contracts,
    quotes: { good: (contracts * minutes * 3) / 4, oneSided: (contracts * minutes) / 4 },
    share: { oneSided: 0.25, crossed: 0 },
    outside: 0,
    spreadE4: { min: 100, max: 100 },
  });
  const { columns } = parseTape(writeTape(tape)).tape;
  for (let i = 0; i < columns.length; i += 997) {
    const sides = [columns.a[i], columns.b[i], columns.c[i], columns.d[i]];
    const [bidE4, , askE4] = sides;
    if (bidE4 === -1 || askE4 === -1) expect(sides.filter((side) => side === -1)).toHaveLength(2);
    else expect(askE4! - bidE4!).toBe(100);
  }
});

function minutesOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));
}

interface Day {
  readonly files: readonly string[];
  readonly options?: LeanOptions;
  readonly identity: string;
  readonly events: number;
}

const DAYS = JSON.parse(readFileSync(new URL('lean-days.json', import.meta.url), 'utf8')) as readonly Day[];

describe.skipIf(!HAS_DATA)('a real day', () => {
  test.each(DAYS)('$files.0 and its like', (day) => {
    const { tape } = importLean(day.files.map(leanFile), day.options);
    expect({ identity: tape.identity, events: tape.columns.length }).toEqual({
      identity: day.identity,
      events: day.events,
    });
    expect(parseTape(writeTape(tape)).tape.identity).toBe(tape.identity);
  });

  test('of shares is what a plain second reading makes of it', () => {
    const days = new Map<string, string[]>();
    const busy = /\/(tick|second)\//;
    const chosen = ['tick/ibm/20131007'];
    for (const path of leanArchives('equity/usa').filter((each) => !each.includes('/daily/'))) {
      if (busy.test(path) && !chosen.some((each) => path.includes(each))) continue;
      const key = path.replace(/_(quote|trade)\.zip$/, '');
      days.set(key, [...(days.get(key) ?? []), path]);
    }
    expect(days.size).toBeGreaterThan(20);
    for (const [key, paths] of days) {
      const files = paths.map(leanFile);
      const lines = textOf(importLean(files).tape).trimEnd().split('\n').slice(1);
      const wanted = naiveLines(files, key.split('/')[3]!.toUpperCase());
      expect(lines.length).toBe(wanted.length);
      const wrong = lines.findIndex((line, i) => line !== wanted[i]);
      expect([key, wrong, lines[wrong]]).toEqual([key, -1, undefined]);
    }
  });

  test('of a chain is what a plain second reading makes of it, the share or index beside', () => {
    const days = new Map<string, string[]>();
    for (const path of [...leanArchives('option/usa'), ...leanArchives('indexoption/usa')]) {
      const [, , , symbol, file] = path.split('/');
      const key = `${symbol} ${file!.slice(0, 8)}`;
      days.set(key, [...(days.get(key) ?? []), path]);
    }
    const shares = [...leanArchives('equity/usa/minute'), ...leanArchives('index/usa/minute')];
    expect(days.size).toBe(8);
    for (const [key, paths] of days) {
      const [symbol, date] = key.split(' ');
      const beside = shares.filter((path) => path.endsWith(`/${symbol}/${date}_trade.zip`));
      const files = [...paths, ...beside].map(leanFile);
      const lines = textOf(importLean(files).tape).trimEnd().split('\n').slice(1);
      const wanted = naiveChainLines(files);
      expect([key, lines.length]).toEqual([key, wanted.length]);
      const wrong = lines.findIndex((line, i) => line !== wanted[i]);
      expect([key, wrong, lines[wrong]]).toEqual([key, -1, undefined]);
    }
  });

  test('of another security is refused by its name', () => {
    for (const path of ['forex/oanda/tick/eurusd', 'crypto/coinbase/minute/btcusd', 'future/cme/minute/es']) {
      const [first] = leanArchives(path);
      expect(() => importLean([leanFile(first!)])).toThrowError(/name-unknown: wanted a security that a tape holds/);
    }
  });

  test('of IBM shows the states of the book that were derived from it, in order', () => {
    const files = ['quote', 'trade'].map((rows) => leanFile(`equity/usa/tick/ibm/20131007_${rows}.zip`));
    const { columns, session } = importLean(files).tape;
    const midnight = session.open - 34_200_000_000;
    const derived = gunzipSync(readFileSync(join(DERIVED, 'ibm_20131007_nbbo.csv.gz')))
      .toString('utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));
    // The derived file joins the two rows of one quote: each of its states is one of ours, in the same order.
    let i = 0;
    for (const [ms, bid, bidSize, ask, askSize] of derived) {
      const t = midnight + Number(ms) * 1_000;
      const [a, b, c, d] = [bid!.replace('.', ''), bidSize, ask!.replace('.', ''), askSize].map(Number);
      const is = () =>
        columns.kind[i] === Kind.quote &&
        columns.t[i] === t &&
        columns.a[i] === a &&
        columns.b[i] === b &&
        columns.c[i] === c &&
        columns.d[i] === d;
      while (i < columns.length && !is()) i++;
      if (i === columns.length) throw new Error(`no state of the tape is ${ms},${bid},${bidSize},${ask},${askSize}`);
      i++;
    }
    expect(derived.length).toBe(46_374);
    expect(columns.flags.filter((flag) => (flag & Flag.suspect) !== 0)).toHaveLength(1);
  });

  test.each([
    ['goog', '20151223'],
    ['twx', '20140605'],
  ])('of a chain (%s) stands at each snapshot as the one derived from it', (symbol, date) => {
    const { columns, instruments, session } = importLean([
      leanFile(`option/usa/minute/${symbol}/${date}_quote_american.zip`),
    ]).tape;
    const midnight = session.open - 34_200_000_000;
    const names = instruments.map((each) =>
      each.kind === 'option' ? `${each.expiry} ${each.right} ${each.strikeE4}` : '',
    );
    /** The clock, the sides and the minute of the last quote of each contract. */
    const standing = (clock: string): ReadonlyMap<string, string> => {
      const until = midnight + minutesOf(clock) * 60_000_000;
      const last = new Map<string, string>();
      for (let i = 0; i < columns.length && columns.t[i]! <= until; i++) {
        const minute = (columns.t[i]! - midnight) / 60_000_000;
        last.set(names[columns.inst[i]!]!, [columns.a[i], columns.b[i], columns.c[i], columns.d[i], minute].join(' '));
      }
      return last;
    };
    const rows = readFileSync(join(DERIVED, `${symbol}_${date}_chain_snapshots.csv`), 'utf8')
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((row) => row.split(','));
    const states = new Map([...new Set(rows.map(([clock]) => clock!))].map((clock) => [clock, standing(clock)]));
    const side = (price: string, size: string) =>
      price === '' ? '-1 -1' : `${Number(price.replace('.', '')) * 100} ${size}`;
    const wrong = rows.filter(([clock, expiry, right, strike, bid, bidSize, ask, askSize, minute]) => {
      const name = `${expiry!.replace(/(....)(..)(..)/, '$1-$2-$3')} ${right} ${Number(strike) * 10_000}`;
      const wanted = `${side(bid!, bidSize!)} ${side(ask!, askSize!)} ${minutesOf(minute!)}`;
      return states.get(clock!)!.get(name) !== wanted;
    });
    expect(wrong).toEqual([]);
    expect(rows.length).toBeGreaterThan(300);
  });

  test('of each daily archive is read, its first and its last', () => {
    for (const path of leanArchives('equity/usa/daily')) {
      const file = leanFile(path);
      const rows = new TextDecoder()
        .decode(Object.values(unzipSync(file.bytes))[0]!)
        .trim()
        .split('\n');
      for (const row of [rows[0]!, rows[rows.length - 1]!]) {
        const date = row.replace(/^(....)(..)(..) .*/s, '$1-$2-$3');
        const { columns } = importLean([file], { date }).tape;
        const bar = [columns.bars.o[0], columns.bars.h[0], columns.bars.l[0], columns.bars.c[0], columns.bars.z[0]];
        expect([path, columns.length, ...bar]).toEqual([path, 1, ...row.trim().split(',').slice(1).map(Number)]);
      }
    }
  });

  test('reads its prior close and its own from the daily archive', () => {
    const files = [leanFile('equity/usa/minute/spy/20131007_trade.zip')];
    const daily = leanFile('equity/usa/daily/spy.zip');
    const { tape } = importLean(files, { daily, officialClose: 'daily' });
    // 2013-10-04 closed at 168.89, 2013-10-07 at 167.42.
    expect(tape.reference.SPY?.priorCloseE4).toBe(1_688_900);
    const last = tape.columns.length - 1;
    expect([tape.columns.kind[last], tape.columns.a[last]]).toEqual([Kind.close, 1_674_200]);
  });
});
