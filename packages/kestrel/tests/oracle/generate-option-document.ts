/** Random documents that trade contracts and verticals, in every clause that takes a ticket or a price. */
import { validate } from '../../src/lang/index.ts';
import type { Dice } from './dice.ts';
import { type ClauseKind, type DocumentWeights, documentWeights, Writer } from './generate-document.ts';
import type { OptionTape } from './generate-option-tape.ts';
import type { SymbolPlan } from './generate-tape.ts';

const optionWeights: DocumentWeights = {
  ...documentWeights,
  plansMax: 3,
  noWhen: 35,
  regime: 1,
  modifiers: 35,
  using: 45,
};

/** Most documents that are written until one is sound. */
const TRIES_MAX = 200;

export function generateOptionDocument(dice: Dice, tape: OptionTape): string {
  for (let i = 0; i < TRIES_MAX; i++) {
    const text = new OptionWriter(dice, tape).document();
    if (validate(text).ok) return text;
  }
  throw new Error('no sound document');
}

class OptionWriter extends Writer {
  private readonly options: OptionTape;
  private exec: string;
  private inTicket = false;
  private bought: string | undefined;

  constructor(dice: Dice, tape: OptionTape) {
    super(dice, tape, optionWeights);
    this.options = tape;
    this.exec = tape.symbols[0]!.symbol;
  }

  protected override using(): { readonly text: string; readonly signal: SymbolPlan } | undefined {
    if (!this.dice.chance(this.weights.using)) return undefined;
    const signal = this.dice.pick(this.tape.symbols);
    this.exec = this.dice.pick(this.options.execs);
    const expiry = this.dice.chance(25) ? ` ${this.expiry()}` : '';
    return { text: `USING signal ${signal.symbol} exec ${this.exec}${expiry}`, signal };
  }

  protected override plan(name: string, books: readonly string[], signal: SymbolPlan): string[] {
    this.bought = undefined;
    return super.plan(name, books, signal);
  }

  /** Now and then a reload that gives back what was bought. */
  protected override clause(kind: ClauseKind, name: string): string {
    const { dice } = this;
    if (kind !== 'reload-when' || this.bought === undefined || dice.chance(45)) return super.clause(kind, name);
    const qty = dice.pick([1, 1, 2]);
    return `RELOAD WHEN ${this.trigger()} sell ${qty} ${this.bought} @ ${this.ticketPrice('sell')}`;
  }

  private expiry(): string {
    const { dice } = this;
    return dice.chance(92) ? dice.pick(this.options.chains).expiry : dice.pick(['0dte', '0dte', '1dte', '2dte']);
  }

  private strike(): string {
    const { dice } = this;
    const chain = dice.pick(this.options.chains);
    switch (dice.weighted({ atm: 26, relative: 34, listed: 38, other: 2 })) {
      case 'atm':
        return 'ATM';
      case 'relative':
        return dice.pick(['+1', '-1', '+1', '-1', '+1', '-1', '+2', '-2', '+3']);
      case 'listed': {
        const middle = Math.floor(chain.strikes.length / 2);
        return String(chain.strikes[Math.min(chain.strikes.length - 1, Math.max(0, middle + dice.between(-1, 1)))]!);
      }
      default:
        return '100.25';
    }
  }

  /**
   * Two different strikes, both named or both counted from the money, so that they never are one and the same; as a rule
   * the dearer one first, since the other way round has no price above 0.
   */
  private pair(right: string): string {
    const { dice } = this;
    const { strikes } = dice.pick(this.options.chains);
    const named = dice.chance(35) ? strikes.map(String) : ['-2', '-1', 'ATM', '+1', '+2'];
    const middle = Math.floor(named.length / 2);
    const low = dice.chance(75) ? middle + dice.pick([-1, 0]) : dice.below(named.length - 1);
    const high = Math.min(named.length - 1, low + dice.pick([1, 1, 2]));
    const [a, b] = (right === 'C') === dice.chance(88) ? [low, high] : [high, low];
    return `${named[a]}/${named[b]}`;
  }

  protected override ticket(): string {
    const { dice } = this;
    const qty = dice.pick([1, 1, 2, 2, 3, 4, 5]);
    const right = dice.pick(['C', 'P']);
    const expiry = dice.chance(15) ? ` ${this.expiry()}` : '';
    const kind = dice.weighted({ option: 50, debit: 25, credit: 20, shares: 5 });
    if (kind === 'shares' && !['SPX', 'SPXW'].includes(this.exec)) {
      return `buy ${qty} shares @ ${dice.pick(['ask', 'bid', 'join', '100'])}`;
    }
    if (kind === 'debit' || kind === 'credit') {
      const side = kind === 'debit' ? 'buy' : 'sell';
      const vertical = `${this.pair(right)} ${right}${expiry}`;
      if (side === 'buy' && /^[0-9]/.test(vertical)) this.bought = vertical;
      return `${side} ${qty} ${vertical} @ ${this.ticketPrice(side)}`;
    }
    const instrument = `${this.strike()} ${right}${expiry}`;
    if (/^[0-9]/.test(instrument)) this.bought = instrument;
    return `buy ${qty} ${instrument} @ ${this.ticketPrice('buy')}`;
  }

  private ticketPrice(side: 'buy' | 'sell'): string {
    if (this.dice.chance(35)) return side === 'buy' ? 'ask' : 'bid';
    this.inTicket = true;
    const price = this.price(side);
    this.inTicket = false;
    return price;
  }

  private premium(): string {
    return this.dice.pick([
      '0.02',
      '0.05',
      '0.1',
      '0.15',
      '0.2',
      '0.35',
      '0.5',
      '0.75',
      '1',
      '1.5',
      '2',
      '2.98',
      '3.06',
    ]);
  }

  protected override expression(side: 'buy' | 'sell'): string {
    const { dice } = this;
    switch (dice.weighted({ level: 16, book: 40, lean: 14, bounded: 8, fair: 8, offset: 14, odd: 2 })) {
      case 'level':
        return this.premium();
      case 'book':
        return dice.pick(['bid', 'ask', 'join', 'join', 'improve', 'last', 'ask', 'join']);
      case 'lean':
        return `lean(${dice.pick(['bid', 'bid', 'ask', 'intrinsic'])}, ${dice.pick(['ask', 'fair', 'fair', this.premium()])}, ${dice.pick(['0', '0.25', '0.5', '0.3333', '1'])})`;
      case 'bounded':
        return `${dice.pick(['min', 'max'])}(${dice.pick(['bid', 'ask', 'mid, fair', 'last', 'intrinsic'])}, ${this.premium()})`;
      case 'fair':
        return dice.pick(['fair', 'fair', 'fair - 1c', '(fair + 1t) - 2bps', 'intrinsic']);
      case 'offset':
        return `${dice.pick(['bid', 'ask', 'last', 'join'])} ${dice.pick(['+', '-'])} ${dice.pick(['1c', '2c', '$0.05', '1t', '2t', '3bps', '5%'])}`;
      case 'odd':
        return dice.pick(
          side === 'sell' && !this.inTicket ? ['basis', 'basis + 1c', 'stub', '0.001'] : ['stub', '0.004', '1.0005'],
        );
    }
  }
}
