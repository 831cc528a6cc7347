// Triggers that can never be true, or always are: contradictions of ranges, of a series with itself, of an instant held.
import { seriesText } from './literals.ts';
import type { Cmp, Condition, Operand, Percentile, Series, Trigger } from './model.ts';
import { triggerText } from './print.ts';
import { series } from './series.ts';

/** Local seconds of day at which the session opens and closes. */
export interface SessionHours {
  readonly openS: number;
  readonly closeS: number;
}

export type Constancy = 'never' | 'always';

/** A trigger, or a part of one, whose value no tape can change. */
export interface Constant {
  readonly trigger: Trigger;
  readonly value: Constancy;
}

/** Hours to judge clocks by (none: clocks are not judged), and what has been found out already. */
interface Judge {
  readonly hours: SessionHours | undefined;
  readonly values: Map<Trigger, Constancy | undefined>;
  readonly texts: Map<Trigger, string>;
}

/** The largest parts of `trigger` that are constant; the clock's part is judged for the whole trigger only. */
export function constants(trigger: Trigger, hours: SessionHours): readonly Constant[] {
  // Most triggers are one condition, which has no parts to remember.
  const inner = parts(trigger);
  const judged: Judge =
    inner.length === 0 ? { hours, ...nothingKnown } : { hours, values: new Map(), texts: new Map() };
  const whole = inner.length === 0 ? ofCondition(trigger as Condition, judged) : constancy(trigger, judged);
  if (whole !== undefined) return [{ trigger, value: whole }];
  if (inner.length === 0) return [];
  const found: Constant[] = [];
  // Without a clock in it, what was found out for the whole holds for the parts.
  const judge: Judge = readsClock(trigger) ? { hours: undefined, values: new Map(), texts: judged.texts } : judged;
  for (const part of inner) collect(part, judge, found);
  return found;
}

/** For a condition: nobody asks for it twice, and nothing is written here. */
const nothingKnown: Pick<Judge, 'values' | 'texts'> = { values: new Map(), texts: new Map() };

function readsClock(trigger: Trigger): boolean {
  if (trigger.kind === 'time' || trigger.kind === 'to-close') return true;
  return parts(trigger).some(readsClock);
}

function collect(trigger: Trigger, judge: Judge, found: Constant[]): void {
  const value = constancy(trigger, judge);
  if (value !== undefined) {
    found.push({ trigger, value });
    return;
  }
  for (const part of parts(trigger)) collect(part, judge, found);
}

function parts(trigger: Trigger): readonly Trigger[] {
  switch (trigger.kind) {
    case 'and':
    case 'or':
      return trigger.of;
    case 'not':
    case 'paren':
    case 'held':
    case 'within':
      return [trigger.of];
    default:
      return [];
  }
}

/** Remembered, because every part that holds a part asks for it again. */
function constancy(trigger: Trigger, judge: Judge): Constancy | undefined {
  if (judge.values.has(trigger)) return judge.values.get(trigger);
  const value = judged(trigger, judge);
  judge.values.set(trigger, value);
  return value;
}

function judged(trigger: Trigger, judge: Judge): Constancy | undefined {
  switch (trigger.kind) {
    case 'paren':
      return constancy(trigger.of, judge);
    case 'not':
      return opposite(constancy(trigger.of, judge));
    case 'within':
      return constancy(trigger.of, judge);
    case 'held':
      // A crossing is true at one instant, so that nothing with a crossing in it can stay true for a while.
      if (momentary(trigger.of) && trigger.duration.n > 0) return 'never';
      return constancy(trigger.of, judge);
    case 'and':
    case 'or':
      return ofJunction(trigger, judge);
    default:
      return ofCondition(trigger, judge);
  }
}

function opposite(value: Constancy | undefined): Constancy | undefined {
  return value === undefined ? undefined : value === 'never' ? 'always' : 'never';
}

