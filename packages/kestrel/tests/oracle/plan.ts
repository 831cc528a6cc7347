/** One plan as it runs: its clauses' readers, what it owns, and what it has come to. */
import type { Expiry, Plan, PlanClause, Ticket, Trigger } from '../../src/lang/model.ts';
import type { Instrument } from './instrument.ts';
import type { Order } from './orders.ts';
import { type Alarms, Reader, type World } from './trigger.ts';

export type State = 'dormant' | 'armed' | 'fired' | 'managing' | 'done';
export type Milestone = 'armed' | 'fired' | 'filled' | 'done' | 'invalidated';

export interface FillRow {
  readonly seq: number;
  readonly t: number;
  readonly order: number;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly priceE4: number;
  readonly cause: string;
  readonly event: number;
  readonly sizeSeen: number;
  readonly queueAhead?: number;
  readonly instrument: string;
}

/** What was owned of an expiring instrument, paid out. */
export interface SettlementRow {
  readonly t: number;
  readonly instrument: string;
  readonly qty: number;
  readonly priceE4: number;
  readonly underlyingE4: number;
  readonly from: 'close' | 'last' | 'mid';
}

export interface EventRow {
  readonly t: number;
  readonly kind: 'armed' | 'fired' | 'gated' | 'disarmed' | 'invalidated' | 'expired' | 'settled' | 'armed-other';
}

export interface Refusal {
  readonly t: number;
  readonly clause: string;
  readonly code: string;
}

type ClauseOf<K extends PlanClause['kind']> = Extract<PlanClause, { kind: K }>;

export interface TpRun {
  readonly clause: ClauseOf<'tp'>;
  readonly label: string;
  order: Order | undefined;
  sold: number;
  /** Its price or quantity has to be worked out again. */
  due: boolean;
  /** It found no price: tried again only at what may give it one. */
  stuck: boolean;
}

/** What a plan owns, or owned, of one instrument. */
export interface Holding {
  readonly instrument: Instrument;
  readonly tps: readonly TpRun[];
  /** Opened by a sale, closed by a purchase. */
  short: boolean;
  /** Units, also of what was sold to open. */
  owned: number;
  /** Paid for what is owned, times the multiplier; below 0 what was received. */
  costE4: number;
  entryQty: number;
  /** Σ price x quantity of all entries. */
  entryNotionalE4: number;
  exitOrder: Order | undefined;
  exitStuck: boolean;
  markedE4: number;
}

/** A clause with what it remembers, in the document's order. */
export type ClauseRun =
  | { readonly kind: 'reload-when'; readonly label: string; readonly reader: Reader; readonly ticket: Ticket }
  | {
      readonly kind: 'reload-every';
      readonly label: string;
      readonly clause: ClauseOf<'reload-every'>;
      readonly ticket: Ticket;
      levelE4: number | undefined;
      accepted: number;
    }
  | { readonly kind: 'exit'; readonly label: string; readonly reader: Reader; readonly clause: ClauseOf<'exit'> };

export class PlanRun {
  readonly plan: Plan;
  readonly name: string;
  readonly signal: string;
  readonly exec: string;
  readonly expiry: Expiry | undefined;
  readonly budgetE4: number;
  readonly priority: number;
  readonly invalidates: { readonly reader: Reader; readonly mode: 'ride' | 'flat' }[] = [];
  readonly when: Reader | undefined;
  readonly clauses: ClauseRun[] = [];
  readonly cancels: Reader[] = [];
  private readonly tps: { readonly clause: ClauseOf<'tp'>; readonly label: string }[] = [];
  /** `cancel-if` of single orders, in the order they were created. */
  readonly orderCancels: { readonly reader: Reader; readonly order: Order }[] = [];
  readonly arms: ClauseOf<'arm'>[] = [];

  state: State = 'dormant';
  reason: string | null = null;
  armedAt: number | null = null;
  firedAt: number | null = null;
  armOrder = 0;
  /** Gated, and its trigger has not been FALSE since. */
  waitsForFall = false;
  /** Reloads are over: an EXIT acted, or the plan was invalidated. */
  addsEnded = false;
  invalidated: 'ride' | 'flat' | undefined;
  exit: { readonly clause: ClauseOf<'exit'>; readonly label: string } | undefined;
  /** The ttl has come. */
  ended = false;
  cancelled = false;
  /** Whether a ticket of the firing was accepted, and what the first refused one was refused for. */
  firingAccepted = false;
  firingRefused: string | undefined;

  readonly holdings: Holding[] = [];
  realizedE4 = 0;
  feesE4 = 0;
  filledThisStep = false;
  markE4: number | undefined;
  readonly settlements: SettlementRow[] = [];

  readonly orders: Order[] = [];
  readonly fills: FillRow[] = [];
  readonly events: EventRow[] = [];
  readonly refusals: Refusal[] = [];
  readonly reachedAt = new Map<Milestone, number>();

