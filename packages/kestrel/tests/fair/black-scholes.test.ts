/** Prices and greeks against a textbook, against sixty digits, against an integral, and under the laws they obey. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { greeks, impliedVol, intrinsicOf, priceOf } from '../../src/engine/black-scholes.ts';
import type { Right } from '../../src/lang/model.ts';
import { ORACLE } from './oracle.ts';

interface Example {
  readonly example: string;
  readonly right: Right;
  readonly spot: number;
  readonly strike: number;
  readonly rate: number;
  readonly yield: number;
  readonly sigma: number;
  readonly tYears: number;
  readonly price: number;
  readonly digits: number;
}

const HULL: {
  readonly prices: readonly Example[];
  readonly implied: readonly Example[];
  readonly greeks: Omit<Example, 'right' | 'yield'> & {
    readonly delta: number;
    readonly theta: number;
    readonly gamma: number;
    readonly vega: number;
  };
} = JSON.parse(readFileSync(new URL('hull.json', import.meta.url), 'utf8'));

const forwardE4 = (one: { spot: number; rate: number; yield?: number; tYears: number }) =>
  one.spot * 1e4 * Math.exp((one.rate - (one.yield ?? 0)) * one.tYears);
const discount = (one: { rate: number; tYears: number }) => Math.exp(-one.rate * one.tYears);

describe('a textbook', () => {
  test.each(HULL.prices)('$example', (one) => {
    const price = priceOf(one.right, forwardE4(one), one.strike * 1e4, one.sigma * Math.sqrt(one.tYears));
    expect(((price / 1e4) * discount(one)).toFixed(one.digits)).toBe(one.price.toFixed(one.digits));
  });

  test.each(HULL.implied)('the volatility of $example', (one) => {
    const price = (one.price * 1e4) / discount(one);
    const sigma = impliedVol(one.right, forwardE4(one), one.strike * 1e4, one.tYears, price);
    expect(sigma.toFixed(one.digits)).toBe(one.sigma.toFixed(one.digits));
  });

  test('the greeks, taken from the forward to the spot', () => {
    const one = HULL.greeks;
    const forward = forwardE4(one);
    const call = greeks('C', forward, one.strike * 1e4, one.sigma, one.tYears);
    const price = priceOf('C', forward, one.strike * 1e4, one.sigma * Math.sqrt(one.tYears));
    expect(call.delta.toFixed(3)).toBe(one.delta.toFixed(3));
    expect((call.gamma * (forward / (one.spot * 1e4))).toFixed(3)).toBe(one.gamma.toFixed(3));
    expect(((call.vega / 1e4 / 0.01) * discount(one)).toFixed(1)).toBe(one.vega.toFixed(1));
    // With a rate theta also loses r K exp(-rT) N(d2), and K N(d2) = F delta - price on the forward.
    const carried = one.rate * ((forward * call.delta - price) / 1e4) * discount(one);
    expect(((call.thetaDay / 1e4) * 365 * discount(one) - carried).toFixed(2)).toBe(one.theta.toFixed(2));
  });
});

describe('sixty digits', () => {
  /** A last bit of d1 is d1 squared last bits of what it stands in the exponent of. */
  const close = (got: number, want: number, scale: number) => expect(Math.abs(got - want)).toBeLessThanOrEqual(scale);

  test.each(ORACLE)('F $fE4 K $kE4 sigma $sigma T $tYears', (one) => {
    const d1 = Math.log(one.fE4 / one.kE4) / one.volYears + one.volYears / 2;
    const wing = 5e-16 * (4 + d1 * d1);
    const volYears = one.sigma * Math.sqrt(one.tYears);
    close(priceOf('C', one.fE4, one.kE4, volYears), one.call, 4e-16 * one.call + wing * one.fE4);
    close(priceOf('P', one.fE4, one.kE4, volYears), one.put, 4e-16 * one.put + wing * one.fE4);
    const call = greeks('C', one.fE4, one.kE4, one.sigma, one.tYears);
    const put = greeks('P', one.fE4, one.kE4, one.sigma, one.tYears);
    close(call.delta, one.deltaCall, wing * one.deltaCall);
    close(put.delta, one.deltaPut, -wing * one.deltaPut);
    for (const side of [call, put]) {
      close(side.gamma, one.gamma, wing * one.gamma);
      close(side.vega, one.vega, wing * one.vega);
      close(side.thetaDay, one.thetaDay, -wing * one.thetaDay);
    }
  });

  test('cases near the money and far from it are among them', () => {
    expect(ORACLE.length).toBeGreaterThan(150);
    expect(ORACLE.filter((one) => one.call > 0 && one.call < 1e-30).length).toBeGreaterThan(0);
    expect(ORACLE.filter((one) => one.fE4 === one.kE4).length).toBeGreaterThan(10);
  });
});

