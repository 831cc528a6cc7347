/** What a plan owns of one instrument: bought, or a vertical sold for a credit. */
import { boundsE4, type Instrument } from './instrument.ts';
import { exact, mulDivFloor } from './money.ts';

export class Holding {
  readonly instrument: Instrument;
  /** `short`: opened by sales and closed by purchases: a vertical, or a call that shares of the plan cover. */
  readonly direction: 'long' | 'short';
  qty = 0;
  /** Of what is held: paid, or width less credit; E4 of the currency. */
  costE4 = 0;
  entryQty = 0;
  /** Sum of price x quantity of the entries, a unit of the underlying. */
  entryCostE4 = 0;
  /** Event of the last entry fill: its TPs are placed anew. */
  enteredAt = -1;
  /** What its TPs sold, by clause. */
  readonly sold: number[] = [];
  tpPending = false;
  exitPending = false;
  markE4: number | undefined;
  markFrom: string | undefined;
  /** Least a unit can be worth at its end below nothing, and most: what bounds the loss. */
  readonly #leastE4: number;
  readonly #mostE4: number;

  constructor(instrument: Instrument, direction: 'long' | 'short') {
    this.instrument = instrument;
    this.direction = direction;
    const { least, most } = boundsE4(instrument);
    this.#leastE4 = least;
    // A covered call costs its shares what it costs itself: its premium is all that stands for it.
    this.#mostE4 = Number.isFinite(most) ? most : 0;
  }

  get entrySide(): 'buy' | 'sell' {
    return this.direction === 'long' ? 'buy' : 'sell';
  }
  get closeSide(): 'buy' | 'sell' {
    return this.direction === 'long' ? 'sell' : 'buy';
  }

  /** Average entry price, E4; NaN before anything is owned. */
  readonly basis = (): number => (this.entryQty > 0 ? this.entryCostE4 / this.entryQty : Number.NaN);

  /** Value of `qty` units at a price: of a credit, what is left of the width that stands for it. */
  valueE4(qty: number, priceE4: number): number {
    return exact(qty * (this.direction === 'long' ? priceE4 : this.#mostE4 - priceE4) * this.instrument.multiplier);
  }

  /** Worst loss of `qty` units entered at a price, fees apart. */
  stakeE4(qty: number, priceE4: number): number {
    const unit = this.direction === 'long' ? priceE4 - this.#leastE4 : Math.max(0, this.#mostE4 - priceE4);
    return qty * unit * this.instrument.multiplier;
  }

  /** What the position holds of the budgets. */
  get atStakeE4(): number {
    const least = this.direction === 'long' ? this.#leastE4 : 0;
    return Math.max(0, this.costE4 - least * this.qty * this.instrument.multiplier);
  }

  enter(qty: number, priceE4: number): void {
    this.qty += qty;
    this.entryQty += qty;
    this.entryCostE4 += exact(qty * priceE4);
    this.costE4 += this.valueE4(qty, priceE4);
  }

  /** @returns the result, gross of fees, E4 */
  leave(qty: number, priceE4: number): number {
    const part = partOf(this.costE4, qty, this.qty);
    const valueE4 = this.valueE4(qty, priceE4);
    this.qty -= qty;
    this.costE4 -= part;
    return valueE4 - part;
  }
}

/** floor(cost x q / held), for a cost below nothing too: a credit may be more than the width. */
function partOf(costE4: number, qty: number, held: number): number {
  if (costE4 >= 0) return mulDivFloor(costE4, qty, held);
  const part = mulDivFloor(-costE4, qty, held);
  return part * held === -costE4 * qty ? -part : -part - 1;
}
