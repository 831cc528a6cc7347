/** Chains made to measure: quotes around what a smile says, to be bent one at a time. */
import { priceOf } from '../../src/engine/black-scholes.ts';
import type { FairInput } from '../../src/engine/fair-fit.ts';
import type { Right } from '../../src/lang/model.ts';

export const NOW = 1_450_882_800_000_000;
export const DAY = 86_400_000_000;

export interface ChainSpec {
  readonly forwardE4?: number;
  readonly strikesE4?: readonly number[];
  /** Settlement, microseconds from now. */
  readonly left?: number;
  /** Volatility at x = ln(K/F). */
  readonly smile?: (x: number) => number;
  /** Half the spread of a quote, E4, around its model price. */
  readonly half?: (priceE4: number, kE4: number) => number;
  readonly spotE4?: number;
}

/** Fields of a quote to set, by right and strike: `undefined` sides are not good. */
export interface Bend {
  readonly right: Right;
  readonly kE4: number;
  readonly bid?: number;
  readonly ask?: number;
  readonly ageUs?: number;
  readonly shiftE4?: number;
}

export const SMILE = (x: number) => 0.22 - 0.35 * x + 1.4 * x * x;
/** Nineteen strikes, 2 % apart, around a forward of 100. */
export const STRIKES = Array.from({ length: 19 }, (_, i) => 820_000 + 20_000 * i);

export function chainOf(spec: ChainSpec = {}, bends: readonly Bend[] = []): FairInput {
  const { forwardE4 = 1_000_000, strikesE4 = STRIKES, left = 30 * DAY, smile = SMILE, half = () => 20 } = spec;
  const root = Math.sqrt(left / (365 * DAY));
  const side = (right: Right, sign: -1 | 1) =>
    Float64Array.from(strikesE4, (k) => {
      const price = priceOf(right, forwardE4, k, smile(Math.log(k / forwardE4)) * root);
      const wide = half(price, k);
      return price > wide ? price + sign * wide : Number.NaN;
    });
  const quotedAt = () => new Float64Array(strikesE4.length).fill(NOW - 1_000_000);
  const input: FairInput = {
    strikesE4: Float64Array.from(strikesE4),
    callBid: side('C', -1),
    callAsk: side('C', 1),
    putBid: side('P', -1),
    putAsk: side('P', 1),
    callT: quotedAt(),
    putT: quotedAt(),
    spotE4: spec.spotE4 ?? forwardE4,
    t: NOW,
    settlesAt: NOW + left,
  };
  for (const bend of bends) {
    const i = strikesE4.indexOf(bend.kE4);
    if (i < 0) throw new Error(`strike ${bend.kE4} is not listed`);
    const call = bend.right === 'C';
    const [bid, ask, t] = call ? [input.callBid, input.callAsk, input.callT] : [input.putBid, input.putAsk, input.putT];
    if ('bid' in bend || 'ask' in bend) {
      bid[i] = bend.bid ?? Number.NaN;
      ask[i] = bend.ask ?? Number.NaN;
    }
    bid[i] = bid[i]! + (bend.shiftE4 ?? 0);
    ask[i] = ask[i]! + (bend.shiftE4 ?? 0);
    if (bend.ageUs !== undefined) t[i] = NOW - bend.ageUs;
  }
  return input;
}

/** A quote of so much, so wide, on the side of the strike that is out of the money. */
export function quote(right: Right, kE4: number, midE4: number, spreadE4: number): Bend {
  return { right, kE4, bid: midE4 - spreadE4 / 2, ask: midE4 + spreadE4 / 2 };
}
