/** Synthetic option chains: sound quotes and prints, a smile, one-sided wings, decay to the intrinsic value. No data is needed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actionsBetween } from '../../src/market/actions.ts';
import { type Chain, type ChainExpiry, chainOf } from '../../src/market/chain.ts';
import { Kind, type Tape } from '../../src/market/columns.ts';
import { lastPriceE4 } from '../../src/market/day-prices.ts';
import { parseTape } from '../../src/market/parse.ts';
import { REGIMES, type SynthOrder, SynthRefusal, synthTape } from '../../src/market/synth/index.ts';
import { writeTape } from '../../src/market/write.ts';

const MINUTE = 60_000_000;
const DAY: SynthOrder = { seed: 7, date: '2024-03-12', regime: 'range', events: 40_000, chain: '0dte,7dte' };

const tickAt = (priceE4: number): number => (priceE4 < 30_000 ? 100 : 500);

/** What holds of every chain, counted rather than expected one by one. */
function checkChain(tape: Tape, order: SynthOrder): void {
  const { columns, session, instruments } = tape;
  const faults: string[] = [];
  const standing = new Map<number, readonly [number, number]>();
  let halted = false;
  let quotes = 0;
  for (let i = 0; i < columns.length; i++) {
    const fault = (what: string) => faults.push(`${what} at row ${i}`);
    const [t, kind, inst] = [columns.t[i]!, columns.kind[i], columns.inst[i]!];
    if (i > 0 && t < columns.t[i - 1]!) fault('time');
    if (kind === Kind.halt) halted = columns.flags[i] === 1;
    if (kind !== Kind.oquote && kind !== Kind.otrade) continue;
    if (instruments[inst]?.kind !== 'option') fault('instrument');
    if (t < session.open || t > session.close) fault('outside the session');
    if (halted) fault('in a halt');
    if (kind === Kind.oquote) {
      quotes++;
      const [bid, bidSize, ask, askSize] = [columns.a[i]!, columns.b[i]!, columns.c[i]!, columns.d[i]!];
      for (const [price, size] of [
        [bid, bidSize],
        [ask, askSize],
      ] as const) {
        const absent = price === -1 && size === -1;
        if (!absent && !(price > 0 && price % tickAt(price) === 0 && size > 0)) fault(`side ${price} ${size}`);
      }
      if (bid === -1 && ask === -1) fault('no side');
      if (bid !== -1 && ask !== -1 && ask <= bid) fault(`${bid}/${ask}`);
      standing.set(inst, [bid, ask]);
    } else {
      const [bid, ask] = standing.get(inst)!;
      const price = columns.a[i]!;
      if (price < bid || price > ask || price % tickAt(price) !== 0 || columns.b[i]! < 1) fault(`print ${price}`);
    }
  }
  expect(faults.slice(0, 5)).toEqual([]);
  if (order.optionQuotes !== undefined) expect(quotes).toBe(order.optionQuotes);
}

/** The last quote of each contract at a time: bid, ask, and its age in microseconds. */
class Board {
  readonly chain: Chain;
  private readonly tape: Tape;
  private readonly last = new Map<number, { bid: number; ask: number; t: number }>();
  private at = 0;
  spotE4 = Number.NaN;

  constructor(tape: Tape) {
    this.tape = tape;
    this.chain = chainOf(tape, 'SYN');
  }

  to(t: number): void {
    const { columns } = this.tape;
    for (; this.at < columns.length && columns.t[this.at]! <= t; this.at++) {
      const i = this.at;
      const [bid, ask] = [columns.a[i]!, columns.c[i]!];
      if (columns.kind[i] === Kind.quote) this.spotE4 = (bid + ask) / 2;
      if (columns.kind[i] === Kind.oquote) this.last.set(columns.inst[i]!, { bid, ask, t: columns.t[i]! });
    }
  }

  quote(inst: number): { bid: number; ask: number; t: number } {
    return this.last.get(inst)!;
  }

  mid(inst: number): number {
    const { bid, ask } = this.quote(inst);
    return bid === -1 || ask === -1 ? Number.NaN : (bid + ask) / 2;
  }

