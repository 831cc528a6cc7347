/** A session's events: at which milliseconds of a second they fall, and what each does to the book. */
import type { ColumnsBuilder } from '../build.ts';
import { US_PER_SECOND } from '../calendar-date.ts';
import { Flag, Kind } from '../columns.ts';
import { Book, type Place } from './book.ts';
import type { Dice, Quantiles } from './dice.ts';
import { at, type Profile } from './profile.ts';
import type { Course } from './regime.ts';
import { type Spread, spread } from './spread.ts';

export interface SessionOrder {
  readonly course: Course;
  /** Microseconds. */
  readonly open: number;
  readonly close: number;
  /** Rows to be made, all kinds counted. */
  readonly events: number;
}

/** Rows that are no ordinary event: quotes before the open and at it, both auctions, the close, a halt and its news. */
const PREOPEN_QUOTES = 24;
const FIXED_ROWS_MAX = PREOPEN_QUOTES + 9;
/** Fewer rows than this hold no day. */
export const EVENTS_MIN = FIXED_ROWS_MAX + 67;

const SORT_BY_HAND_MAX = 40;

/** Rows of a session that are not left to chance. */
function fixedRows(course: Course): number {
  return PREOPEN_QUOTES + 3 + (course.halt === undefined ? 0 : 5) + (course.news === undefined ? 0 : 1);
}

/** Writes sessions, one after another, from one stream of dice. */
export class SessionWriter {
  readonly #profile: Profile;
  readonly #dice: Dice;
  readonly #rows: ColumnsBuilder;
  readonly #book: Book;
  #order!: SessionOrder;
  /** Events by second and by minute. */
  #spread!: Spread;
  #offsets = new Int32Array(64);
  /** Seconds at which the course has something, in order, and the first of them still to come. */
  #marks: readonly number[] = [];
  #mark = 0;
  #opened = false;
  #halted = false;
  /** A step of the value: its deviation, its push, and the part of the way home. */
  #step = Number.NaN;
  #push = Number.NaN;
  #draw = Number.NaN;

  constructor(place: Place) {
    this.#profile = place.profile;
    this.#dice = place.dice;
    this.#rows = place.rows;
    this.#book = new Book(place);
  }

