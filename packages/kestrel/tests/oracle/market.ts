/** The market as the oracle sees it: plain event objects in arrays, and every series worked out again from all of them. */
import { sessionOf } from '../../src/market/calendar.ts';
import type { ContractTerms } from './contracts.ts';

/** A tape event as plain data; prices in E4, `t` in microseconds. */
export interface Event {
  readonly index: number;
  readonly t: number;
  readonly k: string;
  readonly s?: string;
  readonly b?: number;
  readonly bz?: number;
  readonly a?: number;
  readonly az?: number;
  readonly p?: number;
  readonly z?: number;
  readonly o?: number;
  readonly h?: number;
  readonly l?: number;
  readonly c?: number;
  /** Length of a bar in microseconds. */
  readonly d?: number;
  readonly on?: boolean;
  readonly suspect?: boolean;
  /** Expiry, right and strike (E4) of a contract, whose root is `s`. */
  readonly x?: string;
  readonly r?: string;
  readonly K?: number;
}

export interface Table {
  readonly p: readonly number[];
  readonly x: readonly number[];
}

export interface SymbolTerms {
  readonly symbol: string;
  readonly kind: 'equity' | 'index';
  readonly tickE4: number;
}

export interface Day {
  readonly date: string;
  readonly calendar: string;
  readonly open: number;
  readonly close: number;
  /** Shares and indices in the header's order. */
  readonly symbols: readonly SymbolTerms[];
  readonly contracts: readonly ContractTerms[];
  readonly priorCloseE4: ReadonlyMap<string, number>;
  readonly tables: ReadonlyMap<string, Table>;
  readonly events: readonly Event[];
}

export interface Quote {
  readonly index: number;
  readonly t: number;
  readonly bidE4: number;
  readonly bidSize: number;
  readonly askE4: number;
  readonly askSize: number;
}

/** A value that `spot` took: from a trade, a mid or a bar. */
interface Observation {
  readonly order: number;
  readonly t: number;
  readonly valueE4: number;
  readonly highE4: number;
  readonly lowE4: number;
  readonly kind: 'trade' | 'mid' | 'bar';
}

interface Candle {
  readonly bucket: number;
  readonly openE4: number;
  highE4: number;
  lowE4: number;
  closeE4: number;
}

const e4 = (units: unknown): number | undefined => (typeof units === 'number' ? Math.round(units * 1e4) : undefined);

const UNITS: Readonly<Record<string, number>> = { s: 1_000_000, m: 60_000_000, h: 3_600_000_000 };
export const MINUTE = 60_000_000;

function lengthUs(text: string): number {
  const found = /^([0-9]+)([smh])$/.exec(text);
  if (found === null) throw new Error(`bar length ${text}`);
  return Number(found[1]) * UNITS[found[2]!]!;
}

export function readDay(lines: readonly string[]): Day {
  const header = JSON.parse(lines[0]!);
  const symbols = header.instruments
    .filter((one: { kind: string }) => one.kind !== 'option')
    .map((one: { symbol: string; kind: 'equity' | 'index'; tick: number }) => ({
      symbol: one.symbol,
      kind: one.kind,
      tickE4: e4(one.tick)!,
    }));
  const priorCloseE4 = new Map<string, number>();
  const tables = new Map<string, Table>();
  for (const [symbol, entry] of Object.entries<Record<string, unknown>>(header.reference ?? {})) {
    const prior = e4(entry.priorClose);
    if (prior !== undefined) priorCloseE4.set(symbol, prior);
    for (const [name, table] of Object.entries((entry.distributions ?? {}) as Record<string, Table>)) {
      tables.set(`${symbol} ${name}`, table);
    }
  }
  const events = lines.slice(1).map((line, index): Event => {
    const raw = JSON.parse(line);
    const event: Record<string, unknown> = { ...raw, index };
    for (const name of ['b', 'a', 'p', 'o', 'h', 'l', 'c', 'K']) {
      if (raw[name] !== undefined) event[name] = e4(raw[name]);
    }
    if (raw.d !== undefined) event.d = lengthUs(raw.d);
    return event as unknown as Event;
  });
  return {
    date: header.date,
    calendar: header.calendar,
    ...((header.session ?? sessionOf(header.calendar, header.date)) as { open: number; close: number }),
    symbols,
    contracts: header.instruments.flatMap(contractsOf),
    priorCloseE4,
    tables,
    events,
  };
}

