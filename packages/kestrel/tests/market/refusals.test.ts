/** What is refused, with which code, at which line: one golden case a way to be wrong. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseTape, TAPE_CODES, TapeRefusal } from '../../src/market/index.ts';
import { CLOSE, HEADER, OPEN, tapeFromLines, tapeOfEvents, textOf } from './lines.ts';

interface Refused {
  readonly name: string;
  /** `@` stands for the usual header. */
  readonly lines: readonly string[];
  readonly code: string;
  readonly line: number;
  /** A piece of the message. */
  readonly message?: string;
}

const CASES = JSON.parse(readFileSync(new URL('refusals.json', import.meta.url), 'utf8')) as readonly Refused[];
const USUAL = JSON.stringify(HEADER);

function refusalOf(lines: readonly string[], reader: 'fast' | 'strict'): TapeRefusal {
  try {
    parseTape(lines.join('\n'), { reader });
  } catch (error) {
    if (error instanceof TapeRefusal) return error;
    throw error;
  }
  throw new Error('it was taken');
}

function check(input: Refused, reader: 'fast' | 'strict'): void {
  const refusal = refusalOf(
    input.lines.map((line) => (line === '@' ? USUAL : line)),
    reader,
  );
  expect({ code: refusal.code, line: refusal.line }).toEqual({ code: input.code, line: input.line });
  expect(refusal.message).toContain(input.message ?? '');
  expect(refusal.message).toMatch(/wanted .+, got ./s);
  expect(refusal.message.length).toBeLessThan(800);
  expect(refusal.message.isWellFormed()).toBe(true);
}

describe.each(CASES)('$name', (input) => {
  test('is refused', () => {
    check(input, 'fast');
    check(input, 'strict');
  });
});

