/**
 * `fair-v1`: what the options of one expiry are worth by the quotes of the whole chain, with a receipt that says why not.
 *
 * Forward from put-call parity near the money, implied volatilities of out-of-the-money mids, a parabola in ln(K/F) through
 * them weighted by the inverse squared spread, and Black-Scholes on the forward. docs/fair-value.md gives every rule.
 */
import type { Right } from '../lang/model.ts';
import { DAYS_A_YEAR, type Greeks, greeks, impliedVolYears, lnOfRatio, priceOf } from './black-scholes.ts';

/** The quotes of one expiry at one instant. Arrays run along `strikesE4`; NaN stands for a side that is not good. */
export interface FairInput {
  /** Listed strikes, ascending, E4. */
  readonly strikesE4: Float64Array;
  readonly callBid: Float64Array;
  readonly callAsk: Float64Array;
  readonly putBid: Float64Array;
  readonly putAsk: Float64Array;
  /** When each quote was given, microseconds. */
  readonly callT: Float64Array;
  readonly putT: Float64Array;
  /** The exec symbol's spot, E4; NaN while it is UNKNOWN. */
  readonly spotE4: number;
  /** Now, and when the expiry settles, microseconds. */
  readonly t: number;
  readonly settlesAt: number;
}

/** Why there is no value: the first that holds, in this order. */
export type FairWhy = 'ok' | 'expired' | 'no-spot' | 'no-forward' | 'few-strikes' | 'stale' | 'wide' | 'poor-fit';

export interface FairReceipt {
  readonly ok: boolean;
  readonly why: FairWhy;
  /** Strikes whose out-of-the-money quote is usable: those fitted, where it came to a fit. */
  readonly strikes: number;
  readonly forwardE4: number;
  readonly tYears: number;
  /** Volatility a year at the forward; NaN where it did not come to a fit, as in the fields below. */
  readonly atmVol: number;
  /** Weighted root mean square of what the fit misses, in volatility: 0.02 is two points. */
  readonly rmsVol: number;
  /** c0, c1, c2 of the volatility c0 + c1 x + c2 x^2 at x = ln(K/F). */
  readonly coefficients: readonly [number, number, number];
}

const QUOTE_AGE_US_MAX = 60_000_000;
const SPREAD_E4_MAX = 1_000;
const STRIKES_MIN = 5;
const RMS_VOL_MAX = 0.02;
const YEAR_US = DAYS_A_YEAR * 86_400 * 1e6;
const NONE: readonly [number, number, number] = [Number.NaN, Number.NaN, Number.NaN];

/** The fit of one expiry. It keeps its arrays from fit to fit, and its answers until the next one. */
export class FairFit {
  #ok = false;
  #forwardE4 = Number.NaN;
  #tYears = Number.NaN;
  #rootT = Number.NaN;
  #c0 = Number.NaN;
  #c1 = Number.NaN;
  #c2 = Number.NaN;
  /** ln(K/F) of the outermost fitted strikes. */
  #lowest = Number.NaN;
  #highest = Number.NaN;
  /** Out-of-the-money quotes that are good; of these the fresh, of these the narrow, of these those that imply a volatility. */
  #good = 0;
  #fresh = 0;
  #narrow = 0;
  #count = 0;
  #x = new Float64Array(0);
  #vol = new Float64Array(0);
  #weight = new Float64Array(0);

