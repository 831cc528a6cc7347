// What a price may say: no bare mid, no bound on the wrong side, no basis before there is one.
import { checkDuration, checkTrigger, type TriggerPlace } from './check-trigger.ts';
import type { Findings } from './findings.ts';
import type { Modifier, Price, PriceExpr } from './model.ts';
import { anchors } from './vocabulary.ts';

/** Where a price stands: on which side of the market, in which clause. */
export interface PricePlace {
  /** `either`: a clause that sells what was bought and buys back what was sold. */
  readonly side: 'buy' | 'sell' | 'either';
  /** `first`: DO and ALSO, placed before anything can be owned. */
  readonly moment: 'first' | 'later';
  readonly trigger: TriggerPlace;
}

export function checkPrice(price: Price, place: PricePlace, findings: Findings): void {
  checkExpr(price.expr, place, findings);
  let pegged: Modifier | undefined;
  for (const modifier of price.modifiers) {
    switch (modifier.kind) {
      case 'peg':
      case 'fix':
        if (pegged !== undefined && pegged.kind !== modifier.kind) {
          findings.add({
            code: 'K041',
            node: modifier,
            message: '`peg` follows the market and `fix` does not: a price has one of them',
            expected: ['peg', 'fix'],
          });
        }
        pegged ??= modifier;
        break;
      case 'cap':
      case 'floor':
        checkBound(modifier, place, findings);
        checkExpr(modifier.at, place, findings);
        break;
      case 'esc':
        checkExpr(modifier.to, place, findings);
        checkDuration(modifier.after, findings);
        break;
      case 'cancel-if':
        checkTrigger(modifier.when, place.trigger, findings);
        break;
      default:
        modifier satisfies never;
    }
  }
}

function checkBound(
  modifier: Extract<Modifier, { kind: 'cap' | 'floor' }>,
  place: PricePlace,
  findings: Findings,
): void {
  const fits = modifier.kind === 'cap' ? 'buy' : 'sell';
  if (place.side === fits || place.side === 'either') return;
  findings.add({
    code: 'K041',
    node: modifier,
    message:
      modifier.kind === 'cap'
        ? '`cap` is the most a buy may pay, and this is a sell'
        : '`floor` is the least a sell may take, and this is a buy',
    expected: [place.side === 'buy' ? 'cap' : 'floor'],
  });
}

function checkExpr(expr: PriceExpr, place: PricePlace, findings: Findings): void {
  walk(expr, 'alone', place, findings);
}

/** `beside`: some enclosing min, max or lean has another argument with a VALUE anchor. */
function walk(expr: PriceExpr, mids: 'alone' | 'beside', place: PricePlace, findings: Findings): void {
  switch (expr.kind) {
    case 'anchor':
      if (expr.name === 'mid' && mids === 'alone') {
        findings.add({
          code: 'K040',
          node: expr,
          message: '`mid` is a quote, not a value',
          expected: ['fair', 'lean(mid, fair, 0.5)', 'min(mid, fair)', 'max(mid, fair)'],
          hint: 'set it beside a value inside lean, min or max',
        });
      }
      if (expr.name === 'basis' && place.moment === 'first') {
        findings.add({
          code: 'K041',
          node: expr,
          message: '`basis` is the average entry price, and nothing is owned yet',
          expected: ['fair', 'bid', 'join'],
        });
      }
      return;
    case 'number':
      return;
    case 'group':
      walk(expr.of, mids, place, findings);
      return;
    case 'sum':
      walk(expr.base, mids, place, findings);
      return;
    case 'lean':
      if (expr.w < 0 || expr.w > 10_000) {
        findings.add({
          code: 'K053',
          node: expr,
          part: 'weight',
          message: 'the weight of `lean` is from 0 to 1',
          expected: ['a weight from 0 to 1'],
        });
      }
      walkArgs([expr.a, expr.b], mids, place, findings);
      return;
    case 'min':
    case 'max':
      walkArgs(expr.args, mids, place, findings);
      return;
    default:
      expr satisfies never;
  }
}

function walkArgs(args: readonly PriceExpr[], mids: 'alone' | 'beside', place: PricePlace, findings: Findings): void {
  const valued = args.map(hasValue);
  const count = valued.filter(Boolean).length;
  args.forEach((arg, k) => {
    const others = count - (valued[k] ? 1 : 0);
    walk(arg, mids === 'beside' || others > 0 ? 'beside' : 'alone', place, findings);
  });
}

function hasValue(expr: PriceExpr): boolean {
  switch (expr.kind) {
    case 'anchor':
      return anchors[expr.name].family === 'value';
    case 'number':
      return false;
    case 'group':
      return hasValue(expr.of);
    case 'sum':
      return hasValue(expr.base);
    case 'lean':
      return hasValue(expr.a) || hasValue(expr.b);
    case 'min':
    case 'max':
      return expr.args.some(hasValue);
    default:
      return expr satisfies never;
  }
}
