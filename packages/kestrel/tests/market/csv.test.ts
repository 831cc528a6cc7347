/** Delimited text to a tape: golden cases, the rounding on decimal digits, several files of one day, vendors' forms. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { roundedInteger } from '../../src/market/decimal.ts';
import { type CsvOptions, importCsv, importTape, parseTape, TapeRefusal } from '../../src/market/index.ts';
import { textOf } from './lines.ts';

interface Case {
  readonly name: string;
  readonly csv: readonly string[];
  readonly options: CsvOptions;
  readonly lines?: readonly string[];
  readonly header?: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly message?: string;
}

const CASES = JSON.parse(readFileSync(new URL('csv.json', import.meta.url), 'utf8')) as readonly Case[];

function refusalOf(make: () => unknown): TapeRefusal {
  try {
    make();
  } catch (error) {
    if (error instanceof TapeRefusal) return error;
    throw error;
  }
  throw new Error('it was taken');
}

function check(input: Case): void {
  // A null in the data stands for an option left out.
  const options = Object.fromEntries(Object.entries(input.options).filter(([, value]) => value !== null)) as CsvOptions;
  const bytes = Buffer.from(input.csv.join('\n'));
  const make = () => importCsv([{ name: 'folder/x.csv', bytes }], options).tape;
  if (input.code !== undefined) {
    const refusal = refusalOf(make);
    expect([refusal.message, refusal.code]).toEqual([refusal.message, input.code]);
    expect(refusal.message).toContain(input.message ?? '');
    return;
  }
  const tape = make();
  const [header, ...lines] = textOf(tape).trimEnd().split('\n');
  expect(lines).toEqual(input.lines);
  expect(JSON.parse(header!)).toMatchObject(input.header ?? {});
  expect(parseTape(textOf(tape)).tape.identity).toBe(tape.identity);
}

describe('delimited text', () => {
  test.each(CASES)('$name', check);

  test('in two files of one day is merged by time, quotes first', async () => {
    const quotes = { name: 'q.csv', bytes: Buffer.from('t,b,bz,a,az\n1381152600000,1,1,2,1\n1381152600002,1,2,2,2\n') };
    const trades = { name: 't.csv', bytes: gzipSync('t,p,z\n1381152600000,1.5,1\n1381152600001,1.6,1\n') };
    const { tape } = await importTape([trades, quotes], { symbol: 'X', format: 'csv' });
    const kinds = textOf(tape)
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line).k);
    expect(kinds).toEqual(['quote', 'trade', 'trade', 'quote']);
  });

  test('in a zip is read where that is said', async () => {
    const bytes = zipSync({ 'a.csv': Buffer.from('t,p,z\n1381152600000,1.5,1\n') });
    const { tape } = await importTape([{ name: 'a.zip', bytes }], { symbol: 'X', format: 'csv' });
    expect(tape.columns.length).toBe(1);
  });

  test('a bare file of LEAN is known by its rows', async () => {
    const file = {
      name: 'equity/usa/minute/spy/20131007_trade.csv',
      bytes: Buffer.from('34200000,10000,10000,10000,10000,5\n'),
    };
    expect((await importTape([file])).tape.id).toBe('spy-2013-10-07-minute');
  });
});

describe('rounding', () => {
  test('is half to even on decimal digits, as big integers reckon it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 12 }), (units, decimals) => {
        const digits = String(units).padStart(decimals + 1, '0');
        const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
        const scale = 10n ** BigInt(decimals);
        const [whole, rest] = [(units * 10_000n) / scale, (units * 10_000n) % scale];
        const up = rest * 2n > scale || (rest * 2n === scale && whole % 2n === 1n);
        const wanted = whole + (up ? 1n : 0n);
        const got = roundedInteger(text, 4);
        expect(typeof got === 'number' ? BigInt(got) : got).toBe(
          wanted > BigInt(Number.MAX_SAFE_INTEGER) ? 'range' : wanted,
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('Databento', () => {
  const file = (rows: readonly string[]) => [{ name: 'x.csv', bytes: Buffer.from(rows.join('\n')) }];
  const linesOf = async (rows: readonly string[]) => {
    const { tape } = await importTape(file(rows), { format: 'databento' });
    return textOf(tape).trimEnd().split('\n').slice(1);
  };

  test('trades, raw', async () => {
    const rows = [
      'ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,depth,price,size,flags,ts_in_delta,sequence,symbol',
      '1381152600000200000,1381152600000123999,0,2,1,T,A,0,168110000000,100,0,100,1,SPY',
    ];
    expect(await linesOf(rows)).toEqual(['{"k":"trade","p":168.11,"s":"SPY","t":1381152600000123,"z":100}']);
  });

  test('mbp-1, pretty: each row is the book, a trade is also a print, an undefined side is absent', async () => {
    const rows = [
      'ts_event,action,side,price,size,bid_px_00,ask_px_00,bid_sz_00,ask_sz_00,symbol',
      '2013-10-07T13:30:00.000000000Z,A,B,168.100000000,12,168.100000000,168.110000000,12,30,SPY',
      '2013-10-07T13:30:00.000001999Z,T,A,168.110000000,5,168.100000000,168.110000000,12,25,SPY',
      '2013-10-07T13:30:01.000000000Z,C,A,168.110000000,25,168.100000000,9223372036854775807,12,0,SPY',
    ];
    expect(await linesOf(rows)).toEqual([
      '{"a":168.11,"az":30,"b":168.1,"bz":12,"k":"quote","s":"SPY","t":1381152600000000}',
      '{"a":168.11,"az":25,"b":168.1,"bz":12,"k":"quote","s":"SPY","t":1381152600000001}',
      '{"k":"trade","p":168.11,"s":"SPY","t":1381152600000001,"z":5}',
      '{"b":168.1,"bz":12,"k":"quote","s":"SPY","t":1381152601000000}',
    ]);
  });

  test('ohlcv-1m: the record type says the length', async () => {
    const rows = [
      'ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol',
      '1381152600000000000,33,1,1,168100000000,168200000000,168050000000,168110000000,51200,SPY',
    ];
    expect(await linesOf(rows)).toEqual([
      '{"c":168.11,"d":"1m","h":168.2,"k":"bar","l":168.05,"o":168.1,"s":"SPY","t":1381152660000000,"z":51200}',
    ]);
  });
});
