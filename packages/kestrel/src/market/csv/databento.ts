/**
 * Databento's CSV files: `trades`, `mbp-1` (`tbbo`, `bbo-1s`), `ohlcv-1s` to `ohlcv-1d`, pretty or raw. Times are taken
 * from `ts_event`; raw prices are in units of 1e-9, their undefined ones absent; nanoseconds are cut to microseconds.
 */
import type { Imported, NamedBytes } from '../imported.ts';
import { TapeRefusal } from '../refusal.ts';
import { unpack } from '../unpack.ts';
import { importTables } from './import.ts';
import type { CsvOptions } from './options.ts';
import { CsvTable, type TextTable } from './table.ts';

/** What the vendor writes for a price that is not there. */
const UNDEFINED_PRICE = '9223372036854775807';
/** `action` of a trade in an `mbp-1` file; its other rows change the book. */
const TRADE = 'T';

type Schema = 'bars' | 'trades' | 'book';

/** @throws TapeRefusal */
export function importDatabento(files: readonly NamedBytes[], options: CsvOptions): Imported {
  const tables = files.map(({ name, bytes }) => new DatabentoTable(new CsvTable(unpack(bytes), { source: name })));
  const [first] = tables;
  if (first === undefined) throw new TapeRefusal('option-bad', { expected: 'at least one file', got: 'none' });
  const map = options.map ?? MAPS[first.schema];
  const bar = options.bar ?? first.barLength();
  const settings: CsvOptions = {
    ...options,
    map,
    belowUs: 'floor',
    zone: options.zone ?? 'UTC',
    priceScale: options.priceScale ?? (first.rawPrices() ? 1_000_000_000 : 1),
    ...(bar === undefined ? {} : { bar }),
  };
  return importTables(tables, settings, `Databento ${first.schema}`);
}

const MAPS: Readonly<Record<Schema, string>> = {
  bars: 't=ts_event,s=symbol,o=open,h=high,l=low,c=close,v=volume',
  trades: 't=ts_event,s=symbol,p=price,z=size',
  book: 't=ts_event,s=symbol,p=price,z=size,b=bid_px_00,bz=bid_sz_00,a=ask_px_00,az=ask_sz_00',
};

/** `rtype` of bars to their length. */
const BAR_LENGTHS: Readonly<Record<string, string>> = { '32': '1s', '33': '1m', '34': '1h', '35': '1d' };

/** The table with its first row looked at, undefined prices emptied, and no print where a row only changes the book. */
class DatabentoTable implements TextTable {
  readonly schema: Schema;
  readonly source: string;
  readonly header: readonly string[];
  private readonly table: CsvTable;
  private readonly action: number;
  private readonly price: number;
  private first: 'unread' | 'waiting' | 'none' | 'given' = 'unread';

  constructor(table: CsvTable) {
    this.table = table;
    this.source = table.source;
    this.header = table.header;
    const has = (name: string) => table.header.includes(name);
    this.schema = has('bid_px_00') ? 'book' : has('open') ? 'bars' : 'trades';
    this.action = this.schema === 'book' ? table.header.indexOf('action') : -1;
    this.price = table.header.indexOf('price');
    this.look();
  }

  get line(): number {
    return this.table.line;
  }

  next(): boolean {
    if (this.first === 'waiting') {
      this.first = 'given';
      return true;
    }
    return this.first !== 'none' && this.table.next();
  }

  field(column: number): string {
    const text = this.table.field(column);
    if (text === UNDEFINED_PRICE) return '';
    const isPrint = this.action < 0 || this.table.field(this.action) === TRADE;
    return column === this.price && !isPrint ? '' : text;
  }

  /** Length of the bars of the first row, by its record type. */
  barLength(): string | undefined {
    const rtype = this.header.indexOf('rtype');
    return this.schema === 'bars' && rtype >= 0 && this.first === 'waiting'
      ? BAR_LENGTHS[this.table.field(rtype)]
      : undefined;
  }

  /** Whether prices are integers of 1e-9: pretty ones have nine decimals. */
  rawPrices(): boolean {
    const named = ['price', 'open', 'bid_px_00'].map((name) => this.header.indexOf(name)).filter((at) => at >= 0);
    if (this.first !== 'waiting') return false;
    return named.map((at) => this.table.field(at)).some((text) => /^[0-9]{7,}$/.test(text));
  }

  private look(): void {
    if (this.first === 'unread') this.first = this.table.next() ? 'waiting' : 'none';
  }
}
