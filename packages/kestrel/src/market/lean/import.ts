/** LEAN's archives of one day to one tape: quotes and trades of shares, an index, or a chain, merged by time; chain snapshots beside. */
import { ColumnsBuilder } from '../build.ts';
import { FIRST_DATE, LAST_DATE } from '../calendar-date.ts';
import { dayClock } from '../clock.ts';
import { isSnapshots, readSnapshots, SnapshotStream, type Snapshots } from '../csv/chain.ts';
import { type DayOptions, dayHeader, tickOf } from '../dayheader.ts';
import { textOfE4 } from '../decimal.ts';
import { chainKey, contractKey, headFromPlain, isCivilDate, type TapeHead } from '../header.ts';
import { finishImport, type Imported, type NamedBytes } from '../imported.ts';
import { mergeInto, type RowStream } from '../merge.ts';
import { rulesOf } from '../option-rules.ts';
import { TapeRefusal } from '../refusal.ts';
import { NumberRows } from '../rows.ts';
import { SkipLog } from '../skips.ts';
import { isZip, readZip } from '../zip.ts';
import { dailyRow, dailyRowBefore } from './daily.ts';
import { type LeanName, type LeanOverrides, leanName } from './name.ts';
import { stepsOf } from './option-step.ts';
import {
  DayBar,
  OpenInterest,
  OptionPrints,
  QuoteBars,
  RANK,
  type StreamPlace,
  TickQuotes,
  TickTrades,
  TradeBars,
} from './streams.ts';

export interface LeanOptions extends LeanOverrides, DayOptions {
  /** IANA zone of the files' times; default New York, and Chicago for an index, as LEAN has them. */
  readonly zone?: string;
  /** A LEAN archive of daily bars: its last row before the day gives the prior close. */
  readonly daily?: NamedBytes;
  /** `daily` also ends the tape with a `close` event at the close that the daily file gives. Default `none`. */
  readonly officialClose?: 'none' | 'daily';
}

interface LeanFile {
  readonly name: LeanName;
  readonly source: string;
  readonly bytes: Uint8Array;
}

const LENGTHS_US = { second: 1_000_000, minute: 60_000_000, hour: 3_600_000_000 } as const;

/** What an import is made of. */
interface Parts {
  readonly files: readonly LeanFile[];
  readonly snapshots: readonly Snapshots[];
  readonly date: string;
  readonly options: LeanOptions;
}

/**
 * @param archives zips as LEAN has them (or a bare CSV), and chain snapshots, of one day, in any order
 * @throws TapeRefusal
 */
export function importLean(archives: readonly NamedBytes[], options: LeanOptions = {}): Imported {
  const skips = new SkipLog();
  const files = archives.filter(({ bytes }) => !isSnapshots(bytes)).flatMap((archive) => filesIn(archive, options));
  const snapshots = archives
    .filter(({ bytes }) => isSnapshots(bytes))
    .map((file) => readSnapshots(file, options, skips));
  if (files.length === 0 && snapshots.length === 0) {
    throw new TapeRefusal('zip-empty', { expected: 'at least one file of rows', got: 'none' });
  }
  refuseTwice(files);
  const parts: Parts = { files, snapshots, date: dateOf(files, { snapshots, options }), options };
  const { date } = parts;
  const head = headFromPlain(headerOf(parts));
  const streams: RowStream[] = [
    ...files.map((file) => streamOf(file, { head, options, skips })),
    ...snapshots.map((each) => snapshotStream(each, head)),
  ];
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const rows = new ColumnsBuilder({ capacity: Math.ceil(bytes / 40), instruments: head.instruments.length });
  mergeInto(rows, streams);
  if (rows.rows === 0) {
    const expected = `rows of ${date}`;
    const { source } = (files[0] ?? snapshots[0])!;
    throw new TapeRefusal('tape-empty', { source, expected, got: 'none of that day' });
  }
  if (options.officialClose === 'daily') appendClose(rows, head, options);
  return finishImport(withSteps(head, rows, options), rows, skips);
}

/** The head with the steps that the chains' own quotes show, unless a caller has said one for all. */
function withSteps(head: TapeHead, rows: ColumnsBuilder, options: LeanOptions): TapeHead {
  if (options.tick !== undefined || head.chains.size === 0) return head;
  const steps = stepsOf(rows, head);
  const listed = head.header.instruments as readonly Record<string, unknown>[];
  const instruments = listed.map((each) =>
    each.kind === 'option' ? { ...each, tick: Number(textOfE4(steps.get(each.root as string)!)) } : each,
  );
  return headFromPlain({ ...head.header, instruments });
}

