/** What the fit of an expiry is asked for beyond one option: verticals, and the series `iv`. */
import type { Right } from '../lang/model.ts';
import type { Greeks } from './black-scholes.ts';
import type { FairFit, FairReceipt } from './fair-fit.ts';

/** A vertical as it is bought: long one strike and short the other, both E4, of one right and expiry. */
export interface VerticalStrikes {
  readonly right: Right;
  readonly longE4: number;
  readonly shortE4: number;
}

/** fair(long) - fair(short) in E4: negative where buying it takes money in. NaN without an ok fit. */
export function verticalValueE4(fit: FairFit, { right, longE4, shortE4 }: VerticalStrikes): number {
  return fit.valueE4(right, longE4) - fit.valueE4(right, shortE4);
}

/** The greeks of the long leg less those of the short one, each leg at its own volatility. NaN without an ok fit. */
export function verticalGreeks(fit: FairFit, { right, longE4, shortE4 }: VerticalStrikes): Greeks {
  const long = fit.greeks(right, longE4);
  const short = fit.greeks(right, shortE4);
  return {
    delta: long.delta - short.delta,
    gamma: long.gamma - short.gamma,
    vega: long.vega - short.vega,
    thetaDay: long.thetaDay - short.thetaDay,
  };
}

/** The series `iv`: the volatility at the forward, annualised percent; NaN, which is UNKNOWN, without an ok fit. */
export function ivPercent(receipt: FairReceipt): number {
  return receipt.ok ? receipt.atmVol * 100 : Number.NaN;
}

/** Which of the listed expiries, by ascending settlement in microseconds, is the nearest still alive; -1 if none is. */
export function nearestExpiry(settlesAt: ArrayLike<number>, t: number): number {
  for (let i = 0; i < settlesAt.length; i++) if (settlesAt[i]! > t) return i;
  return -1;
}
