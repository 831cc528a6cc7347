/** Random small tapes: few price levels, times close to where something else happens, and everything a feed can get wrong. */
import type { Dice } from './dice.ts';

export const OPEN = 1_710_163_800_000_000;
export const HOUR = 3_600_000_000;
const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

export type Feed = 'full' | 'quotes' | 'trades' | 'bars' | 'bars-and-quotes' | 'minutes';

export interface TapeWeights {
  readonly feeds: Readonly<Record<Feed, number>>;
  /** Percent of events. */
  readonly suspect: number;
  /** Percent of symbols with a halt. */
  readonly halt: number;
  readonly preOpen: number;
  readonly postClose: number;
  readonly eventsMax: number;
}

export const tapeWeights: TapeWeights = {
  feeds: { full: 58, quotes: 8, trades: 6, bars: 22, 'bars-and-quotes': 4, minutes: 6 },
  suspect: 6,
  halt: 22,
  preOpen: 80,
  postClose: 50,
  eventsMax: 90,
};

export interface SymbolPlan {
  readonly symbol: string;
  readonly feed: Feed;
  readonly tick: number;
}

export interface GeneratedTape {
  readonly lines: readonly string[];
  readonly symbols: readonly SymbolPlan[];
  readonly close: number;
}

export type Row = Record<string, unknown> & { readonly t: number };

/** Steps of time: nothing, the latencies and what lies a microsecond beside them, the lengths that documents name. */
export const STEPS = [
  0,
  0,
  1,
  1000,
  4999,
  5000,
  5001,
  20_000,
  49_999,
  50_000,
  50_001,
  100_000,
  SECOND,
  SECOND,
  SECOND + 50_000,
  2 * SECOND,
  3 * SECOND,
  5 * SECOND,
  5 * SECOND,
  10 * SECOND,
  10 * SECOND - 1,
  20 * SECOND,
  30 * SECOND,
  MINUTE,
  3 * MINUTE,
];

/** Instants at which clocks of documents change something. */
const INSTANTS = [MINUTE, 5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 30 * MINUTE, 50 * MINUTE, HOUR];

const units = (ticks: number, tick: number): number => Math.round((100 + ticks * tick) * 1e4) / 1e4;

export function generateTape(dice: Dice, weights: TapeWeights): GeneratedTape {
  const close = OPEN + HOUR;
  const count = dice.weighted({ 1: 5, 2: 3, 3: 2 });
  const symbols = ['AAA', 'BBB', 'CCC'].slice(0, Number(count)).map((symbol): SymbolPlan => {
    const feed = dice.weighted(weights.feeds);
    return { symbol, feed, tick: dice.chance(80) ? 0.01 : 0.05 };
  });
  const most = Math.ceil(weights.eventsMax / symbols.length);
  const rows = symbols.flatMap((one) => feedRows(dice, one, weights, dice.between(3, most)));
  if (dice.chance(10)) rows.push({ t: OPEN + dice.below(600) * SECOND, k: 'news', text: 'a headline' });
  rows.sort((a, b) => a.t - b.t);
  const reference: Record<string, unknown> = {};
  for (const { symbol } of symbols) {
    if (!dice.chance(75)) continue;
    reference[symbol] = {
      priorClose: units(dice.between(-4, 4), 0.01),
      distributions: {
        'velocity(1m)': { p: [50, 90, 99], x: [0, 3, 9.5] },
        'range(1m)': { p: [25, 50, 75, 95], x: [0, 1, 2, 7] },
      },
    };
  }
  const header = {
    v: 'kestrel.tape/v1',
    id: 'generated',
    calendar: 'XNYS',
    date: '2024-03-11',
    instruments: symbols.map(({ symbol, tick }) => ({ symbol, kind: 'equity', tick })),
    reference,
    session: { open: OPEN, close },
  };
  return { lines: [header, ...rows].map((row) => JSON.stringify(row)), symbols, close };
}

