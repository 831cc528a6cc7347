/** Random documents, written as text: every clause, trigger, series, price form and modifier that shares can use. */
import type { Dice } from './dice.ts';
import type { GeneratedTape, SymbolPlan } from './generate-tape.ts';

export interface DocumentWeights {
  readonly plansMax: number;
  readonly clauses: Readonly<Record<ClauseName, number>>;
  readonly conditions: Readonly<Record<ConditionName, number>>;
  readonly series: Readonly<Record<SeriesName, number>>;
  readonly prices: Readonly<Record<PriceName, number>>;
  /** Percent. */
  readonly regime: number;
  readonly noWhen: number;
  /** Plans whose budget is about what their tickets may lose. */
  readonly tight: number;
  readonly pods: number;
  readonly using: number;
  readonly modifiers: number;
  readonly wraps: number;
}

type ClauseName = 'also' | 'reload-when' | 'reload-every' | 'tp' | 'exit' | 'invalidate' | 'cancel-if' | 'arm';
/** What is written by {@link Writer.clause}. */
export type ClauseKind = Exclude<ClauseName, 'tp'>;
type ConditionName = 'level' | 'series' | 'crosses' | 'fact' | 'clock' | 'plan' | 'percentile' | 'other-symbol';
type SeriesName =
  | 'spot'
  | 'quote'
  | 'extreme'
  | 'range-of-open'
  | 'vwap'
  | 'velocity'
  | 'day'
  | 'volume'
  | 'candles'
  | 'contested';
type PriceName = 'level' | 'book' | 'lean' | 'bounded' | 'fair' | 'offset' | 'odd';

export const documentWeights: DocumentWeights = {
  plansMax: 4,
  clauses: { also: 8, 'reload-when': 12, 'reload-every': 8, tp: 26, exit: 16, invalidate: 14, 'cancel-if': 8, arm: 6 },
  conditions: { level: 40, series: 22, crosses: 16, fact: 6, clock: 8, plan: 4, percentile: 3, 'other-symbol': 6 },
  series: {
    spot: 20,
    quote: 12,
    extreme: 10,
    'range-of-open': 4,
    vwap: 8,
    velocity: 10,
    day: 4,
    volume: 4,
    candles: 6,
    contested: 0,
  },
  prices: { level: 25, book: 30, lean: 12, bounded: 8, fair: 8, offset: 14, odd: 3 },
  regime: 5,
  noWhen: 22,
  tight: 12,
  pods: 25,
  using: 30,
  modifiers: 30,
  wraps: 28,
};

const CMP = ['>', '>=', '<', '<=', '==', '!='] as const;
const LENGTHS = ['1s', '1s', '2s', '5s', '10s', '30s', '60s', '2m', '5m'] as const;
const TTLS = [
  '+5s',
  '+30s',
  '+1m',
  '+5m',
  '+10m',
  '+10m',
  '+30m',
  '+30m',
  '+45m',
  '+1h',
  '+1h',
  '+2h',
  '09:31',
  '09:35',
  '10:00',
  '10:20',
  '10:30',
  '10:30',
];
const CLOCKS = ['09:31', '09:35', '09:40', '09:50', '10:00', '10:20', '09:30:05'] as const;

export function generateDocument(dice: Dice, tape: GeneratedTape, weights: DocumentWeights): string {
  return new Writer(dice, tape, weights).document();
}

export class Writer {
  protected readonly dice: Dice;
  protected readonly tape: GeneratedTape;
  protected readonly weights: DocumentWeights;
  protected names: readonly string[] = [];
  protected signal: SymbolPlan;

  constructor(dice: Dice, tape: GeneratedTape, weights: DocumentWeights) {
    this.dice = dice;
    this.tape = tape;
    this.weights = weights;
    this.signal = tape.symbols[0]!;
  }

  document(): string {
    const { dice } = this;
    const out: string[] = [];
    const symbols = this.tape.symbols.map((one) => one.symbol);
    let using = this.using();
    if (using !== undefined) out.push(using.text);
    this.names = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'].slice(0, dice.between(1, this.weights.plansMax));
    const books = dice.chance(this.weights.pods) ? ['core', 'side'].slice(0, dice.between(1, 2)) : [];
    if (books.length > 0) {
      out.push(`POD desk RISK day-loss ${dice.pick(['0.0001R', '0.0001R', '0.0002R', '0.5R'])} -> halt`);
      for (const book of books) {
        out.push(
          `  BOOK ${book} budget ${dice.pick(['0.5R', '1R', '2R', '5R', '10R'])} coverage ${symbols.join(', ')}`,
        );
      }
    }
    for (const name of this.names) {
      if (dice.chance(8)) {
        using = this.using();
        if (using !== undefined) out.push(using.text);
      }
      out.push(...this.plan(name, books, using?.signal ?? this.tape.symbols[0]!));
    }
    return `${out.join('\n')}\n`;
  }

