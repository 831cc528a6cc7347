/** The first and the last price of a share or index on a day: what settles, what is compared with another day. */
import { ABSENT, Flag, Kind, type Tape } from './columns.ts';

/** What of a tape holds its prices. */
export type PricedDay = Pick<Tape, 'instruments' | 'columns' | 'session'>;

/**
 * The opening print: the first sound one at or after the open, or the open of the first bar that begins then, whichever
 * stands first in the tape. Contracts that settle at the open settle to it.
 *
 * @returns E4; null where the session has none
 */
export function openPriceE4(day: PricedDay, symbol: string): number | null {
  return first(day, symbol, 'prints');
}

/** The opening print, or the middle of a good quote where one stands before it. */
export function firstPriceE4(day: PricedDay, symbol: string): number | null {
  return first(day, symbol, 'prints and quotes');
}

/** The official close; else the last sound print or bar of the session; else the middle (floor) of its last good quote. */
export function lastPriceE4(day: PricedDay, symbol: string): number | null {
  const { columns, session } = day;
  const inst = indexOf(day, symbol);
  let closeE4: number | null = null;
  // The first close is the official one.
  for (let i = columns.length - 1; i >= 0 && columns.t[i]! >= session.close; i--) {
    if (columns.kind[i] === Kind.close && columns.inst[i] === inst) closeE4 = columns.a[i]!;
  }
  if (closeE4 !== null) return closeE4;
  let midE4: number | null = null;
  for (let i = columns.length - 1; i >= 0 && columns.t[i]! >= session.open; i--) {
    if (columns.inst[i] !== inst || columns.t[i]! > session.close || isSuspect(day, i)) continue;
    const printE4 = printAt(day, i, 'c');
    if (printE4 !== null) return printE4;
    midE4 ??= midAt(day, i);
  }
  return midE4;
}

function first(day: PricedDay, symbol: string, of: 'prints' | 'prints and quotes'): number | null {
  const { columns, session } = day;
  const inst = indexOf(day, symbol);
  for (let i = 0; i < columns.length && columns.t[i]! <= session.close; i++) {
    if (columns.inst[i] !== inst || columns.t[i]! < session.open || isSuspect(day, i)) continue;
    const priceE4 = printAt(day, i, 'o') ?? (of === 'prints' ? null : midAt(day, i));
    if (priceE4 !== null) return priceE4;
  }
  return null;
}

/** -2 where there is none: rows without an instrument have -1. */
function indexOf({ instruments }: PricedDay, symbol: string): number {
  const found = instruments.findIndex((each) => each.kind !== 'option' && each.symbol === symbol);
  return found < 0 ? -2 : found;
}

function isSuspect({ columns }: PricedDay, row: number): boolean {
  return (columns.flags[row]! & Flag.suspect) !== 0;
}

/** A bar that began before the open holds prices from before it. */
function printAt({ columns, session }: PricedDay, row: number, at: 'o' | 'c'): number | null {
  const a = columns.a[row]!;
  if (columns.kind[row] === Kind.trade) return a > 0 ? a : null;
  if (columns.kind[row] !== Kind.bar || columns.t[row]! - columns.bars.d[a]! < session.open) return null;
  const priceE4 = columns.bars[at][a]!;
  return priceE4 > 0 ? priceE4 : null;
}

function midAt({ columns }: PricedDay, row: number): number | null {
  const [bidE4, askE4] = [columns.a[row]!, columns.c[row]!];
  if (columns.kind[row] !== Kind.quote || bidE4 === ABSENT || askE4 === ABSENT) return null;
  return bidE4 <= 0 || askE4 <= bidE4 ? null : Math.floor((bidE4 + askE4) / 2);
}
