/** Seeded fuzzers: whatever the bytes, a reader answers with a tape that reads back, or with a coded refusal. */
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import {
  decodeCache,
  encodeCache,
  importCsv,
  importLean,
  parseTape,
  TapeRefusal,
  unpack,
  writeTape,
} from '../../src/market/index.ts';
import { diceOf, HEADER, OPEN, tapeOfEvents } from './lines.ts';

const EVENTS = [
  { t: OPEN, k: 'quote', s: 'SPY', b: 168.1, bz: 12, a: 168.11, az: 30 },
  { t: OPEN + 1, k: 'trade', s: 'SPY', p: 168.11, z: 100, suspect: true },
  { t: OPEN + 2, k: 'oquote', s: 'SPY', x: '2013-10-11', r: 'C', K: 168, b: 1.2, bz: 50, a: 1.25, az: 40 },
  { t: OPEN + 3, k: 'bar', s: 'BRK.B', d: '1m', o: 1, h: 2, l: 0.5, c: 1.5, z: 7 },
  { t: OPEN + 4, k: 'halt', s: 'SPY', on: true },
  { t: OPEN + 5, k: 'news', text: 'é "x" \\ \u2028', q: { deep: [1, null, 'z'] } },
  { t: OPEN + 6, k: 'oi', s: 'SPY', x: '2013-10-11', r: 'P', K: 168.5, z: 9 },
];
const BYTES = writeTape(tapeOfEvents(EVENTS));
const SPLICES = [
  '\n',
  '"',
  '{',
  '}',
  '[',
  ',',
  '\\u',
  '\ufeff',
  'e9',
  '-',
  '.',
  '0',
  '\r\n',
  '\0',
  ':',
  'true',
  'k',
  '__proto__',
];

/** A copy with some bytes changed, cut out, doubled or put in. */
function mutated(bytes: Uint8Array, dice: () => number): Uint8Array {
  let out = Buffer.from(bytes);
  for (let edits = 1 + (dice() % 4); edits > 0; edits--) {
    const at = dice() % (out.length + 1);
    const size = dice() % 6;
    switch (dice() % 5) {
      case 0:
        if (at < out.length) out[at] = dice() % 256;
        break;
      case 1:
        out = Buffer.concat([out.subarray(0, at), out.subarray(at + size)]);
        break;
      case 2:
        out = Buffer.concat([out.subarray(0, at), Buffer.from(SPLICES[dice() % SPLICES.length]!), out.subarray(at)]);
        break;
      case 3:
        out = Buffer.concat([out.subarray(0, at + size * 9), out.subarray(at)]);
        break;
      default:
        out = out.subarray(0, at);
    }
  }
  return out;
}

/** Runs until its time is over, at least `least` times; every failure names its seed. */
function fuzz(what: { readonly seconds: number; readonly least: number }, one: (dice: () => number) => void): void {
  const end = performance.now() + what.seconds * 1_000;
  for (let seed = 1; seed <= what.least || performance.now() < end; seed++) {
    try {
      one(diceOf(seed));
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
  }
}

/** The value, or undefined where it was refused as it should be. */
function orRefused<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TapeRefusal)) throw error;
    expect(error.message.length).toBeLessThan(1_200);
    return undefined;
  }
}

describe('altered bytes', () => {
  test('of a tape: taken, and then it reads back the same, or refused', () => {
    let taken = 0;
    fuzz({ seconds: 1, least: 500 }, (dice) => {
      const bytes = mutated(BYTES, dice);
      const badLines = dice() % 2 === 0 ? 'refuse' : 'skip';
      const parsed = orRefused(() => parseTape(bytes, { badLines }));
      if (parsed === undefined) return;
      taken++;
      const again = parseTape(writeTape(parsed.tape)).tape;
      expect(again.identity).toBe(parsed.tape.identity);
      expect(again.columns.length).toBe(parsed.tape.columns.length);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });
    expect(taken).toBeGreaterThan(50);
  });

  test('of a gzip file: refused, or all of it is there', () => {
    const packed = gzipSync(BYTES);
    fuzz({ seconds: 1, least: 300 }, (dice) => {
      const out = orRefused(() => unpack(mutated(packed, dice)));
      if (out === undefined || !(packed[0] === 0x1f)) return;
      orRefused(() => parseTape(out));
    });
  });

  test('of a cache: never taken for the tape', () => {
    const source = 'a'.repeat(64);
    const whole = encodeCache({ tape: tapeOfEvents(EVENTS), skipped: [] }, source);
    expect(decodeCache(whole, source)?.tape.identity).toBe(tapeOfEvents(EVENTS).identity);
    expect(decodeCache(whole, 'b'.repeat(64))).toBeUndefined();
    fuzz({ seconds: 1, least: 300 }, (dice) => {
      const bytes = new Uint8Array(mutated(whole, dice));
      if (Buffer.compare(bytes, whole) !== 0) expect(decodeCache(bytes, source)).toBeUndefined();
    });
  });

  test('of a zip: refused, or rows with their checksum', () => {
    const csv = '34200000,1681000,1681500,1680500,1681100,512\n34260000,1681000,1681500,1680500,1681100,512\n';
    const zip = zipSync({ '20131007_spy_minute_trade.csv': Buffer.from(csv) });
    const sound = importLean([{ name: 'equity/usa/minute/spy/20131007_trade.zip', bytes: zip }]).tape;
    fuzz({ seconds: 1, least: 300 }, (dice) => {
      const bytes = new Uint8Array(mutated(zip, dice));
      const made = orRefused(() => importLean([{ name: 'equity/usa/minute/spy/20131007_trade.zip', bytes }]));
      if (made !== undefined && bytes[0] === 0x50) expect(made.tape.columns).toEqual(sound.columns);
    });
  });

  test('of delimited text: refused, or a tape that reads back', () => {
    const csv =
      'Time,Open,High,Low,Close,Volume\n2013-10-07 09:30:00,1,2,0.5,1.5,100\n"2013-10-07 09:31:00",1.5,2,1,1.25,7\n';
    const options = { symbol: 'SPY', zone: 'America/New_York', bar: '1m' } as const;
    let taken = 0;
    fuzz({ seconds: 1, least: 300 }, (dice) => {
      const bytes = mutated(Buffer.from(csv), dice);
      const made = orRefused(() =>
        importCsv([{ name: 'x.csv', bytes }], { ...options, badLines: dice() % 2 ? 'skip' : 'refuse' }),
      );
      if (made === undefined) return;
      taken++;
      expect(parseTape(writeTape(made.tape)).tape.identity).toBe(made.tape.identity);
    });
    expect(taken).toBeGreaterThan(20);
  });
});

