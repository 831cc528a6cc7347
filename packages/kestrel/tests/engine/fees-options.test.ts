import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { perUnitE4 } from '../../src/engine/fee-line.ts';
import { type FeeFill, feeSchedule } from '../../src/engine/fees.ts';
import { EngineRefusal } from '../../src/engine/index.ts';
import {
  COMMISSION,
  EXCHANGE,
  FIRST_OPTION_DATE,
  MULTIPLY_LISTED,
  OCC,
  OPTION_TAF,
  ORF,
} from '../../src/engine/option-fee-rates.ts';

interface Case {
  readonly why: string;
  readonly date: string;
  readonly fill: {
    readonly side: 'buy' | 'sell';
    readonly qty: number;
    readonly priceE4: number;
    readonly root: string;
    readonly multiplier?: number;
    readonly legs?: 1 | 2;
  };
  readonly lines: Readonly<Record<string, number>>;
}

const cases = JSON.parse(readFileSync(new URL('./fees-options.json', import.meta.url), 'utf8')) as readonly Case[];

/** The fill of a case, of calls of a hundred unless it says otherwise. */
function fillOf({ root, multiplier = 100, ...rest }: Case['fill']): FeeFill {
  return { ...rest, instrument: { kind: 'option', root, right: 'C', multiplier } };
}

/** The lines in their order, E4 by name. */
function linesOf(date: string, fill: Case['fill']): [string, number][] {
  return feeSchedule('us-options-v1', date)
    .of(fillOf(fill))
    .map((line) => [line.name, line.e4]);
}

describe('worked by hand', () => {
  test.each(cases)('$why', ({ date, fill, lines }) => {
    expect(linesOf(date, fill)).toEqual(Object.entries(lines));
  });
  test('shares pay what us-equity-v1 takes of them', () => {
    for (const instrument of [undefined, { kind: 'equity', root: 'SPY', multiplier: 1 } as const]) {
      for (const side of ['buy', 'sell'] as const) {
        const fill = { side, qty: 137, priceE4: 1_681_100, ...(instrument === undefined ? {} : { instrument }) };
        expect(feeSchedule('us-options-v1', '2013-10-07').of(fill)).toEqual(
          feeSchedule('us-equity-v1', '2013-10-07').of(fill),
        );
      }
    }
  });
  test('a rate below nothing is received: 3 at a rebate of 0.25, and its ties', () => {
    expect(perUnitE4(3, -250_000)).toBe(-7_500);
    expect([perUnitE4(1, -50), perUnitE4(3, -50), perUnitE4(1, -51)]).toEqual([0, -2, -1]);
    expect([perUnitE4(1, 50), perUnitE4(3, 50), perUnitE4(1, 51)]).toEqual([0, 2, 1]);
    expect(Object.is(perUnitE4(1, -1), -0)).toBe(false);
  });
});

