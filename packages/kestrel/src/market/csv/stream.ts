/** Rows of a table as a stream of events: bars, quotes, trades, by the columns that a map names. */
import type { Bar, ColumnsBuilder, Sides } from '../build.ts';
import { CALENDARS, CalendarRefusal, isoDateIn, sessionOf, zoneOf } from '../calendar.ts';
import { ABSENT, Kind } from '../columns.ts';
import { type DecimalFault, PRICE_E4_MAX, roundedInteger, scaledInteger } from '../decimal.ts';
import { lengthUs } from '../duration.ts';
import type { RowStream } from '../merge.ts';
import { type TapeCode, TapeRefusal } from '../refusal.ts';
import type { SkipLog } from '../skips.ts';
import { type CsvColumns, type CsvField, columnsOf } from './map.ts';
import type { CsvOptions } from './options.ts';
import type { TextTable } from './table.ts';
import { TIME_FORMATS, TimeReader } from './time.ts';

/** Most symbols of one import. */
export const CSV_SYMBOLS_MAX = 10_000;

/** Zone of the options' calendar. @throws TapeRefusal `calendar-unknown` */
export function zoneFor(options: Pick<CsvOptions, 'calendar'>): string {
  const calendar = options.calendar ?? 'XNYS';
  try {
    return zoneOf(calendar);
  } catch (error) {
    if (!(error instanceof CalendarRefusal)) throw error;
    const expected = `a calendar: ${CALENDARS.join(', ')}`;
    throw new TapeRefusal('calendar-unknown', { expected, got: JSON.stringify(calendar) });
  }
}

export interface Rules {
  /** Decimals that prices lack to be E4; below 0 where they have more. */
  readonly priceScale: number;
  readonly barUs: number | undefined;
}

export function rulesOf(options: CsvOptions): Rules {
  const scale = options.priceScale ?? 1;
  const zeros = String(scale).length - 1;
  if (!/^10*$/.test(String(scale)) || zeros > 12) {
    const expected = 'a price scale of 1, 10, 100 … 1000000000000';
    throw new TapeRefusal('option-bad', { expected, got: String(scale) });
  }
  const barUs = options.bar === undefined ? undefined : lengthUs(options.bar);
  if (options.bar !== undefined && barUs === undefined) {
    throw new TapeRefusal('option-bad', { expected: 'a length of bars such as 1m', got: JSON.stringify(options.bar) });
  }
  if (options.timeFormat !== undefined && !TIME_FORMATS.includes(options.timeFormat)) {
    const expected = `a time format: ${TIME_FORMATS.join(', ')}`;
    throw new TapeRefusal('option-bad', { expected, got: JSON.stringify(options.timeFormat) });
  }
  return { priceScale: 4 - zeros, barUs };
}

/** One event of a row; a row may hold a quote and a print. */
interface RowEvent {
  t: number;
  inst: number;
  quote: Sides | undefined;
  print: { readonly priceE4: number; readonly size: number } | undefined;
  bar: Bar | undefined;
}

type Shape = 'bars' | 'quotes' | 'trades' | 'both';

export class TableStream implements RowStream {
  readonly rank: number;
  readonly order: number;
  t = 0;
  /** The local day of the rows taken. */
  date = '';
  private readonly table: TextTable;
  private readonly what: {
    readonly rules: Rules;
    readonly options: CsvOptions;
    readonly skips: SkipLog;
    readonly symbols: Map<string, number>;
  };
  private readonly columns: CsvColumns;
  private readonly shape: Shape;
  private readonly time: TimeReader;
  private readonly zone: string;
  private sorted: RowEvent[] | undefined;
  private nextSorted = 0;
  private present: RowEvent = { t: 0, inst: 0, quote: undefined, print: undefined, bar: undefined };

  constructor(table: TextTable, what: TableStream['what'] & { readonly order: number }) {
    const { options } = what;
    this.table = table;
    this.what = what;
    this.order = what.order;
    this.columns = columnsOf(table.header, options.map, table.source);
    this.shape = this.shapeOf();
    this.rank = this.shape === 'quotes' || this.shape === 'both' ? 0 : 2;
    this.zone = zoneFor(options);
    this.time = new TimeReader({
      dayZone: this.zone,
      ...(options.timeFormat === undefined ? {} : { format: options.timeFormat }),
      ...(options.zone === undefined ? {} : { zone: options.zone }),
      ...(options.date === undefined ? {} : { date: options.date }),
      ...(options.belowUs === undefined ? {} : { belowUs: options.belowUs }),
    });
  }

