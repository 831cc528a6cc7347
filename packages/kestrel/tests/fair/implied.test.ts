/** The volatility that a price implies: against sixty digits, there and back, and where there is none. */
import erfc from '@stdlib/math-base-special-erfc';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { impliedVol, impliedVolYears, intrinsicOf, lnOfRatio, priceOf } from '../../src/engine/black-scholes.ts';
import type { Right } from '../../src/lang/model.ts';
import { ORACLE } from './oracle.ts';

const EPSILON = 2 ** -52;

/**
 * How far an implied volatility may be off, relative: some last bits of the price, which carries its intrinsic value and the
 * larger of its two terms, seen through the price's slope in the volatility; and what the last step leaves.
 */
function tolerance(side: Right, f: number, k: number, v: number): number {
  const h1 = -Math.abs(Math.log(f / k)) / v + v / 2;
  const slope = Math.min(f, k) * Math.exp((-h1 * h1) / 2) * 0.3989422804014327 * v;
  const price = priceOf(side, f, k, v);
  const terms = Math.min(f, k) * Math.min(1, Math.exp((-h1 * h1) / 2)) * (1 + h1 * h1);
  return 2e-11 + (8 * EPSILON * (price + terms)) / slope;
}

describe('sixty digits', () => {
  const known = ORACLE.filter((one) => one.implied !== null);

  test.each(known)('F $fE4 K $kE4 sigma $sigma T $tYears', (one) => {
    const side = one.kE4 < one.fE4 ? 'P' : 'C';
    const got = impliedVol(side, one.fE4, one.kE4, one.tYears, side === 'C' ? one.call : one.put);
    const within = tolerance(side, one.fE4, one.kE4, one.volYears);
    expect(within).toBeLessThan(1e-9);
    expect(Math.abs(got / one.implied! - 1)).toBeLessThanOrEqual(within);
  });

  test('there are enough of them', () => expect(known.length).toBeGreaterThan(90));
});

const right = fc.constantFrom<Right>('C', 'P');
const years = fc.double({ min: -13.3, max: 1.2, noNaN: true }).map((x) => Math.exp(x));

describe('there and back', () => {
  test('from one minute to three years, in the money and out of it', () => {
    let told = 0;
    fc.assert(
      fc.property(
        right,
        fc.integer({ min: 10_000, max: 1_000_000_000 }),
        fc.double({ min: -6, max: 6, noNaN: true }),
        fc.double({ min: 0.01, max: 4, noNaN: true }),
        years,
        (side, f, deviations, sigma, t) => {
          const v = sigma * Math.sqrt(t);
          const k = Math.max(1, Math.round(f * Math.exp(deviations * v)));
          const within = tolerance(side, f, k, v);
          if (!(within < 1e-3)) return;
          told++;
          const got = impliedVol(side, f, k, t, priceOf(side, f, k, v));
          expect(Math.abs(got / sigma - 1)).toBeLessThanOrEqual(within);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(told).toBeGreaterThan(1_200);
  });

  test('wherever it begins', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -5, max: 5, noNaN: true }),
        fc.double({ min: 1e-3, max: 4, noNaN: true }),
        fc.oneof(fc.double(), fc.double({ min: 1e-4, max: 10, noNaN: true }), fc.constant(Number.NaN)),
        (deviations, v, guess) => {
          const f = 1e6;
          const k = f * Math.exp(deviations * v);
          const low = Math.min(f, k);
          const high = Math.max(f, k);
          const part = (priceOf('C', f, k, v) - intrinsicOf('C', f, k)) / low;
          const within = tolerance('C', f, k, v);
          if (!(part > 0 && within < 1e-6)) return;
          const got = impliedVolYears(high / low, lnOfRatio(low, high), part, guess);
          expect(Math.abs(got / v - 1)).toBeLessThanOrEqual(within + 1e-11);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('a price of any size that a tape can hold has its volatility, within the bound of steps', () => {
    const part = fc.oneof(
      fc.double({ min: -30, max: 0, noNaN: true }).map((x) => Math.exp(x)),
      fc.double({ min: -36, max: 0, noNaN: true }).map((x) => 1 - Math.exp(x)),
    );
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 30, noNaN: true }).map((x) => Math.exp(x)),
        part,
        fc.oneof(fc.constant(Number.NaN), fc.double()),
        (ratio, of, guess) => {
          if (!(of > 1e-12 && of < 1)) return;
          const v = impliedVolYears(ratio, -Math.log(ratio), of, guess);
          expect(v).toBeGreaterThan(0);
          const back = priceOf('P', ratio, 1, v);
          // A last bit of ln(ratio) moves a price at the money by about that much, whatever it is.
          expect(Math.abs(back - of)).toBeLessThanOrEqual(1e-10 * of + 1e-14 * ratio ** 0.5);
        },
      ),
      { numRuns: 1_500 },
    );
  });
});