function momentary(trigger: Trigger): boolean {
  switch (trigger.kind) {
    case 'crosses':
      return true;
    case 'paren':
      return momentary(trigger.of);
    case 'and':
      return trigger.of.some(momentary);
    case 'or':
      return trigger.of.every(momentary);
    default:
      return false;
  }
}

// ---------------------------------------------------------------- AND and OR

/** `of` under AND is never true where one part is, or where two exclude each other; OR is the mirror image. */
function ofJunction(trigger: Extract<Trigger, { kind: 'and' | 'or' }>, judge: Judge): Constancy | undefined {
  const decisive: Constancy = trigger.kind === 'and' ? 'never' : 'always';
  const flat: Trigger[] = [];
  flatten(trigger, trigger.kind, flat);
  let idle = 0;
  for (const part of flat) {
    const value = constancy(part, judge);
    if (value === decisive) return decisive;
    if (value !== undefined) idle++;
  }
  if (idle === flat.length) return opposite(decisive);
  return exclude(flat, trigger.kind, judge) ? decisive : undefined;
}

function flatten(trigger: Trigger, kind: 'and' | 'or', into: Trigger[]): void {
  if (trigger.kind === 'paren') flatten(trigger.of, kind, into);
  else if (trigger.kind === kind) for (const part of trigger.of) flatten(part, kind, into);
  else into.push(trigger);
}

/** Whether the parts cannot all hold (AND), or cannot all fail (OR). */
function exclude(flat: readonly Trigger[], kind: 'and' | 'or', judge: Judge): boolean {
  const ranges = new Map<string, Range>();
  const seen = new Map<string, boolean>();
  const phases = new Set<string>();
  for (const part of flat) {
    const { positive, of } = unNegate(part);
    let text = judge.texts.get(of);
    if (text === undefined) {
      text = triggerText(of);
      judge.texts.set(of, text);
    }
    const before = seen.get(text);
    if (before !== undefined && before !== positive) return true;
    seen.set(text, positive);
    const holds = kind === 'and' ? positive : !positive;
    if (holds && of.kind === 'phase') phases.add(of.phase);
    for (const { key, range } of rangesOf(of, { holds, judge })) {
      const known = ranges.get(key);
      const now = known === undefined ? range : intersect(known, range);
      if (isEmpty(now)) return true;
      ranges.set(key, now);
    }
  }
  return phases.size > 1;
}

function unNegate(trigger: Trigger): { readonly positive: boolean; readonly of: Trigger } {
  let positive = true;
  let of = trigger;
  while (of.kind === 'not' || of.kind === 'paren') {
    if (of.kind === 'not') positive = !positive;
    of = of.of;
  }
  return { positive, of };
}

// ---------------------------------------------------------------- ranges

/** Values between two bounds, less single exceptions. */
interface Range {
  readonly low: number;
  readonly lowOpen: boolean;
  readonly high: number;
  readonly highOpen: boolean;
  readonly exceptions: readonly number[];
}

function rangeWhere(cmp: Cmp, value: number): Range {
  switch (cmp) {
    case '>':
      return { low: value, lowOpen: true, high: Number.POSITIVE_INFINITY, highOpen: true, exceptions: [] };
    case '>=':
      return { low: value, lowOpen: false, high: Number.POSITIVE_INFINITY, highOpen: true, exceptions: [] };
    case '<':
      return { low: Number.NEGATIVE_INFINITY, lowOpen: true, high: value, highOpen: true, exceptions: [] };
    case '<=':
      return { low: Number.NEGATIVE_INFINITY, lowOpen: true, high: value, highOpen: false, exceptions: [] };
    case '==':
      return { low: value, lowOpen: false, high: value, highOpen: false, exceptions: [] };
    case '!=':
      return {
        low: Number.NEGATIVE_INFINITY,
        lowOpen: true,
        high: Number.POSITIVE_INFINITY,
        highOpen: true,
        exceptions: [value],
      };
    default:
      return cmp satisfies never;
  }
}

