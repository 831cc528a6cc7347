/**
 * Dated rates of `us-options-v1`, in millionths of a dollar a contract: a broker's commission, the fee of one named exchange,
 * the options regulatory fees (ORF) of all exchanges together, the Options Clearing Corporation's clearing fee, and FINRA's
 * Trading Activity Fee on options. The Section 31 rate is that of shares.
 *
 * A row holds from its day until the next row's. `by` names the institution, the rule or circular, and its date. `rests`
 * says on what the row rests: `primary` is the institution's own text; `secondary` is a broker's or another's page that
 * states it; `unsure` is a rate or a day that no text found states, and `by` says which.
 */

export type Rests = 'primary' | 'secondary' | 'unsure';

export interface Band {
  /** Premiums under this, 1e-4 dollars a unit of the underlying; absent: every other. */
  readonly belowE4?: number;
  readonly microsPerContract: number;
}

export interface BandedRate {
  /** First day, `YYYY-MM-DD`. */
  readonly from: string;
  /** By premium, rising; the last has no bound. */
  readonly bands: readonly Band[];
  readonly by: string;
  readonly rests: Rests;
}

export interface ExchangeRate extends BandedRate {
  /** Of a leg of a complex order, where that differs. */
  readonly complexBands?: readonly Band[];
  /** Fills of fewer contracts than this are free. */
  readonly freeBelow?: number;
}

export interface ContractRate {
  readonly from: string;
  readonly microsPerContract: number;
  /** Most that one trade pays, 1e-4 dollars; absent: no such bound. */
  readonly capE4?: number;
  readonly by: string;
  readonly rests: Rests;
}

/** The first day for which every line is known, or known not to have been charged. */
export const FIRST_OPTION_DATE = '2009-01-01';

/** Interactive Brokers, smart-routed, up to 10,000 contracts a month: no ticket charge in all these years. */
export const COMMISSION: readonly BandedRate[] = [
  {
    from: '2009-01-01',
    bands: [
      { belowE4: 500, microsPerContract: 250_000 },
      { belowE4: 1_000, microsPerContract: 500_000 },
      { microsPerContract: 700_000 },
    ],
    by: 'Interactive Brokers, options commissions, pages of about 2008 and of 2016',
    rests: 'primary',
  },
  {
    from: '2020-01-01',
    bands: [
      { belowE4: 500, microsPerContract: 250_000 },
      { belowE4: 1_000, microsPerContract: 500_000 },
      { microsPerContract: 650_000 },
    ],
    by: 'Interactive Brokers, options commissions, pages of about 2020 to 2024; the day is unsure',
    rests: 'unsure',
  },
];

const one = (microsPerContract: number): readonly Band[] => [{ microsPerContract }];

/** Classes that many exchanges list: a customer of Cboe Options pays nothing. */
export const MULTIPLY_LISTED: ExchangeRate = {
  from: '2009-01-01',
  bands: one(0),
  by: 'Cboe Options fees schedules of 2015-11-16, 2017-12-08, 2021-09-01 and 2024-11-01',
  rests: 'primary',
};

const SPX: readonly ExchangeRate[] = [
  {
    from: '2009-01-01',
    bands: [{ belowE4: 10_000, microsPerContract: 350_000 }, { microsPerContract: 440_000 }],
    by: '0.44: Cboe Options fees schedule of 2019-02-07; 0.35, and both in the years before, are unsure',
    rests: 'unsure',
  },
  {
    from: '2024-11-01',
    bands: [{ belowE4: 10_000, microsPerContract: 360_000 }, { microsPerContract: 450_000 }],
    by: 'Cboe Options fee codes CS and CT, schedule of 2024-11-01; it may have begun earlier',
    rests: 'primary',
  },
];

const OEX: readonly ExchangeRate[] = [
  {
    from: '2009-01-01',
    bands: one(300_000),
    by: 'Interactive Brokers, exchange fees of CBOE, page of about 2008',
    rests: 'secondary',
  },
  {
    from: '2024-11-01',
    bands: one(350_000),
    by: 'Cboe Options fee code CO, schedule of 2024-11-01; it may have begun earlier',
    rests: 'primary',
  },
];

const VIX: readonly ExchangeRate[] = [
  {
    from: '2019-02-07',
    bands: [
      { belowE4: 1_100, microsPerContract: 100_000 },
      { belowE4: 10_000, microsPerContract: 250_000 },
      { belowE4: 20_000, microsPerContract: 400_000 },
      { microsPerContract: 450_000 },
    ],
    complexBands: [
      { belowE4: 1_100, microsPerContract: 50_000 },
      { belowE4: 10_000, microsPerContract: 170_000 },
      { belowE4: 20_000, microsPerContract: 300_000 },
      { microsPerContract: 450_000 },
    ],
    by: 'Cboe Options fee codes CV to DC, schedule of 2024-11-01; of that of 2019-02-07 only 0.25 and 0.45 are known',
    rests: 'unsure',
  },
];

