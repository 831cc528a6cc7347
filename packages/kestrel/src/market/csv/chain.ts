/**
 * Chain snapshots in delimited text: the quotes of a chain as they stood at some clocks of a day. Each row becomes the
 * quote of its contract, at the time it was made where the file tells that, else at the snapshot's.
 */
import type { ColumnsBuilder, Sides } from '../build.ts';
import { ABSENT, Kind } from '../columns.ts';
import type { DayOptions } from '../dayheader.ts';
import { type DecimalFault, PRICE_E4_MAX, priceE4, scaledInteger } from '../decimal.ts';
import { isCivilDate } from '../header.ts';
import type { NamedBytes } from '../imported.ts';
import type { RowStream } from '../merge.ts';
import { type TapeCode, TapeRefusal } from '../refusal.ts';
import type { SkipLog } from '../skips.ts';
import { isGzip, unpack } from '../unpack.ts';
import { zoneFor } from './stream.ts';
import { CsvTable } from './table.ts';
import { TimeReader } from './time.ts';

/** Most rows of one file of snapshots. */
export const SNAPSHOT_ROWS_MAX = 5_000_000;
/** A header line lies within so many bytes. */
const HEADER_BYTES = 4_096;

export interface SnapshotOptions extends DayOptions {
  /** The root, where no column has it and the file's name does not begin with it. */
  readonly symbol?: string;
  /** The day, where the file's name does not have it, `YYYY-MM-DD`. */
  readonly date?: string;
  /** IANA zone of the clocks; default the calendar's. */
  readonly zone?: string;
}

export interface SnapshotContract {
  readonly root: string;
  /** `YYYY-MM-DD` */
  readonly expiry: string;
  readonly right: 'C' | 'P';
  readonly strikeE4: number;
}

interface SnapshotRow {
  readonly contract: SnapshotContract;
  readonly t: number;
  readonly sides: Sides;
}

/** A file of snapshots, read. */
export interface Snapshots {
  readonly source: string;
  readonly date: string;
  /** In the order of their times. */
  readonly rows: readonly SnapshotRow[];
}

const FIELDS = ['t', 'q', 's', 'x', 'r', 'K', 'b', 'bz', 'a', 'az'] as const;
type Field = (typeof FIELDS)[number];

/** Names of columns, lower case without blanks, `_`, `-`, and without a zone at their end. `q` is when the quote was made. */
const USUAL: Readonly<Record<Field, readonly string[]>> = {
  t: ['snapshot', 'time', 't', 'timestamp', 'datetime', 'clock'],
  q: ['quoteminute', 'quotetime', 'lastquote', 'quotedat'],
  s: ['root', 'underlying', 'symbol', 's'],
  x: ['expiry', 'expiration', 'expirationdate', 'expirydate', 'x'],
  r: ['right', 'type', 'optiontype', 'callput', 'cp', 'r'],
  K: ['strike', 'strikeprice', 'k'],
  b: ['bid', 'bidprice', 'b'],
  bz: ['bidsize', 'bidqty', 'bz'],
  a: ['ask', 'askprice', 'offer', 'a'],
  az: ['asksize', 'askqty', 'az'],
};
const REQUIRED: readonly Field[] = ['t', 'x', 'r', 'K', 'b', 'a'];

/** Whether a file begins with a header that has expiries, strikes and rights. */
export function isSnapshots(bytes: Uint8Array): boolean {
  if (isGzip(bytes)) return false;
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, HEADER_BYTES)).split('\n')[0]!;
  const names = text.split(/[,;\t|]/).map(plainName);
  return (['x', 'r', 'K'] as const).every((field) => names.some((name) => USUAL[field].includes(name)));
}

/** @throws TapeRefusal */
export function readSnapshots(file: NamedBytes, options: SnapshotOptions, skips: SkipLog): Snapshots {
  return new SnapshotReader(file, options).read(options.badLines === 'skip' ? skips : undefined);
}

/** Rows as events of the tape. */
export class SnapshotStream implements RowStream {
  readonly rank: number;
  readonly order: number;
  t = 0;
  private readonly rows: readonly SnapshotRow[];
  private readonly instOf: (contract: SnapshotContract) => number;
  private at = -1;

