/** Price expressions, compiled: anchors read the book of the instrument that is traded; NaN is UNKNOWN. */
import type { Anchor, Offset, Price, PriceExpr, Trigger as TriggerText } from '../lang/model.ts';
import { durationUs } from './clock.ts';
import {
  askOf,
  bidOf,
  fairNow,
  fairWhy,
  type Instrument,
  intrinsicNow,
  isGood,
  midOf,
  mostToClose,
  onTickOf,
  tickAt,
} from './instrument.ts';
import type { MarketState } from './market-state.ts';

/** What a price may read. */
export interface PriceSource {
  readonly market: MarketState;
  readonly instrument: Instrument;
  readonly side: 'buy' | 'sell';
  /** `close`: a purchase pays at most what a unit can be worth, since more would be lost than ever was at stake. */
  readonly aim: 'open' | 'close';
  /** The plan's average entry price in E4; NaN before anything is owned. */
  readonly basis: () => number;
}

export interface CompiledPrice {
  /** The base expression, then those that `esc` puts in its place. */
  readonly exprs: readonly (() => number)[];
  /** Delay of each `esc`, microseconds from the order's creation. */
  readonly escAfterUs: readonly number[];
  readonly peg: boolean;
  readonly cancelIf: readonly TriggerText[];
  /** Whether some anchor moves with every event: pegs that read nothing never need a look. */
  readonly moving: boolean;
  /** Whether some anchor is `fair`, which reads the whole chain of an option. */
  readonly readsFair: boolean;
  /** Whether it reads the underlying's spot: `intrinsic`, said or as the floor of a sale of options. */
  readonly readsSpot: boolean;
  readonly bound: (value: number) => number;
}

export function compilePrice(price: Price, source: PriceSource): CompiledPrice {
  const exprs = [compileExpr(price.expr, source)];
  const escAfterUs: number[] = [];
  const caps: (() => number)[] = [];
  const floors: (() => number)[] = [];
  const cancelIf: TriggerText[] = [];
  let peg = false;
  const read: PriceExpr[] = [price.expr];
  for (const m of price.modifiers) {
    switch (m.kind) {
      case 'peg':
        peg = true;
        break;
      case 'fix':
        break;
      case 'cap':
        caps.push(compileExpr(m.at, source));
        read.push(m.at);
        break;
      case 'floor':
        floors.push(compileExpr(m.at, source));
        read.push(m.at);
        break;
      case 'esc':
        exprs.push(compileExpr(m.to, source));
        escAfterUs.push(durationUs(m.after));
        read.push(m.to);
        break;
      case 'cancel-if':
        cancelIf.push(m.when);
        break;
    }
  }
  const bound = (value: number): number => {
    let v = value;
    for (const cap of caps) v = Math.min(v, cap());
    for (const floor of floors) v = Math.max(v, floor());
    return v;
  };
  const names = new Set(read.flatMap(anchorsOf));
  const options = source.instrument.kind !== 'shares';
  const readsSpot = options && (source.side === 'sell' || names.has('intrinsic'));
  names.delete('stub');
  return {
    exprs,
    escAfterUs,
    peg,
    cancelIf,
    moving: readsSpot || names.size > 0,
    readsFair: options && names.has('fair'),
    readsSpot,
    bound,
  };
}

/** The tick price of the `step`-th expression now: an E4 integer, or NaN when it is unpriceable. */
export function priceNow(price: CompiledPrice, step: number, source: PriceSource): number {
  return tickPrice(price.bound(price.exprs[step]!()), source);
}

/** A computed value on the tick; a sale of options is never below what they are worth at once. */
export function tickPrice(value: number, { instrument, market, aim, side }: PriceSource): number {
  let v = value;
  if (side === 'sell' && instrument.kind !== 'shares') v = Math.max(v, intrinsicNow(instrument, market));
  if (side === 'buy' && aim === 'close') v = Math.min(v, mostToClose(instrument, market));
  return Number.isNaN(v) ? v : onTickOf(instrument, v, side);
}

