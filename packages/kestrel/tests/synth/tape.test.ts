/** What every synthetic day must be, whatever it was ordered as; and what each regime is for. No data is needed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Flag, Kind, type Tape } from '../../src/market/columns.ts';
import { parseTape } from '../../src/market/parse.ts';
import {
  DETAILS,
  type Direction,
  EVENTS_MIN,
  PRIOR_CLOSE_E4_MAX,
  PRIOR_CLOSE_E4_MIN,
  REGIMES,
  type Regime,
  type SynthOrder,
  synthTape,
} from '../../src/market/synth/index.ts';
import { writeTape } from '../../src/market/write.ts';
import { efficiencies, measure, minuteCloses, quantiles } from './measure.ts';
import { rowsOf } from './rows.ts';

/** Everything that holds of all of them. Counted rather than expected one by one: a day has many rows. */
function checkTape(tape: Tape, order: SynthOrder): void {
  const { columns, session } = tape;
  const faults: string[] = [];
  const fault = (what: string, row: number) => faults.push(`${what} at row ${row}`);
  const tickE4 = tape.instruments[0]!.tickE4;
  const seen = { quotes: 0, trades: 0, closes: 0, halts: 0 };
  let halted = false;
  for (let i = 0; i < columns.length; i++) {
    const t = columns.t[i]!;
    if (!Number.isSafeInteger(t) || (i > 0 && t < columns.t[i - 1]!)) fault('time', i);
    switch (columns.kind[i]) {
      case Kind.quote: {
        seen.quotes += 1;
        const [bid, ask] = [columns.a[i]!, columns.c[i]!];
        if (!(bid >= tickE4 && ask >= bid) || bid % tickE4 !== 0 || ask % tickE4 !== 0) fault(`quote ${bid}/${ask}`, i);
        for (const size of [columns.b[i]!, columns.d[i]!])
          if (!(size >= 100) || size % 100 !== 0) fault(`size ${size}`, i);
        if (halted) fault('quote in a halt', i);
        break;
      }
      case Kind.trade:
        seen.trades += 1;
        if (!(columns.a[i]! >= tickE4) || columns.a[i]! % tickE4 !== 0 || !(columns.b[i]! >= 1)) fault('trade', i);
        if (halted) fault('trade in a halt', i);
        if (t < session.open) fault('trade before the open', i);
        break;
      case Kind.halt: {
        const on = (columns.flags[i]! & Flag.on) !== 0;
        if (on === halted) fault('halt', i);
        halted = on;
        seen.halts += 1;
        break;
      }
      case Kind.close:
        seen.closes += 1;
        if (t < session.close || i !== columns.length - 1) fault('close', i);
        break;
      case Kind.news:
        break;
      default:
        fault('kind', i);
    }
  }
  expect(faults.slice(0, 5)).toEqual([]);
  expect(seen.closes).toBe(1);
  expect(halted).toBe(false);
  expect(seen.halts).toBe(order.regime === 'halt' ? 2 : 0);
  if (order.events !== undefined) expect(columns.length).toBe(order.events);
  expect(tape.header.source).toMatch(/^synthetic, recipe kestrel\.synth\/1, seed /);
}

const anyOrder: fc.Arbitrary<SynthOrder> = fc.record(
  {
    seed: fc.oneof(fc.integer(), fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/)),
    date: fc.constantFrom('2024-03-12', '2024-11-29', '1992-12-24', '2013-10-07', '2030-12-31', '1990-02-01'),
    regime: fc.constantFrom(...REGIMES),
    profile: fc.constantFrom('spy', 'ibm', 'bac'),
    symbol: fc.stringMatching(/^[A-Z][A-Z0-9.]{0,6}$/),
    direction: fc.constantFrom('up' as const, 'down' as const),
    events: fc.oneof(fc.integer({ min: EVENTS_MIN, max: 400 }), fc.integer({ min: EVENTS_MIN, max: 6_000 })),
    priorCloseE4: fc
      .oneof(fc.integer({ min: PRIOR_CLOSE_E4_MIN, max: 60_000 }), fc.integer({ min: 60_000, max: PRIOR_CLOSE_E4_MAX }))
      .map((e4) => e4 - (e4 % 100)),
  },
  { requiredKeys: ['seed', 'date', 'regime', 'events'] },
);