describe('hostile shapes', () => {
  test('names of the language itself are names', () => {
    const line = JSON.parse(
      `{"t":${OPEN},"k":"halt","s":"SPY","on":true,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`,
    );
    const header = JSON.parse(`{"__proto__":{"polluted":1},"reference":{"__proto__":{"priorClose":1}}}`);
    const tape = tapeOfEvents([line], { ...HEADER, ...header, reference: header.reference });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(tape.reference.SPY).toBeUndefined();
    expect(parseTape(writeTape(tape)).tape.identity).toBe(tape.identity);
  });

  test('as many instruments as the bound, and one more', () => {
    const chain = {
      root: 'X',
      kind: 'option',
      expiry: '2013-10-11',
      multiplier: 100,
      style: 'american',
      settles: 'close',
      tick: 0.01,
    };
    const strikes = (n: number) => Array.from({ length: n }, (_, i) => (100 + i) / 100);
    const many = tapeOfEvents([{ t: OPEN, k: 'oquote', s: 'X', x: '2013-10-11', r: 'P', K: 500.99 }], {
      ...HEADER,
      instruments: [{ ...chain, strikes: strikes(50_000) }],
    });
    expect(many.columns.inst).toBeInstanceOf(Int32Array);
    expect(many.instruments[many.columns.inst[0]!]).toMatchObject({ strikeE4: 5_009_900, right: 'P' });
    expect(() => tapeOfEvents([], { ...HEADER, instruments: [{ ...chain, strikes: strikes(50_001) }] })).toThrowError(
      /instruments-many/,
    );
  });

  test('symbols made to collide cost no more than others', () => {
    // Each pair of `Aa` and `BB` has one hash under the usual multiplier 31.
    const names = Array.from({ length: 4_096 }, (_, i) =>
      i.toString(2).padStart(12, '0').replaceAll('0', 'Aa').replaceAll('1', 'BB'),
    );
    const instruments = names.map((symbol) => ({ symbol, kind: 'equity', tick: 0.01 }));
    const events = names.map((s, i) => ({ t: OPEN + i, k: 'trade', s, p: 1, z: 1 }));
    const start = performance.now();
    const tape = tapeOfEvents(events, { ...HEADER, instruments });
    expect([...tape.columns.inst]).toEqual(names.map((_, i) => i));
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test('a hundred million bytes of blank lines take no time, and no events', () => {
    const blank = Buffer.alloc(100_000_000, ' \t\r\n\n');
    Buffer.from(JSON.stringify(HEADER)).copy(blank, 50_000_000);
    const start = performance.now();
    expect(parseTape(blank).tape.columns.length).toBe(0);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  test('a gzip bomb is refused by its bound', () => {
    const bomb = gzipSync(Buffer.alloc(80_000_000));
    expect(() => unpack(bomb)).toThrowError(/^bytes-many/);
  });

  test('a zip that says less than it holds is refused', () => {
    const zip = Buffer.from(zipSync({ '20131007_spy_minute_trade.csv': new Uint8Array(1_000_000) }));
    const central = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    zip.writeUInt32LE(10, central + 24);
    expect(() => importLean([{ name: 'x.zip', bytes: zip }])).toThrowError(/zip-bomb/);
    zip.writeUInt32LE(2_000_000_000, central + 24);
    expect(() => importLean([{ name: 'x.zip', bytes: zip }])).toThrowError(/zip-bomb/);
  });

  test('a name with folders going up is only a name', () => {
    const zip = zipSync({
      '../../etc/20131007_spy_minute_trade.csv': Buffer.from('34200000,10000,10000,10000,10000,5\n'),
    });
    expect(importLean([{ name: 'x.zip', bytes: zip }]).tape.columns.length).toBe(1);
  });
});
