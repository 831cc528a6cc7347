/** Deadlines, ordered by (time, creation): a binary heap over typed arrays. */

export const Timer = {
  ttl: 0,
  clock: 1,
  held: 2,
  within: 3,
  arrive: 4,
  replace: 5,
  esc: 6,
  arm: 7,
  standDown: 8,
  /** Half a microsecond before a clock condition changes: before the tape events of that instant. */
  edge: 9,
} as const;
export type TimerKind = (typeof Timer)[keyof typeof Timer];

export class Timers {
  /** Time of the earliest deadline, Infinity when there is none. The hot loop reads this and nothing else. */
  next = Number.POSITIVE_INFINITY;
  /** What the last `pop` took. */
  time = 0;
  kind: TimerKind = Timer.ttl;
  subject: object | undefined = undefined;
  stamp = 0;

  #size = 0;
  #created = 0;
  #t = new Float64Array(64);
  #seq = new Float64Array(64);
  #slot = new Int32Array(64);
  // What a deadline is about, by slot, so that the heap itself moves numbers only.
  #kinds: TimerKind[] = [];
  #subjects: (object | undefined)[] = [];
  #stamps: number[] = [];
  #free: number[] = [];

  /**
   * @param stamp returned with the deadline: a subject whose stamp has moved on since ignores it
   */
  push(deadline: { t: number; kind: TimerKind; subject: object; stamp: number }): void {
    if (this.#size === this.#t.length) this.#grow();
    const slot = this.#free.pop() ?? this.#kinds.length;
    this.#kinds[slot] = deadline.kind;
    this.#subjects[slot] = deadline.subject;
    this.#stamps[slot] = deadline.stamp;
    const seq = this.#created++;
    let i = this.#size++;
    const t = this.#t;
    const s = this.#seq;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (t[up]! < deadline.t || (t[up] === deadline.t && s[up]! < seq)) break;
      t[i] = t[up]!;
      s[i] = s[up]!;
      this.#slot[i] = this.#slot[up]!;
      i = up;
    }
    t[i] = deadline.t;
    s[i] = seq;
    this.#slot[i] = slot;
    this.next = t[0]!;
  }

  /** Takes the earliest deadline into `time`, `kind`, `subject`, `stamp`. Only when `next` is finite. */
  pop(): void {
    const slot = this.#slot[0]!;
    this.time = this.#t[0]!;
    this.kind = this.#kinds[slot]!;
    this.subject = this.#subjects[slot];
    this.stamp = this.#stamps[slot]!;
    this.#subjects[slot] = undefined;
    this.#free.push(slot);
    const n = --this.#size;
    if (n === 0) {
      this.next = Number.POSITIVE_INFINITY;
      return;
    }
    const t = this.#t;
    const s = this.#seq;
    const lastT = t[n]!;
    const lastS = s[n]!;
    const lastSlot = this.#slot[n]!;
    let i = 0;
    for (;;) {
      let down = 2 * i + 1;
      if (down >= n) break;
      const right = down + 1;
      if (right < n && (t[right]! < t[down]! || (t[right] === t[down] && s[right]! < s[down]!))) down = right;
      if (lastT < t[down]! || (lastT === t[down] && lastS < s[down]!)) break;
      t[i] = t[down]!;
      s[i] = s[down]!;
      this.#slot[i] = this.#slot[down]!;
      i = down;
    }
    t[i] = lastT;
    s[i] = lastS;
    this.#slot[i] = lastSlot;
    this.next = t[0]!;
  }

  #grow(): void {
    const n = this.#t.length * 2;
    const t = new Float64Array(n);
    t.set(this.#t);
    this.#t = t;
    const s = new Float64Array(n);
    s.set(this.#seq);
    this.#seq = s;
    const slot = new Int32Array(n);
    slot.set(this.#slot);
    this.#slot = slot;
  }
}
