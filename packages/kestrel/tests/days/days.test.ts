/** Plans over several days: what is owned overnight is adjusted exactly, or the run is refused. */
import { describe, expect, test } from 'vitest';
import { absolutePrices } from '../../src/engine/absolute.ts';
import { EngineRefusal, runDays } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { headFromPlain } from '../../src/market/header.ts';
import { parseTape, sessionOf, type Tape } from '../../src/market/index.ts';

const R_E4 = 100_000_000;

interface Day {
  readonly date: string;
  readonly price: number;
  readonly close: number;
  readonly symbol?: string;
  readonly kind?: 'equity' | 'index';
  readonly strikes?: readonly number[];
  readonly expiry?: string;
  readonly settles?: 'close' | 'open';
  readonly actions?: object;
  /** How much more a contract is worth for each unit that its strike is nearer than ten to the price. */
  readonly slope?: number;
  /** The first print of the session, where it is not `price`. */
  readonly opens?: number;
}

/** A quote, a print and a chain a penny per cent above worth; an official close. */
function dayOf(day: Day): Tape {
  const { date, price, close, symbol = 'AAPL', kind = 'equity', strikes = [], expiry = '2014-06-20' } = day;
  const session = sessionOf('XNYS', date)!;
  const header = {
    v: 'kestrel.tape/v1',
    id: `${symbol}-${date}`,
    calendar: 'XNYS',
    date,
    instruments: [
      { symbol, kind, tick: 0.01 },
      ...(strikes.length === 0
        ? []
        : [
            {
              root: symbol,
              kind: 'option',
              expiry,
              strikes,
              multiplier: 100,
              style: kind === 'index' ? 'european' : 'american',
              settles: day.settles ?? 'close',
              tick: 0.01,
            },
          ]),
    ],
    ...(day.actions === undefined ? {} : { actions: day.actions }),
  };
  headFromPlain(header);
  const lines: object[] = [
    header,
    { t: session.open, k: 'trade', s: symbol, p: day.opens ?? price, z: 100 },
    { t: session.open + 1e6, k: 'quote', s: symbol, b: price - 0.05, bz: 500, a: price + 0.05, az: 500 },
    { t: session.open + 2e6, k: 'trade', s: symbol, p: price, z: 100 },
  ];
  for (const K of strikes) {
    for (const r of ['C', 'P']) {
      const near = (day.slope ?? 0) * Math.max(0, 10 - Math.abs(K - price));
      const worth = Math.max(0, r === 'C' ? price - K : K - price) + 1 + near;
      const t = session.open + 3e6;
      lines.push({ t, k: 'oquote', s: symbol, x: expiry, r, K, b: worth, bz: 50, a: worth + 0.1, az: 50 });
    }
  }
  lines.push({ t: session.close, k: 'close', s: symbol, p: close });
  // Sums of cents are rounded to the four decimals that a tape has.
  const four = (_: string, v: unknown): unknown => (typeof v === 'number' ? Number(v.toFixed(4)) : v);
  return parseTape(lines.map((line) => JSON.stringify(line, four)).join('\n')).tape;
}

function run(days: readonly Day[], text: string) {
  const { document, diagnostics } = parse(text);
  expect(diagnostics).toEqual([]);
  return runDays({
    tapes: days.map(dayOf),
    documents: [document],
    document: null,
    fill: 'strict-cross-v1',
    rE4: R_E4,
  });
}

function refused(days: readonly Day[], text: string): EngineRefusal {
  try {
    run(days, text);
  } catch (error) {
    if (error instanceof EngineRefusal) return error;
    throw error;
  }
  throw new Error('was not refused');
}

const SPLIT = { AAPL: { from: '2014-06-01', list: [{ kind: 'split', effective: '2014-06-09', ratio: [7, 1] }] } };
/** One purchase on the first day: later days begin below what it waits for. */
const HOLD = (qty: number) => `PLAN hold budget 9R ttl 16:00\n  WHEN time >= 15:59\n  DO buy ${qty} shares @ ask\n`;
const before: Day = { date: '2014-06-06', price: 645, close: 645.57 };
const after: Day = { date: '2014-06-09', price: 92.5, close: 93.7, actions: SPLIT };