  /** Strikes whose option out of the money is two-sided, fresh, and narrow enough to be read a volatility from. */
  usable({ strikesE4, calls, puts }: ChainExpiry, t: number): number {
    return strikesE4.filter((strikeE4, row) => {
      const { bid, ask, t: then } = this.quote(strikeE4 >= this.spotE4 ? calls[row]! : puts[row]!);
      const spread = ask - bid;
      return bid > 0 && ask > 0 && t - then <= MINUTE && spread <= Math.max(1_000, (bid + ask) / 8);
    }).length;
  }

  middle({ strikesE4 }: ChainExpiry): number {
    let best = 0;
    strikesE4.forEach((strikeE4, row) => {
      if (Math.abs(strikeE4 - this.spotE4) < Math.abs(strikesE4[best]! - this.spotE4)) best = row;
    });
    return best;
  }
}

test('property: any chain is sound, is read back as itself, and leaves its share as it is', () => {
  const orders = fc.record({
    seed: fc.integer(),
    date: fc.constantFrom('2024-03-12', '2024-11-29', '2013-10-07', '2001-04-09'),
    regime: fc.constantFrom(...REGIMES),
    profile: fc.constantFrom('spy', 'ibm', 'bac'),
    events: fc.integer({ min: 100, max: 3_000 }),
    chain: fc.constantFrom('0dte', '0dte,1dte', '3dte,60dte'),
    optionQuotes: fc.integer({ min: 500, max: 6_000 }),
    priorCloseE4: fc.integer({ min: 100, max: 10_000_000 }).map((ticks) => ticks * 100),
  });
  fc.assert(
    fc.property(orders, (order) => {
      const tape = synthTape(order);
      checkChain(tape, order);
      const { tape: read, skipped } = parseTape(writeTape(tape));
      expect(skipped).toEqual([]);
      expect(read.identity).toBe(tape.identity);
      const { chain, optionQuotes, ...alone } = order;
      const share = synthTape(alone).columns;
      const kept = [...tape.columns.kind.keys()].filter((i) => tape.columns.inst[i]! <= 0);
      for (const column of ['t', 'kind', 'flags', 'inst', 'a', 'b', 'c', 'd'] as const) {
        const differs = kept.findIndex((row, i) => tape.columns[column][row] !== share[column][i]);
        expect([column, differs, kept.length]).toEqual([column, -1, share.length]);
      }
    }),
    { numRuns: 6 },
  );
});

test('the identity of one chain is pinned', () => {
  const order: SynthOrder = { ...DAY, events: 5_000, optionQuotes: 5_000 };
  expect(synthTape(order).identity).toBe('908db137951c2fce811ef194544455e52e3b1410b3e835a54ade196892f154e9');
  expect(synthTape({ ...order }).identity).toBe(synthTape(order).identity);
  expect(synthTape(order).header.synthetic).toMatchObject({
    recipe: 'kestrel.synth/1',
    options: { recipe: 'kestrel.synth-chain/1', chain: '0dte,7dte', quotes: 5_000 },
  });
});

