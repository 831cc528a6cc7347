/**
 * One plan of a session, as a state machine: dormant, armed, fired, managing, done. It is read in step 4 and acts in
 * step 5; what it needs of the world it asks its desk for.
 */
import type { Expiry, Plan, PlanClause, Ticket } from '../lang/model.ts';
import type { NoInstrument } from './chains.ts';
import type { FeeLine } from './fees.ts';
import { Holding } from './holding.ts';
import { type Instrument, markNow, type Option } from './instrument.ts';
import type { Place } from './levels.ts';
import type { MarketState } from './market-state.ts';
import type { Execution } from './matching.ts';
import { exact, mulDivFloor } from './money.ts';
import { alive, left, type Order, type OrderOwner, type OrderRole } from './orders.ts';
import { type CompiledPrice, type PriceSource, priceNow, tickPrice, whyUnpriceable } from './price.ts';
import type { Book, Purse } from './risk.ts';
import { type Approach, type Reader, TRUE, type Trigger } from './triggers.ts';

export type PlanState = 'dormant' | 'armed' | 'fired' | 'managing' | 'done';
export type StateName = 'armed' | 'fired' | 'filled' | 'done' | 'invalidated';

export interface PlanEvent {
  readonly t: number;
  readonly kind: 'armed' | 'fired' | 'gated' | 'disarmed' | 'invalidated' | 'expired' | 'settled' | 'armed-other';
  readonly detail?: string;
}

export interface Refusal {
  readonly t: number;
  readonly plan: string;
  readonly clause: string;
  readonly code: string;
  readonly message: string;
}

export interface Fill {
  readonly seq: number;
  readonly t: number;
  readonly order: number;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly priceE4: number;
  readonly instrument: string;
  readonly cause: Execution['cause'];
  readonly event: number;
  readonly sizeSeen: number;
  readonly queueAhead?: number;
}

/** A price as it stands for one position. */
export interface PlacedPrice {
  readonly compiled: CompiledPrice;
  readonly source: PriceSource;
}

/** A ticket: what it means now, and its price for the position it would add to or take from. */
export interface CompiledTicket {
  readonly label: string;
  readonly ticket: Ticket;
  readonly instrument: () => Instrument | NoInstrument;
  readonly priceFor: (holding: Holding, side: 'buy' | 'sell') => PlacedPrice;
}

/** Clauses, compiled against one tape. */
export type CompiledClause =
  | { readonly kind: 'also'; readonly ticket: CompiledTicket }
  | {
      readonly kind: 'reload';
      readonly trigger: Trigger;
      readonly ticket: CompiledTicket;
      readonly every?: ReloadEvery;
    }
  | {
      readonly kind: 'tp';
      readonly label: string;
      readonly multiple: number;
      /** 1e-4; absent: all of it. */
      readonly fracE4: number | undefined;
      readonly priceFor: (holding: Holding) => PlacedPrice;
    }
  | {
      readonly kind: 'exit';
      readonly label: string;
      readonly trigger: Trigger;
      readonly priceFor: (holding: Holding) => PlacedPrice;
    }
  | { readonly kind: 'invalidate'; readonly label: string; readonly trigger: Trigger; readonly mode: 'ride' | 'flat' }
  | { readonly kind: 'cancel-if'; readonly label: string; readonly trigger: Trigger }
  | { readonly kind: 'arm'; readonly plan: string; readonly on: Exclude<StateName, 'armed'> };

export interface ReloadEvery {
  /** Signal price from which the next step counts; NaN until it is known. */
  levelE4: number;
  readonly upTo: number;
  accepted: number;
  readonly spot: () => number;
}

/** What a plan asks of the engine. */
export interface Desk {
  readonly reader: Reader;
  readonly market: MarketState;
  readonly closeT: number;
  /** Slot of the symbol whose event this is; -1 at a timer. */
  readonly eventSlot: number;
  /** Reads the trigger at the next event of its symbols. */
  readNext(trigger: Trigger): void;
  order(spec: {
    readonly owner: PlanRun;
    readonly clause: string;
    readonly role: OrderRole;
    readonly side: 'buy' | 'sell';
    readonly holding: Holding;
    readonly qty: number;
    readonly limitE4: number;
    readonly price: Order['price'];
    readonly reservedE4: number;
  }): Order;
  pull(order: Order): void;
  replace(order: Order, to: { readonly limitE4: number; readonly qty: number }): void;
  reserve(order: Order, amountE4: number): void;
  refuse(refusal: Omit<Refusal, 't'>): void;
  ttlTimer(plan: PlanRun): void;
  fees(fill: {
    readonly instrument: Instrument;
    readonly side: 'buy' | 'sell';
    readonly qty: number;
    readonly priceE4: number;
    readonly legs?: readonly [number, number];
  }): readonly FeeLine[];
  /** Their sum for a whole order at its limit. */
  feesE4(order: {
    readonly instrument: Instrument;
    readonly side: 'buy' | 'sell';
    readonly qty: number;
    readonly priceE4: number;
  }): number;
  regime(plan: PlanRun): 'open' | 'shut';
  /** Plans named in ARM that are to be armed at the end of this event. */
  arm(name: string, by: PlanRun): void;
  /** The plan has an order that follows the market, or none of these any more. */
  follow(plan: PlanRun): void;
  /** What the plan owns of options has changed: worst and best are looked at at other events. */
  hold(plan: PlanRun): void;
  cancelTrigger(plan: PlanRun, order: Order): Trigger[];
  /** A plan without WHEN waits for the first event of its symbols. */
  firstEvent(plan: PlanRun): void;
  spot(slot: number): number;
  highSince(slot: number, seq: number): number | undefined;
  lowSince(slot: number, seq: number): number | undefined;
  podMoved(plan: PlanRun): void;
  /** A plan has ended. */
  ended(): void;
}

