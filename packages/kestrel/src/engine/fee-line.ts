/** What a fee schedule is asked and what it answers: a fill, its lines, and how both are reckoned in exact integers. */

export interface FeeLine {
  readonly name: string;
  /** 1e-4 of the currency, half to even; positive is paid, negative received. */
  readonly e4: number;
}

/** What a fill is a fill of. */
export interface FeeInstrument {
  readonly kind: 'equity' | 'option';
  /** The symbol of shares, the root of options: `SPY`, `SPXW`. */
  readonly root: string;
  readonly right?: 'C' | 'P';
  /** Units of the underlying a contract stands for; 1 of shares. */
  readonly multiplier: number;
}

export interface FeeFill {
  readonly side: 'buy' | 'sell';
  /** Shares or contracts; whole. */
  readonly qty: number;
  /** A share's price, or an option's premium a unit of the underlying; whole, at least 0. */
  readonly priceE4: number;
  /** Absent: shares. */
  readonly instrument?: FeeInstrument;
  /** Legs of the order this fill is a part of; a leg of a vertical is a fill of its own with 2 here. Absent: 1. */
  readonly legs?: 1 | 2;
}

export interface FeeSchedule {
  readonly name: string;
  /**
   * Whether the schedule has rates for an instrument: asked once, before a plan that trades it is armed.
   *
   * @throws EngineRefusal `not-supported` where it has none
   */
  admit(instrument: FeeInstrument): void;
  /**
   * The lines of one fill, in the schedule's own order.
   *
   * @throws EngineRefusal `not-supported` for an instrument that {@link FeeSchedule.admit} refuses
   */
  of(fill: FeeFill): readonly FeeLine[];
}

/** The last row that begins on or before the day, if any does; rows rise by date. */
export function inForce<Row extends { readonly from: string }>(rows: readonly Row[], date: string): Row | undefined {
  return rows.findLast((row) => row.from <= date);
}

/** n / d for d > 0, to the nearest integer, ties to the even one. */
export function halfToEven(n: bigint, d: bigint): number {
  const negative = n < 0n;
  const size = negative ? -n : n;
  const floor = size / d;
  const twice = (size % d) * 2n;
  const nearest = twice > d || (twice === d && floor % 2n === 1n) ? floor + 1n : floor;
  return Number(negative ? -nearest : nearest);
}

/** The same for a quotient whose parts are safe integers, d even. */
function halfToEvenSafe(n: number, d: number): number {
  const size = Math.abs(n);
  const rest = size % d;
  const floor = (size - rest) / d;
  const nearest = rest > d / 2 || (rest === d / 2 && floor % 2 === 1) ? floor + 1 : floor;
  return n < 0 && nearest > 0 ? -nearest : nearest;
}

/** `qty` times millionths of a dollar, as E4; a rebate is a negative rate, and makes a negative line. */
export function perUnitE4(qty: number, micros: number): number {
  const product = qty * micros;
  if (Number.isSafeInteger(product)) return halfToEvenSafe(product, 100);
  return halfToEven(BigInt(qty) * BigInt(micros), 100n);
}

/** What `qty` units at a price bring in, times a rate in cents a million dollars, as E4. */
export function perMillionE4(sale: {
  readonly qty: number;
  readonly priceE4: number;
  readonly multiplier: number;
  readonly centsPerMillion: number;
}): number {
  const product = sale.qty * sale.priceE4 * sale.multiplier * sale.centsPerMillion;
  if (Number.isSafeInteger(product)) return halfToEvenSafe(product, 100_000_000);
  const notional = BigInt(sale.qty) * BigInt(sale.priceE4) * BigInt(sale.multiplier);
  return halfToEven(notional * BigInt(sale.centsPerMillion), 100_000_000n);
}