interface ChainHeader {
  readonly kind: string;
  readonly root: string;
  readonly expiry: string;
  readonly strikes: readonly number[];
  readonly multiplier: number;
  readonly settles: 'open' | 'close';
  readonly tick: number;
}

function contractsOf({ kind, root, expiry, strikes, multiplier, settles, tick }: ChainHeader): ContractTerms[] {
  if (kind !== 'option') return [];
  return strikes.flatMap((strike) =>
    (['C', 'P'] as const).map((right) => {
      return { root, expiry, right, strikeE4: e4(strike)!, multiplier, settles, tickE4: e4(tick)! };
    }),
  );
}

export const midOf = (quote: Quote | undefined): number | undefined =>
  quote === undefined ? undefined : Math.floor((quote.bidE4 + quote.askE4) / 2);

/** A quote with both sides, a size on each, and the bid below the ask; of any other nothing is known. */
export function goodQuote(event: Event): Quote | undefined {
  const { b, a, bz = 0, az = 0 } = event;
  const good = b !== undefined && a !== undefined && bz > 0 && az > 0 && b > 0 && b < a;
  return good ? { index: event.index, t: event.t, bidE4: b, bidSize: bz, askE4: a, askSize: az } : undefined;
}

/** Formats are slow to make, and there are two zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: string): Intl.DateTimeFormat {
  const found = formats.get(zone);
  if (found !== undefined) return found;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}

/** Microseconds of a wall clock on the tape's date, in the exchange's zone. */
export function clockTime(day: Day, clock: { readonly h: number; readonly m: number; readonly s?: number }): number {
  const zone = day.calendar === 'XNYS' ? 'America/New_York' : 'UTC';
  const [year, month, date] = day.date.split('-').map(Number) as [number, number, number];
  const asUtc = Date.UTC(year, month - 1, date, clock.h, clock.m, clock.s ?? 0);
  const format = formatIn(zone);
  const localOf = (utc: number): number => {
    const part = new Map(format.formatToParts(utc).map((p) => [p.type, Number(p.value)]));
    return Date.UTC(
      part.get('year')!,
      part.get('month')! - 1,
      part.get('day')!,
      part.get('hour')!,
      part.get('minute')!,
      part.get('second')!,
    );
  };
  let utc = asUtc - (localOf(asUtc) - asUtc);
  utc -= localOf(utc) - asUtc;
  return utc * 1000;
}

/** Phases as half-open spans of time; the last includes the close. */
export function phaseSpan(day: Day, phase: string): { readonly from: number; readonly to: number } {
  const half = Math.floor((day.open + day.close) / 2);
  switch (phase) {
    case 'open':
      return { from: day.open, to: day.open + 30 * MINUTE };
    case 'morning':
      return { from: day.open + 30 * MINUTE, to: half };
    case 'afternoon':
      return { from: half, to: day.close - 30 * MINUTE };
    default:
      return { from: day.close - 30 * MINUTE, to: day.close + 1 };
  }
}

/** One symbol's state and its whole past. */
export class SymbolState {
  readonly symbol: string;
  readonly kind: 'equity' | 'index';
  readonly tickE4: number;
  private readonly day: Day;
  halted = false;
  quote: Quote | undefined;
  askLeft = 0;
  bidLeft = 0;
  lastGood: Quote | undefined;
  hasQuotes = false;
  trades: Event[] = [];
  bars: Event[] = [];
  private observations: Observation[] = [];
  private order = 0;
  /** Order and time of the event at which the series were last computed; undefined before the first of the session. */
  private current: { readonly order: number; readonly t: number } | undefined;
  officialCloseE4: number | undefined;

