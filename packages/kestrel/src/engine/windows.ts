/**
 * What a symbol's series remember of its session: changes of spot, sliding windows, opening ranges, completed bars.
 * Only what some trigger reads is kept; all of it is computed at the symbol's own events and stands until the next.
 */
import type { Columns, Distribution } from '../market/columns.ts';
import { Flag, Kind } from '../market/columns.ts';
import { Log } from './log.ts';

/** Which inputs of series moved at an event. */
export const Moved = {
  spot: 1,
  book: 2,
  extremes: 4,
  volume: 8,
  window: 16,
  bars: 32,
  /** The symbol's series became known or UNKNOWN as a whole. */
  known: 64,
  /** A halt began or ended: windows do not move by it. */
  halt: 128,
  /** Any event of the symbol: what is read from its options may have moved without it. */
  event: 256,
} as const;

const MINUTE = 60_000_000;
/** Trading minutes a year for annualised volatility: 252 sessions of 390 minutes. */
const MINUTES_A_YEAR = 252 * 390;

/**
 * One sliding figure. It stays inside the interval its reader cares for as long as spot stays in (`spotFrom`, `spotTo`)
 * and `next` has not come; then it is read again.
 */
interface Window {
  next: number;
  spotFrom: number;
  spotTo: number;
  readonly moves: number;
  /** As of the symbol's last event. */
  readonly value: number;
  /** Whether the next print matters even where it leaves spot as it is. */
  readonly wantsPrint: boolean;
  observe(t: number, spot: number): void;
  print(t: number, size: number): void;
  /** Says anew for which spots, and until when, the figure stays in the open interval (from, to). */
  quiet(from: number, to: number): void;
}

/** The symbol's clock: what is taken in so far, and the instant of its last event. */
interface Clock {
  settle(): number;
}

/** Bounds of spot are drawn in by this much, E4: far more than doubles miss at any price, far less than a price moves. */
const ROUNDING_E4 = 0.25;
/** Changes of spot that a velocity looks ahead over. */
const AHEAD_MAX = 64;

class Velocity implements Window {
  next = Number.NEGATIVE_INFINITY;
  spotFrom = Number.POSITIVE_INFINITY;
  spotTo = Number.NEGATIVE_INFINITY;
  readonly wantsPrint = false;
  readonly moves = Moved.window;
  readonly #changes = new Log();
  readonly #clock: Clock;
  readonly #d: number;
  readonly #known: number;
  #base = -1;

