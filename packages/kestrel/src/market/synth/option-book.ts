/**
 * The quotes and prints of a synthetic chain, laid between the rows of its share: contracts near the money are renewed by
 * the clock, others as the share moves, all of them at the open and at the close.
 */
import exp from '@stdlib/math-base-special-exp';
import { ColumnsBuilder } from '../build.ts';
import type { Session } from '../calendar.ts';
import { strikeRowFrom } from '../chain.ts';
import { ABSENT, type Columns, Flag, Kind } from '../columns.ts';
import type { MadeChain } from './chain.ts';
import type { Dice, Quantiles } from './dice.ts';
import { type OptionValue, optionValue } from './option-value.ts';
import type { Profile } from './profile.ts';

const US_PER_MS = 1_000;
const US_PER_MINUTE = 60_000_000;

/** Option prices step by a cent below 3.00, by five from there on. */
const PIVOT_E4 = 30_000;
const [LOW_TICK_E4, HIGH_TICK_E4] = [100, 500] as const;

/** Contracts renewed by the clock: so many strikes around the money, each at least once in so long. */
const CORE_STRIKES = 9;
const CORE_SECONDS = 40;
/** The clock takes at most this share of the quotes. */
const CORE_SHARE = 0.6;
/** Share of the other quotes that renew the whole chain, contract by contract. */
const SWEEP_SHARE = 0.15;
/** A quote follows the share's row that caused it by 1 to 20 ms. */
const LAG_MS = 20;

/** What is paid for volatility over what the share shows, and how it wanders from minute to minute. */
const PREMIUM = 1.3;
const WANDER = { memory: 0.97, spread: 0.06 } as const;
/** Share by which volatility grows as the price falls by all of it; at most so much more, half as much less. */
const LEVERAGE = 6;
const LEVERAGE_MAX = 0.8;

/** Width of a quote: a multiple, drawn anew each time, of a step and of a share of the worth. */
const WIDTH: Quantiles = { p: [0, 0.35, 0.7, 0.9, 0.98, 1], x: [0.6, 0.9, 1.3, 2, 3.5, 6] };
const WIDTH_STEP_E4 = 80;
const WIDTH_SHARE = 0.012;
/** The ask stands farther from the worth than the bid: this share of the width at the money, and out in the wings. */
const ASK_SHARE = { middle: 0.5, wing: 0.65 } as const;
/** Beyond so many deviations a side is left out now and then: a bid out of the money, an ask in it. */
const WING_DEVIATIONS = 3;
const [BID_LEFT_OUT, ASK_LEFT_OUT] = [0.3, 0.08] as const;

const SHOWN: Quantiles = { p: [0, 0.2, 0.5, 0.8, 0.95, 1], x: [1, 8, 30, 120, 400, 2_000] };
const PRINTED: Quantiles = { p: [0, 0.45, 0.75, 0.92, 0.99, 1], x: [1, 1.9, 5, 12, 60, 400] };
/** Chance that a print follows a two-sided quote, at the money; it falls off with the distance. */
const PRINT_CHANCE = 0.06;
/** Shares of prints at the ask, at the bid; the rest is between them where there is room. */
const [AT_ASK, AT_BID] = [0.38, 0.76] as const;

export interface OptionDay {
  readonly chain: MadeChain;
  readonly profile: Profile;
  readonly session: Session;
  readonly dice: Dice;
}

/** @returns the share's rows and the chain's, in the order of time, the share's first at equal times */
export function withOptions(share: Columns, day: OptionDay): Columns {
  const contracts = day.chain.expiries.length * day.chain.strikesE4.length * 2;
  const room = share.length + Math.ceil(day.chain.quotes * (1 + PRINT_CHANCE));
  const rows = new ColumnsBuilder({ capacity: room, instruments: contracts + 1 });
  const book = new OptionBook(rows, day);
  const calls = callsOf(share, { day, contracts });
  let next = 0;
  for (let i = 0; i < share.length; i++) {
    const t = share.t[i]!;
    while (next < calls.due.length && calls.due[next]! < t) next = answer(book, calls, next);
    if (share.kind[i] === Kind.news) rows.text({ t, kind: Kind.news }, share.texts[share.a[i]!]!);
    else rows.append(t, share.kind[i]!, 0, share.flags[i]!, share.a[i]!, share.b[i]!, share.c[i]!, share.d[i]!);
    if (share.kind[i] === Kind.quote) book.spotE4 = (share.a[i]! + share.c[i]!) / 2;
  }
  while (next < calls.due.length) next = answer(book, calls, next);
  return rows.columns();
}

function answer(book: OptionBook, { due, sort }: Calls, i: number): number {
  const t = due[i]!;
  switch (sort[i]) {
    case Sort.sweep:
      book.sweep(t);
      break;
    case Sort.core:
      book.core(t);
      break;
    default:
      book.any(t);
  }
  return i + 1;
}

/** When a quote is due, and which kind of contract it is to be of. */
interface Calls {
  readonly due: Float64Array;
  readonly sort: Uint8Array;
}

