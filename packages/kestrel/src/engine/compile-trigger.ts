/** Trigger text to nodes: each comparison finds its shared level, each own fact its plan. */

import { amountText, clockText, offsetText, seriesText } from '../lang/literals.ts';
import type {
  Condition,
  NumberOperand,
  Operand,
  Percentile,
  Series as SeriesText,
  Trigger as TriggerText,
} from '../lang/model.ts';
import type { Tape } from '../market/columns.ts';
import { durationUs, phaseSpan, type SessionClock } from './clock.ts';
import { Group, type Op, type Place } from './levels.ts';
import { offsetBy } from './price.ts';
import { distributionKey, resolveSeries, type Series, type SeriesSource, type Unit } from './series.ts';
import {
  All,
  ClockNode,
  Constant,
  compareSides,
  Held,
  LevelNode,
  MixedNode,
  type Node,
  Not,
  OwnNode,
  PlanNode,
  sideOf,
  Trigger,
  Within,
} from './triggers.ts';
import { percentile } from './windows.ts';

/** Why a plan cannot stand on this tape. */
export class Disarm extends Error {
  override readonly name = 'Disarm';
  readonly why: 'no-reference' | 'series-unavailable' | 'not-supported';
  constructor(why: Disarm['why'], what: string) {
    super(what);
    this.why = why;
  }
}

/** Groups of a tape, found by what they compare. */
export interface GroupHub {
  readonly source: SeriesSource;
  readonly tape: Tape;
  /** A group under its key, made by `make` when it is new; it is refreshed at events that move `reads`. */
  group(key: string, reads: readonly Series[], make: () => Group): Group;
  /** A number not given before. */
  fresh(): number;
}

/** What a trigger is read for: a plan with its facts, or a wake with none. */
export interface TriggerPlace {
  readonly signal: number;
  readonly owner: { readonly touched: (trigger: Trigger) => void };
  readonly fact: ((name: string) => number) | undefined;
  readonly slotOf: (symbol: string) => number | undefined;
  readonly session: SessionClock;
  readonly plan: (name: string) =>
    | {
        readonly reached: Readonly<Record<string, number>>;
        readonly armedUntil: () => number;
        readonly readers: Place[];
      }
    | undefined;
}

const OWN = new Set(['fills.avg_px', 'fills.qty', 'position.qty', 'pnl.realized', 'budget.left']);
const OWN_UNIT: Readonly<Record<string, Unit>> = {
  'fills.avg_px': 'price',
  'fills.qty': 'count',
  'position.qty': 'count',
  'pnl.realized': 'R',
  'budget.left': 'R',
};

const MIRROR: Readonly<Record<Op, Op>> = {
  '>': '<',
  '>=': '<=',
  '<': '>',
  '<=': '>=',
  '==': '==',
  '!=': '!=',
  'crosses above': 'crosses below',
  'crosses below': 'crosses above',
  any: 'any',
};

