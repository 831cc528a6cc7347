/**
 * The Frame (`kestrel.frame/v1`): a typed picture of one instant. Its hash is the frame root; every rendering can only
 * lay out what is in it. Prices and money are E4 integers, times microseconds, R a text with six decimals, what is
 * absent is null.
 */
import { type Engine, inR, type Nearest, nearestOf } from '../engine/index.ts';
import { Kind, type Tape, utcToLocal } from '../market/index.ts';
import { chainOf, type FrameContract } from './chain-pane.ts';
import { type Candle, candlesUntil, type Day, dayOf } from './day.ts';
import { type FrameLevel, levelsOf } from './levels.ts';

/** Why a frame is delivered; the first that applies, in this order. */
export const WHYS = ['open', 'checkpoint', 'wake', 'fill', 'plan-end', 'close'] as const;
export type Why = (typeof WHYS)[number];

export interface FrameSymbol {
  readonly symbol: string;
  readonly kind: string;
  readonly lastE4: number | null;
  readonly bidE4: number | null;
  readonly bidSize: number | null;
  readonly askE4: number | null;
  readonly askSize: number | null;
  /** Last against the prior close, whole basis points. */
  readonly changeBps: number | null;
  readonly asOf: number | null;
}

export interface FrameTape {
  readonly symbol: string;
  /** Length of a candle, as the language writes it. */
  readonly d: string;
  /** What bodies are measured against: the prior close, else the first price. */
  readonly anchorE4: number | null;
  readonly anchorT: number | null;
  /** The anchor is stamped here; between two key frames a text tape only grows. */
  readonly keyFrame: boolean;
  readonly candles: readonly Candle[];
}

export interface FramePlan {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  /** Accepted, and armed once the thinking time is over. */
  readonly arming: boolean;
  /** While it is armed: how near its WHEN has come so far, and what stood in its way. */
  readonly nearest: Nearest | null;
}

export interface Kernel {
  readonly positions: readonly {
    readonly plan: string;
    readonly instrument: string;
    readonly qty: number;
    readonly basisE4: number;
  }[];
  readonly resting: readonly {
    readonly plan: string;
    readonly order: number;
    readonly side: 'buy' | 'sell';
    readonly qty: number;
    readonly instrument: string;
    /** null: at the market. */
    readonly limitE4: number | null;
  }[];
  readonly budgetLeftR: Readonly<Record<string, string>>;
  readonly sessionLeftR: string | null;
  readonly realizedR: string;
  readonly wakesLeft: Readonly<Record<string, number>>;
}

export interface Frame {
  readonly v: 'kestrel.frame/v1';
  readonly t: number;
  /** null on a blinded day. */
  readonly date: string | null;
  /** Exchange-local `HH:MM:SS`. */
  readonly clock: string;
  readonly phase: string;
  readonly minutesToClose: number;
  readonly why: Why;
  readonly wake: string | null;
  readonly symbols: readonly FrameSymbol[];
  readonly tape: readonly FrameTape[];
  readonly levels: readonly FrameLevel[];
  readonly chain: readonly FrameContract[];
  readonly plans: readonly FramePlan[];
  readonly news: readonly { readonly t: number; readonly text: string }[];
  readonly kernel: Kernel;
}

/** Newest headlines that a frame holds, and characters of each. */
export const NEWS_MAX = 20;
export const NEWS_CHARS_MAX = 500;
/** Plans that are over, in a frame. */
export const DONE_PLANS_MAX = 64;
const MINUTE_US = 60_000_000;
const HALF_HOUR_US = 30 * MINUTE_US;

/** What the frame's maker remembers between two frames of one session. */
export interface Sight {
  /** Rows below this have been looked at. */
  row: number;
  /** For each instrument, the time of its last event. */
  readonly asOf: (number | null)[];
}

export function newSight(tape: Tape): Sight {
  return { row: 0, asOf: tape.instruments.map(() => null) };
}

export function frameOf(
  engine: Engine,
  given: {
    readonly why: Why;
    readonly wake: string | null;
    readonly blinded: boolean;
    readonly t: number;
    readonly sight: Sight;
  },
): Frame {
  const { tape } = engine;
  const { t } = given;
  const { open, close } = tape.session;
  look(engine, given.sight);
  const day = dayOf(tape);
  const { h, m, s } = utcToLocal(tape.zone, t);
  return {
    v: 'kestrel.frame/v1',
    t,
    date: given.blinded ? null : tape.date,
    clock: [h, m, s].map((n) => String(n).padStart(2, '0')).join(':'),
    phase: phaseAt(t, open, close),
    minutesToClose: Math.max(0, Math.floor((close - t) / MINUTE_US)),
    why: given.why,
    wake: given.wake,
    symbols: symbolsOf(engine, given.sight),
    tape: tapesOf(engine, day, given),
    levels: levelsOf(engine, day, { now: t, asOf: given.sight.asOf }),
    chain: chainOf(engine, t),
    plans: plansShown(engine).map((p) => ({
      name: p.name,
      state: p.state,
      reason: p.reason ?? null,
      arming: p.arming,
      // Of a plan that is over the blotter tells how near it came; here it is for those who may still revise.
      nearest: p.state === 'armed' ? (nearestOf(p, engine) ?? null) : null,
    })),
    news: newsOf(tape, day, engine.row, t),
    kernel: kernelOf(engine),
  };
}

/** Back from the present row until each instrument's last event is found, or what is known already begins. */
function look(engine: Engine, sight: Sight): void {
  const { inst, t } = engine.tape.columns;
  const found = new Set<number>();
  for (let i = engine.row - 1; i >= sight.row && found.size < sight.asOf.length; i--) {
    const s = inst[i]!;
    if (s < 0 || found.has(s)) continue;
    found.add(s);
    sight.asOf[s] = t[i]!;
  }
  sight.row = engine.row;
}