const OTHER_INDEX: readonly ExchangeRate[] = [
  {
    from: '2009-01-01',
    bands: one(180_000),
    by: 'Cboe Options fees schedules of 2015-11-16, 2021-09-01 and 2024-11-01 (codes CB, CR); Interactive Brokers, page of about 2008',
    rests: 'primary',
  },
];

const XSP: readonly ExchangeRate[] = [
  {
    from: '2009-01-01',
    bands: one(180_000),
    by: 'the rate of other indices (Interactive Brokers, page of about 2008); when XSP got its own is unsure',
    rests: 'unsure',
  },
  {
    from: '2021-09-01',
    bands: one(40_000),
    freeBelow: 10,
    by: 'Cboe Options fee codes CC and XC, schedule of 2021-09-01',
    rests: 'primary',
  },
  {
    from: '2024-11-01',
    bands: one(70_000),
    freeBelow: 10,
    by: 'Cboe Options fee code CC, schedule of 2024-11-01; it may have begun earlier',
    rests: 'primary',
  },
];

const MRUT: readonly ExchangeRate[] = [
  {
    from: '2021-09-01',
    bands: one(20_000),
    by: 'Cboe Options fee code CQ, schedules of 2021-09-01 and 2024-11-01',
    rests: 'primary',
  },
];

/** Customers of Cboe Options (C1), by root: options on indices. */
export const EXCHANGE: ReadonlyMap<string, readonly ExchangeRate[]> = new Map([
  ['SPX', SPX],
  ['SPXW', SPX],
  ['SPXQ', SPX],
  ['SPXPM', SPX],
  ['XSP', XSP],
  ['XSPW', XSP],
  ['OEX', OEX],
  ['XEO', OEX],
  ['VIX', VIX],
  ['VIXW', VIX],
  ['RUT', OTHER_INDEX],
  ['RUTW', OTHER_INDEX],
  ['MRUT', MRUT],
  ['DJX', OTHER_INDEX],
]);

/** All exchanges together, on buys and sells of customers. */
export const ORF: readonly ContractRate[] = [
  {
    from: '2009-01-01',
    microsPerContract: 0,
    by: 'none before CBOE began it',
    rests: 'secondary',
  },
  {
    from: '2009-03-01',
    microsPerContract: 6_000,
    by: 'CBOE alone: circular RG09-30 of 2009-02-26, as TraderStatus, SEC fee rates and ORF, cites it',
    rests: 'secondary',
  },
  {
    from: '2009-07-01',
    microsPerContract: 4_000,
    by: 'CBOE alone: fees schedule of August 2009 (74 FR, 2009-08-24); the day is unsure',
    rests: 'unsure',
  },
  {
    from: '2010-01-01',
    microsPerContract: 14_000,
    by: 'BOX, CBOE, ISE and PHLX: TraderStatus, ORF of January 2010; Interactive Brokers, notice of 2010-01-15',
    rests: 'secondary',
  },
  {
    from: '2011-05-01',
    microsPerContract: 22_500,
    by: 'AMEX and ARCA began: TraderStatus, ORF of May 2011',
    rests: 'secondary',
  },
  {
    from: '2012-08-01',
    microsPerContract: 26_700,
    by: 'C2 began in August 2012; the rate is a third of the 0.08 of three contracts on a confirmation of 2012-09-05, give or take 0.0017',
    rests: 'unsure',
  },
  {
    from: '2013-01-01',
    microsPerContract: 37_700,
    by: 'TraderStatus, ORF of January 2013',
    rests: 'secondary',
  },
  {
    from: '2014-02-01',
    microsPerContract: 39_600,
    by: 'TraderStatus, ORF of February 2014',
    rests: 'secondary',
  },
  {
    from: '2015-08-01',
    microsPerContract: 42_700,
    by: 'TraderStatus, ORF of August 2015',
    rests: 'secondary',
  },
  {
    from: '2016-02-16',
    microsPerContract: 40_400,
    by: 'Interactive Brokers, options fees, beside the Section 31 rate in force from this day',
    rests: 'secondary',
  },
  {
    from: '2017-02-01',
    microsPerContract: 40_500,
    by: 'TraderStatus, ORF of February 2017',
    rests: 'secondary',
  },
  {
    from: '2018-05-22',
    microsPerContract: 38_800,
    by: 'tastyworks, fees, beside the Section 31 rate in force from this day',
    rests: 'secondary',
  },
  {
    from: '2019-02-22',
    microsPerContract: 37_900,
    by: 'Interactive Brokers, ORF, the first list with EMERALD, which began on this day (MIAX circulars of 2018-12-31)',
    rests: 'secondary',
  },
  {
    from: '2020-08-03',
    microsPerContract: 33_000,
    by: "Interactive Brokers, options fees, undated; the day is that of Cboe's cut",
    rests: 'unsure',
  },
  {
    from: '2022-05-14',
    microsPerContract: 21_350,
    by: 'Tradier, options fees, beside the Section 31 rate in force from this day; Interactive Brokers, ORF, a list without Nasdaq',
    rests: 'secondary',
  },
  {
    from: '2023-01-01',
    microsPerContract: 30_050,
    by: 'SDIL, options fees, beside the TAF rate in force from this day',
    rests: 'secondary',
  },
  {
    from: '2023-02-27',
    microsPerContract: 30_250,
    by: 'Tiger Brokers, options fees, beside the Section 31 rate in force from this day',
    rests: 'secondary',
  },
  {
    from: '2024-01-01',
    microsPerContract: 26_850,
    by: 'Interactive Brokers, options fees, beside the TAF rate in force from this day',
    rests: 'secondary',
  },
  {
    from: '2024-05-22',
    microsPerContract: 19_150,
    by: 'Interactive Brokers, options fees, beside the Section 31 rate in force from this day',
    rests: 'secondary',
  },
  {
    from: '2025-03-03',
    microsPerContract: 28_150,
    by: 'Interactive Brokers, ORF, list of this day',
    rests: 'secondary',
  },
  {
    from: '2026-07-01',
    microsPerContract: 15_000,
    by: 'Alpaca, fee schedule of 2026-09-01; from 2026-07-01 Cboe counts what trades on it alone (SR-CBOE-2025-086)',
    rests: 'secondary',
  },
];