/** What an expiry made of a position. */
export interface Settlement {
  readonly t: number;
  readonly instrument: string;
  readonly qty: number;
  /** Value of one, a unit of the underlying; E4. */
  readonly priceE4: number;
  readonly underlyingE4: number;
  /** Where the underlying's price is from. */
  readonly from: 'close' | 'open' | 'last' | 'mid';
}

/** Every ticket of a plan. */
export function tickets(plan: Plan): Ticket[] {
  const all: Ticket[] = [plan.do.ticket];
  for (const c of plan.clauses) {
    if (c.kind === 'also' || c.kind === 'reload-when') all.push(c.ticket);
    else if (c.kind === 'reload-every' && c.ticket !== undefined) all.push(c.ticket);
  }
  return all;
}

type Action =
  | { readonly kind: 'fire' }
  | { readonly kind: 'reload'; readonly clause: number }
  | { readonly kind: 'exit'; readonly clause: number }
  | { readonly kind: 'invalidate'; readonly clause: number }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'cancel-order'; readonly order: Order };

export class PlanRun implements OrderOwner {
  readonly name: string;
  readonly doc: Plan;
  readonly priority: number;
  readonly signal: number;
  readonly exec: number;
  /** As USING names it: the symbol, or a root of options. */
  readonly execName: string;
  /** The expiry of its USING. */
  readonly expiry: Expiry | undefined;
  readonly purse: Purse;
  readonly purses: readonly Purse[];
  readonly book: Book | undefined;
  readonly rE4: number;
  readonly desk: Desk;
  /** Whether some ticket of it is on options: then worst and best are looked at event by event. */
  readonly tradesOptions: boolean;
  ttlAt = 0;

  when: Trigger | undefined;
  do!: CompiledTicket;
  clauses: readonly CompiledClause[] = [];

  state: PlanState = 'dormant';
  reason: string | undefined;
  /** Authored, and waiting for its time to be armed. */
  arming = false;
  armedAt: number | null = null;
  firedAt: number | null = null;
  /** Among plans of equal priority, who was armed first. */
  armSeq = Number.POSITIVE_INFINITY;
  /** Events at which states were reached. */
  readonly reached: Record<StateName, number> = {
    armed: Number.POSITIVE_INFINITY,
    fired: Number.POSITIVE_INFINITY,
    filled: Number.POSITIVE_INFINITY,
    done: Number.POSITIVE_INFINITY,
    invalidated: Number.POSITIVE_INFINITY,
  };
  /** Last event at which it was armed. */
  armedUntil = Number.NEGATIVE_INFINITY;
  /** Triggers of other plans that read a state of this one. */
  readonly readers: Place[] = [];

  qty = 0;
  costE4 = 0;
  entryQty = 0;
  entryCostE4 = 0;
  realizedE4 = 0;
  feesE4 = 0;
  worstE4 = 0;
  bestE4 = 0;
  /** Positions by instrument, in the order they were first asked for. */
  readonly holdings: Holding[] = [];
  readonly settlements: Settlement[] = [];
  readonly feeTotals = new Map<string, number>();
  readonly orders: Order[] = [];
  /** Those that may still be alive, so that a plan of many orders does not look at all of them at every event. */
  readonly #live: Order[] = [];
  readonly fills: Fill[] = [];
  readonly events: PlanEvent[] = [];

  /** Put on the engine's list of plans to read and act at this event. */
  touchedAt = -1;
  /** It traded at this event: every trigger in force is read. */
  filledAt = -1;
  /** The regime was shut when its trigger was TRUE: it needs a rise to fire. */
  #gated = false;
  #exited = false;
  #invalidated = false;
  /** Entries and resting exits are over: ttl has come, or the position is being closed at the market. */
  #over = false;
  /** The clause that closes it at the market. */
  #closing: string | undefined;
  #approaches: readonly Approach[] | undefined;
  #riding = false;
  #cancelled = false;
  #acceptedAny = false;
  #firstRefusal: string | undefined;
  #exit: Extract<CompiledClause, { kind: 'exit' }> | undefined;
  readonly #tps = new Map<Holding, (Order | undefined)[]>();
  readonly #cancels: { readonly order: Order; readonly trigger: Trigger }[] = [];
  #actions: Action[] = [];
  #repeg = false;
  /** Some replacement did not fit the budgets: it is tried again at each event, whatever moves. */
  unsent = false;
  #excursionSeq = -1;

  constructor(spec: {
    readonly doc: Plan;
    readonly signal: number;
    readonly exec: number;
    readonly execName: string;
    readonly expiry: Expiry | undefined;
    readonly purse: Purse;
    readonly purses: readonly Purse[];
    readonly book: Book | undefined;
    readonly rE4: number;
    readonly desk: Desk;
  }) {
    this.name = spec.doc.name;
    this.doc = spec.doc;
    this.priority = spec.doc.priority ?? 0;
    this.signal = spec.signal;
    this.exec = spec.exec;
    this.execName = spec.execName;
    this.expiry = spec.expiry;
    this.purse = spec.purse;
    this.purses = spec.purses;
    this.book = spec.book;
    this.rE4 = spec.rE4;
    this.desk = spec.desk;
    this.tradesOptions = tickets(spec.doc).some((x) => x.instrument.kind !== 'shares');
  }

  // -------------------------------------------------------------- facts

  /** Average entry price, E4; NaN before anything is owned. */
  readonly basis = (): number => (this.entryQty > 0 ? this.entryCostE4 / this.entryQty : Number.NaN);

  /** The plan's own series, in the units their literals are compared in. */
  fact(name: string): number {
    switch (name) {
      case 'fills.avg_px':
        return this.basis();
      case 'fills.qty':
        return this.entryQty;
      case 'position.qty':
        return this.qty;
      case 'pnl.realized':
        return this.realizedE4 / this.rE4;
      case 'budget.left':
        return (this.purse.limitE4 - this.purse.usedE4) / this.rE4;
      default:
        return Number.NaN;
    }
  }

