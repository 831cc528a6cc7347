/** Random small tapes with chains: one underlying or an index of two roots, one to three expiries, and every fault of a quote. */
import { priceOf } from '../../src/engine/black-scholes.ts';
import type { Right } from '../../src/lang/model.ts';
import { nthSessionAfter, sessionOf } from '../../src/market/calendar.ts';
import type { Dice } from './dice.ts';
import {
  feedRows,
  type GeneratedTape,
  HOUR,
  OPEN,
  type Row,
  STEPS,
  type SymbolPlan,
  tapeWeights,
} from './generate-tape.ts';

export interface ChainPlan {
  readonly root: string;
  readonly expiry: string;
  readonly strikes: readonly number[];
  readonly settles: 'open' | 'close';
  readonly tick: number;
}

export interface OptionTape extends GeneratedTape {
  readonly date: string;
  readonly chains: readonly ChainPlan[];
  /** What a plan's exec may name. */
  readonly execs: readonly string[];
  readonly indices: readonly string[];
}

const SECOND = 1_000_000;

/** A usual day, the Thursday before Good Friday, the day before Thanksgiving, and a half day of which no session is pinned. */
const DATES = ['2024-03-11', '2024-03-11', '2024-03-28', '2023-11-22', '2024-07-03'] as const;

export function generateOptionTape(dice: Dice): OptionTape {
  const date = dice.pick(DATES);
  const session = sessionOf('XNYS', date)!;
  const pinned = date !== '2024-07-03';
  const close = pinned ? session.open + HOUR : session.close;
  const index = dice.chance(30);
  const main = index ? 'SPX' : dice.pick(['AAA', 'SPY']);
  const symbols = [main, ...(dice.chance(30) ? ['BBB'] : [])].map((symbol): SymbolPlan => {
    const feed = dice.weighted({ full: 74, quotes: 8, trades: 10, bars: 8 });
    return { symbol, feed, tick: dice.pick([0.25, 0.25, 0.5]) };
  });
  const rows = symbols.flatMap((one) => feedRows(dice, one, tapeWeights, dice.between(4, 40)));
  rows.sort((a, b) => a.t - b.t);
  const chains = chainPlans(dice, { date, main, index });
  for (const chain of chains) rows.push(...chainRows(dice, chain, { date, main, rows: rows.slice() }));
  const placed = rows
    // The feeds are written for one hour from a fixed opening.
    .map((row) => ({
      ...row,
      t: row.t - OPEN + session.open + (row.t >= OPEN + HOUR ? close - session.open - HOUR : 0),
    }))
    .sort((a, b) => a.t - b.t);
  const header = {
    v: 'kestrel.tape/v1',
    id: 'generated-options',
    calendar: 'XNYS',
    date,
    instruments: [
      ...symbols.map(({ symbol }) => ({ symbol, kind: symbol === 'SPX' ? 'index' : 'equity', tick: 0.01 })),
      ...chains.map((chain) => {
        return { ...chain, kind: 'option', multiplier: 100, style: index ? 'european' : 'american' };
      }),
    ],
    reference: Object.fromEntries(symbols.map(({ symbol }) => [symbol, { priorClose: 100 }])),
    ...(pinned ? { session: { open: session.open, close } } : {}),
  };
  const lines = [header, ...placed].map((row) => JSON.stringify(row));
  const roots = [...new Set(chains.map((chain) => chain.root))];
  const execs = [main, main, ...roots.filter((root) => root !== main)];
  return { lines, symbols, close, date, chains, execs, indices: index ? ['SPX'] : [] };
}

function chainPlans(
  dice: Dice,
  of: { readonly date: string; readonly main: string; readonly index: boolean },
): ChainPlan[] {
  const sessions = dice.pick([[0], [0], [0], [0, 1], [0, 1, 3], [1], [1], [1, 4]]);
  const tick = dice.chance(70) ? 0.01 : 0.05;
  return sessions.flatMap((n): ChainPlan[] => {
    const expiry = nthSessionAfter('XNYS', of.date, n);
    const chain = (root: string, settles: 'open' | 'close'): ChainPlan => {
      const step = dice.pick([0.5, 0.5, 1, 1, 2.5]);
      const count = dice.pick([3, 5, 5, 7, 7, 9]);
      const from = 100 + step * (dice.between(-1, 1) - Math.floor(count / 2));
      return { root, expiry, strikes: Array.from({ length: count }, (_, i) => from + i * step), settles, tick };
    };
    if (!of.index) return [chain(of.main, 'close')];
    const both = dice.weighted({ both: 4, weekly: 4, monthly: 2 });
    return [
      ...(both === 'weekly' ? [] : [chain('SPX', 'open')]),
      ...(both === 'monthly' ? [] : [chain('SPXW', 'close')]),
    ];
  });
}

interface Contract {
  readonly right: Right;
  readonly strike: number;
}

