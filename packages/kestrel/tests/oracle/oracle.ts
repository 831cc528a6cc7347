/** The slow, obvious reference engine: the runtime's meaning once more, from the text of the specification alone. */
import { feeSchedule } from '../../src/engine/fees.ts';
import type { KestrelDocument, Plan, Price, PriceExpr, Series, Ticket, Trigger } from '../../src/lang/model.ts';
import { type ContractState, Contracts, underlyingOf } from './contracts.ts';
import { type Book, fairOf, type Instrument, optionOf, sharesOf } from './instrument.ts';
import { clockTime, type Day, type Event, interpolate, midOf, phaseSpan, readDay, SymbolState } from './market.ts';
import {
  type Execution,
  type Fill,
  latencyUs,
  meetQuote,
  type Order,
  ranked,
  restAtBar,
  restAtPrint,
  restAtQuote,
} from './orders.ts';
import {
  basisE4,
  type EventRow,
  type FillRow,
  type Holding,
  type Milestone,
  PlanRun,
  type Refusal,
  type SettlementRow,
  type TpRun,
} from './plan.ts';
import { priceE4 } from './price.ts';
import { type Alarm, applyOffset, durationUs, type Reader, seriesOf, type World } from './trigger.ts';

export interface OracleInput {
  readonly tapeLines: readonly string[];
  readonly document: KestrelDocument | readonly KestrelDocument[];
  readonly fill: Fill;
  readonly rUsd: number | string;
  /** Budget of the whole session in R; absent: no limit beyond the plans'. */
  readonly sessionR?: number;
  /** Name of a fee schedule; absent: none. */
  readonly fees?: string;
}

export interface OraclePlan {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly armedAt: number | null;
  readonly firedAt: number | null;
  readonly orders: readonly {
    readonly clause: string;
    readonly side: 'buy' | 'sell';
    readonly qty: number;
    readonly instrument: string;
    readonly limitE4: number | null;
    readonly createdAt: number;
    readonly arrivedAt: number | null;
    readonly state: string;
  }[];
  readonly fills: readonly FillRow[];
  readonly costE4: number;
  readonly feesE4: number;
  readonly realizedE4: number;
  readonly markedE4: number;
  readonly openQty: number;
  readonly markE4?: number;
  readonly settlements: readonly SettlementRow[];
  readonly refusals: readonly Refusal[];
  readonly events: readonly EventRow[];
}

export interface OracleResult {
  readonly plans: readonly OraclePlan[];
  /** What happened, for coverage: names and how often. */
  readonly tally: ReadonlyMap<string, number>;
}

export class NotSupported extends Error {}

export function runOracle(input: OracleInput): OracleResult {
  return new Oracle(input).run();
}

interface Timer {
  readonly t: number;
  readonly seq: number;
  readonly run: () => void;
}

/** What an upkeep is due to: an event of a symbol or of a contract; undefined at timers. */
type Happening =
  | { readonly symbol: string; readonly k: string }
  | { readonly contract: ContractState; readonly k: string }
  | undefined;

interface Group {
  readonly plans: PlanRun[];
  readonly limitE4: number;
  halted: boolean;
}

class Oracle {
  private readonly day: Day;
  private readonly fill: Fill;
  private readonly rE4: number;
  private readonly symbols = new Map<string, SymbolState>();
  private readonly contracts: Contracts;
  private readonly instruments = new Map<string, Instrument>();
  /** Those that were ever ordered, in that order. */
  private readonly traded = new Set<Instrument>();
  private readonly fees: ReturnType<typeof feeSchedule>;
  private readonly plans: PlanRun[] = [];
  private readonly books = new Map<string, Group>();
  private readonly pods: Group[] = [];
  private readonly session: Group;
  private timers: Timer[] = [];
  private timerSeq = 0;
  private rankSeq = 0;
  private fillSeq = 0;
  private orderSeq = 0;
  private armSeq = 0;
  /** Counts what is processed: tape events and timers alike. */
  private proc = 0;
  private now = 0;
  private readonly unarmedAt = new Map<PlanRun, number>();
  private actions: { readonly of: PlanRun; readonly work: () => void }[] = [];
  private toArm: PlanRun[] = [];
  private readonly ttlAt = new Map<PlanRun, number>();
  private readonly tally = new Map<string, number>();

  constructor(input: OracleInput) {
    this.day = readDay(input.tapeLines);
    this.fill = input.fill;
    this.rE4 = Math.round(Number(input.rUsd) * 1e4);
    for (const one of this.day.symbols) this.symbols.set(one.symbol, new SymbolState(this.day, one));
    this.contracts = new Contracts(this.day, this.symbols);
    this.fees = feeSchedule(input.fees ?? 'none', this.day.date);
    const documents = Array.isArray(input.document) ? input.document : [input.document as KestrelDocument];
    for (const document of documents) this.load(document as KestrelDocument);
    const named = new Set(this.plans.flatMap((run) => run.arms.map((arm) => arm.plan)));
    this.rootPlans = this.plans.filter((run) => !named.has(run.name));
    const limitE4 =
      input.sessionR === undefined ? Number.POSITIVE_INFINITY : this.riskE4(Math.round(input.sessionR * 1e4));
    this.session = { plans: this.plans, limitE4, halted: false };
  }

  private readonly rootPlans: readonly PlanRun[];

