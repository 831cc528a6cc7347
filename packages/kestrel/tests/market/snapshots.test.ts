/** Chain snapshots: golden small ones, the real ones against the archives they were derived from, and any text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Imported,
  type ImportOptions,
  importLean,
  importTape,
  Kind,
  type NamedBytes,
  parseTape,
  type Tape,
  TapeRefusal,
  writeTape,
} from '../../src/market/index.ts';
import { DERIVED, HAS_DATA, leanFile } from './data.ts';
import { textOf } from './lines.ts';

interface Case {
  readonly name: string;
  readonly file: string;
  readonly options?: ImportOptions;
  readonly rows: readonly string[];
  /** Event lines that come out, or */
  readonly lines?: readonly string[];
  readonly header?: Readonly<Record<string, unknown>>;
  /** the code it is refused with, and a piece of its message. */
  readonly code?: string;
  readonly message?: string;
}

const CASES = JSON.parse(readFileSync(new URL('snapshots.json', import.meta.url), 'utf8')) as readonly Case[];

async function made(files: readonly NamedBytes[], options: ImportOptions = {}): Promise<Imported | TapeRefusal> {
  try {
    return await importTape(files, options);
  } catch (error) {
    if (error instanceof TapeRefusal) return error;
    throw error;
  }
}

const bytesOf = (rows: readonly string[]): Uint8Array => new TextEncoder().encode(rows.join('\n'));

async function check({ file, rows, options, lines, header, code, message }: Case): Promise<void> {
  const got = await made([{ name: file, bytes: bytesOf(rows) }], options);
  if (got instanceof TapeRefusal) {
    expect([got.message, got.code]).toEqual([got.message, code]);
    expect(got.message).toContain(message ?? '');
    return;
  }
  const [first, ...events] = textOf(got.tape).trimEnd().split('\n');
  expect(events).toEqual(lines);
  expect(JSON.parse(first!)).toMatchObject(header ?? {});
  expect(parseTape(writeTape(got.tape)).tape.identity).toBe(got.tape.identity);
}

describe('chain snapshots', () => {
  test.each(CASES)('$name', check);

  test('are read packed, where the format is said', async () => {
    const { rows } = CASES[0]!;
    const plain = await made([{ name: 'goog_20151223_x.csv', bytes: bytesOf(rows) }]);
    const packed = [{ name: 'goog_20151223_x.csv.gz', bytes: new Uint8Array(gzipSync(bytesOf(rows))) }];
    expect((await made(packed, { format: 'chain-csv' })) as Imported).toEqual(plain);
  });

  test('beside a file that is none are refused', async () => {
    const files = [
      { name: 'goog_20151223_x.csv', bytes: bytesOf(CASES[0]!.rows) },
      { name: 'bars.csv', bytes: bytesOf(['Time,Open', '1,2']) },
    ];
    expect(await made(files)).toMatchObject({ code: 'column-missing' });
  });

  test('property: of any rows give a tape that reads back, or a refusal', async () => {
    const field = fc.oneof(
      fc.constantFrom('10:00', '20151224', '2015-12-24', 'C', 'put', '600', '0', '', '1.5', '-1', '1e3', '"', '9:61'),
      fc.string({ maxLength: 6 }),
    );
    const row = fc.array(field, { minLength: 8, maxLength: 8 }).map((fields) => fields.join(','));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), fc.constantFrom('refuse', 'skip'), async (rows, badLines) => {
        const good = '10:00,20151224,C,600,1,1,2,1';
        const text = ['time,expiry,right,strike,bid,bid_size,ask,ask_size', good, ...rows];
        const got = await made([{ name: 'goog_20151223_x.csv', bytes: bytesOf(text) }], { badLines });
        if (!(got instanceof TapeRefusal)) {
          expect(parseTape(writeTape(got.tape)).tape.identity).toBe(got.tape.identity);
        }
      }),
    );
  });
});

/** What stands of each contract at a time: sides, and since when. */
function standing({ columns, instruments }: Tape, t: number): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (let i = 0; i < columns.length && columns.t[i]! <= t; i++) {
    const each = instruments[columns.inst[i]!];
    if (columns.kind[i] !== Kind.oquote || each?.kind !== 'option') continue;
    const sides = [columns.a[i], columns.b[i], columns.c[i], columns.d[i], columns.t[i]].join(' ');
    last.set(`${each.expiry} ${each.strikeE4} ${each.right}`, sides);
  }
  return last;
}

describe.skipIf(!HAS_DATA)('the real snapshots', () => {
  test.each([
    ['goog', '20151223', ['equity/usa/minute/goog/20151223_trade.zip']],
    ['twx', '20140605', ['equity/usa/minute/twx/20140605_quote.zip', 'equity/usa/minute/twx/20140605_trade.zip']],
  ])(
    'of %s stand at their clocks as the chain that they were taken of, the share beside',
    async (symbol, date, share) => {
      const path = `${symbol}_${date}_chain_snapshots.csv`;
      const text = readFileSync(join(DERIVED, path));
      const { tape } = (await made([{ name: path, bytes: text }, ...share.map(leanFile)])) as Imported;
      const whole = importLean([leanFile(`option/usa/minute/${symbol}/${date}_quote_american.zip`)]).tape;
      expect(tape.instruments[0]).toMatchObject({ kind: 'equity', symbol: symbol.toUpperCase() });
      const midnight = tape.session.open - 34_200_000_000;
      const clocks = new Set(
        text
          .toString('utf8')
          .trim()
          .split('\n')
          .slice(1)
          .map((row) => row.slice(0, 5)),
      );
      for (const clock of clocks) {
        const [h, m] = clock.split(':').map(Number);
        const t = midnight + (h! * 60 + m!) * 60_000_000;
        const all = standing(whole, t);
        const shown = [...standing(tape, t)];
        expect(shown.filter(([contract, sides]) => all.get(contract) !== sides)).toEqual([]);
        expect(shown.length).toBeGreaterThan(100);
      }
    },
  );
});