describe('shares', () => {
  test('a split multiplies what is held and leaves what it cost', () => {
    const got = run([before, after], HOLD(10));
    const [first] = got.carried;
    // 10 at 645.05, then 70 marked at 93.70.
    expect(first).toMatchObject({ plan: 'hold', instrument: 'AAPL', openQty: 70, costE4: 64_505_000, realizedE4: 0 });
    expect(first!.markedE4).toBe(70 * 937_000 - 64_505_000);
    expect(first!.steps).toEqual([
      { date: '2014-06-09', kind: 'split', ratio: [7, 1], qty: 70, instrument: 'AAPL' },
      { date: '2014-06-09', kind: 'marked', priceE4: 937_000, from: 'close' },
    ]);
    // The second day bought 10 more at 92.55, marked in its own blotter.
    expect(got.totals.markedE4).toBe(first!.markedE4 + 10 * (937_000 - 925_500));
    expect(got.totals.netE4).toBe(got.totals.realizedE4 + got.totals.markedE4 - got.totals.feesE4);
  });

  test('a jump that no action tells is refused, and so is a plan with prices of before a split', () => {
    const { actions: _, ...silent } = after;
    const error = refused([before, silent], HOLD(10));
    expect(error.code).toBe('corporate-action');
    expect(error.message).toMatch(/645\.57.*no actions are told/);
    const level = refused([before, after], 'PLAN p budget 9R ttl 16:00\n  WHEN spot > 600\n  DO buy 1 shares @ ask\n');
    expect(level.code).toBe('corporate-action');
    expect(level.message).toMatch(/split 7 for 1, and the plan says 600/);
  });

  test('a part of a share is refused', () => {
    const actions = { AAPL: { from: '2014-06-01', list: [{ kind: 'split', effective: '2014-06-09', ratio: [1, 8] }] } };
    const error = refused([before, { ...after, price: 5160, close: 5164, actions }], HOLD(10));
    expect(error.code).toBe('corporate-action');
    expect(error.message).toMatch(/leave a part of one/);
  });

  test('a dividend is paid to who held, and a new name goes on', () => {
    const actions = {
      AAPL: {
        from: '2014-06-01',
        list: [
          { kind: 'rename', effective: '2014-06-09', from: 'OLD', to: 'AAPL' },
          { kind: 'distribution', effective: '2014-06-09', amount: 3.29, close: 645.57 },
        ],
      },
    };
    const got = run(
      [
        { ...before, symbol: 'OLD' },
        { ...after, price: 642, close: 643, actions },
      ],
      HOLD(10),
    );
    expect(got.carried[0]).toMatchObject({ instrument: 'AAPL', realizedE4: 329_000 });
    expect(got.carried[0]!.steps.map((step) => step.kind)).toEqual(['rename', 'distribution', 'marked']);
    const named = refused(
      [
        { ...before, symbol: 'OLD' },
        { ...after, price: 642, close: 643, actions },
      ],
      `USING signal OLD exec OLD\n\n${HOLD(10)}`,
    );
    expect(named.message).toMatch(/OLD is named AAPL by then/);
  });

  test('what is still held holds its part of the budget', () => {
    const days = [before, { ...before, date: '2014-06-09', price: 646, close: 647 }];
    const got = run(days, 'PLAN hold budget 1R ttl 16:00\n  WHEN time >= 15:59\n  DO buy 10 shares @ ask\n');
    expect(got.days[0]!.totals.fills).toBe(1);
    expect(got.days[1]!.refusals.map((refusal) => refusal.code)).toEqual(['budget-exceeded']);
  });
});