test('property: any order makes a sound tape that is read back as itself', () => {
  fc.assert(
    fc.property(anyOrder, (order) => {
      const tape = synthTape(order);
      checkTape(tape, order);
      const { tape: read, skipped } = parseTape(writeTape(tape));
      expect(skipped).toEqual([]);
      expect(read.identity).toBe(tape.identity);
      expect(synthTape(order).identity).toBe(tape.identity);
    }),
    { numRuns: 25 },
  );
});

test('each field of an order makes another day', () => {
  const order: SynthOrder = { seed: 1, date: '2024-03-12', regime: 'range', events: 3_000 };
  const others: SynthOrder[] = [
    { ...order, seed: 2 },
    { ...order, date: '2024-03-13' },
    { ...order, regime: 'choppy' },
    { ...order, events: 3_001 },
    { ...order, symbol: 'ABC' },
    { ...order, profile: 'ibm' },
    { ...order, priorCloseE4: 500_000 },
    { ...order, detail: '1m' },
    { ...order, regime: 'trend', direction: 'up' },
    { ...order, regime: 'trend', direction: 'down' },
  ];
  const identities = [order, ...others].map((one) => synthTape(one).identity);
  expect(new Set(identities).size).toBe(identities.length);
  expect(synthTape({ ...order, seed: '1' }).identity).toBe(identities[0]);
});

describe('regimes', () => {
  const made = new Map<string, Tape[]>();
  const days = (regime: Regime, direction: Direction = 'up'): Tape[] => {
    const key = `${regime} ${direction}`;
    const order = { date: '2024-03-12', regime, direction, events: 15_000 };
    if (!made.has(key))
      made.set(
        key,
        [1, 2, 3, 4].map((seed) => synthTape({ seed, ...order })),
      );
    return made.get(key)!;
  };
  const efficiency = (tape: Tape) => quantiles(efficiencies(minuteCloses(rowsOf(tape))), [0.5])[0]!;
  const change = (tape: Tape) => {
    const closes = minuteCloses(rowsOf(tape));
    return (closes.at(-1)! / closes[0]! - 1) * 10_000;
  };
  const middle = (values: number[]) => quantiles(values, [0.5])[0]!;

  test('a trend goes somewhere, and goes there straight', () => {
    const up = days('trend', 'up');
    const down = days('trend', 'down');
    expect(middle(up.map(efficiency))).toBeGreaterThan(0.4);
    for (const tape of up) expect(change(tape)).toBeGreaterThan(100);
    for (const tape of down) expect(change(tape)).toBeLessThan(-100);
  });

  test('a range comes back: it is `range` to regime-v1 at most times', () => {
    const tapes = days('range');
    expect(middle(tapes.map(efficiency))).toBeLessThan(0.14);
    for (const tape of tapes) expect(Math.abs(change(tape))).toBeLessThan(60);
  });

  test('a choppy day moves more than a range, and not straight', () => {
    const choppy = days('choppy').map((tape) => measure(rowsOf(tape)));
    const range = days('range').map((tape) => measure(rowsOf(tape)));
    expect(middle(choppy.map((m) => m.returnSd))).toBeGreaterThan(1.25 * middle(range.map((m) => m.returnSd)));
    expect(middle(choppy.map((m) => m.efficiency[2]!))).toBeLessThan(0.3);
  });

  test('a quiet day moves less', () => {
    const sd = (regime: Regime) => middle(days(regime).map((tape) => measure(rowsOf(tape)).returnSd));
    expect(sd('quiet')).toBeLessThan(0.7 * sd('range'));
  });

  test('a gap opens away from the prior close, the way it was told to', () => {
    for (const [direction, sign] of [
      ['up', 1],
      ['down', -1],
    ] as const) {
      for (const tape of days('gap', direction)) {
        const first = rowsOf(tape).trades.price[0]! * 100;
        const gap = (first / tape.reference.SYN!.priorCloseE4! - 1) * 10_000 * sign;
        expect(gap).toBeGreaterThan(100);
        expect(gap).toBeLessThan(330);
      }
    }
  });

  test('a shock is announced, then moves within a minute or two as no ordinary minute does', () => {
    for (const tape of days('shock', 'down')) {
      const closes = minuteCloses(rowsOf(tape));
      const news = Array.from(tape.columns.kind).indexOf(Kind.news);
      const minute = Math.floor((tape.columns.t[news]! - tape.session.open) / 60_000_000);
      const moved = (closes[minute + 2]! / closes[minute - 1]! - 1) * 10_000;
      const [low] = tape.reference.SYN!.distributions['velocity(1m)']!.x;
      expect(moved).toBeLessThan(low!);
    }
  });

  test('a halt stands for five minutes or more and opens elsewhere', () => {
    for (const tape of days('halt', 'down')) {
      const { columns } = tape;
      const rows = Array.from(columns.kind, (kind, i) => (kind === Kind.halt ? i : -1)).filter((i) => i >= 0);
      const [from, to] = rows as [number, number];
      expect(columns.t[to]! - columns.t[from]!).toBeGreaterThanOrEqual(300_000_000);
      const priceFrom = (step: 1 | -1, start: number) => {
        let i = start;
        while (columns.kind[i] !== Kind.trade) i += step;
        return columns.a[i]!;
      };
      expect(priceFrom(1, to)).toBeLessThan(priceFrom(-1, from));
    }
  });

  test('a half day is one by its date', () => {
    const tape = synthTape({ seed: 1, date: '2024-11-29', regime: 'range', events: 5_000 });
    expect(tape.session.close - tape.session.open).toBe(3.5 * 3_600_000_000);
    checkTape(tape, { seed: 1, date: '2024-11-29', regime: 'range', events: 5_000 });
  });
});

