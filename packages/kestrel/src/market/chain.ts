/** The contracts of a root, found by expiry, strike and right: what an engine and an author look an option up in. */
import type { Tape, TapeInstrument } from './columns.ts';

/** One expiry of a root. Row `i` of the three lists is one strike. */
export interface ChainExpiry {
  /** `YYYY-MM-DD` */
  readonly expiry: string;
  /** Ascending, each once, E4. */
  readonly strikesE4: readonly number[];
  /** Indices into the tape's `instruments`; -1 where the contract is not listed. */
  readonly calls: readonly number[];
  readonly puts: readonly number[];
}

/** A root's expiries, ascending. */
export interface Chain {
  readonly root: string;
  readonly expiries: readonly ChainExpiry[];
}

/** What of a tape says which instruments it lists. */
export type Listing = Pick<Tape, 'instruments'>;

/** Roots that have options, in the order of the header. */
export function rootsOf({ instruments }: Listing): string[] {
  const roots = new Set<string>();
  for (const each of instruments) if (each.kind === 'option') roots.add(each.root);
  return [...roots];
}

/** @returns the root's chain; one without expiries where the tape lists no option of it */
export function chainOf({ instruments }: Listing, root: string): Chain {
  const byExpiry = new Map<string, Map<number, { call: number; put: number }>>();
  instruments.forEach((each, index) => {
    if (each.kind === 'option' && each.root === root) list(byExpiry, each, index);
  });
  const expiries = [...byExpiry.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return { root, expiries: expiries.map(([expiry, strikes]) => rowsOf(expiry, strikes)) };
}

/** @returns the row of a strike, or -1 where it is not listed */
export function strikeRow({ strikesE4 }: ChainExpiry, strikeE4: number): number {
  const row = strikeRowFrom(strikesE4, strikeE4);
  return strikesE4[row] === strikeE4 ? row : -1;
}

/** @returns the row of the first strike at or above a price; the number of strikes where there is none */
export function strikeRowFrom(strikesE4: readonly number[], priceE4: number): number {
  let low = 0;
  let high = strikesE4.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (strikesE4[middle]! < priceE4) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Option = Extract<TapeInstrument, { readonly kind: 'option' }>;
type Strikes = Map<number, { call: number; put: number }>;

function list(byExpiry: Map<string, Strikes>, option: Option, index: number): void {
  const strikes: Strikes = byExpiry.get(option.expiry) ?? new Map();
  byExpiry.set(option.expiry, strikes);
  const pair = strikes.get(option.strikeE4) ?? { call: -1, put: -1 };
  strikes.set(option.strikeE4, pair);
  if (option.right === 'C') pair.call = index;
  else pair.put = index;
}

function rowsOf(expiry: string, strikes: Strikes): ChainExpiry {
  const rows = [...strikes.entries()].sort(([a], [b]) => a - b);
  return {
    expiry,
    strikesE4: rows.map(([strikeE4]) => strikeE4),
    calls: rows.map(([, pair]) => pair.call),
    puts: rows.map(([, pair]) => pair.put),
  };
}
