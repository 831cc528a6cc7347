/**
 * Black-Scholes on the forward at rate 0: the price of a European option, its greeks and the volatility that a price implies.
 *
 * Every figure is a double out of `+ - * / sqrt` and of `exp`, `ln` and `erfc` that are made of these alone, so that its bits
 * are the same on every machine. `fE4` and `kE4` are the forward and the strike in units of 1e-4, `sigma` a volatility a year
 * (0.2 is 20 %), `tYears` a time in years. What has no answer is NaN.
 */
import erfc from '@stdlib/math-base-special-erfc';
import exp from '@stdlib/math-base-special-exp';
import ln from '@stdlib/math-base-special-ln';
import type { Right } from '../lang/model.ts';

/**
 * The price of an option in E4, never below its intrinsic value on the forward.
 *
 * @param volYears sigma x sqrt(T), >= 0; at 0 the price is the intrinsic value
 * @returns NaN unless the forward and the strike are positive and `volYears` is not negative
 */
export function priceOf(right: Right, fE4: number, kE4: number, volYears: number): number {
  if (!(fE4 > 0 && kE4 > 0 && volYears >= 0)) return Number.NaN;
  return intrinsicOf(right, fE4, kE4) + timeValueOf(fE4, kE4, volYears);
}

/** What the option would pay if it settled at this price of the underlying, in E4. */
export function intrinsicOf(right: Right, fE4: number, kE4: number): number {
  const above = right === 'C' ? fE4 - kE4 : kE4 - fE4;
  return Math.max(above, 0);
}

/**
 * The price of the out-of-the-money option at a strike, and so the time value of both: by parity an option in the money is
 * worth its intrinsic value and the other option at its strike, which keeps all its digits where N(d1)F - N(d2)K loses them.
 */
function timeValueOf(fE4: number, kE4: number, volYears: number): number {
  if (volYears === 0) return 0;
  const low = Math.min(fE4, kE4);
  const high = Math.max(fE4, kE4);
  const far = lnOfRatio(low, high) / volYears;
  const value = low * cumulative(far + 0.5 * volYears) - high * cumulative(far - 0.5 * volYears);
  return Math.max(value, 0);
}

/** Sensitivities of an option's price. The forward moves with the underlying one to one, the rate being 0. */
export interface Greeks {
  /** Change of the price for a change of 1 of the underlying: 0 to 1 of a call, -1 to 0 of a put. */
  readonly delta: number;
  /** Change of delta for a change of the underlying by one unit of currency. */
  readonly gamma: number;
  /** Change of the price, in E4, for one volatility point (0.01) more. */
  readonly vega: number;
  /** Change of the price, in E4, over one calendar day, to first order: never positive. */
  readonly thetaDay: number;
}

/**
 * The greeks of one option. Without time or volatility left, delta is that of the intrinsic value (one half at the
 * forward itself), vega and theta are 0, and gamma is 0, or NaN at the forward itself, where it has no bound.
 *
 * @returns NaN in every field unless forward and strike are positive, sigma and time not negative
 */
export function greeks(right: Right, fE4: number, kE4: number, sigma: number, tYears: number): Greeks {
  if (!(fE4 > 0 && kE4 > 0 && sigma >= 0 && tYears >= 0)) return NO_GREEKS;
  const root = Math.sqrt(tYears);
  const volYears = sigma * root;
  if (volYears === 0) {
    const call = fE4 > kE4 ? 1 : fE4 < kE4 ? 0 : 0.5;
    const gamma = fE4 === kE4 ? Number.NaN : 0;
    return { delta: right === 'C' ? call : call - 1, gamma, vega: 0, thetaDay: 0 };
  }
  const d1 = lnOfRatio(fE4, kE4) / volYears + 0.5 * volYears;
  const spread = density(d1);
  return {
    delta: right === 'C' ? cumulative(d1) : -cumulative(-d1),
    gamma: spread / ((fE4 / E4) * volYears),
    vega: fE4 * spread * root * 0.01,
    thetaDay: (-fE4 * spread * sigma) / (2 * root) / DAYS_A_YEAR,
  };
}

/** The day count of `fair-v1`. */
export const DAYS_A_YEAR = 365;
const E4 = 1e4;
const NO_GREEKS: Greeks = { delta: Number.NaN, gamma: Number.NaN, vega: Number.NaN, thetaDay: Number.NaN };

/**
 * The volatility at which {@link priceOf} gives this price.
 *
 * @returns NaN where no volatility does, or any small enough one would: at or below the intrinsic value, at or above what
 * the option can be worth at most (the forward for a call, the strike for a put), and with no time left
 */
export function impliedVol(right: Right, fE4: number, kE4: number, tYears: number, priceE4: number): number {
  if (!(fE4 > 0 && kE4 > 0 && tYears > 0)) return Number.NaN;
  const low = Math.min(fE4, kE4);
  const high = Math.max(fE4, kE4);
  const part = (priceE4 - intrinsicOf(right, fE4, kE4)) / low;
  return impliedVolYears(high / low, lnOfRatio(low, high), part, Number.NaN) / Math.sqrt(tYears);
}

