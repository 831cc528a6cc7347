/** Calls sold against shares of the plan: never more than the shares cover, and the shares wait for them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Blotter, runDay } from '../../src/engine/index.ts';
import { validate } from '../../src/lang/index.ts';
import { parse } from '../../src/lang/parse.ts';
import { parseTape } from '../../src/market/index.ts';

const OPEN = 1_710_163_800_000_000;
const CLOSE = OPEN + 3_600_000_000;

interface Moment {
  readonly s: number;
  readonly price: number;
}

/** SPY at each moment, and a call of 101 a fixed 0.50 above its worth, until the official close. */
function dayOf(moments: readonly Moment[], close: number): string {
  const header = {
    v: 'kestrel.tape/v1',
    id: 'covered',
    calendar: 'XNYS',
    date: '2024-03-11',
    instruments: [
      { symbol: 'SPY', kind: 'equity', tick: 0.01 },
      {
        root: 'SPY',
        kind: 'option',
        expiry: '2024-03-11',
        strikes: [99, 101],
        multiplier: 100,
        style: 'american',
        settles: 'close',
        tick: 0.01,
      },
    ],
    session: { open: OPEN, close: CLOSE },
  };
  const cents = (x: number): number => Math.round(x * 100) / 100;
  const events = moments.flatMap(({ s, price }) => {
    const t = OPEN + s * 1e6;
    const worth = cents(Math.max(0, price - 101) + 0.5);
    return [
      { t, k: 'quote', s: 'SPY', b: cents(price - 0.01), bz: 120, a: cents(price + 0.01), az: 120 },
      { t, k: 'oquote', s: 'SPY', x: '2024-03-11', r: 'C', K: 101, b: worth, bz: 2, a: cents(worth + 0.02), az: 2 },
      { t: t + 1, k: 'trade', s: 'SPY', p: price, z: 100 },
    ];
  });
  return [header, ...events, { t: CLOSE, k: 'close', s: 'SPY', p: close }].map((x) => JSON.stringify(x)).join('\n');
}

function run(tape: string, text: string): Blotter {
  const { document, diagnostics } = parse(text);
  expect(diagnostics).toEqual([]);
  return runDay({ tape: parseTape(tape).tape, documents: [document], fill: 'strict-cross-v1', rUsd: 100_000 });
}

const PLAN = (shares: number, calls: number, rest = '') =>
  `PLAN p budget 9R ttl +50m\n  DO buy ${shares} shares @ 101\n  RELOAD WHEN spot > 100.5 sell ${calls} 101 C @ bid\n${rest}`;

const RISE: readonly Moment[] = [
  { s: 0, price: 100 },
  { s: 10, price: 100 },
  { s: 60, price: 100.6 },
  { s: 120, price: 100.7 },
  { s: 3100, price: 100.8 },
  { s: 3200, price: 100.8 },
  { s: 3300, price: 100.8 },
];

test('a call against a hundred shares is sold, bought back at the ttl, and only then are its shares sold', () => {
  const { plans, refusals } = run(dayOf(RISE, 102), PLAN(100, 1));
  expect(refusals).toEqual([]);
  const fills = plans[0]!.fills.map((f) => [f.side, f.qty, f.instrument]);
  expect(fills).toEqual([
    ['buy', 100, 'SPY'],
    ['sell', 1, 'SPY 2024-03-11 101 C'],
    ['buy', 1, 'SPY 2024-03-11 101 C'],
    ['sell', 100, 'SPY'],
  ]);
  // Bought at 100.01, sold at 100.69, the bid that stands at the ttl; the call sold at 0.50 and bought at 0.52.
  expect(plans[0]!.realizedE4).toBe(100 * 6_800 - 100 * 200);
  expect(plans[0]).toMatchObject({ reason: 'expired', openQty: 0 });
});

test('what the shares do not cover is oversold', () => {
  const { refusals } = run(dayOf(RISE, 102), PLAN(150, 2));
  expect(refusals.map((r) => [r.code, r.message])).toEqual([
    ['oversold', 'sells 2, for which the plan has 150 shares free'],
  ]);
});

