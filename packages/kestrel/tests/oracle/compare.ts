/** Runs a case through the oracle and the engine and says where they differ. */
import { runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/parse.ts';
import type { Case } from './generate.ts';
import { type OraclePlan, runOracle } from './oracle.ts';

/** What both must agree on, as plain data. */
export type Verdict = Readonly<Record<string, unknown>>;

export interface Difference {
  readonly plan: string;
  readonly field: string;
  readonly oracle: unknown;
  readonly engine: unknown;
}

const EVENTS = new Set(['armed', 'fired', 'gated', 'disarmed', 'invalidated', 'expired', 'settled', 'armed-other']);

export function oracleOf(one: Case): ReadonlyMap<string, Verdict> {
  const { plans } = runOracle({ ...one, tapeLines: one.lines, document: parse(one.text).document });
  return new Map(plans.map((plan) => [plan.name, shapeOf(plan, plan.refusals)]));
}

export function engineOf(one: Case): ReadonlyMap<string, Verdict> {
  const { tape } = parseTape(`${one.lines.join('\n')}\n`);
  const blotter = runDay({
    tape,
    documents: [parse(one.text).document],
    fill: one.fill,
    fees: one.fees ?? 'none',
    rUsd: one.rUsd,
    ...(one.sessionR === undefined ? {} : { sessionR: one.sessionR }),
  });
  return new Map(
    blotter.plans.map((plan) => {
      const refusals = blotter.refusals.filter((refusal) => refusal.plan === plan.name);
      return [plan.name, shapeOf(plan as unknown as OraclePlan, refusals)];
    }),
  );
}

interface Shaped {
  readonly state: string;
  readonly reason: string | null;
  readonly armedAt: number | null;
  readonly firedAt: number | null;
  readonly orders: OraclePlan['orders'];
  readonly fills: OraclePlan['fills'];
  readonly feesE4: number;
  readonly realizedE4: number;
  readonly settlements?: OraclePlan['settlements'];
  readonly markedE4: number;
  readonly openQty: number;
  readonly markE4?: number;
  readonly events: readonly { readonly t: number; readonly kind: string }[];
}

/** Shares are named by their symbol; what else an order can be of has spaces in its name. */
const isOption = (instrument: string): boolean => instrument.includes(' ');

function shapeOf(plan: Shaped, refusals: readonly { readonly t: number; readonly code: string }[]): Verdict {
  const options = plan.orders.some((order) => isOption(order.instrument));
  return {
    reason: plan.reason,
    fills: plan.fills.map(
      ({ t, side, qty, priceE4, cause, event, instrument, queueAhead }) =>
        `${t} ${side} ${qty} ${priceE4} ${cause} @${event}${isOption(instrument) ? ` ${instrument} ${queueAhead ?? ''}` : ''}`,
    ),
    refusals: refusals.map(({ t, code }) => `${t} ${code}`),
    events: plan.events.filter((event) => EVENTS.has(event.kind)).map(({ t, kind }) => `${t} ${kind}`),
    orders: plan.orders
      .filter((order) => order.state !== 'refused')
      .map(
        (o) =>
          `${o.createdAt} ${o.arrivedAt} ${o.side} ${o.qty} ${o.limitE4} ${o.state}${isOption(o.instrument) ? ` ${o.instrument}` : ''}`,
      ),
    state: plan.state,
    armedAt: plan.armedAt,
    firedAt: plan.firedAt,
    realizedE4: plan.realizedE4,
    feesE4: plan.feesE4,
    openQty: plan.openQty,
    // Of several instruments, or of contracts, no single mark speaks.
    markE4: options ? null : (plan.markE4 ?? null),
    settlements: (plan.settlements ?? [])
      .map((row) => `${row.t} ${row.instrument} ${row.qty} ${row.priceE4} ${row.underlyingE4} ${row.from}`)
      .sort(),
    markedE4: plan.markedE4,
  };
}

/** The first difference, plan by plan, in the order of the fields above; undefined where both agree. */
export function differ(one: Case): Difference | undefined {
  const [oracle, engine] = [oracleOf(one), engineOf(one)];
  for (const [plan, verdict] of oracle) {
    const other = engine.get(plan);
    for (const [field, value] of Object.entries(verdict)) {
      const came = other?.[field];
      if (JSON.stringify(value) !== JSON.stringify(came)) return { plan, field, oracle: value, engine: came };
    }
  }
  return undefined;
}

/** As {@link differ}; what either of the two throws is a difference too. */
export function compareSeed(one: Case): Difference | undefined {
  try {
    return differ(one);
  } catch (error) {
    const text =
      error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join('\n') : String(error);
    return { plan: '', field: `thrown: ${text.split('\n')[0]!.slice(0, 80)}`, oracle: text, engine: text };
  }
}
