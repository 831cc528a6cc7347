/** Synthetic chains under `fair-v1`: of what is not today's expiry there is a value in every minute but a halt's. */
import { expect, test } from 'vitest';
import { FairFit } from '../../src/engine/index.ts';
import { sessionOf } from '../../src/market/calendar.ts';
import { type ChainExpiry, chainOf } from '../../src/market/chain.ts';
import { Flag, Kind, type Tape } from '../../src/market/columns.ts';
import { type SynthOrder, synthTape } from '../../src/market/synth/index.ts';

const MINUTE = 60_000_000;

/** Minutes of the session, halts apart, at which an expiry has a value, and how many there are. */
function check(order: SynthOrder, least: Readonly<Record<string, number>>): void {
  const tape = synthTape(order);
  const minutes = minutesOf(tape);
  const shares = Object.fromEntries(
    chainOf(tape, 'SYN').expiries.map((expiry) => [expiry.expiry, valued(tape, expiry, minutes) / minutes.length]),
  );
  for (const [expiry, share] of Object.entries(least)) {
    expect([expiry, shares[expiry]! >= share, shares[expiry]]).toEqual([expiry, true, shares[expiry]]);
  }
}

/** A minute of the halt, and the one after it, have no quotes to look at. */
function minutesOf({ columns, session }: Tape): number[] {
  let [from, to] = [0, 0];
  for (let i = 0; i < columns.length; i++) {
    if (columns.kind[i] !== Kind.halt) continue;
    if ((columns.flags[i]! & Flag.on) !== 0) from = columns.t[i]!;
    else to = columns.t[i]!;
  }
  const out: number[] = [];
  for (let t = session.open + MINUTE; t < session.close; t += MINUTE) if (t < from || t > to + MINUTE) out.push(t);
  return out;
}

function valued({ columns, session }: Tape, expiry: ChainExpiry, minutes: readonly number[]): number {
  const fit = new FairFit();
  const settlesAt = sessionOf('XNYS', expiry.expiry)!.close;
  const strikesE4 = Float64Array.from(expiry.strikesE4);
  const last = new Map<number, number>();
  const column = (slots: readonly number[], of: (row: number) => number) =>
    Float64Array.from(slots, (slot) => {
      const row = last.get(slot);
      return row === undefined || columns.a[row]! <= 0 || columns.c[row]! <= 0 ? Number.NaN : of(row);
    });
  let [at, spotE4, count] = [0, Number.NaN, 0];
  for (const t of minutes) {
    for (; at < columns.length && columns.t[at]! <= t; at++) {
      if (columns.kind[at] === Kind.oquote) last.set(columns.inst[at]!, at);
      else if (columns.kind[at] === Kind.trade && columns.t[at]! >= session.open) spotE4 = columns.a[at]!;
    }
    const [bid, ask, then] = [
      (row: number) => columns.a[row]!,
      (row: number) => columns.c[row]!,
      (row: number) => columns.t[row]!,
    ];
    const { calls, puts } = expiry;
    const receipt = fit.fit({
      strikesE4,
      callBid: column(calls, bid),
      callAsk: column(calls, ask),
      callT: column(calls, then),
      putBid: column(puts, bid),
      putAsk: column(puts, ask),
      putT: column(puts, then),
      spotE4,
      t,
      settlesAt,
    });
    if (receipt.ok) count++;
  }
  return count;
}

const ORDER: SynthOrder = { seed: 3, date: '2024-03-12', regime: 'range', events: 30_000, chain: '0dte,1dte,7dte' };

test.each<[string, Partial<SynthOrder>, number]>([
  ['a range', {}, 0.6],
  ['a halt', { regime: 'halt' }, 0.6],
  ['a cheap share', { profile: 'bac' }, 0.1],
])('%s has values from the first minute, today’s expiry for a part of the day', (_, more, today) => {
  check({ ...ORDER, ...more }, { '2024-03-12': today, '2024-03-13': 0.95, '2024-03-21': 1 });
});