  constructor(d: number, open: number, clock: Clock) {
    this.#d = d;
    this.#known = open + d;
    this.#clock = clock;
  }
  observe(t: number, spot: number): void {
    const log = this.#changes;
    if (log.n === 0 || log.v[log.n - 1] !== spot) log.push(t, spot);
  }
  print(): void {}
  get value(): number {
    const t = this.#clock.settle();
    if (t < this.#known) return Number.NaN;
    const log = this.#changes;
    const base = this.#baseAt(t);
    return base > 0 ? (log.v[log.n - 1]! / base - 1) * 1e4 : Number.NaN;
  }
  /** The spot d before t; NaN where there was none. */
  #baseAt(t: number): number {
    const log = this.#changes;
    const edge = t - this.#d;
    while (this.#base + 1 < log.n && log.t[this.#base + 1]! <= edge) this.#base++;
    return this.#base >= 0 ? log.v[this.#base]! : Number.NaN;
  }
  /** Looks ahead over the bases to come, as long as they leave spot at least half of the room it has now. */
  quiet(from: number, to: number): void {
    const t = this.#clock.settle();
    this.spotFrom = Number.NEGATIVE_INFINITY;
    this.spotTo = Number.POSITIVE_INFINITY;
    this.next = this.#known;
    if (t < this.#known) return;
    const log = this.#changes;
    const base = this.#baseAt(t);
    let k = this.#base + 1;
    if (base > 0) {
      this.spotFrom = least(from, base, base);
      this.spotTo = most(to, base, base);
      const spot = log.v[log.n - 1]!;
      const nearFrom = (this.spotFrom + spot) / 2;
      const nearTo = (this.spotTo + spot) / 2;
      const end = from < to ? Math.min(log.n, k + AHEAD_MAX) : k;
      let low = base;
      let high = base;
      for (; k < end; k++) {
        low = Math.min(low, log.v[k]!);
        high = Math.max(high, log.v[k]!);
        if (!(low > 0)) break;
        const spotFrom = least(from, low, high);
        const spotTo = most(to, low, high);
        if (spotFrom > nearFrom || spotTo < nearTo) break;
        this.spotFrom = spotFrom;
        this.spotTo = spotTo;
      }
    }
    // What is not observed yet is a base no sooner than d from now.
    this.next = (k < log.n ? log.t[k]! : t) + this.#d;
  }
}

/** Spots above it are more than `bps` away from every base in [low, high]. */
function least(bps: number, low: number, high: number): number {
  const factor = 1 + bps / 1e4;
  return factor * (factor > 0 ? high : low) + ROUNDING_E4;
}

/** Spots below it are less than `bps` away from every base in [low, high]. */
function most(bps: number, low: number, high: number): number {
  const factor = 1 + bps / 1e4;
  return factor * (factor > 0 ? low : high) - ROUNDING_E4;
}

/** Highest and lowest spot in (t - d, t], each as a queue whose values only fall (or rise) towards its end. */
class Range implements Window {
  next = Number.NEGATIVE_INFINITY;
  spotFrom = Number.POSITIVE_INFINITY;
  spotTo = Number.NEGATIVE_INFINITY;
  readonly moves = Moved.window;
  readonly #clock: Clock;
  readonly #d: number;
  readonly #known: number;
  readonly #high = new Log();
  readonly #low = new Log();
  #highAt = 0;
  #lowAt = 0;

  constructor(d: number, open: number, clock: Clock) {
    this.#d = d;
    this.#known = open + d;
    this.#clock = clock;
  }
  /** An empty window is filled by any print. */
  get wantsPrint(): boolean {
    return this.#highAt >= this.#high.n;
  }
  observe(t: number, spot: number): void {
    // What was empty has a figure again.
    if (this.wantsPrint) this.next = Number.NEGATIVE_INFINITY;
    const high = this.#high;
    while (high.n > this.#highAt && high.v[high.n - 1]! <= spot) high.n--;
    high.push(t, spot);
    const low = this.#low;
    while (low.n > this.#lowAt && low.v[low.n - 1]! >= spot) low.n--;
    low.push(t, spot);
  }
  print(): void {}
  get value(): number {
    const t = this.#clock.settle();
    this.#leave(t);
    if (t < this.#known || this.wantsPrint) return Number.NaN;
    const max = this.#high.v[this.#highAt]!;
    const min = this.#low.v[this.#lowAt]!;
    return min > 0 ? ((max - min) / min) * 1e4 : Number.NaN;
  }
  #leave(t: number): void {
    const edge = t - this.#d;
    const high = this.#high;
    const low = this.#low;
    while (this.#highAt < high.n && high.t[this.#highAt]! <= edge) this.#highAt++;
    while (this.#lowAt < low.n && low.t[this.#lowAt]! <= edge) this.#lowAt++;
  }
  /** Within its extremes spot changes nothing; beyond them the figure grows, up to `to`. */
  quiet(from: number, to: number): void {
    const t = this.#clock.settle();
    this.#leave(t);
    this.spotFrom = Number.NEGATIVE_INFINITY;
    this.spotTo = Number.POSITIVE_INFINITY;
    this.next = this.#known;
    if (t < this.#known) return;
    this.next = Number.POSITIVE_INFINITY;
    if (this.wantsPrint) return;
    // A later extreme takes the place of one that stands, so that none leaves sooner than those of now.
    this.next = Math.min(this.#high.t[this.#highAt]!, this.#low.t[this.#lowAt]!) + this.#d;
    const max = this.#high.v[this.#highAt]!;
    const min = this.#low.v[this.#lowAt]!;
    if (!(min > 0)) return;
    if (!(from < to)) {
      this.spotFrom = Number.POSITIVE_INFINITY;
      this.spotTo = Number.NEGATIVE_INFINITY;
      return;
    }
    // Spot may go to both ends before anything is looked at again, so the room to grow is shared between them.
    const share = Math.sqrt(((1 + to / 1e4) * min) / max);
    this.spotFrom = Math.min(min - ROUNDING_E4, min / share + ROUNDING_E4);
    this.spotTo = Math.max(max + ROUNDING_E4, max * share - ROUNDING_E4);
  }
}

class OpeningRange implements Window {
  next = Number.NEGATIVE_INFINITY;
  readonly spotFrom = Number.NEGATIVE_INFINITY;
  readonly spotTo = Number.POSITIVE_INFINITY;
  readonly wantsPrint = false;
  readonly moves = Moved.window;
  readonly #clock: Clock;
  readonly #end: number;
  readonly #side: 'high' | 'low';
  #extreme = Number.NaN;

  constructor(side: 'high' | 'low', end: number, clock: Clock) {
    this.#side = side;
    this.#end = end;
    this.#clock = clock;
  }
  observe(t: number, spot: number): void {
    if (t < this.#end) this.#take(spot);
  }
  /** A bar belongs to the range when it ended in it. */
  bar(end: number, high: number, low: number): void {
    if (end <= this.#end) this.#take(this.#side === 'high' ? high : low);
  }
  #take(spot: number): void {
    if (!(this.#side === 'high' ? spot <= this.#extreme : spot >= this.#extreme)) this.#extreme = spot;
  }
  print(): void {}
  get value(): number {
    return this.#clock.settle() >= this.#end ? this.#extreme : Number.NaN;
  }
  quiet(): void {
    this.next = this.#clock.settle() < this.#end ? this.#end : Number.POSITIVE_INFINITY;
  }
}

/** Volume of the last d against the header's reference for the same clock window. */
class RelativeVolume implements Window {
  /** The reference moves with the clock, so every event of the symbol is a new reading. */
  readonly next = Number.NEGATIVE_INFINITY;
  readonly spotFrom = Number.NEGATIVE_INFINITY;
  readonly spotTo = Number.POSITIVE_INFINITY;
  readonly wantsPrint = true;
  readonly moves = Moved.window;
  readonly #clock: Clock;
  readonly #d: number;
  readonly #open: number;
  readonly #known: number;
  readonly #reference: ReferenceVolume;
  readonly #prints = new Log();
  #total = 0;
  #from = -1;

  constructor(reference: ReferenceVolume, d: number, open: number, clock: Clock) {
    this.#reference = reference;
    this.#d = d;
    this.#open = open;
    this.#known = open + d;
    this.#clock = clock;
  }
  observe(): void {}
  print(t: number, size: number): void {
    this.#total += size;
    this.#prints.push(t, this.#total);
  }
  get value(): number {
    const t = this.#clock.settle();
    const log = this.#prints;
    while (this.#from + 1 < log.n && log.t[this.#from + 1]! <= t - this.#d) this.#from++;
    const before = this.#from >= 0 ? log.v[this.#from]! : 0;
    const expected = this.#reference.upTo(t - this.#open) - this.#reference.upTo(t - this.#d - this.#open);
    return t >= this.#known && expected > 0 ? (this.#total - before) / expected : Number.NaN;
  }
  quiet(): void {}
}

/** Cumulative reference volume by time since the open: minutes from the header, linear within a minute. */
export class ReferenceVolume {
  readonly #step: number;
  readonly #sums: readonly number[];

  /** @param volume header field `{ "windowMinutes": m, "shares": [n, …] }`; undefined when it is not of that shape */
  static of(volume: unknown): ReferenceVolume | undefined {
    if (typeof volume !== 'object' || volume === null) return undefined;
    const { windowMinutes, shares } = volume as { windowMinutes?: unknown; shares?: unknown };
    if (typeof windowMinutes !== 'number' || !(windowMinutes > 0) || !Array.isArray(shares)) return undefined;
    if (!shares.every((x) => typeof x === 'number' && x >= 0)) return undefined;
    return new ReferenceVolume(windowMinutes * MINUTE, shares as number[]);
  }
  private constructor(step: number, shares: readonly number[]) {
    this.#step = step;
    const sums = [0];
    for (const x of shares) sums.push(sums[sums.length - 1]! + x);
    this.#sums = sums;
  }
  upTo(elapsed: number): number {
    if (elapsed <= 0) return 0;
    const steps = elapsed / this.#step;
    const k = Math.floor(steps);
    const last = this.#sums.length - 1;
    if (k >= last) return this.#sums[last]!;
    return this.#sums[k]! + (this.#sums[k + 1]! - this.#sums[k]!) * (steps - k);
  }
}

/** A figure over completed bars. */
interface Indicator {
  value: number;
  complete(h: number, l: number, c: number): void;
}

class Ema implements Indicator {
  value = Number.NaN;
  #mean = Number.NaN;
  #seen = 0;
  readonly #n: number;
  constructor(n: number) {
    this.#n = n;
  }
  complete(_h: number, _l: number, c: number): void {
    this.#mean = this.#seen === 0 ? c : this.#mean + (2 / (this.#n + 1)) * (c - this.#mean);
    this.#seen++;
    if (this.#seen >= this.#n) this.value = this.#mean;
  }
}

class Sma implements Indicator {
  value = Number.NaN;
  #seen = 0;
  readonly #closes: Float64Array;
  constructor(n: number) {
    this.#closes = new Float64Array(n);
  }
  complete(_h: number, _l: number, c: number): void {
    const n = this.#closes.length;
    this.#closes[this.#seen % n] = c;
    this.#seen++;
    if (this.#seen < n) return;
    let sum = 0;
    for (let i = 0; i < n; i++) sum += this.#closes[(this.#seen + i) % n]!;
    this.value = sum / n;
  }
}

/** Wilder 1978: averages seeded with a simple mean of the first n changes. */
class Rsi implements Indicator {
  value = Number.NaN;
  #prior = Number.NaN;
  #seen = 0;
  #gain = 0;
  #loss = 0;
  readonly #n: number;
  constructor(n: number) {
    this.#n = n;
  }
  complete(_h: number, _l: number, c: number): void {
    if (Number.isNaN(this.#prior)) {
      this.#prior = c;
      return;
    }
    const change = c - this.#prior;
    this.#prior = c;
    const gain = Math.max(change, 0);
    const loss = change < 0 ? -change : 0;
    const n = this.#n;
    this.#seen++;
    if (this.#seen <= n) {
      this.#gain += gain;
      this.#loss += loss;
      if (this.#seen < n) return;
      this.#gain /= n;
      this.#loss /= n;
    } else {
      this.#gain = (this.#gain * (n - 1) + gain) / n;
      this.#loss = (this.#loss * (n - 1) + loss) / n;
    }
    // No movement at all is neither strength nor weakness.
    this.value = this.#loss === 0 ? (this.#gain === 0 ? 50 : 100) : 100 - 100 / (1 + this.#gain / this.#loss);
  }
}

/** Wilder 1978: average true range, seeded with a simple mean of the first n. */
class Atr implements Indicator {
  value = Number.NaN;
  #prior = Number.NaN;
  #seen = 0;
  #mean = 0;
  readonly #n: number;
  constructor(n: number) {
    this.#n = n;
  }
  complete(h: number, l: number, c: number): void {
    const prior = this.#prior;
    const range = Number.isNaN(prior) ? h - l : Math.max(h - l, Math.abs(h - prior), Math.abs(l - prior));
    this.#prior = c;
    const n = this.#n;
    this.#seen++;
    if (this.#seen <= n) {
      this.#mean += range;
      if (this.#seen < n) return;
      this.#mean /= n;
    } else {
      this.#mean = (this.#mean * (n - 1) + range) / n;
    }
    this.value = this.#mean;
  }
}

/** Bars of one length, aligned to the open, built from prints; an interval without a print makes no bar. */
class Bars {
  next = Number.POSITIVE_INFINITY;
  readonly indicators: Indicator[] = [];
  readonly indicatorOf = new Map<string, Indicator>();
  readonly #d: number;
  readonly #open: number;
  #k = -1;
  #h = 0;
  #l = 0;
  #c = 0;

  constructor(d: number, open: number) {
    this.#d = d;
    this.#open = open;
  }
  /** Completes the bar at hand if it has ended by `t`. */
  complete(t: number): boolean {
    if (t < this.next) return false;
    this.next = Number.POSITIVE_INFINITY;
    for (const x of this.indicators) x.complete(this.#h, this.#l, this.#c);
    return true;
  }
  add(t: number, h: number, l: number, c: number): void {
    if (this.next === Number.POSITIVE_INFINITY) {
      this.#k = Math.floor((t - this.#open) / this.#d);
      this.next = this.#open + (this.#k + 1) * this.#d;
      this.#h = h;
      this.#l = l;
    } else {
      if (h > this.#h) this.#h = h;
      if (l < this.#l) this.#l = l;
    }
    this.#c = c;
  }
}

/** Closes of completed minutes, quiet ones carried forward: what `rv` and the regime look at. */
class Minutes {
  next: number;
  readonly closes: number[] = [];
  first = Number.NaN;
  readonly #open: number;
  #close = Number.NaN;

  constructor(open: number) {
    this.#open = open;
    this.next = open + MINUTE;
  }
  complete(t: number): boolean {
    if (t < this.next) return false;
    while (t >= this.next) {
      this.closes.push(this.#close);
      this.next = this.#open + (this.closes.length + 1) * MINUTE;
    }
    return true;
  }
  add(o: number, c: number): void {
    if (Number.isNaN(this.first)) this.first = o;
    this.#close = c;
  }
  /** Close of minute k of the session; k = -1 is the first print. */
  at(k: number): number {
    return k < 0 ? this.first : this.closes[k]!;
  }
}

export type IndicatorName = 'ema' | 'sma' | 'rsi' | 'atr';

/** What reads a figure: nothing changes for it in an open interval. */
export interface Reading {
  readonly quietFrom: number;
  readonly quietTo: number;
}

/** A figure and who reads it: one reading that says what it cares for, or several, and then every change matters. */
class Watched {
  readonly window: Window;
  reading: Reading | undefined;
  every = false;
  #from = Number.NaN;
  #to = Number.NaN;

  constructor(window: Window) {
    this.window = window;
  }
  due(t: number, spot: number): boolean {
    const { next, spotFrom, spotTo } = this.window;
    return t >= next || !(spot > spotFrom && spot < spotTo);
  }
  quiet(t: number, spot: number): void {
    let from = Number.NEGATIVE_INFINITY;
    let to = Number.POSITIVE_INFINITY;
    if (this.every) {
      from = Number.POSITIVE_INFINITY;
      to = Number.NEGATIVE_INFINITY;
    } else if (this.reading !== undefined) {
      from = this.reading.quietFrom;
      to = this.reading.quietTo;
    }
    if (from === this.#from && to === this.#to && !this.due(t, spot)) return;
    this.#from = from;
    this.#to = to;
    this.window.quiet(from, to);
  }
}

/** Prints passed over that wait to be taken in. */
const PASSED_MAX = 4096;

/** Everything kept for one symbol. */
export class Windows implements Clock {
  /** Earliest instant at which an event of the symbol changes something here without an observation. */
  next = Number.POSITIVE_INFINITY;
  /** Spots between which no figure leaves what its reader cares for. */
  spotFrom = Number.NEGATIVE_INFINITY;
  spotTo = Number.POSITIVE_INFINITY;
  readonly #open: number;
  // Arrays beside the maps: the loop walks them at every observation and may not allocate an iterator.
  readonly #windows: Watched[] = [];
  readonly #windowOf = new Map<string, Watched>();
  readonly #bars: Bars[] = [];
  readonly #barsOf = new Map<number, Bars>();
  #minutes: Minutes | undefined;
  /** The symbol's last event that is taken in, and spot as it left it. */
  #at = Number.NEGATIVE_INFINITY;
  #spot = Number.NaN;
  readonly #columns: Columns;
  /** Rows of prints that moved nothing anyone reads, to be taken in before anything is read. */
  readonly #passed = new Int32Array(PASSED_MAX);
  #passedCount = 0;
  readonly #quotedAt: () => number;
  readonly #catchUp: (fresh: Windows) => void;

  constructor(spec: {
    readonly open: number;
    readonly columns: Columns;
    /** Time of the standing quote; -Infinity without one. */
    readonly quotedAt: () => number;
    /** Feeds a fresh set with the session so far: what is first read late knows what came before. */
    readonly catchUp: (fresh: Windows) => void;
  }) {
    this.#open = spec.open;
    this.#columns = spec.columns;
    this.#quotedAt = spec.quotedAt;
    this.#catchUp = spec.catchUp;
  }

  /** A print within all bounds: its row is noted, and taken in when something is read. */
  pass(row: number): void {
    this.#passed[this.#passedCount++] = row;
    if (this.#passedCount === PASSED_MAX) this.#takePassed();
  }

  #takePassed(): void {
    const { t: T, a } = this.#columns;
    const n = this.#passedCount;
    if (n === 0) return;
    this.#passedCount = 0;
    let t = this.#at;
    let again = false;
    for (let i = 0; i < n; i++) {
      const row = this.#passed[i]!;
      const price = a[row]!;
      if (price === this.#spot) again = true;
      else {
        if (again) this.#note(t, this.#spot);
        again = false;
        this.#spot = price;
        this.#note(T[row]!, price);
        for (const bars of this.#bars) bars.add(T[row]!, price, price, price);
        this.#minutes?.add(price, price);
      }
      t = T[row]!;
    }
    if (again) this.#note(t, this.#spot);
    if (t > this.#at) this.#at = t;
  }

  #note(t: number, spot: number): void {
    for (let i = 0; i < this.#windows.length; i++) this.#windows[i]!.window.observe(t, spot);
  }

  /** Takes in what was passed over. @returns the time of the symbol's last event */
  settle(): number {
    if (this.#passedCount > 0) this.#takePassed();
    const t = this.#quotedAt();
    if (t > this.#at) this.#at = t;
    return this.#at;
  }

  /**
   * Says who reads a figure.
   *
   * @param reading what cares for an interval of it; absent: whoever does looks at every change
   */
  readBy(cell: { readonly value: number }, reading?: Reading): void {
    const watched = this.#windows.find((w) => w.window === cell);
    if (watched === undefined) return;
    if (reading === undefined || watched.reading !== undefined) watched.every = true;
    else watched.reading = reading;
  }

  /** Says anew what may be passed over. */
  quiet(): void {
    const t = this.settle();
    let from = Number.NEGATIVE_INFINITY;
    let to = Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#windows.length; i++) {
      const watched = this.#windows[i]!;
      watched.quiet(t, this.#spot);
      const { window } = watched;
      if (window.spotFrom > from) from = window.spotFrom;
      if (window.spotTo < to) to = window.spotTo;
      if (window.next < next) next = window.next;
    }
    for (const bars of this.#bars) if (bars.next < next) next = bars.next;
    if (this.#minutes !== undefined && this.#minutes.next < next) next = this.#minutes.next;
    this.next = next;
    this.spotFrom = from;
    this.spotTo = to;
  }

  /** Whether the next print matters though it may not move spot: a window is empty, a bar not begun yet. */
  get wantsPrint(): boolean {
    for (let i = 0; i < this.#windows.length; i++) if (this.#windows[i]!.window.wantsPrint) return true;
    for (let i = 0; i < this.#bars.length; i++) if (this.#bars[i]!.next === Number.POSITIVE_INFINITY) return true;
    return this.#minutes !== undefined && Number.isNaN(this.#minutes.first);
  }

  velocity(d: number): { readonly value: number } {
    return this.#window(`velocity ${d}`, () => new Velocity(d, this.#open, this));
  }
  range(d: number): { readonly value: number } {
    return this.#window(`range ${d}`, () => new Range(d, this.#open, this));
  }
  openingRange(side: 'high' | 'low', d: number): { readonly value: number } {
    return this.#window(`${side} ${d}`, () => new OpeningRange(side, this.#open + d, this));
  }
  relativeVolume(reference: ReferenceVolume, d: number): { readonly value: number } {
    return this.#window(`rvol ${d}`, () => new RelativeVolume(reference, d, this.#open, this));
  }
  indicator(name: IndicatorName, n: number, d: number): { readonly value: number } {
    let bars = this.#barsOf.get(d);
    const key = `${name} ${n}`;
    let x = bars?.indicatorOf.get(key);
    if (x === undefined) {
      x = indicator(name, n);
      // A fresh set of bars replays the session for the new figure; the bar at hand is the same in both.
      const fresh = this.#fresh();
      const replayed = new Bars(d, this.#open);
      replayed.indicators.push(x);
      fresh.#bars.push(replayed);
      this.#feed(fresh);
      if (bars === undefined) {
        bars = replayed;
        this.#barsOf.set(d, bars);
        this.#bars.push(bars);
      } else bars.indicators.push(x);
      bars.indicatorOf.set(key, x);
      this.next = Math.min(this.next, bars.next);
    }
    return x;
  }
  minutes(): void {
    if (this.#minutes === undefined) {
      const fresh = this.#fresh();
      fresh.#minutes = new Minutes(this.#open);
      this.#feed(fresh);
      this.#minutes = fresh.#minutes;
    }
    this.next = Math.min(this.next, this.#minutes.next);
  }

  /** Annualised volatility, per cent, of the 1-minute returns of the last d; NaN before the session is d old. */
  realisedVolatility(d: number): number {
    const minutes = this.#minutes!;
    const n = Math.floor(d / MINUTE);
    const done = minutes.closes.length;
    if (n < 1 || done * MINUTE < d || done < n) return Number.NaN;
    let sum = 0;
    for (let k = done - n; k < done; k++) {
      const r = minutes.at(k) / minutes.at(k - 1) - 1;
      sum += r * r;
    }
    return 100 * Math.sqrt((sum / n) * MINUTES_A_YEAR);
  }

  /**
   * |Σ r| / Σ |r| of the changes of the last 30 completed minutes; NaN before there are 30, or without a print. The
   * first minute with a print changes from that print to its close; minutes before it do not count.
   */
  efficiency(): number {
    const minutes = this.#minutes!;
    const done = minutes.closes.length;
    if (done < 30) return Number.NaN;
    const last = minutes.at(done - 1);
    let from = minutes.at(done - 31);
    if (Number.isNaN(from)) from = minutes.first;
    let path = 0;
    let prior = from;
    for (let k = done - 30; k < done; k++) {
      const close = minutes.at(k);
      if (Number.isNaN(close)) continue;
      path += Math.abs(close - prior);
      prior = close;
    }
    if (Number.isNaN(last)) return Number.NaN;
    return path === 0 ? 0 : Math.abs(last - from) / path;
  }

  /** An event set spot. @returns what moved */
  observe(t: number, spot: number): number {
    this.#takePassed();
    this.#spot = spot;
    this.#note(t, spot);
    return this.advance(t);
  }

  print(t: number, price: number, size: number): number {
    this.#takePassed();
    let moved = this.#complete(t);
    for (const bars of this.#bars) bars.add(t, price, price, price);
    this.#minutes?.add(price, price);
    for (let i = 0; i < this.#windows.length; i++) this.#windows[i]!.window.print(t, size);
    moved |= this.observe(t, price);
    return moved;
  }

  /** A bar that ended at `t`: it belongs to the interval in which it began. */
  bar(t: number, d: number, o: number, h: number, l: number, c: number, size: number): number {
    this.#takePassed();
    const start = Math.max(t - d, this.#open);
    let moved = this.#complete(start);
    for (const bars of this.#bars) bars.add(start, h, l, c);
    this.#minutes?.add(o, c);
    moved |= this.#complete(t);
    for (const { window } of this.#windows) {
      window.print(t, size);
      if (window instanceof OpeningRange) window.bar(t, h, l);
    }
    moved |= this.observe(t, c);
    return moved;
  }

  /** An event of the symbol at `t`. @returns what may have moved */
  advance(t: number): number {
    this.#takePassed();
    if (t > this.#at) this.#at = t;
    let moved = this.#complete(t);
    for (let i = 0; i < this.#windows.length; i++) {
      const watched = this.#windows[i]!;
      if (watched.due(t, this.#spot)) moved |= watched.window.moves;
    }
    return moved;
  }

  #fresh(): Windows {
    return new Windows({
      open: this.#open,
      columns: this.#columns,
      quotedAt: () => Number.NEGATIVE_INFINITY,
      catchUp: () => {},
    });
  }

  /** Shows a fresh set the session so far; what was passed over must not come twice. */
  #feed(fresh: Windows): void {
    this.settle();
    this.#catchUp(fresh);
    if (fresh.#at > this.#at) this.#at = fresh.#at;
    this.#spot = fresh.#spot;
  }

  #complete(t: number): number {
    let moved = 0;
    for (const bars of this.#bars) if (bars.complete(t)) moved |= Moved.bars;
    if (this.#minutes?.complete(t)) moved |= Moved.bars;
    return moved;
  }

  #window(key: string, make: () => Window): Window {
    let watched = this.#windowOf.get(key);
    if (watched === undefined) {
      watched = new Watched(make());
      const fresh = this.#fresh();
      fresh.#windows.push(watched);
      this.#feed(fresh);
      this.#windowOf.set(key, watched);
      this.#windows.push(watched);
      this.next = Math.min(this.next, watched.window.next);
    }
    return watched.window;
  }
}

function indicator(name: IndicatorName, n: number): Indicator {
  switch (name) {
    case 'ema':
      return new Ema(n);
    case 'sma':
      return new Sma(n);
    case 'rsi':
      return new Rsi(n);
    case 'atr':
      return new Atr(n);
  }
}

/** Rows of one symbol: `from` is the first of the session, `to` the end, exclusive. */
export interface Rows {
  readonly slot: number;
  readonly from: number;
  readonly to: number;
}

/** Feeds `windows` what it missed, as the live loop would have. */
export function replay(windows: Windows, columns: Columns, rows: Rows): void {
  walk(columns, rows, {
    print: (t, price, size) => windows.print(t, price, size),
    bar: (t, row) => {
      const { o, h, l, c, z, d } = columns.bars;
      windows.bar(t, d[row]!, o[row]!, h[row]!, l[row]!, c[row]!, Math.max(0, z[row]!));
    },
    mid: (t, mid) => windows.observe(t, mid),
    other: (t) => windows.advance(t),
  });
}

/** Volume and notional of the session so far. */
export function sessionSums(columns: Columns, rows: Rows): { readonly volume: number; readonly notional: number } {
  let volume = 0;
  let notional = 0;
  walk(columns, rows, {
    print: (_t, price, size) => {
      volume += size;
      notional += price * size;
    },
    bar: (_t, row) => {
      const { h, l, c, z } = columns.bars;
      const size = Math.max(0, z[row]!);
      volume += size;
      notional += ((h[row]! + l[row]! + c[row]!) / 3) * size;
    },
    mid: () => {},
    other: () => {},
  });
  return { volume, notional };
}

/** The session events of one symbol, without what a halt or a mark of suspicion takes out. */
function walk(
  columns: Columns,
  rows: Rows,
  see: {
    readonly print: (t: number, price: number, size: number) => void;
    readonly bar: (t: number, row: number) => void;
    readonly mid: (t: number, mid: number) => void;
    readonly other: (t: number) => void;
  },
): void {
  let halted = false;
  let printed = false;
  for (let i = 0; i < rows.to; i++) {
    if (columns.inst[i] !== rows.slot) continue;
    const kind = columns.kind[i];
    const t = columns.t[i]!;
    if (kind === Kind.halt) {
      halted = (columns.flags[i]! & Flag.on) !== 0;
      continue;
    }
    if (halted || i < rows.from || (columns.flags[i]! & Flag.suspect) !== 0) continue;
    if (kind === Kind.trade) {
      printed = true;
      see.print(t, columns.a[i]!, Math.max(0, columns.b[i]!));
    } else if (kind === Kind.bar && !printed) {
      see.bar(t, columns.a[i]!);
    } else if (kind === Kind.quote && !printed) {
      const bid = columns.a[i]!;
      const ask = columns.c[i]!;
      if (bid > 0 && ask > bid && columns.b[i]! > 0 && columns.d[i]! > 0) see.mid(t, Math.floor((bid + ask) / 2));
      else see.other(t);
    } else see.other(t);
  }
}

/** The value at percentile `p` of a reference table, linear between its points; undefined outside it. */
export function percentile(table: Distribution | undefined, p: number): number | undefined {
  if (table === undefined) return undefined;
  const at = table.p;
  const x = table.x;
  for (let i = 0; i < at.length; i++) {
    if (at[i] === p) return x[i];
    if (at[i]! > p) {
      if (i === 0) return undefined;
      return x[i - 1]! + ((x[i]! - x[i - 1]!) * (p - at[i - 1]!)) / (at[i]! - at[i - 1]!);
    }
  }
  return undefined;
}