describe('dates', () => {
  const sell = { side: 'sell', qty: 1000, priceE4: 20_000, root: 'SPY' } as const;
  const line = (date: string, name: string, fill: Case['fill'] = sell) => new Map(linesOf(date, fill)).get(name);
  test.each([
    ['Commission', '2019-12-31', 7_000_000, '2020-01-02', 6_500_000],
    ['ORF', '2009-02-27', 0, '2009-03-02', 60_000],
    ['ORF', '2009-06-30', 60_000, '2009-07-01', 40_000],
    ['ORF', '2009-12-31', 40_000, '2010-01-04', 140_000],
    ['ORF', '2011-04-29', 140_000, '2011-05-02', 225_000],
    ['ORF', '2012-07-31', 225_000, '2012-08-01', 267_000],
    ['ORF', '2012-12-31', 267_000, '2013-01-02', 377_000],
    ['ORF', '2014-01-31', 377_000, '2014-02-03', 396_000],
    ['ORF', '2015-07-31', 396_000, '2015-08-03', 427_000],
    ['ORF', '2016-02-12', 427_000, '2016-02-16', 404_000],
    ['ORF', '2017-01-31', 404_000, '2017-02-01', 405_000],
    ['ORF', '2018-05-21', 405_000, '2018-05-22', 388_000],
    ['ORF', '2019-02-21', 388_000, '2019-02-22', 379_000],
    ['ORF', '2020-07-31', 379_000, '2020-08-03', 330_000],
    ['ORF', '2022-05-13', 330_000, '2022-05-16', 213_500],
    ['ORF', '2022-12-30', 213_500, '2023-01-03', 300_500],
    ['ORF', '2023-02-24', 300_500, '2023-02-27', 302_500],
    ['ORF', '2023-12-29', 302_500, '2024-01-02', 268_500],
    ['ORF', '2024-05-21', 268_500, '2024-05-22', 191_500],
    ['ORF', '2025-02-28', 191_500, '2025-03-03', 281_500],
    ['ORF', '2026-06-30', 281_500, '2026-07-01', 150_000],
    ['OCC', '2014-03-31', 350_000, '2014-04-01', 500_000],
    ['OCC', '2018-02-28', 500_000, '2018-03-01', 500_000],
    ['OCC', '2019-12-31', 500_000, '2020-01-02', 550_000],
    ['OCC', '2020-08-31', 550_000, '2020-09-01', 450_000],
    ['OCC', '2021-05-28', 450_000, '2021-06-01', 200_000],
    ['OCC', '2021-10-29', 200_000, '2021-11-01', 0],
    ['OCC', '2021-12-31', 0, '2022-01-03', 200_000],
    ['OCC', '2024-12-31', 200_000, '2025-01-02', 250_000],
    ['OCC', '2025-11-28', 250_000, '2025-12-01', 0],
    ['OCC', '2025-12-31', 0, '2026-01-02', 250_000],
    ['FINRA TAF', '2021-12-31', 20_000, '2022-01-03', 21_800],
    ['FINRA TAF', '2022-12-30', 21_800, '2023-01-03', 24_400],
    ['FINRA TAF', '2023-12-29', 24_400, '2024-01-02', 27_900],
    ['FINRA TAF', '2025-12-31', 27_900, '2026-01-02', 32_900],
    ['FINRA TAF', '2026-09-30', 32_900, '2026-10-01', 0],
    ['FINRA TAF', '2026-12-31', 0, '2027-01-04', 32_900],
    ['SEC Section 31', '2024-05-21', 16_000, '2024-05-22', 55_600],
  ] as const)('%s: the eve %s, %d; the day %s, %d', (name, eve, before, day, after) => {
    expect(line(eve, name)).toBe(before);
    expect(line(day, name)).toBe(after);
  });
  test.each([
    ['SPX', '2024-10-31', 4_400_000, '2024-11-01', 4_500_000],
    ['OEX', '2024-10-31', 3_000_000, '2024-11-01', 3_500_000],
    ['XSP', '2021-08-31', 1_800_000, '2021-09-01', 400_000],
    ['XSP', '2024-10-31', 400_000, '2024-11-01', 700_000],
    ['RUT', '2024-10-31', 1_800_000, '2024-11-01', 1_800_000],
    ['MRUT', '2021-09-01', 200_000, '2024-11-01', 200_000],
  ] as const)('the exchange on %s: %s, %d; %s, %d', (root, eve, before, day, after) => {
    expect(line(eve, 'Exchange', { ...sell, root })).toBe(before);
    expect(line(day, 'Exchange', { ...sell, root })).toBe(after);
  });
  test('before its first day it is refused, and says from when it is known', () => {
    expect(() => feeSchedule('us-options-v1', '2008-12-31')).toThrow(
      'fees: us-options-v1 is known from 2009-01-01 on, and the tape is of 2008-12-31',
    );
    expect(() => feeSchedule('us-options-v1', 'Monday')).toThrow("us-options-v1 wants the tape's date");
    expect(linesOf(FIRST_OPTION_DATE, sell).length).toBe(6);
  });
  test('after the last row the last row holds', () => {
    expect(linesOf('2099-01-02', sell)).toEqual(linesOf('2027-01-04', sell));
  });
  test('rows rise by date, each is a day, and each table covers the first day or says from when', () => {
    const tables = [COMMISSION, ORF, OCC, OPTION_TAF, ...EXCHANGE.values()];
    for (const rows of tables) {
      const dates = rows.map((row) => row.from);
      expect(dates).toEqual([...new Set(dates)].sort());
      for (const date of dates) expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date);
    }
    for (const rows of [COMMISSION, ORF, OCC, OPTION_TAF]) expect(rows[0]!.from <= FIRST_OPTION_DATE).toBe(true);
    for (const rows of [...EXCHANGE.values(), COMMISSION, [MULTIPLY_LISTED]]) {
      for (const { bands } of rows) {
        const bounds = bands.map((band) => band.belowE4);
        expect(bounds.at(-1)).toBeUndefined();
        const finite = bounds.slice(0, -1) as number[];
        expect(finite).toEqual([...new Set(finite)].sort((a, b) => a - b));
      }
    }
  });
});