  protected using(): { readonly text: string; readonly signal: SymbolPlan } | undefined {
    if (this.tape.symbols.length < 2 || !this.dice.chance(this.weights.using)) return undefined;
    const [signal, exec] = [this.dice.pick(this.tape.symbols), this.dice.pick(this.tape.symbols)];
    return { text: `USING signal ${signal.symbol} exec ${exec.symbol}`, signal };
  }

  protected plan(name: string, books: readonly string[], signal: SymbolPlan): string[] {
    const { dice, weights } = this;
    const own = dice.chance(10) ? this.using() : undefined;
    this.signal = own?.signal ?? signal;
    const tight = dice.chance(weights.tight);
    const budget = tight
      ? dice.pick(['0.1R', '0.2R', '0.2R', '0.3R', '0.5R', '0.5R', '0.7R', '1R'])
      : dice.pick(['1R', '2R', '2R', '5R', '10R', '10R', '10R', '10R']);
    const head = [
      `PLAN ${name}`,
      books.length > 0 && dice.chance(70) ? `in ${dice.pick(books)}` : '',
      `budget ${budget} ttl ${dice.pick(TTLS)}`,
      dice.chance(this.signal.feed === 'minutes' ? 40 : weights.regime)
        ? `regime {intraday: ${dice.pick(['trend', 'range', 'mixed'])}}`
        : '',
      dice.chance(20) ? `priority ${dice.between(0, 3)}` : '',
    ];
    const lines = [head.filter((part) => part !== '').join(' ')];
    if (own !== undefined) lines.push(`  ${own.text}`);
    if (head[3] !== '' && this.signal.feed === 'minutes') lines.push(`  WHEN time >= 10:01 AND ${this.wrapped()}`);
    else if (!dice.chance(weights.noWhen)) lines.push(`  WHEN ${this.trigger()}`);
    lines.push(`  DO ${this.ticket()}`);
    let fracLeft = 100;
    for (let i = dice.pick([0, 1, 1, 2, 2, 3, 3, 4, 5]); i > 0; i--) {
      const kind = dice.weighted(weights.clauses);
      if (kind === 'tp') {
        const frac = dice.pick([20, 33, 50, 50, 75]);
        if (fracLeft < frac) continue;
        const whole = dice.chance(35);
        fracLeft -= whole ? 0 : frac;
        const multiple = dice.pick(['1x', '1.0001x', '1.0002x', '1.0005x', '0.999x', '1.001x', '0.5x']);
        lines.push(`  TP ${multiple}${whole ? '' : ` frac ${frac / 100}`} @ ${this.price('sell')}`);
      } else if (kind !== 'arm' || (this.names.length > 1 && !lines.some((line) => line.startsWith('  ARM')))) {
        lines.push(`  ${this.clause(kind, name)}`);
      }
    }
    return lines;
  }

  protected clause(kind: ClauseKind, name: string): string {
    const { dice } = this;
    switch (kind) {
      case 'also':
        return `ALSO ${this.ticket()}`;
      case 'reload-when':
        return `RELOAD WHEN ${this.trigger()} ${this.ticket()}`;
      case 'reload-every': {
        const step = dice.pick(['1c', '2c', '$0.01', '1t', '2t', '2bps', '0.01%']);
        const ticket = dice.chance(50) ? ` ${this.ticket()}` : '';
        return `RELOAD every ${step} ${dice.pick(['up', 'down'])}, up to ${dice.between(1, 3)}${ticket}`;
      }
      case 'exit':
        return `EXIT ${this.trigger()} @ ${this.price('sell')}`;
      case 'invalidate':
        return `INVALIDATE ${this.late()}${dice.pick(['', ' -> halt', ' -> halt, ride', ' -> flat', ' -> flat'])}`;
      case 'cancel-if':
        return `CANCEL-IF ${this.late()}`;
      case 'arm': {
        const other = dice.pick(this.names.filter((one) => one !== name));
        return `ARM ${other}${dice.pick(['', ' on fired', ' on filled', ' on filled', ' on done', ' on done', ' on invalidated'])}`;
      }
    }
  }

  protected ticket(): string {
    return `buy ${this.dice.pick([1, 1, 2, 2, 3, 4, 5, 7, 10])} shares @ ${this.price('buy')}`;
  }

