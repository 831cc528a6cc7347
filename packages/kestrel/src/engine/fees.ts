/** Fee schedules: named, dated, itemised, reckoned fill by fill in exact integers. */
import { FIRST_DATE, SECTION_31, TAF } from './fee-rates.ts';
import { EngineRefusal } from './refusal.ts';

export interface FeeLine {
  readonly name: string;
  /** 1e-4 of the currency, half to even. */
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
  /** Shares or contracts. */
  readonly qty: number;
  /** A share's price, or an option's premium a unit of the underlying. */
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
  /** The lines of one fill, in the schedule's own order: positive is paid, negative received. */
  of(fill: FeeFill): readonly FeeLine[];
}

const NONE: FeeSchedule = { name: 'none', admit: () => {}, of: () => [] };

/**
 * The schedule `none` or `us-equity-v1`, as it stood on a day.
 *
 * @param date the tape's date, `YYYY-MM-DD`
 * @throws EngineRefusal `bad-arg` on a schedule of another name, or a day before its tables begin
 */
export function feeSchedule(name: string, date: string): FeeSchedule {
  switch (name) {
    case 'none':
      return NONE;
    case 'us-equity-v1':
      return usEquity(date);
    default:
      throw new EngineRefusal('bad-arg', `fees: ${name} is no schedule of this engine`, {
        expected: 'none | us-equity-v1',
        got: name,
      });
  }
}

/** No commission; on sells the Section 31 fee on what they bring in, and the TAF on the shares, capped. */
function usEquity(date: string): FeeSchedule {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) {
    throw new EngineRefusal('bad-arg', `fees: us-equity-v1 wants the tape's date, got ${date}`, {
      expected: 'a date such as 2013-10-07',
      got: date,
    });
  }
  if (date < FIRST_DATE) {
    throw new EngineRefusal(
      'bad-arg',
      `fees: us-equity-v1 is known from ${FIRST_DATE} on, and the tape is of ${date}`,
      {
        expected: `a tape of ${FIRST_DATE} or later, or the schedule none`,
        got: date,
      },
    );
  }
  const { centsPerMillion } = inForce(SECTION_31, date);
  const { microsPerShare, capE4 } = inForce(TAF, date);
  return {
    name: 'us-equity-v1',
    admit: (instrument) => {
      if (instrument.kind === 'equity') return;
      throw new EngineRefusal(
        'not-supported',
        `fees: us-equity-v1 has no rates for options, and ${instrument.root} is one`,
        {
          expected: 'us-options-v1, which has rates for both, or none',
          got: 'us-equity-v1',
        },
      );
    },
    of: ({ side, qty, priceE4 }) => {
      if (side === 'buy') return [];
      const section31 = halfToEven(BigInt(qty) * BigInt(priceE4) * BigInt(centsPerMillion), 100_000_000n);
      // A sale at a price below the rate itself is free of it (Schedule A, section 1).
      const taf = priceE4 * 100 < microsPerShare ? 0 : halfToEven(BigInt(qty) * BigInt(microsPerShare), 100n);
      return [
        { name: 'SEC Section 31', e4: section31 },
        { name: 'FINRA TAF', e4: Math.min(taf, capE4) },
      ];
    },
  };
}

/** The last row that begins on or before the day; rows rise by date, and the first is not after `FIRST_DATE`. */
function inForce<Row extends { readonly from: string }>(rows: readonly Row[], date: string): Row {
  let row = rows[0]!;
  for (const next of rows) if (next.from <= date) row = next;
  return row;
}

/** n / d for n >= 0, to the nearest integer, ties to the even one. */
function halfToEven(n: bigint, d: bigint): number {
  const floor = n / d;
  const twice = (n % d) * 2n;
  return Number(twice > d || (twice === d && floor % 2n === 1n) ? floor + 1n : floor);
}
