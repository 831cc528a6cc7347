/** Price expressions, compiled: anchors read the book of the instrument that is traded; NaN is UNKNOWN. */
import type { Anchor, Offset, Price, PriceExpr, Trigger as TriggerText } from '../lang/model.ts';
import { durationUs } from './clock.ts';
import type { MarketState } from './market-state.ts';
import { onTick } from './money.ts';

/** What a price may read. */
export interface PriceSource {
  readonly market: MarketState;
  readonly slot: number;
  readonly side: 'buy' | 'sell';
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
  readonly bound: (value: number) => number;
}

export function compilePrice(price: Price, source: PriceSource): CompiledPrice {
  const exprs = [compileExpr(price.expr, source)];
  const escAfterUs: number[] = [];
  const caps: (() => number)[] = [];
  const floors: (() => number)[] = [];
  const cancelIf: TriggerText[] = [];
  let peg = false;
  let moving = moves(price.expr);
  for (const m of price.modifiers) {
    switch (m.kind) {
      case 'peg':
        peg = true;
        break;
      case 'fix':
        break;
      case 'cap':
        caps.push(compileExpr(m.at, source));
        moving ||= moves(m.at);
        break;
      case 'floor':
        floors.push(compileExpr(m.at, source));
        moving ||= moves(m.at);
        break;
      case 'esc':
        exprs.push(compileExpr(m.to, source));
        escAfterUs.push(durationUs(m.after));
        moving ||= moves(m.to);
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
  return { exprs, escAfterUs, peg, cancelIf, moving, bound };
}

/** The tick price of the `step`-th expression now: an E4 integer, or NaN when it is unpriceable. */
export function priceNow(price: CompiledPrice, step: number, source: PriceSource): number {
  const v = price.bound(price.exprs[step]!());
  return Number.isNaN(v) ? v : onTick(v, source.market.tickE4[source.slot]!, source.side);
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
      const steps = e.terms.map((x) => offsetBy(x.offset, x.sign, () => source.market.tickE4[source.slot]!));
      return () => {
        let v = base();
        for (const step of steps) v = step(v);
        return v;
      };
    }
  }
}

/** `x ± offset`: money adds, per cent and basis points scale. */
export function offsetBy(offset: Offset, sign: 1 | -1, tickE4: () => number): (x: number) => number {
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
      return (x) => x + sign * n * tickE4();
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
  const { market: m, slot, side } = source;
  const book =
    (value: () => number): (() => number) =>
    () =>
      m.good(slot) && m.halted[slot] === 0 ? value() : Number.NaN;
  const bid = book(() => m.bid(slot));
  const ask = book(() => m.ask(slot));
  switch (name) {
    case 'bid':
      return bid;
    case 'ask':
      return ask;
    case 'mid':
      return book(() => m.mid(slot));
    case 'last':
      return () => (m.halted[slot] === 0 ? m.last(slot) : Number.NaN);
    case 'join':
      return side === 'buy' ? bid : ask;
    case 'improve':
      return side === 'buy' ? () => bid() + m.tickE4[slot]! : () => ask() - m.tickE4[slot]!;
    case 'stub':
      return () => m.tickE4[slot]!;
    case 'basis':
      return source.basis;
    case 'fair':
      // Shares: the mid weighted by the opposite sizes.
      return book(
        () => (m.bid(slot) * m.askSize(slot) + m.ask(slot) * m.bidSize(slot)) / (m.bidSize(slot) + m.askSize(slot)),
      );
    case 'intrinsic':
      return () => Number.NaN;
  }
}

function moves(e: PriceExpr): boolean {
  switch (e.kind) {
    case 'number':
      return false;
    case 'anchor':
      return e.name !== 'stub';
    case 'group':
      return moves(e.of);
    case 'lean':
      return moves(e.a) || moves(e.b);
    case 'min':
    case 'max':
      return e.args.some(moves);
    case 'sum':
      return moves(e.base);
  }
}
