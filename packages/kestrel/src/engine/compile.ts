/** Documents to plans: names resolved, prices and triggers compiled against one tape. */
import type {
  Expiry,
  KestrelDocument,
  Plan,
  Price,
  Ticket,
  Trigger as TriggerText,
  Using,
  Wake,
} from '../lang/model.ts';
import type { Tape } from '../market/columns.ts';
import type { Chains } from './chains.ts';
import { durationUs, type SessionClock } from './clock.ts';
import { compileTrigger, type GroupHub, type TriggerPlace } from './compile-trigger.ts';
import type { Holding } from './holding.ts';
import { Group, type Op } from './levels.ts';
import { budgetOf } from './money.ts';
import {
  type CompiledClause,
  type CompiledTicket,
  labelOf,
  type PlacedPrice,
  type PlanRun,
  type ReloadEvery,
} from './plan-run.ts';
import { compilePrice, offsetBy, type PriceSource } from './price.ts';
import { EngineRefusal } from './refusal.ts';
import { type Book, type Pod, Purse } from './risk.ts';
import { resolveSeries } from './series.ts';
import { MixedNode, Trigger } from './triggers.ts';

/** What a USING line says. */
export type Scope = Pick<Using, 'signal' | 'exec'> & { readonly expiry?: Expiry };

/** What a document asks for, in order, with the USING that holds for each plan. */
export interface Outline {
  readonly plans: readonly { readonly plan: Plan; readonly using: Scope | undefined }[];
  readonly wakes: readonly { readonly wake: Wake; readonly using: Scope | undefined }[];
  readonly books: ReadonlyMap<string, Book>;
}

/**
 * @throws EngineRefusal `not-supported` when some plan needs what this engine does not trade; `K010`, `K011`
 */
export function outline(documents: readonly KestrelDocument[], rE4: number): Outline {
  const plans: { plan: Plan; using: Scope | undefined }[] = [];
  const wakes: { wake: Wake; using: Scope | undefined }[] = [];
  const books = new Map<string, Book>();
  const names = new Set<string>();
  for (const document of documents) {
    let using: Scope | undefined;
    for (const s of document.statements) {
      switch (s.kind) {
        case 'using':
          using = s;
          break;
        case 'plan':
          if (names.has(s.name)) {
            throw new EngineRefusal('K010', `plan ${s.name}: the name is taken by another plan of this run`);
          }
          names.add(s.name);
          plans.push({ plan: s, using: s.using ?? using });
          break;
        case 'wake':
          wakes.push({ wake: s, using });
          break;
        case 'pod': {
          const pod: Pod = { name: s.name, dayLossE4: budgetOf(s.dayLoss, rE4), netE4: 0, halted: false };
          for (const b of s.books) {
            books.set(b.name, { name: b.name, purse: new Purse(budgetOf(b.budget, rE4)), coverage: b.coverage, pod });
          }
          break;
        }
        case 'import':
        case 'view':
        case 'grade':
          break;
        default:
          s satisfies never;
      }
    }
  }
  for (const { plan } of plans) {
    if (plan.book !== undefined && !books.has(plan.book)) {
      throw new EngineRefusal('K011', `plan ${plan.name}: no book is named ${plan.book}`);
    }
  }
  return { plans, wakes, books };
}

/** Signal and exec slots: as USING says, else the tape's first share or index. An exec may be a root of options. */
export function slotsOf(
  tape: Tape,
  using: Scope | undefined,
  chains: Chains,
): { readonly signal: number | undefined; readonly exec: number | undefined } {
  if (using !== undefined) return { signal: chains.slotOf(using.signal), exec: chains.underlyingOf(using.exec) };
  const first = tape.instruments.findIndex((x) => x.kind !== 'option');
  const slot = first < 0 ? undefined : first;
  return { signal: slot, exec: slot };
}

/** The instant of a plan's ttl when it is armed at `t`. */
export function ttlOf(plan: Plan, t: number, session: SessionClock): number {
  if (plan.ttl.kind === 'relative') return Math.min(t + durationUs(plan.ttl.duration), session.close);
  return session.at(plan.ttl);
}

