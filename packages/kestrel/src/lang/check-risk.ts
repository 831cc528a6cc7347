// Bounded risk as a type: naked shorts, sales beyond what is owned, and placements that no budget can bear.

import type { PlanDraft } from './draft.ts';
import type { Findings } from './findings.ts';
import { decimalText, expiryText, strikeText } from './literals.ts';
import type { Expiry, Instrument, Offset, PlanClause, PriceExpr, Strike, Ticket } from './model.ts';
import { instrumentText } from './print.ts';

/** Contracts' shares each, where the tape does not say otherwise. */
export const optionMultiplier = 100;

interface Placement {
  readonly ticket: Ticket;
  /** `first`: DO and ALSO. `later`: RELOAD. */
  readonly moment: 'first' | 'later';
  /** How often it may be placed. */
  readonly times: number;
  /** Whether the ticket stands in the clause itself, which is where it is judged. */
  readonly written: 'here' | 'in DO';
}

export function checkRisk(
  plan: PlanDraft,
  {
    expiry,
    rUsdE4,
    multiplierMin,
    findings,
  }: {
    readonly expiry: Expiry | undefined;
    readonly rUsdE4: number | undefined;
    readonly multiplierMin: number;
    readonly findings: Findings;
  },
): void {
  const placements = placementsOf(plan);
  for (const placement of placements) {
    const { ticket } = placement;
    if (placement.written === 'in DO') continue;
    if (ticket.instrument.kind === 'vertical' && sameStrike(ticket.instrument.long, ticket.instrument.short)) {
      findings.add({
        code: 'K030',
        node: ticket,
        part: 'order',
        message: `\`${instrumentText(ticket.instrument)}\` has both legs at one strike, so that no width bounds its loss`,
        expected: ['two different strikes'],
      });
    } else if (ticket.side === 'sell') checkSale(placement, placements, expiry, findings);
    if (rUsdE4 !== undefined) checkBudget(plan, ticket, { rUsdE4, multiplierMin, findings });
  }
  checkFractions(plan, findings);
}

function placementsOf(plan: PlanDraft): readonly Placement[] {
  const placements: Placement[] = [];
  if (plan.do !== undefined) placements.push({ ticket: plan.do.ticket, moment: 'first', times: 1, written: 'here' });
  for (const clause of plan.clauses) {
    switch (clause.kind) {
      case 'also':
        placements.push({ ticket: clause.ticket, moment: 'first', times: 1, written: 'here' });
        break;
      case 'reload-when':
        placements.push({
          ticket: clause.ticket,
          moment: 'later',
          times: Number.POSITIVE_INFINITY,
          written: 'here',
        });
        break;
      case 'reload-every':
        if (clause.ticket !== undefined) {
          placements.push({ ticket: clause.ticket, moment: 'later', times: clause.upTo, written: 'here' });
        } else if (plan.do !== undefined) {
          placements.push({ ticket: plan.do.ticket, moment: 'later', times: clause.upTo, written: 'in DO' });
        }
        break;
      default:
        break;
    }
  }
  return placements;
}

/** On which side the plan's TP and EXIT stand: what is opened by selling a vertical is bought back. */
export function exitSide(plan: PlanDraft): 'buy' | 'sell' | 'either' {
  let bought = false;
  let credit = false;
  const look = (ticket: Ticket | undefined): void => {
    if (ticket?.side === 'buy') bought = true;
    if (ticket?.side === 'sell' && ticket.instrument.kind === 'vertical') credit = true;
  };
  look(plan.do?.ticket);
  for (const clause of plan.clauses) if ('ticket' in clause) look(clause.ticket);
  if (!credit) return 'sell';
  return bought ? 'either' : 'buy';
}

function sameStrike(a: Strike, b: Strike): boolean {
  return strikeText(a) === strikeText(b);
}

/** Contract a ticket is sure to mean whenever it is placed; undefined where the strike moves with the market. */
function contractOf(instrument: Instrument, expiry: Expiry | undefined): string | undefined {
  switch (instrument.kind) {
    case 'shares':
      return 'shares';
    case 'option':
      if (instrument.strike.kind !== 'absolute') return undefined;
      return `${strikeText(instrument.strike)} ${instrument.right} ${expiryOf(instrument.expiry ?? expiry)}`;
    case 'vertical': {
      if (instrument.long.kind !== 'absolute' || instrument.short.kind !== 'absolute') return undefined;
      const strikes = `${strikeText(instrument.long)}/${strikeText(instrument.short)}`;
      return `${strikes} ${instrument.right} ${expiryOf(instrument.expiry ?? expiry)}`;
    }
    default:
      return instrument satisfies never;
  }
}