describe('the reference', () => {
  const tape = synthTape({ seed: 11, date: '2024-03-12', regime: 'range', events: 40_000 });
  const reference = tape.reference.SYN!;

  test('percentiles rise, and signed series lie on both sides of nothing', () => {
    expect(Object.keys(reference.distributions).sort()).toEqual([
      'range(5m)',
      'rv(30m)',
      'velocity(1m)',
      'velocity(5m)',
    ]);
    for (const { p, x } of Object.values(reference.distributions)) {
      expect(p).toEqual([0.1, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9]);
      for (let i = 1; i < x.length; i++) expect(x[i]!).toBeGreaterThanOrEqual(x[i - 1]!);
    }
    const velocity = reference.distributions['velocity(1m)']!.x;
    expect(velocity[0]!).toBeLessThan(-2);
    expect(velocity.at(-1)!).toBeGreaterThan(2);
    expect(Math.abs(velocity[5]!)).toBeLessThan(1.5);
    expect(reference.distributions['range(5m)']!.x[0]!).toBeGreaterThanOrEqual(0);
  });

  test('ordinary days exceed the 95th percentile about one time in twenty', () => {
    let [over, all] = [0, 0];
    for (const [i, regime] of (['range', 'choppy', 'range', 'trend'] as const).entries()) {
      const day = synthTape({ seed: 40 + i, date: '2024-03-12', regime, events: 30_000 });
      const limit = day.reference.SYN!.distributions['velocity(1m)']!.x[8]!;
      const closes = minuteCloses(rowsOf(day));
      for (let m = 1; m < closes.length; m++) {
        all += 1;
        if ((closes[m]! / closes[m - 1]! - 1) * 10_000 > limit) over += 1;
      }
    }
    expect(over / all).toBeGreaterThan(0.015);
    expect(over / all).toBeLessThan(0.12);
  });

  test('reference volume is an ordinary day of the same size, minute by minute', () => {
    const volume = reference.volume as { windowMinutes: number; shares: number[] };
    expect(volume.windowMinutes).toBe(1);
    expect(volume.shares).toHaveLength(390);
    const expected = volume.shares.reduce((sum, x) => sum + x, 0);
    const traded = rowsOf(tape).trades.size.reduce((sum, x) => sum + x, 0);
    expect(traded / expected).toBeGreaterThan(0.7);
    expect(traded / expected).toBeLessThan(1.4);
    const half = (from: number, to: number) => volume.shares.slice(from, to).reduce((sum, x) => sum + x, 0);
    expect(half(0, 30)).toBeGreaterThan(1.3 * half(180, 210));
  });

  test('it is that of whole days on a half day too', () => {
    const half = synthTape({ seed: 11, date: '2024-11-29', regime: 'range', events: 21_538 });
    const volume = half.reference.SYN!.volume as { shares: number[] };
    expect(volume.shares).toHaveLength(390);
  });

  test('it does not read the day itself', () => {
    const order = { seed: 5, date: '2024-03-12', events: 4_000 } as const;
    const up = synthTape({ ...order, regime: 'trend', direction: 'up' });
    const down = synthTape({ ...order, regime: 'trend', direction: 'down' });
    expect(up.reference).toEqual(down.reference);
    expect(up.columns.a).not.toEqual(down.columns.a);
  });
});

