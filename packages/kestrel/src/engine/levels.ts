/**
 * Comparisons as levels. All comparisons of one scalar (a series, or the difference or quotient of two) with constants
 * that are in force stand in one sorted array between two watermarks, so that a value which crosses nothing costs two
 * comparisons however many conditions there are.
 */
import { Extremes } from './extremes.ts';
import type { Series } from './series.ts';

export type Op = '>' | '>=' | '<' | '<=' | '==' | '!=' | 'crosses above' | 'crosses below' | 'any';

/** Side of a level on which the scalar stands; `unset` until it is first known. */
export type Rel = -1 | 0 | 1 | 2;
const UNSET: Rel = 2;

export function holds(op: Op, rel: Rel): boolean {
  switch (op) {
    case '>':
      return rel === 1;
    case '>=':
      return rel === 0 || rel === 1;
    case '<':
      return rel === -1;
    case '<=':
      return rel === 0 || rel === -1;
    case '==':
      return rel === 0;
    case '!=':
      return rel === -1 || rel === 1;
    case 'crosses above':
    case 'crosses below':
    case 'any':
      return false;
  }
}

/** Whoever is told that a condition changed. */
export interface Watcher {
  touched(): void;
}

/** A place in a list that can be left in constant time. */
export interface Place {
  readonly watcher: Watcher;
  list: Place[] | undefined;
  at: number;
}

export function enter(list: Place[], watcher: Watcher): Place {
  const place: Place = { watcher, list, at: list.length };
  list.push(place);
  return place;
}

export function leave(place: Place): void {
  const { list, at } = place;
  if (list === undefined) return;
  const last = list.pop()!;
  if (last !== place) {
    list[at] = last;
    last.at = at;
  }
  place.list = undefined;
}

/** One comparison at one level, shared by every trigger that makes it. */
export class Leaf {
  readonly level: Level;
  readonly op: Op;
  /** Told when it becomes TRUE. */
  readonly up: Place[] = [];
  /** Told when it stops being TRUE. */
  readonly down: Place[] = [];
  /** Event at which a `crosses` last happened. */
  crossedAt = -1;

  constructor(level: Level, op: Op) {
    this.level = level;
    this.op = op;
  }
}

export class Level {
  readonly group: Group;
  readonly threshold: number;
  /** Kept while it is in force. */
  rel: Rel = UNSET;
  readonly leaves: Leaf[] = [];
  /** How many conditions in force stand on it. */
  watched = 0;

  constructor(group: Group, threshold: number) {
    this.group = group;
    this.threshold = threshold;
  }

  leaf(op: Op): Leaf {
    let leaf = this.leaves.find((x) => x.op === op);
    if (leaf === undefined) {
      leaf = new Leaf(this, op);
      this.leaves.push(leaf);
    }
    return leaf;
  }
}

export type Scalar =
  | { readonly kind: 'single'; readonly a: Series }
  /** `a` against `b + threshold`. */
  | { readonly kind: 'difference'; readonly a: Series; readonly b: Series }
  /** `a` against `b × threshold`. */
  | { readonly kind: 'quotient'; readonly a: Series; readonly b: Series }
  /** Any two expressions: the sign of left − right, against the level 0. */
  | { readonly kind: 'sign'; readonly left: () => number; readonly right: () => number };

/** Distance from a level within which doubles are compared exactly at every event rather than by watermark. */
const DIFFERENCE_SLACK = 1e-3;
const QUOTIENT_SLACK = 1e-9;
/** Bounds of a price are drawn in by this much, E4: more than a sum of doubles misses at any price, less than one moves. */
const ROUNDING_E4 = 0.25;

export class Group {
  readonly scalar: Scalar;
  /** The scalar's last known value; NaN before there is one. */
  value = Number.NaN;
  known = false;
  readonly extremes = new Extremes();
  /** Extremes since the last trigger on this scalar began; NaN before a value. */
  high = Number.NaN;
  low = Number.NaN;
  /** Told when what would be a change is another: a level came or went, extremes count anew. */
  onShift: (() => void) | undefined;
  /** Told once when the scalar becomes known. */
  onKnown = new Set<Watcher>();
  /** Told when it becomes UNKNOWN: runs of `held` end there. */
  readonly onUnknown: Place[] = [];