/** Compiles what `run` does. @throws Disarm when the tape cannot feed it */
export function compilePlan(run: PlanRun, place: TriggerPlace, hub: GroupHub, chains: Chains): void {
  const { doc } = run;
  const { market } = hub.source;
  const priceOf = (text: Price): ((holding: Holding, side: 'buy' | 'sell') => PlacedPrice) => {
    // Compiled once here for what the tape cannot feed; each order then has triggers of its own.
    for (const m of text.modifiers) if (m.kind === 'cancel-if') trigger(m.when, 'level');
    const made = new Map<Holding, Partial<Record<'buy' | 'sell', PlacedPrice>>>();
    return (holding, side) => {
      let sides = made.get(holding);
      if (sides === undefined) {
        sides = {};
        made.set(holding, sides);
      }
      let placed = sides[side];
      if (placed === undefined) {
        const { instrument, basis } = holding;
        const aim = side === holding.entrySide ? 'open' : 'close';
        const source: PriceSource = { market, instrument, side, aim, basis };
        placed = { compiled: compilePrice(text, source), source };
        sides[side] = placed;
      }
      return placed;
    };
  };
  const closing = (text: Price): ((holding: Holding) => PlacedPrice) => {
    const of = priceOf(text);
    return (holding) => of(holding, holding.closeSide);
  };
  const trigger = (text: TriggerText, sense: 'level' | 'rise') => compileTrigger(text, sense, place, hub);
  const ticketOf = (ticket: Ticket, label: string): CompiledTicket => {
    const { instrument: text } = ticket;
    const instrument =
      text.kind === 'shares' ? () => chains.shares(run.exec) : () => chains.resolve(text, run.execName, run.expiry);
    return { label, ticket, instrument, priceFor: priceOf(ticket.price) };
  };
  // A gate may shut on the firing, which then needs a rise: such a WHEN is told of every change from the start.
  if (doc.when !== undefined) run.when = trigger(doc.when.when, doc.regime === undefined ? 'level' : 'rise');
  run.do = ticketOf(doc.do.ticket, 'DO');
  run.clauses = doc.clauses.map((c, i): CompiledClause => {
    const label = labelOf(c, i);
    switch (c.kind) {
      case 'also':
        return { kind: 'also', ticket: ticketOf(c.ticket, label) };
      case 'reload-when':
        return { kind: 'reload', trigger: trigger(c.when, 'rise'), ticket: ticketOf(c.ticket, label) };
      case 'reload-every': {
        const spot = resolveSeries(hub.source, { name: 'spot', args: [], slot: run.signal });
        if (typeof spot === 'string') throw new Error('spot is on every tape');
        const every: ReloadEvery = { levelE4: Number.NaN, upTo: c.upTo, accepted: 0, spot: () => spot.value() };
        const step = offsetBy(c.step, c.dir === 'up' ? 1 : -1, () => hub.source.market.tickE4[run.signal]!);
        const op: Op = c.dir === 'up' ? '>=' : '<=';
        const root = new MixedNode({
          group: hub.group(spot.key, [spot], () => new Group({ kind: 'single', a: spot })),
          op,
          threshold: () => step(every.levelE4),
          text: `every step ${c.dir}`,
        });
        const slots = [run.signal];
        const t = new Trigger({
          root,
          sense: 'level',
          slots,
          owner: place.owner,
          readsBudget: false,
          readsPlans: false,
        });
        return { kind: 'reload', trigger: t, ticket: ticketOf(c.ticket ?? doc.do.ticket, label), every };
      }
      case 'tp':
        return {
          kind: 'tp',
          label,
          multiple: c.multiple / 1e4,
          fracE4: c.frac,
          priceFor: closing(c.price),
        };
      case 'exit':
        return {
          kind: 'exit',
          label,
          trigger: trigger(c.when, 'level'),
          priceFor: closing(c.price),
        };
      case 'invalidate':
        return { kind: 'invalidate', label, trigger: trigger(c.when, 'level'), mode: c.mode ?? 'ride' };
      case 'cancel-if':
        return { kind: 'cancel-if', label, trigger: trigger(c.when, 'level') };
      case 'arm':
        return { kind: 'arm', plan: c.plan, on: c.on ?? 'fired' };
      default:
        return c satisfies never;
    }
  });
}
