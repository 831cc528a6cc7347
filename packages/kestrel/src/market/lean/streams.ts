/** Rows of LEAN's CSV files as streams of events, one class a kind of file. */
import { jcs } from 'ground/jcs';
import type { Bar, ColumnsBuilder, Sides } from '../build.ts';
import type { DayClock } from '../clock.ts';
import { ABSENT, Flag, Kind } from '../columns.ts';
import { type DecimalFault, PRICE_E4_MAX } from '../decimal.ts';
import type { RowStream } from '../merge.ts';
import { type TapeCode, TapeRefusal } from '../refusal.ts';
import type { NumberRows } from '../rows.ts';
import type { SkipLog } from '../skips.ts';
import type { LeanContract } from './name.ts';

/** At equal times quotes come before prints and bars, shares before options; open interest is last. */
export const RANK = { quote: 0, oquote: 1, print: 2, oprint: 3, openInterest: 4 } as const;

export interface StreamPlace {
  readonly rows: NumberRows;
  /** Index of the instrument. */
  readonly inst: number;
  /** Times of day to UTC. */
  readonly clock: DayClock;
  /** Decimals that the prices still lack to be E4: 0 for integers of shares and options, 4 for an index. */
  readonly priceScale: 0 | 4;
  /** Given where bad rows are to be skipped. */
  readonly skips?: SkipLog;
}

abstract class LeanStream implements RowStream {
  abstract readonly rank: number;
  readonly order: number;
  t = 0;
  protected readonly rows: NumberRows;
  protected readonly place: StreamPlace;

  constructor(place: StreamPlace) {
    this.place = place;
    this.rows = place.rows;
    this.order = place.inst;
  }

  abstract emit(rows: ColumnsBuilder): void;
  /** Reads the present row whole, or refuses it and leaves no trace. @returns its time, or -1 where it is not of this day */
  protected abstract read(): number;

  advance(): boolean {
    const { skips } = this.place;
    while (this.rows.next()) {
      try {
        const t = this.read();
        if (t < 0) continue;
        if (t < this.t) throw this.refusal('time-back', 'rows in the order of their times', this.rows.rowText());
        this.accept();
        this.t = t;
        return true;
      } catch (error) {
        if (!(error instanceof TapeRefusal) || skips === undefined) throw error;
        skips.add(error, this.rows.source);
      }
    }
    return false;
  }

  /** The row is taken: what it changes for later ones may change now. */
  protected accept(): void {}

  protected fields(least: number): void {
    if (this.rows.count < least) throw this.refusal('row-bad', `at least ${least} fields`, this.rows.rowText());
  }

  /** Milliseconds since local midnight, decimals allowed, to UTC. */
  protected timeOfDay(): number {
    const us = this.rows.scaled(0, 3);
    if (typeof us !== 'number') throw this.refusal('time-bad', 'milliseconds since midnight', this.rows.text(0));
    return this.utc(us);
  }

  protected utc(us: number): number {
    const { clock } = this.place;
    const t = clock.utc(us);
    if (typeof t === 'number') return t;
    if (t === 'range') throw this.refusal('time-bad', 'a time of the day', this.rows.text(0));
    const got = t === 'gap' ? 'one that the clocks skipped' : 'one that the clocks showed twice';
    throw this.refusal('local-time', `a time that ${clock.zone} had once on ${clock.date}`, got);
  }

  protected price(field: number): number {
    const value = this.rows.scaled(field, this.place.priceScale);
    if (typeof value === 'number' && value >= 0 && value <= PRICE_E4_MAX) return value;
    const code = typeof value === 'number' ? (value < 0 ? 'price-negative' : 'price-range') : PRICE_CODES[value];
    throw this.refusal(code, `a price in field ${field + 1}`, this.rows.text(field));
  }

  protected size(field: number): number {
    const value = this.rows.scaled(field, 0);
    if (typeof value === 'number' && value >= 0) return value;
    throw this.refusal('size-bad', `a whole size in field ${field + 1}`, this.rows.text(field));
  }

