/** Three books over one day: each is the run under its own model, and a touch is never less than a cross. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BRACKET, BRACKET_BOOKS, runBracket, runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { parseTape, synthTape, type Tape } from '../../src/market/index.ts';

const OPEN = 1_710_163_800_000_000;

function bracket(tape: Tape, text: string) {
  const { document, diagnostics } = parse(text);
  expect(diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
  return runBracket({ tape, fees: 'none', rE4: 100_000_000, documents: [document], document: null });
}

test('each book is what a run under its model gives, whatever the turns of the three', () => {
  const tape = synthTape({ seed: 'bracket', date: '2024-03-11', regime: 'choppy', symbol: 'SYN', events: 60_000 });
  const text =
    'PLAN p budget 9R ttl 15:30\n  WHEN spot > VWAP\n  DO buy 10 shares @ bid peg\n  TP 1.0005x @ ask\n  EXIT spot < VWAP @ bid\n';
  const { document } = parse(text);
  const books = bracket(tape, text);
  expect(books.headline).toBe('pessimistic');
  for (const book of BRACKET_BOOKS) {
    expect(books[book].pins.fill).toBe(BRACKET[book]);
    const alone = () => runDay({ tape, documents: [document], fill: BRACKET[book], rUsd: 10_000 });
    // The hopeful model stands beside others alone.
    if (book === 'touch') expect(alone).toThrow('touch-v1 is no fill model');
    else expect(books[book].totals).toEqual(alone().totals);
  }
  expect(books.pessimistic.totals.fills).toBeGreaterThan(0);
});

/** A bid of 100.00 for `queue`, prints at it, no print and no quote through it. */
function touched(queue: number, prints: readonly number[]): Tape {
  const header = {
    v: 'kestrel.tape/v1',
    id: 'touch',
    calendar: 'XNYS',
    date: '2024-03-11',
    instruments: [{ symbol: 'SPY', kind: 'equity', tick: 0.01 }],
    session: { open: OPEN, close: OPEN + 3_600_000_000 },
  };
  const events = [
    { t: OPEN, k: 'quote', s: 'SPY', b: 100, bz: queue, a: 100.02, az: 50 },
    { t: OPEN + 1e6, k: 'trade', s: 'SPY', p: 100.02, z: 1 },
    ...prints.map((z, i) => ({ t: OPEN + (i + 2) * 1e6, k: 'trade', s: 'SPY', p: 100, z })),
  ];
  return parseTape([header, ...events].map((line) => JSON.stringify(line)).join('\n')).tape;
}

test('a print at the limit fills nobody, who waited out the queue, or everyone', () => {
  const books = bracket(touched(1, [2, 2]), 'PLAN p budget 9R ttl +30m\n  DO buy 3 shares @ 100\n');
  const fills = (book: (typeof BRACKET_BOOKS)[number]) =>
    books[book].plans[0]!.fills.filter((f) => f.side === 'buy').map((f) => [f.qty, f.cause]);
  expect(fills('pessimistic')).toEqual([]);
  expect(fills('maker')).toEqual([
    [1, 'print-at'],
    [2, 'print-at'],
  ]);
  expect(fills('touch')).toEqual([
    [2, 'print-through'],
    [1, 'print-through'],
  ]);
});

test('bought quantities rise from the pessimistic book to the touch', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 12 }),
      (queue, prints) => {
        const books = bracket(touched(queue, prints), 'PLAN p budget 90R ttl +30m\n  DO buy 9 shares @ 100\n');
        const bought = (book: (typeof BRACKET_BOOKS)[number]): number =>
          books[book].plans[0]!.fills.reduce((n, f) => n + (f.side === 'buy' ? f.qty : 0), 0);
        expect(bought('pessimistic')).toBe(0);
        const printed = prints.reduce((n, z) => n + z, 0);
        expect(bought('maker')).toBe(Math.min(9, Math.max(0, printed - queue)));
        expect(bought('touch')).toBe(Math.min(9, printed));
      },
    ),
    { numRuns: 60 },
  );
});