describe('bytes', () => {
  test('that are no UTF-8 are refused at their line', () => {
    const bytes = Buffer.concat([
      Buffer.from(`${USUAL}\n{"t":1381152600000000,"k":"news","text":"`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    expect(() => parseTape(bytes)).toThrowError(/^line 2: utf8-bad/);
  });

  test('of a line too long are refused without a look inside', () => {
    const long = `{"t":1381152600000000,"k":"news","text":"${'x'.repeat(2 ** 20)}"}`;
    expect(() => tapeFromLines([USUAL, long])).toThrowError(/^line 2: line-long/);
    const padded = `{"t":1381152600000000,"k":"halt",${' '.repeat(2 ** 20)}"s":"SPY","on":true}`;
    expect(() => tapeFromLines([USUAL, padded])).toThrowError(/^line 2: line-long/);
  });

  test('of a text with half a character are refused', () => {
    expect(() => parseTape(`${USUAL}\n"\ud800"`)).toThrowError(/^utf8-bad/);
  });
});

describe('what is odd and allowed', () => {
  const quote = { t: OPEN, k: 'quote', s: 'SPY' };
  test('no side, a size of 0, a price of 0 or below, crossed, locked, equal times, times before the open', () => {
    const events = [
      { ...quote, t: OPEN - 1 },
      quote,
      { ...quote, b: 168, bz: 0 },
      { ...quote, b: 0, bz: 1, a: -1.5, az: 1 },
      { ...quote, b: -0.0001, bz: 1, a: 168, az: 1 },
      { ...quote, b: 169, bz: 1, a: 168, az: 1 },
      { ...quote, b: 168, bz: 1, a: 168, az: 1 },
      { ...quote, bz: 1 },
    ];
    const tape = tapeOfEvents(events);
    const back = textOf(tape).trimEnd().split('\n').slice(1);
    expect(back.map((line) => JSON.parse(line))).toEqual(events);
    // A price that looks like the mark of an absent one stays apart from it in the text, and absent for the engine.
    expect([...tape.columns.a]).toEqual([-1, -1, 1_680_000, 0, -1, 1_690_000, 1_680_000, -1]);
  });

  test('several closes, and one after the session', () => {
    const tape = tapeOfEvents([
      { t: CLOSE, k: 'close', s: 'SPY', p: 167.43 },
      { t: CLOSE + 5, k: 'close', s: 'SPY', p: 167.44 },
    ]);
    expect([...tape.columns.a]).toEqual([1_674_300, 1_674_400]);
  });

  test('a pinned session on a day the calendar has closed, or does not know', () => {
    for (const date of ['2013-10-06', '1913-10-07', '2112-01-01']) {
      const tape = tapeOfEvents([], { ...HEADER, date, session: { open: OPEN + 5, close: OPEN + 9 } });
      expect(tape.session).toEqual({ open: OPEN + 5, close: OPEN + 9 });
    }
  });
});

describe('lenient reading', () => {
  const trade = (t: number, p: unknown) => JSON.stringify({ t, k: 'trade', s: 'SPY', p, z: 1 });
  const lines = [
    USUAL,
    trade(OPEN, 1),
    trade(OPEN - 1, 1),
    'x',
    trade(OPEN + 1, 1.00001),
    trade(OPEN + 2, 2),
    trade(OPEN + 3, 2.00001),
  ];

  test('skips bad lines, says which, and records them in the header and so in the identity', () => {
    const { tape, skipped } = parseTape(lines.join('\n'), { badLines: 'skip' });
    expect(skipped.map(({ line, code }) => [line, code])).toEqual([
      [3, 'time-back'],
      [4, 'json-bad'],
      [5, 'number-precise'],
      [7, 'number-precise'],
    ]);
    expect(tape.columns.length).toBe(2);
    expect(JSON.parse(JSON.stringify(tape.header.skipped))).toEqual({
      count: 4,
      why: [
        { code: 'json-bad', count: 1, lines: [4] },
        { code: 'number-precise', count: 2, lines: [5, 7] },
        { code: 'time-back', count: 1, lines: [3] },
      ],
    });
    const sound = tapeFromLines([USUAL, lines[1]!, lines[5]!]);
    expect(tape.identity).not.toBe(sound.identity);
    expect(parseTape(textOf(tape)).tape.identity).toBe(tape.identity);
  });

  test('keeps the record of an earlier skip inside the new one', () => {
    const once = textOf(parseTape(lines.join('\n'), { badLines: 'skip' }).tape);
    const twice = parseTape(`${once}x`, { badLines: 'skip' }).tape;
    expect(twice.header.skipped).toMatchObject({ count: 1, before: { count: 4 } });
  });

  test('changes nothing where every line is sound', () => {
    const sound = [USUAL, lines[1]!, lines[5]!].join('\n');
    expect(parseTape(sound, { badLines: 'skip' }).tape.identity).toBe(parseTape(sound).tape.identity);
  });

  test('never skips the header', () => {
    expect(() => parseTape('{"v":"x"}', { badLines: 'skip' })).toThrowError(/version-unknown/);
  });

  test('gives up on a file that is bad throughout', () => {
    const many = `${USUAL}\n${'x\n'.repeat(100_001)}`;
    expect(() => parseTape(many, { badLines: 'skip' })).toThrowError(/^line 100002: skips-many/);
  });

  test('tells a bounded number of lines and counts all', () => {
    const many = [USUAL, ...Array.from({ length: 3_000 }, () => 'x')].join('\n');
    const { tape, skipped } = parseTape(many, { badLines: 'skip' });
    expect(skipped).toHaveLength(1_000);
    expect(tape.header.skipped).toMatchObject({ count: 3_000 });
  });
});

test('every code of a line or a header has a golden case', () => {
  const seen = new Set([...CASES.map(({ code }) => code), 'utf8-bad', 'line-long']);
  const elsewhere = ['bytes-many', 'skips-many', 'gzip-bad', 'file-unreadable', 'instruments-many', 'events-many'];
  const lineCodes = TAPE_CODES.slice(0, TAPE_CODES.indexOf('option-bad'));
  expect(lineCodes.filter((code) => !seen.has(code) && !elsewhere.includes(code))).toEqual([]);
});
