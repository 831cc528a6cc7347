/** What an option contract is, where a tape does not say it: multiplier, exercise, and the print that settles it. */
import { parseDate } from './calendar-date.ts';

export interface OptionRules {
  /** Units of the underlying a contract stands for. */
  readonly multiplier: 100;
  readonly style: 'american' | 'european';
  /** On the official close of the day it expires, or on that day's opening print (a special quotation). */
  readonly settles: 'close' | 'open';
}

interface IndexRoot {
  readonly style: 'american' | 'european';
  /** The print that settles, by the first expiry it holds for; the first row holds for every earlier one too. */
  readonly settles: readonly { readonly from: string; readonly at: 'close' | 'open' }[];
}

const AT_OPEN = [{ from: '', at: 'open' }] as const;
const AT_CLOSE = [{ from: '', at: 'close' }] as const;

/** Roots of options on indices; every other root is of shares. docs/options-rules.md names the source of each. */
const INDEX_ROOTS: ReadonlyMap<string, IndexRoot> = new Map<string, IndexRoot>([
  ['SPX', { style: 'european', settles: AT_OPEN }],
  [
    'SPXW',
    {
      style: 'european',
      settles: [
        { from: '', at: 'open' },
        { from: '2010-12-03', at: 'close' },
      ],
    },
  ],
  ['SPXPM', { style: 'european', settles: AT_CLOSE }],
  [
    'XSP',
    {
      style: 'european',
      settles: [
        { from: '', at: 'open' },
        { from: '2013-07-20', at: 'close' },
      ],
    },
  ],
  ['OEX', { style: 'american', settles: AT_CLOSE }],
  ['XEO', { style: 'european', settles: AT_CLOSE }],
  ['VIX', { style: 'european', settles: AT_OPEN }],
  ['VIXW', { style: 'european', settles: AT_OPEN }],
  ['NDX', { style: 'european', settles: AT_OPEN }],
  ['NDXP', { style: 'european', settles: AT_CLOSE }],
  ['XND', { style: 'european', settles: AT_CLOSE }],
  ['RUT', { style: 'european', settles: AT_OPEN }],
  ['RUTW', { style: 'european', settles: AT_CLOSE }],
  ['MRUT', { style: 'european', settles: AT_CLOSE }],
  ['DJX', { style: 'european', settles: AT_OPEN }],
]);

/** Whether a root is of options on an index that this table knows. */
export function isIndexRoot(root: string): boolean {
  return INDEX_ROOTS.has(root);
}

/**
 * The rules of a class for contracts of one expiry.
 *
 * @param root `SPY`, `SPX`, `SPXW`; a root that is no index of the table is of shares: American, settled at the close
 * @param date the day the contract expires, `YYYY-MM-DD`
 * @throws CalendarRefusal `bad-date`, `date-out-of-range`
 */
export function rulesOf(root: string, date: string): OptionRules {
  parseDate(date);
  const index = INDEX_ROOTS.get(root);
  if (index === undefined) return { multiplier: 100, style: 'american', settles: 'close' };
  let settles = index.settles[0]!.at;
  for (const row of index.settles) if (row.from <= date) settles = row.at;
  return { multiplier: 100, style: index.style, settles };
}
