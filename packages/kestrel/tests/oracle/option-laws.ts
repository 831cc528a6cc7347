/** Laws of option plays: what must be true of any play, read from the tape and the report alone. */
import type { Case } from './generate.ts';

/** Only what the laws look at, of the oracle's report or the engine's. */
export interface Played {
  readonly name: string;
  readonly realizedE4: number;
  readonly openQty: number;
  readonly orders: readonly {
    readonly instrument: string;
    readonly side: 'buy' | 'sell';
    readonly arrivedAt: number | null;
  }[];
  readonly fills: readonly FillOf[];
  readonly settlements?: readonly SettlementOf[];
}

interface FillOf {
  readonly seq: number;
  readonly t: number;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly priceE4: number;
  readonly cause: string;
  readonly event: number;
  readonly instrument: string;
}

interface SettlementOf {
  readonly instrument: string;
  readonly qty: number;
  readonly priceE4: number;
  readonly underlyingE4: number;
}

interface Row {
  readonly t: number;
  readonly k: string;
  readonly s?: string;
  readonly x?: string;
  readonly r?: string;
  readonly K?: number;
  readonly b?: number;
  readonly bz?: number;
  readonly a?: number;
  readonly az?: number;
  readonly z?: number;
  readonly suspect?: boolean;
}

const rowsOf = (one: Case): Row[] => one.lines.slice(1).map((line) => JSON.parse(line));

interface Named {
  readonly legs: readonly { readonly key: string; readonly strikeE4: number }[];
  readonly right: string;
}

/** `SPY 2013-10-11 168/166 P`, read back; no legs: shares. */
function named(instrument: string): Named {
  const [root, expiry, strikes, right = ''] = instrument.split(' ');
  const legs = (strikes ?? '').split('/').filter((text) => text !== '');
  return {
    right,
    legs: legs.map((text) => ({
      key: `${root} ${expiry} ${right} ${Number(text)}`,
      strikeE4: Math.round(Number(text) * 1e4),
    })),
  };
}

const keyOf = (row: Row): string => `${row.s} ${row.x} ${row.r} ${row.K}`;
const multiplierOf = (instrument: string): number => (named(instrument).legs.length === 0 ? 1 : 100);

/** Least and most that a unit can be worth; of shares and single options without a bound above. */
function boundsOf(instrument: string): { readonly least: number; readonly most: number } {
  const { legs, right } = named(instrument);
  if (legs.length < 2) return { least: 0, most: Number.POSITIVE_INFINITY };
  const width = (legs[0]!.strikeE4 - legs[1]!.strikeE4) * (right === 'P' ? 1 : -1);
  return { least: Math.min(0, width), most: Math.max(0, width) };
}

const fillsOf = (plans: readonly Played[]): FillOf[] =>
  plans.flatMap((plan) => plan.fills).sort((one, two) => one.seq - two.seq);

/** Fills that took what a quote showed took it from good quotes, and never more than was shown, leg by leg. */
export function overfills(one: Case, plans: readonly Played[]): string[] {
  const rows = rowsOf(one);
  const wrong: string[] = [];
  const taken = new Map<string, number>();
  for (const fill of fillsOf(plans)) {
    if (!['arrival', 'quote-through', 'market'].includes(fill.cause)) continue;
    named(fill.instrument).legs.forEach(({ key }, leg) => {
      const at = rows.findLastIndex(
        (row, i) => i <= fill.event && row.k === 'oquote' && !row.suspect && keyOf(row) === key,
      );
      const { b = 0, bz = 0, a = 0, az = 0 } = rows[at] ?? {};
      if (!(b > 0 && b < a && bz > 0 && az > 0)) wrong.push(`${fill.seq}: ${key} at #${at} is no good quote`);
      const bought = (fill.side === 'buy') === (leg === 0);
      const side = `${key} #${at} ${bought}`;
      taken.set(side, (taken.get(side) ?? 0) + fill.qty);
      if (taken.get(side)! > (bought ? az : bz)) wrong.push(`${fill.seq}: ${side} took ${taken.get(side)}`);
    });
  }
  return wrong;
}

/** A print fills its own contract alone, each side once, and no order that arrived after it. */
export function misprints(one: Case, plans: readonly Played[]): string[] {
  const rows = rowsOf(one);
  const wrong: string[] = [];
  const taken = new Map<string, number>();
  for (const plan of plans) {
    for (const fill of plan.fills) {
      if (!fill.cause.startsWith('print')) continue;
      const print = rows[fill.event]!;
      const { legs } = named(fill.instrument);
      const own = legs.length === 0 ? print.k === 'trade' : print.k === 'otrade' && legs[0]!.key === keyOf(print);
      if (!own || legs.length === 2) wrong.push(`${fill.seq}: not a print of ${fill.instrument}`);
      const side = `${fill.event} ${fill.side}`;
      taken.set(side, (taken.get(side) ?? 0) + fill.qty);
      if (taken.get(side)! > print.z!) wrong.push(`${fill.seq}: more than the print of ${print.z}`);
      const early = plan.orders
        .filter((order) => order.instrument === fill.instrument && order.side === fill.side)
        .every((order) => order.arrivedAt === null || order.arrivedAt > print.t);
      if (early) wrong.push(`${fill.seq}: printed before its order arrived`);
    }
  }
  return wrong;
}