function phaseAt(t: number, open: number, close: number): string {
  if (t < open + HALF_HOUR_US) return 'open';
  if (t >= close - HALF_HOUR_US) return 'close';
  return t < open + Math.floor((close - open) / 2) ? 'morning' : 'afternoon';
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function symbolsOf(engine: Engine, sight: Sight): FrameSymbol[] {
  const { tape, market } = engine;
  return tape.instruments.flatMap((x, s) => {
    if (x.kind === 'option') return [];
    const good = market.good(s);
    const last = known(market.spot[s]!);
    const prior = tape.reference[x.symbol]?.priorCloseE4;
    return [
      {
        symbol: x.symbol,
        kind: x.kind,
        lastE4: last,
        bidE4: good ? market.bid(s) : null,
        bidSize: good ? market.bidSize(s) : null,
        askE4: good ? market.ask(s) : null,
        askSize: good ? market.askSize(s) : null,
        changeBps: last === null || prior === undefined ? null : bpsOf(last, prior),
        asOf: sight.asOf[s] ?? null,
      },
    ];
  });
}

/** Whole basis points of `e4` against `anchor`, half up. */
export function bpsOf(e4: number, anchorE4: number): number {
  // Adding zero turns a negative zero into zero, which is what canonical JSON would write.
  return Math.round((e4 / anchorE4 - 1) * 10_000) + 0;
}

function tapesOf(engine: Engine, day: Day, given: { readonly why: Why; readonly t: number }): FrameTape[] {
  return day.symbols.map((symbol) => {
    const candles = candlesUntil(symbol, given.t, engine.row);
    const prior = engine.tape.reference[symbol.symbol]?.priorCloseE4;
    return {
      symbol: symbol.symbol,
      d: day.d,
      anchorE4: prior ?? candles[0]?.o ?? null,
      anchorT: prior === undefined ? (candles[0]?.t ?? null) : engine.tape.session.open,
      keyFrame: given.why === 'open',
      candles,
    };
  });
}

function newsOf(tape: Tape, day: Day, row: number, now: number): { t: number; text: string }[] {
  const { t, a, kind, texts } = tape.columns;
  const told = day.newsRows.filter((i) => i < row && t[i]! <= now && kind[i] === Kind.news);
  return told
    .slice(-NEWS_MAX)
    .map((i) => ({ t: t[i]!, text: (texts[a[i]!] ?? '').slice(0, NEWS_CHARS_MAX).toWellFormed() }));
}

/** The plan that bears each name now; of those that are over, the newest. */
function plansShown(engine: Engine): readonly Engine['plans'][number][] {
  const { plans } = engine;
  const newest = new Map(plans.map((p, i) => [p.name, i]));
  const current = plans.filter((p, i) => newest.get(p.name) === i);
  const over = current.filter((p) => p.state === 'done');
  const left = new Set(over.slice(0, Math.max(0, over.length - DONE_PLANS_MAX)));
  return left.size === 0 ? current : current.filter((p) => !left.has(p));
}

function kernelOf(engine: Engine): Kernel {
  const positions: Kernel['positions'][number][] = [];
  const resting: Kernel['resting'][number][] = [];
  const budgetLeftR: Record<string, string> = Object.create(null);
  let netE4 = 0;
  for (const p of engine.plans) {
    netE4 += p.realizedE4 - p.feesE4;
    for (const h of p.holdings) {
      if (h.qty === 0) continue;
      // A vertical sold for a credit counts below nothing.
      const qty = h.direction === 'long' ? h.qty : -h.qty;
      positions.push({ plan: p.name, instrument: h.instrument.name, qty, basisE4: Math.floor(h.basis()) });
    }
    for (const o of p.orders) {
      if (o.state !== 'in-flight' && o.state !== 'resting') continue;
      resting.push({
        plan: p.name,
        order: o.id,
        side: o.side,
        qty: o.qty - o.filled,
        instrument: o.holding.instrument.name,
        limitE4: o.role === 'market' ? null : o.limitE4,
      });
    }
    if (p.state !== 'done') budgetLeftR[p.name] = inR(Math.max(0, p.purse.limitE4 - p.purse.usedE4), engine.rE4);
  }
  const wakesLeft: Record<string, number> = Object.create(null);
  for (const wake of engine.wakes) if (wake.left !== null) wakesLeft[wake.name] = wake.left;
  const purse = engine.sessionPurse;
  return {
    positions,
    resting,
    budgetLeftR,
    sessionLeftR: Number.isFinite(purse.limitE4) ? inR(Math.max(0, purse.limitE4 - purse.usedE4), engine.rE4) : null,
    realizedR: inR(netE4, engine.rE4),
    wakesLeft,
  };
}

/** Whether the value looks like a frame, so that a rendering of it does not fail. */
export function isFrameShape(value: unknown): value is Frame {
  if (typeof value !== 'object' || value === null) return false;
  const frame = value as Record<string, unknown>;
  const lists = [frame.symbols, frame.tape, frame.levels, frame.chain, frame.plans, frame.news];
  const kernel = frame.kernel as Record<string, unknown> | null | undefined;
  return (
    frame.v === 'kestrel.frame/v1' &&
    Number.isSafeInteger(frame.t) &&
    typeof frame.clock === 'string' &&
    /^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/.test(frame.clock) &&
    lists.every((list) => Array.isArray(list)) &&
    typeof kernel === 'object' &&
    kernel !== null &&
    Array.isArray(kernel.positions) &&
    Array.isArray(kernel.resting)
  );
}
