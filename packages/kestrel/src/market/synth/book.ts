/**
 * The book of a synthetic share: a best bid and ask that follow a wandering value, sizes that are taken and renewed, and
 * prints against them. Prices inside are whole ticks; rows go out in E4.
 */
import type { ColumnsBuilder } from '../build.ts';
import { Kind } from '../columns.ts';
import type { Dice } from './dice.ts';
import type { Profile } from './profile.ts';

const LOT = 100;

/** What a book needs to know to write its rows. */
export interface Place {
  readonly profile: Profile;
  readonly dice: Dice;
  readonly rows: ColumnsBuilder;
}

export class Book {
  /** What the share is worth, in ticks. This and the next two are moved from outside, and set before `settle`. */
  value = Number.NaN;
  /** Multiplies the spread that is drawn next. */
  width = Number.NaN;
  /** Multiplies the chance that an event after a quote is a trade. */
  tradeTilt = Number.NaN;
  lastTradeE4 = 0;

  readonly #profile: Profile;
  readonly #tickE4: number;
  readonly #dice: Dice;
  readonly #rows: ColumnsBuilder;
  /** The value that the touch stands around. */
  #center = Number.NaN;
  #spread = 1;
  #bid = 0;
  #ask = 0;
  #bidSize = 0;
  #askSize = 0;
  #side: 1 | -1 = 1;
  #traded = false;
  /** The side to be shown first: one a trade has taken from, or one whose tight spread has opened. */
  #taken: 1 | -1 | 0 = 0;
  /** The side that shows the other's price. */
  #lock: 1 | -1 | 0 = 0;

  constructor(place: Place) {
    this.#profile = place.profile;
    this.#tickE4 = place.profile.tickE4;
    this.#dice = place.dice;
    this.#rows = place.rows;
  }

  /** Both sides anew around the value: at the start, and after a halt. */
  settle(): void {
    this.#center = this.value;
    this.#spread = this.#drawSpread();
    this.#bid = this.#targetBid();
    this.#ask = this.#bid + this.#spread;
    this.#bidSize = this.#drawSize();
    this.#askSize = this.#drawSize();
    this.#taken = 0;
    this.#lock = 0;
    this.#traded = false;
  }