function intersect(a: Range, b: Range): Range {
  const low = Math.max(a.low, b.low);
  const high = Math.min(a.high, b.high);
  return {
    low,
    lowOpen: (a.low === low && a.lowOpen) || (b.low === low && b.lowOpen),
    high,
    highOpen: (a.high === high && a.highOpen) || (b.high === high && b.highOpen),
    exceptions: a.exceptions.length === 0 ? b.exceptions : [...a.exceptions, ...b.exceptions],
  };
}

function isEmpty(range: Range): boolean {
  if (range.low > range.high) return true;
  if (range.low < range.high) return false;
  return range.lowOpen || range.highOpen || range.exceptions.includes(range.low);
}

const negation: Readonly<Record<Cmp, Cmp>> = {
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
  '==': '!=',
  '!=': '==',
};

const mirror: Readonly<Record<Cmp, Cmp>> = { '>': '<', '>=': '<=', '<': '>', '<=': '>=', '==': '==', '!=': '!=' };

/** What a condition says of one quantity when it holds, or when it does not. */
function rangesOf(
  trigger: Trigger,
  { holds, judge }: { readonly holds: boolean; readonly judge: Judge },
): readonly { readonly key: string; readonly range: Range }[] {
  const where = (key: string, cmp: Cmp, value: number): readonly { key: string; range: Range }[] => [
    { key, range: rangeWhere(holds ? cmp : negation[cmp], value) },
  ];
  switch (trigger.kind) {
    case 'compare': {
      const relation = relationOf(trigger.left, trigger.right);
      return relation === undefined
        ? []
        : where(relation.key, relation.mirrored ? mirror[trigger.cmp] : trigger.cmp, relation.value);
    }
    case 'crosses': {
      // That a crossing does not happen says nothing of where the sides stand.
      if (!holds) return [];
      const relation = relationOf(trigger.left, trigger.right);
      const cmp: Cmp = trigger.dir === 'above' ? '>' : '<';
      return relation === undefined ? [] : where(relation.key, relation.mirrored ? mirror[cmp] : cmp, relation.value);
    }
    case 'time': {
      const { h, m, s } = trigger.clock;
      return where('time', trigger.cmp, h * 3_600 + m * 60 + (s ?? 0));
    }
    case 'to-close':
      return judge.hours === undefined ? [] : where('time', '>=', judge.hours.closeS - trigger.minutes * 60);
    default:
      return [];
  }
}

/** A comparison as `key cmp value`; `mirrored` where the sides were exchanged to get there. */
interface Relation {
  readonly key: string;
  readonly value: number;
  readonly mirrored: boolean;
}

function relationOf(left: Operand, right: Operand | Percentile): Relation | undefined {
  if (left.kind === 'number') {
    if (right.kind !== 'series') return undefined;
    const relation = relationOf(right, left);
    return relation === undefined ? undefined : { ...relation, mirrored: !relation.mirrored };
  }
  if (left.offset !== undefined) return undefined;
  const key = seriesText(left);
  switch (right.kind) {
    case 'number':
      return { key, value: inSeriesUnit(right.e4, right.unit), mirrored: false };
    case 'percentile':
      return { key: `${key} percentile`, value: right.e4, mirrored: false };
    case 'series': {
      if (right.offset !== undefined) return undefined;
      const other = seriesText(right);
      return key <= other
        ? { key: `${key} less ${other}`, value: 0, mirrored: false }
        : { key: `${other} less ${key}`, value: 0, mirrored: true };
    }
    default:
      return right satisfies never;
  }
}

function inSeriesUnit(e4: number, unit: string | undefined): number {
  return unit === 'c' ? e4 / 100 : e4;
}

// ---------------------------------------------------------------- single conditions

