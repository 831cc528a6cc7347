/** Laws of the format: one identity for all spellings, readers that agree, text that reads back. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { sha256 } from 'ground/digest';
import { describe, expect, test } from 'vitest';
import { parseTape, type Tape, unpack, writeTape } from '../../src/market/index.ts';
import { diceOf, eventList, HEADER, type Plain, respelled, tapeFromLines, tapeOfEvents, textOf } from './lines.ts';
import { oracleIdentity, oracleRows } from './oracle.ts';

const RUNS = { numRuns: 150 };

function rowsOf(tape: Tape): unknown {
  const { columns } = tape;
  return Array.from({ length: columns.length }, (_, i) => ({
    t: columns.t[i],
    kind: columns.kind[i],
    a: columns.a[i],
    b: columns.b[i],
    c: columns.c[i],
    d: columns.d[i],
  }));
}

/** Everything a reader may see of a tape, in a form that compares. */
function wholeOf(tape: Tape): unknown {
  const { columns } = tape;
  const list = (column: ArrayLike<number>) => Array.from(column);
  return {
    identity: tape.identity,
    rows: rowsOf(tape),
    flags: list(columns.flags),
    inst: list(columns.inst),
    bars: Object.values(columns.bars).map(list),
    texts: columns.texts,
    extras: [...columns.extras],
  };
}

describe('a tape', () => {
  test('has the identity of its canonical lines, reckoned by another library', () => {
    fc.assert(
      fc.property(eventList(3), (events) => {
        expect(tapeOfEvents(events).identity).toBe(oracleIdentity([HEADER, ...events]));
      }),
      RUNS,
    );
  });

  test('has one identity however it is spelled', () => {
    fc.assert(
      fc.property(eventList(3), fc.integer(), (events, seed) => {
        const dice = diceOf(seed);
        const lines = [HEADER, ...events].map((each) => respelled(each, dice));
        const ends = dice() % 2 === 0 ? '\r\n' : '\n';
        const odd = new TextEncoder().encode(`\ufeff${lines.join(dice() % 3 === 0 ? `${ends}  ${ends}` : ends)}`);
        const packed = gzipSync(odd);
        expect(wholeOf(parseTape(unpack(packed)).tape)).toEqual(wholeOf(tapeOfEvents(events)));
      }),
      RUNS,
    );
  });

  test('reads back from what is written, and what is written hashes to the identity', () => {
    fc.assert(
      fc.property(eventList(3), (events) => {
        const tape = tapeOfEvents(events);
        const bytes = writeTape(tape);
        expect(sha256(bytes)).toBe(tape.identity);
        expect(wholeOf(parseTape(bytes).tape)).toEqual(wholeOf(tape));
        const strict = parseTape(bytes, { reader: 'strict' }).tape;
        expect(wholeOf(strict)).toEqual(wholeOf(tape));
      }),
      RUNS,
    );
  });

  test('keeps every field it does not know', () => {
    fc.assert(
      fc.property(eventList(1), (events) => {
        const back = textOf(tapeOfEvents(events)).trimEnd().split('\n').slice(1);
        expect(back.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(events)));
      }),
      RUNS,
    );
  });

  test('has the rows that a second reading finds', () => {
    fc.assert(
      fc.property(eventList(4), fc.integer(), (events, seed) => {
        const dice = diceOf(seed);
        const lines = [HEADER, ...events].map((each) => respelled(each, dice));
        expect(rowsOf(tapeFromLines(lines))).toEqual(oracleRows(lines));
      }),
      RUNS,
    );
  });
});

describe('the fast and the strict reader', () => {
  test('agree on every line, sound or not', () => {
    const verdict = (lines: readonly string[], reader: 'fast' | 'strict', badLines: 'refuse' | 'skip') => {
      try {
        const { tape, skipped } = parseTape(lines.join('\n'), { reader, badLines });
        return { whole: wholeOf(tape), skipped };
      } catch (error) {
        return { refused: (error as Error).message };
      }
    };
    const marks = [
      '"',
      ',',
      ':',
      '{',
      '}',
      ' ',
      '\\',
      '-',
      '.',
      '0',
      '9',
      'e',
      '\t',
      'b',
      'z',
      'é',
      '\u0000',
      '1e5',
      '00',
      'null',
      '"s":"SPY",',
    ];
    fc.assert(
      fc.property(
        eventList(4),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...marks)), { maxLength: 6 }),
        fc.constantFrom('refuse' as const, 'skip' as const),
        (events, edits, badLines) => {
          const lines = [HEADER, ...events].map((each) => JSON.stringify(each));
          for (const [line, at, cut, mark] of edits) {
            const i = 1 + (line % Math.max(1, lines.length - 1));
            const text = lines[i];
            if (text === undefined) continue;
            const from = at % (text.length + 1);
            lines[i] = text.slice(0, from) + mark + text.slice(from + cut);
          }
          expect(verdict(lines, 'fast', badLines)).toEqual(verdict(lines, 'strict', badLines));
        },
      ),
      { numRuns: 700 },
    );
  });
});

describe('columns', () => {
  test('widen only for a tape that needs it', () => {
    const quote = (b: number): Plain => ({ t: 1_381_152_600_000_000, k: 'quote', s: 'SPY', b, bz: 1, a: b + 1, az: 1 });
    expect(tapeOfEvents([quote(214_747)]).columns.a).toBeInstanceOf(Int32Array);
    const wide = tapeOfEvents([quote(168.1), quote(999_999_998.0001)]);
    expect(wide.columns.a).toBeInstanceOf(Float64Array);
    expect([...wide.columns.a]).toEqual([1_681_000, 9_999_999_980_001]);
    expect(wide.columns.b).toBeInstanceOf(Int32Array);
  });

  test('take 28 bytes an event', () => {
    const events = Array.from({ length: 1_000 }, (_, i) => ({
      t: 1_381_152_600_000_000 + i,
      k: 'trade',
      s: 'SPY',
      p: 1.5,
      z: 1,
    }));
    const { columns } = tapeOfEvents(events);
    const bytes = [columns.t, columns.kind, columns.flags, columns.inst, columns.a, columns.b, columns.c, columns.d];
    expect(bytes.reduce((sum, column) => sum + column.byteLength, 0)).toBe(28_000);
  });
});
