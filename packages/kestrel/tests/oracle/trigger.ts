/** A trigger read by walking its tree each time, with the memory that `crosses`, `held` and `within` need. */
import type {
  Cmp,
  Duration,
  NumberOperand,
  Offset,
  Operand,
  Percentile,
  Series,
  Trigger,
} from '../../src/lang/model.ts';

/** undefined is UNKNOWN. */
export type Truth = boolean | undefined;

/** What a trigger may ask of the world. */
export interface World {
  /** In the series' unit, prices in E4; undefined is UNKNOWN. */
  series(of: Series): number | undefined;
  tickE4(of: Series): number;
  percentile(of: Series, percent: number): number | undefined;
  now(): number;
  toClose(minutes: number): number;
  clock(clock: { h: number; m: number; s?: number }): number;
  /** From and to. */
  phaseEnds(phase: string): readonly [number, number];
  planReached(plan: string, state: string): boolean;
  signal: string;
}

export interface Alarms {
  set(at: number): Alarm;
}

/** A timer of a trigger: `off` when it was called off, `ran` when its instant has come. */
export interface Alarm {
  off: boolean;
  ran: boolean;
}

interface Memory {
  left?: number;
  right?: number;
  since?: number;
  alarm?: Alarm;
  /** `within`: time at which an ended condition stops counting. */
  until?: number;
  wasTrue?: boolean;
}

const PLAN_FACTS = new Set(['fills.avg_px', 'fills.qty', 'position.qty', 'pnl.realized', 'budget.left']);
export const isFact = (name: string): boolean => PLAN_FACTS.has(name);
/** Series whose unit is a price. */
export const PRICE_SERIES: ReadonlySet<string> = new Set([
  'spot',
  'bid',
  'ask',
  'mid',
  'last',
  'spread',
  'open',
  'prior.close',
  'HOD',
  'LOD',
  'ORH',
  'ORL',
  'VWAP',
  'ema',
  'sma',
  'atr',
  'fills.avg_px',
]);

export function durationUs(duration: Duration): number {
  return duration.n * (duration.unit === 's' ? 1_000_000 : duration.unit === 'm' ? 60_000_000 : 3_600_000_000);
}

export function seriesOf(trigger: Trigger): Series[] {
  switch (trigger.kind) {
    case 'and':
    case 'or':
      return trigger.of.flatMap(seriesOf);
    case 'not':
    case 'paren':
    case 'held':
    case 'within':
      return seriesOf(trigger.of);
    case 'compare':
    case 'crosses':
      return [trigger.left, trigger.right].filter((side): side is Series => side.kind === 'series');
    default:
      return [];
  }
}

/** The symbols at whose events a trigger is read. */
export function symbolsOf(trigger: Trigger, signal: string): ReadonlySet<string> {
  const named = seriesOf(trigger)
    .filter((one) => !isFact(one.name))
    .map((one) => one.symbol ?? signal);
  return new Set(named.length === 0 ? [signal] : named);
}

/** `x + offset` in E4. */
export function applyOffset(valueE4: number, sign: 1 | -1, offset: Offset, tickE4: number): number {
  switch (offset.unit) {
    case 'c':
      return valueE4 + sign * (offset.e4 / 100);
    case '$':
      return valueE4 + sign * offset.e4;
    case 't':
      return valueE4 + sign * ((offset.e4 / 1e4) * tickE4);
    case '%':
      return valueE4 * (1 + (sign * (offset.e4 / 1e4)) / 100);
    case 'bps':
      return valueE4 * (1 + (sign * (offset.e4 / 1e4)) / 1e4);
  }
}

export class Reader {
  readonly trigger: Trigger;
  readonly symbols: ReadonlySet<string>;
  private readonly world: World;
  private readonly alarms: Alarms;
  private memory = new Map<Trigger, Memory>();
  private readonly clocks: Alarm[] = [];
  /** Value when last known, once what ends as it happens has ended. */
  lastKnown: boolean | undefined;
  begun = false;