test.each([2, 10, 30, 45])('a price 2^-%d below its bound is told by what is left to the bound', (power) => {
  // At the forward itself that is erfc(v / sqrt(8)).
  const v = impliedVolYears(1, 0, 1 - 2 ** -power, Number.NaN);
  expect(Math.abs(erfc(v / Math.sqrt(8)) * 2 ** power - 1)).toBeLessThan(1e-12);
});

describe('there is none', () => {
  const T = 30 / 365;

  test.each<[string, Right, number, number, number, number]>([
    ['below the intrinsic value', 'C', 1_100_000, 1_000_000, T, 99_999],
    ['at the intrinsic value, where every small one would do', 'C', 1_100_000, 1_000_000, T, 100_000],
    ['at no price', 'P', 1_100_000, 1_000_000, T, 0],
    ['at a negative price', 'P', 1_100_000, 1_000_000, T, -1],
    ['at the forward, for a call', 'C', 1_100_000, 1_000_000, T, 1_100_000],
    ['at the strike, for a put', 'P', 1_100_000, 1_000_000, T, 1_000_000],
    ['beyond the bound', 'P', 1_100_000, 1_000_000, T, 2_000_000],
    ['once expired', 'C', 1_100_000, 1_000_000, 0, 120_000],
    ['after expiry', 'C', 1_100_000, 1_000_000, -T, 120_000],
    ['without a price', 'C', 1_100_000, 1_000_000, T, Number.NaN],
    ['without a forward', 'C', Number.NaN, 1_000_000, T, 120_000],
    ['of a forward without bound', 'P', Number.POSITIVE_INFINITY, 1_000_000, T, 120_000],
  ])('%s', (_why, side, f, k, t, price) => {
    expect(impliedVol(side, f, k, t, price)).toBeNaN();
  });

  test('nothing hangs: any four doubles get a number', () => {
    fc.assert(
      fc.property(right, fc.double(), fc.double(), fc.double(), fc.double(), (side, f, k, t, price) => {
        const vol = impliedVol(side, f, k, t, price);
        expect(Number.isNaN(vol) || vol >= 0).toBe(true);
      }),
      { numRuns: 1_500 },
    );
  });
});

describe('one minute left', () => {
  const MINUTE = 1 / (365 * 24 * 60);

  test.each([
    { sigma: 0.1, strike: 51_500_000 },
    { sigma: 0.25, strike: 51_525_000 },
    { sigma: 0.8, strike: 51_400_000 },
    { sigma: 3, strike: 51_000_000 },
  ])('sigma $sigma at $strike', ({ sigma, strike }) => {
    const price = priceOf('C', 51_512_300, strike, sigma * Math.sqrt(MINUTE));
    expect(price).toBeGreaterThan(intrinsicOf('C', 51_512_300, strike));
    expect(impliedVol('C', 51_512_300, strike, MINUTE, price)).toBeCloseTo(sigma, 7);
  });
});

test('the logarithm of a quotient keeps its digits next to 1', () => {
  const millionth = 9.999995000003334e-7;
  expect(Math.abs(lnOfRatio(1_000_001, 1_000_000) - millionth)).toBeLessThanOrEqual(2 * EPSILON * millionth);
  expect(Math.abs(lnOfRatio(1_000_000, 1_000_001) + millionth)).toBeLessThanOrEqual(2 * EPSILON * millionth);
  expect(lnOfRatio(5, 5)).toBe(0);
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (ratio) => {
      const want = Math.log(ratio);
      expect(Math.abs(lnOfRatio(ratio, 1) - want)).toBeLessThanOrEqual(4 * EPSILON * Math.abs(want));
    }),
  );
});
