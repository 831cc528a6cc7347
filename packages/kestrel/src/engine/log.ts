/** Two growing columns: when, and what. Times never fall along a log. */

export class Log {
  t: Float64Array;
  v: Float64Array;
  n = 0;

  constructor(capacity = 16) {
    this.t = new Float64Array(capacity);
    this.v = new Float64Array(capacity);
  }

  push(t: number, v: number): void {
    if (this.n === this.t.length) {
      this.t = grown(this.t);
      this.v = grown(this.v);
    }
    this.t[this.n] = t;
    this.v[this.n] = v;
    this.n++;
  }

  /** First index with time >= from. */
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

function grown(column: Float64Array): Float64Array {
  const more = new Float64Array(column.length * 2);
  more.set(column);
  return more;
}
