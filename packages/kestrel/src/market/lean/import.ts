/** LEAN's archives of one day to one tape: quotes and trades of shares, an index, or a chain, merged by time. */
import { ColumnsBuilder } from '../build.ts';
import { CalendarRefusal } from '../calendar.ts';
import { identityOf } from '../canon.ts';
import { DayClock } from '../clock.ts';
import type { Tape } from '../columns.ts';
import { priceE4, textOfE4 } from '../decimal.ts';
import { chainKey, contractKey, headFromPlain, TAPE_VERSION, type TapeHead } from '../header.ts';
import { mergeInto, type RowStream } from '../merge.ts';
import { TapeRefusal } from '../refusal.ts';
import { NumberRows } from '../rows.ts';
import { type Skip, SkipLog } from '../skips.ts';
import { tapeOf } from '../tape.ts';
import { isZip, readZip } from '../zip.ts';
import { dailyRow, dailyRowBefore } from './daily.ts';
import { type LeanName, type LeanOverrides, leanName } from './name.ts';
import {
  DayBar,
  OpenInterest,
  OptionPrints,
  QuoteBars,
  type StreamPlace,
  TickQuotes,
  TickTrades,
  TradeBars,
} from './streams.ts';

export interface NamedBytes {
  /** A path or a name; only read for what it tells. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ImportOptions extends LeanOverrides {
  /** Default: `spy-2013-10-07-minute` and the like. */
  readonly id?: string;
  /** Default `XNYS`. */
  readonly calendar?: string;
  /** IANA zone of the files' times; default New York, and Chicago for an index, as LEAN has them. */
  readonly zone?: string;
  /** Least step of the price, as text; default 0.01. */
  readonly tick?: string;
  /** Official close of the session before, as text, of the only share or index. */
  readonly priorClose?: string;
  /** A LEAN archive of daily bars: its last row before the day gives `priorClose`. */
  readonly daily?: NamedBytes;
  /** `daily` also ends the tape with a `close` event at the close that the daily file gives. Default `none`. */
  readonly officialClose?: 'none' | 'daily';
  /** What the header's `licence` says. */
  readonly licence?: string;
  readonly badLines?: 'refuse' | 'skip';
}

export interface Imported {
  readonly tape: Tape;
  readonly skipped: readonly Skip[];
}

interface LeanFile {
  readonly name: LeanName;
  readonly source: string;
  readonly bytes: Uint8Array;
}

const LENGTHS_US = { second: 1_000_000, minute: 60_000_000, hour: 3_600_000_000 } as const;

/** Roots that settle on the opening print of their last day. */
const AM_SETTLED = new Set(['SPX', 'NDX', 'RUT', 'DJX']);

/**
 * @param archives zips as LEAN has them (or a bare CSV), of one day, in any order
 * @throws TapeRefusal
 */
export function importLean(archives: readonly NamedBytes[], options: ImportOptions = {}): Imported {
  const files = archives.flatMap((archive) => filesIn(archive, options));
  if (files.length === 0) {
    throw new TapeRefusal('zip-empty', { expected: 'at least one file of rows', got: 'none' });
  }
  refuseTwice(files);
  const date = dateOf(files, options);
  const calendar = options.calendar ?? 'XNYS';
  const head = headFromPlain(headerOf(files, { date, calendar, options }));
  const skips = new SkipLog();
  const streams: RowStream[] = files.map((file) => streamOf(file, { head, options, skips }));
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const rows = new ColumnsBuilder({ capacity: Math.ceil(bytes / 40), instruments: head.instruments.length });
  mergeInto(rows, streams);
  if (rows.rows === 0) {
    const expected = `rows of ${date}`;
    throw new TapeRefusal('tape-empty', { source: files[0]!.source, expected, got: 'none of that day' });
  }
  if (options.officialClose === 'daily') appendClose(rows, head, options);
  const columns = rows.columns();
  const recorded = skips.recordedIn(head);
  const identity = identityOf({ headerText: recorded.canonical, instruments: head.instruments, columns });
  return { tape: tapeOf(recorded, columns, identity), skipped: skips.told };
}