function expiryOf(expiry: Expiry | undefined): string {
  return expiry === undefined ? 'nearest' : expiryText(expiry);
}

function checkSale(
  placement: Placement,
  placements: readonly Placement[],
  expiry: Expiry | undefined,
  findings: Findings,
): void {
  const { ticket } = placement;
  const contract = contractOf(ticket.instrument, expiry);
  let bought = 0;
  let buysIt = false;
  for (const other of placements) {
    if (other.ticket.side !== 'buy' || contract === undefined) continue;
    if (contractOf(other.ticket.instrument, expiry) !== contract) continue;
    buysIt = true;
    // A quantity that did not parse has been refused already; nothing more is said of what depends on it.
    bought += Number.isNaN(other.ticket.qty) ? Number.POSITIVE_INFINITY : other.ticket.qty * other.times;
  }
  // A vertical sold for a credit loses no more than its width: a sale that closes nothing opens that.
  if (ticket.instrument.kind === 'vertical' && !buysIt) return;
  // A call against shares of the plan loses no more than they do; DO and ALSO come before there are any.
  if (!buysIt && placement.moment === 'later' && isCovered(ticket, placements)) return;
  if (!buysIt) {
    const what = ticket.instrument.kind === 'shares' ? 'short shares lose' : 'a naked short option loses';
    findings.add({
      code: 'K030',
      node: ticket,
      part: 'order',
      message: `${what} without bound, and the plan owns no \`${instrumentText(ticket.instrument)}\` to sell`,
      expected: ticket.instrument.kind === 'shares' ? ['buy'] : ['buy', 'sell 1 5100/5090 P'],
      hint: 'what the plan owns is sold by TP and EXIT',
    });
    return;
  }
  const ownable = placement.moment === 'first' ? 0 : bought;
  const sold = Number.isFinite(placement.times) ? ticket.qty * placement.times : ticket.qty;
  if (sold <= ownable || Number.isNaN(sold)) return;
  findings.add({
    code: 'K031',
    node: ticket,
    part: 'order',
    message: `sells ${sold} where the plan can own ${ownable} at that point`,
    expected: ownable === 0 ? ['TP', 'EXIT'] : [`at most ${ownable}`],
    hint: ownable === 0 ? 'DO and ALSO are placed together, before anything is owned' : undefined,
  });
}

/** Whether the plan buys shares enough for one sale of the calls. */
function isCovered({ instrument, qty }: Ticket, placements: readonly Placement[]): boolean {
  if (instrument.kind !== 'option' || instrument.right !== 'C') return false;
  let shares = 0;
  for (const { ticket, times } of placements) {
    if (ticket.side === 'buy' && ticket.instrument.kind === 'shares') shares += ticket.qty * times;
  }
  return shares >= qty * optionMultiplier;
}

function checkFractions(plan: PlanDraft, findings: Findings): void {
  let sum = 0;
  for (const clause of plan.clauses) {
    if (clause.kind !== 'tp' || clause.frac === undefined) continue;
    const inRange = clause.frac > 0 && clause.frac <= 10_000;
    sum += inRange ? clause.frac : 0;
    if (inRange && sum <= 10_000) continue;
    findings.add({
      code: 'K031',
      node: clause,
      part: 'frac',
      message: inRange
        ? `the fractions of the plan's TPs come to ${decimalText(sum)}, more than all of it`
        : '`frac` is more than 0 and at most 1',
      expected: ['fractions that sum to at most 1'],
    });
    if (inRange) sum -= clause.frac;
  }
}

// ---------------------------------------------------------------- K032

function checkBudget(
  plan: PlanDraft,
  ticket: Ticket,
  {
    rUsdE4,
    multiplierMin,
    findings,
  }: { readonly rUsdE4: number; readonly multiplierMin: number; readonly findings: Findings },
): void {
  if (!(plan.budget > 0) || !(ticket.qty > 0)) return;
  const unitE4 = leastLossE4(ticket);
  if (!(unitE4 > 0) || !Number.isFinite(unitE4)) return;
  const multiplier = ticket.instrument.kind === 'shares' ? 1 : multiplierMin;
  const lossE4 = BigInt(Math.floor(unitE4)) * BigInt(ticket.qty) * BigInt(multiplier);
  const budgetE4 = (BigInt(plan.budget) * BigInt(rUsdE4)) / 10_000n;
  if (lossE4 <= budgetE4) return;
  findings.add({
    code: 'K032',
    node: ticket,
    part: 'order',
    message: `risks ${dollars(lossE4)} alone, more than the plan's budget of ${dollars(budgetE4)}`,
    expected: [`a worst loss of at most ${dollars(budgetE4)}`],
  });
}