describe('what it has no rates for', () => {
  const refusal = (root: string, date: string): EngineRefusal => {
    try {
      feeSchedule('us-options-v1', date).admit({ kind: 'option', root, multiplier: 100 });
    } catch (error) {
      if (error instanceof EngineRefusal) return error;
      throw error;
    }
    throw new Error(`${root} was admitted`);
  };
  test('an index of another exchange', () => {
    const error = refusal('NDX', '2021-01-04');
    expect(error.code).toBe('not-supported');
    expect(error.message).toBe('fees: us-options-v1 has no exchange fee of NDX');
    expect(error.got).toBe('NDX');
    expect(error.expected).toContain('SPX SPXW');
  });
  test('an index before its fee is known', () => {
    expect(refusal('VIX', '2019-02-06').message).toBe(
      'fees: us-options-v1 has an exchange fee of VIX from 2019-02-07 on, and the tape is of 2019-02-06',
    );
    const schedule = feeSchedule('us-options-v1', '2019-02-06');
    expect(() => schedule.of(fillOf({ side: 'buy', qty: 1, priceE4: 100, root: 'VIX' }))).toThrow(EngineRefusal);
    feeSchedule('us-options-v1', '2019-02-07').admit({ kind: 'option', root: 'VIX', multiplier: 100 });
  });
  test('shares and options on shares are admitted, of any name', () => {
    const schedule = feeSchedule('us-options-v1', '2013-10-07');
    for (const root of ['SPY', '__proto__', 'constructor']) {
      schedule.admit({ kind: 'option', root, multiplier: 100 });
      schedule.admit({ kind: 'equity', root, multiplier: 1 });
    }
  });
});

const day = fc
  .integer({ min: Date.UTC(2009, 0, 1) / 86_400_000, max: Date.UTC(2030, 11, 31) / 86_400_000 })
  .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
const contract = fc.record({
  side: fc.constantFrom('buy', 'sell'),
  priceE4: fc.oneof(fc.integer({ min: 1, max: 2_500 }), fc.integer({ min: 1, max: 10_000_000 })),
  root: fc.constantFrom('SPY', 'IBM', 'SPX', 'SPXW', 'XSP', 'OEX', 'RUT', 'DJX'),
  legs: fc.constantFrom(1, 2),
});

test('any fill: its lines are named once, whole, never below nothing, and none falls as the quantity rises', () => {
  fc.assert(
    fc.property(day, contract, fc.integer({ min: 1, max: 20_000 }), (date, one, qty) => {
      const lines = linesOf(date, { ...one, qty });
      const more = new Map(linesOf(date, { ...one, qty: qty + 1 }));
      const names = ['Commission', 'Exchange', 'ORF', 'OCC'];
      if (one.side === 'sell' && /SPY|IBM/.test(one.root)) names.push('SEC Section 31', 'FINRA TAF');
      expect(lines.map(([name]) => name)).toEqual(names);
      for (const [name, e4] of lines) {
        expect(Number.isSafeInteger(e4)).toBe(true);
        expect(e4).toBeGreaterThanOrEqual(0);
        expect(more.get(name)!).toBeGreaterThanOrEqual(e4);
      }
    }),
    { numRuns: 1000 },
  );
});

