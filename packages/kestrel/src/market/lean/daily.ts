/** Rows of LEAN's daily archives: the close of a day, or of the last one before it. */
import { priceE4, scaledInteger } from '../decimal.ts';
import type { NamedBytes } from '../imported.ts';
import { TapeRefusal } from '../refusal.ts';
import { isZip, readZip } from '../zip.ts';

export interface DailyRow {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly closeE4: number;
}

export interface Wanted {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** LEAN writes an index in units of currency, shares in E4. */
  readonly of: 'shares' | 'index';
}

/** The last row before a day; undefined where the file has none. */
export function dailyRowBefore(file: NamedBytes, what: Wanted): DailyRow | undefined {
  return rowsOf(file, what.of).findLast((each) => each.date < what.date);
}

/** @throws TapeRefusal `tape-empty` where the file has not this day */
export function dailyRow(file: NamedBytes, what: Wanted): DailyRow {
  const row = rowsOf(file, what.of).find((each) => each.date === what.date);
  if (row !== undefined) return row;
  throw new TapeRefusal('tape-empty', { source: file.name, expected: `a row of ${what.date}`, got: 'none' });
}

function rowsOf(file: NamedBytes, of: Wanted['of']): DailyRow[] {
  const entries = isZip(file.bytes) ? readZip(file.bytes, file.name) : [file];
  const [entry] = entries;
  if (entry === undefined) {
    throw new TapeRefusal('zip-empty', { source: file.name, expected: 'a file of daily bars', got: 'none' });
  }
  const lines = new TextDecoder('latin1').decode(entry.bytes).split('\n');
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    const fields = line.trim().split(',');
    const stamp = /^([0-9]{4})([0-9]{2})([0-9]{2}) 00:00$/.exec(fields[0]!);
    const close = fields[4] ?? '';
    const closeE4 = of === 'index' ? priceE4(close) : scaledInteger(close, 0);
    if (stamp === null || typeof closeE4 !== 'number' || closeE4 <= 0) {
      const expected = 'YYYYMMDD 00:00,open,high,low,close,volume';
      throw new TapeRefusal('row-bad', { source: file.name, line: i + 1, expected, got: line.trim() });
    }
    return [{ date: `${stamp[1]}-${stamp[2]}-${stamp[3]}`, closeE4 }];
  });
}