test('carried to the close, the call settles at its worth and the shares are marked: together the strike and the premium', () => {
  const text = PLAN(100, 1, '  INVALIDATE spot > 100.65 -> halt, ride\n');
  const [plan] = run(dayOf(RISE.slice(0, 4), 104), text).plans;
  expect(plan!.settlements).toMatchObject([
    { instrument: 'SPY 2024-03-11 101 C', priceE4: 30_000, underlyingE4: 1_040_000 },
  ]);
  expect(plan!.positions).toMatchObject([{ instrument: 'SPY', side: 'long', qty: 100, markE4: 1_040_000 }]);
  expect(plan!.netE4).toBe(100 * (1_010_000 + 5_000 - 1_000_100));
});

test('a TP of a sold call buys it back at half, and an EXIT sells the shares after it', () => {
  const fall = [
    ...RISE.slice(0, 4),
    { s: 130, price: 99 },
    { s: 140, price: 99 },
    { s: 150, price: 99 },
    { s: 160, price: 99 },
  ];
  const text = PLAN(100, 1, '  EXIT spot < 99.5 @ ask\n');
  const fills = run(dayOf(fall, 99), text).plans[0]!.fills.map((f) => `${f.side} ${f.qty} ${f.instrument}`);
  expect(fills.slice(0, 3)).toEqual(['buy 100 SPY', 'sell 1 SPY 2024-03-11 101 C', 'buy 1 SPY 2024-03-11 101 C']);
});

test('an offer above what the call can be worth is no way out: the close at the market waits for a better one', () => {
  const text = PLAN(100, 1, '  INVALIDATE spot > 100.75 -> flat\n');
  const lines = dayOf(RISE, 100.8).split('\n');
  const t = OPEN + 3_050e6;
  const stub = { t, k: 'oquote', s: 'SPY', x: '2024-03-11', r: 'C', K: 101, b: 0.5, bz: 2, a: 500, az: 9 };
  const at = lines.findIndex((line) => JSON.parse(line).t > t);
  lines.splice(at, 0, JSON.stringify(stub));
  const late = lines.filter(
    (line) => !(line.includes('oquote') && JSON.parse(line).t > t && JSON.parse(line).t < OPEN + 3_300e6),
  );
  const fills = run(late.join('\n'), text.replace('ttl +50m', 'ttl +59m')).plans[0]!.fills;
  const bought = fills.find((f) => f.side === 'buy' && f.instrument.endsWith('C'))!;
  expect([bought.t, bought.priceE4]).toEqual([OPEN + 3_300e6, 5_200]);
});

test.each([
  ['a put is covered by no shares', 'RELOAD WHEN spot > 1 sell 1 101 P @ bid', ['K030']],
  ['a hundred shares cover one call', 'RELOAD WHEN spot > 1 sell 1 101 C @ bid', []],
  ['and not two', 'RELOAD WHEN spot > 1 sell 2 101 C @ bid', ['K030']],
  ['before they are owned they cover none', 'ALSO sell 1 101 C @ bid', ['K030']],
])('%s', (_what, clause, codes) => {
  const { diagnostics } = validate(
    `PLAN p budget 9R ttl 15:30\n  DO buy 100 shares @ ask\n  ${clause}\n  EXIT spot < 1 @ bid\n`,
  );
  expect(diagnostics.filter((d) => d.severity === 'error').map((d) => d.code)).toEqual(codes);
});

test('whatever the course, shares owned are never fewer than the calls they stand for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 9_900, max: 10_200 }), { minLength: 4, maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 2 }),
      fc.constantFrom(
        '',
        '  TP 1.001x frac 0.5 @ ask\n',
        '  EXIT spot < 99.8 @ bid\n',
        '  INVALIDATE spot < 99.5 -> flat\n',
      ),
      (prices, lots, calls, rest) => {
        const moments = prices.map((cents, i) => ({ s: i * 80, price: cents / 100 }));
        const { plans } = run(dayOf(moments, prices.at(-1)! / 100), PLAN(lots * 100, calls, rest));
        let shares = 0;
        let short = 0;
        for (const { side, qty, instrument } of plans[0]!.fills) {
          if (instrument === 'SPY') shares += side === 'buy' ? qty : -qty;
          else short += side === 'sell' ? qty : -qty;
          expect(short).toBeGreaterThanOrEqual(0);
          expect(shares).toBeGreaterThanOrEqual(short * 100);
        }
      },
    ),
    { numRuns: 150 },
  );
});