function filesIn(archive: NamedBytes, options: LeanOptions): LeanFile[] {
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

function dateOf(files: readonly LeanFile[], what: Pick<Parts, 'snapshots' | 'options'>): string {
  const { snapshots, options } = what;
  const dates = new Set([...files.flatMap(({ name }) => name.date ?? []), ...snapshots.map(({ date }) => date)]);
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

interface ListedChain {
  readonly root: string;
  readonly expiry: string;
  /** Absent: the usual one of the root. */
  readonly style?: string;
  readonly strikes: Set<number>;
}

function headerOf({ files, snapshots, date, options }: Parts): Record<string, unknown> {
  const tick = tickOf(options);
  const shares = new Map<string, Record<string, unknown>>();
  for (const { name } of files) {
    const { symbol, security, contract } = name;
    if (contract !== undefined || shares.has(symbol)) continue;
    shares.set(symbol, { symbol, kind: security === 'index' ? 'index' : 'equity', tick });
  }
  const listed = [...chainsIn(files, snapshots).values()]
    .sort((a, b) => (a.root !== b.root ? (a.root < b.root ? -1 : 1) : a.expiry < b.expiry ? -1 : 1))
    .map(({ root, expiry, style, strikes }) => {
      const rules = rulesOf(root, dayOfRules(expiry));
      return {
        root,
        kind: 'option',
        expiry,
        strikes: [...strikes].sort((a, b) => a - b).map((strikeE4) => Number(textOfE4(strikeE4))),
        multiplier: rules.multiplier,
        style: style ?? rules.style,
        settles: rules.settles,
        tick,
      };
    });
  // Shares before chains, so that the order in which archives are named does not name the tape.
  const first = (files.find(({ name }) => name.contract === undefined) ?? files[0])?.name;
  const [symbol = first?.symbol ?? listed[0]!.root] = shares.keys();
  const kinds = new Set(files.map(({ name }) => `${name.security} ${name.resolution} ${name.rows}`));
  const sources = [
    ...(files.length === 0 ? [] : [`LEAN: ${[...kinds].sort().join(', ')}`]),
    ...(snapshots.length === 0 ? [] : ['chain snapshots']),
  ];
  const day = {
    id: `${symbol.toLowerCase()}-${date}-${first?.resolution ?? 'snapshots'}`,
    date,
    source: sources.join('; '),
  };
  const instruments = [...shares.values(), ...listed];
  if (options.daily === undefined || options.priorClose !== undefined) return dayHeader(day, instruments, options);
  const of = files.some(({ name }) => name.security === 'index') ? 'index' : 'shares';
  const prior = dailyRowBefore(options.daily, { date, of });
  if (prior !== undefined) return dayHeader(day, instruments, { ...options, priorClose: textOfE4(prior.closeE4) });
  // A file that begins with the day itself still tells its close.
  if (options.officialClose === 'daily') return dayHeader(day, instruments, options);
  throw new TapeRefusal('tape-empty', { source: options.daily.name, expected: `a day before ${date}`, got: 'none' });
}

/** Rules are asked of days that the calendar knows; what is no day the header refuses. */
function dayOfRules(expiry: string): string {
  return isCivilDate(expiry) && expiry >= FIRST_DATE && expiry <= LAST_DATE ? expiry : LAST_DATE;
}

function chainsIn(files: readonly LeanFile[], snapshots: readonly Snapshots[]): ReadonlyMap<string, ListedChain> {
  const chains = new Map<string, ListedChain>();
  const list = (
    root: string,
    contract: { readonly expiry: string; readonly style?: string; readonly strikeE4: number },
  ) => {
    const { expiry, style } = contract;
    const key = chainKey(root, expiry);
    const chain = chains.get(key) ?? { root, expiry, ...(style === undefined ? {} : { style }), strikes: new Set() };
    chain.strikes.add(contract.strikeE4);
    chains.set(key, chain);
  };
  for (const { name } of files) if (name.contract !== undefined) list(name.symbol, name.contract);
  for (const { rows } of snapshots) for (const { contract } of rows) list(contract.root, contract);
  return chains;
}

function snapshotStream(snapshots: Snapshots, head: TapeHead): RowStream {
  const first = head.instruments.findIndex((each) => each.kind === 'option');
  return new SnapshotStream(snapshots, {
    rank: RANK.oquote,
    order: first,
    instOf: ({ root, expiry, strikeE4, right }) =>
      head.chains.get(chainKey(root, expiry))!.contracts.get(contractKey(strikeE4, right))!,
  });
}

function streamOf(
  file: LeanFile,
  what: { readonly head: TapeHead; readonly options: LeanOptions; readonly skips: SkipLog },
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
    clock: dayClock(options.zone ?? (name.security === 'index' ? 'America/Chicago' : 'America/New_York'), head.date),
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

function appendClose(rows: ColumnsBuilder, head: TapeHead, options: LeanOptions): void {
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