const right = fc.constantFrom<Right>('C', 'P');
const priceE4 = fc.integer({ min: 100, max: 1_000_000_000 });
/** Strikes from a fifth of the forward to five times it. */
const near = fc.double({ min: -1.6, max: 1.6, noNaN: true }).map((x) => Math.exp(x));
const vol = fc.double({ min: -9, max: 1.5, noNaN: true }).map((x) => Math.exp(x));

describe('an integral that knows no normal distribution', () => {
  /** The mean payoff over a lognormal forward by Simpson's rule, from the strike's kink outwards. */
  function integral(side: Right, f: number, k: number, v: number): number {
    const kink = Math.log(k / f) / v + v / 2;
    const [from, to] = side === 'C' ? [kink, Math.max(kink, v) + 12] : [Math.min(kink, v) - 12, kink];
    const steps = 20_000;
    const h = (to - from) / steps;
    let sum = 0;
    for (let i = 0; i <= steps; i++) {
      const z = from + i * h;
      const pays = Math.abs(f * Math.exp(v * z - (v * v) / 2) - k);
      sum += (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * pays * Math.exp((-z * z) / 2);
    }
    return ((sum * h) / 3) * 0.3989422804014327;
  }

  test('gives the same prices', () => {
    const wide = fc.double({ min: 0.005, max: 2, noNaN: true });
    fc.assert(
      fc.property(right, priceE4, near, wide, (side, f, part, v) => {
        const want = integral(side, f, f * part, v);
        expect(Math.abs(priceOf(side, f, f * part, v) - want)).toBeLessThanOrEqual(1e-9 * f);
      }),
      { numRuns: 150 },
    );
  });
});

describe('laws', () => {
  test('parity: a call less a put is forward less strike', () => {
    fc.assert(
      fc.property(priceE4, near, vol, (f, part, v) => {
        const k = Math.max(1, Math.round(f * part));
        const apart = priceOf('C', f, k, v) - priceOf('P', f, k, v);
        expect(Math.abs(apart - (f - k))).toBeLessThanOrEqual(1e-15 * (f + k));
      }),
    );
  });

  test('a price lies between intrinsic value and bound', () => {
    fc.assert(
      fc.property(right, priceE4, near, vol, (side, f, part, v) => {
        const k = Math.max(1, Math.round(f * part));
        const price = priceOf(side, f, k, v);
        expect(price).toBeGreaterThanOrEqual(intrinsicOf(side, f, k));
        expect(price).toBeLessThanOrEqual((side === 'C' ? f : k) * (1 + 1e-15));
      }),
    );
  });

  test('it rises with volatility, and vega says so', () => {
    fc.assert(
      fc.property(right, priceE4, near, vol, (side, f, part, v) => {
        const k = Math.max(1, Math.round(f * part));
        const less = priceOf(side, f, k, v);
        const more = priceOf(side, f, k, v * 1.01);
        expect(more).toBeGreaterThanOrEqual(less - 1e-15 * f);
        const { vega } = greeks(side, f, k, v, 1);
        expect(vega).toBeGreaterThanOrEqual(0);
        const distance = Math.abs(Math.log(f / k)) / v;
        if (distance < 30 && v < 5) expect(vega).toBeGreaterThan(0);
      }),
    );
  });

  test('along the strikes a call falls, a put rises, by no more than the strike does, and both are convex', () => {
    fc.assert(
      fc.property(priceE4, near, vol, fc.double({ min: 1e-4, max: 0.3, noNaN: true }), (f, part, v, gap) => {
        const k = f * part;
        const ks = [k * (1 - gap), k, k * (1 + gap)] as const;
        const tolerance = 4e-15 * f;
        for (const side of ['C', 'P'] as const) {
          const [low, middle, high] = ks.map((at) => priceOf(side, f, at, v)) as [number, number, number];
          const rise = side === 'C' ? middle - high : middle - low;
          expect(rise).toBeGreaterThanOrEqual(-tolerance);
          expect(rise).toBeLessThanOrEqual(k * gap + tolerance);
          expect(low - 2 * middle + high).toBeGreaterThanOrEqual(-4 * tolerance);
        }
      }),
    );
  });

  test('greeks are the slopes of the price', () => {
    const sigma = fc.double({ min: 0.05, max: 1.5, noNaN: true });
    const years = fc.double({ min: 0.01, max: 2, noNaN: true });
    const close = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(right, sigma, years, close, (side, s, t, d) => {
        const f = 1_600_000;
        const k = f * Math.exp(d * s * Math.sqrt(t));
        const at = (dF: number, dS: number, dT: number) => priceOf(side, f + dF, k, (s + dS) * Math.sqrt(t + dT));
        const g = greeks(side, f, k, s, t);
        const h = f * s * Math.sqrt(t) * 1e-3;
        expect((at(h, 0, 0) - at(-h, 0, 0)) / (2 * h)).toBeCloseTo(g.delta, 5);
        const bend = (at(h, 0, 0) - 2 * at(0, 0, 0) + at(-h, 0, 0)) / (h * h);
        expect((bend * 1e4) / g.gamma).toBeCloseTo(1, 4);
        expect(((at(0, 1e-4, 0) - at(0, -1e-4, 0)) / 2e-4) * 0.01).toBeCloseTo(g.vega, 1);
        const year = t * 1e-4;
        expect((at(0, 0, -year) - at(0, 0, year)) / (2 * year) / 365 / g.thetaDay).toBeCloseTo(1, 5);
      }),
    );
  });
});