  constructor(trigger: Trigger, world: World, alarms: Alarms) {
    this.trigger = trigger;
    this.world = world;
    this.alarms = alarms;
    this.symbols = symbolsOf(trigger, world.signal);
  }

  /** The silent reading with which a clause begins; sets the clock's alarms too. */
  begin(now: number): void {
    this.begun = true;
    for (const at of this.clockTimes(this.trigger)) if (at > now) this.clocks.push(this.alarms.set(at));
    this.read(now);
  }

  /** @returns the value, and whether it rose: TRUE now and FALSE when last known */
  read(now: number): { readonly value: Truth; readonly rose: boolean } {
    const value = this.evaluate(this.trigger, now, false);
    const rose = value === true && this.lastKnown === false;
    const after = value === true ? this.residue(this.trigger, now) : value;
    if (after !== undefined) this.lastKnown = after;
    else if (value === true) this.lastKnown = true;
    return { value, rose };
  }

  /** The value a reading would give, leaving no trace. */
  peek(now: number): Truth {
    const kept = this.memory;
    this.memory = new Map([...kept].map(([node, memory]) => [node, { ...memory }]));
    const value = this.evaluate(this.trigger, now, true);
    this.memory = kept;
    return value;
  }

  /** Calls every alarm off: the clause has ended. */
  end(): void {
    for (const memory of this.memory.values()) if (memory.alarm !== undefined) memory.alarm.off = true;
    for (const alarm of this.clocks) alarm.off = true;
    this.begun = false;
  }

  /** Instants at which a clock condition changes. */
  private clockTimes(node: Trigger): readonly number[] {
    switch (node.kind) {
      case 'and':
      case 'or':
        return node.of.flatMap((child) => this.clockTimes(child));
      case 'not':
      case 'paren':
      case 'held':
      case 'within':
        return this.clockTimes(node.of);
      case 'time':
        return [this.world.clock(node.clock)];
      case 'to-close':
        return [this.world.toClose(node.minutes)];
      case 'phase':
        return this.world.phaseEnds(node.phase);
      default:
        return [];
    }
  }

  private of(node: Trigger): Memory {
    const found = this.memory.get(node);
    if (found !== undefined) return found;
    const made: Memory = {};
    this.memory.set(node, made);
    return made;
  }

  /** The value of a tree just evaluated with every `crosses` in it FALSE: a cross ends as it happens. */
  private residue(node: Trigger, now: number): Truth {
    switch (node.kind) {
      case 'and':
        return all(node.of.map((child) => this.residue(child, now)));
      case 'or':
        return any(node.of.map((child) => this.residue(child, now)));
      case 'not':
        return not(this.residue(node.of, now));
      case 'paren':
        return this.residue(node.of, now);
      case 'crosses':
        return false;
      case 'held':
        return this.of(node).alarm?.ran === true ? this.residue(node.of, now) : false;
      case 'within': {
        const memory = this.of(node);
        return memory.wasTrue === true || memory.until !== undefined;
      }
      default:
        return this.condition(node);
    }
  }

