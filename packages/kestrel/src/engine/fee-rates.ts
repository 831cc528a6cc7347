/**
 * Dated rates of `us-equity-v1`: the fee of section 31 of the Securities Exchange Act (15 USC 78ee; 17 CFR 240.31), which
 * exchanges and FINRA pay on sales and pass on, and FINRA's Trading Activity Fee (By-Laws, Schedule A, section 1).
 *
 * A row holds from its day until the next row's. `by` cites what set it: an SEC Fee Rate Advisory (FRA) or order, a notice
 * of NASD or FINRA. Where it says "+ 30 days" or "+ 60 days", the rate is cited and the day is what section 31(j) makes of
 * the appropriation's enactment.
 */

export interface Section31Rate {
  /** First day, `YYYY-MM-DD`. */
  readonly from: string;
  /** Cents on a million dollars of sales. */
  readonly centsPerMillion: number;
  readonly by: string;
}

export interface TafRate {
  /** First day, `YYYY-MM-DD`. */
  readonly from: string;
  /** Millionths of a dollar on a share sold. */
  readonly microsPerShare: number;
  /** Most that one trade pays, 1e-4 dollars. */
  readonly capE4: number;
  readonly by: string;
}

/** The first day for which both fees are known. */
export const FIRST_DATE = '2003-09-01';

export const SECTION_31: readonly Section31Rate[] = [
  { from: '2003-04-01', centsPerMillion: 4680, by: 'FRA #12 for 2003' },
  { from: '2004-02-22', centsPerMillion: 3900, by: 'FRA #7 for 2004' },
  { from: '2004-04-01', centsPerMillion: 2340, by: 'FRA #8 for 2004; Release 34-49332' },
  { from: '2005-01-07', centsPerMillion: 3290, by: 'FRA #6 for 2005' },
  { from: '2005-04-01', centsPerMillion: 4180, by: 'FRA #7 for 2005; Release 34-51277' },
  {
    from: '2005-12-22',
    centsPerMillion: 3070,
    by: 'NASD Member Alert 2005-09-30; Public Law 109-108 + 30 days (TraderStatus names the same day)',
  },
  { from: '2007-03-17', centsPerMillion: 1530, by: 'FRA #4 for 2007; Public Law 110-5 + 30 days' },
  { from: '2008-01-25', centsPerMillion: 1100, by: 'FRA #1 for 2008; Public Law 110-161 + 30 days' },
  { from: '2008-04-01', centsPerMillion: 560, by: 'FINRA Information Notice 2008-03-10' },
  { from: '2009-04-10', centsPerMillion: 2570, by: 'FINRA Information Notice 2009-10-02; Public Law 111-8 + 30 days' },
  { from: '2010-01-15', centsPerMillion: 1270, by: 'SEC press release 2009-270' },
  { from: '2010-04-01', centsPerMillion: 1690, by: 'FINRA Information Notice 2010-03-10' },
  { from: '2011-01-21', centsPerMillion: 1920, by: 'FRA #5 for 2011' },
  { from: '2012-02-21', centsPerMillion: 1800, by: 'FRA #5 for 2012; Release 34-66202' },
  { from: '2012-04-01', centsPerMillion: 2240, by: 'Release 34-66495; FRA #2 for 2013' },
  { from: '2013-05-25', centsPerMillion: 1740, by: 'Release 34-69449; Public Law 113-6 + 60 days' },
  { from: '2014-03-18', centsPerMillion: 2210, by: 'FINRA Information Notice 2014-03-03; Release 34-71550' },
  { from: '2015-02-14', centsPerMillion: 1840, by: 'Release 34-74057; Public Law 113-235 + 60 days' },
  {
    from: '2016-02-16',
    centsPerMillion: 2180,
    by: 'FINRA Information Notice 2016-03-15; Public Law 114-113 + 60 days',
  },
  { from: '2017-07-04', centsPerMillion: 2310, by: 'SEC order of 2017, 82 FR 25895' },
  { from: '2018-05-22', centsPerMillion: 1300, by: 'FRA #3 for 2018; FINRA Information Notice 2018-05-07' },
  { from: '2019-04-16', centsPerMillion: 2070, by: 'FRA #2 for 2019; Release 34-85287' },
  { from: '2020-02-18', centsPerMillion: 2210, by: 'FRA #2 for 2020; Release 34-87918' },
  { from: '2021-02-25', centsPerMillion: 510, by: 'FRA #2 for 2021; 86 FR 6694' },
  { from: '2022-05-14', centsPerMillion: 2290, by: 'Release 34-96724 (the rate); Public Law 117-103 + 60 days' },
  { from: '2023-02-27', centsPerMillion: 800, by: 'Release 34-96724' },
  { from: '2024-05-22', centsPerMillion: 2780, by: 'FRA #2 for 2024; Release 34-99973' },
  { from: '2025-05-14', centsPerMillion: 0, by: 'FRA #2 for 2025; FINRA Information Notice 2025-04-24' },
  { from: '2026-04-04', centsPerMillion: 2060, by: 'FRA #2 for 2026; Release 34-104909' },
];

export const TAF: readonly TafRate[] = [
  { from: '2003-09-01', microsPerShare: 100, capE4: 100_000, by: 'NASD Notice to Members 03-43; SR-NASD-2003-93' },
  { from: '2004-11-01', microsPerShare: 75, capE4: 37_500, by: 'NASD Notice to Members 04-84' },
  { from: '2011-07-01', microsPerShare: 90, capE4: 45_000, by: 'FINRA Regulatory Notice 11-27' },
  { from: '2012-03-01', microsPerShare: 95, capE4: 47_500, by: 'FINRA Regulatory Notice 12-06' },
  { from: '2012-07-01', microsPerShare: 119, capE4: 59_500, by: '77 FR 38690 (approval)' },
  { from: '2022-01-01', microsPerShare: 130, capE4: 64_900, by: 'SR-FINRA-2020-032' },
  { from: '2023-01-01', microsPerShare: 145, capE4: 72_700, by: 'SR-FINRA-2020-032' },
  { from: '2024-01-01', microsPerShare: 166, capE4: 83_000, by: 'SR-FINRA-2020-032' },
  { from: '2026-01-01', microsPerShare: 195, capE4: 97_900, by: 'SR-FINRA-2024-019' },
  { from: '2026-10-01', microsPerShare: 0, capE4: 0, by: 'SR-FINRA-2026-021: none for a quarter' },
  { from: '2027-01-01', microsPerShare: 195, capE4: 97_900, by: 'SR-FINRA-2026-021, SR-FINRA-2026-020' },
];
