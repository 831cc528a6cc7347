import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { onTick } from '../../src/engine/index.ts';
import {
  CalendarRefusal,
  FIRST_TICK_DATE,
  gridTickE4,
  onGrid,
  onOptionTick,
  optionGrid,
  optionTickE4,
  TapeRefusal,
  type TickArgs,
} from '../../src/market/index.ts';
import { HAS_DATA, LEAN } from './data.ts';

type Args = Omit<TickArgs, 'complex'> & { readonly complex?: boolean };

const cases = JSON.parse(readFileSync(new URL('./option-ticks.json', import.meta.url), 'utf8')) as {
  readonly grids: readonly { why: string; args: Args; low: number; high: number }[];
  readonly prices: readonly { why: string; args: Args; value: number; buy: number | null; sell: number | null }[];
};

const full = (args: Args): TickArgs => ({ complex: false, ...args });

describe('the grid of a class on a day', () => {
  test.each(cases.grids)('$args.root $args.date: $why', ({ args, low, high }) => {
    expect(optionGrid(full(args))).toEqual({ lowE4: low, highE4: high });
    expect(optionTickE4({ ...full(args), priceE4: 29_999 })).toBe(low);
    expect(optionTickE4({ ...full(args), priceE4: 30_000 })).toBe(high);
  });
});

describe('a limit on it', () => {
  test.each(cases.prices)('$args.root at $value: $why', ({ args, value, buy, sell }) => {
    expect(onOptionTick(value, full(args), 'buy')).toBe(buy ?? Number.NaN);
    expect(onOptionTick(value, full(args), 'sell')).toBe(sell ?? Number.NaN);
  });
  test('what is no number stays none', () => {
    expect(onOptionTick(Number.NaN, full({ root: 'SPY', date: '2023-08-03' }), 'buy')).toBeNaN();
    expect(onOptionTick(Number.POSITIVE_INFINITY, full({ root: 'SPY', date: '2023-08-03' }), 'sell')).toBeNaN();
  });
});

describe('refused', () => {
  const codeOf = (args: Args): string => {
    try {
      optionGrid(full(args));
    } catch (error) {
      if (error instanceof CalendarRefusal || error instanceof TapeRefusal) return error.code;
      throw error;
    }
    return 'none';
  };
  test('a day before decimals, a day out of the calendar, a day that is none', () => {
    expect(codeOf({ root: 'GE', date: '2001-04-06' })).toBe('date-out-of-range');
    expect(codeOf({ root: 'GE', date: '2031-01-02' })).toBe('date-out-of-range');
    expect(codeOf({ root: 'GE', date: '2023-02-29' })).toBe('bad-date');
    expect(codeOf({ root: 'GE', date: 'today' })).toBe('bad-date');
    expect(codeOf({ root: 'GE', date: FIRST_TICK_DATE })).toBe('none');
  });
  test('a step of a tape that is no step', () => {
    for (const headerTickE4 of [0, -100, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(codeOf({ root: 'GE', date: '2020-01-02', headerTickE4 })).toBe('instrument-bad');
    }
  });
});

const grid = fc
  .record({
    root: fc.constantFrom('SPY', 'SPX', 'SPXW', 'GE', 'TWX', 'XSP', 'VIX', 'OEX', 'QQQ'),
    date: fc.constantFrom('2003-05-05', '2007-06-01', '2009-06-01', '2013-10-07', '2021-01-04', '2030-01-02'),
    complex: fc.boolean(),
    headerTickE4: fc.option(fc.constantFrom(100, 500), { nil: undefined }),
  })
  .map(({ headerTickE4, ...rest }) => optionGrid({ ...rest, ...(headerTickE4 === undefined ? {} : { headerTickE4 }) }));
const value = fc.oneof(
  fc.integer({ min: 1, max: 200_000 }),
  fc.double({ min: 1, max: 60_000, noNaN: true }),
  fc.integer({ min: 29_000, max: 31_500 }),
);

test('any limit: on the step that holds where it lands, on its own side, less than a step away, and it stays there', () => {
  fc.assert(
    fc.property(grid, value, fc.constantFrom('buy', 'sell'), (steps, at, side) => {
      const price = onGrid(steps, at, side);
      if (Number.isNaN(price)) {
        expect(side).toBe('buy');
        expect(at).toBeLessThan(steps.lowE4);
        return;
      }
      expect(price % gridTickE4(steps, price)).toBe(0);
      const off = side === 'buy' ? at - price : price - at;
      expect(off).toBeGreaterThanOrEqual(-1e-6);
      expect(off).toBeLessThan(gridTickE4(steps, at));
      expect(onGrid(steps, price, side)).toBe(price);
      // No price of the grid lies between: the next one past the limit's own is on the value's other side.
      const back = onGrid(steps, price + (side === 'buy' ? 1 : -1), side === 'buy' ? 'sell' : 'buy');
      if (!Number.isNaN(back) && off > 1e-6) expect(side === 'buy' ? back > at : back < at).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test('where the step is one at every price, it rounds as shares do', () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 100, 500, 2_500), value, fc.constantFrom('buy', 'sell'), (tickE4, at, side) => {
      expect(onGrid({ lowE4: tickE4, highE4: tickE4 }, at, side)).toBe(onTick(at, tickE4, side));
    }),
    { numRuns: 3000 },
  );
});

describe.skipIf(!HAS_DATA)('quotes of real days stand on the grids', () => {
  test.each([
    { root: 'SPX', date: '2021-01-04', path: 'indexoption/usa/minute/spx/20210104_quote_european.zip' },
    { root: 'SPXW', date: '2021-01-05', path: 'indexoption/usa/minute/spxw/20210105_quote_european.zip' },
    { root: 'SPY', date: '2023-08-03', path: 'option/usa/minute/spy/20230803_quote_american.zip' },
    { root: 'GOOG', date: '2015-12-23', path: 'option/usa/minute/goog/20151223_quote_american.zip' },
    {
      root: 'TWX',
      date: '2014-06-05',
      headerTickE4: 100,
      path: 'option/usa/minute/twx/20140605_quote_american.zip',
    },
  ])('$root of $date', ({ path, ...args }) => {
    const steps = optionGrid(full(args));
    const seen = { low: 0, high: 0, off: 0 };
    for (const bytes of Object.values(unzipSync(readFileSync(join(LEAN, path))))) {
      for (const line of new TextDecoder().decode(bytes).split('\n')) {
        const columns = line.split(',');
        // Closing bid and ask of each minute.
        for (const text of [columns[4], columns[9]]) {
          const priceE4 = Number(text ?? '');
          if (!(priceE4 > 0)) continue;
          seen[priceE4 < 30_000 ? 'low' : 'high']++;
          if (onGrid(steps, priceE4, 'buy') !== priceE4) seen.off++;
        }
      }
    }
    expect(seen.off).toBe(0);
    expect(seen.low).toBeGreaterThan(100);
    expect(seen.high).toBeGreaterThan(100);
  });
});
