/**
 * Triggers, compiled. A trigger is read when something in it may have changed, at one of the readings the rulings name;
 * a reading gives TRUE, FALSE or UNKNOWN (Kleene) and moves the memory of `crosses`, `held` and `within`.
 */

import type { Extreme } from './extremes.ts';
import { enter, type Group, holds, type Leaf, type Level, leave, type Op, type Place, type Watcher } from './levels.ts';
import { Timer, type TimerKind, type Timers } from './timers.ts';

export const FALSE = 0;
export const TRUE = 1;
export const UNKNOWN = 2;
export type Tri = 0 | 1 | 2;

/** The instant at which triggers are read. */
export interface Instant {
  /** Counts tape events and timers: "the event after" is a greater one. */
  seq: number;
  /** Microseconds. */
  t: number;
  readonly timers: Timers;
}

/** A reading that moves memory, or a look that leaves it alone. */
export type Mode = 'read' | 'look';

export interface Reader {
  readonly instant: Instant;
  mode: Mode;
  /** Scalars met that were UNKNOWN: whoever reads is told when they become known. */
  readonly unknown: Group[];
}

/** Reading through a leaf node, for reports: what blocked, and how near it came. */
export interface Approach {
  readonly text: string;
  readonly distance: number | null;
  readonly unit: string;
  readonly seq: number | null;
}

/** Which changes of a condition its watcher must hear of: those that make it TRUE, those that end it, or both. */
export type Need = 'up' | 'down' | 'both';

export abstract class Node {
  /** Value at this reading. */
  abstract read(r: Reader): Tri;
  /** Value just after it: what `crosses` saw has passed. */
  abstract after(r: Reader): Tri;
  /** Enters the lists that tell `watcher`; timers of clock conditions are set here. */
  abstract watch(watcher: Watcher, r: Reader, need: Need): void;
  abstract unwatch(): void;
  /** Leaves in reading order, for reports. */
  approaches(_since: number): Approach[] {
    return [];
  }
}

export class Constant extends Node {
  readonly value: Tri;
  constructor(value: Tri) {
    super();
    this.value = value;
  }
  read(): Tri {
    return this.value;
  }
  after(): Tri {
    return this.value;
  }
  watch(): void {}
  unwatch(): void {}
}

/** A comparison of market series with a constant level. */
export class LevelNode extends Node {
  readonly leaf: Leaf;
  readonly text: string;
  readonly unit: string;
  #places: Place[] = [];
  #watcher: Watcher | undefined;
  #need: Need = 'both';
  /** Whether both sides were known at some reading of this trigger: `crosses` needs a last one. */
  #memory = false;

  constructor(leaf: Leaf, report: { readonly text: string; readonly unit: string }) {
    super();
    this.leaf = leaf;
    this.text = report.text;
    this.unit = report.unit;
  }

  read(r: Reader): Tri {
    const { leaf } = this;
    const group = leaf.level.group;
    if (!group.known) {
      r.unknown.push(group);
      return UNKNOWN;
    }
    if (leaf.op === 'crosses above' || leaf.op === 'crosses below') {
      if (!this.#memory) {
        if (r.mode === 'read') this.#memory = true;
        return FALSE;
      }
      return leaf.crossedAt === r.instant.seq ? TRUE : FALSE;
    }
    return holds(leaf.op, leaf.level.rel) ? TRUE : FALSE;
  }

  after(r: Reader): Tri {
    const { leaf } = this;
    if (!leaf.level.group.known) {
      r.unknown.push(leaf.level.group);
      return UNKNOWN;
    }
    return holds(leaf.op, leaf.level.rel) ? TRUE : FALSE;
  }

