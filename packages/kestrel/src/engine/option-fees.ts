/** The schedule `us-options-v1`: commission, exchange, regulatory and clearing lines of a fill in options. */
import { isIndexRoot } from '../market/index.ts';
import { type FeeInstrument, type FeeLine, type FeeSchedule, inForce, perMillionE4, perUnitE4 } from './fee-line.ts';
import { SECTION_31 } from './fee-rates.ts';
import {
  type Band,
  COMMISSION,
  EXCHANGE,
  type ExchangeRate,
  MULTIPLY_LISTED,
  OCC,
  OPTION_TAF,
  ORF,
} from './option-fee-rates.ts';
import { EngineRefusal } from './refusal.ts';

/**
 * The schedule as it stood on a day that its tables hold for.
 *
 * @param args.shares what the same plan pays on shares
 */
export function usOptions(args: { readonly date: string; readonly shares: FeeSchedule }): FeeSchedule {
  const { date, shares } = args;
  const commission = inForce(COMMISSION, date)!;
  const occ = inForce(OCC, date)!;
  const orf = inForce(ORF, date)!;
  const taf = inForce(OPTION_TAF, date)!;
  const section31 = inForce(SECTION_31, date)!;
  return {
    name: 'us-options-v1',
    admit: (instrument) => {
      if (instrument.kind === 'option') exchangeRate(instrument, date);
    },
    of: (fill) => {
      const { side, qty, priceE4, instrument } = fill;
      if (instrument === undefined || instrument.kind === 'equity') return shares.of(fill);
      const exchange = exchangeRate(instrument, date);
      const bands = fill.legs === 2 ? (exchange.complexBands ?? exchange.bands) : exchange.bands;
      const exchangeMicros = qty < (exchange.freeBelow ?? 0) ? 0 : bandAt(bands, priceE4);
      const clearing = perUnitE4(qty, occ.microsPerContract);
      const lines: FeeLine[] = [
        { name: 'Commission', e4: perUnitE4(qty, bandAt(commission.bands, priceE4)) },
        { name: 'Exchange', e4: perUnitE4(qty, exchangeMicros) },
        { name: 'ORF', e4: perUnitE4(qty, orf.microsPerContract) },
        { name: 'OCC', e4: occ.capE4 === undefined ? clearing : Math.min(clearing, occ.capE4) },
      ];
      // Options on indices are free of both (17 CFR 240.31; By-Laws, Schedule A, section 1).
      if (side === 'sell' && !isIndexRoot(instrument.root)) {
        const { centsPerMillion } = section31;
        const sale = { qty, priceE4, multiplier: instrument.multiplier, centsPerMillion };
        lines.push({ name: 'SEC Section 31', e4: perMillionE4(sale) });
        lines.push({ name: 'FINRA TAF', e4: perUnitE4(qty, taf.microsPerContract) });
      }
      return lines;
    },
  };
}

/** What the exchange takes of a class on a day. @throws EngineRefusal `not-supported` where the tables do not say */
function exchangeRate(instrument: FeeInstrument, date: string): ExchangeRate {
  const { root } = instrument;
  if (!isIndexRoot(root)) return MULTIPLY_LISTED;
  const rows = EXCHANGE.get(root);
  const rate = rows === undefined ? undefined : inForce(rows, date);
  if (rate !== undefined) return rate;
  const lack =
    rows === undefined
      ? `no exchange fee of ${root}`
      : `an exchange fee of ${root} from ${rows[0]!.from} on, and the tape is of ${date}`;
  throw new EngineRefusal('not-supported', `fees: us-options-v1 has ${lack}`, {
    expected: `options on shares, or on an index of ${[...EXCHANGE.keys()].join(' ')} on a day its fee is known for, or the schedule none`,
    got: root,
  });
}

/** The rate of the first band whose bound the premium is under; the last band has none. */
function bandAt(bands: readonly Band[], priceE4: number): number {
  return bands.find((band) => band.belowE4 === undefined || priceE4 < band.belowE4)!.microsPerContract;
}