  write(order: SessionOrder): void {
    const { course, close, events } = order;
    this.#order = order;
    this.#spread = spread({ course, profile: this.#profile }, Math.max(0, events - fixedRows(course)), this.#dice);
    if (this.#offsets.length < this.#spread.most) this.#offsets = new Int32Array(this.#spread.most);
    this.#marks = marksOf(course);
    this.#mark = 0;
    this.#opened = false;
    this.#book.value = course.open;
    this.#beforeOpen();
    for (let minute = 0; minute < course.minutes; minute++) this.#minute(minute);
    // The closing auction prints some seconds after the close, and its price is the official one.
    const t = close + (2_000 + this.#dice.below(58_000)) * 1_000;
    this.#book.auction(t, this.#auctionSize(this.#profile.closingShare));
    this.#rows.append(t, Kind.close, 0, 0, this.#book.lastTradeE4, 0, 0, 0);
  }

  #beforeOpen(): void {
    const { open, course } = this.#order;
    const times = Array.from({ length: PREOPEN_QUOTES }, () => this.#dice.below(300_000));
    this.#book.width = 3 * course.width[0]!;
    this.#book.settle();
    for (const before of times.sort((x, y) => y - x)) this.#book.quote(open - (before + 1) * 1_000);
    this.#book.width = course.width[0]!;
    this.#book.settle();
    this.#book.quote(open);
  }

  /** The opening auction: the first trade of the day. */
  #openAuction(t: number): void {
    this.#book.auction(t, this.#auctionSize(this.#profile.openingShare));
    this.#opened = true;
  }

  #auctionSize(share: readonly [number, number]): number {
    const { events } = this.#order;
    const profile = this.#profile;
    const trades = profile.tradeAfterQuote / (1 - profile.tradeAfterTrade + profile.tradeAfterQuote);
    const volume = events * trades * tableMean(profile.tradeSize);
    return Math.max(100, Math.floor(volume * this.#dice.between(...share)));
  }

  #minute(minute: number): void {
    const { course } = this.#order;
    const { seconds, minutes } = this.#spread;
    const book = this.#book;
    const n = minutes[minute]!;
    const [sigma, drift, pull] = [course.sigma[minute]!, course.drift[minute]!, course.pull[minute]!];
    book.width = course.width[minute]!;
    book.tradeTilt = at(this.#profile.tradeCurve, (minute + 0.5) / course.minutes);
    const steps = Math.max(1, n);
    this.#step = sigma / Math.sqrt(steps);
    this.#push = drift / steps;
    this.#draw = pull / steps;
    for (let second = minute * 60; second < minute * 60 + 60; second++) {
      if (second === this.#marks[this.#mark]) this.#happen(second);
      const count = seconds[second]!;
      if (count > 0) this.#second(second, count);
    }
    // A minute without events moves all the same: its news are in the next quote. A halt's are in its jump.
    if (n === 0 && !this.#halted) this.#move();
  }

  #second(second: number, n: number): void {
    const start = this.#order.open + second * US_PER_SECOND;
    const offsets = this.#times(n);
    const book = this.#book;
    for (let i = 0; i < n; i++) {
      this.#move();
      const t = start + offsets[i]! * 1_000;
      if (this.#opened) book.event(t);
      else if (second > 0) this.#openAuction(t);
      else book.quote(t);
    }
  }

  #move(): void {
    const book = this.#book;
    const home = this.#draw * (this.#order.course.anchor - book.value);
    const value = book.value + this.#step * this.#dice.step() + this.#push + home;
    book.value = Math.max(2, value);
  }

  /** What the course has for a second: news, jumps, the ends of a halt. */
  #happen(second: number): void {
    const { course, open } = this.#order;
    const t = open + second * US_PER_SECOND;
    const { news, halt } = course;
    this.#mark += 1;
    if (news?.second === second) {
      this.#rows.text({ t, kind: Kind.news }, news.text);
    }
    for (const jump of course.jumps) {
      if (jump.second === second) this.#book.value = Math.max(2, this.#book.value + jump.ticks);
    }
    if (halt?.from === second) {
      this.#halted = true;
      this.#rows.append(t, Kind.halt, 0, Flag.on, 0, 0, 0, 0);
    }
    if (halt?.to === second) {
      this.#halted = false;
      this.#rows.append(t, Kind.halt, 0, 0, 0, 0, 0, 0);
      this.#book.settle();
      this.#book.quote(t);
      this.#book.auction(t, this.#auctionSize(this.#profile.openingShare));
      this.#book.quote(t);
    }
  }

  /** Milliseconds of a second's events, in order: heads of clusters anywhere, the others soon after one another. */
  #times(n: number): Int32Array {
    const { cluster, clusterGapMs } = this.#profile;
    const dice = this.#dice;
    const times = this.#offsets.subarray(0, n);
    let ms = dice.below(1_000);
    for (let i = 0; i < n; i++) {
      times[i] = ms;
      if (dice.chance(cluster)) ms += Math.floor(dice.draw(clusterGapMs));
      else ms = dice.below(1_000);
      if (ms > 999) ms = dice.below(1_000);
    }
    // Most seconds hold a handful: those are put in order faster by hand than by a call.
    if (n > SORT_BY_HAND_MAX) return times.sort();
    for (let i = 1; i < n; i++) {
      const t = times[i]!;
      let j = i - 1;
      for (; j >= 0 && times[j]! > t; j--) times[j + 1] = times[j]!;
      times[j + 1] = t;
    }
    return times;
  }
}

function marksOf({ jumps, halt, news }: Course): number[] {
  const seconds = new Set(jumps.map((jump) => jump.second));
  if (news !== undefined) seconds.add(news.second);
  if (halt !== undefined) seconds.add(halt.from).add(halt.to);
  return [...seconds].sort((x, y) => x - y);
}

function tableMean({ p, x }: Quantiles): number {
  let mean = 0;
  for (let i = 1; i < p.length; i++) mean += ((p[i]! - p[i - 1]!) * (x[i]! + x[i - 1]!)) / 2;
  return mean;
}