function ofCondition(condition: Condition, judge: Judge): Constancy | undefined {
  switch (condition.kind) {
    case 'compare':
      return ofComparison(condition);
    case 'crosses': {
      const { left, right } = condition;
      if (left.kind === 'number' && right.kind === 'number') return 'never';
      return fixedDifference(left, right) === undefined ? undefined : 'never';
    }
    case 'time': {
      const { h, m, s } = condition.clock;
      if (judge.hours === undefined || h > 23 || m > 59 || (s ?? 0) > 59) return undefined;
      return duringSession(rangeWhere(condition.cmp, h * 3_600 + m * 60 + (s ?? 0)), judge.hours);
    }
    case 'to-close':
      return judge.hours === undefined
        ? undefined
        : duringSession(rangeWhere('>=', judge.hours.closeS - condition.minutes * 60), judge.hours);
    case 'phase':
    case 'plan':
      return undefined;
    default:
      return condition satisfies never;
  }
}

/** A session that runs over midnight has no single order of clocks, so nothing is said of it. */
function duringSession(range: Range, { openS, closeS }: SessionHours): Constancy | undefined {
  if (openS >= closeS) return undefined;
  const session: Range = { low: openS, lowOpen: false, high: closeS, highOpen: false, exceptions: [] };
  return within(session, range);
}

/** Whether every value of `domain`, or none, is in `range`. */
function within(domain: Range, range: Range): Constancy | undefined {
  if (isEmpty(intersect(domain, range))) return 'never';
  const above = range.low < domain.low || (range.low === domain.low && (!range.lowOpen || domain.lowOpen));
  const below = range.high > domain.high || (range.high === domain.high && (!range.highOpen || domain.highOpen));
  return above && below && range.exceptions.length === 0 ? 'always' : undefined;
}

function ofComparison(condition: Extract<Condition, { kind: 'compare' }>): Constancy | undefined {
  const { left, cmp, right } = condition;
  if (right.kind === 'percentile') return undefined;
  if (left.kind === 'number' && right.kind === 'number') {
    return truth(cmp, inSeriesUnit(left.e4, left.unit) - inSeriesUnit(right.e4, right.unit));
  }
  const difference = fixedDifference(left, right);
  if (difference !== undefined) return truth(cmp, difference);
  const relation = relationOf(left, right);
  const one = left.kind === 'series' ? left : (right as Series);
  if (relation === undefined || (left.kind === 'series' && right.kind === 'series')) return undefined;
  const row = series.get(one.name);
  if (row?.leastE4 === undefined && row?.greatestE4 === undefined) return undefined;
  const domain: Range = {
    low: row.leastE4 ?? Number.NEGATIVE_INFINITY,
    lowOpen: row.leastE4 === undefined,
    high: row.greatestE4 ?? Number.POSITIVE_INFINITY,
    highOpen: row.greatestE4 === undefined,
    exceptions: [],
  };
  return within(domain, rangeWhere(relation.mirrored ? mirror[cmp] : cmp, relation.value));
}

function truth(cmp: Cmp, difference: number): Constancy {
  const range = rangeWhere(cmp, 0);
  return isEmpty(intersect(range, rangeWhere('==', difference))) ? 'never' : 'always';
}

/** `left - right` where both are one series, apart by literals of one kind; undefined where it is not fixed. */
function fixedDifference(left: Operand, right: Operand): number | undefined {
  if (left.kind !== 'series' || right.kind !== 'series' || seriesText(left) !== seriesText(right)) return undefined;
  const a = absoluteOffset(left);
  const b = absoluteOffset(right);
  if (a === undefined || b === undefined) {
    const same =
      left.offset !== undefined &&
      right.offset !== undefined &&
      left.offset.sign === right.offset.sign &&
      left.offset.offset.unit === right.offset.offset.unit &&
      left.offset.offset.e4 === right.offset.offset.e4;
    return same ? 0 : undefined;
  }
  return a - b;
}

function absoluteOffset(operand: Series): number | undefined {
  if (operand.offset === undefined) return 0;
  const { sign, offset } = operand.offset;
  if (offset.unit !== '$' && offset.unit !== 'c') return offset.e4 === 0 ? 0 : undefined;
  return sign * inSeriesUnit(offset.e4, offset.unit);
}