export function feedRows(dice: Dice, one: SymbolPlan, weights: TapeWeights, events: number): Row[] {
  const close = OPEN + HOUR;
  const walk = { level: dice.between(-2, 2), width: 1 };
  const rows: Row[] = [];
  if (dice.chance(one.feed === 'bars-and-quotes' ? 100 : weights.preOpen)) {
    let t = OPEN - dice.between(1, 60) * SECOND;
    for (let i = dice.between(1, 3); i > 0 && t < OPEN; i--) {
      if (hasQuotes(one.feed)) rows.push(quoteRow(dice, one, weights, walk, t));
      if (one.feed === 'full' && dice.chance(30)) rows.push(tradeRow(dice, one, walk, t));
      t += dice.pick([1, SECOND, 20 * SECOND]);
    }
  }
  if (one.feed === 'minutes') {
    // A print and a quote a minute, long enough for a regime.
    const drift = dice.pick([-1, 0, 0, 1]);
    for (let minute = 0; minute < dice.between(33, 45); minute++) {
      const t = OPEN + minute * MINUTE + dice.pick([0, SECOND, 30 * SECOND]);
      walk.level += drift === 0 ? dice.between(-1, 1) : drift;
      rows.push({ ...quoteRow(dice, one, { ...weights, suspect: 0 }, { ...walk }, t) });
      rows.push(tradeRow(dice, one, walk, t));
    }
  } else if (hasBars(one.feed)) {
    rows.push(...barRows(dice, one, walk, events));
  }
  if (one.feed !== 'bars' && one.feed !== 'minutes') {
    let t = OPEN + dice.pick([0, 0, 1, SECOND, MINUTE]);
    for (let i = 0; i < events && t <= close; i++) {
      const prints = one.feed === 'trades' || (one.feed === 'full' && dice.chance(50));
      rows.push(prints ? tradeRow(dice, one, walk, t) : quoteRow(dice, one, weights, walk, t));
      t = dice.chance(4) ? Math.max(t, OPEN + dice.pick(INSTANTS) + dice.pick([-1, 0, 0, 1])) : t + dice.pick(STEPS);
    }
  }
  if (dice.chance(weights.halt)) rows.push(...haltRows(dice, one, rows));
  const officials = dice.chance(70) ? dice.between(1, 2) : 0;
  for (let i = 0; i < officials; i++) {
    rows.push({
      t: close + dice.pick([0, 0, 1, MINUTE]),
      k: 'close',
      s: one.symbol,
      p: units(dice.between(-4, 4), one.tick),
    });
  }
  if (dice.chance(weights.postClose)) {
    const t = close + dice.pick([1, SECOND]);
    if (hasQuotes(one.feed)) rows.push(quoteRow(dice, one, weights, walk, t));
    if (one.feed === 'full') rows.push(tradeRow(dice, one, { level: 40, width: 1 }, t));
  }
  return rows.sort((a, b) => a.t - b.t);
}

const hasQuotes = (feed: Feed): boolean => feed !== 'trades' && feed !== 'bars';
const hasBars = (feed: Feed): boolean => feed === 'bars' || feed === 'bars-and-quotes';

interface Walk {
  level: number;
  width: number;
}

function quoteRow(dice: Dice, one: SymbolPlan, weights: TapeWeights, walk: Walk, t: number): Row {
  if (dice.chance(60)) walk.level += dice.pick([-2, -1, -1, 1, 1, 2]);
  if (Math.abs(walk.level) > 6) walk.level = Math.sign(walk.level) * 4;
  const half = dice.pick([1, 1, 1, 2]);
  const quote = {
    t,
    k: 'quote',
    s: one.symbol,
    b: units(walk.level - half, one.tick),
    bz: dice.between(1, 8),
    a: units(walk.level + dice.pick([0, 1, half]), one.tick),
    az: dice.between(1, 8),
  };
  if (!dice.chance(weights.suspect)) return quote;
  switch (dice.below(6)) {
    case 0:
      return { ...quote, a: quote.b };
    case 1:
      return { ...quote, a: units(walk.level - half - 2, one.tick) };
    case 2: {
      const { a: _, az: __, ...rest } = quote;
      return rest;
    }
    case 3: {
      const { bz: _, ...rest } = quote;
      return rest;
    }
    case 4:
      return { ...quote, az: 0 };
    default:
      return { ...quote, b: 0 };
  }
}

function tradeRow(dice: Dice, one: SymbolPlan, walk: Walk, t: number): Row {
  const p = units(walk.level + dice.pick([-2, -1, -1, 0, 1, 1, 2]), one.tick);
  return { t, k: 'trade', s: one.symbol, p, z: dice.between(1, 9) };
}

function barRows(dice: Dice, one: SymbolPlan, walk: Walk, events: number): Row[] {
  const rows: Row[] = [];
  let minute = 0;
  for (let i = 0; i < events; i++) {
    minute += dice.pick([1, 1, 1, 1, 2, 5]);
    if (minute > 60) break;
    const ticks = [0, 1, 2].map(() => walk.level + dice.between(-3, 3));
    const open = dice.chance(50) ? walk.level : ticks[2]!;
    const [low, high] = [Math.min(open, ...ticks), Math.max(open, ...ticks)];
    walk.level = ticks[1]!;
    rows.push({
      t: OPEN + minute * MINUTE,
      k: 'bar',
      s: one.symbol,
      d: '1m',
      o: units(open, one.tick),
      h: units(high, one.tick),
      l: units(low, one.tick),
      c: units(walk.level, one.tick),
      z: dice.between(1, 20),
    });
  }
  return rows;
}

/** A halt that begins at or beside an event, so that something is likely to be in flight. */
function haltRows(dice: Dice, one: SymbolPlan, rows: readonly Row[]): Row[] {
  if (rows.length === 0) return [];
  const from = dice.pick(rows).t + dice.pick([-SECOND, 0, 1, 1000, 20_000, SECOND]);
  if (from > OPEN + HOUR) return [];
  const halt: Row[] = [{ t: from, k: 'halt', s: one.symbol, on: true }];
  if (dice.chance(80)) {
    const off = from + dice.pick([1000, 50_000, SECOND, 10 * SECOND, 5 * MINUTE]);
    if (off <= OPEN + HOUR) halt.push({ t: off, k: 'halt', s: one.symbol, on: false });
  }
  return halt;
}