  /** Fits the chain anew. Pure: the same quotes give the same bits, whatever was fitted before. */
  fit(input: FairInput): FairReceipt {
    this.#ok = false;
    this.#count = this.#good = this.#fresh = this.#narrow = 0;
    this.#forwardE4 = Number.NaN;
    this.#tYears = (input.settlesAt - input.t) / YEAR_US;
    if (!(this.#tYears > 0)) return this.#receipt('expired', Number.NaN);
    if (!(input.spotE4 > 0)) return this.#receipt('no-spot', Number.NaN);
    this.#forwardE4 = forwardOf(input);
    if (!(this.#forwardE4 > 0)) return this.#receipt('no-forward', Number.NaN);
    this.#rootT = Math.sqrt(this.#tYears);
    const missing = this.#gather(input);
    if (missing !== 'ok') return this.#receipt(missing, Number.NaN);
    const rms = this.#parabola();
    const fits = rms <= RMS_VOL_MAX && this.#lowestVol() > 0;
    this.#ok = fits;
    return this.#receipt(fits ? 'ok' : 'poor-fit', rms);
  }

  /** The value of an option in E4, never below 0; NaN without an ok fit. */
  valueE4(right: Right, kE4: number): number {
    return this.#ok ? priceOf(right, this.#forwardE4, kE4, this.vol(kE4) * this.#rootT) : Number.NaN;
  }

  /** The smile's volatility a year at a strike; NaN without an ok fit. */
  vol(kE4: number): number {
    if (!this.#ok || !(kE4 > 0)) return Number.NaN;
    return this.#smile(lnOfRatio(kE4, this.#forwardE4));
  }

  /** The greeks of an option at the smile's volatility; NaN without an ok fit. */
  greeks(right: Right, kE4: number): Greeks {
    return greeks(right, this.#forwardE4, kE4, this.vol(kE4), this.#tYears);
  }

  /** The parabola between the outermost fitted strikes; beyond them its tangent where that rises, level where it would fall. */
  #smile(x: number): number {
    const inside = Math.max(this.#lowest, Math.min(x, this.#highest));
    const vol = this.#c0 + inside * (this.#c1 + inside * this.#c2);
    if (x === inside) return vol;
    const slope = this.#c1 + 2 * inside * this.#c2;
    return vol + Math.max(0, slope * (x - inside));
  }

  /** The least volatility between the outermost strikes: a parabola has it at an end or at its turn. */
  #lowestVol(): number {
    const turn = -this.#c1 / (2 * this.#c2);
    const ends = Math.min(this.#smile(this.#lowest), this.#smile(this.#highest));
    return this.#c2 > 0 ? Math.min(ends, this.#smile(turn)) : ends;
  }

  /**
   * Collects the volatilities of the usable out-of-the-money quotes: puts below the forward, calls at it and above. Walks
   * outwards from the forward, since the volatility of one strike is a good first guess of the next one's.
   */
  #gather(input: FairInput): 'ok' | 'few-strikes' | 'stale' | 'wide' {
    const { strikesE4 } = input;
    this.#reserve(strikesE4.length);
    const split = firstAtOrAbove(strikesE4, this.#forwardE4);
    let guess = Number.NaN;
    for (let i = split; i < strikesE4.length; i++) {
      guess = this.#add(input, strikesE4[i]!, input.callBid[i]!, input.callAsk[i]!, input.callT[i]!, guess);
    }
    guess = this.#count > 0 ? this.#vol[0]! * this.#rootT : Number.NaN;
    for (let i = split - 1; i >= 0; i--) {
      guess = this.#add(input, strikesE4[i]!, input.putBid[i]!, input.putAsk[i]!, input.putT[i]!, guess);
    }
    if (this.#count >= STRIKES_MIN) return 'ok';
    if (this.#good >= STRIKES_MIN && this.#fresh < STRIKES_MIN) return 'stale';
    if (this.#fresh >= STRIKES_MIN && this.#narrow < STRIKES_MIN) return 'wide';
    return 'few-strikes';
  }

  /** Takes one out-of-the-money quote if it is usable, and gives the guess for the next strike: sigma x sqrt(T). */
  #add(input: FairInput, kE4: number, bid: number, ask: number, quotedAt: number, guess: number): number {
    if (!(bid > 0 && ask > bid)) return guess;
    this.#good++;
    if (!(input.t - quotedAt <= QUOTE_AGE_US_MAX)) return guess;
    this.#fresh++;
    const spread = ask - bid;
    // 25 % of the mid is an eighth of bid + ask: no division, and exact.
    if (!(spread <= SPREAD_E4_MAX || 8 * spread <= bid + ask)) return guess;
    this.#narrow++;
    const forwardE4 = this.#forwardE4;
    const low = Math.min(forwardE4, kE4);
    const x = lnOfRatio(kE4, forwardE4);
    const part = (0.5 * (bid + ask)) / low;
    const volYears = impliedVolYears(Math.max(forwardE4, kE4) / low, -Math.abs(x), part, guess);
    if (Number.isNaN(volYears)) return guess;
    const i = this.#count++;
    this.#x[i] = x;
    this.#vol[i] = volYears / this.#rootT;
    this.#weight[i] = 1 / (spread * spread);
    return volYears;
  }

  /**
   * The weighted least squares parabola, by polynomials that are orthogonal under the weights: each coefficient is one quotient,
   * with no system of equations that strikes all on one side of the forward would bring near singular.
   *
   * @returns the weighted root mean square of what it misses
   */
  #parabola(): number {
    const n = this.#count;
    const x = this.#x;
    const vol = this.#vol;
    const weight = this.#weight;
    let sum = 0;
    let sumX = 0;
    let sumVol = 0;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#highest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < n; i++) {
      const at = x[i]!;
      if (at < this.#lowest) this.#lowest = at;
      if (at > this.#highest) this.#highest = at;
      sum += weight[i]!;
      sumX += weight[i]! * at;
      sumVol += weight[i]! * vol[i]!;
    }
    const mean = sumX / sum;
    const level = sumVol / sum;
    let square = 0;
    let cube = 0;
    let tilt = 0;
    for (let i = 0; i < n; i++) {
      const off = x[i]! - mean;
      const part = weight[i]! * off;
      square += part * off;
      cube += part * off * off;
      tilt += part * (vol[i]! - level);
    }
    const slope = tilt / square;
    const skew = cube / square;
    const width = square / sum;
    let quartic = 0;
    let bow = 0;
    for (let i = 0; i < n; i++) {
      const off = x[i]! - mean;
      const bent = off * (off - skew) - width;
      quartic += weight[i]! * bent * bent;
      bow += weight[i]! * bent * (vol[i]! - level - slope * off);
    }
    const curve = bow / quartic;
    let missed = 0;
    for (let i = 0; i < n; i++) {
      const off = x[i]! - mean;
      const miss = vol[i]! - level - slope * off - curve * (off * (off - skew) - width);
      missed += weight[i]! * miss * miss;
    }
    this.#c2 = curve;
    this.#c1 = slope - curve * (2 * mean + skew);
    this.#c0 = level - slope * mean + curve * (mean * (mean + skew) - width);
    return Math.sqrt(missed / sum);
  }

  #reserve(strikes: number): void {
    if (this.#x.length >= strikes) return;
    this.#x = new Float64Array(strikes);
    this.#vol = new Float64Array(strikes);
    this.#weight = new Float64Array(strikes);
  }

  #receipt(why: FairWhy, rmsVol: number): FairReceipt {
    const fitted = why === 'ok' || why === 'poor-fit';
    return {
      ok: why === 'ok',
      why,
      strikes: this.#count,
      forwardE4: this.#forwardE4,
      tYears: this.#tYears,
      atmVol: fitted ? this.#smile(0) : Number.NaN,
      rmsVol,
      coefficients: fitted ? [this.#c0, this.#c1, this.#c2] : NONE,
    };
  }
}

/** The index of the first strike at or above a price, or the number of strikes. */
function firstAtOrAbove(strikesE4: Float64Array, priceE4: number): number {
  let low = 0;
  let high = strikesE4.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (strikesE4[middle]! < priceE4) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The median of K + C - P over the three strikes nearest the spot whose call and put are both two-sided, the lower of two
 * that are equally near; NaN where there are not three.
 */
function forwardOf(input: FairInput): number {
  const { strikesE4, spotE4 } = input;
  let up = firstAtOrAbove(strikesE4, spotE4);
  let down = up - 1;
  let found = 0;
  let first = 0;
  let second = 0;
  while (down >= 0 || up < strikesE4.length) {
    const lower = up >= strikesE4.length || (down >= 0 && spotE4 - strikesE4[down]! <= strikesE4[up]! - spotE4);
    const i = lower ? down-- : up++;
    const forward = parityAt(input, i);
    if (Number.isNaN(forward)) continue;
    if (found === 0) first = forward;
    else if (found === 1) second = forward;
    else return median(first, second, forward);
    found++;
  }
  return Number.NaN;
}

function parityAt(input: FairInput, i: number): number {
  const callBid = input.callBid[i]!;
  const callAsk = input.callAsk[i]!;
  const putBid = input.putBid[i]!;
  const putAsk = input.putAsk[i]!;
  if (!(callBid > 0 && callAsk > callBid && putBid > 0 && putAsk > putBid)) return Number.NaN;
  return input.strikesE4[i]! + 0.5 * (callBid + callAsk - putBid - putAsk);
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