const Sort = { sweep: 0, core: 1, any: 2 } as const;

/** Every contract at the open and at the close, the core by the clock, and the rest after rows of the share. */
function callsOf(share: Columns, what: { readonly day: OptionDay; readonly contracts: number }): Calls {
  const { day, contracts } = what;
  const { session, chain, dice } = day;
  const { open, close } = session;
  const halts = haltsOf(share);
  const free = chain.quotes - 2 * contracts;
  const coreSize = chain.expiries.length * Math.min(CORE_STRIKES, chain.strikesE4.length) * 2;
  const wished = (((close - open) / 1_000_000) * coreSize) / CORE_SECONDS;
  const core = Math.min(Math.floor(free * CORE_SHARE), Math.ceil(wished));
  const rest = free - core;
  const sessionRows: number[] = [];
  for (let i = 0; i < share.length; i++) {
    const t = share.t[i]!;
    if (t > open && t <= close && share.kind[i] !== Kind.halt && !within(halts, t)) sessionRows.push(t);
  }
  const n = chain.quotes;
  // Kind is carried in the last digit, so that one sort of numbers puts all in order.
  const keys = new Float64Array(n);
  let at = 0;
  const put = (t: number, sort: number): void => {
    keys[at++] = Math.min(Math.max(t, open), close) * 4 + sort;
  };
  for (let i = 0; i < contracts; i++) put(open + US_PER_MS * (1 + Math.floor((i * 2_000) / contracts)), Sort.sweep);
  const gap = (close - open) / (core + 1);
  for (let i = 1; i <= core; i++) put(outside(halts, Math.floor(open + i * gap)), Sort.core);
  for (let i = 0, given = 0; i < sessionRows.length; i++) {
    const until = Math.floor(((i + 1) * rest) / sessionRows.length);
    for (; given < until; given++)
      put(outside(halts, sessionRows[i]! + (1 + dice.below(LAG_MS)) * US_PER_MS), Sort.any);
  }
  while (at < n) put(close, Sort.sweep);
  keys.sort();
  const due = new Float64Array(n);
  const sort = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    due[i] = Math.floor(keys[i]! / 4);
    sort[i] = keys[i]! - due[i]! * 4;
  }
  return { due, sort };
}

interface Halt {
  readonly from: number;
  to: number;
}

function haltsOf({ length, kind, flags, t }: Columns): Halt[] {
  const halts: Halt[] = [];
  for (let i = 0; i < length; i++) {
    if (kind[i] !== Kind.halt) continue;
    if ((flags[i]! & Flag.on) !== 0) halts.push({ from: t[i]!, to: Number.POSITIVE_INFINITY });
    else if (halts.length > 0) halts[halts.length - 1]!.to = t[i]!;
  }
  return halts;
}

const within = (halts: readonly Halt[], t: number): boolean => halts.some(({ from, to }) => t >= from && t < to);

/** What would fall into a halt comes as it ends: the first quotes after it are many. */
function outside(halts: readonly Halt[], t: number): number {
  for (const { from, to } of halts) if (t >= from && t < to) return to + US_PER_MS;
  return t;
}

class OptionBook {
  /** The middle of the share's quote. */
  spotE4 = Number.NaN;
  readonly #rows: ColumnsBuilder;
  readonly #dice: Dice;
  readonly #chain: MadeChain;
  readonly #session: Session;
  readonly #value: OptionValue = { outE4: 0, deviations: 0 };
  /** Deviation of the logarithm over one session, before it wanders. */
  readonly #sigma: number;
  #firstE4 = Number.NaN;
  #wander = 0;
  #level = 1;
  #minute = 0;
  #sweepAt = 0;
  #coreAt = 0;

  constructor(rows: ColumnsBuilder, { chain, profile, session, dice }: OptionDay) {
    this.#rows = rows;
    this.#dice = dice;
    this.#chain = chain;
    this.#session = session;
    this.#sigma = (PREMIUM * profile.sigmaBps * Math.sqrt(390)) / 10_000;
  }

  /** The next contract of the whole chain, over and over. */
  sweep(t: number): void {
    const { strikesE4, expiries } = this.#chain;
    const i = this.#sweepAt++ % (expiries.length * strikesE4.length * 2);
    const pair = i >> 1;
    this.#quote(t, Math.floor(pair / strikesE4.length), pair % strikesE4.length, i & 1);
  }

  /** The next contract near the money, over and over. */
  core(t: number): void {
    const { strikesE4, expiries } = this.#chain;
    const strikes = Math.min(CORE_STRIKES, strikesE4.length);
    const i = this.#coreAt++ % (expiries.length * strikes * 2);
    const pair = i >> 1;
    const middle = strikeRowFrom(strikesE4, this.spotE4);
    const first = Math.max(0, Math.min(strikesE4.length - strikes, middle - (strikes >> 1)));
    this.#quote(t, pair % expiries.length, first + Math.floor(pair / expiries.length), i & 1);
  }