describe('coarser details', () => {
  const order: SynthOrder = { seed: 3, date: '2024-03-12', regime: 'halt', events: 20_000 };
  const ticks = synthTape(order);

  test.each(DETAILS.filter((detail) => detail !== 'ticks'))('%s are the ticks of each interval', (detail) => {
    const { columns, session } = synthTape({ ...order, detail });
    const length = { seconds: 1e6, '1m': 60e6, '5m': 300e6 }[detail as 'seconds' | '1m' | '5m'];
    const bars = new Map<number, number[]>();
    const quotes = new Map<number, number[]>();
    for (let i = 0; i < ticks.columns.length; i++) {
      const { a, b, c, d, kind, t } = ticks.columns;
      const end = session.open + (Math.floor((t[i]! - session.open) / length) + 1) * length;
      if (kind[i] === Kind.trade) {
        const bar = bars.get(end) ?? [a[i]!, a[i]!, a[i]!, a[i]!, 0];
        bars.set(end, [bar[0]!, Math.max(bar[1]!, a[i]!), Math.min(bar[2]!, a[i]!), a[i]!, bar[4]! + b[i]!]);
      } else if (kind[i] === Kind.quote) quotes.set(end, [a[i]!, b[i]!, c[i]!, d[i]!]);
    }
    const foundBars = new Map<number, number[]>();
    const foundQuotes = new Map<number, number[]>();
    const back: number[] = [];
    const lengths = new Set<number>();
    for (let i = 0; i < columns.length; i++) {
      if (i > 0 && columns.t[i]! < columns.t[i - 1]!) back.push(i);
      if (columns.kind[i] === Kind.bar) {
        const { o, h, l, c, z, d } = columns.bars;
        const bar = columns.a[i]!;
        lengths.add(d[bar]!);
        foundBars.set(columns.t[i]!, [o[bar]!, h[bar]!, l[bar]!, c[bar]!, z[bar]!]);
      } else if (columns.kind[i] === Kind.quote) {
        foundQuotes.set(columns.t[i]!, [columns.a[i]!, columns.b[i]!, columns.c[i]!, columns.d[i]!]);
      }
    }
    expect(back).toEqual([]);
    expect([...lengths]).toEqual([length]);
    expect(foundBars).toEqual(bars);
    expect(foundQuotes).toEqual(detail === 'seconds' ? quotes : new Map());
    const kept = (kind: number) => columns.kind.filter((x) => x === kind).length;
    expect([kept(Kind.halt), kept(Kind.news), kept(Kind.close)]).toEqual([2, 1, 1]);
    const { tape, skipped } = parseTape(writeTape(synthTape({ ...order, detail })));
    expect(skipped).toEqual([]);
    expect(tape.columns.length).toBe(columns.length);
  });
});