describe('options', () => {
  const PUT = 'PLAN put budget 9R ttl 16:00\n  WHEN time >= 15:59\n  DO buy 2 ATM P @ ask\n';

  test('contracts of a split of seven for one are seven at a seventh of the strike', () => {
    const last = { ...after, date: '2014-06-20', price: 91, close: 90, strikes: [91, 92, 93] };
    const got = run([{ ...before, strikes: [637, 644, 651] }, { ...after, strikes: [91, 92, 93] }, last], PUT);
    const [first] = got.carried;
    // Two 644 puts at 1.10 become fourteen 92 puts, which end at 92 - 90.
    expect(first!.steps[0]).toEqual({
      date: '2014-06-09',
      kind: 'split',
      ratio: [7, 1],
      qty: 14,
      instrument: 'AAPL 2014-06-20 92 P',
    });
    expect(first!.steps.at(-1)).toMatchObject({
      kind: 'settled',
      priceE4: 20_000,
      underlyingE4: 900_000,
      from: 'close',
    });
    expect(first!.realizedE4).toBe(14 * 20_000 * 100 - 2 * 11_000 * 100);
    expect(first).toMatchObject({ openQty: 0, markedE4: 0 });
  });

  test('a strike that no split strike is near to is refused', () => {
    const error = refused(
      [
        { ...before, strikes: [640, 645, 650] },
        { ...after, strikes: [90, 95] },
      ],
      PUT,
    );
    expect(error.code).toBe('corporate-action');
    expect(error.message).toMatch(/no P of 2014-06-20 is listed near 92\.1428/);
  });

  test('a day past the expiry without a tape of it is refused', () => {
    const later: Day = { date: '2014-06-23', price: 640, close: 641, strikes: [640], expiry: '2014-06-27' };
    const error = refused([{ ...before, strikes: [640, 645, 650] }, later], PUT);
    expect(error.code).toBe('no-settlement');
    expect(error.message).toMatch(/expired on 2014-06-20, of which there is no tape/);
  });

  test('contracts settled at the open take the opening print of their day, not its close', () => {
    const index = { symbol: 'SPX', kind: 'index', settles: 'open' } as const;
    const got = run(
      [
        { ...index, date: '2014-06-19', price: 1955, close: 1959, strikes: [1950, 1955, 1960] },
        { ...index, date: '2014-06-20', price: 1962, close: 1940, opens: 1949, strikes: [1950, 1955, 1960] },
      ],
      PUT,
    );
    // On its last day none of them trades any more: the second firing is refused.
    expect(got.days[1]!.refusals.map((refusal) => refusal.code)).toEqual(['no-contract']);
    expect(got.carried[0]!.steps).toEqual([
      { date: '2014-06-20', kind: 'settled', priceE4: 60_000, underlyingE4: 19_490_000, from: 'open' },
    ]);
    expect(got.carried[0]!.realizedE4).toBe(2 * (60_000 - 11_000) * 100);
  });

  test('a credit vertical keeps its width over the night', () => {
    const days: Day[] = [
      { ...before, strikes: [635, 640, 645, 650], slope: 0.2 },
      { ...before, date: '2014-06-20', price: 640, close: 637, strikes: [635, 640, 645, 650] },
    ];
    const got = run(days, 'PLAN credit budget 9R ttl 16:00\n  WHEN time >= 15:59\n  DO sell 1 ATM/-1 P @ bid\n');
    const [first] = got.carried;
    // Sold at 3.00 - 2.10; at 637 the two are worth 8 and 3, the width of 5.
    expect(got.days[0]!.plans[0]!.fills[0]!.priceE4).toBe(9_000);
    expect(first).toMatchObject({ side: 'short', instrument: 'AAPL 2014-06-20 645/640 P', openQty: 0, costE4: 0 });
    expect(first!.realizedE4).toBe((9_000 - 50_000) * 100);
  });
});

test.each([
  ['WHEN spot > 650\n  DO buy 1 shares @ ask', ['650']],
  ['WHEN 650 < spot AND velocity(5m) > 20\n  DO buy 1 shares @ ask', ['650']],
  ['WHEN spot crosses above VWAP + $2\n  DO buy 1 shares @ ask', ['$2']],
  ['WHEN spot > HOD\n  DO buy 1 shares @ min(ask, 651.5)', ['651.5']],
  ['WHEN spot > HOD\n  DO buy 1 645/640 P @ lean(bid, fair, 0.5)', ['645', '640']],
  ['WHEN spot > HOD held 2m\n  DO buy 1 -1 P @ fair - 3c', []],
  ['DO buy 1 shares @ ask\n  EXIT NOT (spot > 640 held 2m) @ bid', ['640']],
  ['DO buy 1 shares @ ask\n  RELOAD every $4 down, up to 2', ['$4']],
])('absolute prices of %j are %j', (text, expected) => {
  const { document, diagnostics } = parse(`PLAN p budget 1R ttl 15:30\n  ${text}\n`);
  expect(diagnostics).toEqual([]);
  const plan = document.statements.find((s) => s.kind === 'plan')!;
  expect(absolutePrices(plan)).toEqual(expected);
});

test('days stand in their order, one of a date', () => {
  expect(refused([after, before], HOLD(1)).code).toBe('bad-arg');
  expect(refused([before, before], HOLD(1)).code).toBe('bad-arg');
});
