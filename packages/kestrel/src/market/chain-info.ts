/** What a tape holds of each expiry of an option root. */
import { Kind, type Tape, type TapeInstrument } from './columns.ts';
import { chainKey } from './header.ts';
import { type Spread, spreadOf } from './percentiles.ts';
import { countQuote, noQuotes, type QuoteCounts } from './quote-counts.ts';

/** A contract by its place in the chain, with its widest good quote. */
export interface WideContract {
  readonly strikeE4: number;
  readonly right: 'C' | 'P';
  readonly spreadE4: number;
}

export interface ChainInfo {
  readonly root: string;
  readonly expiry: string;
  readonly style: 'american' | 'european';
  readonly settles: 'close' | 'open';
  readonly strikes: number;
  readonly lowestStrikeE4: number;
  readonly highestStrikeE4: number;
  readonly contracts: number;
  /** Contracts with at least one event. */
  readonly active: number;
  /** In session, both ends included. */
  readonly quotes: QuoteCounts;
  /** Shares of those quotes, to four decimals; null where there are none. */
  readonly share: { readonly oneSided: number; readonly crossed: number } | null;
  /** Quotes before the open and after the close. */
  readonly outside: number;
  /** Ask less bid of good quotes in session, E4. */
  readonly spreadE4: Spread | null;
  readonly trades: number;
  /** The widest good quote in session. */
  readonly widest: WideContract | null;
  /** The contracts of the widest good quotes, {@link WIDEST_MAX} at most, widest first. */
  readonly widestContracts: readonly WideContract[];
  /** Last open interest of each contract, summed. */
  readonly openInterest: number | null;
}

/** Most contracts that are named for their width. */
export const WIDEST_MAX = 5;

type Option = Extract<TapeInstrument, { readonly kind: 'option' }>;

interface ChainTally {
  readonly first: Option;
  readonly strikes: Set<number>;
  readonly active: Set<number>;
  readonly quotes: QuoteCounts;
  readonly spreadsE4: number[];
  /** Widest good quote of each contract, by instrument. */
  readonly widest: Map<number, number>;
  readonly openInterest: Map<string, number>;
  contracts: number;
  outside: number;
  trades: number;
}

/** In the order of the header. */
export function chainsOf(tape: Tape): ChainInfo[] {
  const { columns, instruments, session } = tape;
  const tallies = new Map<string, ChainTally>();
  const byInstrument = instruments.map((each) => (each.kind === 'option' ? list(tallies, each) : undefined));
  for (let i = 0; i < columns.length; i++) {
    const kind = columns.kind[i]!;
    if (kind === Kind.other) {
      noteOpenInterest(tallies, columns.texts[columns.a[i]!]!);
      continue;
    }
    if (kind !== Kind.oquote && kind !== Kind.otrade) continue;
    const inst = columns.inst[i]!;
    const tally = byInstrument[inst];
    if (tally === undefined) continue;
    tally.active.add(inst);
    if (kind === Kind.otrade) tally.trades++;
    else if (columns.t[i]! < session.open || columns.t[i]! > session.close) tally.outside++;
    else if (countQuote(columns, i, tally.quotes) === 'good') {
      const spreadE4 = columns.c[i]! - columns.a[i]!;
      tally.spreadsE4.push(spreadE4);
      if (spreadE4 > (tally.widest.get(inst) ?? 0)) tally.widest.set(inst, spreadE4);
    }
  }
  return [...tallies.values()].map((tally) => infoOf(tally, instruments));
}

function list(tallies: Map<string, ChainTally>, option: Option): ChainTally {
  const key = chainKey(option.root, option.expiry);
  const tally = tallies.get(key) ?? noChain(option);
  tally.strikes.add(option.strikeE4);
  tally.contracts++;
  tallies.set(key, tally);
  return tally;
}

function infoOf(tally: ChainTally, instruments: Tape['instruments']): ChainInfo {
  const { root, expiry, style, settles } = tally.first;
  const strikesE4 = [...tally.strikes].sort((a, b) => a - b);
  const counted = Object.values(tally.quotes).reduce((sum, each) => sum + each, 0);
  const shareOf = (count: number): number => Math.round((count / counted) * 10_000) / 10_000;
  const widestContracts = [...tally.widest.entries()]
    .sort(([a, x], [b, y]) => y - x || a - b)
    .slice(0, WIDEST_MAX)
    .map(([inst, spreadE4]) => {
      const { strikeE4, right } = instruments[inst] as Option;
      return { strikeE4, right, spreadE4 };
    });
  return {
    root,
    expiry,
    style,
    settles,
    strikes: strikesE4.length,
    lowestStrikeE4: strikesE4[0]!,
    highestStrikeE4: strikesE4[strikesE4.length - 1]!,
    contracts: tally.contracts,
    active: tally.active.size,
    quotes: tally.quotes,
    share: counted === 0 ? null : { oneSided: shareOf(tally.quotes.oneSided), crossed: shareOf(tally.quotes.crossed) },
    outside: tally.outside,
    spreadE4: spreadOf(tally.spreadsE4),
    trades: tally.trades,
    widest: widestContracts[0] ?? null,
    widestContracts,
    openInterest:
      tally.openInterest.size === 0 ? null : [...tally.openInterest.values()].reduce((sum, each) => sum + each, 0),
  };
}

function noChain(first: Option): ChainTally {
  return {
    first,
    strikes: new Set(),
    active: new Set(),
    quotes: noQuotes(),
    spreadsE4: [],
    widest: new Map(),
    openInterest: new Map(),
    contracts: 0,
    outside: 0,
    trades: 0,
  };
}

function noteOpenInterest(tallies: ReadonlyMap<string, ChainTally>, text: string): void {
  const event = JSON.parse(text) as { k: string; s: string; x: string; r: string; K: number; z: number };
  if (event.k !== 'oi') return;
  tallies.get(chainKey(event.s, event.x))?.openInterest.set(`${event.K} ${event.r}`, event.z);
}