  /** One quote or trade at `t`. */
  event(t: number): void {
    const { tradeAfterTrade, tradeAfterQuote } = this.#profile;
    if (this.#dice.chance(this.#traded ? tradeAfterTrade : tradeAfterQuote * this.tradeTilt)) this.trade(t);
    else this.quote(t);
  }

  quote(t: number): void {
    this.#traded = false;
    const dice = this.#dice;
    const profile = this.#profile;
    const drift = this.value - this.#center;
    if (drift > profile.slackTicks || drift < -profile.slackTicks) this.#center = this.value;
    if (dice.chance(profile.spreadRenewal)) this.#spread = this.#drawSpread();
    const side = this.#taken !== 0 ? this.#taken : dice.sign();
    this.#taken = 0;
    if (side === 1) this.#moveAsk();
    else this.#moveBid();
    this.#lockOrNot(side);
    this.#row(t, this.#lock === 1 ? this.#ask : this.#bid, this.#lock === -1 ? this.#bid : this.#ask);
  }

  /** Now and then one side shows the price of the other for a while; the book behind it stays as it is. */
  #lockOrNot(side: 1 | -1): void {
    const { locked, lockedRun } = this.#profile;
    if (this.#lock === 0) {
      if (this.#dice.chance(locked / lockedRun)) this.#lock = side;
    } else if (this.#dice.chance(1 / lockedRun)) this.#lock = 0;
  }

  trade(t: number): void {
    this.#traded = true;
    const dice = this.#dice;
    const profile = this.#profile;
    const lean = (this.value - (this.#bid + this.#ask) / 2) / this.#spread;
    // A print seldom repeats its side against a value that has left it.
    const tilt = Math.max(-0.3, Math.min(0.3, lean));
    if (!dice.chance(profile.sameSide + this.#side * tilt * 0.3)) this.#side = this.#side === 1 ? -1 : 1;
    const room = this.#ask - this.#bid - 1;
    const size = this.#drawPrint();
    if (room > 0 && dice.chance(profile.inside)) this.#print(t, this.#bid + 1 + dice.below(room), size);
    else this.#take(t, size);
  }

  /** An auction: one print at the nearest tick to the value. */
  auction(t: number, size: number): void {
    this.#print(t, Math.max(1, Math.round(this.value)), size);
  }

  #take(t: number, size: number): void {
    const buys = this.#side === 1;
    this.#print(t, buys ? this.#ask : this.#bid, size);
    this.#taken = this.#side;
    const left = (buys ? this.#askSize : this.#bidSize) - size;
    if (left >= LOT) {
      // Shown sizes are whole lots.
      const shown = Math.floor(left / LOT) * LOT;
      if (buys) this.#askSize = shown;
      else this.#bidSize = shown;
      return;
    }
    // The level is gone: the next quote shows the one behind it.
    if (buys) {
      this.#ask += 1;
      this.#askSize = this.#drawSize();
    } else if (this.#bid > 1) {
      this.#bid -= 1;
      this.#bidSize = this.#drawSize();
    }
  }

  #moveBid(): void {
    const target = this.#targetBid();
    if (target === this.#bid || this.#staysAway(this.#bid - target)) {
      this.#bidSize = this.#nextSize(this.#bidSize);
      return;
    }
    this.#bid = target;
    this.#bidSize = this.#drawSize();
    if (this.#spread === 1) this.#taken = 1;
    if (this.#bid >= this.#ask) {
      this.#ask = this.#bid + this.#spread;
      this.#askSize = this.#drawSize();
    }
  }

  #moveAsk(): void {
    const target = this.#targetBid() + this.#spread;
    if (target === this.#ask || this.#staysAway(target - this.#ask)) {
      this.#askSize = this.#nextSize(this.#askSize);
      return;
    }
    this.#ask = target;
    this.#askSize = this.#drawSize();
    if (this.#spread === 1) this.#taken = -1;
    if (this.#ask <= this.#bid) {
      this.#bid = Math.max(1, this.#ask - this.#spread);
      this.#ask = this.#bid + this.#spread;
      this.#bidSize = this.#drawSize();
    }
  }

  /** A touch that is only one tick better than its target is not withdrawn at once. */
  #staysAway(ticksBetter: number): boolean {
    return ticksBetter === 1 && this.#spread > 1 && this.#dice.chance(0.5);
  }

  #targetBid(): number {
    return Math.max(1, Math.round(this.#center - this.#spread / 2));
  }

  #drawSpread(): number {
    return Math.max(1, Math.round(this.#dice.draw(this.#profile.spreadTicks) * this.width));
  }

  #drawSize(): number {
    return Math.max(LOT, Math.floor(this.#dice.draw(this.#profile.quoteSize) / LOT) * LOT);
  }

  #nextSize(size: number): number {
    const dice = this.#dice;
    const { sizeRenewal, sizeChange, sizeStep, quoteSize } = this.#profile;
    if (dice.chance(sizeRenewal)) return this.#drawSize();
    if (!dice.chance(sizeChange)) return size;
    const step = Math.floor(dice.draw(sizeStep)) * LOT;
    // Sizes are drawn back to where they usually are, so that they do not wander off.
    const usual = quoteSize.x[quoteSize.x.length >> 1]!;
    const grows = size < usual ? 0.56 : 0.44;
    return dice.chance(grows) ? size + step : Math.max(LOT, size - step);
  }

  #drawPrint(): number {
    const { tradeSize, oddSize } = this.#profile;
    const size = Math.floor(this.#dice.draw(tradeSize));
    const whole = Math.floor(size / LOT) * LOT;
    return size === whole || this.#dice.chance(oddSize) ? size : whole;
  }

  #print(t: number, ticks: number, size: number): void {
    const priceE4 = ticks * this.#tickE4;
    this.#rows.append(t, Kind.trade, 0, 0, priceE4, size, 0, 0);
    this.lastTradeE4 = priceE4;
  }

  #row(t: number, bid: number, ask: number): void {
    this.#rows.append(t, Kind.quote, 0, 0, bid * this.#tickE4, this.#bidSize, ask * this.#tickE4, this.#askSize);
  }
}
