/** What a synthetic option is worth: Black's formula over a total variance, with a smile in standard deviations. */
import erfc from '@stdlib/math-base-special-erfc';
import ln from '@stdlib/math-base-special-ln';

/** Puts cost more than calls (skew), and both wings more than the middle (curve), per standard deviation. */
const SKEW = -0.06;
const CURVE = 0.02;
/** Beyond so many deviations the smile is flat. */
const SMILE_REACH = 4;

const ROOT_HALF = Math.SQRT1_2;

/** A contract's place and worth. Prices in E4. */
export interface OptionValue {
  /** Of the contract out of the money at this strike; the other one is worth its intrinsic value more. */
  outE4: number;
  /** Distance of the strike from the forward, in standard deviations to expiry; above it is positive. */
  deviations: number;
}

/**
 * @param forwardE4 the underlying's price
 * @param deviation standard deviation of its logarithm up to the settlement; 0 leaves the intrinsic value alone
 * @param to filled with the answer, so that a day of quotes makes no objects
 */
export function optionValue(
  at: { readonly forwardE4: number; readonly strikeE4: number; readonly deviation: number },
  to: OptionValue,
): void {
  const { forwardE4, strikeE4, deviation } = at;
  const distance = ln(strikeE4 / forwardE4);
  if (!(deviation > 0)) {
    to.outE4 = 0;
    to.deviations = distance === 0 ? 0 : distance > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    return;
  }
  const x = distance / deviation;
  to.deviations = x;
  const reach = Math.max(-SMILE_REACH, Math.min(SMILE_REACH, x));
  const s = deviation * (1 + SKEW * reach + CURVE * reach * reach);
  const d1 = -distance / s + s / 2;
  const d2 = d1 - s;
  const worth = x >= 0 ? forwardE4 * below(d1) - strikeE4 * below(d2) : strikeE4 * below(-d2) - forwardE4 * below(-d1);
  to.outE4 = Math.max(0, worth);
}

/** The normal distribution's share below `d`. */
function below(d: number): number {
  return 0.5 * erfc(-d * ROOT_HALF);
}