  constructor(
    { rows }: Snapshots,
    place: { readonly rank: number; readonly order: number; readonly instOf: (contract: SnapshotContract) => number },
  ) {
    this.rows = rows;
    this.rank = place.rank;
    this.order = place.order;
    this.instOf = place.instOf;
  }

  advance(): boolean {
    const row = this.rows[++this.at];
    if (row !== undefined) this.t = row.t;
    return row !== undefined;
  }

  emit(rows: ColumnsBuilder): void {
    const { contract, t, sides } = this.rows[this.at]!;
    rows.quote({ t, kind: Kind.oquote, inst: this.instOf(contract), flags: 0 }, sides);
  }
}

class SnapshotReader {
  private readonly table: CsvTable;
  private readonly columns: ReadonlyMap<Field, number>;
  private readonly root: string | undefined;
  private readonly date: string;
  private readonly time: TimeReader;
  /** The last quote of each contract. */
  private readonly last = new Map<string, SnapshotRow>();

  constructor(file: NamedBytes, options: SnapshotOptions) {
    this.table = new CsvTable(unpack(file.bytes), { source: file.name });
    this.columns = this.columnsOf();
    const name = /^([A-Za-z][A-Za-z0-9.]*)_([0-9]{8})_/.exec(file.name.split(/[\\/]/).pop() ?? '');
    const named = name === null ? undefined : isoOf(name[2]!);
    const date = options.date ?? named;
    if (date === undefined || !isCivilDate(date)) {
      throw this.refusal('option-bad', 'the day of the snapshots', 'none', 'say which date');
    }
    this.date = date;
    this.root = options.symbol ?? name?.[1]?.toUpperCase();
    this.time = new TimeReader({ date, zone: options.zone ?? zoneFor(options) });
  }

  read(skips: SkipLog | undefined): Snapshots {
    const rows: SnapshotRow[] = [];
    for (;;) {
      try {
        if (!this.table.next()) break;
        const row = this.row();
        if (row === undefined) continue;
        if (rows.length >= SNAPSHOT_ROWS_MAX) {
          throw this.refusal('events-many', `at most ${SNAPSHOT_ROWS_MAX} rows`, 'more');
        }
        rows.push(row);
      } catch (error) {
        const isOfRow = error instanceof TapeRefusal && error.code !== 'events-many' && error.code !== 'option-bad';
        if (!isOfRow || skips === undefined) throw error;
        skips.add(error, this.table.source);
      }
    }
    if (rows.length === 0) throw this.refusal('tape-empty', 'at least one row', 'none');
    // Equal times keep the file's order.
    rows.sort((a, b) => a.t - b.t);
    return { source: this.table.source, date: this.date, rows };
  }

  /** @returns undefined for a quote that an earlier snapshot has shown already */
  private row(): SnapshotRow | undefined {
    const contract = this.contract();
    const shown = this.stamp('t');
    const t = this.columns.has('q') && this.text('q') !== '' ? this.stamp('q') : shown;
    if (t > shown) throw this.refusal('row-bad', 'a quote from before its snapshot', this.text('q'));
    const row: SnapshotRow = { contract, t, sides: this.sides() };
    const key = `${contract.root} ${contract.expiry} ${contract.strikeE4} ${contract.right}`;
    const before = this.last.get(key);
    if (before !== undefined && t < before.t) {
      throw this.refusal('time-back', 'snapshots in the order of their times', this.text('t'));
    }
    // Without a time of its own a row is an event, and several may be of one time.
    if (before !== undefined && t === before.t && this.columns.has('q')) {
      if (isSame(before.sides, row.sides)) return undefined;
      throw this.refusal('row-bad', 'one quote of a contract at a time', `another of ${key}`);
    }
    this.last.set(key, row);
    return row;
  }

