/** Prices a plan says in so many units of currency: what a split of the share makes mean something else. */
import type { Condition, Offset, Operand, Percentile, Plan, Price, PriceExpr, Strike, Trigger } from '../lang/model.ts';
import { series } from '../lang/series.ts';
import { tickets } from './plan-run.ts';

/** @returns the first few of them as the plan has them, such as `650` or `$4`; none where it says none */
export function absolutePrices(plan: Plan): readonly string[] {
  const found = new Set<string>();
  const say = (e4: number, sign = ''): void => {
    found.add(`${sign}${e4 / 1e4}`);
  };
  const offset = ({ unit, e4 }: Offset): void => {
    // Cents and ticks are steps of the book, not levels of the share.
    if (unit === '$') say(e4, '$');
  };
  const expr = (e: PriceExpr): void => {
    switch (e.kind) {
      case 'anchor':
        return;
      case 'number':
        say(e.e4);
        return;
      case 'group':
        expr(e.of);
        return;
      case 'lean':
        expr(e.a);
        expr(e.b);
        return;
      case 'min':
      case 'max':
        e.args.forEach(expr);
        return;
      case 'sum':
        expr(e.base);
        for (const term of e.terms) offset(term.offset);
        return;
    }
  };
  const price = ({ expr: base, modifiers }: Price): void => {
    expr(base);
    for (const m of modifiers) {
      if (m.kind === 'cap' || m.kind === 'floor') expr(m.at);
      else if (m.kind === 'esc') expr(m.to);
      else if (m.kind === 'cancel-if') trigger(m.when);
    }
  };
  const isPrice = (x: Operand | Percentile): boolean => x.kind === 'series' && series.get(x.name)?.unit === 'price';
  const sides = (left: Operand, right: Operand | Percentile): void => {
    for (const [one, other] of [
      [left, right],
      [right, left],
    ] as const) {
      if (one.kind === 'number' && isPrice(other)) say(one.e4);
      if (one.kind === 'series' && one.offset !== undefined) offset(one.offset.offset);
    }
  };
  const trigger = (t: Trigger): void => {
    switch (t.kind) {
      case 'and':
      case 'or':
        t.of.forEach(trigger);
        return;
      case 'not':
      case 'paren':
      case 'held':
      case 'within':
        trigger(t.of);
        return;
      default:
        condition(t);
    }
  };
  const condition = (c: Condition): void => {
    if (c.kind === 'compare' || c.kind === 'crosses') sides(c.left, c.right);
  };
  const strike = (k: Strike): void => {
    if (k.kind === 'absolute') say(k.e4);
  };
  for (const ticket of tickets(plan)) {
    price(ticket.price);
    if (ticket.instrument.kind === 'option') strike(ticket.instrument.strike);
    if (ticket.instrument.kind === 'vertical') {
      strike(ticket.instrument.long);
      strike(ticket.instrument.short);
    }
  }
  if (plan.when !== undefined) trigger(plan.when.when);
  for (const c of plan.clauses) {
    if ('when' in c) trigger(c.when);
    if (c.kind === 'reload-every') offset(c.step);
    if (c.kind === 'tp' || c.kind === 'exit') price(c.price);
  }
  return [...found];
}