describe('the ends', () => {
  test('without volatility or time an option is its intrinsic value', () => {
    expect(priceOf('C', 110, 100, 0)).toBe(10);
    expect(priceOf('P', 110, 100, 0)).toBe(0);
    expect(priceOf('P', 90, 100, 0)).toBe(10);
    expect(priceOf('C', 100, 100, 0)).toBe(0);
  });

  test('without bound of volatility a call is the forward and a put the strike', () => {
    expect(priceOf('C', 110, 100, Number.POSITIVE_INFINITY)).toBe(110);
    expect(priceOf('P', 110, 100, Number.POSITIVE_INFINITY)).toBe(100);
  });

  test('expired greeks are those of the payoff', () => {
    expect(greeks('C', 110, 100, 0.2, 0)).toEqual({ delta: 1, gamma: 0, vega: 0, thetaDay: 0 });
    expect(greeks('P', 110, 100, 0.2, 0)).toEqual({ delta: 0, gamma: 0, vega: 0, thetaDay: 0 });
    expect(greeks('P', 90, 100, 0, 1)).toEqual({ delta: -1, gamma: 0, vega: 0, thetaDay: 0 });
    expect(greeks('C', 100, 100, 0.2, 0)).toEqual({ delta: 0.5, gamma: Number.NaN, vega: 0, thetaDay: 0 });
    expect(greeks('P', 100, 100, 0.2, 0).delta).toBe(-0.5);
  });

  test.each([
    [Number.NaN, 100, 0.2],
    [100, Number.NaN, 0.2],
    [100, 100, Number.NaN],
    [0, 100, 0.2],
    [100, 0, 0.2],
    [-100, 100, 0.2],
    [100, 100, -0.2],
  ])('F %d, K %d, volatility %d has no answer', (f, k, v) => {
    expect(priceOf('C', f, k, v)).toBeNaN();
    expect(Object.values(greeks('P', f, k, v, 1)).every(Number.isNaN)).toBe(true);
    expect(impliedVol('C', f, k, v === 0.2 ? 1 : v, 10)).toBeNaN();
  });
});
