/** A price worked out from its tree, then bounded, rounded to the tick, or found unpriceable. */
import type { Anchor, Price, PriceExpr } from '../../src/lang/model.ts';
import { applyOffset } from './trigger.ts';

export interface PriceWorld {
  readonly side: 'buy' | 'sell';
  /** The step of prices at a price. */
  tickE4(atE4: number): number;
  /** In E4; undefined is UNKNOWN. */
  anchor(name: Anchor): number | undefined;
}

export function expression(expr: PriceExpr, world: PriceWorld): number | undefined {
  switch (expr.kind) {
    case 'anchor':
      return world.anchor(expr.name);
    case 'number':
      return expr.e4;
    case 'group':
      return expression(expr.of, world);
    case 'lean': {
      const [a, b] = [expression(expr.a, world), expression(expr.b, world)];
      return a === undefined || b === undefined ? undefined : a + (b - a) * (expr.w / 1e4);
    }
    case 'min':
    case 'max': {
      const values = expr.args.map((arg) => expression(arg, world));
      if (values.includes(undefined)) return undefined;
      return expr.kind === 'min' ? Math.min(...(values as number[])) : Math.max(...(values as number[]));
    }
    case 'sum': {
      let value = expression(expr.base, world);
      for (const { sign, offset } of expr.terms) {
        if (value !== undefined) value = applyOffset(value, sign, offset, world.tickE4(value));
      }
      return value;
    }
  }
}

/** Buys round down to the tick, sells up; below one tick there is no price. */
export function toTick(valueE4: number, world: PriceWorld): number | undefined {
  const tick = world.tickE4(valueE4);
  const near = Math.round(valueE4 / tick) * tick;
  const down = Math.floor(valueE4 / tick) * tick;
  const up = Math.ceil(valueE4 / tick) * tick;
  const exact = Math.abs(valueE4 - near) <= 1e-6 ? near : world.side === 'buy' ? down : up;
  return exact < world.tickE4(0) ? undefined : exact;
}

/**
 * @param at.atLeastE4 what a sale may not go below
 * @param at.atMostE4 what the purchase that takes a profit may not go above
 * @param at.escaped whether the order's `esc` has come, so that its price now stands for the author's
 */
export function priceE4(
  price: Price,
  world: PriceWorld,
  at: { readonly escaped: boolean; readonly atLeastE4?: number; readonly atMostE4?: number },
): number | undefined {
  const esc = price.modifiers.find((one) => one.kind === 'esc');
  let value = expression(at.escaped && esc !== undefined ? esc.to : price.expr, world);
  for (const modifier of price.modifiers) {
    if (modifier.kind !== 'cap' && modifier.kind !== 'floor') continue;
    const bound = expression(modifier.at, world);
    if (bound === undefined || value === undefined) return undefined;
    value = modifier.kind === 'cap' ? Math.min(value, bound) : Math.max(value, bound);
  }
  if (value === undefined) return undefined;
  if (at.atLeastE4 !== undefined) value = Math.max(value, at.atLeastE4);
  if (at.atMostE4 !== undefined) value = Math.min(value, at.atMostE4);
  return toTick(value, world);
}