  /** The position of an instrument, opened by purchases or by sales. */
  holdingOf(instrument: Instrument, direction: Holding['direction']): Holding {
    let holding = this.holdings.find((h) => h.instrument === instrument && h.direction === direction);
    if (holding === undefined) {
      holding = new Holding(instrument, direction);
      this.holdings.push(holding);
    }
    return holding;
  }

  /** Worst loss of `qty` of an entry at a limit, with the fees that are scheduled for it. */
  stakeE4(holding: Holding, qty: number, limitE4: number): number {
    if (qty === 0) return 0;
    const { instrument, entrySide: side } = holding;
    const feesE4 = this.desk.feesE4({ instrument, side, qty, priceE4: limitE4 });
    return Math.max(0, holding.stakeE4(qty, limitE4) + feesE4);
  }

  placed(order: Order): void {
    this.orders.push(order);
    this.#live.push(order);
  }

  #forgetDead(): void {
    let n = 0;
    for (const o of this.#live) if (alive(o)) this.#live[n++] = o;
    this.#live.length = n;
  }

  hasOrders(): boolean {
    return this.#live.some(alive);
  }

  // -------------------------------------------------------------- arming and its end

  arm(): void {
    const { seq, t } = this.desk.reader.instant;
    this.state = 'armed';
    this.armedAt = t;
    this.reached.armed = seq;
    this.events.push({ t, kind: 'armed' });
    this.#tell();
    this.desk.ttlTimer(this);
    for (const c of this.clauses) if (c.kind === 'invalidate') this.#start(c.trigger);
    if (this.when !== undefined) this.#start(this.when);
    else this.desk.firstEvent(this);
  }

