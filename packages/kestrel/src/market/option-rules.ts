/** What an option contract is, where a tape does not say it: multiplier, exercise, and the print that settles it. */
import { parseDate } from './calendar-date.ts';

export interface OptionRules {
  /** Units of the underlying a contract stands for. */
  readonly multiplier: 100;
  readonly style: 'american' | 'european';
  /** On the official close of the day it expires, or on that day's opening prints (a special opening quotation). */
  readonly settles: 'close' | 'open';
}

interface IndexRoot {
  readonly style: 'american' | 'european';
  readonly settles: 'close' | 'open';
  /** Contracts that expire before this day settled at the open. */
  readonly closeFrom?: string;
}

const AT_OPEN: IndexRoot = { style: 'european', settles: 'open' };
const AT_CLOSE: IndexRoot = { style: 'european', settles: 'close' };

/** Roots of options on indices; every other root is of shares. docs/options-rules.md names the source of each. */
const INDEX_ROOTS: ReadonlyMap<string, IndexRoot> = new Map<string, IndexRoot>([
  ['SPX', AT_OPEN],
  ['SPXW', { ...AT_CLOSE, closeFrom: '2010-12-03' }],
  ['SPXQ', AT_CLOSE],
  ['SPXPM', AT_CLOSE],
  ['XSP', { ...AT_CLOSE, closeFrom: '2013-11-05' }],
  ['XSPW', AT_CLOSE],
  ['XSPAM', AT_OPEN],
  ['OEX', { style: 'american', settles: 'close' }],
  ['XEO', AT_CLOSE],
  ['VIX', AT_OPEN],
  ['VIXW', AT_OPEN],
  ['NDX', AT_OPEN],
  ['NDXP', AT_CLOSE],
  ['MNX', AT_OPEN],
  ['XND', AT_CLOSE],
  ['RUT', AT_OPEN],
  ['RUTW', AT_CLOSE],
  ['MRUT', AT_CLOSE],
  ['DJX', AT_OPEN],
  ['MXEA', AT_OPEN],
  ['MXEF', AT_OPEN],
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
  const atOpen = index.closeFrom !== undefined && date < index.closeFrom;
  return { multiplier: 100, style: index.style, settles: atOpen ? 'open' : index.settles };
}
