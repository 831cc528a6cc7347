/** Quotes by their soundness. */
import { ABSENT, type Columns, Flag } from './columns.ts';

/** Quotes in session by what an engine makes of them; each is counted once, in this order of tests. */
export interface QuoteCounts {
  /** Both sides with a price and a size above 0, bid below ask. */
  good: number;
  /** A side without a price, or with a size of 0 or none. */
  oneSided: number;
  nonPositive: number;
  crossed: number;
  locked: number;
  /** Flagged by the source. */
  suspect: number;
}

export function noQuotes(): QuoteCounts {
  return { good: 0, oneSided: 0, nonPositive: 0, crossed: 0, locked: 0, suspect: 0 };
}

export function countQuote(columns: Columns, i: number, counts: QuoteCounts): keyof QuoteCounts {
  const sort = quoteSort(columns, i);
  counts[sort]++;
  return sort;
}

function quoteSort(columns: Columns, i: number): keyof QuoteCounts {
  const bidE4 = columns.a[i]!;
  const askE4 = columns.c[i]!;
  if ((columns.flags[i]! & Flag.suspect) !== 0) return 'suspect';
  if (bidE4 === ABSENT || askE4 === ABSENT || columns.b[i]! <= 0 || columns.d[i]! <= 0) return 'oneSided';
  if (bidE4 <= 0 || askE4 <= 0) return 'nonPositive';
  if (bidE4 > askE4) return 'crossed';
  return bidE4 === askE4 ? 'locked' : 'good';
}
