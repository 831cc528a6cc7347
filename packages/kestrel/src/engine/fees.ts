/** Fee schedules: named, dated, itemised, reckoned fill by fill in exact integers. */
import { type FeeInstrument, type FeeSchedule, inForce, perMillionE4, perUnitE4 } from './fee-line.ts';
import { FIRST_DATE, SECTION_31, TAF } from './fee-rates.ts';
import { FIRST_OPTION_DATE } from './option-fee-rates.ts';
import { usOptions } from './option-fees.ts';
import { EngineRefusal } from './refusal.ts';

export type { FeeFill, FeeInstrument, FeeLine, FeeSchedule } from './fee-line.ts';

const NONE: FeeSchedule = { name: 'none', admit: () => {}, of: () => [] };

/**
 * The schedule `none`, `us-equity-v1` or `us-options-v1`, as it stood on a day.
 *
 * @param date the tape's date, `YYYY-MM-DD`
 * @throws EngineRefusal `bad-arg` on a schedule of another name, or a day before its tables begin
 */
export function feeSchedule(name: string, date: string): FeeSchedule {
  switch (name) {
    case 'none':
      return NONE;
    case 'us-equity-v1':
      return usEquity(known(date, { name, from: FIRST_DATE }));
    case 'us-options-v1':
      return usOptions({ date: known(date, { name, from: FIRST_OPTION_DATE }), shares: usEquity(date) });
    default:
      throw new EngineRefusal('bad-arg', `fees: ${name} is no schedule of this engine`, {
        expected: 'none | us-equity-v1 | us-options-v1',
        got: name,
      });
  }
}

/** The date itself, if the schedule's tables hold for it. */
function known(date: string, schedule: { readonly name: string; readonly from: string }): string {
  const { name, from } = schedule;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) {
    throw new EngineRefusal('bad-arg', `fees: ${name} wants the tape's date, got ${date}`, {
      expected: 'a date such as 2013-10-07',
      got: date,
    });
  }
  if (date < from) {
    throw new EngineRefusal('bad-arg', `fees: ${name} is known from ${from} on, and the tape is of ${date}`, {
      expected: `a tape of ${from} or later, or the schedule none`,
      got: date,
    });
  }
  return date;
}

/** No commission; on sells the Section 31 fee on what they bring in, and the TAF on the shares, capped. */
function usEquity(date: string): FeeSchedule {
  const { centsPerMillion } = inForce(SECTION_31, date)!;
  const { microsPerShare, capE4 } = inForce(TAF, date)!;
  const admit = (instrument: FeeInstrument): void => {
    if (instrument.kind === 'equity') return;
    const message = `fees: us-equity-v1 has no rates for options, and ${instrument.root} is one`;
    throw new EngineRefusal('not-supported', message, {
      expected: 'fees us-options-v1, which has rates for shares and options, or none',
      got: 'us-equity-v1',
    });
  };
  return {
    name: 'us-equity-v1',
    admit,
    of: ({ side, qty, priceE4, instrument }) => {
      if (instrument !== undefined) admit(instrument);
      if (side === 'buy') return [];
      // A sale at a price below the rate itself is free of it (Schedule A, section 1).
      const taf = priceE4 * 100 < microsPerShare ? 0 : perUnitE4(qty, microsPerShare);
      return [
        { name: 'SEC Section 31', e4: perMillionE4({ qty, priceE4, multiplier: 1, centsPerMillion }) },
        { name: 'FINRA TAF', e4: Math.min(taf, capE4) },
      ];
    },
  };
}
