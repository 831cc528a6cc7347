/** What a tape holds, as plain data: counts, quotes by their soundness, spreads, sizes, gaps, chains. */

import { type ActionRecord, actionRecords } from './actions.ts';
import { type ChainInfo, chainsOf } from './chain-info.ts';
import { ABSENT, type Columns, Flag, Kind, type Tape } from './columns.ts';
import { type Spread, spreadOf } from './percentiles.ts';
import { countQuote, noQuotes, type QuoteCounts } from './quote-counts.ts';

export type { ChainInfo, WideContract } from './chain-info.ts';
export type { Spread } from './percentiles.ts';
export type { QuoteCounts } from './quote-counts.ts';

export interface SymbolInfo {
  readonly symbol: string;
  readonly kind: 'equity' | 'index';
  readonly events: number;
  readonly quotes: number;
  readonly trades: number;
  readonly bars: number;
  readonly halts: number;
  /** Length of its bars, microseconds. */
  readonly barUs: number | null;
  readonly suspects: number;
  /** In session, both ends included: */
  readonly session: {
    readonly quotes: QuoteCounts;
    /** Ask less bid of good quotes, E4. */
    readonly spreadE4: Spread | null;
    readonly bidSize: Spread | null;
    readonly askSize: Spread | null;
    readonly tradeSize: Spread | null;
    /** Between an event and the next, microseconds. */
    readonly gapUs: Spread | null;
    /** Of trades that are not suspect; of bars where there are none. Shares. */
    readonly volume: number;
    readonly openE4: number | null;
    readonly highE4: number | null;
    readonly lowE4: number | null;
    readonly lastE4: number | null;
  };
  readonly priorCloseE4: number | null;
  readonly officialCloseE4: number | null;
}

export interface TapeInfo {
  readonly id: string;
  readonly identity: string;
  readonly calendar: string;
  readonly zone: string;
  readonly date: string;
  readonly session: { readonly open: number; readonly close: number };
  readonly source: string | null;
  readonly licence: string | null;
  readonly events: number;
  readonly kinds: Readonly<Record<KindName, number>>;
  readonly firstT: number | null;
  readonly lastT: number | null;
  readonly beforeOpen: number;
  readonly afterClose: number;
  readonly symbols: readonly SymbolInfo[];
  readonly chains: readonly ChainInfo[];
  /** What the header tells of splits, new names and distributions. */
  readonly actions: readonly ({ readonly symbol: string } & ActionRecord)[];
  /** The header's record of lines left out. */
  readonly skipped: unknown;
  readonly memoryBytes: number;
}

const KIND_NAMES = ['quote', 'trade', 'oquote', 'otrade', 'bar', 'halt', 'news', 'close', 'other'] as const;
export type KindName = (typeof KIND_NAMES)[number];

export function tapeInfo(tape: Tape): TapeInfo {
  const { columns, session, header } = tape;
  const n = columns.length;
  const kinds = Object.fromEntries(KIND_NAMES.map((name) => [name, 0])) as Record<KindName, number>;
  let beforeOpen = 0;
  let afterClose = 0;
  for (let i = 0; i < n; i++) {
    kinds[KIND_NAMES[columns.kind[i]!]!]++;
    if (columns.t[i]! < session.open) beforeOpen++;
    else if (columns.t[i]! > session.close) afterClose++;
  }
  return {
    id: tape.id,
    identity: tape.identity,
    calendar: tape.calendar,
    zone: tape.zone,
    date: tape.date,
    session,
    source: textOr(header.source),
    licence: textOr(header.licence),
    events: n,
    kinds,
    firstT: n === 0 ? null : columns.t[0]!,
    lastT: n === 0 ? null : columns.t[n - 1]!,
    beforeOpen,
    afterClose,
    symbols: symbolsOf(tape),
    chains: chainsOf(tape),
    actions: [...actionRecords(tape)].map(([symbol, record]) => ({ symbol, ...record })),
    skipped: header.skipped ?? null,
    memoryBytes: memoryOf(columns),
  };
}