describe('a day of two expiries', () => {
  const tape = synthTape(DAY);
  const { open, close } = tape.session;

  test('lists them as a document counts: today, and the seventh session after it', () => {
    const { expiries } = chainOf(tape, 'SYN');
    expect(expiries.map(({ expiry, strikesE4 }) => [expiry, strikesE4.length])).toEqual([
      ['2024-03-12', 41],
      ['2024-03-21', 41],
    ]);
    const option = tape.instruments[1];
    expect(option).toMatchObject({ kind: 'option', root: 'SYN', multiplier: 100, style: 'american', settles: 'close' });
  });

  test('can be read a volatility from in every minute: the later one all day, today’s until two hours before its close', () => {
    const board = new Board(tape);
    for (let t = open + MINUTE; t <= close - MINUTE; t += MINUTE) {
      board.to(t);
      const [today, later] = board.chain.expiries.map((expiry) => board.usable(expiry, t));
      expect([(t - open) / MINUTE, later! >= 5, today! >= 5 || t > close - 120 * MINUTE]).toEqual([
        (t - open) / MINUTE,
        true,
        true,
      ]);
    }
  });

  test('has a smile: as far from the money puts cost more, and its wings are one-sided', () => {
    const board = new Board(tape);
    const [puts, calls]: [number[], number[]] = [[], []];
    let near = 0;
    let far = 0;
    let farOneSided = 0;
    for (let t = open + 5 * MINUTE; t < close - 30 * MINUTE; t += 5 * MINUTE) {
      board.to(t);
      const [today, later] = board.chain.expiries as [ChainExpiry, ChainExpiry];
      const middle = board.middle(later);
      const [put, call] = [board.mid(later.puts[middle - 8]!), board.mid(later.calls[middle + 8]!)];
      puts.push(put);
      calls.push(call);
      for (const inst of [today.puts[middle]!, today.calls[middle]!]) near += Number(Number.isNaN(board.mid(inst)));
      for (let row = 0; row < middle - 10; row++) {
        far++;
        farOneSided += Number(board.quote(today.puts[row]!).bid === -1);
      }
    }
    const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length;
    expect(mean(puts) / mean(calls)).toBeGreaterThan(1.1);
    expect(near).toBe(0);
    expect(farOneSided / far).toBeGreaterThan(0.9);
  });

  test('is wider in the money than at it, and leaves more room above the worth than below', () => {
    const board = new Board(tape);
    board.to(close);
    const sides = (expiry: ChainExpiry, from: number) =>
      [0, 1, 2, 3, 4, 5, 6, 7]
        .map((i) => ({ ...board.quote(expiry.calls[from + i]!), worth: board.spotE4 - expiry.strikesE4[from + i]! }))
        .filter(({ bid, ask }) => bid > 0 && ask > 0);
    const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length;
    const [today, later] = board.chain.expiries as [ChainExpiry, ChainExpiry];
    const width = (from: number) => mean(sides(later, from).map(({ bid, ask }) => ask - bid));
    expect(width(0)).toBeGreaterThan(3 * width(board.middle(later)));
    const deep = sides(today, 0);
    expect(deep.length).toBeGreaterThan(4);
    const above = mean(deep.map(({ ask, worth }) => ask - worth));
    const below = mean(deep.map(({ bid, worth }) => worth - bid));
    expect(above / below).toBeGreaterThan(1.2);
  });

  test('decays: today’s straddle falls through the day, and every contract closes around its intrinsic value', () => {
    const board = new Board(tape);
    const straddles = [0.1, 0.4, 0.7, 0.95].map((share) => {
      board.to(open + share * (close - open));
      const today = board.chain.expiries[0]!;
      const row = board.middle(today);
      const away = Math.abs(today.strikesE4[row]! - board.spotE4);
      return board.mid(today.calls[row]!) + board.mid(today.puts[row]!) - away;
    });
    expect([...straddles].sort((a, b) => b - a)).toEqual(straddles);
    expect(straddles[3]! / straddles[0]!).toBeLessThan(0.4);
    board.to(close);
    const today = board.chain.expiries[0]!;
    const wrong = today.strikesE4.flatMap((strikeE4, row) =>
      (
        [
          [today.calls[row]!, board.spotE4 - strikeE4],
          [today.puts[row]!, strikeE4 - board.spotE4],
        ] as const
      ).filter(([inst, inTheMoney]) => {
        const { bid, ask, t } = board.quote(inst);
        const worth = Math.max(0, inTheMoney);
        return t !== close || (bid !== -1 && bid > worth) || (ask !== -1 && ask < worth);
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('prints at the bid, at the ask and between, and ends with an official close', () => {
    const { columns } = tape;
    const standing = new Map<number, number>();
    const counts = { bid: 0, ask: 0, between: 0 };
    for (let i = 0; i < columns.length; i++) {
      if (columns.kind[i] === Kind.oquote) standing.set(columns.inst[i]!, i);
      if (columns.kind[i] !== Kind.otrade) continue;
      const quote = standing.get(columns.inst[i]!)!;
      const price = columns.a[i]!;
      counts[price === columns.a[quote] ? 'bid' : price === columns.c[quote] ? 'ask' : 'between']++;
    }
    expect(Math.min(counts.bid, counts.ask, counts.between)).toBeGreaterThan(100);
    expect(columns.kind[columns.length - 1]).toBe(Kind.close);
  });
});

test('a half day has a chain of its hours, and today’s ends at its own close', () => {
  const tape = synthTape({ seed: 1, date: '2024-11-29', regime: 'quiet', events: 5_000, chain: '0dte' });
  const board = new Board(tape);
  board.to(tape.session.close);
  expect((tape.session.close - tape.session.open) / MINUTE).toBe(210);
  const [today] = board.chain.expiries;
  const middle = board.middle(today!);
  expect(board.quote(today!.calls[middle + 5]!)).toMatchObject({ bid: -1, t: tape.session.close });
});

test('days in a row carry a contract on: the prior close is the day before’s, strikes and prices go on from it', () => {
  const order = { seed: 1, regime: 'range', events: 5_000 } as const;
  const first = synthTape({ ...order, date: '2024-03-12', chain: '1dte' });
  const priorCloseE4 = lastPriceE4(first, 'SYN')!;
  const second = synthTape({ ...order, date: '2024-03-13', chain: '0dte', priorCloseE4 });
  expect(actionsBetween(first, second, 'SYN')).toEqual({ kind: 'none', by: 'supposed' });
  const [evening, morning] = [new Board(first), new Board(second)];
  evening.to(first.session.close);
  morning.to(second.session.open + 3_000_000);
  const [before, after] = [evening.chain.expiries[0]!, morning.chain.expiries[0]!];
  expect(after.expiry).toBe(before.expiry);
  const common = before.strikesE4.filter((strikeE4) => after.strikesE4.includes(strikeE4));
  expect(common.length).toBeGreaterThan(30);
  const straddle = (board: Board, { strikesE4, calls, puts }: ChainExpiry) => {
    const row = strikesE4.indexOf(common[common.length >> 1]!);
    const away = Math.abs(strikesE4[row]! - board.spotE4);
    return board.mid(calls[row]!) + board.mid(puts[row]!) - away;
  };
  const ratio = straddle(morning, after) / straddle(evening, before);
  expect([ratio > 0.5, ratio < 2]).toEqual([true, true]);
});

test.each<[string, Partial<SynthOrder>, string]>([
  ['an expiry of no number', { chain: 'weekly' }, 'chain-bad'],
  ['no expiry', { chain: '' }, 'chain-bad'],
  ['expiries that fall', { chain: '7dte,0dte' }, 'chain-bad'],
  ['an expiry twice', { chain: '1dte,1dte' }, 'chain-bad'],
  ['an expiry too far', { chain: '61dte' }, 'chain-bad'],
  ['too many expiries', { chain: '0dte,1dte,2dte,3dte,4dte,5dte,6dte,7dte,8dte' }, 'chain-bad'],
  ['a list that never ends', { chain: `0dte${',0dte'.repeat(100_000)}` }, 'chain-bad'],
  ['a chain in fractions', { date: '2001-04-06' }, 'chain-bad'],
  ['a chain of bars', { detail: '1m' }, 'chain-bad'],
  ['too few quotes', { optionQuotes: 491 }, 'option-quotes-bad'],
  ['half a quote', { optionQuotes: 1_000.5 }, 'option-quotes-bad'],
  ['too many quotes', { optionQuotes: 50_000_001 }, 'option-quotes-bad'],
])('%s is refused', (_, wrong, code) => {
  expect(() => synthTape({ ...DAY, ...wrong })).toThrowError(expect.objectContaining({ code, name: 'SynthRefusal' }));
});

test('option quotes without a chain are refused', () => {
  const { chain: _, ...order } = DAY;
  expect(() => synthTape({ ...order, optionQuotes: 5_000 })).toThrow(SynthRefusal);
});