  private evaluate(node: Trigger, now: number, dry: boolean): Truth {
    switch (node.kind) {
      case 'and':
        return all(node.of.map((child) => this.evaluate(child, now, dry)));
      case 'or':
        return any(node.of.map((child) => this.evaluate(child, now, dry)));
      case 'not':
        return not(this.evaluate(node.of, now, dry));
      case 'paren':
        return this.evaluate(node.of, now, dry);
      case 'crosses':
        return this.crosses(node);
      case 'held': {
        const memory = this.of(node);
        const inner = this.evaluate(node.of, now, dry);
        if (inner !== true) {
          if (memory.alarm !== undefined && !dry) memory.alarm.off = true;
          delete memory.alarm;
          delete memory.since;
          return inner;
        }
        if (memory.since === undefined) {
          memory.since = now;
          if (!dry) memory.alarm = this.alarms.set(now + durationUs(node.duration));
        }
        const confirmed = memory.alarm?.ran === true;
        const lasting = this.residue(node.of, now);
        if (lasting !== true) {
          if (memory.alarm !== undefined && !dry) memory.alarm.off = true;
          delete memory.alarm;
          delete memory.since;
        }
        return confirmed;
      }
      case 'within': {
        const memory = this.of(node);
        const inner = this.evaluate(node.of, now, dry);
        const ends = inner === true && this.residue(node.of, now) !== true;
        if (memory.alarm?.ran === true) {
          delete memory.alarm;
          delete memory.until;
        }
        if (inner === true) {
          if (memory.alarm !== undefined && !dry) memory.alarm.off = true;
          delete memory.alarm;
          delete memory.until;
          memory.wasTrue = true;
        }
        if (memory.wasTrue === true && (inner !== true || ends)) {
          memory.wasTrue = false;
          memory.until = now + durationUs(node.duration);
          if (!dry) memory.alarm = this.alarms.set(memory.until);
        }
        if (inner === true || memory.until !== undefined) return true;
        return inner;
      }
      default:
        return this.condition(node);
    }
  }

  private crosses(node: Trigger & { kind: 'crosses' }): Truth {
    const memory = this.of(node);
    const [left, right] = [this.operand(node.left, node.right), this.operand(node.right, node.left)];
    if (left === undefined || right === undefined) return undefined;
    const before = { left: memory.left, right: memory.right };
    memory.left = left;
    memory.right = right;
    if (before.left === undefined || before.right === undefined) return false;
    return node.dir === 'above'
      ? before.left <= before.right && left > right
      : before.left >= before.right && left < right;
  }

  private condition(node: Trigger): Truth {
    switch (node.kind) {
      case 'compare': {
        const left = this.operand(node.left, node.right);
        const right = this.operand(node.right, node.left);
        return left === undefined || right === undefined ? undefined : compare(left, node.cmp, right);
      }
      case 'phase': {
        const [from, to] = this.world.phaseEnds(node.phase);
        return from <= this.world.now() && this.world.now() < to;
      }
      case 'to-close':
        return this.world.now() >= this.world.toClose(node.minutes);
      case 'time': {
        const at = this.world.clock(node.clock);
        return node.cmp === '>=' ? this.world.now() >= at : this.world.now() < at;
      }
      case 'plan':
        return this.world.planReached(node.plan, node.state);
      default:
        throw new Error(`not a condition: ${node.kind}`);
    }
  }

  private operand(of: Operand | Percentile, beside: Operand | Percentile): number | undefined {
    switch (of.kind) {
      case 'number':
        return numberBeside(of, beside);
      case 'percentile':
        return beside.kind === 'series' ? this.world.percentile(beside, of.e4 / 1e4) : undefined;
      case 'series': {
        const value = this.world.series(of);
        if (value === undefined || of.offset === undefined) return value;
        return applyOffset(value, of.offset.sign, of.offset.offset, this.world.tickE4(of));
      }
    }
  }
}

/** A literal in the unit of the series it stands beside. */
function numberBeside(of: NumberOperand, beside: Operand | Percentile): number {
  if (of.unit === 'c') return of.e4 / 100;
  if (of.unit === '$') return of.e4;
  const price = beside.kind === 'series' && PRICE_SERIES.has(beside.name);
  return price ? of.e4 : of.e4 / 1e4;
}

function compare(left: number, cmp: Cmp, right: number): boolean {
  switch (cmp) {
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '==':
      return left === right;
    case '!=':
      return left !== right;
  }
}

export function all(values: readonly Truth[]): Truth {
  if (values.includes(false)) return false;
  return values.includes(undefined) ? undefined : true;
}

export function any(values: readonly Truth[]): Truth {
  if (values.includes(true)) return true;
  return values.includes(undefined) ? undefined : false;
}

export function not(value: Truth): Truth {
  return value === undefined ? undefined : !value;
}