  readonly #slack: number;
  /** Its values are whole numbers. */
  readonly #whole: boolean;
  readonly #known = new Map<number, Level>();
  /** Those in force, by threshold. */
  readonly #levels: Level[] = [];
  #lo = Number.POSITIVE_INFINITY;
  #hi = Number.NEGATIVE_INFINITY;

  /**
   * The open interval in which nothing here changes: between two levels, and not beyond the extremes so far. A scalar
   * of whole numbers that stands on a level, or at its extreme, is quiet as long as it stays there.
   */
  get quietFrom(): number {
    if (!this.known || Number.isNaN(this.low)) return Number.POSITIVE_INFINITY;
    return Math.max(this.#lo, this.#whole ? this.low - 0.5 : this.low);
  }
  /** As `quietTo`, for a scalar that only rises: its own extreme does not count. */
  get quietAbove(): number {
    return this.known ? this.#hi : Number.NEGATIVE_INFINITY;
  }
  get quietTo(): number {
    if (!this.known || Number.isNaN(this.high)) return Number.NEGATIVE_INFINITY;
    return Math.min(this.#hi, this.#whole ? this.high + 0.5 : this.high);
  }

  /**
   * The same for `a` itself, as long as `b` stands still. Where that is UNKNOWN so is the scalar, whatever `a` does.
   */
  get quietFromOfA(): number {
    const { scalar } = this;
    if (scalar.kind === 'single') return this.quietFrom;
    if (scalar.kind !== 'difference') return Number.POSITIVE_INFINITY;
    const b = scalar.b.value();
    return Number.isNaN(b) ? Number.NEGATIVE_INFINITY : this.quietFrom + b + (this.#whole ? 0 : ROUNDING_E4);
  }
  get quietToOfA(): number {
    const { scalar } = this;
    if (scalar.kind === 'single') return this.quietTo;
    if (scalar.kind !== 'difference') return Number.NEGATIVE_INFINITY;
    const b = scalar.b.value();
    return Number.isNaN(b) ? Number.POSITIVE_INFINITY : this.quietTo + b - (this.#whole ? 0 : ROUNDING_E4);
  }

  constructor(scalar: Scalar) {
    this.scalar = scalar;
    this.#whole =
      scalar.kind === 'single' ? scalar.a.exact : scalar.kind === 'difference' && scalar.a.exact && scalar.b.exact;
    this.#slack =
      scalar.kind === 'difference' && !(scalar.a.exact && scalar.b.exact)
        ? DIFFERENCE_SLACK
        : scalar.kind === 'quotient'
          ? QUOTIENT_SLACK
          : 0;
  }

  level(threshold: number): Level {
    let level = this.#known.get(threshold);
    if (level === undefined) {
      level = new Level(this, threshold);
      this.#known.set(threshold, level);
    }
    return level;
  }

  /** A condition on the level is in force from here on; it is set against what the scalar is at event `seq`. */
  watch(level: Level, seq: number): void {
    // Between its levels the scalar may have moved unseen.
    this.refresh(seq);
    if (level.watched++ > 0) return;
    level.rel = this.known ? this.#side(level, this.value) : UNSET;
    this.#levels.splice(this.#from(level.threshold), 0, level);
    this.#watermarks();
    this.onShift?.();
  }

  /** It is in force no more: with the last one the level goes. */
  unwatch(level: Level): void {
    if (--level.watched > 0) return;
    this.#levels.splice(this.#from(level.threshold), 1);
    this.#watermarks();
    // Comparisons with constants are compiled once and stay.
    if (level.leaves.every((x) => x.op === 'any')) this.#known.delete(level.threshold);
  }

  /** Reads the scalar at event `seq` and tells whoever it concerns. */
  refresh(seq: number): void {
    const s = this.scalar;
    let v: number;
    switch (s.kind) {
      case 'single':
        v = s.a.value();
        break;
      case 'difference':
        v = s.a.value() - s.b.value();
        break;
      case 'quotient':
        v = s.a.value() / s.b.value();
        break;
      case 'sign': {
        const left = s.left();
        const right = s.right();
        v = left > right ? 1 : left < right ? -1 : left === right ? 0 : Number.NaN;
        break;
      }
    }
    if (Number.isNaN(v)) {
      if (this.known) {
        this.known = false;
        for (let i = this.onUnknown.length - 1; i >= 0; i--) this.onUnknown[i]!.watcher.touched();
      }
      return;
    }
    const before = this.value;
    if (!this.known) {
      this.known = true;
      // Levels that came into force meanwhile are set against what it is now.
      for (const level of this.#levels) if (level.rel === UNSET) level.rel = this.#side(level, v);
      if (this.onKnown.size > 0) {
        const waiting = this.onKnown;
        this.onKnown = new Set();
        for (const w of waiting) w.touched();
      }
    }
    if (v !== before) {
      this.value = v;
      if (v > this.high || v < this.low || Number.isNaN(this.high)) this.#extreme(seq, v);
    } else if (this.#slack === 0) return;
    if (v > this.#lo && v < this.#hi) return;
    if (Number.isNaN(before)) {
      for (const level of this.#levels) level.rel = this.#side(level, v);
    } else {
      this.#walk(seq, before, v);
    }
    this.#watermarks();
  }

  /** Extremes count anew from here: a trigger that begins now asks later how near the scalar came. */
  beginExtremes(): void {
    this.high = Number.NaN;
    this.low = Number.NaN;
    this.onShift?.();
  }

  #extreme(seq: number, v: number): void {
    if (!(v <= this.high)) this.high = v;
    if (!(v >= this.low)) this.low = v;
    this.extremes.note(seq, v);
  }

  #walk(seq: number, before: number, v: number): void {
    const top = Math.max(before, v);
    const bottom = Math.min(before, v);
    const reach = this.#reach(top);
    const levels = this.#levels;
    for (let i = this.#from(bottom - this.#reach(bottom)); i < levels.length; i++) {
      const level = levels[i]!;
      if (level.threshold > top + reach) break;
      const was = level.rel;
      const now = this.#side(level, v);
      if (was !== now) {
        level.rel = now;
        tell(level, was, now, seq);
      }
    }
  }

  #side(level: Level, v: number): Rel {
    const s = this.scalar;
    let left = v;
    let right = level.threshold;
    if (s.kind === 'difference') {
      left = s.a.value();
      right = s.b.value() + level.threshold;
    } else if (s.kind === 'quotient') {
      left = s.a.value();
      right = s.b.value() * level.threshold;
    }
    return left > right ? 1 : left < right ? -1 : left === right ? 0 : level.rel;
  }

  /** First index with threshold >= x. */
  #from(x: number): number {
    const levels = this.#levels;
    let lo = 0;
    let hi = levels.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (levels[mid]!.threshold < x) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }

  #reach(v: number): number {
    return this.#slack === QUOTIENT_SLACK ? this.#slack * Math.abs(v) : this.#slack;
  }

  #watermarks(): void {
    const v = this.value;
    if (Number.isNaN(v)) {
      this.#lo = Number.POSITIVE_INFINITY;
      return;
    }
    const reach = this.#reach(v) * 2;
    const at = this.#from(v - reach);
    const above = this.#levels[at]?.threshold ?? Number.POSITIVE_INFINITY;
    if (above <= v + reach) {
      if (this.#whole) {
        this.#lo = v - 0.5;
        this.#hi = v + 0.5;
        return;
      }
      // On a level, or too near one to trust a rounded difference: look again at every event.
      this.#lo = Number.POSITIVE_INFINITY;
      this.#hi = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#hi = above - reach;
    this.#lo = at === 0 ? Number.NEGATIVE_INFINITY : this.#levels[at - 1]!.threshold + reach;
  }
}

function tell(level: Level, was: Rel, now: Rel, seq: number): void {
  const leaves = level.leaves;
  for (let k = 0; k < leaves.length; k++) {
    const leaf = leaves[k]!;
    let list: Place[];
    if (leaf.op === 'crosses above' || leaf.op === 'crosses below') {
      const above = leaf.op === 'crosses above';
      if (above ? !(was <= 0 && now === 1) : !((was === 0 || was === 1) && now === -1)) continue;
      leaf.crossedAt = seq;
      list = leaf.up;
    } else if (leaf.op === 'any') {
      list = leaf.up;
    } else {
      const before = holds(leaf.op, was);
      const after = holds(leaf.op, now);
      if (before === after) continue;
      list = after ? leaf.up : leaf.down;
    }
    for (let i = list.length - 1; i >= 0; i--) list[i]!.watcher.touched();
  }
}
