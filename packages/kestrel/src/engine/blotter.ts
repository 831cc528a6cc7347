/** The blotter (`kestrel.blotter/v1`): what was pinned, what every plan did and why, what never happened and how near. */
import { hashOf } from 'ground/digest';
import { ENGINE_VERSION, type Engine } from './engine.ts';
import { exact, inR } from './money.ts';
import type { Cause, OrderState } from './orders.ts';
import type { PlanEvent, PlanRun, Refusal, Settlement } from './plan-run.ts';

export interface Pins {
  readonly engine: string;
  /** Identity of the tape. */
  readonly tape: string;
  /** SHA-256 of the canonical document, null when it was authored in turns. */
  readonly document: string | null;
  readonly fill: string;
  readonly fees: string;
  readonly rUsdE4: number;
  readonly thinkMs: number | null;
  readonly subject: string | null;
}

/** Prices and money are integers in 1e-4 of the currency, times microseconds, R a text with six decimals. */
export interface BlotterOrder {
  readonly id: number;
  readonly clause: string;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly instrument: string;
  /** null: at the market. */
  readonly limitE4: number | null;
  readonly createdAt: number;
  readonly arrivedAt: number | null;
  readonly state: OrderState;
}

export interface BlotterFill {
  readonly seq: number;
  readonly t: number;
  readonly order: number;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly priceE4: number;
  readonly instrument: string;
  readonly cause: Cause;
  /** Index of the tape event it came from. */
  readonly event: number;
  readonly sizeSeen: number;
  readonly queueAhead?: number;
}

export interface Nearest {
  readonly clause: string;
  readonly t: number | null;
  /** In `unit`; null where the condition has no distance, or none that is finite, as in bps of a price of 0. */
  readonly distance: number | null;
  readonly unit: string;
  readonly blockedBy: string;
}

export interface BlotterPlan {
  readonly name: string;
  readonly state: PlanRun['state'];
  readonly reason: string | null;
  readonly armedAt: number | null;
  readonly firedAt: number | null;
  readonly orders: readonly BlotterOrder[];
  readonly fills: readonly BlotterFill[];
  /** Cost of what is held. */
  readonly costE4: number;
  readonly feesE4: number;
  /** Gross of fees, over what was sold or settled. */
  readonly realizedE4: number;
  readonly markedE4: number;
  readonly netE4: number;
  readonly netR: string;
  /** Worst and best result while it stood, open positions at spot. */
  readonly worstR: string;
  readonly bestR: string;
  readonly nearest?: Nearest;
  readonly openQty: number;
  readonly markE4?: number;
  /** What the open rest is marked at: the official close, else the last print, the last mid, or cost. */
  readonly openAtClose?: string;
  /** Plans on options: what stays open, instrument by instrument. */
  readonly positions?: readonly BlotterPosition[];
  /** Plans on options: what expired. */
  readonly settlements?: readonly Settlement[];
  readonly feeLines: readonly { readonly name: string; readonly e4: number }[];
  readonly events: readonly PlanEvent[];
}

export interface BlotterPosition {
  readonly instrument: string;
  /** `short`: a vertical sold for a credit. */
  readonly side: 'long' | 'short';
  readonly qty: number;
  readonly costE4: number;
  readonly markE4: number;
  readonly openAtClose: string;
}

export interface Totals {
  readonly plans: number;
  readonly fired: number;
  readonly orders: number;
  readonly fills: number;
  readonly refusals: number;
  readonly realizedE4: number;
  readonly markedE4: number;
  readonly feesE4: number;
  readonly netE4: number;
  readonly netR: string;
}

export interface Blotter {
  readonly v: 'kestrel.blotter/v1';
  readonly pins: Pins;
  readonly plans: readonly BlotterPlan[];
  readonly refusals: readonly Refusal[];
  readonly totals: Totals;
  readonly determinismHash: string;
}

