/** What a tape holds of each expiry of an option root. */
import { Kind, type Tape } from './columns.ts';
import { chainKey } from './header.ts';
import { countQuote, noQuotes, type QuoteCounts } from './quote-counts.ts';

export interface ChainInfo {
  readonly root: string;
  readonly expiry: string;
  readonly strikes: number;
  readonly contracts: number;
  /** Contracts with at least one event. */
  readonly active: number;
  readonly quotes: QuoteCounts;
  readonly trades: number;
  /** The widest good quote. */
  readonly widest: { readonly strikeE4: number; readonly right: 'C' | 'P'; readonly spreadE4: number } | null;
  /** Last open interest of each contract, summed. */
  readonly openInterest: number | null;
}

interface ChainTally {
  readonly root: string;
  readonly expiry: string;
  readonly strikes: Set<number>;
  readonly active: Set<number>;
  readonly quotes: QuoteCounts;
  readonly openInterest: Map<string, number>;
  contracts: number;
  trades: number;
  widest: ChainInfo['widest'];
}

export function chainsOf(tape: Tape): ChainInfo[] {
  const { columns, instruments } = tape;
  const tallies = new Map<string, ChainTally>();
  for (const each of instruments) {
    if (each.kind !== 'option') continue;
    const key = chainKey(each.root, each.expiry);
    const tally = tallies.get(key) ?? noChain(each.root, each.expiry);
    tally.strikes.add(each.strikeE4);
    tally.contracts++;
    tallies.set(key, tally);
  }
  for (let i = 0; i < columns.length; i++) {
    const kind = columns.kind[i]!;
    if (kind === Kind.other) {
      noteOpenInterest(tallies, columns.texts[columns.a[i]!]!);
      continue;
    }
    if (kind !== Kind.oquote && kind !== Kind.otrade) continue;
    const inst = columns.inst[i]!;
    const option = instruments[inst]!;
    if (option.kind !== 'option') continue;
    const tally = tallies.get(chainKey(option.root, option.expiry))!;
    tally.active.add(inst);
    if (kind === Kind.otrade) {
      tally.trades++;
      continue;
    }
    if (countQuote(columns, i, tally.quotes) !== 'good') continue;
    const spreadE4 = columns.c[i]! - columns.a[i]!;
    if (spreadE4 > (tally.widest?.spreadE4 ?? 0)) {
      tally.widest = { strikeE4: option.strikeE4, right: option.right, spreadE4 };
    }
  }
  return [...tallies.values()].map((tally) => ({
    root: tally.root,
    expiry: tally.expiry,
    strikes: tally.strikes.size,
    contracts: tally.contracts,
    active: tally.active.size,
    quotes: tally.quotes,
    trades: tally.trades,
    widest: tally.widest,
    openInterest:
      tally.openInterest.size === 0 ? null : [...tally.openInterest.values()].reduce((sum, each) => sum + each, 0),
  }));
}

function noChain(root: string, expiry: string): ChainTally {
  return {
    root,
    expiry,
    strikes: new Set(),
    active: new Set(),
    quotes: noQuotes(),
    openInterest: new Map(),
    contracts: 0,
    trades: 0,
    widest: null,
  };
}

function noteOpenInterest(tallies: ReadonlyMap<string, ChainTally>, text: string): void {
  const event = JSON.parse(text) as { k: string; s: string; x: string; r: string; K: number; z: number };
  if (event.k !== 'oi') return;
  tallies.get(chainKey(event.s, event.x))?.openInterest.set(`${event.K} ${event.r}`, event.z);
}
