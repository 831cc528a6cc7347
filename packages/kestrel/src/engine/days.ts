/**
 * Plans over several days: armed anew at each open, each day with a blotter of its own; what is owned at a close is carried
 * to the next, adjusted for splits, new names and dividends, or the run is refused. Nothing jumps.
 */
import { hashOf } from 'ground/digest';
import type { KestrelDocument, Plan } from '../lang/model.ts';
import { dayEndOf, type Passage, passageTo } from '../market/actions.ts';
import type { Tape } from '../market/columns.ts';
import { absolutePrices } from './absolute.ts';
import { type Blotter, blotterOf } from './blotter.ts';
import { Carried, type CarryStep } from './carry.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { exact, inR } from './money.ts';
import { EngineRefusal } from './refusal.ts';
import { Marks } from './settlement.ts';

export interface DaysOptions extends Omit<EngineOptions, 'tape' | 'onFill' | 'fill'> {
  /** `strict-cross-v1` or `maker-v1`. */
  readonly fill: string;
  /** In the order of their dates. */
  readonly tapes: readonly Tape[];
  readonly documents: readonly KestrelDocument[];
  /** What the pin says the documents are. */
  readonly document: string | null;
  readonly onDay?: (days: number) => void;
}

/** A position that outlived its day. Money and prices in E4. */
export interface CarriedPosition {
  readonly plan: string;
  readonly opened: string;
  readonly instrument: string;
  readonly side: 'long' | 'short';
  /** Open at the end of the last day. */
  readonly openQty: number;
  readonly costE4: number;
  /** After the day it was opened, dividends included. */
  readonly realizedE4: number;
  readonly markedE4: number;
  readonly steps: readonly CarryStep[];
}

export interface Days {
  readonly v: 'kestrel.days/v1';
  readonly days: readonly Blotter[];
  readonly carried: readonly CarriedPosition[];
  readonly totals: {
    readonly realizedE4: number;
    readonly markedE4: number;
    readonly feesE4: number;
    readonly netE4: number;
    readonly netR: string;
  };
  readonly determinismHash: string;
}

/** Most days of one run. */
export const DAYS_MAX = 1_000;

/**
 * @throws EngineRefusal `corporate-action` where a share was split or changed in a way that a position or a plan cannot
 *   follow exactly, `no-settlement` where a contract's last day is missing, and as a run of one day
 */
export function runDays({ tapes, documents, document, onDay, ...options }: DaysOptions): Days {
  inOrder(tapes);
  const days: Blotter[] = [];
  const carried: Carried[] = [];
  for (const [k, tape] of tapes.entries()) {
    const before = tapes[k - 1];
    if (before !== undefined) {
      for (const plan of plansOf(documents)) follow(plan, { before, tape });
      for (const each of carried) if (each.open) each.pass(passage(before, tape, each.symbol), tape);
      for (const each of carried) each.settleAtOpen(tape);
    }
    const engine = new Engine({ ...options, tape });
    const runs = engine.author(documents);
    for (const run of runs) {
      for (const { plan, open, holding } of carried) {
        // What is still held holds its part of the budgets.
        if (open && plan === run.name) for (const purse of run.purses) purse.costE4 += holding.atStakeE4;
      }
    }
    engine.finish();
    days.push(blotterOf(engine, { document, thinkMs: null, subject: null }));
    const marks = new Marks(tape, engine.market, engine.closeT);
    for (const each of carried) each.close(engine, marks);
    if (k < tapes.length - 1) {
      for (const run of engine.plans) {
        for (const holding of run.holdings) if (holding.qty > 0) carried.push(new Carried(engine, run.name, holding));
      }
    }
    onDay?.(k + 1);
  }
  return summed({ days, carried, rE4: options.rE4 });
}

function inOrder(tapes: readonly Tape[]): void {
  if (tapes.length === 0 || tapes.length > DAYS_MAX) {
    throw new EngineRefusal('bad-arg', 'a run over days has 1 to 1,000 tapes', { got: `${tapes.length} tapes` });
  }
  for (let k = 1; k < tapes.length; k++) {
    const [a, b] = [tapes[k - 1]!, tapes[k]!];
    if (a.date < b.date && a.calendar === b.calendar) continue;
    throw new EngineRefusal('bad-arg', 'tapes of a run stand in the order of their dates, one a day, of one calendar', {
      expected: `a day of ${a.calendar} after ${a.date}`,
      got: `${b.date} of ${b.calendar}`,
    });
  }
}