  #start(trigger: Trigger): void {
    const v = trigger.start(this.desk.reader);
    // What another plan has just reached is TRUE from the next event on, so a look then is owed in any case.
    if (v === TRUE || trigger.readsPlans) this.desk.readNext(trigger);
  }

  disarm(why: string): void {
    if (this.state === 'done') return;
    this.events.push({ t: this.desk.reader.instant.t, kind: 'disarmed', detail: why });
    this.#end(`disarmed:${why}`);
  }

  /** Takes back what has not fired and pulls unfilled entries; what is owned goes on being managed. */
  standDown(): void {
    if (this.state === 'dormant' || this.state === 'armed') {
      this.disarm('stand-down');
      return;
    }
    if (this.state === 'done') return;
    this.#pullEntries();
    this.#stopReloads();
    this.#settleState();
  }

  /** The session is over before it was ever armed. */
  neverArmed(): void {
    this.events.push({ t: this.desk.reader.instant.t, kind: 'expired' });
    this.#end('expired');
  }

  #decide(reason: string): void {
    this.reason ??= reason;
  }

  #end(reason: string): void {
    this.#decide(reason);
    if (this.state === 'armed') {
      this.armedUntil = this.desk.reader.instant.seq;
      // How near it came is asked of the time it was armed, and no later.
      this.#approaches = this.approaches();
    }
    this.state = 'done';
    this.arming = false;
    this.desk.ended();
    this.reached.done = this.desk.reader.instant.seq;
    this.#stopAll();
    this.#armOthers('done');
    this.#tell();
  }

  #stopAll(): void {
    this.when?.stop();
    for (const c of this.clauses) if ('trigger' in c) c.trigger.stop();
    for (const c of this.#cancels) c.trigger.stop();
  }

  #stopReloads(): void {
    for (const c of this.clauses) if (c.kind === 'reload') c.trigger.stop();
  }

  /** States other plans read have changed. */
  #tell(): void {
    for (const place of this.readers) this.desk.readNext(place.watcher as Trigger);
  }

  #armOthers(on: StateName): void {
    // From the document: a plan that was never compiled can end, too.
    for (const c of this.doc.clauses) {
      if (c.kind !== 'arm' || (c.on ?? 'fired') !== on) continue;
      this.desk.arm(c.plan, this);
    }
  }

  // -------------------------------------------------------------- step 4: reading

  /** The first event of its symbols, for a plan without WHEN. */
  sawEvent(): void {
    this.#firstEvent = true;
  }
  #firstEvent = false;

  /** Some order of it may want another price. */
  wantsRepeg(): void {
    this.#repeg = true;
  }

  read(): void {
    const { seq } = this.desk.reader.instant;
    if (this.state === 'done' || this.state === 'dormant') return;
    const all = this.filledAt === seq;
    if (all) this.#settleState();
    const reader = this.desk.reader;
    if (this.#stateIs('done')) return;
    for (let i = 0; i < this.clauses.length; i++) {
      const c = this.clauses[i]!;
      if (c.kind !== 'invalidate' || this.#invalidated || !this.#due(c.trigger)) continue;
      if (isTrue(c.trigger.read(reader))) {
        this.#actions.push({ kind: 'invalidate', clause: i });
        this.#invalidated = true;
        this.reached.invalidated = seq;
        this.#decide('invalidated');
        this.#stopReloads();
        this.events.push({ t: reader.instant.t, kind: 'invalidated' });
        this.#armOthers('invalidated');
        this.#tell();
        if (this.state === 'armed') {
          this.#end('invalidated');
          return;
        }
      }
    }
    if (this.state === 'armed') {
      this.#readWhen();
    } else {
      for (let i = 0; i < this.clauses.length; i++) {
        const c = this.clauses[i]!;
        if (c.kind === 'reload') this.#readReload(c, i);
        else if (c.kind === 'exit' && this.#due(c.trigger)) {
          if (isTrue(c.trigger.read(reader)) && this.qty > 0 && !this.#exited && !this.#over) {
            this.#exited = true;
            this.#actions.push({ kind: 'exit', clause: i });
            this.#stopReloads();
          }
        }
      }
      this.#readCancels(all);
    }
  }

  /** Whether this event is a reading of the trigger: one of its own, or after a fill of the plan. */
  #due(trigger: Trigger): boolean {
    const { seq } = this.desk.reader.instant;
    return trigger.active && (this.filledAt === seq || trigger.touchedAt === seq);
  }

  #stateIs(state: PlanState): boolean {
    return this.state === state;
  }

  #readWhen(): void {
    let fires: boolean;
    if (this.when === undefined) fires = this.#firstEvent && !this.#gated;
    else {
      if (!this.#due(this.when)) return;
      const v = this.when.read(this.desk.reader);
      fires = this.#gated ? v === 'rise' : isTrue(v);
    }
    if (!fires) return;
    const { seq, t } = this.desk.reader.instant;
    if (this.doc.regime !== undefined && this.desk.regime(this) === 'shut') {
      this.#gated = true;
      this.events.push({ t, kind: 'gated' });
      return;
    }
    this.armedUntil = seq;
    this.state = 'fired';
    this.firedAt = t;
    this.reached.fired = seq;
    this.events.push({ t, kind: 'fired' });
    this.when?.stop();
    this.#actions.push({ kind: 'fire' });
    this.#tell();
    // The silent reading belongs to the firing, before anything is placed.
    for (const c of this.clauses) {
      if (c.kind !== 'reload' && c.kind !== 'exit' && c.kind !== 'cancel-if') continue;
      if (c.kind === 'reload' && c.every !== undefined) c.every.levelE4 = c.every.spot();
      const v = c.trigger.start(this.desk.reader);
      if ((v === TRUE && c.kind !== 'reload') || c.trigger.readsPlans) this.desk.readNext(c.trigger);
    }
  }

  #readReload(c: Extract<CompiledClause, { kind: 'reload' }>, i: number): void {
    if (!this.#due(c.trigger)) return;
    const { every } = c;
    if (every === undefined) {
      if (c.trigger.read(this.desk.reader) === 'rise') this.#actions.push({ kind: 'reload', clause: i });
      return;
    }
    const spot = every.spot();
    if (Number.isNaN(every.levelE4) && !Number.isNaN(spot)) every.levelE4 = spot;
    if (!isTrue(c.trigger.read(this.desk.reader))) return;
    every.levelE4 = spot;
    // The level has moved on: the next step is watched from here.
    c.trigger.read(this.desk.reader);
    this.#actions.push({ kind: 'reload', clause: i });
  }

  #readCancels(all: boolean): void {
    const { reader } = this.desk;
    const adds = this.#actions.some((a) => a.kind === 'reload');
    for (const c of this.clauses) {
      if (c.kind !== 'cancel-if' || !c.trigger.active) continue;
      if (this.#due(c.trigger)) {
        if (isTrue(c.trigger.read(reader))) this.#actions.push({ kind: 'cancel' });
      } else if (adds && c.trigger.look(reader) === TRUE) {
        // It has stood TRUE: it meets the new entry at this reading if it is one of its own, else at its next.
        if (all || this.#readsNow(c.trigger)) this.#actions.push({ kind: 'cancel' });
        else this.desk.readNext(c.trigger);
      }
    }
    for (const { order, trigger } of this.#cancels) {
      if (alive(order) && this.#due(trigger) && isTrue(trigger.read(reader)))
        this.#actions.push({ kind: 'cancel-order', order });
    }
  }

  #readsNow(trigger: Trigger): boolean {
    return trigger.slots.includes(this.desk.eventSlot);
  }

  // -------------------------------------------------------------- step 5: acting

  act(): void {
    if (this.#stateIs('done')) {
      this.#actions.length = 0;
      return;
    }
    const actions = this.#actions;
    if (actions.length === 0 && !this.#repeg && this.filledAt !== this.desk.reader.instant.seq) return;
    for (let i = 0; i < actions.length; i++) this.#do(actions[i]!);
    actions.length = 0;
    const { seq } = this.desk.reader.instant;
    if (this.#stateIs('done')) return;
    if (this.filledAt === seq || this.#repeg) {
      this.#follow();
      this.#repeg = false;
    }
    this.#settleState();
    this.#forgetDead();
    this.desk.follow(this);
    this.#budgetMoved();
  }

  #do(action: Action): void {
    switch (action.kind) {
      case 'fire':
        this.#fire();
        return;
      case 'reload': {
        const c = this.clauses[action.clause]!;
        if (c.kind !== 'reload' || this.#exited || this.#invalidated || this.#over) return;
        const accepted = this.#place(c.ticket);
        if (accepted && c.every !== undefined && ++c.every.accepted >= c.every.upTo) c.trigger.stop();
        return;
      }
      case 'exit': {
        const c = this.clauses[action.clause]!;
        // A close at the market that this same reading asked for came first.
        if (c.kind !== 'exit' || this.#over) return;
        this.#pullClosers();
        this.#pullEntries();
        this.#exit = c;
        for (const holding of this.holdings) holding.exitPending = holding.qty > 0;
        this.#placeExits();
        return;
      }
      case 'invalidate': {
        const c = this.clauses[action.clause]!;
        if (c.kind !== 'invalidate') return;
        this.#pullEntries();
        if (this.qty === 0) {
          this.#pullClosers();
          this.#end('invalidated');
        } else if (c.mode === 'flat') this.#closeAtMarket(c.label);
        else this.#riding = true;
        return;
      }
      case 'cancel':
        if (this.#pullEntries() && !this.#entriesLeft()) this.#cancelled = true;
        return;
      case 'cancel-order':
        this.desk.pull(action.order);
        if (action.order.role === 'entry' && !this.#entriesLeft()) this.#cancelled = true;
        return;
    }
  }

  #fire(): void {
    this.#place(this.do);
    for (const c of this.clauses) if (c.kind === 'also') this.#place(c.ticket);
    this.#armOthers('fired');
  }

  /** One ticket through risk. */
  #place(c: CompiledTicket): boolean {
    const { ticket } = c;
    const { side, qty } = ticket;
    const instrument = c.instrument();
    if (instrument.kind === 'refused') return this.#refuse(c.label, instrument.code, instrument.message);
    const holding = this.#meant(instrument, side);
    const price = c.priceFor(holding, side);
    const limitE4 = priceNow(price.compiled, 0, price.source);
    if (Number.isNaN(limitE4)) {
      return this.#refuse(c.label, 'unpriceable', whyUnpriceable(ticket.price, price.source));
    }
    const enters = side === holding.entrySide;
    const cover = enters && side === 'sell' && instrument.kind === 'option' ? this.#coverOf(instrument) : undefined;
    if (this.book?.pod.halted === true && enters) {
      return this.#refuse(c.label, 'pod-halted', `pod ${this.book.pod.name} has reached its day-loss`);
    }
    if (cover !== undefined && qty * instrument.multiplier > this.#free(cover)) {
      const free = Math.max(0, this.#free(cover));
      return this.#refuse(c.label, 'oversold', `sells ${qty}, for which the plan has ${free} shares free`);
    }
    let reservedE4 = 0;
    if (enters) {
      reservedE4 = this.stakeE4(holding, qty, limitE4);
      const tight = this.purses.find((p) => !p.fits(reservedE4));
      if (tight !== undefined) {
        return this.#refuse(
          c.label,
          'budget-exceeded',
          `worst loss ${reservedE4} E4 does not fit: ${tight.usedE4} of ${tight.limitE4} E4 are used`,
        );
      }
    } else {
      const free = this.#free(holding);
      if (qty > free) {
        return this.#refuse(c.label, 'oversold', `${side}s ${qty}, of which the plan has ${Math.max(0, free)} free`);
      }
    }
    const order = this.desk.order({
      owner: this,
      clause: c.label,
      role: enters ? 'entry' : 'sell',
      side,
      holding,
      qty,
      limitE4,
      price,
      reservedE4,
    });
    this.#watchCancel(order);
    this.#acceptedAny = true;
    return true;
  }

  /** The position a ticket is about: what it opens or adds to, or what it closes. Nothing flips. */
  #meant(instrument: Instrument, side: 'buy' | 'sell'): Holding {
    const other = side === 'buy' ? 'short' : 'long';
    const owned = this.holdings.find((h) => h.instrument === instrument && h.direction === other);
    const opens =
      instrument.kind === 'vertical' || (instrument.kind === 'option' && this.#coverOf(instrument) !== undefined);
    const closes = (owned !== undefined && (owned.qty > 0 || this.#entersAlive(owned))) || (side === 'sell' && !opens);
    return this.holdingOf(instrument, closes ? other : side === 'buy' ? 'long' : 'short');
  }

  /** The shares that a sold call is covered by; a put is covered by none. */
  #coverOf({ contract, underlying }: Option): Holding | undefined {
    if (contract.right !== 'C') return undefined;
    return this.holdings.find((h) => h.instrument.kind === 'shares' && h.instrument.id === underlying && h.qty > 0);
  }

  /** Shares that stand for calls sold, or offered. */
  #pledged({ instrument }: Holding): number {
    if (instrument.kind !== 'shares' || !this.tradesOptions) return 0;
    let pledged = 0;
    for (const h of this.holdings) {
      if (h.direction === 'long' || h.instrument.kind !== 'option' || h.instrument.underlying !== instrument.id)
        continue;
      let contracts = h.qty;
      for (const o of this.#live) if (o.holding === h && o.role === 'entry' && alive(o)) contracts += left(o);
      pledged += contracts * h.instrument.multiplier;
    }
    return pledged;
  }

  /** What of a position may be sold, or bought back. */
  #free(holding: Holding): number {
    return holding.qty - this.#closersAlive(holding) - this.#pledged(holding);
  }

  #entersAlive(holding: Holding): boolean {
    return this.#live.some((o) => o.holding === holding && o.role === 'entry' && alive(o));
  }

  #watchCancel(order: Order): void {
    for (const trigger of this.desk.cancelTrigger(this, order)) {
      this.#cancels.push({ order, trigger });
      this.#start(trigger);
    }
  }

  #refuse(clause: string, code: string, message: string): false {
    this.#firstRefusal ??= code;
    this.desk.refuse({ plan: this.name, clause, code, message });
    return false;
  }

  #closersAlive(holding: Holding): number {
    let n = 0;
    for (const o of this.#live) {
      if (o.role !== 'entry' && o.holding === holding && alive(o)) {
        n += Math.max(left(o), (o.next?.qty ?? 0) - o.filled);
      }
    }
    return n;
  }

  #entriesLeft(): boolean {
    return this.#live.some((o) => o.role === 'entry' && alive(o));
  }

  #pullEntries(): boolean {
    let pulled = false;
    for (const o of this.#live) {
      if (o.role === 'entry' && alive(o)) {
        this.desk.pull(o);
        pulled = true;
      }
    }
    return pulled;
  }

  /** A pod's halt: every entry goes, at once. */
  haltEntries(): void {
    this.#pullEntries();
  }

  #pullAll(): void {
    for (const o of this.#live) if (alive(o)) this.desk.pull(o);
    this.#exit = undefined;
  }

  /** Everything that rests to close a position, but closes at the market. */
  #pullClosers(): void {
    for (const o of this.#live) if (o.role !== 'entry' && o.role !== 'market' && alive(o)) this.desk.pull(o);
    this.#exit = undefined;
  }

  #placeExits(): void {
    if (this.#exit === undefined) return;
    let pending = false;
    for (const holding of this.holdings) {
      if (!holding.exitPending) continue;
      if (holding.qty > 0) this.#placeExit(this.#exit, holding);
      pending ||= holding.exitPending;
    }
    if (!pending) this.#exit = undefined;
  }

  #placeExit(c: Extract<CompiledClause, { kind: 'exit' }>, holding: Holding): void {
    const qty = this.#free(holding);
    if (qty <= 0) return;
    const price = c.priceFor(holding);
    const limitE4 = priceNow(price.compiled, 0, price.source);
    if (Number.isNaN(limitE4)) return;
    // What stands for a call is sold once the call is bought back.
    holding.exitPending = this.#pledged(holding) > 0;
    const order = this.desk.order({
      owner: this,
      clause: c.label,
      role: 'exit',
      side: holding.closeSide,
      holding,
      qty,
      limitE4,
      price,
      reservedE4: 0,
    });
    this.#watchCancel(order);
  }

  #closeAtMarket(clause: string): void {
    this.#over = true;
    this.#pullClosers();
    this.#closing = clause;
    this.#closeFree(clause);
  }

  #closeFree(clause: string): void {
    for (const holding of this.holdings) {
      const qty = this.#free(holding);
      if (qty <= 0) continue;
      this.desk.order({
        owner: this,
        clause,
        role: 'market',
        side: holding.closeSide,
        holding,
        qty,
        limitE4: 0,
        price: undefined,
        reservedE4: 0,
      });
    }
  }

  /** The end of the plan's authority. */
  ttl(): void {
    if (this.state === 'done') return;
    const { t } = this.desk.reader.instant;
    const atClose = t >= this.desk.closeT;
    this.#pullEntries();
    this.#stopAll();
    if (this.state === 'armed' || this.qty === 0) {
      this.#pullAll();
      this.events.push({ t, kind: 'expired' });
      this.#end('expired');
      return;
    }
    if (atClose) {
      this.#pullAll();
      this.events.push({ t, kind: 'settled' });
      this.#decide('settled');
      this.#over = true;
      return;
    }
    if (this.reason === undefined) this.events.push({ t, kind: 'expired' });
    this.#decide('expired');
    if (this.#riding) {
      this.#pullClosers();
      this.#over = true;
    } else if (!this.#over) this.#closeAtMarket('TTL');
    this.desk.follow(this);
  }

  /** After the close: what stands is dead, what is owned is marked. */
  close(): void {
    if (this.state === 'done') return;
    if (this.state === 'dormant') {
      this.neverArmed();
      return;
    }
    for (const o of this.#live) if (alive(o)) o.state = 'dead';
    if (this.qty > 0 && this.reason !== 'expired' && !this.events.some((e) => e.kind === 'settled')) {
      this.events.push({ t: this.desk.reader.instant.t, kind: 'settled' });
    }
    this.#end(this.qty > 0 ? 'settled' : 'expired');
  }

  /** Done as soon as it has fired, has no order alive and owns nothing. */
  #settleState(): void {
    if (this.state !== 'fired' && this.state !== 'managing') return;
    if (this.qty > 0 || this.#actions.length > 0 || this.hasOrders()) return;
    if (this.entryQty > 0) this.#end('closed');
    else if (this.#over || this.#invalidated) this.#end(this.reason ?? 'expired');
    else if (this.#cancelled) this.#end('cancelled');
    else if (!this.#acceptedAny && this.#firstRefusal !== undefined) this.#end(`refused:${this.#firstRefusal}`);
  }

  #budgetMoved(): void {
    for (const c of this.clauses) {
      if ('trigger' in c && c.trigger.active && c.trigger.readsBudget) this.desk.readNext(c.trigger);
    }
  }

  // -------------------------------------------------------------- fills

  filled(execution: Execution, seq: number): void {
    const { order, qty, priceE4, legs } = execution;
    const { holding } = order;
    const { instrument } = holding;
    const now = this.desk.reader.instant;
    this.#excursion();
    const lines = this.desk.fees({
      instrument,
      side: order.side,
      qty,
      priceE4,
      ...(legs === undefined ? {} : { legs }),
    });
    let feesE4 = 0;
    for (const line of lines) {
      feesE4 += line.e4;
      this.feeTotals.set(line.name, (this.feeTotals.get(line.name) ?? 0) + line.e4);
    }
    this.feesE4 += feesE4;
    let netE4 = -feesE4;
    const stakeE4 = holding.atStakeE4;
    const costE4 = holding.costE4;
    if (order.role === 'entry') {
      holding.enter(qty, priceE4);
      holding.enteredAt = now.seq;
      this.qty += qty;
      this.entryQty += qty;
      this.entryCostE4 += qty * priceE4;
      this.desk.reserve(
        order,
        alive(order) ? this.stakeE4(holding, left(order), worseOf(order, order.next?.limitE4)) : 0,
      );
      if (this.reached.filled === Number.POSITIVE_INFINITY) {
        this.reached.filled = now.seq;
        this.#armOthers('filled');
        this.#tell();
      }
      if (this.state === 'fired') this.state = 'managing';
    } else {
      const resultE4 = holding.leave(qty, priceE4);
      this.qty -= qty;
      this.realizedE4 += resultE4;
      netE4 += resultE4;
      // Shares that stood for a call are free again: their TPs are looked at anew.
      if (holding.direction === 'short' && instrument.kind === 'option') {
        for (const h of this.holdings) if (h.instrument.kind === 'shares') h.enteredAt = now.seq;
      }
      if (order.role === 'tp') {
        const i = this.#tpsOf(holding).indexOf(order);
        holding.sold[i] = (holding.sold[i] ?? 0) + qty;
      }
    }
    this.costE4 += holding.costE4 - costE4;
    this.#purseMoves(holding.atStakeE4 - stakeE4, netE4);
    if (this.book !== undefined) {
      this.book.pod.netE4 += netE4;
      this.desk.podMoved(this);
    }
    this.fills.push({
      seq,
      t: now.t,
      order: order.id,
      side: order.side,
      qty,
      priceE4,
      instrument: instrument.name,
      cause: execution.cause,
      event: execution.event,
      sizeSeen: execution.sizeSeen,
      ...(execution.queueAhead === undefined ? {} : { queueAhead: execution.queueAhead }),
    });
    this.filledAt = now.seq;
    this.#excursionSeq = now.seq;
    if (this.tradesOptions) {
      this.desk.hold(this);
      this.noteMarks();
    } else this.#noteExcursion(this.desk.spot(this.exec));
  }

  #purseMoves(costE4: number, netE4: number): void {
    for (const purse of this.purses) {
      purse.costE4 += costE4;
      purse.netE4 += netE4;
    }
  }

  /** Expiry: a position ends at what its contracts are worth. */
  settle(holding: Holding, at: Omit<Settlement, 't' | 'instrument' | 'qty'>): void {
    const { qty } = holding;
    const { costE4 } = holding;
    const stakeE4 = holding.atStakeE4;
    const resultE4 = holding.leave(qty, at.priceE4);
    this.qty -= qty;
    this.costE4 += holding.costE4 - costE4;
    this.realizedE4 += resultE4;
    this.#purseMoves(holding.atStakeE4 - stakeE4, resultE4);
    this.settlements.push({ t: this.desk.reader.instant.t, instrument: holding.instrument.name, qty, ...at });
    this.noteMarks();
  }

  /** Worst and best with each position at its mid (shares at spot), where all are known. */
  noteMarks(): void {
    const m = this.desk.market;
    let openE4 = this.realizedE4 - this.feesE4 - this.costE4;
    for (const holding of this.holdings) {
      if (holding.qty === 0) continue;
      const markE4 = markNow(holding.instrument, m);
      if (Number.isNaN(markE4)) return;
      openE4 += holding.valueE4(holding.qty, markE4);
    }
    exact(openE4);
    if (openE4 < this.worstE4) this.worstE4 = openE4;
    if (openE4 > this.bestE4) this.bestE4 = openE4;
  }

  #excursion(): void {
    if (this.tradesOptions || this.qty === 0 || this.#excursionSeq < 0) return;
    const from = this.#excursionSeq + 1;
    this.#noteExcursion(this.desk.lowSince(this.exec, from));
    this.#noteExcursion(this.desk.highSince(this.exec, from));
  }

  #noteExcursion(markE4: number | undefined): void {
    if (markE4 === undefined || Number.isNaN(markE4)) return;
    const openE4 = exact(this.realizedE4 - this.feesE4 + exact(markE4 * this.qty) - this.costE4);
    if (openE4 < this.worstE4) this.worstE4 = openE4;
    if (openE4 > this.bestE4) this.bestE4 = openE4;
  }

  lastExcursion(): void {
    this.#excursion();
    if (!this.tradesOptions && this.qty > 0) this.#noteExcursion(this.holdings.find((h) => h.qty > 0)?.markE4);
  }

  /** What the positions still open are marked above their cost, E4; 0 before the close. */
  get markedE4(): number {
    let sum = 0;
    for (const h of this.holdings) {
      if (h.qty > 0 && h.markE4 !== undefined) sum = exact(sum + h.valueE4(h.qty, h.markE4) - h.costE4);
    }
    return sum;
  }

  // -------------------------------------------------------------- orders that follow: TPs, pegs, exits not yet priceable

  /** What of its WHEN was never TRUE while it has been armed, and how near each part came. */
  approaches(): readonly Approach[] {
    return this.#approaches ?? this.when?.root.approaches(this.when.since + 1) ?? [];
  }

  /** Whether some order wants a look at every event of its instrument. */
  follows(): boolean {
    if (this.state === 'done' || this.state === 'armed' || this.state === 'dormant') return false;
    if (this.#exit !== undefined || this.holdings.some((h) => h.tpPending)) return true;
    return this.#live.some((o) => alive(o) && isFollowing(o));
  }

  /** Prices of its orders that want such a look; one order's price is the same object at every call. */
  followed(): PlacedPrice[] {
    const prices: PlacedPrice[] = [];
    if (this.state === 'done' || this.state === 'armed' || this.state === 'dormant') return prices;
    for (const h of this.holdings) {
      if (h.exitPending && this.#exit !== undefined) prices.push(this.#exit.priceFor(h));
      if (!h.tpPending) continue;
      for (const c of this.clauses) if (c.kind === 'tp') prices.push(c.priceFor(h));
    }
    for (const o of this.#live) if (alive(o) && isFollowing(o)) prices.push(o.price!);
    return prices;
  }

  /** Whether an event of the instrument changes what the plan's orders should be. Looks only. */
  wouldFollow(): boolean {
    if (this.#exit !== undefined || this.holdings.some((h) => h.tpPending)) return true;
    for (const o of this.#live) {
      if (!alive(o) || !isFollowing(o) || o.next !== undefined) continue;
      const price = this.#priceOf(o);
      if (!Number.isNaN(price) && (o.unpriced || price !== o.limitE4)) return true;
    }
    return false;
  }

  /** What the order's price comes to now; NaN when it is unpriceable. */
  #priceOf(order: Order): number {
    if (order.role !== 'tp') return priceNow(order.price!.compiled, order.step, order.price!.source);
    const c = this.#tpClause(this.#tpsOf(order.holding).indexOf(order));
    return c === undefined ? Number.NaN : this.#tpPrice(c, order.holding, order.step);
  }

  #follow(): void {
    this.unsent = false;
    if (this.#over) {
      if (this.#closing !== undefined) this.#closeFree(this.#closing);
      return;
    }
    this.#placeExits();
    if (!this.#exited) {
      const { seq } = this.desk.reader.instant;
      for (const h of this.holdings) this.#syncTps(h, h.enteredAt === seq ? 'all' : 'followers');
    }
    for (const o of this.#live) {
      if (o.role !== 'tp' && alive(o) && isFollowing(o)) this.reprice(o);
    }
  }

  /** A replacement has arrived, or what the price reads has moved: the price is looked at again. */
  reprice(order: Order): void {
    if (order.role === 'tp') {
      if (!this.#exited && !this.#over) this.#syncTps(order.holding, order);
      return;
    }
    if (order.price === undefined || order.next !== undefined || !alive(order)) return;
    const limitE4 = this.#priceOf(order);
    if (Number.isNaN(limitE4)) return;
    order.unpriced = false;
    if (limitE4 !== order.limitE4) this.#send(order, { limitE4, qty: order.qty });
  }

  /** Sends a replacement if what it puts at stake fits. */
  #send(order: Order, to: { readonly limitE4: number; readonly qty: number }): void {
    if (order.role === 'entry') {
      const more = this.stakeE4(order.holding, left(order), worseOf(order, to.limitE4)) - order.reservedE4;
      if (more > 0 && this.purses.some((p) => !p.fits(more))) {
        this.unsent = true;
        return;
      }
      if (more > 0) this.desk.reserve(order, order.reservedE4 + more);
    }
    this.desk.replace(order, to);
  }

  /** `esc`: the order's price is another from now on. */
  escalate(order: Order, step: number): void {
    if (!alive(order) || left(order) === 0) return;
    order.step = step;
    order.unpriced = true;
    this.reprice(order);
    this.desk.follow(this);
  }

  /** Its TP orders, by clause. */
  #tpsOf(holding: Holding): (Order | undefined)[] {
    let tps = this.#tps.get(holding);
    if (tps === undefined) {
      tps = [];
      this.#tps.set(holding, tps);
    }
    return tps;
  }

  #tpClause(i: number): Extract<CompiledClause, { kind: 'tp' }> | undefined {
    const c = this.clauses[i];
    return c?.kind === 'tp' ? c : undefined;
  }

  /** Of a sale the higher of the multiple and the clause's own price; of a purchase that closes a credit the lower. */
  #tpPrice(c: Extract<CompiledClause, { kind: 'tp' }>, holding: Holding, step: number): number {
    const { compiled, source } = c.priceFor(holding);
    const pick = holding.direction === 'long' ? Math.max : Math.min;
    const v = pick(c.multiple * holding.basis(), compiled.bound(compiled.exprs[step]!()));
    return Number.isNaN(v) ? v : tickPrice(v, source);
  }

  /** @param look which TPs are priced anew; those that should stand and do not are placed in any case */
  #syncTps(holding: Holding, look: 'all' | 'followers' | Order): void {
    const { tpPending } = holding;
    holding.tpPending = false;
    if (holding.entryQty === 0) return;
    const tps = this.#tpsOf(holding);
    let free = holding.qty - this.#pledged(holding);
    for (const o of this.#live) if (o.role === 'sell' && o.holding === holding && alive(o)) free -= left(o);
    for (let i = 0; i < this.clauses.length; i++) {
      const c = this.#tpClause(i);
      if (c === undefined) continue;
      const order = tps[i];
      if (order?.state === 'pulled') continue;
      const sold = holding.sold[i] ?? 0;
      const entered = holding.entryQty;
      const target = c.fracE4 === undefined ? entered : Math.max(1, mulDivFloor(entered, c.fracE4, 10_000));
      const want = Math.min(target - sold, free);
      if (want <= 0) continue;
      free -= want;
      if (
        order !== undefined &&
        alive(order) &&
        look !== 'all' &&
        (look === 'followers' ? !isFollowing(order) : look !== order)
      ) {
        continue;
      }
      // One that waits for a price is tried at events of its instrument, not when another order moves.
      if (tpPending && typeof look === 'object' && (order === undefined || !alive(order))) {
        holding.tpPending = true;
        continue;
      }
      const price = this.#tpPrice(c, holding, order !== undefined && alive(order) ? order.step : 0);
      if (Number.isNaN(price)) {
        if (order === undefined || !alive(order)) holding.tpPending = true;
        else order.unpriced = true;
        continue;
      }
      if (order === undefined || !alive(order)) {
        const placed = this.desk.order({
          owner: this,
          clause: c.label,
          role: 'tp',
          side: holding.closeSide,
          holding,
          qty: want,
          limitE4: price,
          price: c.priceFor(holding),
          reservedE4: 0,
        });
        tps[i] = placed;
        this.#watchCancel(placed);
        continue;
      }
      order.unpriced = false;
      if (order.next !== undefined) continue;
      const qty = order.filled + want;
      if (price !== order.limitE4 || qty !== order.qty) this.desk.replace(order, { limitE4: price, qty });
    }
  }

  lossFirst(barEnd: number): boolean {
    if (this.ttlAt <= barEnd) return true;
    for (const c of this.clauses) {
      if (c.kind === 'exit' && c.trigger.active && c.trigger.look(this.desk.reader) === TRUE) return true;
    }
    return false;
  }
}

/** The limit of an entry at which more is at stake: the higher of a purchase, the lower of a sale. */
function worseOf(order: Order, nextE4: number | undefined): number {
  if (nextE4 === undefined) return order.limitE4;
  return order.side === 'buy' ? Math.max(order.limitE4, nextE4) : Math.min(order.limitE4, nextE4);
}

function isTrue(v: 0 | 1 | 2 | 'rise'): boolean {
  return v === 'rise' || v === TRUE;
}

/** Whether the order's price is looked at whenever its instrument has an event. */
function isFollowing(order: Order): boolean {
  const price = order.price?.compiled;
  return price !== undefined && (order.unpriced || (price.peg && price.moving));
}

export function labelOf(clause: PlanClause, index: number): string {
  const n = index + 1;
  switch (clause.kind) {
    case 'also':
      return `ALSO:${n}`;
    case 'reload-when':
    case 'reload-every':
      return `RELOAD:${n}`;
    case 'tp':
      return `TP:${n}`;
    case 'exit':
      return `EXIT:${n}`;
    case 'invalidate':
      return `INVALIDATE:${n}`;
    case 'cancel-if':
      return `CANCEL-IF:${n}`;
    case 'arm':
      return `ARM:${n}`;
  }
}