function filesIn(archive: NamedBytes, options: ImportOptions): LeanFile[] {
  const entries = isZip(archive.bytes)
    ? readZip(archive.bytes, archive.name)
    : [{ name: archive.name, bytes: archive.bytes }];
  if (entries.length === 0) {
    throw new TapeRefusal('zip-empty', { source: archive.name, expected: 'a file of rows inside', got: 'none' });
  }
  const { security, resolution, symbol, date, rows } = options;
  const given: LeanOverrides = {
    ...(security === undefined ? {} : { security }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(symbol === undefined ? {} : { symbol }),
    ...(date === undefined ? {} : { date }),
    ...(rows === undefined ? {} : { rows }),
  };
  return entries.map((entry) => ({
    name: leanName(archive.name, entry.name, given),
    source: entry.name === archive.name ? archive.name : `${archive.name}:${entry.name}`,
    bytes: entry.bytes,
  }));
}

function refuseTwice(files: readonly LeanFile[]): void {
  const seen = new Map<string, string>();
  for (const { name, source } of files) {
    const { contract } = name;
    const of = contract === undefined ? '' : ` ${contract.expiry} ${contract.strikeE4} ${contract.right}`;
    const key = `${name.security} ${name.symbol} ${name.rows}${of}`;
    const first = seen.get(key);
    if (first !== undefined) {
      const got = `both ${first} and ${source}`;
      throw new TapeRefusal('option-bad', { expected: `one file of ${key}`, got, next: 'give one day of each' });
    }
    seen.set(key, source);
  }
}

function dateOf(files: readonly LeanFile[], options: ImportOptions): string {
  const dates = new Set(files.flatMap(({ name }) => name.date ?? []));
  if (dates.size > 1) {
    const got = [...dates].slice(0, 4).join(', ');
    throw new TapeRefusal('option-bad', { expected: 'files of one day', got, next: 'make one tape a day' });
  }
  const date = options.date ?? [...dates][0];
  if (date === undefined) {
    throw new TapeRefusal('option-bad', {
      expected: 'a date, for a file of many days',
      got: 'none',
      next: 'say which day: a tape is one',
    });
  }
  return date;
}

function headerOf(
  files: readonly LeanFile[],
  what: { readonly date: string; readonly calendar: string; readonly options: ImportOptions },
): Record<string, unknown> {
  const { date, calendar, options } = what;
  const tick = numberOf(options.tick ?? '0.01', 'tick');
  const shares = new Map<string, Record<string, unknown>>();
  const chains = new Map<string, { root: string; expiry: string; style: string; strikes: Set<number> }>();
  for (const { name } of files) {
    const { contract, symbol } = name;
    if (contract === undefined) {
      if (!shares.has(symbol))
        shares.set(symbol, { symbol, kind: name.security === 'index' ? 'index' : 'equity', tick });
      continue;
    }
    const key = chainKey(symbol, contract.expiry);
    const { expiry, style } = contract;
    const chain = chains.get(key) ?? { root: symbol, expiry, style, strikes: new Set<number>() };
    chain.strikes.add(contract.strikeE4);
    chains.set(key, chain);
  }
  const options_ = [...chains.values()]
    .sort((a, b) => (a.root !== b.root ? (a.root < b.root ? -1 : 1) : a.expiry < b.expiry ? -1 : 1))
    .map(({ root, expiry, style, strikes }) => ({
      root,
      kind: 'option',
      expiry,
      strikes: [...strikes].sort((a, b) => a - b).map((strikeE4) => Number(textOfE4(strikeE4))),
      multiplier: 100,
      style,
      settles: AM_SETTLED.has(root) ? 'open' : 'close',
      tick,
    }));
  const first = files[0]!.name;
  const symbols = [...shares.keys()];
  const reference = referenceOf([...shares.values()], date, options);
  const kinds = [...new Set(files.map(({ name }) => `${name.security} ${name.resolution} ${name.rows}`))].sort();
  return {
    v: TAPE_VERSION,
    id: options.id ?? `${(symbols[0] ?? first.symbol).toLowerCase()}-${date}-${first.resolution}`,
    calendar,
    date,
    instruments: [...shares.values(), ...options_],
    ...(reference === undefined ? {} : { reference }),
    source: `LEAN: ${kinds.join(', ')}`,
    ...(options.licence === undefined ? {} : { licence: options.licence }),
  };
}

function referenceOf(
  shares: readonly Record<string, unknown>[],
  date: string,
  options: ImportOptions,
): Record<string, unknown> | undefined {
  if (options.priorClose === undefined && options.daily === undefined) return undefined;
  const [share] = shares;
  const symbol = share?.symbol as string | undefined;
  if (symbol === undefined || shares.length > 1) {
    const got = shares.map((each) => each.symbol).join(', ') || 'none';
    throw new TapeRefusal('option-bad', { expected: 'one share or index for the prior close', got });
  }
  if (options.priorClose !== undefined) {
    return { [symbol]: { priorClose: numberOf(options.priorClose, 'priorClose') } };
  }
  const row = dailyRowBefore(options.daily!, { date, of: share?.kind === 'index' ? 'index' : 'shares' });
  return { [symbol]: { priorClose: Number(textOfE4(row.closeE4)) } };
}

function numberOf(text: string, option: string): number {
  const value = priceE4(text);
  if (typeof value !== 'number' || value <= 0) {
    const expected = `${option}, a price above 0 with at most 4 decimals`;
    throw new TapeRefusal('option-bad', { expected, got: JSON.stringify(text) });
  }
  return Number(textOfE4(value));
}

function streamOf(
  file: LeanFile,
  what: { readonly head: TapeHead; readonly options: ImportOptions; readonly skips: SkipLog },
): RowStream {
  const { name, source, bytes } = file;
  const { head, options, skips } = what;
  const { contract, symbol, resolution, rows } = name;
  const inst =
    contract === undefined
      ? head.symbols.get(symbol)!
      : head.chains
          .get(chainKey(symbol, contract.expiry))!
          .contracts.get(contractKey(contract.strikeE4, contract.right))!;
  const place: StreamPlace = {
    rows: new NumberRows(bytes, { source }),
    inst,
    clock: clockOf(options.zone ?? (name.security === 'index' ? 'America/Chicago' : 'America/New_York'), head.date),
    priceScale: name.security === 'index' ? 4 : 0,
    ...(options.badLines === 'skip' ? { skips } : {}),
  };
  if (rows === 'openinterest') {
    if (contract === undefined) throw notYet(source, 'open interest of an option', symbol);
    return new OpenInterest(place, { ...contract, root: symbol });
  }
  switch (resolution) {
    case 'tick':
      if (contract !== undefined) throw notYet(source, 'options by minute', 'ticks of an option');
      return rows === 'quote' ? new TickQuotes(place) : new TickTrades(place);
    case 'second':
    case 'minute':
    case 'hour': {
      const lengthUs = LENGTHS_US[resolution];
      if (rows === 'quote') return new QuoteBars(place, { lengthUs, of: contract === undefined ? 'shares' : 'option' });
      return contract === undefined ? new TradeBars(place, lengthUs) : new OptionPrints(place, lengthUs);
    }
    case 'daily':
      if (contract !== undefined || rows !== 'trade') throw notYet(source, 'daily bars of trades', `daily ${rows}`);
      return new DayBar(place, head.session);
    default:
      return never(resolution);
  }
}

function clockOf(zone: string, date: string): DayClock {
  try {
    return new DayClock(zone, date);
  } catch (error) {
    if (!(error instanceof CalendarRefusal)) throw error;
    const code = error.code === 'unknown-zone' ? 'zone-unknown' : 'date-bad';
    throw new TapeRefusal(code, { expected: error.expected, got: error.got });
  }
}

function appendClose(rows: ColumnsBuilder, head: TapeHead, options: ImportOptions): void {
  const [first] = head.instruments;
  if (options.daily === undefined || first === undefined || first.kind === 'option') {
    throw new TapeRefusal('option-bad', { expected: 'a daily file and a share or index for its close', got: 'none' });
  }
  const row = dailyRow(options.daily, { date: head.date, of: first.kind === 'index' ? 'index' : 'shares' });
  const last = rows.t[rows.rows - 1]!;
  rows.close({ t: Math.max(last, head.session.close), inst: 0 }, { priceE4: row.closeE4 });
}

function notYet(source: string, expected: string, got: string): TapeRefusal {
  return new TapeRefusal('option-bad', { source, expected, got });
}

function never(value: never): never {
  throw new RangeError(`unreachable: ${String(value)}`);
}