/** Bytes of all columns. Texts and extras are beside them. */
export function memoryOf(columns: Columns): number {
  const { bars } = columns;
  const all = [columns.t, columns.kind, columns.flags, columns.inst, columns.a, columns.b, columns.c, columns.d];
  return [...all, bars.o, bars.h, bars.l, bars.c, bars.z, bars.d].reduce((sum, column) => sum + column.byteLength, 0);
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function symbolsOf(tape: Tape): SymbolInfo[] {
  const rows = rowsByInstrument(tape);
  return tape.instruments.flatMap((instrument, inst) =>
    instrument.kind === 'option' ? [] : [symbolInfo(tape, { inst, instrument, rows: rows[inst]! })],
  );
}

/** Rows of each instrument, in tape order. */
function rowsByInstrument(tape: Tape): Uint32Array[] {
  const { columns, instruments } = tape;
  const counts = new Uint32Array(instruments.length);
  for (let i = 0; i < columns.length; i++) if (columns.inst[i]! >= 0) counts[columns.inst[i]!]!++;
  const rows = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let i = 0; i < columns.length; i++) {
    const inst = columns.inst[i]!;
    if (inst >= 0) rows[inst]![counts[inst]!++] = i;
  }
  return rows;
}

function symbolInfo(
  tape: Tape,
  of: {
    readonly inst: number;
    readonly instrument: Extract<Tape['instruments'][number], { readonly kind: 'equity' | 'index' }>;
    readonly rows: Uint32Array;
  },
): SymbolInfo {
  const { columns, session } = tape;
  const { symbol, kind } = of.instrument;
  const count = { quotes: 0, trades: 0, bars: 0, halts: 0, suspects: 0 };
  const quotes = noQuotes();
  const spreads: number[] = [];
  const bidSizes: number[] = [];
  const askSizes: number[] = [];
  const tradeSizes: number[] = [];
  const gaps: number[] = [];
  const prints = new PriceRange();
  const barPrints = new PriceRange();
  let barUs: number | null = null;
  let officialCloseE4: number | null = null;
  let before = -1;
  for (const i of of.rows) {
    const t = columns.t[i]!;
    const suspect = (columns.flags[i]! & Flag.suspect) !== 0;
    const inSession = t >= session.open && t <= session.close;
    if (suspect) count.suspects++;
    switch (columns.kind[i]) {
      case Kind.quote:
        count.quotes++;
        if (inSession && countQuote(columns, i, quotes) === 'good') {
          spreads.push(columns.c[i]! - columns.a[i]!);
          if (columns.b[i] !== ABSENT) bidSizes.push(columns.b[i]!);
          if (columns.d[i] !== ABSENT) askSizes.push(columns.d[i]!);
        }
        break;
      case Kind.trade:
        count.trades++;
        if (inSession && !suspect) {
          tradeSizes.push(columns.b[i]!);
          prints.add(
            { openE4: columns.a[i]!, highE4: columns.a[i]!, lowE4: columns.a[i]!, lastE4: columns.a[i]! },
            columns.b[i]!,
          );
        }
        break;
      case Kind.bar: {
        count.bars++;
        const at = columns.a[i]!;
        const { bars } = columns;
        barUs = bars.d[at]!;
        if (inSession && t - barUs >= session.open) {
          barPrints.add(
            { openE4: bars.o[at]!, highE4: bars.h[at]!, lowE4: bars.l[at]!, lastE4: bars.c[at]! },
            bars.z[at]!,
          );
        }
        break;
      }
      case Kind.halt:
        count.halts++;
        break;
      case Kind.close:
        officialCloseE4 ??= columns.a[i]!;
        break;
      default:
        break;
    }
    if (inSession) {
      if (before >= 0) gaps.push(t - before);
      before = t;
    }
  }
  const range = count.trades > 0 ? prints : barPrints;
  return {
    symbol,
    kind,
    events: of.rows.length,
    ...count,
    barUs,
    session: {
      quotes,
      spreadE4: spreadOf(spreads),
      bidSize: spreadOf(bidSizes),
      askSize: spreadOf(askSizes),
      tradeSize: spreadOf(tradeSizes),
      gapUs: spreadOf(gaps),
      volume: range.volume,
      openE4: range.openE4,
      highE4: range.highE4,
      lowE4: range.lowE4,
      lastE4: range.lastE4,
    },
    priorCloseE4: tape.reference[symbol]?.priorCloseE4 ?? null,
    officialCloseE4,
  };
}

interface Prices {
  readonly openE4: number;
  readonly highE4: number;
  readonly lowE4: number;
  readonly lastE4: number;
}

class PriceRange {
  openE4: number | null = null;
  highE4: number | null = null;
  lowE4: number | null = null;
  lastE4: number | null = null;
  volume = 0;

  add(prices: Prices, size: number): void {
    this.openE4 ??= prices.openE4;
    this.highE4 = Math.max(this.highE4 ?? prices.highE4, prices.highE4);
    this.lowE4 = Math.min(this.lowE4 ?? prices.lowE4, prices.lowE4);
    this.lastE4 = prices.lastE4;
    this.volume += size;
  }
}
