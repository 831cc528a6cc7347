/** Exact money: products that may pass 2^53, R at the edge, prices on the tick. */
import { EngineRefusal } from './refusal.ts';

/** Prices and money are integers in 1e-4 of the currency. */
export const E4 = 10_000;

/** floor(a * b / c) for non-negative safe integers, exact whatever the product. */
export function mulDivFloor(a: number, b: number, c: number): number {
  const product = a * b;
  if (product <= Number.MAX_SAFE_INTEGER) return (product - (product % c)) / c;
  return Number((BigInt(a) * BigInt(b)) / BigInt(c));
}

/**
 * Money that is still exact, as it came.
 *
 * @param e4 signed, 1e-4 of the currency
 * @throws EngineRefusal `amount-range` beyond 2^53 - 1, where a sum would no longer be the sum of its parts
 */
export function exact(e4: number): number {
  if (Number.isSafeInteger(e4)) return e4;
  throw new EngineRefusal('amount-range', 'an amount of money is too large to be exact', {
    expected: 'amounts below 900 billion of the currency: smaller orders, or a tape without such a price',
    got: `${e4 / E4}`,
  });
}

/** `b` R of budget, b in 1e-4, as E4: floor(b × R / 10000). */
export function budgetOf(bE4: number, rE4: number): number {
  return mulDivFloor(bE4, rE4, E4);
}

/**
 * E4 money in R, as the text with six decimals that reports and hashes carry: exact, half to even.
 *
 * @param moneyE4 signed integer, 1e-4 of the currency
 * @param rE4 one R, same unit, positive
 */
export function inR(moneyE4: number, rE4: number): string {
  const scaled = BigInt(moneyE4) * 1_000_000n;
  const r = BigInt(rE4);
  const negative = scaled < 0n;
  const magnitude = negative ? -scaled : scaled;
  let micro = magnitude / r;
  const twice = (magnitude % r) * 2n;
  if (twice > r || (twice === r && micro % 2n === 1n)) micro += 1n;
  const digits = micro.toString().padStart(7, '0');
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  return negative && micro !== 0n ? `-${text}` : text;
}

/** A value this close to a multiple of the tick is that multiple (E4). */
const ON_TICK = 1e-6;

/**
 * The tick price of a computed one: buys round down, sells up.
 *
 * @returns E4 integer, or NaN when the price is below one tick (unpriceable)
 */
export function onTick(valueE4: number, tickE4: number, side: 'buy' | 'sell'): number {
  const nearest = Math.round(valueE4 / tickE4) * tickE4;
  let price = nearest;
  if (Math.abs(valueE4 - nearest) > ON_TICK) {
    const steps = valueE4 / tickE4;
    price = (side === 'buy' ? Math.floor(steps) : Math.ceil(steps)) * tickE4;
  }
  return price >= tickE4 && price <= PRICE_MAX_E4 ? price : Number.NaN;
}

/** Prices are exact up to 1e9 units of currency. */
export const PRICE_MAX_E4 = 1e13;
