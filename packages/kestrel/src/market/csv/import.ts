/** OHLCV bars, quotes and trades out of delimited text, one day to one tape. */
import { ColumnsBuilder } from '../build.ts';
import { dayHeader, tickOf } from '../dayheader.ts';
import { headFromPlain } from '../header.ts';
import { finishImport, type Imported, type NamedBytes } from '../imported.ts';
import { mergeInto } from '../merge.ts';
import { TapeRefusal } from '../refusal.ts';
import { SkipLog } from '../skips.ts';
import { unpack } from '../unpack.ts';
import type { CsvOptions } from './options.ts';
import { rulesOf, TableStream } from './stream.ts';
import { CsvTable, type TextTable } from './table.ts';

/**
 * @param files one file, or several of one day (quotes, trades) read under the same options and merged by time,
 * quotes first at equal times
 * @throws TapeRefusal
 */
export function importCsv(files: readonly NamedBytes[], options: CsvOptions = {}): Imported {
  const delimiter = options.delimiter === undefined ? {} : { delimiter: options.delimiter };
  const tables = files.map(({ name, bytes }) => new CsvTable(unpack(bytes), { source: name, ...delimiter }));
  return importTables(tables, options, 'CSV');
}

/** Rows of texts under a header, wherever they come from. @throws TapeRefusal */
export function importTables(tables: readonly TextTable[], options: CsvOptions, from: string): Imported {
  const skips = new SkipLog();
  const symbols = new Map<string, number>();
  const rules = rulesOf(options);
  const streams = tables.map((table, i) => new TableStream(table, { rules, options, skips, symbols, order: i }));
  const rows = new ColumnsBuilder({ capacity: 1_024, instruments: 0 });
  mergeInto(rows, streams);
  const date = options.date ?? streams.find((stream) => stream.date !== '')?.date;
  if (rows.rows === 0 || date === undefined) {
    const source = tables[0]?.source ?? 'import';
    const expected = options.date === undefined ? 'at least one row' : `rows of ${options.date}`;
    throw new TapeRefusal('tape-empty', { source, expected, got: 'none' });
  }
  const tick = tickOf(options);
  const instruments = [...symbols.keys()].map((symbol) => ({ symbol, kind: options.kind ?? 'equity', tick }));
  const first = instruments[0]!.symbol.toLowerCase();
  const day = { id: `${first}-${date}`, date, source: from };
  const header = dayHeader(day, instruments, options);
  if (options.overPrecise === 'half-even') header.rounded = 'prices half to even at 0.0001';
  return finishImport(headFromPlain(header), rows, skips);
}