  protected level(): string {
    const ticks = this.dice.between(-4, 4);
    return String(Math.round((100 + ticks * this.signal.tick) * 1e4) / 1e4);
  }

  // -------------------------------------------------------------- prices

  protected price(side: 'buy' | 'sell'): string {
    const { dice } = this;
    const parts = [this.expression(side)];
    if (!dice.chance(this.weights.modifiers)) return parts[0]!;
    switch (dice.below(8)) {
      case 0:
      case 1:
      case 2:
        parts.push('peg');
        if (dice.chance(25)) parts.push(this.bound(side));
        break;
      case 3:
        parts.push(this.bound(side));
        break;
      case 4:
        parts.push('fix');
        break;
      case 5:
      case 6:
        parts.push(`esc ${this.expression(side)} ${dice.pick(['1s', '2s', '5s', '1m'])}`);
        if (dice.chance(25)) parts.push('peg');
        break;
      default:
        parts.push(side === 'buy' ? `cancel-if ${this.trigger()}` : 'peg');
        break;
    }
    return parts.join(' ');
  }

  protected bound(side: 'buy' | 'sell'): string {
    return side === 'buy' ? `cap ${this.expression(side)}` : `floor ${this.expression(side)}`;
  }

  protected expression(side: 'buy' | 'sell'): string {
    const { dice } = this;
    switch (dice.weighted(this.weights.prices)) {
      case 'level':
        return this.level();
      case 'book':
        return dice.pick(['bid', 'ask', 'join', 'improve', 'last', 'ask', 'bid']);
      case 'lean':
        return `lean(${dice.pick(['bid', 'last', 'ask'])}, ${dice.pick(['ask', 'fair', this.level()])}, ${dice.pick(['0', '0.25', '0.5', '0.3333', '1'])})`;
      case 'bounded':
        return `${dice.pick(['min', 'max'])}(${dice.pick(['bid', 'ask', 'mid, fair', 'last'])}, ${this.level()})`;
      case 'fair':
        return dice.pick(['fair', 'fair - 1c', '(fair + 1t) - 2bps']);
      case 'offset':
        return `${dice.pick(['bid', 'ask', 'last', 'join'])} ${dice.pick(['+', '-'])} ${dice.pick(['1c', '2c', '$0.01', '1t', '1bps', '3bps', '0.01%'])}`;
      case 'odd':
        return dice.pick(side === 'sell' ? ['basis', 'basis + 1c', 'stub', '0.001'] : ['stub', '0.004', '100.005']);
    }
  }

  // -------------------------------------------------------------- triggers

  protected trigger(): string {
    const { dice } = this;
    const wrapped = (): string => this.wrapped();
    switch (dice.below(10)) {
      case 0:
        return `${wrapped()} AND ${wrapped()}`;
      case 1:
        return `${wrapped()} OR ${wrapped()}`;
      case 2:
        return `(${wrapped()} OR ${wrapped()}) AND ${wrapped()}`;
      default:
        return wrapped();
    }
  }

  /** A trigger that is seldom TRUE at once: what it ends should have begun. */
  protected late(): string {
    const { dice } = this;
    const far = String(Math.round((100 + dice.pick([-5, -4, -3, 3, 4, 5]) * this.signal.tick) * 1e4) / 1e4);
    switch (dice.below(6)) {
      case 0:
        return this.trigger();
      case 1:
        return this.condition('crosses');
      case 2:
        return `spot ${Number(far) > 100 ? '>=' : '<='} ${far} held ${dice.pick(LENGTHS)}`;
      case 3:
        return dice.pick([
          'fills.qty >= 1',
          'fills.qty >= 3',
          'position.qty > 2',
          'pnl.realized < 0',
          'T-50',
          'time >= 09:40',
        ]);
      default:
        return `spot ${Number(far) > 100 ? '>=' : '<='} ${far}`;
    }
  }

  /** A condition, now and then negated, held or looked back at; a cross is only ever looked back at. */
  protected wrapped(): string {
    const { dice } = this;
    const kind = dice.weighted(this.weights.conditions);
    const condition = this.condition(kind);
    if (!dice.chance(this.weights.wraps)) return condition;
    const length = dice.pick(LENGTHS);
    if (kind === 'crosses') return `${condition} within ${length}`;
    switch (dice.below(6)) {
      case 0:
        return `NOT ${condition}`;
      case 1:
        return `NOT ${condition} held ${length}`;
      case 2:
        return `${condition} within ${length}`;
      case 3:
        return `(${condition} AND ${this.condition('level')}) held ${length}`;
      default:
        return `${condition} held ${length}`;
    }
  }