  /** Any contract, most often one near the money that is out of it, and of an early expiry. */
  any(t: number): void {
    const dice = this.#dice;
    if (dice.chance(SWEEP_SHARE)) {
      this.sweep(t);
      return;
    }
    const { strikesE4, expiries } = this.#chain;
    const u = dice.unit();
    const away = Math.floor(u * u * strikesE4.length * 0.5);
    const middle = strikeRowFrom(strikesE4, this.spotE4);
    const row = Math.max(0, Math.min(strikesE4.length - 1, dice.sign() === 1 ? middle + away : middle - 1 - away));
    const e = dice.unit();
    const out = strikesE4[row]! >= this.spotE4 ? 0 : 1;
    this.#quote(t, Math.floor(e * e * expiries.length), row, dice.chance(0.65) ? out : 1 - out);
  }

  /** @param right 0 for a call, 1 for a put */
  #quote(t: number, expiry: number, row: number, right: number): void {
    const dice = this.#dice;
    const strikeE4 = this.#chain.strikesE4[row]!;
    const value = this.#value;
    optionValue({ forwardE4: this.spotE4, strikeE4, deviation: this.#deviation(t, expiry) }, value);
    const inTheMoneyE4 = right === 0 ? this.spotE4 - strikeE4 : strikeE4 - this.spotE4;
    const worthE4 = value.outE4 + Math.max(0, inTheMoneyE4);
    const far = Math.min(1, Math.abs(value.deviations) / WING_DEVIATIONS);
    const width = dice.draw(WIDTH) * (WIDTH_STEP_E4 + WIDTH_SHARE * worthE4);
    const above = width * (ASK_SHARE.middle + (ASK_SHARE.wing - ASK_SHARE.middle) * far);
    let bidE4 = floorTick(worthE4 - (width - above));
    let askE4 = Math.max(LOW_TICK_E4, ceilTick(worthE4 + above));
    if (askE4 <= bidE4) askE4 = ceilTick(bidE4 + 1);
    const isFar = Math.abs(value.deviations) > WING_DEVIATIONS;
    if (bidE4 <= 0 || (isFar && inTheMoneyE4 < 0 && dice.chance(BID_LEFT_OUT))) bidE4 = ABSENT;
    else if (isFar && inTheMoneyE4 > 0 && dice.chance(ASK_LEFT_OUT)) askE4 = ABSENT;
    const bidSize = bidE4 === ABSENT ? ABSENT : Math.floor(dice.draw(SHOWN));
    const askSize = askE4 === ABSENT ? ABSENT : Math.floor(dice.draw(SHOWN));
    const inst = 1 + (expiry * this.#chain.strikesE4.length + row) * 2 + right;
    this.#rows.append(t, Kind.oquote, inst, 0, bidE4, bidSize, askE4, askSize);
    if (bidE4 === ABSENT || askE4 === ABSENT || !dice.chance(PRINT_CHANCE * (1 - far))) return;
    const u = dice.unit();
    const room = (askE4 - bidE4) / tickAt(bidE4) - 1;
    const between = u >= AT_BID && room >= 1;
    const atAsk = between ? false : u < AT_ASK || (u >= AT_BID && dice.sign() === 1);
    const priceE4 = between
      ? floorTick(bidE4 + (1 + dice.below(Math.floor(room))) * tickAt(bidE4))
      : atAsk
        ? askE4
        : bidE4;
    const size = Math.min(Math.floor(dice.draw(PRINTED)), atAsk ? askSize : bidSize);
    this.#rows.append(t, Kind.otrade, inst, 0, priceE4, size, 0, 0);
  }

  /** Of the logarithm of the price, from now to the close of the expiry's day. */
  #deviation(t: number, expiry: number): number {
    const { open, close } = this.#session;
    const left = (close - t) / (close - open) + this.#chain.expiries[expiry]!.sessions;
    if (left <= 0) return 0;
    if (Number.isNaN(this.#firstE4)) this.#firstE4 = this.spotE4;
    const minute = Math.floor((t - open) / US_PER_MINUTE);
    if (minute > this.#minute) this.#wanderTo(minute);
    const fallen = LEVERAGE * (1 - this.spotE4 / this.#firstE4);
    const level = this.#level * (1 + Math.max(-LEVERAGE_MAX / 2, Math.min(LEVERAGE_MAX, fallen)));
    return this.#sigma * level * Math.sqrt(left);
  }

  #wanderTo(minute: number): void {
    const fresh = Math.sqrt(1 - WANDER.memory * WANDER.memory);
    for (; this.#minute < minute; this.#minute++) {
      this.#wander = WANDER.memory * this.#wander + fresh * WANDER.spread * this.#dice.normal();
    }
    this.#level = exp(this.#wander);
  }
}

function tickAt(priceE4: number): number {
  return priceE4 < PIVOT_E4 ? LOW_TICK_E4 : HIGH_TICK_E4;
}

function floorTick(priceE4: number): number {
  const tick = tickAt(priceE4);
  return Math.floor(priceE4 / tick) * tick;
}

function ceilTick(priceE4: number): number {
  const tick = tickAt(priceE4);
  return Math.ceil(priceE4 / tick) * tick;
}