  constructor(day: Day, of: SymbolTerms) {
    this.day = day;
    this.symbol = of.symbol;
    this.kind = of.kind;
    this.tickE4 = of.tickE4;
  }

  /** Whether bars fill for it: nothing better was seen so far. */
  get barsFill(): boolean {
    return !this.hasQuotes && this.trades.length === 0;
  }

  /** The first session trade; a bar before any trade began with one. */
  get openE4(): number | undefined {
    return this.bars[0]?.o ?? this.trades[0]?.p;
  }

  /** The last session trade; as long as there is none, the close of the last bar, which was one. */
  get lastE4(): number | undefined {
    return this.trades.at(-1)?.p ?? this.bars.at(-1)?.c;
  }

  /** Takes a quote, whether the session is open or not. */
  takeQuote(event: Event): void {
    this.hasQuotes = true;
    this.quote = goodQuote(event);
    this.bidLeft = this.quote?.bidSize ?? 0;
    this.askLeft = this.quote?.askSize ?? 0;
    if (this.quote !== undefined) this.lastGood = this.quote;
  }

  setHalt(on: boolean): void {
    this.halted = on;
    // The book of before the halt is nobody's any more.
    this.quote = undefined;
    this.bidLeft = 0;
    this.askLeft = 0;
  }

  /** Takes a session event of a symbol that is not halted. */
  takeEvent(event: Event): void {
    this.order += 1;
    this.current = { order: this.order, t: event.t };
    const at = { order: this.order, t: event.t };
    switch (event.k) {
      case 'quote':
        this.takeQuote(event);
        if (this.quote !== undefined && this.trades.length === 0) {
          const mid = Math.floor((this.quote.bidE4 + this.quote.askE4) / 2);
          this.observations.push({ ...at, valueE4: mid, highE4: mid, lowE4: mid, kind: 'mid' });
        }
        return;
      case 'trade':
        if (event.suspect === true) return;
        this.trades.push(event);
        this.observations.push({ ...at, valueE4: event.p!, highE4: event.p!, lowE4: event.p!, kind: 'trade' });
        return;
      case 'bar':
        if (this.trades.length > 0) return;
        this.bars.push(event);
        this.observations.push({ ...at, valueE4: event.c!, highE4: event.h!, lowE4: event.l!, kind: 'bar' });
        return;
      default:
        return;
    }
  }

  spot(): number | undefined {
    if (this.current === undefined || this.halted) return undefined;
    const last = this.observations.at(-1);
    if (last !== undefined) return last.valueE4;
    return this.lastGood === undefined ? undefined : Math.floor((this.lastGood.bidE4 + this.lastGood.askE4) / 2);
  }