  private contract(): SnapshotContract {
    const root = this.columns.has('s') ? this.text('s').toUpperCase() : this.root;
    if (root === undefined || root === '') throw this.refusal('option-bad', 'a root', 'none', 'say its symbol');
    const day = this.text('x').replaceAll('-', '');
    const expiry = isoOf(day);
    if (!/^[0-9]{8}$/.test(day) || !isCivilDate(expiry)) {
      throw this.refusal('row-bad', 'an expiry, YYYYMMDD or YYYY-MM-DD', JSON.stringify(this.text('x')));
    }
    const right = RIGHTS.get(this.text('r').toLowerCase());
    if (right === undefined) throw this.refusal('row-bad', 'C, P, call or put', JSON.stringify(this.text('r')));
    const strikeE4 = this.price('K');
    if (strikeE4 <= 0) throw this.refusal('row-bad', 'a strike above 0', JSON.stringify(this.text('K')));
    return { root, expiry, right, strikeE4 };
  }

  /** A side without a price, or at 0, is absent. */
  private sides(): Sides {
    const bidE4 = this.text('b') === '' ? 0 : this.price('b');
    const askE4 = this.text('a') === '' ? 0 : this.price('a');
    return {
      bidE4: bidE4 === 0 ? ABSENT : bidE4,
      bidSize: bidE4 === 0 ? ABSENT : this.size('bz'),
      askE4: askE4 === 0 ? ABSENT : askE4,
      askSize: askE4 === 0 ? ABSENT : this.size('az'),
    };
  }

  private stamp(field: 't' | 'q'): number {
    const text = this.text(field);
    const t = this.time.read(text);
    if (typeof t === 'number') return t;
    throw this.refusal(t.code, t.expected, JSON.stringify(text));
  }

  private price(field: Field): number {
    const text = this.text(field);
    const value = priceE4(text);
    if (typeof value === 'number' && value >= 0 && value <= PRICE_E4_MAX) return value;
    const code = typeof value === 'number' ? (value < 0 ? 'price-negative' : 'price-range') : PRICE_CODES[value];
    throw this.refusal(code, `"${field}", a price of at most 4 decimals`, JSON.stringify(text));
  }

  private size(field: 'bz' | 'az'): number {
    if (!this.columns.has(field) || this.text(field) === '') return ABSENT;
    const value = scaledInteger(this.text(field), 0);
    if (typeof value === 'number' && value >= 0) return value;
    throw this.refusal('size-bad', `"${field}", a whole number not below 0`, JSON.stringify(this.text(field)));
  }

  private text(field: Field): string {
    return this.table.field(this.columns.get(field)!);
  }

  private columnsOf(): ReadonlyMap<Field, number> {
    const names = this.table.header.map(plainName);
    const out = new Map<Field, number>();
    for (const field of FIELDS) {
      const found = USUAL[field].map((name) => names.indexOf(name)).find((at) => at >= 0);
      if (found !== undefined) out.set(field, found);
    }
    const missing = REQUIRED.filter((field) => !out.has(field)).map((field) => USUAL[field][0]);
    if (missing.length === 0) return out;
    throw this.refusal('column-missing', `columns ${missing.join(', ')}`, this.table.header.join(', '));
  }

  private refusal(code: TapeCode, expected: string, got: string, next?: string): TapeRefusal {
    const { source, line } = this.table;
    return new TapeRefusal(code, { source, line, expected, got, ...(next === undefined ? {} : { next }) });
  }
}

const RIGHTS: ReadonlyMap<string, 'C' | 'P'> = new Map([
  ['c', 'C'],
  ['call', 'C'],
  ['p', 'P'],
  ['put', 'P'],
]);

const PRICE_CODES: Readonly<Record<DecimalFault, TapeCode>> = {
  precise: 'number-precise',
  range: 'price-range',
  shape: 'number-bad',
};

/** `snapshot_ny` is `snapshot`: whose clock it is, the zone says. */
function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+(ny|et|est|local)$/, '')
    .replace(/[\s_-]/g, '');
}

function isSame(a: Sides, b: Sides): boolean {
  return a.bidE4 === b.bidE4 && a.bidSize === b.bidSize && a.askE4 === b.askE4 && a.askSize === b.askSize;
}

function isoOf(compact: string): string {
  return `${compact.slice(0, 4)}-${compact.slice(4, 6)}-${compact.slice(6)}`;
}