/** Reads the blotter of an engine that has finished its day. */
export function blotterOf(
  engine: Engine,
  pins: { readonly document: string | null; readonly thinkMs: number | null; readonly subject: string | null },
): Blotter {
  const plans = engine.plans.map((p) => planOf(p, engine));
  const sum = (of: (p: BlotterPlan) => number): number => plans.reduce((n, p) => exact(n + of(p)), 0);
  const netE4 = sum((p) => p.netE4);
  const body = {
    v: 'kestrel.blotter/v1' as const,
    pins: {
      engine: ENGINE_VERSION,
      tape: engine.tape.identity,
      document: pins.document,
      fill: engine.model.name,
      fees: engine.schedule.name,
      rUsdE4: engine.rE4,
      thinkMs: pins.thinkMs,
      subject: pins.subject,
    },
    plans,
    refusals: engine.refusals,
    totals: {
      plans: plans.length,
      fired: sum((p) => (p.firedAt === null ? 0 : 1)),
      orders: sum((p) => p.orders.length),
      fills: sum((p) => p.fills.length),
      refusals: engine.refusals.length,
      realizedE4: sum((p) => p.realizedE4),
      markedE4: sum((p) => p.markedE4),
      feesE4: sum((p) => p.feesE4),
      netE4,
      netR: inR(netE4, engine.rE4),
    },
  };
  return { ...body, determinismHash: hashOf(body) };
}

function planOf(p: PlanRun, engine: Engine): BlotterPlan {
  const { markedE4 } = p;
  const netE4 = exact(p.realizedE4 + markedE4 - p.feesE4);
  const near = nearestOf(p, engine);
  return {
    name: p.name,
    state: p.state,
    reason: p.reason ?? null,
    armedAt: p.armedAt,
    firedAt: p.firedAt,
    orders: p.orders.map((o) => ({
      id: o.id,
      clause: o.clause,
      side: o.side,
      qty: o.qty,
      instrument: o.holding.instrument.name,
      limitE4: o.role === 'market' ? null : o.limitE4,
      createdAt: o.createdAt,
      arrivedAt: o.arrivedAt,
      state: o.state,
    })),
    fills: p.fills,
    costE4: p.costE4,
    feesE4: p.feesE4,
    realizedE4: p.realizedE4,
    markedE4,
    netE4,
    netR: inR(netE4, p.rE4),
    worstR: inR(p.worstE4, p.rE4),
    bestR: inR(p.bestE4, p.rE4),
    ...(near === undefined ? {} : { nearest: near }),
    openQty: p.qty,
    ...marksOf(p),
    feeLines: [...p.feeTotals].map(([name, e4]) => ({ name, e4 })),
    events: p.events,
  };
}

/** Of the one position that stays open its mark; of options all of them, and what expired. */
function marksOf(p: PlanRun): Partial<BlotterPlan> {
  const open = p.holdings.filter((h) => h.qty > 0 && h.markE4 !== undefined);
  const only = open.length === 1 ? open[0]! : undefined;
  return {
    ...(only === undefined ? {} : { markE4: only.markE4!, openAtClose: only.markFrom ?? 'cost' }),
    ...(p.tradesOptions
      ? {
          positions: open.map((h) => ({
            instrument: h.instrument.name,
            side: h.direction,
            qty: h.qty,
            costE4: h.costE4,
            markE4: h.markE4!,
            openAtClose: h.markFrom ?? 'cost',
          })),
          settlements: p.settlements,
        }
      : {}),
  };
}

/** How near the trigger of a plan that never fired came, and what stood in its way. */
export function nearestOf(p: PlanRun, engine: Engine): Nearest | undefined {
  if (p.armedAt === null || p.firedAt !== null || p.when === undefined) return undefined;
  const first = p.approaches()[0];
  if (first === undefined) {
    const gated = p.events.some((e) => e.kind === 'gated');
    return {
      clause: 'WHEN',
      t: null,
      distance: null,
      unit: '',
      blockedBy: gated ? 'regime' : 'its conditions were never TRUE together',
    };
  }
  const price = first.unit === 'price';
  const finite = Number.isFinite(first.distance);
  return {
    clause: 'WHEN',
    t: first.seq === null || !finite ? null : engine.timeOf(first.seq),
    distance: finite ? first.distance : null,
    unit: price ? 'E4' : first.unit,
    blockedBy: first.text,
  };
}