  protected suspect(field: number): number {
    if (field >= this.rows.count) return 0;
    const flag = this.rows.scaled(field, 0);
    if (flag === 0) return 0;
    if (flag === 1) return Flag.suspect;
    throw this.refusal('row-bad', `0 or 1 in field ${field + 1}, suspicious`, this.rows.text(field));
  }

  protected refusal(code: TapeCode, expected: string, got: string): TapeRefusal {
    return new TapeRefusal(code, { source: this.rows.source, line: this.rows.line, expected, got });
  }
}

const PRICE_CODES: Readonly<Record<DecimalFault, TapeCode>> = {
  precise: 'number-precise',
  range: 'price-range',
  shape: 'number-bad',
};

/**
 * One row is one side, whatever the exchange; a price of 0 leaves its side as it was. A suspicious row is shown,
 * flagged, and does not stand: the next row finds the side as it was before.
 */
export class TickQuotes extends LeanStream {
  readonly rank = RANK.quote;
  private sides: Sides = { bidE4: ABSENT, bidSize: ABSENT, askE4: ABSENT, askSize: ABSENT };
  private shown: Sides = this.sides;
  private flags = 0;

  protected read(): number {
    this.fields(5);
    const t = this.timeOfDay();
    const bidE4 = this.price(1);
    const askE4 = this.price(3);
    const bid = bidE4 === 0 ? this.sides : { bidE4, bidSize: this.size(2) };
    const ask = askE4 === 0 ? this.sides : { askE4, askSize: this.size(4) };
    this.flags = this.suspect(7);
    this.shown = { bidE4: bid.bidE4, bidSize: bid.bidSize, askE4: ask.askE4, askSize: ask.askSize };
    return t;
  }

  protected override accept(): void {
    if (this.flags === 0) this.sides = this.shown;
  }

  emit(rows: ColumnsBuilder): void {
    rows.quote({ t: this.t, kind: Kind.quote, inst: this.place.inst, flags: this.flags }, this.shown);
  }
}

export class TickTrades extends LeanStream {
  readonly rank = RANK.print;
  private priceE4 = 0;
  private shares = 0;
  private flags = 0;

  protected read(): number {
    this.fields(3);
    const t = this.timeOfDay();
    this.priceE4 = this.price(1);
    this.shares = this.size(2);
    this.flags = this.suspect(5);
    return t;
  }

  emit(rows: ColumnsBuilder): void {
    const print = { priceE4: this.priceE4, size: this.shares };
    rows.trade({ t: this.t, kind: Kind.trade, inst: this.place.inst, flags: this.flags }, print);
  }
}

/** A bar of a file of bars: stamped at its start there, at its end here. */
abstract class BarStream extends LeanStream {
  protected readonly lengthUs: number;
  constructor(place: StreamPlace, lengthUs: number) {
    super(place);
    this.lengthUs = lengthUs;
  }

  /** End of the bar; -1 for one of another day in a file of many. */
  protected end(): number {
    if (this.lengthUs < HOUR_US) return this.timeOfDay() + this.lengthUs;
    const stamp = /^([0-9]{4})([0-9]{2})([0-9]{2}) ([0-9]{2}):([0-9]{2})$/.exec(this.rows.text(0));
    if (stamp === null) throw this.refusal('time-bad', 'YYYYMMDD HH:MM', this.rows.text(0));
    const [, y, mo, d, h, mi] = stamp;
    if (`${y}-${mo}-${d}` !== this.place.clock.date) return -1;
    return this.utc((Number(h) * 60 + Number(mi)) * 60_000_000) + this.lengthUs;
  }