type Scoped = { readonly plan: Plan; readonly symbols: readonly string[] | undefined };

/** Each plan with the symbols that its USING names; undefined: the tape's first. */
function plansOf(documents: readonly KestrelDocument[]): readonly Scoped[] {
  const out: Scoped[] = [];
  for (const { statements } of documents) {
    let using: readonly string[] | undefined;
    for (const s of statements) {
      if (s.kind === 'using') using = [s.signal, s.exec];
      else if (s.kind === 'plan') {
        out.push({ plan: s, symbols: s.using === undefined ? using : [s.using.signal, s.using.exec] });
      }
    }
  }
  return out;
}

/** Whether a plan means on a later day what it meant before. @throws EngineRefusal `corporate-action` */
function follow({ plan, symbols }: Scoped, { before, tape }: { readonly before: Tape; readonly tape: Tape }): void {
  const first = before.instruments.find((x) => x.kind !== 'option');
  const named = symbols ?? (first === undefined ? [] : [first.symbol]);
  for (const symbol of new Set(named)) {
    // A root of options is looked at through what it is written on.
    if (!before.instruments.some((x) => x.kind !== 'option' && x.symbol === symbol)) continue;
    const between = passage(before, tape, symbol);
    if (between.kind === 'none') continue;
    if (symbols !== undefined && between.symbol !== symbol) {
      throw refused(plan, tape, `${symbol} is named ${between.symbol} by then, and the plan's USING says ${symbol}`);
    }
    const prices = absolutePrices(plan);
    if (between.ratio[0] !== between.ratio[1] && prices.length > 0) {
      const [after, old] = between.ratio;
      throw refused(
        plan,
        tape,
        `${symbol} was split ${after} for ${old}, and the plan says ${prices.slice(0, 3).join(', ')}`,
      );
    }
  }
}

function refused(plan: Plan, tape: Tape, why: string): EngineRefusal {
  return new EngineRefusal('corporate-action', `plan ${plan.name} on ${tape.date}: ${why}`, {
    expected: 'a plan without absolute prices, or a run that ends the day before',
    got: why,
  });
}

function passage(before: Tape, tape: Tape, symbol: string): Exclude<Passage, { kind: 'unknown' }> {
  const between = passageTo(tape, dayEndOf(before, symbol));
  if (between.kind !== 'unknown') return between;
  throw new EngineRefusal('corporate-action', `${symbol} from ${before.date} to ${tape.date}: ${between.reason}`, {
    expected: 'a later tape whose header tells the actions between',
    got: between.reason,
  });
}

function summed(run: {
  readonly days: readonly Blotter[];
  readonly carried: readonly Carried[];
  readonly rE4: number;
}): Days {
  const { days, carried, rE4 } = run;
  const sum = (list: readonly number[]): number => list.reduce((n, each) => exact(n + each), 0);
  const realizedE4 = sum([...days.map((d) => d.totals.realizedE4), ...carried.map((c) => c.realizedE4)]);
  // The marks of an earlier day are superseded by what became of its positions.
  const markedE4 = sum([days.at(-1)!.totals.markedE4, ...carried.map((c) => c.markedE4)]);
  const feesE4 = sum(days.map((d) => d.totals.feesE4));
  const netE4 = exact(realizedE4 + markedE4 - feesE4);
  const body = {
    v: 'kestrel.days/v1' as const,
    days,
    carried: carried.map(
      (c): CarriedPosition => ({
        plan: c.plan,
        opened: c.opened,
        instrument: c.holding.instrument.name,
        side: c.holding.direction,
        openQty: c.holding.qty,
        costE4: c.holding.costE4,
        realizedE4: c.realizedE4,
        markedE4: c.markedE4,
        steps: c.steps,
      }),
    ),
    totals: { realizedE4, markedE4, feesE4, netE4, netR: inR(netE4, rE4) },
  };
  return { ...body, determinismHash: hashOf(body) };
}