  protected condition(kind: ConditionName): string {
    const { dice } = this;
    switch (kind) {
      case 'level':
        return `spot ${dice.pick(CMP)} ${this.level()}`;
      case 'crosses': {
        const right = dice.chance(75) ? this.level() : dice.pick(['VWAP', 'open', 'mid', 'spot - 1c']);
        return `${dice.pick(['spot', 'spot', 'spot', 'last', 'bid', 'ask'])} crosses ${dice.pick(['above', 'below'])} ${right}`;
      }
      case 'fact':
        return dice.pick([
          `fills.qty >= ${dice.between(1, 5)}`,
          `position.qty > ${dice.between(0, 4)}`,
          'pnl.realized < 0',
          'pnl.realized > 0',
          `budget.left < ${dice.pick(['0.1', '0.5', '9.5'])}`,
          `fills.avg_px > ${this.level()}`,
        ]);
      case 'clock':
        return dice.pick([
          `time >= ${dice.pick(CLOCKS)}`,
          `time < ${dice.pick(CLOCKS)}`,
          `phase ${dice.pick(['open', 'morning', 'afternoon', 'close'])}`,
          `T-${dice.pick([1, 10, 30, 50, 59])}`,
        ]);
      case 'plan':
        return `plan(${dice.pick(this.names)}).${dice.pick(['armed', 'fired', 'filled', 'done', 'invalidated'])}`;
      case 'percentile':
        return dice.pick([
          `velocity(1m) ${dice.pick(CMP)} p${dice.pick([50, 60, 90, 95, 99])}`,
          `range(1m) ${dice.pick(CMP)} p${dice.pick([25, 40, 75])}`,
          `velocity(1m) >= p${dice.pick(['40', '99.9'])}`,
        ]);
      case 'other-symbol': {
        const other = dice.pick(this.tape.symbols);
        return `spot[${other.symbol}] ${dice.pick(CMP)} ${this.level()}`;
      }
      case 'series':
        return this.ofSeries();
    }
  }

  protected ofSeries(): string {
    const { dice } = this;
    const cmp = dice.pick(CMP);
    switch (dice.weighted(this.weights.series)) {
      case 'spot':
        return `spot ${cmp} ${dice.pick(['open', 'last', 'mid + 1c', 'VWAP + 1bps', 'VWAP - 1c', 'prior.close', 'HOD - 2t'])}`;
      case 'quote':
        return dice.pick([
          `bid ${cmp} ${this.level()}`,
          `ask ${cmp} ${this.level()}`,
          `mid ${cmp} ${this.level()}`,
          `last ${cmp} ${this.level()}`,
          `spread ${cmp} ${dice.pick(['0.01', '0.02', '0.03'])}`,
        ]);
      case 'extreme':
        return dice.pick(['spot > HOD', 'spot < LOD', 'spot >= HOD', `HOD ${cmp} ${this.level()}`, 'LOD + 2c < spot']);
      case 'range-of-open':
        return dice.pick(['spot > ORH(1m)', 'spot < ORL(1m)', 'spot >= ORH(5m)', `ORL(5m) ${cmp} ${this.level()}`]);
      case 'vwap':
        return dice.pick(['spot > VWAP', 'spot < VWAP', `VWAP ${cmp} ${this.level()}`, 'spot >= VWAP + 1t']);
      case 'velocity':
        return dice.pick([
          `velocity(1m) ${cmp} ${dice.between(-3, 3)}`,
          `velocity(5s) ${cmp} ${dice.between(-2, 2)}`,
          `range(1m) ${cmp} ${dice.between(0, 4)}`,
          `range(10s) ${cmp} ${dice.pick(['1', '1.5', '2'])}`,
        ]);
      case 'day':
        return dice.pick([
          `gap ${cmp} ${dice.between(-3, 3)}`,
          `prior.close ${cmp} ${this.level()}`,
          `open ${cmp} ${this.level()}`,
        ]);
      case 'volume':
        return `volume ${cmp} ${dice.pick([1, 5, 10, 30])}`;
      case 'candles':
        return dice.pick([
          `spot ${cmp} sma(2, 10s)`,
          `ema(3, 10s) ${cmp} ${this.level()}`,
          `sma(1, 1m) ${cmp} ${this.level()}`,
          `ema(2, 1m) ${cmp} sma(3, 1m)`,
        ]);
      case 'contested':
        return dice.pick([`rsi(2, 10s) ${cmp} 50`, `atr(2, 10s) ${cmp} 0.02`, `rv(5m) ${cmp} 5`]);
    }
  }
}
