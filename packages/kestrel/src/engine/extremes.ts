/**
 * Highest and lowest value since any past instant, kept as two monotone stacks: what a later, more extreme value has
 * overtaken can never be an answer again, so the stacks stay short.
 */

export interface Extreme {
  readonly value: number;
  /** The event at which it was last reached. */
  readonly seq: number;
}

class Stack {
  t = new Float64Array(16);
  v = new Float64Array(16);
  n = 0;

  push(t: number, v: number): void {
    if (this.n === this.t.length) {
      const bigger = new Float64Array(this.n * 2);
      bigger.set(this.t);
      this.t = bigger;
      const values = new Float64Array(this.n * 2);
      values.set(this.v);
      this.v = values;
    }
    this.t[this.n] = t;
    this.v[this.n] = v;
    this.n++;
  }

  /** First index with time >= from; times rise along the stack. */
  since(from: number): number {
    let lo = 0;
    let hi = this.n;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (this.t[mid]! < from) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }
}

export class Extremes {
  #high = new Stack();
  #low = new Stack();

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