  private count(name: string): void {
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  /** A risk of R times 1e4 in E4, rounded down. */
  private riskE4(e4: number): number {
    return Number((BigInt(e4) * BigInt(this.rE4)) / 10_000n);
  }

  // -------------------------------------------------------------- loading

  private load(document: KestrelDocument): void {
    const first = this.day.symbols[0]!.symbol;
    let using: Plan['using'] = { signal: first, exec: first };
    const made: PlanRun[] = [];
    for (const statement of document.statements) {
      if (statement.kind === 'using') using = statement;
      if (statement.kind !== 'plan') continue;
      const { signal, exec, expiry } = statement.using ?? using;
      this.support(statement, exec);
      const run: PlanRun = new PlanRun(statement, {
        signal,
        exec,
        expiry,
        lossE4: (order) => this.lossE4(order.instrument, order, Math.max(order.left, order.pending?.left ?? 0)),
        budgetE4: this.riskE4(statement.budget),
        world: (of) => this.worldOf(of),
        alarms: (of, reader) => ({ set: (at) => this.alarm(of, reader, at) }),
      });
      made.push(run);
    }
    this.plans.push(...made);
    for (const statement of document.statements) {
      if (statement.kind !== 'pod') continue;
      const pod: Group = { plans: [], limitE4: this.riskE4(statement.dayLoss), halted: false };
      this.pods.push(pod);
      for (const book of statement.books) {
        const plans = made.filter((run) => run.plan.book === book.name);
        this.books.set(book.name, { plans, limitE4: this.riskE4(book.budget), halted: false });
        pod.plans.push(...plans);
      }
    }
  }

  private support(plan: Plan, exec: string): void {
    const tickets = [plan.do.ticket];
    for (const clause of plan.clauses) {
      if ('ticket' in clause && clause.ticket !== undefined) tickets.push(clause.ticket);
      const price = clause.kind === 'tp' || clause.kind === 'exit' ? clause.price : undefined;
      if (price?.modifiers.some((one) => one.kind === 'cancel-if') === true) {
        throw new NotSupported('cancel-if on an exit');
      }
    }
    for (const ticket of tickets) {
      if (ticket.instrument.kind === 'shares' && this.symbols.get(exec)?.kind !== 'equity') {
        throw new NotSupported(`not-supported: shares of ${exec}`);
      }
    }
  }

  private worldOf(run: PlanRun): World {
    const symbolOf = (of: Series): SymbolState | undefined => this.symbols.get(of.symbol ?? run.signal);
    return {
      signal: run.signal,
      series: (of) => {
        switch (of.name) {
          case 'fills.avg_px':
            return run.averageE4;
          case 'fills.qty':
            return run.entryQty;
          case 'position.qty':
            return run.owned;
          case 'pnl.realized':
            return run.realizedE4 / this.rE4;
          case 'budget.left':
            return (run.budgetE4 - run.usedE4) / this.rE4;
          default:
            return symbolOf(of)?.series(of.name, seriesArgs(of));
        }
      },
      tickE4: (of) => symbolOf(of)?.tickE4 ?? 100,
      percentile: (of, percent) => {
        const table = this.day.tables.get(`${of.symbol ?? run.signal} ${seriesKey(of)}`);
        const value = table === undefined ? undefined : interpolate(table, percent);
        // Tables are written in the unit an author would write, prices in units of currency.
        return value === undefined ? undefined : of.name === 'spread' || of.name === 'atr' ? value * 1e4 : value;
      },
      now: () => this.now,
      phaseEnds: (phase) => {
        const span = phaseSpan(this.day, phase);
        return [span.from, span.to];
      },
      toClose: (minutes) => this.day.close - minutes * 60_000_000,
      clock: (clock) => clockTime(this.day, clock),
      planReached: (name, state) => {
        const other = this.plans.find((one) => one.name === name);
        const at = other?.reachedAt.get(state as Milestone);
        if (other === undefined || at === undefined || at >= this.proc) return false;
        return state !== 'armed' || (this.unarmedAt.get(other) ?? Number.POSITIVE_INFINITY) >= this.proc;
      },
    };
  }

  // -------------------------------------------------------------- the clock

  run(): OracleResult {
    let opened = false;
    const open = (): void => {
      if (opened) return;
      opened = true;
      this.proc += 1;
      this.now = this.day.open;
      for (const run of this.plans) this.disarmIfUnavailable(run);
      for (const run of this.rootPlans) this.arm(run);
      this.armWaiting();
    };
    for (const event of this.day.events) {
      if (event.t >= this.day.open) open();
      this.runTimers(Math.min(event.t - 1, this.day.close));
      if (event.k === 'close' && event.t >= this.day.close) {
        const on = this.symbols.get(event.s!);
        if (on !== undefined && on.officialCloseE4 === undefined) on.officialCloseE4 = event.p!;
      }
      if (event.t < this.day.open) this.beforeOpen(event);
      else if (event.t <= this.day.close) this.atEvent(event);
    }
    open();
    this.runTimers(this.day.close);
    this.settle();
    return { plans: this.plans.map((run) => this.report(run)), tally: this.tally };
  }

  private setTimer(t: number, run: () => void): void {
    this.timerSeq += 1;
    // What is already past runs at the instant at hand, after its tape events.
    this.timers.push({ t: Math.max(t, this.now), seq: this.timerSeq, run });
  }

  private runTimers(upTo: number): void {
    for (;;) {
      const due = this.timers.filter((timer) => timer.t <= upTo).sort((a, b) => a.t - b.t || a.seq - b.seq)[0];
      if (due === undefined) return;
      this.timers = this.timers.filter((timer) => timer !== due);
      this.now = Math.max(this.now, due.t);
      due.run();
    }
  }

  private alarm(run: PlanRun, readerOf: () => Reader, at: number): Alarm {
    const alarm: Alarm = { off: false, ran: false };
    this.setTimer(at, () => {
      if (alarm.off) return;
      alarm.ran = true;
      const reader = readerOf();
      if (run.state === 'done' || run.ended || !reader.begun) return;
      this.count('timer:trigger');
      this.step(() => {
        this.readPlan(run, { reads: (one) => one === reader, everyReload: false, bare: false });
        this.act(run);
        this.maintain(run, undefined);
      });
    });
    return alarm;
  }

  /** One tape event or timer, from its first step to the arming at its end. */
  private step(work: () => void): void {
    this.proc += 1;
    for (const run of this.plans) run.filledThisStep = false;
    work();
    for (const run of this.plans) this.finishIfDone(run);
    this.armWaiting();
  }

  // -------------------------------------------------------------- tape events

  private beforeOpen(event: Event): void {
    if (event.k === 'oquote') {
      const contract = this.contracts.of(event);
      if (contract !== undefined && !contract.halted && event.suspect !== true) contract.takeQuote(event);
      return;
    }
    const on = event.s === undefined ? undefined : this.symbols.get(event.s);
    if (on === undefined) return;
    if (event.k === 'halt') this.setHalt(on, event.on!);
    else if (event.k === 'quote' && !on.halted) on.takeQuote(event);
  }

  private setHalt(on: SymbolState, halted: boolean): void {
    on.setHalt(halted);
    for (const contract of this.contracts.all) if (contract.underlying === on) contract.emptyBook();
  }

  /** An event of a contract: it sets no series, so that only plans it fills are read. */
  private atContract(event: Event): void {
    const contract = this.contracts.of(event);
    if (contract === undefined || contract.halted || event.suspect === true) return;
    this.step(() => {
      if (event.k === 'oquote') contract.takeQuote(event);
      else contract.lastE4 = event.p!;
      this.matchContract(event, contract);
      this.pullHalted();
      for (const run of this.plans) this.finishIfDone(run);
      for (const run of this.inOrder()) {
        if (run.filledThisStep) this.readPlan(run, { reads: () => true, everyReload: true, bare: false });
      }
      for (const run of this.inOrder()) {
        this.act(run);
        this.maintain(run, { contract, k: event.k });
      }
    });
  }

  private atEvent(event: Event): void {
    this.now = event.t;
    if (event.k === 'oquote' || event.k === 'otrade') {
      this.atContract(event);
      return;
    }
    const on = event.s === undefined ? undefined : this.symbols.get(event.s);
    if (on === undefined || !['quote', 'trade', 'bar', 'halt', 'close'].includes(event.k)) return;
    if (on.halted && !(event.k === 'halt' && event.on === false)) return;
    this.step(() => {
      if (event.k === 'halt') {
        if (event.on !== on.halted) this.setHalt(on, event.on!);
        this.count(event.on === true ? 'halt:on' : 'halt:off');
        if (event.on === true && this.plans.some((run) => run.aliveOrders.length > 0)) this.count('halt:with-orders');
      } else {
        on.takeEvent(event);
      }
      this.match(event, on);
      this.pullHalted();
      for (const run of this.plans) this.finishIfDone(run);
      for (const run of this.inOrder()) {
        this.readPlan(run, {
          reads: (reader) => reader.symbols.has(on.symbol) || run.filledThisStep,
          everyReload: run.signal === on.symbol || run.filledThisStep,
          bare: run.signal === on.symbol || underlyingOf(run.exec) === on.symbol,
        });
      }
      // Step 5, plan by plan: what its triggers asked for, then the upkeep of what stands.
      for (const run of this.inOrder()) {
        this.act(run);
        if (underlyingOf(run.exec) === on.symbol || run.filledThisStep) {
          this.maintain(run, { symbol: on.symbol, k: event.k });
        }
      }
    });
  }

  /** Plans that read, by priority, then order of arming. */
  private inOrder(): PlanRun[] {
    return this.plans
      .filter((run) => run.state !== 'dormant' && run.state !== 'done')
      .sort((a, b) => b.priority - a.priority || a.armOrder - b.armOrder);
  }

  private match(event: Event, on: SymbolState): void {
    const orders = (): Order[] => this.ordersOf((one) => one.kind === 'shares' && one.on === on);
    switch (event.k) {
      case 'quote':
        this.matchQuote(orders, on);
        return;
      case 'trade':
        this.matchPrint(orders, event);
        return;
      case 'bar': {
        if (!on.barsFill) return;
        for (const side of ['buy', 'sell'] as const) {
          let taken = 0;
          for (const order of ranked(orders(), side)) {
            if (order.state !== 'resting' || this.lossComesFirst(order, event)) continue;
            taken += this.apply(order, restAtBar(order, event, taken, on.tickE4));
          }
        }
        return;
      }
      default:
        return;
    }
  }

  /** The contract's own orders first, then those that have it for a leg. */
  private matchContract(event: Event, contract: ContractState): void {
    const own = (): Order[] => this.ordersOf((one) => one.kind === 'option' && one.legs[0] === contract);
    if (event.k === 'otrade') {
      this.matchPrint(own, event);
      return;
    }
    if (contract.quote !== undefined) this.count('oquote:good');
    this.matchQuote(own, contract);
    if (contract.quote === undefined) return;
    // Prices of different verticals do not compare: one vertical after the other, as they were first ordered.
    for (const vertical of this.traded) {
      if (vertical.kind !== 'vertical' || !vertical.legs.includes(contract) || vertical.book.quote === undefined)
        continue;
      this.matchQuote(() => this.ordersOf((one) => one === vertical), contract);
    }
  }

  private ordersOf(wanted: (instrument: Instrument) => boolean): Order[] {
    return this.plans.flatMap((run) => run.aliveOrders).filter((order) => wanted(order.instrument));
  }

  private matchQuote(orders: () => Order[], on: { readonly quote: object | undefined }): void {
    if (on.quote === undefined) {
      this.count('quote:suspect');
      return;
    }
    const meeting = orders().filter((order) => order.state === 'resting' && order.meets && order.limitE4 !== null);
    for (const order of meeting.sort((a, b) => a.rank - b.rank)) {
      this.rankSeq += 1;
      order.rank = this.rankSeq;
      this.count('order:met-later-quote');
    }
    for (const side of ['buy', 'sell'] as const) {
      for (const order of ranked(orders(), side)) {
        if (order.state === 'resting') this.apply(order, restAtQuote(order, order.instrument.book, this.fill));
      }
    }
  }

  private matchPrint(orders: () => Order[], event: Event): void {
    if (event.suspect === true) return;
    for (const side of ['buy', 'sell'] as const) {
      let taken = 0;
      for (const order of ranked(orders(), side)) {
        if (order.state !== 'resting') continue;
        taken += this.apply(order, restAtPrint(order, event, taken, this.fill));
      }
    }
  }

  /** Whether a take-profit may not fill on this bar, since it could be the bar of an EXIT or of the ttl as well. */
  private lossComesFirst(order: Order, bar: Event): boolean {
    if (order.role !== 'tp') return false;
    const run = this.plans.find((one) => one.name === order.plan)!;
    const ttl = this.ttlAt.get(run)!;
    const exits = run.clauses.some(
      (clause) =>
        clause.kind === 'exit' &&
        clause.reader.begun &&
        clause.reader.symbols.has(bar.s!) &&
        clause.reader.peek(this.now) === true,
    );
    const yes = exits || (ttl > bar.t - bar.d! && ttl <= bar.t);
    if (yes) this.count('bar:loss-first');
    return yes;
  }

  // -------------------------------------------------------------- fills

  private apply(order: Order, execution: Execution | undefined): number {
    if (execution === undefined) return 0;
    const run = this.plans.find((one) => one.name === order.plan)!;
    const { qty, priceE4: price } = execution;
    const { instrument } = order;
    const holding = run.holding(instrument);
    if (order.role !== 'entry' && qty > holding.owned) {
      throw new Error(`${run.name} closes ${qty} of ${holding.owned} ${instrument.name}`);
    }
    order.left -= qty;
    if (order.pending !== null) {
      order.pending = { ...order.pending, left: Math.max(0, order.pending.left - qty) };
      this.count('fill:replacement-in-flight');
    }
    if (order.left === 0 && (order.pending?.left ?? 0) === 0) {
      order.state = 'filled';
      order.pending = null;
    } else {
      this.count('fill:partial');
    }
    run.filledThisStep = true;
    this.fillSeq += 1;
    // Under maker-v1 a contract's fill always says what was ahead of it.
    const queued = this.fill === 'maker-v1' && instrument.kind !== 'shares';
    const seen = queued ? { ...execution, queueAhead: execution.queueAhead ?? 0 } : execution;
    const second = instrument.legs[1]?.quote;
    const secondE4 = (order.side === 'buy' ? second?.bidE4 : second?.askE4) ?? 0;
    run.feesE4 += this.feeE4(instrument, { side: order.side, qty, priceE4: price, secondE4 });
    this.count(`${instrument.kind}:${order.side}:${order.role}`);
    run.fills.push({
      seq: this.fillSeq,
      t: this.now,
      order: order.id,
      side: order.side,
      ...seen,
      instrument: instrument.name,
    });
    this.count(`fill:${execution.cause}`);
    this.count(`role:${order.role}`);
    const paidE4 = (order.side === 'buy' ? 1 : -1) * qty * price * instrument.multiplier;
    if (order.role === 'entry') {
      if (holding.owned === 0) holding.short = order.side === 'sell';
      holding.owned += qty;
      holding.costE4 += paidE4;
      holding.entryQty += qty;
      holding.entryNotionalE4 += qty * price;
      for (const tp of holding.tps) {
        tp.due = true;
        tp.stuck = false;
      }
      if (run.state === 'fired') {
        run.state = 'managing';
        this.reach(run, 'filled');
      }
    } else {
      const cost = floorOf(holding.costE4, qty, holding.owned);
      holding.owned -= qty;
      holding.costE4 -= cost;
      run.realizedE4 -= paidE4 + cost;
      for (const tp of holding.tps) if (tp.order === order) tp.sold += qty;
    }
    this.checkDayLoss();
    return qty;
  }

  private checkDayLoss(): void {
    for (const pod of this.pods) {
      const lossE4 = -pod.plans.reduce((sum, run) => sum + run.netE4, 0);
      if (pod.halted || lossE4 < pod.limitE4) continue;
      pod.halted = true;
      this.count('pod:halted');
    }
  }

  /** A pod that lost too much pulls its entries once the matching is over. */
  private pullHalted(): void {
    for (const pod of this.pods) if (pod.halted) for (const run of pod.plans) this.pull(run, 'entry');
  }

  // -------------------------------------------------------------- triggers

  private readPlan(
    run: PlanRun,
    at: {
      readonly reads: (reader: Reader) => boolean;
      /** Whether RELOAD every is read. */
      readonly everyReload: boolean;
      /** Whether a plan without WHEN may fire. */
      readonly bare: boolean;
    },
  ): void {
    if (run.state === 'dormant' || run.state === 'done' || run.ended) return;
    for (const { reader, mode } of run.invalidates) {
      if (run.invalidated !== undefined || !reader.begun || !at.reads(reader)) continue;
      if (reader.read(this.now).value !== true) continue;
      this.invalidate(run, mode);
      if (run.reason !== null && run.firedAt === null) return;
    }
    if (run.state === 'armed') {
      this.readWhen(run, at);
      return;
    }
    for (const clause of run.clauses) {
      switch (clause.kind) {
        case 'reload-when': {
          if (run.addsEnded || !at.reads(clause.reader)) break;
          if (clause.reader.read(this.now).rose) {
            this.actions.push({ of: run, work: () => this.reload(run, clause.ticket, clause.label) });
          }
          break;
        }
        case 'reload-every': {
          if (run.addsEnded || !at.everyReload) break;
          const spot = this.symbols.get(run.signal)!.spot();
          if (spot === undefined) break;
          if (clause.levelE4 === undefined) {
            clause.levelE4 = spot;
            break;
          }
          const sign = clause.clause.dir === 'up' ? 1 : -1;
          const level = applyOffset(clause.levelE4, sign, clause.clause.step, this.symbols.get(run.signal)!.tickE4);
          const reached = sign > 0 ? spot >= level : spot <= level;
          if (!reached || clause.accepted >= clause.clause.upTo) break;
          clause.levelE4 = spot;
          this.actions.push({
            of: run,
            work: () => {
              if (this.reload(run, clause.ticket, clause.label)) {
                clause.accepted += 1;
                this.count('reload:every');
              }
            },
          });
          break;
        }
        case 'exit': {
          if (run.exit !== undefined || run.invalidated === 'flat' || !at.reads(clause.reader)) break;
          if (clause.reader.read(this.now).value === true && run.owned > 0) this.exit(run, clause);
          break;
        }
      }
    }
    for (const reader of run.cancels) {
      if (!reader.begun || !at.reads(reader)) continue;
      if (reader.read(this.now).value === true)
        this.actions.push({ of: run, work: () => this.cancelEntries(run, run.aliveEntries) });
    }
    for (const { reader, order } of run.orderCancels) {
      if (!reader.begun || !at.reads(reader)) continue;
      if (reader.read(this.now).value === true && run.alive(order)) {
        this.count('cancel-if:modifier');
        this.actions.push({ of: run, work: () => this.cancelEntries(run, run.alive(order) ? [order] : []) });
      }
    }
  }

  private readWhen(run: PlanRun, at: { readonly reads: (reader: Reader) => boolean; readonly bare: boolean }): void {
    if (run.when === undefined) {
      if (!at.bare || run.waitsForFall) return;
    } else {
      if (!at.reads(run.when)) return;
      const { value } = run.when.read(this.now);
      if (value === false) run.waitsForFall = false;
      if (value !== true || run.waitsForFall) return;
    }
    const regime = this.symbols.get(run.signal)!.regime();
    const open = (run.plan.regime ?? []).every(
      (tag) => (tag.key === 'intraday' ? regime.intraday : regime.vol) === tag.value,
    );
    if (!open) {
      run.waitsForFall = true;
      this.note(run, 'gated');
      return;
    }
    if ((run.plan.regime ?? []).length > 0) this.count('regime:passed');
    this.fire(run);
  }

  private fire(run: PlanRun): void {
    run.state = 'fired';
    run.firedAt = this.now;
    this.unarmedAt.set(run, this.proc);
    this.note(run, 'fired');
    this.reach(run, 'fired');
    run.when?.end();
    for (const clause of run.clauses) {
      if (clause.kind === 'reload-every') clause.levelE4 = this.symbols.get(run.signal)!.spot();
      else clause.reader.begin(this.now);
    }
    for (const reader of run.cancels) reader.begin(this.now);
    const tickets = [
      { ticket: run.plan.do.ticket, label: 'do' },
      ...run.plan.clauses.flatMap((clause, i) =>
        clause.kind === 'also' ? [{ ticket: clause.ticket, label: `also#${i + 1}` }] : [],
      ),
    ];
    for (const { ticket, label } of tickets) {
      this.actions.push({
        of: run,
        work: () => {
          const refused = this.place(run, ticket, label);
          if (refused === undefined) run.firingAccepted = true;
          else run.firingRefused ??= refused;
        },
      });
    }
  }

  private invalidate(run: PlanRun, mode: 'ride' | 'flat'): void {
    run.invalidated = mode;
    run.addsEnded = true;
    run.reason ??= 'invalidated';
    this.note(run, 'invalidated');
    this.reach(run, 'invalidated');
    if (run.firedAt === null) {
      this.count('invalidate:armed');
      this.finish(run);
      return;
    }
    this.count(`invalidate:${mode}${run.owned > 0 ? ':owned' : ''}`);
    this.actions.push({
      of: run,
      work: () => {
        this.pull(run, 'entry');
        if (mode === 'flat') this.closeAtMarket(run);
      },
    });
  }

  private exit(run: PlanRun, clause: Extract<PlanRun['clauses'][number], { kind: 'exit' }>): void {
    run.exit = { clause: clause.clause, label: clause.label };
    run.addsEnded = true;
    this.count('exit:acted');
    this.actions.push({
      of: run,
      work: () => {
        for (const role of ['tp', 'entry', 'sale'] as const) this.pull(run, role);
        for (const holding of run.holdings) this.restExit(run, holding);
      },
    });
  }

  private reload(run: PlanRun, ticket: Ticket, label: string): boolean {
    if (run.addsEnded) return false;
    const refused = this.place(run, ticket, label);
    if (refused === undefined) this.count('reload:accepted');
    return refused === undefined;
  }

  private cancelEntries(run: PlanRun, orders: readonly Order[]): void {
    if (orders.length === 0) return;
    for (const order of orders) this.pullOrder(order);
    this.count('cancel-if:pulled');
    if (run.aliveEntries.length === 0) run.cancelled = true;
  }

  // -------------------------------------------------------------- placements

  private act(run: PlanRun): void {
    const own = this.actions.filter((action) => action.of === run);
    this.actions = this.actions.filter((action) => action.of !== run);
    for (const action of own) action.work();
  }

  /** @returns the code it was refused with, if it was */
  private place(run: PlanRun, ticket: Ticket, clause: string): string | undefined {
    const refuse = (code: string): string => {
      run.refusals.push({ t: this.now, clause, code });
      this.count(`refused:${code}`);
      return code;
    };
    const instrument = this.instrumentOf(run, ticket);
    if (typeof instrument === 'string') return refuse(instrument);
    const { side, qty, price } = ticket;
    const role = this.roleOf(run, instrument, ticket);
    const limitE4 = this.price(run, { instrument, side, price, escaped: false, closes: role === 'sale' });
    if (limitE4 === undefined) return refuse('unpriceable');
    if (role === 'entry' && this.pods.some((pod) => pod.halted && pod.plans.includes(run))) return refuse('pod-halted');
    if (role === 'sale') {
      if (qty > this.free(run, instrument)) return refuse('oversold');
    } else if (!this.fits(run, this.lossE4(instrument, { side, limitE4 }, qty))) {
      return refuse('budget-exceeded');
    }
    const order = this.create(run, { role, clause, side, qty, limitE4, price, instrument });
    for (const modifier of price.modifiers) {
      if (modifier.kind !== 'cancel-if') continue;
      const reader = run.makeReader(modifier.when);
      run.orderCancels.push({ reader, order });
      reader.begin(this.now);
    }
    return undefined;
  }

  /** What the ticket means now, or why it means nothing. */
  private instrumentOf(run: PlanRun, ticket: Ticket): Instrument | 'no-contract' | 'unpriceable' {
    const of = ticket.instrument;
    const on = this.symbols.get(underlyingOf(run.exec))!;
    if (of.kind === 'shares') return this.known(sharesOf(on));
    const legs = this.contracts.resolve(
      run.exec,
      {
        strikes: of.kind === 'option' ? [of.strike] : [of.long, of.short],
        right: of.right,
        expiry: of.expiry ?? run.expiry,
      },
      on.spot(),
    );
    return typeof legs === 'string' ? legs : this.known(optionOf(legs, this.day.date));
  }

  /** One object for one instrument. */
  private known(instrument: Instrument): Instrument {
    const found = this.instruments.get(instrument.name) ?? instrument;
    this.instruments.set(instrument.name, found);
    return found;
  }

  /** What goes the other way than what is owned or coming closes it; a sale of nothing opens no more than a vertical. */
  private roleOf(run: PlanRun, instrument: Instrument, { side }: Ticket): 'entry' | 'sale' {
    const { owned = 0, short = false } = run.owns(instrument) ?? {};
    const coming = run.aliveEntries.find((order) => order.instrument === instrument);
    if (owned > 0) return short === (side === 'sell') ? 'entry' : 'sale';
    if (coming !== undefined) return coming.side === side ? 'entry' : 'sale';
    return side === 'buy' || instrument.kind === 'vertical' ? 'entry' : 'sale';
  }

  /** What is owned and not yet promised to an order that closes it. */
  private free(run: PlanRun, instrument: Instrument): number {
    return run.aliveOrders
      .filter((order) => order.role !== 'entry' && order.instrument === instrument)
      .reduce((left, order) => left - Math.max(order.left, order.pending?.left ?? 0), run.owns(instrument)?.owned ?? 0);
  }

  /** @param fill of a vertical with the price of its second leg; the first one's is the rest */
  private feeE4(
    instrument: Instrument,
    fill: { readonly side: 'buy' | 'sell'; readonly qty: number; readonly priceE4: number; readonly secondE4: number },
  ): number {
    if (fill.qty === 0 || this.fees.name === 'none') return 0;
    const { multiplier, legs, on } = instrument;
    const { side, qty, priceE4, secondE4 } = fill;
    const sum = (of: Parameters<typeof this.fees.of>[0]): number =>
      this.fees.of(of).reduce((total, line) => total + line.e4, 0);
    if (legs.length === 0) {
      return sum({ side, qty, priceE4, instrument: { kind: 'equity', root: on.symbol, multiplier } });
    }
    const { root, right } = legs[0]!.terms;
    const of = { kind: 'option', root, right, multiplier } as const;
    if (legs.length === 1) return sum({ side, qty, priceE4, instrument: of });
    const other = side === 'buy' ? 'sell' : 'buy';
    return (
      sum({ side, qty, priceE4: priceE4 + secondE4, instrument: of, legs: 2 }) +
      sum({ side: other, qty, priceE4: secondE4, instrument: of, legs: 2 })
    );
  }

  /** Worst case of an entry's unfilled quantity, at the worse of its present and its coming limit. */
  private lossE4(
    instrument: Instrument,
    at: { readonly side: 'buy' | 'sell'; readonly limitE4: number | null; readonly pending?: Order['pending'] },
    qty: number,
  ): number {
    const { leastE4, mostE4, multiplier } = instrument;
    const limits = [at.limitE4!, at.pending?.limitE4 ?? at.limitE4!];
    const worst = limits.map((limitE4) => {
      const unit = at.side === 'buy' ? limitE4 - leastE4 : mostE4 - limitE4;
      return (
        Math.max(0, unit) * multiplier * qty +
        this.feeE4(instrument, { side: at.side, qty, priceE4: limitE4, secondE4: 0 })
      );
    });
    return Math.max(...worst);
  }

  private fits(run: PlanRun, moreE4: number): boolean {
    if (run.usedE4 + moreE4 > run.budgetE4) return false;
    const book = run.plan.book === undefined ? undefined : this.books.get(run.plan.book);
    for (const [name, group] of [
      ['book', book],
      ['session', this.session],
    ] as const) {
      if (group === undefined) continue;
      const open = group.plans.reduce((sum, one) => sum + one.entriesE4 + one.heldE4, 0);
      const net = group.plans.reduce((sum, one) => sum + one.netE4, 0);
      if (open + Math.max(0, -net) + moreE4 > group.limitE4) {
        this.count(`over:${name}`);
        return false;
      }
    }
    return true;
  }

  private price(
    run: PlanRun,
    of: {
      readonly instrument: Instrument;
      readonly side: 'buy' | 'sell';
      readonly price: Price;
      readonly escaped: boolean;
      readonly atLeastE4?: number;
      readonly atMostE4?: number;
      /** What closes a sold vertical pays no more than it can be worth. */
      readonly closes: boolean;
    },
  ): number | undefined {
    const { instrument, side } = of;
    const { book, on } = instrument;
    const quote = book.halted ? undefined : book.quote;
    const buy = side === 'buy';
    const intrinsicE4 = (): number | undefined => {
      const spot = on.spot();
      return spot === undefined ? undefined : instrument.intrinsicE4(spot);
    };
    const world = {
      side,
      tickE4: (atE4: number) => instrument.tickE4(atE4),
      anchor: (name: string): number | undefined => {
        switch (name) {
          case 'basis':
            return basisE4(run.owns(instrument));
          case 'stub':
            return instrument.tickE4(0);
          case 'bid':
            return quote?.bidE4;
          case 'ask':
            return quote?.askE4;
          case 'join':
            return buy ? quote?.bidE4 : quote?.askE4;
          case 'improve':
            if (quote === undefined) return undefined;
            return buy ? quote.bidE4 + instrument.tickE4(quote.bidE4) : quote.askE4 - instrument.tickE4(quote.askE4);
          case 'mid':
            return midOf(quote);
          case 'last':
            return book.halted ? undefined : instrument.lastE4;
          case 'fair':
            return this.fairE4(instrument, quote);
          case 'intrinsic':
            return instrument.kind === 'shares' ? undefined : intrinsicE4();
          default:
            return undefined;
        }
      },
    };
    let { atLeastE4 } = of;
    if (!buy && instrument.kind !== 'shares') {
      const least = intrinsicE4();
      if (least === undefined) return undefined;
      atLeastE4 = Math.max(atLeastE4 ?? least, least);
    }
    let { atMostE4 } = of;
    if (buy && of.closes) atMostE4 = Math.min(atMostE4 ?? instrument.mostE4, instrument.mostE4);
    const { escaped } = of;
    return priceE4(of.price, world, {
      escaped,
      ...(atLeastE4 === undefined ? {} : { atLeastE4 }),
      ...(atMostE4 === undefined ? {} : { atMostE4 }),
    });
  }

  private fairE4(instrument: Instrument, quote: Book['quote']): number | undefined {
    if (instrument.kind !== 'shares') {
      return instrument.on.halted ? undefined : fairOf(instrument, this.contracts, this.now);
    }
    if (quote === undefined) return undefined;
    const weighted = quote.bidE4 * quote.askSize + quote.askE4 * quote.bidSize;
    return weighted / (quote.bidSize + quote.askSize);
  }

  private create(
    run: PlanRun,
    of: Pick<Order, 'role' | 'clause' | 'side' | 'qty' | 'limitE4' | 'price' | 'instrument'>,
  ): Order {
    this.orderSeq += 1;
    const order: Order = {
      ...of,
      id: this.orderSeq,
      plan: run.name,
      left: of.qty,
      createdAt: this.now,
      arrivedAt: null,
      standsFrom: this.now,
      state: 'in-flight',
      rank: 0,
      meets: false,
      ahead: null,
      escaped: false,
      lookAgain: false,
      stuck: false,
      pending: null,
    };
    run.orders.push(order);
    run.holding(of.instrument);
    this.traded.add(of.instrument);
    if (of.instrument.book.halted) this.count('order:created-in-halt');
    if (barsFill(of.instrument)) {
      // Bars fill without latency: what is created stands for the next bar that begins.
      this.rankSeq += 1;
      order.rank = this.rankSeq;
      order.arrivedAt = this.now;
      order.state = 'resting';
      order.meets = true;
    } else {
      this.setTimer(this.now + latencyUs(this.fill), () => this.arrive(run, order));
    }
    const esc = of.price?.modifiers.find((one) => one.kind === 'esc');
    if (esc !== undefined) this.setTimer(this.now + durationUs(esc.after), () => this.escape(run, order));
    return order;
  }

  private arrive(run: PlanRun, order: Order): void {
    if (order.state !== 'in-flight') return;
    this.step(() => {
      this.rankSeq += 1;
      order.rank = this.rankSeq;
      order.arrivedAt = this.now;
      order.standsFrom = this.now;
      order.state = 'resting';
      const { book } = order.instrument;
      if (book.halted) this.count('order:arrived-in-halt');
      else if (book.quote === undefined) this.count('order:arrived-without-book');
      this.apply(order, meetQuote(order, book, this.fill));
      this.afterArrival(run);
    });
  }

  private afterArrival(run: PlanRun): void {
    this.pullHalted();
    for (const one of this.plans) this.finishIfDone(one);
    if (run.filledThisStep) this.readPlan(run, { reads: () => true, everyReload: true, bare: false });
    this.act(run);
    this.maintain(run, undefined);
  }

  private escape(run: PlanRun, order: Order): void {
    if (!run.alive(order)) return;
    this.step(() => {
      order.escaped = true;
      order.lookAgain = true;
      order.stuck = false;
      this.count('esc');
      for (const tp of run.owns(order.instrument)?.tps ?? []) {
        if (tp.order !== order) continue;
        tp.due = true;
        tp.stuck = false;
      }
      this.maintain(run, undefined);
    });
  }

  /** Sends a replacement: the old order stands until it arrives. */
  private replace(run: PlanRun, order: Order, by: { readonly limitE4: number; readonly left: number }): void {
    const keepsPlace = by.limitE4 === order.limitE4 && by.left <= order.left;
    this.count(`replaced:${order.role}${keepsPlace ? ':keeps-place' : ''}`);
    order.pending = { ...by, keepsPlace };
    if (barsFill(order.instrument)) {
      this.standAnew(order);
      return;
    }
    this.setTimer(this.now + latencyUs(this.fill), () => {
      if (order.pending === null || !run.alive(order)) return;
      this.step(() => {
        this.standAnew(order);
        if (run.alive(order) && order.meets) {
          this.apply(order, meetQuote(order, order.instrument.book, this.fill));
        }
        order.lookAgain = true;
        order.stuck = false;
        for (const tp of run.owns(order.instrument)?.tps ?? []) if (tp.order === order) tp.stuck = false;
        this.afterArrival(run);
      });
    });
  }

  private standAnew(order: Order): void {
    const { limitE4, left, keepsPlace } = order.pending!;
    order.pending = null;
    order.qty += left - order.left;
    order.left = left;
    order.limitE4 = limitE4;
    if (left === 0) {
      order.state = 'filled';
      return;
    }
    if (keepsPlace) return;
    this.rankSeq += 1;
    order.rank = this.rankSeq;
    order.standsFrom = this.now;
    order.ahead = null;
    order.meets = true;
  }

  private pull(run: PlanRun, role: Order['role']): void {
    for (const order of run.aliveOrders) if (order.role === role) this.pullOrder(order);
  }

  private pullOrder(order: Order): void {
    this.count(`pulled:${order.role}:${order.state}`);
    order.state = 'pulled';
    order.pending = null;
  }

  // -------------------------------------------------------------- upkeep of resting orders

  /** After what a plan's triggers asked for: what stands follows its price and its position. */
  private maintain(run: PlanRun, happening: Happening): void {
    if (run.state === 'done') return;
    const looks = happening !== undefined && this.looks(run, happening);
    for (const holding of run.holdings) {
      this.syncTps(run, holding, looks);
      if (run.exit !== undefined && holding.exitOrder === undefined && looks) this.restExit(run, holding);
    }
    for (const order of run.aliveOrders) {
      if (order.role === 'tp' || order.price === null) continue;
      if (looks && isPeg(order.price)) order.lookAgain = true;
      if (order.lookAgain && (!order.stuck || looks)) this.lookAt(run, order);
    }
  }

  /** A plan's orders are looked at together, at every event that a peg or a price that was UNKNOWN among them reads. */
  private looks(run: PlanRun, happening: Happening): boolean {
    if (run.filledThisStep) return true;
    return (
      run.aliveOrders.some((order) => {
        const { price, lookAgain } = order;
        return price !== null && (isPeg(price) || lookAgain) && readsAt(order, price, happening);
      }) ||
      run.holdings.some(({ instrument, owned, short, tps, exitOrder }) => {
        if (owned === 0) return false;
        const waiting = tps.filter((tp) => tp.stuck || isPeg(tp.clause.price)).map((tp) => tp.clause.price);
        if (run.exit !== undefined && exitOrder === undefined) waiting.push(run.exit.clause.price);
        return waiting.some((price) => readsAt({ instrument, side: short ? 'buy' : 'sell' }, price, happening));
      })
    );
  }

  private lookAt(run: PlanRun, order: Order): void {
    if (order.pending !== null) return;
    const { side, instrument, escaped } = order;
    const limitE4 = this.price(run, { instrument, side, price: order.price!, escaped, closes: order.role !== 'entry' });
    // An escalation that finds no price is tried again at the next event.
    order.stuck = limitE4 === undefined;
    if (limitE4 === undefined) return;
    order.lookAgain = false;
    if (limitE4 === order.limitE4) return;
    if (order.role === 'entry') {
      const before = this.lossE4(instrument, order, order.left);
      if (!this.fits(run, this.lossE4(instrument, { side, limitE4 }, order.left) - before)) {
        this.count('replacement:not-sent');
        return;
      }
    }
    this.replace(run, order, { limitE4, left: order.left });
  }

  private syncTps(run: PlanRun, holding: Holding, looks: boolean): void {
    const { instrument, owned, entryQty } = holding;
    if (run.exit !== undefined || run.ended || run.invalidated === 'flat' || owned === 0) return;
    const promised = run.aliveOrders
      .filter((order) => order.role === 'sale' && order.instrument === instrument)
      .reduce((sum, order) => sum + Math.max(order.left, order.pending?.left ?? 0), 0);
    let position = owned - promised;
    for (const tp of holding.tps) {
      const grant = Math.min(Math.max(0, target(tp, entryQty) - tp.sold), position);
      position -= grant;
      if (looks && isPeg(tp.clause.price)) tp.due = true;
      if (tp.stuck && !looks) continue;
      if (tp.due || tp.order?.lookAgain === true) this.syncTp(run, holding, tp, grant);
    }
  }

  private syncTp(run: PlanRun, holding: Holding, tp: TpRun, grant: number): void {
    const { instrument, short } = holding;
    const standing = tp.order !== undefined && run.alive(tp.order) ? tp.order : undefined;
    if (standing !== undefined && standing.pending !== null && grant > 0) return;
    if (grant === 0) {
      tp.due = false;
      if (standing !== undefined) this.pullOrder(standing);
      return;
    }
    const { price } = tp.clause;
    const side = short ? 'buy' : 'sell';
    const goalE4 = (tp.clause.multiple / 1e4) * basisE4(holding)!;
    const limitE4 = this.price(run, {
      instrument,
      side,
      price,
      escaped: standing?.escaped ?? false,
      closes: true,
      ...(short ? { atMostE4: goalE4 } : { atLeastE4: goalE4 }),
    });
    tp.stuck = limitE4 === undefined;
    if (limitE4 === undefined) {
      this.count('tp:unpriceable');
      return;
    }
    tp.due = false;
    if (standing === undefined) {
      const { label: clause } = tp;
      tp.order = this.create(run, { role: 'tp', clause, side, qty: grant, limitE4, price, instrument });
      return;
    }
    standing.lookAgain = false;
    if (standing.limitE4 !== limitE4 || standing.left !== grant) this.replace(run, standing, { limitE4, left: grant });
  }

  /** Tried again at each event of the instrument for as long as it finds no price. */
  private restExit(run: PlanRun, holding: Holding): void {
    const exit = run.exit!;
    const { instrument, owned, short } = holding;
    if (run.ended || run.invalidated === 'flat' || owned === 0) return;
    const { price } = exit.clause;
    const side = short ? 'buy' : 'sell';
    const limitE4 = this.price(run, { instrument, side, price, escaped: false, closes: true });
    if (limitE4 === undefined) {
      this.count('exit:unpriceable');
      return;
    }
    const { label: clause } = exit;
    holding.exitOrder = this.create(run, { role: 'exit', clause, side, qty: owned, limitE4, price, instrument });
  }

  private closeAtMarket(run: PlanRun): void {
    for (const role of ['tp', 'exit', 'sale'] as const) this.pull(run, role);
    for (const { instrument, owned, short } of run.holdings) {
      const closing = run.aliveOrders.some((order) => order.role === 'market' && order.instrument === instrument);
      if (owned === 0 || closing) continue;
      const side = short ? 'buy' : 'sell';
      this.create(run, {
        role: 'market',
        clause: 'market',
        side,
        qty: owned,
        limitE4: null,
        price: null,
        instrument,
      });
    }
  }

  // -------------------------------------------------------------- beginnings and ends

  private note(run: PlanRun, kind: EventRow['kind']): void {
    run.events.push({ t: this.now, kind });
    this.count(`event:${kind}`);
  }

  private reach(run: PlanRun, milestone: Milestone): void {
    if (!run.reachedAt.has(milestone)) run.reachedAt.set(milestone, this.proc);
    if (milestone === 'armed') return;
    for (const arm of run.arms) {
      if ((arm.on ?? 'fired') !== milestone) continue;
      const other = this.plans.find((one) => one.name === arm.plan);
      if (other === undefined || other.state !== 'dormant' || this.toArm.includes(other)) continue;
      this.toArm.push(other);
      this.note(run, 'armed-other');
    }
  }

  private armWaiting(): void {
    for (let next = this.toArm.shift(); next !== undefined; next = this.toArm.shift()) this.arm(next);
  }

  /** The header is known at the open: what it can never give disarms a plan there, dormant ones too. */
  private disarmIfUnavailable(run: PlanRun): void {
    const missing = this.missing(run);
    if (missing === undefined) return;
    run.reason = `disarmed:${missing}`;
    this.note(run, 'disarmed');
    this.finish(run);
  }

  private arm(run: PlanRun): void {
    if (run.state !== 'dormant') return;
    run.state = 'armed';
    run.armedAt = this.now;
    this.armSeq += 1;
    run.armOrder = this.armSeq;
    this.note(run, 'armed');
    this.reach(run, 'armed');
    const { ttl } = run.plan;
    const at = ttl.kind === 'clock' ? clockTime(this.day, ttl) : this.now + durationUs(ttl.duration);
    const ttlAt = Math.min(at, this.day.close);
    this.ttlAt.set(run, ttlAt);
    this.setTimer(ttlAt, () => this.expire(run));
    for (const { reader } of run.invalidates) reader.begin(this.now);
    run.when?.begin(this.now);
  }

  /** What a plan reads that this tape cannot give it. */
  private missing(run: PlanRun): string | undefined {
    for (const trigger of triggersOf(run.plan)) {
      for (const { series, percent } of comparisonsOf(trigger)) {
        const symbol = series.symbol ?? run.signal;
        const absent =
          !this.symbols.has(symbol) ||
          series.name === 'iv' ||
          (['prior.close', 'gap'].includes(series.name) && !this.day.priorCloseE4.has(symbol));
        if (absent) return 'series-unavailable';
        if (percent === undefined) continue;
        const table = this.day.tables.get(`${symbol} ${seriesKey(series)}`);
        if (table === undefined || interpolate(table, percent) === undefined) return 'no-reference';
      }
    }
    if ((run.plan.regime ?? []).some((tag) => tag.key === 'vol')) {
      const table = this.day.tables.get(`${run.signal} rv(30m)`);
      if (table === undefined || interpolate(table, 25) === undefined || interpolate(table, 75) === undefined) {
        return 'no-reference';
      }
    }
    return undefined;
  }

  private expire(run: PlanRun): void {
    if (run.state === 'done') return;
    this.step(() => {
      run.ended = true;
      for (const reader of run.everyReader()) reader.end();
      for (const role of ['entry', 'tp', 'exit', 'sale'] as const) this.pull(run, role);
      if (this.now >= this.day.close) this.pull(run, 'market');
      if (this.symbols.get(underlyingOf(run.exec))!.halted && run.owned > 0) this.count('ttl:in-halt');
      const settles = run.owned > 0 && (this.ttlAt.get(run)! >= this.day.close || run.invalidated === 'ride');
      if (settles) return;
      if (run.reason === null) {
        run.reason = 'expired';
        this.note(run, 'expired');
      }
      if (run.owned > 0) this.closeAtMarket(run);
      else this.finish(run);
    });
  }

  private finishIfDone(run: PlanRun): void {
    if ((run.state !== 'fired' && run.state !== 'managing') || run.owned > 0 || run.aliveOrders.length > 0) return;
    if (run.reason !== null) this.finish(run);
    else if (run.entryQty > 0) this.finish(run, 'closed');
    else if (run.cancelled) this.finish(run, 'cancelled');
    else if (!run.firingAccepted) this.finish(run, `refused:${run.firingRefused}`);
  }

  private finish(run: PlanRun, reason?: string): void {
    if (run.state === 'armed') this.unarmedAt.set(run, this.proc);
    run.state = 'done';
    run.reason ??= reason!;
    for (const reader of run.everyReader()) reader.end();
    this.count(`done:${run.reason}`);
    this.reach(run, 'done');
  }

  private settle(): void {
    this.now = this.day.close;
    for (const run of this.plans) {
      if (run.state === 'done') continue;
      for (const order of run.aliveOrders) {
        this.count(`dead:${order.role}`);
        order.state = 'dead';
        order.pending = null;
      }
      if (run.owned > 0) {
        for (const holding of run.holdings) if (holding.owned > 0) this.settleHolding(run, holding);
        if (run.reason !== 'expired') this.note(run, 'settled');
        run.reason ??= 'settled';
      } else if (run.reason === null) {
        run.reason = 'expired';
        this.note(run, 'expired');
      }
      this.count(`done:${run.reason}`);
      run.state = 'done';
    }
  }

  /** Pays out what expires today; marks the rest. */
  private settleHolding(run: PlanRun, holding: Holding): void {
    const { instrument, owned, costE4 } = holding;
    const units = (holding.short ? -1 : 1) * owned * instrument.multiplier;
    const closing = instrument.on.closing();
    const expires = instrument.legs.some(({ terms }) => terms.expiry === this.day.date && terms.settles === 'close');
    const marking = (priceE4: number): void => {
      if (instrument.kind === 'shares') run.markE4 = priceE4;
      holding.markedE4 = priceE4 * units - costE4;
    };
    if (expires && closing !== undefined) {
      const [a = 0, b = 0] = instrument.legs.map((leg) => leg.settlementE4(closing.priceE4));
      const priceE4 = a - b;
      const { priceE4: underlyingE4, from } = closing;
      run.settlements.push({ t: this.now, instrument: instrument.name, qty: owned, priceE4, underlyingE4, from });
      run.realizedE4 += priceE4 * units - costE4;
      holding.owned = 0;
      holding.costE4 = 0;
      this.count(`settled:${from}:${holding.short ? 'short' : 'long'}:${priceE4 === 0 ? 'worthless' : 'paid'}`);
      return;
    }
    const atCost = Math.floor(costE4 / units);
    if (instrument.kind === 'shares') {
      marking(closing?.priceE4 ?? atCost);
      return;
    }
    const mids = instrument.legs.map((leg) => midOf(leg.lastGood));
    const [a, b = 0] = mids;
    const byQuotes = a === undefined || mids.includes(undefined) ? undefined : a - b;
    const known = expires ? undefined : (byQuotes ?? instrument.lastE4);
    this.count(known === undefined ? 'marked:cost' : byQuotes === undefined ? 'marked:last' : 'marked:mid');
    marking(known ?? atCost);
  }

  private report(run: PlanRun): OraclePlan {
    return {
      name: run.name,
      state: run.state,
      reason: run.reason,
      armedAt: run.armedAt,
      firedAt: run.firedAt,
      orders: run.orders.map((order) => ({
        clause: order.clause,
        side: order.side,
        qty: order.qty,
        instrument: order.instrument.name,
        limitE4: order.limitE4,
        createdAt: order.createdAt,
        arrivedAt: order.arrivedAt,
        state: order.state,
      })),
      fills: run.fills,
      costE4: run.costHeldE4,
      feesE4: run.feesE4,
      realizedE4: run.realizedE4,
      markedE4: run.holdings.reduce((sum, holding) => sum + holding.markedE4, 0),
      openQty: run.owned,
      ...(run.markE4 === undefined ? {} : { markE4: run.markE4 }),
      settlements: run.settlements,
      refusals: run.refusals,
      events: run.events,
    };
  }
}

/** floor(of x part / whole), exactly. */
function floorOf(of: number, part: number, whole: number): number {
  const [n, d] = [BigInt(of) * BigInt(part), BigInt(whole)];
  return Number(n / d - (n % d < 0n ? 1n : 0n));
}

const barsFill = (instrument: Instrument): boolean => instrument.kind === 'shares' && instrument.on.barsFill;

/** Whether a happening is an event of the instrument itself: of its symbol, of a leg, or a halt of what it is written on. */
function isOf(instrument: Instrument, happening: Happening): boolean {
  if (happening === undefined) return false;
  if ('contract' in happening) return instrument.legs.includes(happening.contract);
  return happening.symbol === instrument.on.symbol && (instrument.kind === 'shares' || happening.k === 'halt');
}

/** Whether an order's price reads what happened: a peg follows it, and a price that was UNKNOWN is tried again. */
function readsAt(of: Pick<Order, 'instrument' | 'side'>, price: Price, happening: Happening): boolean {
  const { instrument, side } = of;
  if (isOf(instrument, happening)) return true;
  if (happening === undefined || instrument.kind === 'shares') return false;
  const fair = reads(price, 'fair');
  if ('symbol' in happening) {
    return happening.symbol === instrument.on.symbol && (fair || side === 'sell' || reads(price, 'intrinsic'));
  }
  const { root, expiry } = instrument.legs[0]!.terms;
  const { terms } = happening.contract;
  return fair && happening.k === 'oquote' && terms.root === root && terms.expiry === expiry;
}

const isPeg = (price: Price): boolean => price.modifiers.some((one) => one.kind === 'peg');

function reads(price: Price, anchor: 'fair' | 'intrinsic'): boolean {
  const within = (expr: PriceExpr): boolean => {
    switch (expr.kind) {
      case 'anchor':
        return expr.name === anchor;
      case 'number':
        return false;
      case 'group':
        return within(expr.of);
      case 'lean':
        return within(expr.a) || within(expr.b);
      case 'min':
      case 'max':
        return expr.args.some(within);
      case 'sum':
        return within(expr.base);
    }
  };
  const more = price.modifiers.flatMap((one) =>
    one.kind === 'esc' ? [one.to] : one.kind === 'cap' || one.kind === 'floor' ? [one.at] : [],
  );
  return [price.expr, ...more].some(within);
}

function target(tp: TpRun, entryQty: number): number {
  if (tp.clause.frac === undefined) return entryQty;
  return Math.max(1, Math.floor((tp.clause.frac * entryQty) / 1e4));
}

function seriesArgs(of: Series): number[] {
  return of.args.map((arg) => (arg.kind === 'int' ? arg.n : arg.kind === 'duration' ? durationUs(arg.duration) : 0));
}

/** The name under which a header's reference holds a series' distribution. */
function seriesKey(of: Series): string {
  if (of.args.length === 0) return of.name;
  const args = of.args.map((arg) =>
    arg.kind === 'int' ? String(arg.n) : arg.kind === 'duration' ? `${arg.duration.n}${arg.duration.unit}` : arg.word,
  );
  return `${of.name}(${args.join(', ')})`;
}

function triggersOf(plan: Plan): Trigger[] {
  const found = plan.when === undefined ? [] : [plan.when.when];
  const tickets = [plan.do.ticket];
  for (const clause of plan.clauses) {
    if ('when' in clause) found.push(clause.when);
    if ('ticket' in clause && clause.ticket !== undefined) tickets.push(clause.ticket);
  }
  for (const ticket of tickets) {
    for (const modifier of ticket.price.modifiers) if (modifier.kind === 'cancel-if') found.push(modifier.when);
  }
  return found;
}

/** Every series a trigger reads, left to right, with the percentile it is compared with if there is one. */
function comparisonsOf(trigger: Trigger): { readonly series: Series; readonly percent: number | undefined }[] {
  switch (trigger.kind) {
    case 'and':
    case 'or':
      return trigger.of.flatMap(comparisonsOf);
    case 'not':
    case 'paren':
    case 'held':
    case 'within':
      return comparisonsOf(trigger.of);
    case 'compare':
    case 'crosses': {
      const percent = trigger.right.kind === 'percentile' ? trigger.right.e4 / 1e4 : undefined;
      return seriesOf(trigger).map((series) => ({ series, percent }));
    }
    default:
      return [];
  }
}
