/**
 * One plan of a session, as a state machine: dormant, armed, fired, managing, done. It is read in step 4 and acts in
 * step 5; what it needs of the world it asks its desk for.
 */
import type { Plan, PlanClause, Ticket } from '../lang/model.ts';
import type { FeeLine } from './fees.ts';
import type { Place } from './levels.ts';
import type { Execution } from './matching.ts';
import { exact, mulDivFloor } from './money.ts';
import { alive, left, type Order, type OrderOwner, type OrderRole } from './orders.ts';
import { type CompiledPrice, type PriceSource, priceNow } from './price.ts';
import type { Book, Purse } from './risk.ts';
import { type Reader, TRUE, type Trigger } from './triggers.ts';

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
  readonly slot: number;
  readonly cause: Execution['cause'];
  readonly event: number;
  readonly sizeSeen: number;
  readonly queueAhead?: number;
}

/** A ticket with its price compiled. */
export interface CompiledTicket {
  readonly label: string;
  readonly ticket: Ticket;
  readonly price: CompiledPrice;
  readonly source: PriceSource;
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
      readonly price: CompiledPrice;
      readonly source: PriceSource;
    }
  | {
      readonly kind: 'exit';
      readonly label: string;
      readonly trigger: Trigger;
      readonly price: CompiledPrice;
      readonly source: PriceSource;
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
  fees(fill: { readonly side: 'buy' | 'sell'; readonly qty: number; readonly priceE4: number }): readonly FeeLine[];
  regime(plan: PlanRun): 'open' | 'shut';
  /** Plans named in ARM that are to be armed at the end of this event. */
  arm(name: string, by: PlanRun): void;
  /** The plan has an order that follows the market, or none of these any more. */
  follow(plan: PlanRun): void;
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
  readonly purse: Purse;
  readonly purses: readonly Purse[];
  readonly book: Book | undefined;
  readonly rE4: number;
  readonly desk: Desk;
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
  markE4: number | undefined;
  markFrom: string | undefined;
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
  #riding = false;
  #cancelled = false;
  #acceptedAny = false;
  #firstRefusal: string | undefined;
  #exitPending: Extract<CompiledClause, { kind: 'exit' }> | undefined;
  readonly #tps: (Order | undefined)[] = [];
  readonly #sold: number[] = [];
  readonly #cancels: { readonly order: Order; readonly trigger: Trigger }[] = [];
  #actions: Action[] = [];
  #repeg = false;
  /** Event of the last entry fill: its TPs are placed anew. */
  #entered = -1;
  #excursionSeq = -1;

  constructor(spec: {
    readonly doc: Plan;
    readonly signal: number;
    readonly exec: number;
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
    this.purse = spec.purse;
    this.purses = spec.purses;
    this.book = spec.book;
    this.rE4 = spec.rE4;
    this.desk = spec.desk;
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
    if (this.state === 'armed') this.armedUntil = this.desk.reader.instant.seq;
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
        this.#pullSells();
        this.#pullEntries();
        this.#exitPending = c;
        this.#placeExit();
        return;
      }
      case 'invalidate': {
        const c = this.clauses[action.clause]!;
        if (c.kind !== 'invalidate') return;
        this.#pullEntries();
        if (this.qty === 0) {
          this.#pullSells();
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
    const limitE4 = priceNow(c.price, 0, c.source);
    if (Number.isNaN(limitE4)) {
      return this.#refuse(c.label, 'unpriceable', 'the price has an UNKNOWN in it, or is below one tick');
    }
    if (this.book?.pod.halted === true && ticket.side === 'buy') {
      return this.#refuse(c.label, 'pod-halted', `pod ${this.book.pod.name} has reached its day-loss`);
    }
    let reservedE4 = 0;
    if (ticket.side === 'sell') {
      const free = this.qty - this.#sellsAlive();
      if (ticket.qty > free) {
        return this.#refuse(
          c.label,
          'oversold',
          `sells ${ticket.qty}, of which the plan has ${Math.max(0, free)} free`,
        );
      }
    } else {
      reservedE4 = ticket.qty * limitE4;
      const tight = this.purses.find((p) => !p.fits(reservedE4));
      if (tight !== undefined) {
        return this.#refuse(
          c.label,
          'budget-exceeded',
          `worst loss ${reservedE4} E4 does not fit: ${tight.usedE4} of ${tight.limitE4} E4 are used`,
        );
      }
    }
    const order = this.desk.order({
      owner: this,
      clause: c.label,
      role: ticket.side === 'buy' ? 'entry' : 'sell',
      side: ticket.side,
      qty: ticket.qty,
      limitE4,
      price: { compiled: c.price, source: c.source },
      reservedE4,
    });
    this.#watchCancel(order);
    this.#acceptedAny = true;
    return true;
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

  #sellsAlive(): number {
    let n = 0;
    for (const o of this.#live)
      if (o.side === 'sell' && alive(o)) n += Math.max(left(o), (o.next?.qty ?? 0) - o.filled);
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
    this.#exitPending = undefined;
  }

  #pullSells(): void {
    for (const o of this.#live) if (o.side === 'sell' && o.role !== 'market' && alive(o)) this.desk.pull(o);
    this.#exitPending = undefined;
  }

  #placeExit(): void {
    const c = this.#exitPending;
    if (c === undefined || this.qty === 0) return;
    const limitE4 = priceNow(c.price, 0, c.source);
    if (Number.isNaN(limitE4)) return;
    this.#exitPending = undefined;
    const order = this.desk.order({
      owner: this,
      clause: c.label,
      role: 'exit',
      side: 'sell',
      qty: this.qty,
      limitE4,
      price: { compiled: c.price, source: c.source },
      reservedE4: 0,
    });
    this.#watchCancel(order);
  }

  #closeAtMarket(clause: string): void {
    this.#over = true;
    this.#pullSells();
    if (this.qty === 0) return;
    this.desk.order({
      owner: this,
      clause,
      role: 'market',
      side: 'sell',
      qty: this.qty,
      limitE4: 0,
      price: undefined,
      reservedE4: 0,
    });
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
      this.#pullSells();
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
    const { order, qty, priceE4 } = execution;
    const { instant } = this.desk.reader;
    this.#excursion();
    const valueE4 = exact(qty * priceE4);
    const lines = this.desk.fees({ side: order.side, qty, priceE4 });
    let feesE4 = 0;
    for (const line of lines) {
      feesE4 += line.e4;
      this.feeTotals.set(line.name, (this.feeTotals.get(line.name) ?? 0) + line.e4);
    }
    this.feesE4 += feesE4;
    let costE4: number;
    let netE4 = -feesE4;
    if (order.side === 'buy') {
      costE4 = valueE4;
      this.qty += qty;
      this.entryQty += qty;
      this.#entered = instant.seq;
      this.entryCostE4 += valueE4;
      this.desk.reserve(order, alive(order) ? left(order) * Math.max(order.limitE4, order.next?.limitE4 ?? 0) : 0);
      if (this.reached.filled === Number.POSITIVE_INFINITY) {
        this.reached.filled = instant.seq;
        this.#armOthers('filled');
        this.#tell();
      }
      if (this.state === 'fired') this.state = 'managing';
    } else {
      const part = mulDivFloor(this.costE4, qty, this.qty);
      costE4 = -part;
      this.qty -= qty;
      this.realizedE4 += valueE4 - part;
      netE4 += valueE4 - part;
      if (order.role === 'tp') {
        const i = this.#tps.indexOf(order);
        this.#sold[i] = (this.#sold[i] ?? 0) + qty;
      }
    }
    this.costE4 += costE4;
    for (const purse of this.purses) {
      purse.costE4 += costE4;
      purse.netE4 += netE4;
    }
    if (this.book !== undefined) {
      this.book.pod.netE4 += netE4;
      this.desk.podMoved(this);
    }
    this.fills.push({
      seq,
      t: instant.t,
      order: order.id,
      side: order.side,
      qty,
      priceE4,
      slot: order.slot,
      cause: execution.cause,
      event: execution.event,
      sizeSeen: execution.sizeSeen,
      ...(execution.queueAhead === undefined ? {} : { queueAhead: execution.queueAhead }),
    });
    this.filledAt = instant.seq;
    this.#excursionSeq = instant.seq;
    this.#noteExcursion(this.desk.spot(this.exec));
  }

  #excursion(): void {
    if (this.qty === 0 || this.#excursionSeq < 0) return;
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
    if (this.qty > 0) this.#noteExcursion(this.markE4);
  }

  // -------------------------------------------------------------- orders that follow: TPs, pegs, exits not yet priceable

  /** Whether some order wants a look at every event of the instrument. */
  follows(): boolean {
    if (this.state === 'done' || this.state === 'armed' || this.state === 'dormant') return false;
    if (this.#exitPending !== undefined || this.#tpPending) return true;
    return this.#live.some((o) => alive(o) && isFollowing(o));
  }

  /** Whether an event of the instrument changes what the plan's orders should be. Looks only. */
  wouldFollow(): boolean {
    if (this.#exitPending !== undefined || this.#tpPending) return true;
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
    const c = this.#tpClause(this.#tps.indexOf(order));
    return c === undefined ? Number.NaN : this.#tpPrice(c, order.step);
  }

  #tpPending = false;

  #follow(): void {
    if (this.#over) return;
    if (this.#exitPending !== undefined) this.#placeExit();
    if (!this.#exited) this.#syncTps(this.#entered === this.desk.reader.instant.seq ? 'all' : 'followers');
    for (const o of this.#live) {
      if (o.role !== 'tp' && alive(o) && isFollowing(o)) this.reprice(o);
    }
  }

  /** A replacement has arrived, or what the price reads has moved: the price is looked at again. */
  reprice(order: Order): void {
    if (order.role === 'tp') {
      if (!this.#exited && !this.#over) this.#syncTps(order);
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
      const more = left(order) * Math.max(order.limitE4, to.limitE4) - order.reservedE4;
      if (more > 0 && this.purses.some((p) => !p.fits(more))) return;
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

  #tpClause(i: number): Extract<CompiledClause, { kind: 'tp' }> | undefined {
    const c = this.clauses[i];
    return c?.kind === 'tp' ? c : undefined;
  }

  #tpPrice(c: Extract<CompiledClause, { kind: 'tp' }>, step: number): number {
    const v = Math.max(c.multiple * this.basis(), c.price.bound(c.price.exprs[step]!()));
    return Number.isNaN(v) ? v : priceNow({ ...c.price, exprs: [() => v], bound: (x) => x }, 0, c.source);
  }

  /** @param look which TPs are priced anew; those that should stand and do not are placed in any case */
  #syncTps(look: 'all' | 'followers' | Order): void {
    this.#tpPending = false;
    if (this.entryQty === 0) return;
    let free = this.qty;
    for (const o of this.#live) if (o.role === 'sell' && alive(o)) free -= left(o);
    for (let i = 0; i < this.clauses.length; i++) {
      const c = this.#tpClause(i);
      if (c === undefined) continue;
      const order = this.#tps[i];
      if (order?.state === 'pulled') continue;
      const sold = this.#sold[i] ?? 0;
      const target = c.fracE4 === undefined ? this.entryQty : Math.max(1, mulDivFloor(this.entryQty, c.fracE4, 10_000));
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
      const price = this.#tpPrice(c, order !== undefined && alive(order) ? order.step : 0);
      if (Number.isNaN(price)) {
        if (order === undefined || !alive(order)) this.#tpPending = true;
        else order.unpriced = true;
        continue;
      }
      if (order === undefined || !alive(order)) {
        const placed = this.desk.order({
          owner: this,
          clause: c.label,
          role: 'tp',
          side: 'sell',
          qty: want,
          limitE4: price,
          price: { compiled: c.price, source: c.source },
          reservedE4: 0,
        });
        this.#tps[i] = placed;
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
