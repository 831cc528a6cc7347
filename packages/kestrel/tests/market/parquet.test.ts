/** Parquet files written by another hand (parquet.py), under the same options as delimited text. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ImportOptions, importTape, TapeRefusal } from '../../src/market/index.ts';
import { diceOf, textOf } from './lines.ts';

const FILES = JSON.parse(readFileSync(new URL('parquet.json', import.meta.url), 'utf8')) as Record<string, string>;

function bytesOf(name: string): Uint8Array {
  return new Uint8Array(Buffer.from(FILES[name]!, 'base64'));
}

async function linesOf(name: string, options: ImportOptions): Promise<string[]> {
  const { tape } = await importTape([{ name: `${name}.parquet`, bytes: bytesOf(name) }], options);
  return textOf(tape).trimEnd().split('\n').slice(1);
}

const BARS = [
  '{"c":168.11,"d":"1m","h":168.2,"k":"bar","l":168.05,"o":168.1,"s":"SPY","t":1381152660000000,"z":51200}',
  '{"c":168.25,"d":"1m","h":168.3,"k":"bar","l":168,"o":168.11,"s":"SPY","t":1381152720000000,"z":7}',
];

describe('a Parquet file', () => {
  test('with timestamps in UTC', async () => {
    expect(await linesOf('bars-utc', { symbol: 'SPY', bar: '1m' })).toEqual(BARS);
  });

  test('with timestamps of no zone needs one, as local times do', async () => {
    expect(await linesOf('bars-naive', { symbol: 'SPY', bar: '1m', zone: 'America/New_York' })).toEqual(BARS);
    await expect(linesOf('bars-naive', { symbol: 'SPY', bar: '1m' })).rejects.toThrowError(
      /option-bad: wanted a time zone/,
    );
  });

  test('of days', async () => {
    expect(await linesOf('days', { symbol: 'SPY', date: '2013-10-07' })).toEqual([
      '{"c":168.25,"d":"390m","h":168.3,"k":"bar","l":168,"o":168.11,"s":"SPY","t":1381176000000000,"z":7}',
    ]);
  });

  test('of quotes with nanoseconds, dictionaries, nulls and decimals', async () => {
    const map = 't=ts,s=symbol,b=bid,bz=bid_size,a=ask,az=ask_size';
    await expect(linesOf('quotes', { map })).rejects.toThrowError(/line 1: number-precise/);
    expect(await linesOf('quotes', { map, belowUs: 'floor' })).toEqual([
      '{"a":168.11,"az":30,"b":168.1,"bz":12,"k":"quote","s":"SPY","t":1381152600000001}',
      '{"a":77.5,"az":5,"k":"quote","s":"QQQ","t":1381152600005000}',
    ]);
  });

  test('of 32-bit floats is refused unless it may be rounded', async () => {
    await expect(linesOf('floats', { symbol: 'SPY' })).rejects.toThrowError(/number-precise/);
    expect(await linesOf('floats', { symbol: 'SPY', overPrecise: 'half-even' })).toEqual([
      '{"k":"trade","p":168.11,"s":"SPY","t":1381152600000000,"z":1}',
      '{"k":"trade","p":168.5,"s":"SPY","t":1381152660000000,"z":2}',
    ]);
  });

  test('of a codec that is not read is refused by its name', async () => {
    await expect(linesOf('bars-zstd', { symbol: 'SPY', bar: '1m' })).rejects.toThrowError(/parquet-bad: .*ZSTD/);
  });

  test('altered is refused, or read; it never hangs or fails otherwise', async () => {
    const whole = bytesOf('bars-utc');
    const end = performance.now() + 1_500;
    for (let seed = 1; seed <= 150 || performance.now() < end; seed++) {
      const dice = diceOf(seed);
      const bytes = whole.slice(0, dice() % 3 === 0 ? dice() % whole.length : whole.length);
      for (let edits = dice() % 5; edits > 0; edits--)
        bytes[4 + (dice() % Math.max(1, bytes.length - 4))] = dice() % 256;
      try {
        await importTape([{ name: 'x.parquet', bytes }], { symbol: 'SPY', bar: '1m', format: 'parquet' });
      } catch (error) {
        if (!(error instanceof TapeRefusal)) throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });
});