  /** @returns the value in the series' own unit (prices in E4), undefined for UNKNOWN */
  series(name: string, args: readonly number[]): number | undefined {
    if (this.current === undefined || this.halted) return undefined;
    const now = this.current.t;
    const [first = 0, second = 0] = args;
    switch (name) {
      case 'spot':
        return this.spot();
      case 'last':
        return this.lastE4;
      case 'bid':
        return this.quote?.bidE4;
      case 'ask':
        return this.quote?.askE4;
      case 'mid':
        return this.quote === undefined ? undefined : Math.floor((this.quote.bidE4 + this.quote.askE4) / 2);
      case 'spread':
        return this.quote === undefined ? undefined : this.quote.askE4 - this.quote.bidE4;
      case 'open':
        return this.openE4;
      case 'prior.close':
        return this.day.priorCloseE4.get(this.symbol);
      case 'gap': {
        const prior = this.day.priorCloseE4.get(this.symbol);
        const opened = this.openE4;
        return prior === undefined || opened === undefined ? undefined : (opened / prior - 1) * 1e4;
      }
      case 'HOD':
        return most(this.observations.filter((o) => o.order < this.current!.order).map((o) => o.highE4));
      case 'LOD':
        return least(this.observations.filter((o) => o.order < this.current!.order).map((o) => o.lowE4));
      case 'ORH':
      case 'ORL': {
        const end = this.day.open + first;
        if (now < end) return undefined;
        // A bar stamped at the range's end lies wholly inside it; a print at that instant is already outside.
        const inside = this.observations.filter((o) => (o.kind === 'bar' ? o.t <= end : o.t < end));
        return name === 'ORH' ? most(inside.map((o) => o.highE4)) : least(inside.map((o) => o.lowE4));
      }
      case 'VWAP': {
        let sum = 0;
        let size = 0;
        for (const bar of this.bars) {
          sum += ((bar.h! + bar.l! + bar.c!) / 3) * bar.z!;
          size += bar.z!;
        }
        for (const trade of this.trades) {
          sum += trade.p! * trade.z!;
          size += trade.z!;
        }
        return size === 0 ? undefined : sum / size;
      }
      case 'volume': {
        const all = [...this.bars, ...this.trades];
        return all.reduce((sum, one) => sum + one.z!, 0);
      }
      case 'velocity': {
        if (now < this.day.open + first) return undefined;
        const base = this.observations.filter((o) => o.t <= now - first).at(-1);
        const spot = this.spot();
        return base === undefined || spot === undefined ? undefined : (spot / base.valueE4 - 1) * 1e4;
      }
      case 'range': {
        if (now < this.day.open + first) return undefined;
        const seen = this.observations.filter((o) => o.t > now - first && o.t <= now).map((o) => o.valueE4);
        const [high, low] = [most(seen), least(seen)];
        return high === undefined || low === undefined ? undefined : ((high - low) / low) * 1e4;
      }
      case 'ema':
        return ema(this.candles(second, now), first);
      case 'sma':
        return sma(this.candles(second, now), first);
      case 'rsi':
        return rsi(this.candles(second, now), first);
      case 'atr':
        return atr(this.candles(second, now), first);
      case 'rv': {
        const returns = this.minuteReturns(first, now);
        if (returns === undefined || returns.length === 0) return undefined;
        const sum = returns.reduce((total, r) => total + r * r, 0);
        return Math.sqrt((sum / returns.length) * 252 * 390) * 100;
      }
      default:
        throw new Error(`the oracle does not know the series ${name}`);
    }
  }

  /** Completed candles of a length, from the session's trades (or bars where there are none); empty ones do not exist. */
  private candles(lengthUs: number, now: number): Candle[] {
    const made: Candle[] = [];
    const rows = [
      ...this.bars.map((bar) => ({ t: bar.t - 1, open: bar.o!, high: bar.h!, low: bar.l!, close: bar.c! })),
      ...this.trades.map((trade) => ({ t: trade.t, open: trade.p!, high: trade.p!, low: trade.p!, close: trade.p! })),
    ];
    const complete = Math.floor((now - this.day.open) / lengthUs);
    for (const row of rows) {
      const bucket = Math.floor((row.t - this.day.open) / lengthUs);
      if (bucket >= complete) continue;
      const last = made.at(-1);
      if (last !== undefined && last.bucket === bucket) {
        last.highE4 = Math.max(last.highE4, row.high);
        last.lowE4 = Math.min(last.lowE4, row.low);
        last.closeE4 = row.close;
      } else {
        made.push({ bucket, openE4: row.open, highE4: row.high, lowE4: row.low, closeE4: row.close });
      }
    }
    return made;
  }

  /**
   * Changes of the last completed minutes, each from the close before it, quiet ones carried on; the first that traded
   * changes from its own first print. Undefined before there are enough minutes.
   */
  private minuteReturns(windowUs: number, now: number): number[] | undefined {
    const complete = Math.floor((now - this.day.open) / MINUTE);
    const wanted = windowUs / MINUTE;
    if (complete < wanted) return undefined;
    const candles = this.candles(MINUTE, now);
    const changes: number[] = [];
    for (let minute = complete - wanted; minute < complete; minute++) {
      const candle = candles.find((one) => one.bucket === minute);
      const before = candles.filter((one) => one.bucket < minute).at(-1)?.closeE4 ?? candle?.openE4;
      if (before !== undefined) changes.push((candle?.closeE4 ?? before) / before - 1);
    }
    return changes;
  }

