/** The first and the last price of a symbol on a day. */
import { describe, expect, test } from 'vitest';
import { firstPriceE4, lastPriceE4, openPriceE4 } from '../../src/market/index.ts';
import { CLOSE, OPEN, type Plain, tapeOfEvents } from './lines.ts';

const MINUTE = 60_000_000;
const trade = (t: number, p: number, more: Plain = {}) => ({ t, k: 'trade', s: 'SPY', p, z: 1, ...more });
const quote = (t: number, b: number, a: number) => ({ t, k: 'quote', s: 'SPY', b, bz: 1, a, az: 1 });
const bar = (t: number, o: number, c: number) => ({
  t,
  k: 'bar',
  s: 'SPY',
  d: '1m',
  o,
  h: Math.max(o, c),
  l: Math.min(o, c),
  c,
  z: 1,
});
const news = { t: OPEN, k: 'news', text: 'x' };

interface Expected {
  readonly open: number | null;
  readonly first: number | null;
  readonly last: number | null;
}

function check(events: readonly Plain[], expected: Expected): void {
  const tape = tapeOfEvents(events);
  const got = { open: openPriceE4(tape, 'SPY'), first: firstPriceE4(tape, 'SPY'), last: lastPriceE4(tape, 'SPY') };
  expect(got).toEqual(expected);
}

describe('the prices of a day', () => {
  test.each<[string, readonly Plain[], Expected]>([
    ['nothing', [], { open: null, first: null, last: null }],
    ['news alone', [news], { open: null, first: null, last: null }],
    ['another symbol', [trade(OPEN, 5, { s: 'VIX' })], { open: null, first: null, last: null }],
    [
      'prints around the session',
      [trade(OPEN - 1, 1), trade(OPEN, 2), trade(CLOSE, 3), trade(CLOSE + 1, 4)],
      { open: 20_000, first: 20_000, last: 30_000 },
    ],
    [
      'doubted prints and prints of nothing',
      [trade(OPEN, 9, { suspect: true }), trade(OPEN, 0), trade(OPEN + 1, 2), trade(OPEN + 2, 9, { suspect: true })],
      { open: 20_000, first: 20_000, last: 20_000 },
    ],
    [
      'a bar that began before the open holds no opening print',
      [bar(OPEN, 1, 2), bar(OPEN + MINUTE, 3, 4), bar(CLOSE, 5, 6), bar(CLOSE + MINUTE, 7, 8)],
      { open: 30_000, first: 30_000, last: 60_000 },
    ],
    [
      'quotes stand in for prints, good ones alone',
      [quote(OPEN, 2, 1), quote(OPEN + 1, 1, 2), quote(OPEN + 2, 2, 2.0001), quote(OPEN + 3, 0, 9)],
      { open: null, first: 15_000, last: 20_000 },
    ],
    [
      'a quote before the first print',
      [quote(OPEN, 1, 2), trade(OPEN + 1, 5), quote(OPEN + 2, 7, 8)],
      { open: 50_000, first: 15_000, last: 50_000 },
    ],
    [
      'the official close, the first of two',
      [
        trade(OPEN, 5),
        { t: CLOSE, k: 'close', s: 'SPY', p: 6 },
        { t: CLOSE + 5, k: 'close', s: 'VIX', p: 8 },
        { t: CLOSE + 6, k: 'close', s: 'SPY', p: 7 },
      ],
      { open: 50_000, first: 50_000, last: 60_000 },
    ],
    [
      'the close of another symbol',
      [trade(OPEN, 5), { t: CLOSE, k: 'close', s: 'VIX', p: 6 }],
      { open: 50_000, first: 50_000, last: 50_000 },
    ],
    ['a close alone', [{ t: CLOSE, k: 'close', s: 'SPY', p: 6 }], { open: null, first: null, last: 60_000 }],
  ])('%s', (_, events, expected) => check(events, expected));
});
