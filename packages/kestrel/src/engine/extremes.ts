/**
 * Highest and lowest value since any past instant, kept as two monotone stacks: what a later, more extreme value has
 * overtaken can never be an answer again, so the stacks stay short.
 */

import { Log } from './log.ts';

export interface Extreme {
  readonly value: number;
  /** The event at which it was last reached. */
  readonly seq: number;
}

export class Extremes {
  #high = new Log();
  #low = new Log();

  /** Notes a new value; `seq` rises with every event, so that equal times keep their order. */
  note(seq: number, value: number): void {
    const high = this.#high;
    while (high.n > 0 && high.v[high.n - 1]! < value) high.n--;
    if (high.n > 0 && high.v[high.n - 1] === value) high.t[high.n - 1] = seq;
    else high.push(seq, value);
    const low = this.#low;
    while (low.n > 0 && low.v[low.n - 1]! > value) low.n--;
    if (low.n > 0 && low.v[low.n - 1] === value) low.t[low.n - 1] = seq;
    else low.push(seq, value);
  }

  /** Highest value noted at `seq` or later. */
  highSince(seq: number): Extreme | undefined {
    const i = this.#high.since(seq);
    return i < this.#high.n ? { value: this.#high.v[i]!, seq: this.#high.t[i]! } : undefined;
  }

  lowSince(seq: number): Extreme | undefined {
    const i = this.#low.since(seq);
    return i < this.#low.n ? { value: this.#low.v[i]!, seq: this.#low.t[i]! } : undefined;
  }
}