  /** `regime-v1`; a part that is not known is undefined. */
  regime(): { readonly intraday: string | undefined; readonly vol: string | undefined } {
    if (this.current === undefined || this.halted) return { intraday: undefined, vol: undefined };
    const returns = this.minuteReturns(30 * MINUTE, this.current.t);
    if (returns === undefined || returns.length === 0) return { intraday: undefined, vol: undefined };
    const net = Math.abs(returns.reduce((sum, r) => sum + r, 0));
    const path = returns.reduce((sum, r) => sum + Math.abs(r), 0);
    const ratio = path === 0 ? 0 : net / path;
    const intraday = ratio >= 0.45 ? 'trend' : ratio <= 0.2 ? 'range' : 'mixed';
    const table = this.day.tables.get(`${this.symbol} rv(30m)`);
    const rv = this.series('rv', [30 * MINUTE]);
    const first = table === undefined ? undefined : interpolate(table, 25);
    const third = table === undefined ? undefined : interpolate(table, 75);
    if (rv === undefined || first === undefined || third === undefined) return { intraday, vol: undefined };
    return { intraday, vol: rv < first ? 'calm' : rv > third ? 'stress' : 'normal' };
  }

  /** What one share is worth at the close, and by what; undefined where the tape never said. */
  closing(): { readonly priceE4: number; readonly from: 'close' | 'last' | 'mid' } | undefined {
    if (this.officialCloseE4 !== undefined) return { priceE4: this.officialCloseE4, from: 'close' };
    if (this.lastE4 !== undefined) return { priceE4: this.lastE4, from: 'last' };
    const mid = midOf(this.lastGood);
    return mid === undefined ? undefined : { priceE4: mid, from: 'mid' };
  }
}

const most = (values: readonly number[]): number | undefined => (values.length === 0 ? undefined : Math.max(...values));
const least = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.min(...values);

/** Linear between the table's rows; undefined outside them. */
export function interpolate(table: Table, percent: number): number | undefined {
  for (let i = 0; i < table.p.length; i++) {
    if (table.p[i] === percent) return table.x[i];
    const [lo, hi] = [table.p[i]!, table.p[i + 1]];
    if (hi !== undefined && lo < percent && percent < hi) {
      return table.x[i]! + ((table.x[i + 1]! - table.x[i]!) * (percent - lo)) / (hi - lo);
    }
  }
  return undefined;
}

function ema(candles: readonly Candle[], n: number): number | undefined {
  if (candles.length < n) return undefined;
  let value = candles[0]!.closeE4;
  for (const candle of candles.slice(1)) value += (candle.closeE4 - value) * (2 / (n + 1));
  return value;
}

function sma(candles: readonly Candle[], n: number): number | undefined {
  if (candles.length < n) return undefined;
  return candles.slice(-n).reduce((sum, candle) => sum + candle.closeE4, 0) / n;
}

function wilder(values: readonly number[], n: number): number | undefined {
  if (values.length < n) return undefined;
  let mean = values.slice(0, n).reduce((sum, value) => sum + value, 0) / n;
  for (const value of values.slice(n)) mean = (mean * (n - 1) + value) / n;
  return mean;
}

function rsi(candles: readonly Candle[], n: number): number | undefined {
  const moves = candles.slice(1).map((candle, i) => candle.closeE4 - candles[i]!.closeE4);
  const up = wilder(
    moves.map((move) => Math.max(move, 0)),
    n,
  );
  const down = wilder(
    moves.map((move) => Math.max(-move, 0)),
    n,
  );
  if (up === undefined || down === undefined) return undefined;
  if (down === 0) return up === 0 ? 50 : 100;
  return 100 - 100 / (1 + up / down);
}

function atr(candles: readonly Candle[], n: number): number | undefined {
  const ranges = candles.map((candle, i) => {
    const before = candles[i - 1]?.closeE4;
    if (before === undefined) return candle.highE4 - candle.lowE4;
    return Math.max(candle.highE4, before) - Math.min(candle.lowE4, before);
  });
  return wilder(ranges, n);
}