/** Far more than any price needs: the bound that keeps hostile input from turning for ever. */
const IMPLIED_STEPS_MAX = 64;

/** A step below this part of the volatility is the last one: what it misses is of the fifth order of it. */
const LAST_STEP = 3e-3;

/**
 * sigma x sqrt(T) at which an option has this time value.
 *
 * Solves for the logarithm of the price by closed derivatives, inside a bracket that halves where a step would leave it. Near
 * the goal a step is the inverse of the Taylor series to the fourth derivative, so that one from a good guess is enough.
 * Far from it the reciprocal of the logarithm is solved for, which is near a parabola in the wings, by Householder's method.
 * A price above half of its bound is solved for as what is left to the bound, which keeps its digits.
 *
 * @param ratio the greater of forward and strike divided by the lesser
 * @param x -ln(ratio)
 * @param part the time value as a part of the lesser of forward and strike, which it cannot reach
 * @param guess where to begin, or NaN; a good one saves steps, and none moves the answer by more than 1e-11 of itself where
 *   the price has the digits to tell it
 * @returns NaN unless 0 < part < 1
 */
export function impliedVolYears(ratio: number, x: number, part: number, guess: number): number {
  if (!(ratio >= 1 && ratio < Number.POSITIVE_INFINITY && part > 0 && part < 1)) return Number.NaN;
  const upper = part > 0.5;
  const goal = upper ? 1 - part : part;
  const xx = x * x;
  // Above half of its bound a price is above its inflection, and from there no step goes astray.
  let least = upper ? Math.sqrt(-2 * x) : 0;
  let v = Math.max(least, guess > 0 && guess < VOL_YEARS_MAX ? guess : firstGuess(x, part));
  let most = VOL_YEARS_MAX;
  for (let step = 0; step < IMPLIED_STEPS_MAX; step++) {
    const far = x / v;
    const h1 = far + 0.5 * v;
    const h2 = far - 0.5 * v;
    const value = upper ? cumulative(-h1) + ratio * cumulative(h2) : cumulative(h1) - ratio * cumulative(h2);
    if (upper ? value > goal : value < goal) least = v;
    else most = v;
    const slope = density(h1);
    // Derivatives of the value, then of its logarithm, each as a multiple of the first.
    const a = (upper ? -slope : slope) / value;
    const vv = v * v;
    const second = (h1 * h2) / v;
    const bent = (-3 * xx) / (vv * vv) - 0.25;
    const third = second * second + bent;
    const log2 = second - a;
    const log3 = third - a * (3 * second - 2 * a);
    let move = 0;
    if (value > 0.7 * goal && value < 1.4 * goal) {
      const fourth = second * (third + 2 * bent) + (12 * xx) / (vv * vv * v);
      const log4 = fourth - a * (4 * third + 3 * second * second - a * (12 * second - 6 * a));
      const newton = lnOfRatio(goal, value) / a;
      const c2 = log2 / 2;
      const c3 = log3 / 6;
      move =
        newton * (1 - newton * (c2 - newton * (2 * c2 * c2 - c3 - newton * (c2 * (5 * c2 * c2 - 5 * c3) + log4 / 24))));
      if (Math.abs(move) <= LAST_STEP * v) return v + move;
    } else {
      const log = ln(value);
      const fall = a / log;
      const newton = upper ? lnOfRatio(goal, value) / a : (log * (1 - log / ln(goal))) / a;
      const bend = upper ? log2 : log2 - 2 * fall;
      const twist = upper ? log3 : log3 + 6 * fall * (fall - log2);
      move = (newton * (1 + 0.5 * bend * newton)) / (1 + newton * (bend + (twist * newton) / 6));
    }
    const next = v + move;
    v = next > least && next < most ? next : 0.5 * (least + most);
  }
  return Number.NaN;
}

/**
 * ln(a / b). Near 1, the rounded quotient holds few digits of how far from 1 it is: there it is the series of the inverse
 * hyperbolic tangent, to more terms than a double has use for.
 */
export function lnOfRatio(a: number, b: number): number {
  const z = (a - b) / (a + b);
  const zz = z * z;
  if (!(zz <= 1 / 36)) return ln(a / b);
  const tail = 1 / 11 + zz * (1 / 13 + zz * (1 / 15 + zz * (1 / 17 + zz / 19)));
  return 2 * z * (1 + zz * (1 / 3 + zz * (1 / 5 + zz * (1 / 7 + zz * (1 / 9 + zz * tail)))));
}

/** Above this total volatility a price differs from its upper bound by less than a double can tell. */
const VOL_YEARS_MAX = 128;

/** Right in the far wing, where the price falls as exp(-x^2 / 2 v^2), and at the money, where it grows as v / sqrt(2 pi). */
function firstGuess(x: number, part: number): number {
  return -x / Math.sqrt(-2 * ln(part)) + SQRT_2PI * part;
}

const SQRT_2PI = 2.5066282746310002;
const ONE_OVER_SQRT_2PI = 0.3989422804014327;

/** The standard normal distribution. */
function cumulative(z: number): number {
  return 0.5 * erfc(-z * Math.SQRT1_2);
}

function density(z: number): number {
  return ONE_OVER_SQRT_2PI * exp(-0.5 * z * z);
}