/** One settlement price an underlying, and each instrument paid by it, leg by leg. */
export function mispaid(one: Case, plans: readonly Played[]): string[] {
  const { instruments } = JSON.parse(one.lines[0]!) as { instruments: { symbol?: string; kind: string }[] };
  const index = instruments.some((each) => each.kind === 'index');
  const rows = plans.flatMap((plan) => plan.settlements ?? []);
  const wrong = new Set(rows.map((row) => row.underlyingE4)).size > 1 ? ['more than one settlement price'] : [];
  for (const { instrument, priceE4, underlyingE4 } of rows) {
    const { legs, right } = named(instrument);
    const [a = 0, b = 0] = legs.map(({ strikeE4 }) => {
      const inside = Math.max(0, right === 'C' ? underlyingE4 - strikeE4 : strikeE4 - underlyingE4);
      return index || inside >= 100 ? inside : 0;
    });
    if (priceE4 !== a - b) wrong.push(`${instrument} paid ${priceE4} at ${underlyingE4}`);
  }
  return wrong;
}

interface Position {
  /** Signed: below 0 what is short. */
  qty: number;
  cashE4: number;
}

/** What was paid and received is what was realised, once nothing is open. */
export function unaccounted(plans: readonly Played[]): string[] {
  return plans.flatMap((plan) => {
    if (plan.openQty !== 0) return [];
    const held = new Map<string, Position>();
    for (const fill of plan.fills) move(held, fill);
    let cashE4 = 0;
    for (const [instrument, { qty, cashE4: cash }] of held) {
      const paid = (plan.settlements ?? []).find((row) => row.instrument === instrument);
      if (Math.abs(qty) !== (paid?.qty ?? 0)) return [`${plan.name}: ${qty} of ${instrument} left`];
      cashE4 += cash + qty * (paid?.priceE4 ?? 0) * multiplierOf(instrument);
    }
    return cashE4 === plan.realizedE4 ? [] : [`${plan.name}: cash ${cashE4}, realised ${plan.realizedE4}`];
  });
}

/** What is held may still lose, and what was lost, come to no more than the budget after any fill. */
export function overBudget(plans: readonly Played[], budgetE4: (plan: string) => number): string[] {
  return plans.flatMap((plan) => {
    const held = new Map<string, Position>();
    for (const fill of plan.fills) {
      move(held, fill);
      let worstE4 = 0;
      for (const [instrument, { qty, cashE4 }] of held) {
        const { least, most } = boundsOf(instrument);
        worstE4 += cashE4 + (qty === 0 ? 0 : qty * (qty > 0 ? least : most) * multiplierOf(instrument));
      }
      if (-worstE4 > budgetE4(plan.name)) return [`${plan.name}: after fill ${fill.seq} may lose ${-worstE4}`];
    }
    return [];
  });
}

function move(held: Map<string, Position>, fill: FillOf): void {
  const position = held.get(fill.instrument) ?? { qty: 0, cashE4: 0 };
  const sign = fill.side === 'buy' ? 1 : -1;
  position.qty += sign * fill.qty;
  position.cashE4 -= sign * fill.qty * fill.priceE4 * multiplierOf(fill.instrument);
  held.set(fill.instrument, position);
}

/** Without the rows of contracts that no order is of. */
export function withoutStrangers(one: Case, plans: readonly Played[]): Case {
  const used = new Set(
    plans.flatMap((plan) => plan.orders.flatMap((order) => named(order.instrument).legs)).map((leg) => leg.key),
  );
  const keeps = (line: string): boolean => {
    const row: Row = JSON.parse(line);
    return (row.k !== 'oquote' && row.k !== 'otrade') || used.has(keyOf(row));
  };
  return { ...one, lines: [one.lines[0]!, ...one.lines.slice(1).filter(keeps)] };
}

/** Contracts of half the size under half the risk unit. */
export function halved(one: Case): Case {
  const header = JSON.parse(one.lines[0]!) as { instruments: { kind: string; multiplier?: number }[] };
  const instruments = header.instruments.map((each) => (each.kind === 'option' ? { ...each, multiplier: 50 } : each));
  return { ...one, rUsd: one.rUsd / 2, lines: [JSON.stringify({ ...header, instruments }), ...one.lines.slice(1)] };
}
