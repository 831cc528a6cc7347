/** What a plan owns overnight: adjusted by what happened to its share, settled on its day, or marked again. */

import type { Passage } from '../market/actions.ts';
import type { Tape } from '../market/columns.ts';
import { openPriceE4 } from '../market/day-prices.ts';
import type { Engine } from './engine.ts';
import { Holding } from './holding.ts';
import { type ChainPlace, type Contract, type Instrument, placeOf } from './instrument.ts';
import { EngineRefusal } from './refusal.ts';
import { expiryValue, type Mark, type Marks } from './settlement.ts';

/** What became of a position on a later day. Prices and money in E4. */
export type CarryStep =
  | {
      readonly date: string;
      readonly kind: 'split';
      readonly ratio: readonly [number, number];
      readonly qty: number;
      readonly instrument: string;
    }
  | { readonly date: string; readonly kind: 'rename'; readonly instrument: string }
  | { readonly date: string; readonly kind: 'distribution'; readonly amountE4: number }
  | {
      readonly date: string;
      readonly kind: 'settled';
      readonly priceE4: number;
      readonly underlyingE4: number;
      readonly from: 'close' | 'open' | 'last' | 'mid';
    }
  | { readonly date: string; readonly kind: 'marked'; readonly priceE4: number; readonly from: Mark['from'] };

/** A strike that a split leaves between cents is listed at the nearest of them. */
const STRIKE_APART_E4 = 100;

export class Carried {
  readonly plan: string;
  /** The day it was opened. */
  readonly opened: string;
  readonly steps: CarryStep[] = [];
  holding: Holding;
  /** The share or index it is, or is written on, by its name on the day reached. */
  symbol: string;
  realizedE4 = 0;

  constructor(engine: Engine, plan: string, holding: Holding) {
    this.plan = plan;
    this.opened = engine.tape.date;
    this.holding = holding;
    this.symbol = engine.market.symbols[holding.instrument.underlying] ?? holding.instrument.name;
  }

  get open(): boolean {
    return this.holding.qty > 0;
  }

  /** Above cost by the last mark; 0 when nothing is open. */
  get markedE4(): number {
    const { holding } = this;
    if (!this.open || holding.markE4 === undefined) return 0;
    return holding.valueE4(holding.qty, holding.markE4) - holding.costE4;
  }

  /** Brings it to the morning of a later day. @throws EngineRefusal `corporate-action` where that cannot be done exactly */
  pass(passage: Exclude<Passage, { kind: 'unknown' }>, tape: Tape): void {
    if (passage.kind === 'none') return;
    const { date } = tape;
    if (passage.symbol !== this.symbol) {
      this.symbol = passage.symbol;
      this.#become(renamed(this.holding.instrument, passage.symbol));
      this.steps.push({ date, kind: 'rename', instrument: this.holding.instrument.name });
    }
    const [after, before] = passage.ratio;
    if (after !== before) {
      if (passage.distributions.length > 0) throw this.#refusal(date, 'a split and a dividend came between two tapes');
      this.#split({ after, before }, tape);
    }
    if (this.holding.instrument.kind !== 'shares') return;
    for (const { amount } of passage.distributions) {
      const amountE4 = Math.round(amount * 1e4) * this.holding.qty;
      this.realizedE4 += amountE4;
      this.steps.push({ date, kind: 'distribution', amountE4 });
    }
  }