/** Why a price cannot be placed: its anchors that are UNKNOWN, or what it comes to. */
export function whyUnpriceable(price: Price, source: PriceSource): string {
  const exprs = [price.expr];
  for (const m of price.modifiers) if (m.kind === 'cap' || m.kind === 'floor') exprs.push(m.at);
  const names = new Set<Anchor>();
  for (const e of exprs) for (const name of anchorsOf(e)) names.add(name);
  if (source.side === 'sell' && source.instrument.kind !== 'shares') names.add('intrinsic');
  const unknown = [...names].filter((name) => Number.isNaN(compileAnchor(name, source)()));
  if (unknown.length > 0) {
    const why = unknown.includes('fair') ? fairWhy(source.instrument) : undefined;
    return `${unknown.join(' and ')} ${unknown.length === 1 ? 'is' : 'are'} UNKNOWN${why === undefined ? '' : ` (fair-v1: ${why})`}`;
  }
  const v = compileExpr(price.expr, source)();
  return `the price comes to ${Math.round(v) / 1e4}, which is below one tick or beyond what is exact`;
}

function anchorsOf(e: PriceExpr): Anchor[] {
  switch (e.kind) {
    case 'number':
      return [];
    case 'anchor':
      return [e.name];
    case 'group':
      return anchorsOf(e.of);
    case 'lean':
      return [...anchorsOf(e.a), ...anchorsOf(e.b)];
    case 'min':
    case 'max':
      return e.args.flatMap(anchorsOf);
    case 'sum':
      return anchorsOf(e.base);
  }
}

function compileExpr(e: PriceExpr, source: PriceSource): () => number {
  switch (e.kind) {
    case 'number': {
      const { e4 } = e;
      return () => e4;
    }
    case 'anchor':
      return compileAnchor(e.name, source);
    case 'group':
      return compileExpr(e.of, source);
    case 'lean': {
      const a = compileExpr(e.a, source);
      const b = compileExpr(e.b, source);
      const w = e.w / 1e4;
      return () => {
        const from = a();
        return from + (b() - from) * w;
      };
    }
    case 'min':
    case 'max': {
      const args = e.args.map((x) => compileExpr(x, source));
      const pick = e.kind === 'min' ? Math.min : Math.max;
      return () => {
        let v = args[0]!();
        for (let i = 1; i < args.length; i++) v = pick(v, args[i]!());
        return v;
      };
    }
    case 'sum': {
      const base = compileExpr(e.base, source);
      const steps = e.terms.map((x) => offsetBy(x.offset, x.sign, (x0) => tickAt(source.instrument, x0)));
      return () => {
        let v = base();
        for (const step of steps) v = step(v);
        return v;
      };
    }
  }
}

/** `x ± offset`: money adds, per cent and basis points scale. */
export function offsetBy(offset: Offset, sign: 1 | -1, tickE4: (from: number) => number): (x: number) => number {
  const n = offset.e4 / 1e4;
  switch (offset.unit) {
    case 'c': {
      const add = (sign * offset.e4) / 100;
      return (x) => x + add;
    }
    case '$': {
      const add = sign * offset.e4;
      return (x) => x + add;
    }
    case 't':
      return (x) => x + sign * n * tickE4(x);
    case '%': {
      const factor = 1 + (sign * n) / 100;
      return (x) => x * factor;
    }
    case 'bps': {
      const factor = 1 + (sign * n) / 1e4;
      return (x) => x * factor;
    }
  }
}

function compileAnchor(name: Anchor, source: PriceSource): () => number {
  const { market: m, instrument, side } = source;
  const book =
    (value: () => number): (() => number) =>
    () =>
      isGood(instrument, m) ? value() : Number.NaN;
  const bid = book(() => bidOf(instrument, m));
  const ask = book(() => askOf(instrument, m));
  switch (name) {
    case 'bid':
      return bid;
    case 'ask':
      return ask;
    case 'mid':
      return book(() => midOf(instrument, m));
    case 'last': {
      // A vertical has no prints of its own.
      const slot = instrument.kind === 'vertical' ? -1 : instrument.slots[0]!;
      return () => (slot >= 0 && m.halted[slot] === 0 ? m.last(slot) : Number.NaN);
    }
    case 'join':
      return side === 'buy' ? bid : ask;
    case 'improve':
      return () => {
        const own = side === 'buy' ? bid() : ask();
        return own + (side === 'buy' ? tickAt(instrument, own) : -tickAt(instrument, own));
      };
    case 'stub':
      return () => tickAt(instrument, 0);
    case 'basis':
      return source.basis;
    case 'fair':
      return () => fairNow(instrument, m);
    case 'intrinsic':
      return () => intrinsicNow(instrument, m);
  }
}
