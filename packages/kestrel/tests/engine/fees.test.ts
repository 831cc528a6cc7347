import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_DATE, SECTION_31, TAF } from '../../src/engine/fee-rates.ts';
import { feeSchedule } from '../../src/engine/fees.ts';
import { EngineRefusal } from '../../src/engine/index.ts';

interface Sale {
  readonly date: string;
  readonly qty: number;
  readonly priceE4: number;
}

/** E4 of the two lines of a sale, in the report's order. */
function check(sale: Sale, expected: { readonly section31: number; readonly taf: number }): void {
  expect(feeSchedule('us-equity-v1', sale.date).of({ side: 'sell', qty: sale.qty, priceE4: sale.priceE4 })).toEqual([
    { name: 'SEC Section 31', e4: expected.section31 },
    { name: 'FINRA TAF', e4: expected.taf },
  ]);
}

function refused(name: string, date: string): EngineRefusal {
  try {
    feeSchedule(name, date);
  } catch (error) {
    if (error instanceof EngineRefusal) return error;
    throw error;
  }
  throw new Error(`${name} of ${date} was not refused`);
}

describe('worked by hand', () => {
  test('IBM on 2013-10-07: 100 at 182.01 bring 18,201 dollars', () => {
    // 18,201 x 17.40 / 1e6 = 0.3166974 dollars; 100 x 0.000119 = 0.0119.
    check({ date: '2013-10-07', qty: 100, priceE4: 1_820_100 }, { section31: 3167, taf: 119 });
  });
  test('one share of SPY on 2024-06-03 at 527.80', () => {
    // 527.80 x 27.80 / 1e6 = 0.01467284; 0.000166 is 1.66 E4.
    check({ date: '2024-06-03', qty: 1, priceE4: 5_278_000 }, { section31: 147, taf: 2 });
  });
  test('the early tables: 500 at 20 on 2004-03-01', () => {
    // 10,000 x 39 / 1e6 = 0.39; 500 x 0.0001 = 0.05.
    check({ date: '2004-03-01', qty: 500, priceE4: 200_000 }, { section31: 3900, taf: 500 });
  });
  test('the cap: 100,000 shares in 2026', () => {
    // 100,000 x 0.000195 = 19.50, of which 9.79; 100,000 x 10 x 20.60 / 1e6 = 20.60.
    check({ date: '2026-05-04', qty: 100_000, priceE4: 100_000 }, { section31: 206_000, taf: 97_900 });
  });
  test('the last share below the cap, and the first above it', () => {
    // 50,204 x 1.95 E4 = 97,897.8; 50,206 x 1.95 = 97,901.7.
    check({ date: '2026-05-04', qty: 50_204, priceE4: 10_000 }, { section31: 10_342, taf: 97_898 });
    check({ date: '2026-05-04', qty: 50_206, priceE4: 10_000 }, { section31: 10_342, taf: 97_900 });
  });
  test('ties go to the even E4, both ways', () => {
    // 0.9 E4 a share: 5 make 4.5, 15 make 13.5.
    check({ date: '2011-08-01', qty: 5, priceE4: 10_000 }, { section31: 1, taf: 4 });
    check({ date: '2011-08-01', qty: 15, priceE4: 10_000 }, { section31: 3, taf: 14 });
    // 2,500 dollars at 5.10 a million make 127.5 E4, 7,500 make 382.5.
    check({ date: '2021-03-01', qty: 100, priceE4: 250_000 }, { section31: 128, taf: 119 });
    check({ date: '2021-03-01', qty: 300, priceE4: 250_000 }, { section31: 382, taf: 357 });
  });
  test('below the rate itself no TAF is due', () => {
    check({ date: '2026-05-04', qty: 1000, priceE4: 1 }, { section31: 0, taf: 0 });
    check({ date: '2026-05-04', qty: 1000, priceE4: 2 }, { section31: 0, taf: 1950 });
  });
  test('products past 2^53 stay exact', () => {
    // 900,001 x 1e13 E4 x 17.40 / 1e6 = 156,600,174,000,000 E4.
    check({ date: '2013-10-07', qty: 900_001, priceE4: 1e13 }, { section31: 156_600_174_000_000, taf: 59_500 });
  });
});