  watch(watcher: Watcher, r: Reader, need: Need): void {
    this.#memory = false;
    const { level } = this.leaf;
    level.group.watch(level, r.instant.seq);
    level.group.beginExtremes();
    this.#watcher = watcher;
    this.#need = need;
    this.resume();
  }
  /** Leaves its lists for a time in which no change of it can matter; its memory stays. */
  pause(): void {
    for (const place of this.#places) leave(place);
    this.#places = [];
  }
  resume(): void {
    const watcher = this.#watcher;
    if (watcher === undefined || this.#places.length > 0) return;
    const need = this.#need;
    // A crossing ends by itself, so that it is heard of when it happens whatever is needed.
    const crosses = this.leaf.op === 'crosses above' || this.leaf.op === 'crosses below';
    if (need !== 'down' || crosses) this.#places.push(enter(this.leaf.up, watcher));
    if (need === 'down') this.#places.push(enter(this.leaf.down, watcher));
    if (need === 'both')
      this.#places.push(enter(this.leaf.down, watcher), enter(this.leaf.level.group.onUnknown, watcher));
  }
  unwatch(): void {
    if (this.#watcher === undefined) return;
    this.pause();
    this.#watcher = undefined;
    const { level } = this.leaf;
    level.group.unwatch(level);
  }

  override approaches(since: number): Approach[] {
    const { level, op } = this.leaf;
    const { extremes } = level.group;
    const th = level.threshold;
    const high = extremes.highSince(since);
    const low = extremes.lowSince(since);
    if (high !== undefined && low !== undefined && wasTrue(op, th, high.value, low.value)) return [];
    const near = nearestOf(op, th, high, low);
    return [{ text: this.text, unit: this.unit, distance: near?.distance ?? null, seq: near?.seq ?? null }];
  }
}

/** Whether the comparison was TRUE for some value between the extremes. */
function wasTrue(op: Op, th: number, high: number, low: number): boolean {
  switch (op) {
    case '>':
      return high > th;
    case '>=':
      return high >= th;
    case '<':
      return low < th;
    case '<=':
      return low <= th;
    default:
      return false;
  }
}

function nearestOf(
  op: Op,
  th: number,
  high: Extreme | undefined,
  low: Extreme | undefined,
): { readonly distance: number; readonly seq: number } | undefined {
  if (high === undefined || low === undefined) return undefined;
  const below = { distance: Math.abs(th - high.value), seq: high.seq };
  const above = { distance: Math.abs(low.value - th), seq: low.seq };
  switch (op) {
    case '>':
    case '>=':
      return below;
    case '<':
    case '<=':
      return above;
    case 'crosses above':
      return high.value <= th ? below : above;
    case 'crosses below':
      return low.value >= th ? above : below;
    default:
      return high.value < th ? below : low.value > th ? above : { distance: 0, seq: high.seq };
  }
}

/** An operand of a comparison that reads the plan's own facts; `value` is NaN while UNKNOWN. */
export interface OwnOperand {
  readonly value: () => number;
}

/** A comparison in which both sides are the plan's own facts or numbers: it changes at the plan's own doings. */
export class OwnNode extends Node {
  readonly left: OwnOperand;
  readonly right: OwnOperand;
  readonly op: Op;
  readonly text: string;
  #side: -1 | 0 | 1 | undefined;

  constructor(spec: { readonly left: OwnOperand; readonly op: Op; readonly right: OwnOperand; readonly text: string }) {
    super();
    this.left = spec.left;
    this.op = spec.op;
    this.right = spec.right;
    this.text = spec.text;
  }
  read(r: Reader): Tri {
    const side = sideOf(this.left.value(), this.right.value());
    if (side === undefined) return UNKNOWN;
    const before = this.#side;
    if (r.mode === 'read') this.#side = side;
    return compareSides(this.op, before, side);
  }
  after(): Tri {
    const side = sideOf(this.left.value(), this.right.value());
    return side === undefined ? UNKNOWN : holds(this.op, side) ? TRUE : FALSE;
  }
  watch(): void {
    this.#side = undefined;
  }
  unwatch(): void {}
  override approaches(): Approach[] {
    return [{ text: this.text, distance: null, unit: '', seq: null }];
  }
}

export function sideOf(left: number, right: number): -1 | 0 | 1 | undefined {
  return left > right ? 1 : left < right ? -1 : left === right ? 0 : undefined;
}

export function compareSides(op: Op, before: -1 | 0 | 1 | undefined, side: -1 | 0 | 1): Tri {
  switch (op) {
    case 'crosses above':
      return before !== undefined && before <= 0 && side === 1 ? TRUE : FALSE;
    case 'crosses below':
      return before !== undefined && before >= 0 && side === -1 ? TRUE : FALSE;
    default:
      return holds(op, side) ? TRUE : FALSE;
  }
}

/**
 * A market series against one of the plan's own facts. The fact stands still between the plan's own doings, so the
 * comparison is a level that moves when the fact does.
 */
export class MixedNode extends Node {
  readonly #group: Group;
  readonly #op: Op;
  readonly #threshold: () => number;
  readonly text: string;
  #watcher: Watcher | undefined;
  #level: Level | undefined;
  #places: Place[] = [];
  #side: -1 | 0 | 1 | undefined;

  readonly #direct: (() => -1 | 0 | 1 | undefined) | undefined;

  constructor(spec: {
    readonly group: Group;
    readonly op: Op;
    readonly threshold: () => number;
    /** The comparison itself, where the scalar is only a sign. */
    readonly side?: () => -1 | 0 | 1 | undefined;
    readonly text: string;
  }) {
    super();
    this.#direct = spec.side;
    this.#group = spec.group;
    this.#op = spec.op;
    this.#threshold = spec.threshold;
    this.text = spec.text;
  }
  read(r: Reader): Tri {
    const side = this.#sideNow(r);
    if (side === undefined) return UNKNOWN;
    const before = this.#side;
    if (r.mode === 'read') this.#side = side;
    return compareSides(this.#op, before, side);
  }
  after(r: Reader): Tri {
    const side = this.#sideNow(r);
    return side === undefined ? UNKNOWN : holds(this.#op, side) ? TRUE : FALSE;
  }
  #sideNow(r: Reader): -1 | 0 | 1 | undefined {
    const threshold = this.#threshold();
    this.#stand(threshold, r);
    if (!this.#group.known) {
      r.unknown.push(this.#group);
      return undefined;
    }
    return this.#direct === undefined ? sideOf(this.#group.value, threshold) : this.#direct();
  }
  /** Moves the level to where the fact stands now. */
  #stand(threshold: number, r: Reader): void {
    if (this.#watcher === undefined || this.#level?.threshold === threshold) return;
    this.#lift();
    if (Number.isNaN(threshold)) return;
    this.#level = this.#group.level(threshold);
    this.#group.watch(this.#level, r.instant.seq);
    this.#places.push(enter(this.#level.leaf('any').up, this.#watcher));
  }
  #lift(): void {
    for (const place of this.#places) leave(place);
    this.#places = [];
    if (this.#level !== undefined) this.#group.unwatch(this.#level);
    this.#level = undefined;
  }
  watch(watcher: Watcher, r: Reader): void {
    this.#watcher = watcher;
    this.#side = undefined;
    this.#places = [];
    this.#stand(this.#threshold(), r);
    this.#unknownPlace = enter(this.#group.onUnknown, watcher);
  }
  #unknownPlace: Place | undefined;
  unwatch(): void {
    this.#lift();
    if (this.#unknownPlace !== undefined) leave(this.#unknownPlace);
    this.#watcher = undefined;
  }
  override approaches(): Approach[] {
    return [{ text: this.text, distance: null, unit: '', seq: null }];
  }
}

/** A condition of the clock: TRUE in [from, to), read anew by a timer at each edge. */
export class ClockNode extends Node {
  readonly #from: number;
  readonly #to: number;
  readonly text: string;
  #stamp = 0;
  #watcher: Watcher | undefined;

  constructor(spec: { readonly from: number; readonly to: number; readonly text: string }) {
    super();
    this.#from = spec.from;
    this.#to = spec.to;
    this.text = spec.text;
  }
  read(r: Reader): Tri {
    const { t } = r.instant;
    return t >= this.#from && t < this.#to ? TRUE : FALSE;
  }
  after(r: Reader): Tri {
    return this.read(r);
  }
  watch(watcher: Watcher, r: Reader): void {
    this.#watcher = watcher;
    const stamp = ++this.#stamp;
    const { t, timers } = r.instant;
    for (const edge of [this.#from, this.#to]) {
      if (edge <= t || edge === Number.POSITIVE_INFINITY) continue;
      timers.push({ t: edge - 0.5, kind: Timer.edge, subject: this, stamp });
      timers.push({ t: edge, kind: Timer.clock, subject: this, stamp });
    }
  }
  unwatch(): void {
    this.#stamp++;
    this.#watcher = undefined;
  }
  /** Who is to be read at the tape events of the edge's own instant. */
  edge(stamp: number): Watcher | undefined {
    return stamp === this.#stamp ? this.#watcher : undefined;
  }
  /** The timer of an edge has come. */
  ring(stamp: number): void {
    if (stamp === this.#stamp) this.#watcher?.touched();
  }
  override approaches(): Approach[] {
    return [{ text: this.text, distance: null, unit: '', seq: null }];
  }
}

/** `plan(x).s`: TRUE from the event after the one at which x reached s. */
export class PlanNode extends Node {
  readonly #reached: () => { readonly from: number; readonly to: number };
  readonly #list: () => Place[];
  readonly text: string;
  #place: Place | undefined;

  constructor(spec: {
    /** Events at which the state was reached, and left (`armed`); Infinity when not. */
    readonly reached: () => { readonly from: number; readonly to: number };
    readonly list: () => Place[];
    readonly text: string;
  }) {
    super();
    this.#reached = spec.reached;
    this.#list = spec.list;
    this.text = spec.text;
  }
  read(r: Reader): Tri {
    const { from, to } = this.#reached();
    return r.instant.seq > from && r.instant.seq <= to ? TRUE : FALSE;
  }
  after(r: Reader): Tri {
    return this.read(r);
  }
  watch(watcher: Watcher): void {
    this.#place = enter(this.#list(), watcher);
  }
  unwatch(): void {
    if (this.#place !== undefined) leave(this.#place);
  }
  override approaches(): Approach[] {
    return [{ text: this.text, distance: null, unit: '', seq: null }];
  }
}

export class Not extends Node {
  readonly of: Node;
  constructor(of: Node) {
    super();
    this.of = of;
  }
  read(r: Reader): Tri {
    return not(this.of.read(r));
  }
  after(r: Reader): Tri {
    return not(this.of.after(r));
  }
  watch(watcher: Watcher, r: Reader, need: Need): void {
    this.of.watch(watcher, r, need === 'up' ? 'down' : need === 'down' ? 'up' : 'both');
  }
  unwatch(): void {
    this.of.unwatch();
  }
  override approaches(since: number): Approach[] {
    return this.of.approaches(since).map((a) => ({ ...a, text: `NOT ${a.text}`, distance: null, seq: null }));
  }
}

function not(v: Tri): Tri {
  return v === UNKNOWN ? UNKNOWN : v === TRUE ? FALSE : TRUE;
}

export class All extends Node {
  readonly of: readonly Node[];
  readonly sense: 'and' | 'or';
  constructor(sense: 'and' | 'or', of: readonly Node[]) {
    super();
    this.sense = sense;
    this.of = of;
  }
  /** Comparisons that wait for a clock or a plan among the parts, all of which must be TRUE first. */
  #gated: readonly LevelNode[] = [];
  #gates: readonly Node[] = [];
  #shut = false;

  // Every part is read even when the first decides: reading moves their memory.
  read(r: Reader): Tri {
    if (this.#shut && this.#gates.every((gate) => gate.read(r) === TRUE)) {
      this.#shut = false;
      for (const x of this.#gated) x.resume();
    }
    const decisive = this.sense === 'and' ? FALSE : TRUE;
    let out: Tri = this.sense === 'and' ? TRUE : FALSE;
    for (let i = 0; i < this.of.length; i++) out = join(out, this.of[i]!.read(r), decisive);
    return out;
  }
  after(r: Reader): Tri {
    const decisive = this.sense === 'and' ? FALSE : TRUE;
    let out: Tri = this.sense === 'and' ? TRUE : FALSE;
    for (let i = 0; i < this.of.length; i++) out = join(out, this.of[i]!.after(r), decisive);
    return out;
  }
  watch(watcher: Watcher, r: Reader, need: Need): void {
    for (const x of this.of) x.watch(watcher, r, need);
    if (this.sense !== 'and' || need !== 'up') return;
    this.#gates = this.of.filter((x) => x instanceof ClockNode || x instanceof PlanNode);
    if (this.#gates.every((gate) => gate.read(r) === TRUE)) return;
    // While a gate is shut nothing else can make the whole TRUE, so nothing else is heard of.
    this.#gated = this.of.filter((x) => x instanceof LevelNode);
    this.#shut = true;
    for (const x of this.#gated) x.pause();
  }
  unwatch(): void {
    this.#shut = false;
    for (const x of this.of) x.unwatch();
  }
  override approaches(since: number): Approach[] {
    return this.of.flatMap((x) => x.approaches(since));
  }
}

function join(a: Tri, b: Tri, decisive: Tri): Tri {
  if (a === decisive || b === decisive) return decisive;
  return a === UNKNOWN || b === UNKNOWN ? UNKNOWN : a;
}

/** A condition over another one and a span of time, which wakes itself by a timer. */
abstract class Timed extends Node {
  readonly of: Node;
  readonly #d: number;
  /** Moves on whenever a timer that runs has lost its meaning. */
  #stamp = 0;
  #watcher: Watcher | undefined;

  constructor(of: Node, d: number) {
    super();
    this.of = of;
    this.#d = d;
  }
  /** Its memory as it begins: nothing has been seen. */
  protected abstract begin(): void;
  /** The timer has come. */
  protected abstract due(): void;

  watch(watcher: Watcher, r: Reader): void {
    this.#watcher = watcher;
    this.begin();
    this.#stamp++;
    this.of.watch(watcher, r, 'both');
  }
  unwatch(): void {
    this.#stamp++;
    this.#watcher = undefined;
    this.of.unwatch();
  }
  ring(stamp: number): void {
    if (stamp !== this.#stamp) return;
    this.due();
    this.#watcher?.touched();
  }
  protected startTimer(r: Reader, kind: TimerKind): void {
    this.#stamp++;
    r.instant.timers.push({ t: r.instant.t + this.#d, kind, subject: this, stamp: this.#stamp });
  }
  protected stopTimer(): void {
    this.#stamp++;
  }
}

/** `c held d`: TRUE once c has been TRUE without a break for d, confirmed by a timer at that instant. */
export class Held extends Timed {
  #running = false;
  #confirmed = false;

  read(r: Reader): Tri {
    const inner = this.of.read(r);
    if (r.mode === 'look') return inner === TRUE ? (this.#confirmed ? TRUE : FALSE) : inner;
    if (inner !== TRUE || this.of.after(r) !== TRUE) {
      if (this.#running) this.stopTimer();
      this.#running = false;
      this.#confirmed = false;
      return inner === UNKNOWN ? UNKNOWN : FALSE;
    }
    if (!this.#running) {
      this.#running = true;
      this.startTimer(r, Timer.held);
    }
    return this.#confirmed ? TRUE : FALSE;
  }
  after(r: Reader): Tri {
    const inner = this.of.after(r);
    return inner === TRUE ? (this.#confirmed ? TRUE : FALSE) : inner;
  }
  protected begin(): void {
    this.#running = false;
    this.#confirmed = false;
  }
  protected due(): void {
    this.#confirmed = true;
  }
  override approaches(since: number): Approach[] {
    const inner = this.of.approaches(since);
    return inner.length > 0 ? inner : [{ text: 'held', distance: null, unit: '', seq: null }];
  }
}

/** `c within d`: TRUE while c is, and until a timer d after the reading that ended it. */
export class Within extends Timed {
  #open = false;
  #lasting = false;

  read(r: Reader): Tri {
    const inner = this.of.read(r);
    if (r.mode === 'look') return inner === TRUE || this.#open || this.#lasting ? TRUE : inner;
    const still = inner === TRUE && this.of.after(r) === TRUE;
    if (still) {
      this.#open = true;
    } else if (inner === TRUE || this.#open) {
      this.#open = false;
      this.#lasting = true;
      this.startTimer(r, Timer.within);
    }
    return inner === TRUE || this.#lasting ? TRUE : inner;
  }
  after(r: Reader): Tri {
    const inner = this.of.after(r);
    return inner === TRUE || this.#lasting ? TRUE : inner;
  }
  protected begin(): void {
    this.#open = false;
    this.#lasting = false;
  }
  protected due(): void {
    this.#lasting = false;
  }
  override approaches(since: number): Approach[] {
    return this.of.approaches(since);
  }
}

/** What a trigger is for: a level acts while TRUE, a rise only when it becomes so (and is told of every change). */
export type Sense = 'level' | 'rise';

/**
 * One trigger of one plan or wake: watched while its clause is in force.
 */
export class Trigger implements Watcher {
  readonly root: Node;
  readonly sense: Sense;
  /** Slots of the symbols it names; the signal's when it names none. */
  readonly slots: readonly number[];
  readonly owner: { readonly touched: (trigger: Trigger) => void };
  /** Whether it reads what is left of the budget, which moves with orders as well as fills. */
  readonly readsBudget: boolean;
  /** Whether it reads states of other plans. */
  readonly readsPlans: boolean;
  active = false;
  /** Event at which it was last put on the list of those to read. */
  touchedAt = -1;
  /** Event at which a reading at the next one was asked for. */
  owedFrom = -1;
  /** Event from which it has been in force. */
  since = -1;
  #last: Tri = UNKNOWN;
  #lastAfter: Tri = UNKNOWN;

  constructor(spec: {
    readonly root: Node;
    readonly sense: Sense;
    readonly slots: readonly number[];
    readonly owner: { readonly touched: (trigger: Trigger) => void };
    readonly readsBudget: boolean;
    readonly readsPlans: boolean;
  }) {
    this.root = spec.root;
    this.sense = spec.sense;
    this.slots = spec.slots;
    this.owner = spec.owner;
    this.readsBudget = spec.readsBudget;
    this.readsPlans = spec.readsPlans;
  }

  touched(): void {
    if (this.active) this.owner.touched(this);
  }

  /** Puts it in force, with the one silent reading that sets its memory. */
  start(r: Reader): Tri {
    this.active = true;
    this.since = r.instant.seq;
    this.#last = UNKNOWN;
    this.#lastAfter = UNKNOWN;
    this.root.watch(this, r, this.sense === 'rise' ? 'both' : 'up');
    return this.#take(r);
  }

  stop(): void {
    if (!this.active) return;
    this.active = false;
    this.root.unwatch();
  }

  /** @returns 'rise' when it is TRUE now and was FALSE when last known, else its value */
  read(r: Reader): Tri | 'rise' {
    // What `crosses` saw ended as it happened.
    const before = this.#lastAfter !== UNKNOWN ? this.#lastAfter : this.#last;
    const v = this.#take(r);
    return v === TRUE && before === FALSE ? 'rise' : v;
  }

  /** Its value now, leaving memory alone. */
  look(r: Reader): Tri {
    r.mode = 'look';
    const v = this.root.read(r);
    r.mode = 'read';
    r.unknown.length = 0;
    return v;
  }

  #take(r: Reader): Tri {
    r.unknown.length = 0;
    const v = this.root.read(r);
    for (let i = 0; i < r.unknown.length; i++) {
      r.unknown[i]!.onKnown.add(this);
    }
    if (v !== UNKNOWN) this.#last = v;
    const after = this.root.after(r);
    r.unknown.length = 0;
    if (v !== UNKNOWN) this.#lastAfter = after;
    return v;
  }
}