  #split({ after, before }: { readonly after: number; readonly before: number }, tape: Tape): void {
    const { instrument, qty } = this.holding;
    const { date } = tape;
    if (instrument.kind !== 'shares' && before !== 1) {
      throw this.#refusal(
        date,
        `contracts of a split of ${after} for ${before} stand for other things than 100 shares`,
      );
    }
    const shares = (qty * after) / before;
    if (!Number.isSafeInteger(shares))
      throw this.#refusal(date, `${qty} shares split ${after} for ${before} leave a part of one`);
    this.#become(
      instrument.kind === 'shares' ? instrument : struck(instrument, tape, after, (why) => this.#refusal(date, why)),
      shares,
    );
    this.steps.push({
      date,
      kind: 'split',
      ratio: [after, before],
      qty: shares,
      instrument: this.holding.instrument.name,
    });
  }

  /** The same position in other terms: what it cost stays what it cost. */
  #become(instrument: Instrument, qty = this.holding.qty): void {
    const was = this.holding;
    const now = new Holding(instrument, was.direction);
    now.qty = qty;
    now.costE4 = was.costE4;
    now.entryQty = qty;
    now.entryCostE4 = was.basis() * was.qty;
    now.markE4 = was.markE4;
    now.markFrom = was.markFrom;
    this.holding = now;
  }

  /** Contracts that settle at the open do so before anything else of the day. @throws EngineRefusal `no-settlement` */
  settleAtOpen(tape: Tape): void {
    const chain = chainOf(this.holding.instrument);
    if (chain === undefined || !this.open) return;
    if (chain.lastDate < tape.date) {
      throw new EngineRefusal(
        'no-settlement',
        `${this.holding.instrument.name} expired on ${chain.lastDate}, of which there is no tape`,
        {
          expected: `a tape of ${chain.lastDate} among the days`,
          got: `the day after is ${tape.date}`,
        },
      );
    }
    if (chain.lastDate !== tape.date || chain.settles !== 'open') return;
    const underlyingE4 = openPriceE4(tape, this.symbol);
    if (underlyingE4 === null) {
      throw new EngineRefusal('no-settlement', `${this.holding.instrument.name} settles at the open of ${tape.date}`, {
        expected: `an opening print of ${this.symbol}`,
        got: 'a tape without one',
      });
    }
    this.#settle(tape, { priceE4: underlyingE4, from: 'open' });
  }

  /** The end of a day: settled at its close, or marked. */
  close(engine: Engine, marks: Marks): void {
    if (!this.open) return;
    const { tape } = engine;
    const chain = chainOf(this.holding.instrument);
    const slot = engine.chains.slotOf(this.symbol);
    const underlying = slot === undefined ? undefined : marks.symbol(slot);
    if (chain !== undefined && chain.lastDate === tape.date && underlying !== undefined && underlying.from !== 'cost') {
      this.#settle(tape, { priceE4: underlying.priceE4, from: underlying.from });
      return;
    }
    const mark = this.#markOn(tape, marks, underlying);
    this.holding.markE4 = mark?.priceE4 ?? Math.floor(this.holding.entryCostE4 / this.holding.entryQty);
    this.holding.markFrom = mark?.from ?? 'cost';
    this.steps.push({ date: tape.date, kind: 'marked', priceE4: this.holding.markE4, from: mark?.from ?? 'cost' });
  }

  #markOn(tape: Tape, marks: Marks, underlying: Mark | undefined): Mark | undefined {
    const { instrument } = this.holding;
    if (instrument.kind === 'shares') return underlying;
    const legs = instrument.kind === 'option' ? [instrument.contract] : [instrument.long, instrument.short];
    const slots = legs.map((leg) => slotOn(tape, leg));
    if (slots.some((s) => s < 0)) return undefined;
    return marks.of({ ...instrument, slots });
  }

  #settle(
    tape: Tape,
    underlying: { readonly priceE4: number; readonly from: 'close' | 'open' | 'last' | 'mid' },
  ): void {
    const { holding } = this;
    const { instrument } = holding;
    if (instrument.kind === 'shares') return;
    const kind = tape.instruments.find((x) => x.kind !== 'option' && x.symbol === this.symbol)!.kind;
    const priceE4 = expiryValue(instrument, { priceE4: underlying.priceE4, of: kind });
    this.realizedE4 += holding.leave(holding.qty, priceE4);
    this.steps.push({
      date: tape.date,
      kind: 'settled',
      priceE4,
      underlyingE4: underlying.priceE4,
      from: underlying.from,
    });
  }

  #refusal(date: string, why: string): EngineRefusal {
    return new EngineRefusal(
      'corporate-action',
      `${this.holding.instrument.name} of ${this.opened} on ${date}: ${why}`,
      {
        expected: 'days between which a position stays whole, or a run that ends the day before',
        got: why,
      },
    );
  }
}

function chainOf(x: Instrument): ChainPlace | undefined {
  return x.kind === 'shares' ? undefined : placeOf(x);
}

function slotOn(tape: Tape, { right, strikeE4, chain }: Contract): number {
  return tape.instruments.findIndex(
    (x) =>
      x.kind === 'option' &&
      x.root === chain.root &&
      x.expiry === chain.expiry &&
      x.right === right &&
      x.strikeE4 === strikeE4,
  );
}

/** By the share's new name: contracts of the old root go on under it. */
function renamed(x: Instrument, symbol: string): Instrument {
  if (x.kind === 'shares') return { ...x, name: symbol };
  const of = (c: Contract): Contract => ({ ...c, chain: renamedChain(c.chain, symbol) });
  return x.kind === 'option'
    ? named({ ...x, contract: of(x.contract) })
    : named({ ...x, long: of(x.long), short: of(x.short) });
}

function renamedChain(chain: ChainPlace, root: string): ChainPlace {
  const { expiry, lastDate, settles, style, underlying, slots, fairWhy } = chain;
  return { root, expiry, lastDate, settles, style, underlying, slots, fairWhy, fair: () => Number.NaN };
}

/** Strikes after a split of `after` for one, as the later tape lists them. */
function struck(
  x: Exclude<Instrument, { kind: 'shares' }>,
  tape: Tape,
  after: number,
  refusal: (why: string) => EngineRefusal,
): Instrument {
  const of = (c: Contract): Contract => {
    const exactE4 = c.strikeE4 / after;
    let best: number | undefined;
    for (const y of tape.instruments) {
      if (y.kind !== 'option' || y.root !== c.chain.root || y.expiry !== c.chain.expiry || y.right !== c.right)
        continue;
      if (Math.abs(y.strikeE4 - exactE4) > STRIKE_APART_E4) continue;
      if (best === undefined || Math.abs(y.strikeE4 - exactE4) < Math.abs(best - exactE4)) best = y.strikeE4;
    }
    if (best === undefined)
      throw refusal(`no ${c.right} of ${c.chain.expiry} is listed near ${exactE4 / 1e4}, its strike over ${after}`);
    return { ...c, strikeE4: best };
  };
  return x.kind === 'option'
    ? named({ ...x, contract: of(x.contract) })
    : named({ ...x, long: of(x.long), short: of(x.short) });
}

function named<X extends Exclude<Instrument, { kind: 'shares' }>>(x: X): X {
  const first = x.kind === 'option' ? x.contract : x.long;
  const strikes = x.kind === 'option' ? `${first.strikeE4 / 1e4}` : `${first.strikeE4 / 1e4}/${x.short.strikeE4 / 1e4}`;
  return { ...x, name: `${first.chain.root} ${first.chain.expiry} ${strikes} ${first.right}` };
}