test('any fill: it pays within half an E4 a line of its parts, and its two fills within one a line of the whole', () => {
  fc.assert(
    fc.property(
      day,
      contract,
      fc.integer({ min: 10, max: 400 }),
      fc.integer({ min: 10, max: 400 }),
      (date, one, a, b) => {
        const whole = linesOf(date, { ...one, qty: a + b });
        const parts = [linesOf(date, { ...one, qty: a }), linesOf(date, { ...one, qty: b })];
        for (const [i, [, e4]] of whole.entries()) {
          expect(Math.abs(parts[0]![i]![1] + parts[1]![i]![1] - e4)).toBeLessThanOrEqual(1);
        }
        const orf = ORF.findLast((row) => row.from <= date)!;
        expect(Math.abs(whole[2]![1] * 100 - (a + b) * orf.microsPerContract)).toBeLessThanOrEqual(50);
      },
    ),
    { numRuns: 500 },
  );
});

test('the page holds the tables', () => {
  const page = readFileSync(new URL('../../../../docs/fees.md', import.meta.url), 'utf8').split(
    '\n# us-options-v1',
  )[1]!;
  const rows = (title: string) =>
    page
      .split(`\n## ${title}\n`)[1]!
      .split('\n## ')[0]!
      .split('\n')
      .filter((line) => /^\| (\d|[A-Z]|options on shares)/.test(line));
  const dollars = (micros: number) => (micros / 1e6).toFixed(5);
  const banded = (bands: (typeof MULTIPLY_LISTED)['bands']) =>
    bands
      .map(({ belowE4, microsPerContract }) => {
        const bound = belowE4 === undefined ? '' : `under ${(belowE4 / 1e4).toFixed(2)}: `;
        return bound + dollars(microsPerContract);
      })
      .join('; ');
  expect(rows('Commission')).toEqual(
    COMMISSION.map((row) => `| ${row.from} | ${banded(row.bands)} | ${row.rests} | ${row.by} |`),
  );
  const roots = new Map<readonly (typeof MULTIPLY_LISTED)[], string[]>();
  roots.set([MULTIPLY_LISTED], ['options on shares']);
  for (const [root, rates] of EXCHANGE) roots.set(rates, [...(roots.get(rates) ?? []), root]);
  expect(rows('Exchange')).toEqual(
    [...roots].flatMap(([rates, names]) =>
      rates.map((row) => {
        const leg = row.complexBands === undefined ? '' : `; a leg of two: ${banded(row.complexBands)}`;
        const free = row.freeBelow === undefined ? '' : `; fewer than ${row.freeBelow} contracts: free`;
        return `| ${names.join(' ')} | ${row.from} | ${banded(row.bands)}${leg}${free} | ${row.rests} | ${row.by} |`;
      }),
    ),
  );
  const plain = (rates: typeof ORF) =>
    rates.map((row) => `| ${row.from} | ${dollars(row.microsPerContract)} | ${row.rests} | ${row.by} |`);
  expect(rows('ORF')).toEqual(plain(ORF));
  expect(rows('FINRA, Trading Activity Fee on options')).toEqual(plain(OPTION_TAF));
  expect(rows('OCC')).toEqual(
    OCC.map((row) => {
      const cap = row.capE4 === undefined ? 'none' : (row.capE4 / 1e4).toFixed(2);
      return `| ${row.from} | ${dollars(row.microsPerContract)} | ${cap} | ${row.rests} | ${row.by} |`;
    }),
  );
});