  constructor(
    plan: Plan,
    at: {
      readonly signal: string;
      readonly exec: string;
      readonly expiry: Expiry | undefined;
      readonly budgetE4: number;
      readonly lossE4: (order: Order) => number;
      readonly world: (run: PlanRun) => World;
      readonly alarms: (run: PlanRun, reader: () => Reader) => Alarms;
    },
  ) {
    this.plan = plan;
    this.name = plan.name;
    this.signal = at.signal;
    this.exec = at.exec;
    this.expiry = at.expiry;
    this.lossE4 = at.lossE4;
    this.budgetE4 = at.budgetE4;
    this.priority = plan.priority ?? 0;
    const world = at.world(this);
    const reader = (trigger: Trigger): Reader => {
      const made: Reader = new Reader(
        trigger,
        world,
        at.alarms(this, () => made),
      );
      return made;
    };
    this.makeReader = reader;
    this.when = plan.when === undefined ? undefined : reader(plan.when.when);
    plan.clauses.forEach((clause, i) => {
      const label = `${clause.kind}#${i + 1}`;
      switch (clause.kind) {
        case 'also':
          return;
        case 'reload-when':
          this.clauses.push({ kind: clause.kind, label, reader: reader(clause.when), ticket: clause.ticket });
          return;
        case 'reload-every': {
          const ticket = clause.ticket ?? plan.do.ticket;
          this.clauses.push({ kind: clause.kind, label, clause, ticket, levelE4: undefined, accepted: 0 });
          return;
        }
        case 'tp':
          this.tps.push({ clause, label });
          return;
        case 'exit':
          this.clauses.push({ kind: clause.kind, label, clause, reader: reader(clause.when) });
          return;
        case 'invalidate':
          this.invalidates.push({ reader: reader(clause.when), mode: clause.mode ?? 'ride' });
          return;
        case 'cancel-if':
          this.cancels.push(reader(clause.when));
          return;
        case 'arm':
          this.arms.push(clause);
          return;
      }
    });
  }

  readonly makeReader: (trigger: Trigger) => Reader;

  alive(order: Order): boolean {
    return order.state === 'in-flight' || order.state === 'resting';
  }

  get aliveOrders(): Order[] {
    return this.orders.filter((order) => this.alive(order));
  }

  get aliveEntries(): Order[] {
    return this.aliveOrders.filter((order) => order.role === 'entry');
  }

  /** What it owns of an instrument, if it ever ordered any. */
  owns(instrument: Instrument): Holding | undefined {
    return this.holdings.find((one) => one.instrument.name === instrument.name);
  }

  /** What it owns of an instrument, in the order in which its instruments were first ordered. */
  holding(instrument: Instrument): Holding {
    const found = this.owns(instrument);
    if (found !== undefined) return found;
    const made: Holding = {
      instrument,
      tps: this.tps.map((tp) => ({ ...tp, order: undefined, sold: 0, due: false, stuck: false })),
      short: false,
      owned: 0,
      costE4: 0,
      entryQty: 0,
      entryNotionalE4: 0,
      exitOrder: undefined,
      exitStuck: false,
      markedE4: 0,
    };
    this.holdings.push(made);
    return made;
  }

  private sum(of: (holding: Holding) => number): number {
    return this.holdings.reduce((total, holding) => total + of(holding), 0);
  }

  get owned(): number {
    return this.sum((holding) => holding.owned);
  }

  get entryQty(): number {
    return this.sum((holding) => holding.entryQty);
  }

  /** Mean price of its entries, of all instruments together. */
  get averageE4(): number | undefined {
    return this.entryQty === 0 ? undefined : this.sum((holding) => holding.entryNotionalE4) / this.entryQty;
  }

  get costHeldE4(): number {
    return this.sum((holding) => holding.costE4);
  }

  /** What is owned may still lose. */
  get heldE4(): number {
    return this.sum(atRiskE4);
  }

  get netE4(): number {
    return this.realizedE4 - this.feesE4;
  }

  private readonly lossE4: (order: Order) => number;

  /** Worst case of its entries that are alive. */
  get entriesE4(): number {
    return this.aliveEntries.reduce((sum, order) => sum + this.lossE4(order), 0);
  }

  get usedE4(): number {
    return this.entriesE4 + this.heldE4 + Math.max(0, -this.netE4);
  }

  everyReader(): Reader[] {
    const of = this.clauses.flatMap((clause) => (clause.kind === 'reload-every' ? [] : [clause.reader]));
    return [
      ...this.invalidates.map((one) => one.reader),
      ...(this.when === undefined ? [] : [this.when]),
      ...of,
      ...this.cancels,
      ...this.orderCancels.map((one) => one.reader),
    ];
  }
}

export function basisE4(holding: Holding | undefined): number | undefined {
  return holding === undefined || holding.entryQty === 0 ? undefined : holding.entryNotionalE4 / holding.entryQty;
}

/** What was paid less the least it can be worth, or the most it can be worth less what was received. */
function atRiskE4({ instrument, short, owned, costE4 }: Holding): number {
  if (owned === 0) return 0;
  const units = owned * instrument.multiplier;
  return Math.max(0, short ? instrument.mostE4 * units + costE4 : costE4 - instrument.leastE4 * units);
}