  advance(): boolean {
    if (this.what.options.order === 'sort') return this.advanceSorted();
    const event = this.read(this.t);
    if (event === undefined) return false;
    this.present = event;
    this.t = event.t;
    return true;
  }

  emit(rows: ColumnsBuilder): void {
    const { t, inst, quote, print, bar } = this.present;
    if (quote !== undefined) rows.quote({ t, kind: Kind.quote, inst, flags: 0 }, quote);
    if (print !== undefined) rows.trade({ t, kind: Kind.trade, inst, flags: 0 }, print);
    if (bar !== undefined) rows.bar({ t, inst }, bar);
  }

  private advanceSorted(): boolean {
    if (this.sorted === undefined) {
      this.sorted = [];
      for (let event = this.read(0); event !== undefined; event = this.read(0)) this.sorted.push(event);
      this.sorted.sort((a, b) => a.t - b.t);
    }
    const event = this.sorted[this.nextSorted++];
    if (event === undefined) return false;
    this.present = event;
    this.t = event.t;
    return true;
  }

  /** The next row of the day, at or after a time. */
  private read(tMin: number): RowEvent | undefined {
    const { skips, options } = this.what;
    for (;;) {
      try {
        if (!this.table.next()) return undefined;
        const event = this.event();
        if (event === undefined) continue;
        if (event.t < tMin) {
          const next = 'sort the file, or ask for order sort';
          throw this.refusal('time-back', 'rows in the order of their times', this.timeText(), next);
        }
        return event;
      } catch (error) {
        if (
          !(error instanceof TapeRefusal) ||
          options.badLines !== 'skip' ||
          error.code === 'option-bad' ||
          error.code === 'zone-unknown'
        )
          throw error;
        skips.add(error, this.table.source);
      }
    }
  }

  private event(): RowEvent | undefined {
    const stamp = this.stamp();
    const day = this.dayOf(stamp);
    const { date } = this.what.options;
    if (date !== undefined && day !== date) return undefined;
    if (this.date !== '' && this.date !== day) {
      const got = `${this.date} and ${day}`;
      throw this.refusal('option-bad', 'rows of one day', got, 'say which date: a tape is one day');
    }
    const event: RowEvent = { t: stamp, inst: 0, quote: undefined, print: undefined, bar: undefined };
    if (this.shape === 'bars') {
      const span = this.spanOf(stamp, day);
      event.bar = this.bar(span.end - span.start);
      event.t = span.end;
    } else {
      if (this.shape !== 'trades') event.quote = this.quote();
      if (this.shape !== 'quotes') event.print = this.print();
      if (event.quote === undefined && event.print === undefined) {
        throw this.refusal('row-bad', 'a quote or a trade in the row', 'neither');
      }
    }
    event.inst = this.instrument();
    this.date = day;
    return event;
  }

  private dayOf(t: number): string {
    try {
      return isoDateIn(this.zone, t);
    } catch (error) {
      if (!(error instanceof CalendarRefusal)) throw error;
      throw this.refusal('date-bad', error.expected, this.timeText());
    }
  }

  /** A day's bar spans its session; any other is as long as its option says. */
  private spanOf(stamp: number, day: string): { readonly start: number; readonly end: number } {
    if (this.time.isDates) {
      const session = sessionOf(this.what.options.calendar ?? 'XNYS', day);
      if (session !== undefined) return { start: session.open, end: session.close };
      throw this.refusal('date-closed', 'a bar of a day with a session', day);
    }
    const { barUs } = this.what.rules;
    if (barUs === undefined) {
      throw this.refusal('option-bad', 'the length of the bars', 'none', 'say it with the option bar, such as 1m');
    }
    return this.what.options.stamp === 'end'
      ? { start: stamp - barUs, end: stamp }
      : { start: stamp, end: stamp + barUs };
  }

  private shapeOf(): Shape {
    const { field } = this.columns;
    const has = (...names: CsvField[]) => names.every((name) => field.has(name));
    if (has('o', 'h', 'l', 'c', 'z')) return 'bars';
    const quotes = has('b') || has('a');
    if (quotes && has('p', 'z')) return 'both';
    if (quotes) return 'quotes';
    if (has('p', 'z')) return 'trades';
    const got = this.table.header.join(', ');
    throw this.refusal(
      'column-missing',
      'columns of bars (o h l c v), quotes (b bz a az) or trades (p z)',
      got,
      'map them',
    );
  }