describe('dates', () => {
  test('a rate holds from its own day, and to the eve of the next', () => {
    const sale = { qty: 1000, priceE4: 1_000_000 };
    check({ date: '2014-03-17', ...sale }, { section31: 17_400, taf: 1190 });
    check({ date: '2014-03-18', ...sale }, { section31: 22_100, taf: 1190 });
    check({ date: '2012-02-29', ...sale }, { section31: 18_000, taf: 900 });
    check({ date: '2012-03-01', ...sale }, { section31: 18_000, taf: 950 });
    check({ date: '2025-05-13', ...sale }, { section31: 27_800, taf: 1660 });
    check({ date: '2025-05-14', ...sale }, { section31: 0, taf: 1660 });
    check({ date: '2026-04-03', ...sale }, { section31: 0, taf: 1950 });
    check({ date: '2026-09-30', ...sale }, { section31: 20_600, taf: 1950 });
    check({ date: '2026-10-01', ...sale }, { section31: 20_600, taf: 0 });
    check({ date: '2026-12-31', ...sale }, { section31: 20_600, taf: 0 });
    check({ date: '2027-01-04', ...sale }, { section31: 20_600, taf: 1950 });
  });
  test('after the last row the last row holds', () => {
    const sell = { side: 'sell', qty: 1000, priceE4: 1_000_000 } as const;
    expect(feeSchedule('us-equity-v1', '2099-01-02').of(sell)).toEqual(
      feeSchedule('us-equity-v1', '2027-01-04').of(sell),
    );
  });
  test('before the first row it is refused, and says from when it is known', () => {
    const error = refused('us-equity-v1', '2003-08-29');
    expect(error.code).toBe('bad-arg');
    expect(error.message).toBe('fees: us-equity-v1 is known from 2003-09-01 on, and the tape is of 2003-08-29');
    expect(error.got).toBe('2003-08-29');
    check({ date: FIRST_DATE, qty: 1000, priceE4: 1_000_000 }, { section31: 46_800, taf: 1000 });
  });
  test('a date of no shape, a schedule of no name', () => {
    expect(refused('us-equity-v1', '7 October 2013').code).toBe('bad-arg');
    for (const name of ['us-options-v2', '', '__proto__', 'NONE']) {
      expect(refused(name, '2013-10-07').expected).toBe('none | us-equity-v1 | us-options-v1');
    }
    expect(feeSchedule('none', '1999-01-04').of({ side: 'sell', qty: 1, priceE4: 1 })).toEqual([]);
  });
  test('an option is refused, and says which schedule has rates for it', () => {
    const schedule = feeSchedule('us-equity-v1', '2013-10-07');
    const instrument = { kind: 'option', root: 'SPY', multiplier: 100 } as const;
    schedule.admit({ kind: 'equity', root: 'SPY', multiplier: 1 });
    expect(() => schedule.admit(instrument)).toThrow('us-equity-v1 has no rates for options, and SPY is one');
    expect(() => schedule.of({ side: 'buy', qty: 1, priceE4: 100, instrument })).toThrow(EngineRefusal);
    expect(feeSchedule('none', '2013-10-07').of({ side: 'sell', qty: 1, priceE4: 100, instrument })).toEqual([]);
  });
  test('rows rise by date, and both tables cover the first day', () => {
    for (const rows of [SECTION_31, TAF]) {
      const dates = rows.map((row) => row.from);
      expect(dates).toEqual([...new Set(dates)].sort());
      expect(dates[0]! <= FIRST_DATE).toBe(true);
      for (const date of dates) expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date);
    }
  });
});

const day = fc
  .integer({ min: Date.UTC(2003, 8, 1) / 86_400_000, max: Date.UTC(2030, 11, 31) / 86_400_000 })
  .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));

test('any fill: nothing on a buy; on a sell never negative, within half an E4 of the rate, never past the cap', () => {
  fc.assert(
    fc.property(
      day,
      fc.integer({ min: 1, max: 1_000_000_000 }),
      fc.integer({ min: 1, max: 1e13 }),
      (date, qty, priceE4) => {
        const schedule = feeSchedule('us-equity-v1', date);
        expect(schedule.of({ side: 'buy', qty, priceE4 })).toEqual([]);
        const [section31, taf] = schedule.of({ side: 'sell', qty, priceE4 });
        const rate = SECTION_31.findLast((row) => row.from <= date)!;
        const { microsPerShare, capE4 } = TAF.findLast((row) => row.from <= date)!;
        const off = BigInt(section31!.e4) * 100_000_000n - BigInt(qty) * BigInt(priceE4) * BigInt(rate.centsPerMillion);
        // Past 2^53 the report's own double is what rounds.
        if (Number.isSafeInteger(section31!.e4)) expect((off < 0n ? -off : off) <= 50_000_000n).toBe(true);
        expect(section31!.e4).toBeGreaterThanOrEqual(0);
        expect(taf!.e4).toBeGreaterThanOrEqual(0);
        expect(taf!.e4).toBeLessThanOrEqual(capE4);
        expect(taf!.e4).toBeLessThanOrEqual((qty * microsPerShare) / 100 + 0.5);
        // It is never more than the sale, to the rounding.
        expect(taf!.e4).toBeLessThanOrEqual(qty * priceE4 + 1);
      },
    ),
    { numRuns: 2000 },
  );
});

test('the page holds the tables', () => {
  const page = readFileSync(new URL('../../../../docs/fees.md', import.meta.url), 'utf8');
  const rows = (title: string) =>
    page
      .split(`\n## ${title}\n`)[1]!
      .split('\n## ')[0]!
      .split('\n')
      .filter((line) => /^\| \d/.test(line));
  const dollars = (n: number, places: number) => n.toFixed(places);
  expect(rows('SEC, section 31')).toEqual(
    SECTION_31.map((row) => `| ${row.from} | ${dollars(row.centsPerMillion / 100, 2)} | ${row.by} |`),
  );
  expect(rows('FINRA, Trading Activity Fee')).toEqual(
    TAF.map(
      (row) => `| ${row.from} | ${dollars(row.microsPerShare / 1e6, 6)} | ${dollars(row.capE4 / 1e4, 2)} | ${row.by} |`,
    ),
  );
});