export const OCC: readonly ContractRate[] = [
  {
    from: '2006-09-01',
    microsPerContract: 35_000,
    capE4: 350_000,
    by: 'OCC release of 2006-08-10; smaller discounted rates between 2007-05-01 and 2014-03-31 (SR-OCC-2007-17) were not found',
    rests: 'unsure',
  },
  {
    from: '2014-04-01',
    microsPerContract: 50_000,
    capE4: 550_000,
    by: 'SR-OCC-2014-05 (the discount ends; its day is unsure); rates: Interactive Brokers, page of 2016; less from 2016 to 2018 is possible',
    rests: 'unsure',
  },
  {
    from: '2018-03-01',
    microsPerContract: 50_000,
    capE4: 550_000,
    by: 'SR-OCC-2018-004, Release 34-82596 (a rise to this, on this day); rates: Alaric and Tiger Brokers, fees of 2018',
    rests: 'secondary',
  },
  {
    from: '2020-01-01',
    microsPerContract: 55_000,
    capE4: 550_000,
    by: 'OCC schedule of fees of January 2020; it may have begun earlier',
    rests: 'primary',
  },
  {
    from: '2020-09-01',
    microsPerContract: 45_000,
    capE4: 550_000,
    by: 'SR-OCC-2020-009; OCC release of 2021-04-19',
    rests: 'primary',
  },
  {
    from: '2021-06-01',
    microsPerContract: 20_000,
    capE4: 550_000,
    by: 'OCC release of 2021-04-19; 86 FR 27916',
    rests: 'primary',
  },
  {
    from: '2021-11-01',
    microsPerContract: 0,
    by: 'SR-OCC-2021-012 (a fee holiday in 2021); its days are unsure',
    rests: 'unsure',
  },
  {
    from: '2022-01-01',
    microsPerContract: 20_000,
    capE4: 550_000,
    by: 'OCC schedule of fees, as before the holiday',
    rests: 'primary',
  },
  {
    from: '2025-01-01',
    microsPerContract: 25_000,
    by: '89 FR 105645, filed anew as SR-OCC-2025-002 (Release 34-102437)',
    rests: 'primary',
  },
  {
    from: '2025-12-01',
    microsPerContract: 0,
    by: 'a fee holiday of December 2025, as a study of 2026 reports the filing of OCC',
    rests: 'secondary',
  },
  {
    from: '2026-01-01',
    microsPerContract: 25_000,
    by: 'Alpaca, fee schedule of 2026-09-01',
    rests: 'secondary',
  },
];

/** On sells of options on shares. */
export const OPTION_TAF: readonly ContractRate[] = [
  {
    from: '2009-01-01',
    microsPerContract: 2_000,
    by: 'By-Laws, Schedule A, section 1 (68 FR 34021, 2003-06-06); tastyworks and Tiger Brokers, fees of 2018',
    rests: 'secondary',
  },
  {
    from: '2022-01-01',
    microsPerContract: 2_180,
    by: 'SR-FINRA-2020-032; rate: OptionsRoute, fees of 2022',
    rests: 'secondary',
  },
  {
    from: '2023-01-01',
    microsPerContract: 2_440,
    by: 'SR-FINRA-2020-032; rate: SDIL, fees of 2023',
    rests: 'secondary',
  },
  {
    from: '2024-01-01',
    microsPerContract: 2_790,
    by: 'SR-FINRA-2020-032; rate: Interactive Brokers, fees of 2024',
    rests: 'secondary',
  },
  {
    from: '2026-01-01',
    microsPerContract: 3_290,
    by: 'SR-FINRA-2024-019; rate: Alpaca, fee schedule of 2026-09-01',
    rests: 'secondary',
  },
  {
    from: '2026-10-01',
    microsPerContract: 0,
    by: 'SR-FINRA-2026-021: none for a quarter, as on shares; that it holds for options is unsure',
    rests: 'unsure',
  },
  {
    from: '2027-01-01',
    microsPerContract: 3_290,
    by: 'SR-FINRA-2026-021, as on shares; the rate of 2027 is unsure',
    rests: 'unsure',
  },
];