/** Quotes and prints of a chain: now and then all of it at once, else the few contracts that are traded. */
function chainRows(
  dice: Dice,
  chain: ChainPlan,
  of: { readonly date: string; readonly main: string; readonly rows: readonly Row[] },
): Row[] {
  const { root, expiry, strikes, tick } = chain;
  const days = 1 + sessionsApart(of.date, expiry);
  const level = dice.pick([0.4, 0.8, 1.2]) * (days === 1 ? 3 : 1);
  const bend = dice.pick([0, 1, 3]);
  const rows: Row[] = [];
  const shown = new Map<string, { readonly b: number; readonly a: number }>();
  const spotAt = (t: number): number => {
    const before = of.rows.filter((row) => row.s === of.main && row.t <= t && (row.k === 'trade' || row.k === 'bar'));
    const last = before.at(-1);
    return ((last?.p ?? last?.c) as number | undefined) ?? 100;
  };
  const quote = (t: number, { right, strike }: Contract, fault: number): void => {
    const spot = spotAt(t);
    const years = (days - 1 + 0.2) / 365;
    const x = Math.log(strike / spot);
    const worth = priceOf(right, spot * 1e4, strike * 1e4, (level + bend * x * x) * Math.sqrt(years)) / 1e4;
    const half = dice.pick([1, 1, 2, 3, 8]);
    const shift = fault > 0 ? dice.between(-2, 2) : 0;
    const b = ticks(Math.round(worth / tick) - half + shift, tick);
    const a = ticks(Math.max(1, Math.round(worth / tick) + dice.pick([0, 1, half]) + shift), tick);
    shown.set(`${right}${strike}`, { b, a });
    const row = { t, k: 'oquote', s: root, x: expiry, r: right, K: strike };
    const bid = b > 0 ? { b, bz: dice.between(1, 6) } : {};
    const ask = { a, az: dice.between(1, 6) };
    rows.push({ ...row, ...(dice.chance(fault) ? faulty(dice, { ...bid, ...ask }) : { ...bid, ...ask }) });
  };
  const all = strikes.flatMap((strike) => (['C', 'P'] as const).map((right) => ({ right, strike })));
  /** What is traded: the strikes next to the money. */
  const active = (at: number): Contract => {
    const spot = spotAt(at);
    const away = strikes.map((strike) => Math.abs(strike - spot));
    const money = away.indexOf(Math.min(...away));
    const strike = strikes[Math.min(strikes.length - 1, Math.max(0, money + dice.pick([-1, 0, 0, 0, 1])))]!;
    return { right: dice.pick(['C', 'P']), strike };
  };
  let t = OPEN + dice.pick([-SECOND, -SECOND, -SECOND, -SECOND, 0, SECOND]);
  if (dice.chance(92)) for (const one of all) quote(t, one, 3);
  const events = dice.between(12, 50);
  for (let i = 0; i < events; i++) {
    t += dice.chance(15) ? dice.between(60, 300) * SECOND : dice.pick(STEPS);
    if (t > OPEN + HOUR + SECOND) break;
    if (dice.chance(9)) {
      for (const one of all) quote(t, one, 3);
      continue;
    }
    const one = active(t);
    const last = shown.get(`${one.right}${one.strike}`);
    if (last === undefined || dice.chance(55)) {
      quote(t, one, 9);
      continue;
    }
    const p = dice.pick([last.b - tick, last.b, last.b, last.b, last.a, last.a, last.a + tick, (last.b + last.a) / 2]);
    const z = dice.between(1, 6);
    const row: Row = { t, k: 'otrade', s: root, x: expiry, r: one.right, K: one.strike, p: cents(Math.max(0, p)), z };
    rows.push(dice.chance(3) ? { ...row, suspect: true } : row);
  }
  return rows;
}

const cents = (units: number): number => Math.round(units * 100) / 100;
const ticks = (n: number, tick: number): number => Math.round(n * tick * 1e4) / 1e4;

/** Sessions from a date to an expiry, counted no further than the generator goes. */
function sessionsApart(date: string, expiry: string): number {
  for (let n = 0; n < 9; n++) if (nthSessionAfter('XNYS', date, n) === expiry) return n;
  throw new Error(`${expiry} is too far from ${date}`);
}

/** A quote of which something is wrong: crossed, locked, one-sided, without a size, or marked by its source. */
function faulty(dice: Dice, sides: Record<string, number>): Record<string, unknown> {
  const { b, bz, a, az } = sides;
  switch (dice.below(7)) {
    case 0:
      return { a, az };
    case 1:
      return b === undefined ? {} : { b, bz };
    case 2:
      return { ...sides, az: 0 };
    case 3:
      return b === undefined ? { a, az } : { ...sides, bz: 0 };
    case 4:
      return { ...sides, b: a, bz: 3 };
    case 5:
      return { ...sides, b: ticks(Math.round((a! + 0.05) * 100), 0.01), bz: 2 };
    default:
      return { ...sides, suspect: true };
  }
}