  protected bar(): Bar {
    const bar = { o: this.price(1), h: this.price(2), l: this.price(3), c: this.price(4), z: this.size(5) };
    if (bar.l > bar.o || bar.l > bar.c || bar.h < bar.o || bar.h < bar.c) {
      throw this.refusal('bar-shape', 'low at or below open and close, high at or above them', this.rows.rowText());
    }
    return { ...bar, d: this.lengthUs };
  }
}

const HOUR_US = 3_600_000_000;

export class TradeBars extends BarStream {
  readonly rank = RANK.print;
  protected present: Bar | undefined;

  protected read(): number {
    this.fields(6);
    const t = this.end();
    if (t >= 0) this.present = this.bar();
    return t;
  }

  emit(rows: ColumnsBuilder): void {
    rows.bar({ t: this.t, inst: this.place.inst }, this.present!);
  }
}

/** A day's bar spans the session and is known at its close, also where the file says midnight. */
export class DayBar extends TradeBars {
  private readonly close: number;
  constructor(place: StreamPlace, session: { readonly open: number; readonly close: number }) {
    super(place, session.close - session.open);
    this.close = session.close;
  }

  protected override end(): number {
    return super.end() < 0 ? -1 : this.close;
  }
}

/** The closing bid and ask of a bar, at its end. An empty side, or one at 0, is absent. */
export class QuoteBars extends BarStream {
  readonly rank: number;
  private readonly kind: 0 | 2;
  private sides: Sides = { bidE4: ABSENT, bidSize: ABSENT, askE4: ABSENT, askSize: ABSENT };

  constructor(place: StreamPlace, what: { readonly lengthUs: number; readonly of: 'shares' | 'option' }) {
    super(place, what.lengthUs);
    this.rank = what.of === 'option' ? RANK.oquote : RANK.quote;
    this.kind = what.of === 'option' ? Kind.oquote : Kind.quote;
  }

  protected read(): number {
    this.fields(11);
    const t = this.end();
    if (t < 0) return t;
    const bidE4 = this.rows.isEmpty(4) ? 0 : this.price(4);
    const askE4 = this.rows.isEmpty(9) ? 0 : this.price(9);
    // One shape for all rows: copying parts into a new object costs more than reading the row.
    this.sides = {
      bidE4: bidE4 === 0 ? ABSENT : bidE4,
      bidSize: bidE4 === 0 ? ABSENT : this.size(5),
      askE4: askE4 === 0 ? ABSENT : askE4,
      askSize: askE4 === 0 ? ABSENT : this.size(10),
    };
    return t;
  }

  emit(rows: ColumnsBuilder): void {
    rows.quote({ t: this.t, kind: this.kind, inst: this.place.inst, flags: 0 }, this.sides);
  }
}

/** Bars of option trades become one print each, of the bar's volume at its closing price, at its end. */
export class OptionPrints extends BarStream {
  readonly rank = RANK.oprint;
  private present: Bar | undefined;

  protected read(): number {
    this.fields(6);
    const t = this.end();
    if (t >= 0) this.present = this.bar();
    return t;
  }

  emit(rows: ColumnsBuilder): void {
    const { c, z } = this.present!;
    const row = { t: this.t, kind: Kind.otrade, inst: this.place.inst, flags: 0 } as const;
    rows.trade(row, { priceE4: c, size: z });
  }
}

export class OpenInterest extends LeanStream {
  readonly rank = RANK.openInterest;
  private readonly contract: LeanContract & { readonly root: string };
  private contracts = 0;

  constructor(place: StreamPlace, contract: LeanContract & { readonly root: string }) {
    super(place);
    this.contract = contract;
  }

  protected read(): number {
    this.fields(2);
    const t = this.timeOfDay();
    this.contracts = this.size(1);
    return t;
  }

  emit(rows: ColumnsBuilder): void {
    const { root, expiry, right, strikeE4 } = this.contract;
    const event = { t: this.t, k: 'oi', s: root, x: expiry, r: right, K: strikeE4 / 10_000, z: this.contracts };
    rows.text({ t: this.t, kind: Kind.other }, jcs(event));
  }
}