function dollars(e4: bigint): string {
  const cents = e4 / 100n;
  return `$${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

/** The least that one unit may lose at worst, in E4 before the multiplier, as far as literals tell. */
function leastLossE4(ticket: Ticket): number {
  const { instrument } = ticket;
  const limit = bounds(ticket.price.expr);
  let { low, high } = limit;
  for (const modifier of ticket.price.modifiers) {
    if (modifier.kind === 'cap') {
      const cap = bounds(modifier.at);
      low = Math.min(low, cap.low);
      high = Math.min(high, cap.high);
    } else if (modifier.kind === 'floor') {
      const floor = bounds(modifier.at);
      low = Math.max(low, floor.low);
      high = Math.max(high, floor.high);
    }
  }
  if (instrument.kind !== 'vertical') return ticket.side === 'buy' ? low : 0;
  const width = signedWidthE4(instrument);
  if (width === undefined) return ticket.side === 'buy' ? low : 0;
  // Bought, a vertical is worth from 0 to its width, or the reverse where its short leg is the dearer.
  if (ticket.side === 'buy') return low + Math.max(0, -width);
  return Math.max(0, width) - high;
}

/** Most that `a/b` can be worth, less what it can cost: positive where the long leg is the dearer. */
function signedWidthE4(vertical: Extract<Instrument, { kind: 'vertical' }>): number | undefined {
  if (vertical.long.kind !== 'absolute' || vertical.short.kind !== 'absolute') return undefined;
  const width = vertical.long.e4 - vertical.short.e4;
  return vertical.right === 'P' ? width : -width;
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

const anyPrice: Bounds = { low: 0, high: Number.POSITIVE_INFINITY };

function bounds(expr: PriceExpr): Bounds {
  switch (expr.kind) {
    case 'anchor':
      return anyPrice;
    case 'number':
      return { low: expr.e4, high: expr.e4 };
    case 'group':
      return bounds(expr.of);
    case 'min':
      return expr.args.map(bounds).reduce((a, b) => ({ low: Math.min(a.low, b.low), high: Math.min(a.high, b.high) }));
    case 'max':
      return expr.args.map(bounds).reduce((a, b) => ({ low: Math.max(a.low, b.low), high: Math.max(a.high, b.high) }));
    case 'lean': {
      const a = bounds(expr.a);
      const b = bounds(expr.b);
      const w = Math.min(1, Math.max(0, expr.w / 10_000));
      return { low: between(a.low, b.low, w), high: between(a.high, b.high, w) };
    }
    case 'sum': {
      let { low, high } = bounds(expr.base);
      for (const { sign, offset } of expr.terms) {
        low = moved(low, sign, offset, 'low');
        high = moved(high, sign, offset, 'high');
      }
      return { low, high };
    }
    default:
      return expr satisfies never;
  }
}

function between(a: number, b: number, w: number): number {
  if (w === 0) return a;
  if (w === 1) return b;
  return a + (b - a) * w;
}

/** A bound moved by a literal offset; ticks have no length here, so that they leave the bound open. */
function moved(bound: number, sign: 1 | -1, offset: Offset, end: 'low' | 'high'): number {
  switch (offset.unit) {
    case '$':
      return bound + sign * offset.e4;
    case 'c':
      return bound + (sign * offset.e4) / 100;
    case '%':
      return scaled(bound, 1 + (sign * offset.e4) / 1_000_000);
    case 'bps':
      return scaled(bound, 1 + (sign * offset.e4) / 100_000_000);
    case 't':
      if (end === 'low') return sign === 1 ? bound : 0;
      return sign === -1 ? bound : Number.POSITIVE_INFINITY;
    default:
      return offset.unit satisfies never;
  }
}

/** A change that takes everything away leaves no price at all, and so no loss that is known. */
function scaled(bound: number, factor: number): number {
  return factor > 0 ? bound * factor : 0;
}

/** Whether a clause can take the plan out of a position before its ttl. */
export function isWayOut(clause: PlanClause): boolean {
  switch (clause.kind) {
    case 'tp':
    case 'exit':
      return true;
    case 'invalidate':
      return clause.mode === 'flat';
    case 'reload-when':
      return clause.ticket.side === 'sell';
    case 'reload-every':
      return clause.ticket?.side === 'sell';
    case 'also':
    case 'cancel-if':
    case 'arm':
      return false;
    default:
      return clause satisfies never;
  }
}