export function compileTrigger(
  text: TriggerText,
  sense: 'level' | 'rise',
  place: TriggerPlace,
  hub: GroupHub,
): Trigger {
  const slots = new Set<number>();
  let readsBudget = false;
  let readsPlans = false;
  const root = compile(text);
  if (slots.size === 0) slots.add(place.signal);
  const list = [...slots];
  return new Trigger({
    root,
    sense,
    slots: list,
    owner: place.owner,
    readsBudget,
    readsPlans,
  });

  function compile(x: TriggerText): Node {
    switch (x.kind) {
      case 'and':
      case 'or':
        return new All(x.kind, x.of.map(compile));
      case 'not':
        return new Not(compile(x.of));
      case 'paren':
        return compile(x.of);
      case 'held':
        return new Held(compile(x.of), durationUs(x.duration));
      case 'within':
        return new Within(compile(x.of), durationUs(x.duration));
      default:
        return condition(x);
    }
  }

  function condition(x: Condition): Node {
    switch (x.kind) {
      case 'compare':
        return comparison(x.left, x.cmp, x.right);
      case 'crosses':
        return comparison(x.left, x.dir === 'above' ? 'crosses above' : 'crosses below', x.right);
      case 'phase':
        return new ClockNode({ ...phaseSpan(x.phase, place.session), text: `phase ${x.phase}` });
      case 'to-close':
        return new ClockNode({
          from: place.session.close - x.minutes * 60_000_000,
          to: Number.POSITIVE_INFINITY,
          text: `T-${x.minutes}`,
        });
      case 'time': {
        const at = place.session.at(x.clock);
        const text = `time ${x.cmp} ${clockText(x.clock)}`;
        return x.cmp === '<'
          ? new ClockNode({ from: Number.NEGATIVE_INFINITY, to: at, text })
          : new ClockNode({ from: at, to: Number.POSITIVE_INFINITY, text });
      }
      case 'plan': {
        readsPlans = true;
        const name = x.plan;
        const { state } = x;
        const never = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY };
        return new PlanNode({
          reached: () => {
            const p = place.plan(name);
            if (p === undefined) return never;
            const from = p.reached[state]!;
            const until = p.armedUntil();
            return { from, to: state === 'armed' && until >= from ? until : Number.POSITIVE_INFINITY };
          },
          list: () => place.plan(name)?.readers ?? [],
          text: `plan(${name}).${state}`,
        });
      }
    }
  }

  function comparison(left: Operand, op: Op, right: Operand | Percentile): Node {
    const text = `${operandText(left)} ${op} ${operandText(right)}`;
    if (right.kind === 'percentile') {
      if (left.kind === 'number' || OWN.has(left.name)) throw new Disarm('no-reference', text);
      const a = market(left);
      const table =
        hub.tape.reference[hub.source.market.symbols[a.slot]!]?.distributions[distributionKey(left.name, left.args)];
      const threshold = percentile(table, right.e4 / 1e4);
      if (threshold === undefined) throw new Disarm('no-reference', `${seriesText(left)} p${right.e4 / 1e4}`);
      return levelOf(left, a, op, threshold, text);
    }
    if (left.kind === 'number' && right.kind === 'number') {
      const side = sideOf(left.e4, right.e4)!;
      return new Constant(compareSides(op, undefined, side));
    }
    if (left.kind === 'number') return comparison(right, MIRROR[op], left);
    const ownLeft = OWN.has(left.name);
    const ownRight = right.kind === 'series' && OWN.has(right.name);
    if (ownLeft && (right.kind === 'number' || ownRight)) {
      return new OwnNode({
        left: { value: own(left) },
        op,
        right: { value: number(right, OWN_UNIT[left.name]!) },
        text,
      });
    }
    if (ownLeft) return comparison(right, MIRROR[op], left);
    const a = market(left);
    if (right.kind === 'number') return levelOf(left, a, op, literal(right, a.unit, a.slot), text);
    if (ownRight) {
      const to = own(right);
      const shift = additive(left, a.slot);
      if (shift === undefined) return byFact(left, a, op, to, text);
      const group = single(a);
      return new MixedNode({ group, op, threshold: () => to() - shift, text });
    }
    const b = market(right);
    return pair(left, a, op, right, b, text);
  }

  /** A series with an additive offset against a constant. */
  function levelOf(left: SeriesText, a: Series, op: Op, threshold: number, text: string): Node {
    const shift = additive(left, a.slot);
    if (shift === undefined) {
      return byFunction(left, a, op, { value: () => threshold, reads: [], text: `${threshold}` }, text);
    }
    return new LevelNode(
      single(a)
        .level(threshold - shift)
        .leaf(op),
      { text, unit: a.unit },
    );
  }

  function single(a: Series): Group {
    return hub.group(`${a.key}`, [a], () => new Group({ kind: 'single', a }));
  }

  function pair(left: SeriesText, a: Series, op: Op, right: SeriesText, b: Series, text: string): Node {
    const report = { text, unit: a.unit };
    const shiftA = additive(left, a.slot);
    const shiftB = additive(right, b.slot);
    if (shiftA !== undefined && shiftB !== undefined && a.key !== b.key) {
      const group = hub.group(`${a.key} - ${b.key}`, [a, b], () => new Group({ kind: 'difference', a, b }));
      return new LevelNode(group.level(shiftB - shiftA).leaf(op), report);
    }
    if (shiftA === 0 && right.offset !== undefined && a.key !== b.key) {
      const n = right.offset.offset.e4 / 1e4;
      const scale = right.offset.offset.unit === '%' ? 100 : 1e4;
      const group = hub.group(`${a.key} / ${b.key}`, [a, b], () => new Group({ kind: 'quotient', a, b }));
      return new LevelNode(group.level(1 + (right.offset.sign * n) / scale).leaf(op), { text, unit: 'ratio' });
    }
    const to = { value: shifted(right, b), reads: [b], text: `${operandText(right)}[${b.slot}]` };
    return byFunction(left, a, op, to, text);
  }

  /** Any other pair of expressions: the sign of their difference is the scalar. */
  function byFunction(
    left: SeriesText,
    a: Series,
    op: Op,
    right: { readonly value: () => number; readonly reads: readonly Series[]; readonly text: string },
    text: string,
  ): Node {
    const value = shifted(left, a);
    const key = `sign ${operandText(left)}[${a.slot}] ${right.text}`;
    const group = hub.group(
      key,
      [a, ...right.reads],
      () => new Group({ kind: 'sign', left: value, right: right.value }),
    );
    return new LevelNode(group.level(0).leaf(op), { text, unit: 'sign' });
  }

  /** A scaled market series against a fact of the plan. */
  function byFact(left: SeriesText, a: Series, op: Op, fact: () => number, text: string): Node {
    const value = shifted(left, a);
    const group = hub.group(`fact ${hub.fresh()}`, [a], () => new Group({ kind: 'sign', left: value, right: fact }));
    return new MixedNode({ group, op, threshold: () => 0, side: () => sideOf(value(), fact()), text });
  }

  function shifted(text: SeriesText, series: Series): () => number {
    if (text.offset === undefined) return () => series.value();
    const by = offsetBy(text.offset.offset, text.offset.sign, () => hub.source.market.tickE4[series.slot]!);
    return () => by(series.value());
  }

  function market(x: SeriesText): Series {
    const slot = x.symbol === undefined ? place.signal : place.slotOf(x.symbol);
    if (slot === undefined) throw new Disarm('series-unavailable', `${seriesText(x)}: no ${x.symbol} on this tape`);
    slots.add(slot);
    const series = resolveSeries(hub.source, { name: x.name, args: x.args, slot });
    if (typeof series === 'string') throw new Disarm(series, seriesText(x));
    return series;
  }

  function own(x: SeriesText): () => number {
    if (x.name === 'budget.left') readsBudget = true;
    const { fact } = place;
    if (fact === undefined) throw new Disarm('series-unavailable', `${x.name}: only a plan has it`);
    const { name } = x;
    if (x.offset === undefined) return () => fact(name);
    const by = offsetBy(x.offset.offset, x.offset.sign, () => hub.source.market.tickE4[place.signal]!);
    return () => by(fact(name));
  }

  function number(x: Operand, unit: Unit): () => number {
    if (x.kind === 'series') return own(x);
    const v = literal(x, unit, place.signal);
    return () => v;
  }

  /** Additive offset in E4; undefined for one that scales. */
  function additive(x: SeriesText, slot: number): number | undefined {
    if (x.offset === undefined) return 0;
    const { offset, sign } = x.offset;
    if (offset.unit === '%' || offset.unit === 'bps') return undefined;
    return offsetBy(offset, sign, () => hub.source.market.tickE4[slot]!)(0);
  }

  function literal(x: NumberOperand, unit: Unit, slot: number): number {
    switch (x.unit) {
      case '$':
        return x.e4;
      case 'c':
        return x.e4 / 100;
      case 't':
        return (x.e4 / 1e4) * hub.source.market.tickE4[slot]!;
      case undefined:
        return unit === 'price' ? x.e4 : x.e4 / 1e4;
      default:
        return x.e4 / 1e4;
    }
  }
}

function operandText(x: Operand | Percentile): string {
  switch (x.kind) {
    case 'number':
      return amountText(x.unit, x.e4);
    case 'percentile':
      return `p${x.e4 / 1e4}`;
    case 'series':
      return x.offset === undefined
        ? seriesText(x)
        : `${seriesText(x)} ${x.offset.sign === 1 ? '+' : '-'} ${offsetText(x.offset.offset)}`;
  }
}
