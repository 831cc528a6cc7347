/** What the names of LEAN's files say: security, resolution, symbol, day, kind of rows, and the contract of an option. */
import { TapeRefusal } from '../refusal.ts';

export const SECURITIES = ['equity', 'index', 'option', 'indexoption'] as const;
export type LeanSecurity = (typeof SECURITIES)[number];

export const RESOLUTIONS = ['tick', 'second', 'minute', 'hour', 'daily'] as const;
export type LeanResolution = (typeof RESOLUTIONS)[number];

export const ROW_KINDS = ['quote', 'trade', 'openinterest'] as const;
export type LeanRows = (typeof ROW_KINDS)[number];

export interface LeanContract {
  readonly style: 'american' | 'european';
  readonly right: 'C' | 'P';
  readonly strikeE4: number;
  /** `YYYY-MM-DD` */
  readonly expiry: string;
}

/** What is known of one CSV; a caller's own word comes before a name's. */
export interface LeanName {
  readonly security: LeanSecurity;
  readonly resolution: LeanResolution;
  /** Upper case. */
  readonly symbol: string;
  /** `YYYY-MM-DD`; absent for hours and days, which hold many. */
  readonly date?: string;
  readonly rows: LeanRows;
  readonly contract?: LeanContract;
}

/** What a caller may say instead of the names. */
export interface LeanOverrides {
  readonly security?: LeanSecurity;
  readonly resolution?: LeanResolution;
  readonly symbol?: string;
  readonly date?: string;
  readonly rows?: LeanRows;
}

type Parts = { -readonly [K in keyof LeanName]?: LeanName[K] };

/**
 * @param path the archive's name, with as many of LEAN's folders as there are: `equity/usa/tick/ibm/20131007_quote.zip`
 * @param entry the name inside: `20131007_ibm_Quote_Tick.csv`, `spy.csv`
 * @throws TapeRefusal `name-unknown` where neither tells enough
 */
export function leanName(path: string, entry: string, given: LeanOverrides): LeanName {
  const parts: Parts = { ...fromEntry(entry), ...fromPath(path), ...given };
  const fromContract = fromEntry(entry).contract;
  if (fromContract !== undefined) parts.contract = fromContract;
  const { resolution, symbol } = parts;
  if (resolution === undefined) throw unknown(path, `a resolution: ${RESOLUTIONS.join(', ')}`, 'resolution');
  if (symbol === undefined) throw unknown(path, 'a symbol', 'symbol');
  const security = parts.security ?? (parts.contract === undefined ? 'equity' : 'option');
  const rows = parts.rows ?? (resolution === 'daily' || resolution === 'hour' ? 'trade' : undefined);
  if (rows === undefined) throw unknown(path, `a kind of rows: ${ROW_KINDS.join(', ')}`, 'rows');
  if (parts.date === undefined && resolution !== 'daily' && resolution !== 'hour') {
    throw unknown(path, 'a day, YYYYMMDD', 'date');
  }
  const isOption = security === 'option' || security === 'indexoption';
  if (isOption !== (parts.contract !== undefined)) {
    const expected = isOption ? 'the contract in the name of each file inside' : 'no contract in the names inside';
    throw new TapeRefusal('name-unknown', { source: path, expected, got: entry });
  }
  return {
    security,
    resolution,
    symbol: symbol.toUpperCase(),
    rows,
    ...(parts.date === undefined ? {} : { date: parts.date }),
    ...(parts.contract === undefined ? {} : { contract: parts.contract }),
  };
}

/** Securities that LEAN knows and a tape of this version does not. */
const FOREIGN = new Set(['forex', 'cfd', 'crypto', 'cryptofuture', 'future', 'futureoption', 'base']);

function fromPath(path: string): Parts {
  const folders = path.split(/[\\/]+/).filter((part) => part !== '');
  const file = (folders.pop() ?? '').toLowerCase().replace(/(\.zip)+$|\.csv$/, '');
  const out: Parts = {};
  const at = folders.findLastIndex((folder) => isOneOf(RESOLUTIONS, folder.toLowerCase()));
  if (at >= 2) {
    const security = folders[at - 2]!.toLowerCase();
    if (FOREIGN.has(security)) {
      const expected = `a security that a tape holds: ${SECURITIES.join(', ')}`;
      throw new TapeRefusal('name-unknown', { source: path, expected, got: security });
    }
    if (isOneOf(SECURITIES, security)) out.security = security;
    const resolution = folders[at]!.toLowerCase();
    if (isOneOf(RESOLUTIONS, resolution)) out.resolution = resolution;
    const next = folders[at + 1];
    if (next !== undefined) out.symbol = next;
  }
  const day = /^([0-9]{8})_(quote|trade|openinterest)(?:_(american|european))?$/.exec(file);
  if (day !== null) {
    out.date = isoOf(day[1]!);
    out.rows = day[2] as LeanRows;
  } else if (out.resolution === 'daily' || out.resolution === 'hour') {
    out.symbol = file.replace(/_(quote|trade|openinterest)(_.*)?$/, '');
  }
  return out;
}

function fromEntry(entry: string): Parts {
  const base = (entry.split(/[\\/]+/).pop() ?? '').toLowerCase().replace(/\.csv$/, '');
  const option =
    /^([0-9]{8})_(.+)_(minute|second|tick)_(quote|trade|openinterest)_(american|european)_(call|put)_([0-9]+)_([0-9]{8})$/.exec(
      base,
    );
  if (option !== null) {
    return {
      date: isoOf(option[1]!),
      symbol: option[2]!,
      resolution: option[3] as LeanResolution,
      rows: option[4] as LeanRows,
      contract: {
        style: option[5] as 'american' | 'european',
        right: option[6] === 'call' ? 'C' : 'P',
        strikeE4: Number(option[7]),
        expiry: isoOf(option[8]!),
      },
    };
  }
  const tick = /^([0-9]{8})_(.+)_(quote|trade)_tick$/.exec(base);
  if (tick !== null) {
    return { date: isoOf(tick[1]!), symbol: tick[2]!, rows: tick[3] as LeanRows, resolution: 'tick' };
  }
  const bars = /^([0-9]{8})_(.+)_(minute|second|tick)_(quote|trade)$/.exec(base);
  if (bars !== null) {
    const [, date, symbol, resolution, rows] = bars;
    return { date: isoOf(date!), symbol: symbol!, resolution: resolution as LeanResolution, rows: rows as LeanRows };
  }
  // `spy.csv`, of hours or days: the path or the caller says which.
  return /^[a-z][a-z0-9.]*$/.test(base) ? { symbol: base } : {};
}

function isoOf(compact: string): string {
  return `${compact.slice(0, 4)}-${compact.slice(4, 6)}-${compact.slice(6, 8)}`;
}

function isOneOf<T extends string>(list: readonly T[], text: string): text is T {
  return (list as readonly string[]).includes(text);
}

function unknown(source: string, expected: string, field: string): TapeRefusal {
  const next = `name it as LEAN does (equity/usa/minute/spy/20131007_trade.zip), or say ${field}`;
  return new TapeRefusal('name-unknown', { source, expected, got: 'a name that does not tell', next });
}
