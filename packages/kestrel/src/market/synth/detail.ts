/** Coarser views of a day of ticks: what a vendor of seconds or of bars would have kept of it. */
import { ColumnsBuilder } from '../build.ts';
import { US_PER_DAY, US_PER_MINUTE, US_PER_SECOND } from '../calendar-date.ts';
import { type Columns, Kind } from '../columns.ts';

/** Ticks; closing quotes and trade bars of each second; bars of a minute, or of five. */
export const DETAILS = ['ticks', 'seconds', '1m', '5m'] as const;
export type Detail = (typeof DETAILS)[number];

/**
 * @param ticks quotes, trades, halts, news and the close of one instrument
 * @param session microseconds; intervals are counted from its open
 */
export function coarser(ticks: Columns, detail: Exclude<Detail, 'ticks'>, session: { readonly open: number }): Columns {
  switch (detail) {
    case 'seconds':
      return gather(ticks, { length: US_PER_SECOND, quotes: 'closing', open: session.open });
    case '1m':
      return gather(ticks, { length: US_PER_MINUTE, quotes: 'none', open: session.open });
    case '5m':
      return gather(ticks, { length: 5 * US_PER_MINUTE, quotes: 'none', open: session.open });
    default:
      return never(detail);
  }
}

interface Grid {
  readonly length: number;
  readonly quotes: 'closing' | 'none';
  readonly open: number;
}

/** An interval's quote and bar are known when it ends: the quote goes first. Other rows stay at their own times. */
function gather(ticks: Columns, grid: Grid): Columns {
  const rows = new ColumnsBuilder({ capacity: 1 << 16, instruments: 1 });
  let end = Number.NEGATIVE_INFINITY;
  let quote = -1;
  let bar: { o: number; h: number; l: number; c: number; z: number } | undefined;
  const finish = () => {
    if (quote >= 0) {
      rows.append(end, Kind.quote, 0, 0, ticks.a[quote]!, ticks.b[quote]!, ticks.c[quote]!, ticks.d[quote]!);
    }
    if (bar !== undefined) rows.bar({ t: end, inst: 0 }, { ...bar, d: grid.length });
    quote = -1;
    bar = undefined;
  };
  for (let i = 0; i < ticks.length; i++) {
    const t = ticks.t[i]!;
    if (t >= end) {
      finish();
      end = endOf(t, grid);
    }
    const kind = ticks.kind[i]!;
    if (kind === Kind.quote) {
      if (grid.quotes === 'closing') quote = i;
    } else if (kind === Kind.trade) {
      const p = ticks.a[i]!;
      bar ??= { o: p, h: p, l: p, c: p, z: 0 };
      bar = { o: bar.o, h: Math.max(bar.h, p), l: Math.min(bar.l, p), c: p, z: bar.z + ticks.b[i]! };
    } else {
      if (kind === Kind.news) rows.text({ t, kind: Kind.news }, ticks.texts[ticks.a[i]!]!);
      else rows.append(t, kind, 0, ticks.flags[i]!, ticks.a[i]!, 0, 0, 0);
    }
  }
  finish();
  return rows.columns();
}

/** End of the interval that holds `t`, on the grid that starts at the open. */
function endOf(t: number, grid: Grid): number {
  // A day is subtracted so that times before the open divide as those after it.
  const since = t - grid.open + US_PER_DAY;
  return grid.open - US_PER_DAY + (Math.floor(since / grid.length) + 1) * grid.length;
}

function never(value: never): never {
  throw new Error(`not a detail: ${String(value)}`);
}