  private timeText(): string {
    return this.columns.t.map((column) => this.table.field(column)).join(' ');
  }

  private stamp(): number {
    const text = this.timeText();
    const t = this.time.read(text);
    if (typeof t === 'number') return t;
    throw this.refusal(t.code, t.expected, JSON.stringify(text));
  }

  private instrument(): number {
    const { symbols, options } = this.what;
    const column = this.columns.field.get('s');
    const symbol = options.symbol ?? (column === undefined ? undefined : this.table.field(column));
    if (symbol === undefined || symbol === '') {
      throw this.refusal('option-bad', 'a symbol, or a column of them', 'none', 'say symbol, or map s=NAME');
    }
    const known = symbols.get(symbol);
    if (known !== undefined) return known;
    if (symbols.size >= CSV_SYMBOLS_MAX) {
      throw this.refusal('instruments-many', `at most ${CSV_SYMBOLS_MAX} symbols`, 'more');
    }
    symbols.set(symbol, symbols.size);
    return symbols.size - 1;
  }

  private bar(lengthUs: number): Bar {
    const bar = {
      o: this.price('o'),
      h: this.price('h'),
      l: this.price('l'),
      c: this.price('c'),
      z: this.size('z'),
      d: lengthUs,
    };
    if (bar.l > bar.o || bar.l > bar.c || bar.h < bar.o || bar.h < bar.c) {
      const got = `o ${bar.o} h ${bar.h} l ${bar.l} c ${bar.c} in E4`;
      throw this.refusal('bar-shape', 'low at or below open and close, high at or above them', got);
    }
    return bar;
  }

  private quote(): Sides | undefined {
    const bidE4 = this.isEmpty('b') ? ABSENT : this.price('b');
    const askE4 = this.isEmpty('a') ? ABSENT : this.price('a');
    if (bidE4 === ABSENT && askE4 === ABSENT && this.shape === 'both' && !this.isEmpty('p')) return undefined;
    return {
      bidE4,
      bidSize: bidE4 === ABSENT || this.isEmpty('bz') ? ABSENT : this.size('bz'),
      askE4,
      askSize: askE4 === ABSENT || this.isEmpty('az') ? ABSENT : this.size('az'),
    };
  }

  private print(): RowEvent['print'] {
    if (this.shape === 'both' && this.isEmpty('p')) return undefined;
    return { priceE4: this.price('p'), size: this.size('z') };
  }

  private isEmpty(field: CsvField): boolean {
    const column = this.columns.field.get(field);
    return column === undefined || this.table.field(column) === '';
  }

  private price(field: CsvField): number {
    const text = this.table.field(this.columns.field.get(field)!);
    const scale = this.what.rules.priceScale;
    const rounds = this.what.options.overPrecise === 'half-even';
    const value = rounds ? roundedInteger(text, scale) : scaledInteger(text, scale);
    if (typeof value === 'number' && value >= 0 && value <= PRICE_E4_MAX) return value;
    if (typeof value === 'number') {
      const code = value < 0 ? 'price-negative' : 'price-range';
      throw this.refusal(code, `"${field}" from 0 to 1e9 units`, JSON.stringify(text));
    }
    const next = value === 'precise' ? 'correct the source, say its price scale, or ask to round half-even' : undefined;
    const expected = value === 'precise' ? `"${field}" with at most 4 decimals` : `"${field}", a price`;
    throw this.refusal(PRICE_CODES[value], expected, JSON.stringify(text), next);
  }

  private size(field: CsvField): number {
    const text = this.table.field(this.columns.field.get(field)!);
    const value = scaledInteger(text, 0);
    if (typeof value === 'number' && value >= 0) return value;
    throw this.refusal('size-bad', `"${field}", a whole number not below 0`, JSON.stringify(text));
  }

  private refusal(code: TapeCode, expected: string, got: string, next?: string): TapeRefusal {
    const { source, line } = this.table;
    return new TapeRefusal(code, { source, line, expected, got, ...(next === undefined ? {} : { next }) });
  }
}

const PRICE_CODES: Readonly<Record<DecimalFault, TapeCode>> = {
  precise: 'number-precise',
  range: 'price-range',
  shape: 'number-bad',
};
