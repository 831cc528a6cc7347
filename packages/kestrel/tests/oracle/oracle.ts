/** The slow, obvious reference engine: the runtime's meaning once more, from the text of the specification alone. */
import type { KestrelDocument, Plan, Series, Ticket, Trigger } from '../../src/lang/model.ts';
import { clockTime, type Day, type Event, interpolate, phaseSpan, readDay, SymbolState } from './market.ts';
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
import { type EventRow, type FillRow, type Milestone, PlanRun, type Refusal, type TpRun } from './plan.ts';
import { priceE4 } from './price.ts';
import { type Alarm, applyOffset, durationUs, type Reader, seriesOf, type World } from './trigger.ts';

export interface OracleInput {
  readonly tapeLines: readonly string[];
  readonly document: KestrelDocument | readonly KestrelDocument[];
  readonly fill: Fill;
  readonly rUsd: number | string;
  /** Budget of the whole session in R; absent: no limit beyond the plans'. */
  readonly sessionR?: number;
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
  readonly realizedE4: number;
  readonly markedE4: number;
  readonly openQty: number;
  readonly markE4?: number;
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
    let using = { signal: first, exec: first };
    const made: PlanRun[] = [];
    for (const statement of document.statements) {
      if (statement.kind === 'using') using = statement;
      if (statement.kind !== 'plan') continue;
      this.support(statement);
      const { signal, exec } = statement.using ?? using;
      const run: PlanRun = new PlanRun(statement, {
        signal,
        exec,
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

  private support(plan: Plan): void {
    const tickets = [plan.do.ticket];
    for (const clause of plan.clauses) {
      if ('ticket' in clause && clause.ticket !== undefined) tickets.push(clause.ticket);
      const price = clause.kind === 'tp' || clause.kind === 'exit' ? clause.price : undefined;
      if (price?.modifiers.some((one) => one.kind === 'cancel-if') === true) {
        throw new NotSupported('cancel-if on an exit');
      }
    }
    for (const ticket of tickets) {
      if (ticket.instrument.kind !== 'shares') throw new NotSupported('not-supported: options');
      if (ticket.side === 'sell') throw new NotSupported('not-supported: a sell ticket');
    }
  }

  private worldOf(run: PlanRun): World {
    const symbolOf = (of: Series): SymbolState | undefined => this.symbols.get(of.symbol ?? run.signal);
    return {
      signal: run.signal,
      series: (of) => {
        switch (of.name) {
          case 'fills.avg_px':
            return run.basisE4;
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
        this.maintain([run], undefined);
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
    const on = event.s === undefined ? undefined : this.symbols.get(event.s);
    if (on === undefined) return;
    if (event.k === 'halt') on.setHalt(event.on!);
    else if (event.k === 'quote' && !on.halted) on.takeQuote(event);
  }

  private atEvent(event: Event): void {
    this.now = event.t;
    const on = event.s === undefined ? undefined : this.symbols.get(event.s);
    if (on === undefined || !['quote', 'trade', 'bar', 'halt', 'close'].includes(event.k)) return;
    if (on.halted && !(event.k === 'halt' && event.on === false)) return;
    this.step(() => {
      if (event.k === 'halt') {
        if (event.on !== on.halted) on.setHalt(event.on!);
        this.count(event.on === true ? 'halt:on' : 'halt:off');
        if (event.on === true && this.plans.some((run) => run.aliveOrders.length > 0)) this.count('halt:with-orders');
      } else {
        on.takeEvent(event);
      }
      this.match(event, on);
      for (const run of this.plans) this.finishIfDone(run);
      for (const run of this.inOrder()) {
        this.readPlan(run, {
          reads: (reader) => reader.symbols.has(on.symbol) || run.filledThisStep,
          everyReload: run.signal === on.symbol || run.filledThisStep,
          bare: run.signal === on.symbol || run.exec === on.symbol,
        });
      }
      // Step 5, plan by plan: what its triggers asked for, then the upkeep of what stands.
      for (const run of this.inOrder()) {
        this.act(run);
        if (run.exec === on.symbol || run.filledThisStep) this.maintain([run], on.symbol);
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
    const orders = (): Order[] => this.plans.flatMap((run) => run.aliveOrders).filter((o) => o.symbol === on.symbol);
    switch (event.k) {
      case 'quote': {
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
            if (order.state === 'resting') this.apply(order, restAtQuote(order, on, this.fill));
          }
        }
        return;
      }
      case 'trade': {
        if (event.suspect === true) return;
        for (const side of ['buy', 'sell'] as const) {
          let taken = 0;
          for (const order of ranked(orders(), side)) {
            if (order.state !== 'resting') continue;
            taken += this.apply(order, restAtPrint(order, event, taken, this.fill));
          }
        }
        return;
      }
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
    if (order.side === 'sell' && qty > run.owned) throw new Error(`${run.name} sells ${qty} of ${run.owned}`);
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
    run.fills.push({ seq: this.fillSeq, t: this.now, order: order.id, side: order.side, ...execution });
    this.count(`fill:${execution.cause}`);
    this.count(`role:${order.role}`);
    if (order.side === 'buy') {
      run.owned += qty;
      run.costHeldE4 += qty * price;
      run.entryQty += qty;
      run.entryNotionalE4 += qty * price;
      for (const tp of run.tps) tp.due = true;
      if (run.state === 'fired') {
        run.state = 'managing';
        this.reach(run, 'filled');
      }
    } else {
      const cost = Number((BigInt(run.costHeldE4) * BigInt(qty)) / BigInt(run.owned));
      run.owned -= qty;
      run.costHeldE4 -= cost;
      run.realizedE4 += qty * price - cost;
      run.soldQty += qty;
      for (const tp of run.tps) if (tp.order === order) tp.sold += qty;
    }
    this.checkDayLoss();
    return qty;
  }

  private checkDayLoss(): void {
    for (const pod of this.pods) {
      const lossE4 = -pod.plans.reduce((sum, run) => sum + run.realizedE4, 0);
      if (pod.halted || lossE4 < pod.limitE4) continue;
      pod.halted = true;
      this.count('pod:halted');
      for (const run of pod.plans) this.pull(run, 'entry');
    }
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
        if (mode === 'flat') this.sellAtMarket(run);
      },
    });
  }

  private exit(run: PlanRun, clause: Extract<PlanRun['clauses'][number], { kind: 'exit' }>): void {
    run.exit = { clause: clause.clause, label: clause.label, order: undefined };
    run.addsEnded = true;
    this.count('exit:acted');
    this.actions.push({
      of: run,
      work: () => {
        this.pull(run, 'tp');
        this.pull(run, 'entry');
        this.restExit(run);
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
    const limitE4 = this.price(run, { side: 'buy', price: ticket.price, escaped: false });
    const refuse = (code: string): string => {
      run.refusals.push({ t: this.now, clause, code });
      this.count(`refused:${code}`);
      return code;
    };
    if (limitE4 === undefined) return refuse('unpriceable');
    if (this.pods.some((pod) => pod.halted && pod.plans.includes(run))) return refuse('pod-halted');
    if (!this.fits(run, ticket.qty * limitE4)) return refuse('budget-exceeded');
    const order = this.create(run, {
      role: 'entry',
      clause,
      side: 'buy',
      qty: ticket.qty,
      limitE4,
      price: ticket.price,
    });
    for (const modifier of ticket.price.modifiers) {
      if (modifier.kind !== 'cancel-if') continue;
      const reader = run.makeReader(modifier.when);
      run.orderCancels.push({ reader, order });
      reader.begin(this.now);
    }
    return undefined;
  }

  private fits(run: PlanRun, moreE4: number): boolean {
    if (run.usedE4 + moreE4 > run.budgetE4) return false;
    const book = run.plan.book === undefined ? undefined : this.books.get(run.plan.book);
    for (const [name, group] of [
      ['book', book],
      ['session', this.session],
    ] as const) {
      if (group === undefined) continue;
      const open = group.plans.reduce((sum, one) => sum + one.entriesE4 + one.costHeldE4, 0);
      const net = group.plans.reduce((sum, one) => sum + one.realizedE4, 0);
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
      readonly side: 'buy' | 'sell';
      readonly price: Ticket['price'];
      readonly escaped: boolean;
      readonly atLeastE4?: number;
    },
  ): number | undefined {
    const on = this.symbols.get(run.exec)!;
    const quote = on.halted ? undefined : on.quote;
    const { bidE4, askE4 } = quote ?? { bidE4: undefined, askE4: undefined };
    const world = {
      side: of.side,
      tickE4: on.tickE4,
      anchor: (name: string): number | undefined => {
        switch (name) {
          case 'basis':
            return run.basisE4;
          case 'stub':
            return on.tickE4;
          case 'bid':
            return bidE4;
          case 'ask':
            return askE4;
          case 'join':
            return of.side === 'buy' ? bidE4 : askE4;
          case 'improve':
            if (quote === undefined) return undefined;
            return of.side === 'buy' ? quote.bidE4 + on.tickE4 : quote.askE4 - on.tickE4;
          case 'mid':
            return quote === undefined ? undefined : Math.floor((quote.bidE4 + quote.askE4) / 2);
          case 'last':
            return on.halted ? undefined : on.lastE4;
          case 'fair': {
            if (quote === undefined) return undefined;
            const weighted = quote.bidE4 * quote.askSize + quote.askE4 * quote.bidSize;
            return weighted / (quote.bidSize + quote.askSize);
          }
          default:
            return undefined;
        }
      },
    };
    const { escaped } = of;
    return priceE4(of.price, world, of.atLeastE4 === undefined ? { escaped } : { escaped, atLeastE4: of.atLeastE4 });
  }

  private create(run: PlanRun, of: Pick<Order, 'role' | 'clause' | 'side' | 'qty' | 'limitE4' | 'price'>): Order {
    this.orderSeq += 1;
    const on = this.symbols.get(run.exec)!;
    const order: Order = {
      ...of,
      id: this.orderSeq,
      plan: run.name,
      symbol: run.exec,
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
      pending: null,
    };
    run.orders.push(order);
    if (on.halted) this.count('order:created-in-halt');
    if (on.barsFill) {
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
      const on = this.symbols.get(order.symbol)!;
      if (on.halted) this.count('order:arrived-in-halt');
      else if (on.quote === undefined) this.count('order:arrived-without-book');
      this.apply(order, meetQuote(order, on, this.fill));
      this.afterArrival(run);
    });
  }

  private afterArrival(run: PlanRun): void {
    for (const one of this.plans) this.finishIfDone(one);
    if (run.filledThisStep) this.readPlan(run, { reads: () => true, everyReload: true, bare: false });
    this.act(run);
    this.maintain([run], undefined);
  }

  private escape(run: PlanRun, order: Order): void {
    if (!run.alive(order)) return;
    this.step(() => {
      order.escaped = true;
      order.lookAgain = true;
      this.count('esc');
      for (const tp of run.tps) if (tp.order === order) tp.due = true;
      this.maintain([run], undefined);
    });
  }

  /** Sends a replacement: the old order stands until it arrives. */
  private replace(run: PlanRun, order: Order, by: { readonly limitE4: number; readonly left: number }): void {
    const keepsPlace = by.limitE4 === order.limitE4 && by.left <= order.left;
    this.count(`replaced:${order.role}${keepsPlace ? ':keeps-place' : ''}`);
    order.pending = { ...by, keepsPlace };
    if (this.symbols.get(order.symbol)!.barsFill) {
      this.standAnew(order);
      return;
    }
    this.setTimer(this.now + latencyUs(this.fill), () => {
      if (order.pending === null || !run.alive(order)) return;
      this.step(() => {
        this.standAnew(order);
        if (run.alive(order) && order.meets) {
          this.apply(order, meetQuote(order, this.symbols.get(order.symbol)!, this.fill));
        }
        order.lookAgain = true;
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

  /** @param symbol the instrument whose event this is; undefined at timers */
  private maintain(runs: readonly PlanRun[], symbol: string | undefined): void {
    for (const run of runs) {
      if (run.state === 'done') continue;
      const own = symbol === run.exec;
      this.syncTps(run, own);
      if (own && run.exit !== undefined && run.exit.order === undefined) this.restExit(run);
      for (const order of run.aliveOrders) {
        if (order.role === 'tp' || order.price === null) continue;
        if (own && order.price.modifiers.some((one) => one.kind === 'peg')) order.lookAgain = true;
        if (order.lookAgain) this.lookAt(run, order);
      }
    }
  }

  private lookAt(run: PlanRun, order: Order): void {
    if (order.pending !== null) return;
    const limitE4 = this.price(run, { side: order.side, price: order.price!, escaped: order.escaped });
    // An escalation that finds no price is tried again at the next event.
    if (limitE4 === undefined) return;
    order.lookAgain = false;
    if (limitE4 === order.limitE4) return;
    if (order.role === 'entry') {
      const before = order.left * order.limitE4!;
      if (!this.fits(run, order.left * limitE4 - before)) {
        this.count('replacement:not-sent');
        return;
      }
    }
    this.replace(run, order, { limitE4, left: order.left });
  }

  private syncTps(run: PlanRun, own: boolean): void {
    if (run.exit !== undefined || run.ended || run.invalidated === 'flat' || run.owned === 0) return;
    let position = run.owned;
    for (const tp of run.tps) {
      const grant = Math.min(Math.max(0, target(tp, run.entryQty) - tp.sold), position);
      position -= grant;
      if (own && tp.clause.price.modifiers.some((one) => one.kind === 'peg')) tp.due = true;
      if (tp.due || tp.order?.lookAgain === true) this.syncTp(run, tp, grant);
    }
  }

  private syncTp(run: PlanRun, tp: TpRun, grant: number): void {
    const standing = tp.order !== undefined && run.alive(tp.order) ? tp.order : undefined;
    if (standing !== undefined && standing.pending !== null && grant > 0) return;
    if (grant === 0) {
      tp.due = false;
      if (standing !== undefined) this.pullOrder(standing);
      return;
    }
    const limitE4 = this.price(run, {
      side: 'sell',
      price: tp.clause.price,
      escaped: standing?.escaped ?? false,
      atLeastE4: (tp.clause.multiple / 1e4) * run.basisE4!,
    });
    if (limitE4 === undefined) {
      this.count('tp:unpriceable');
      return;
    }
    tp.due = false;
    if (standing === undefined) {
      const { label: clause } = tp;
      tp.order = this.create(run, { role: 'tp', clause, side: 'sell', qty: grant, limitE4, price: tp.clause.price });
      return;
    }
    standing.lookAgain = false;
    if (standing.limitE4 !== limitE4 || standing.left !== grant) this.replace(run, standing, { limitE4, left: grant });
  }

  private restExit(run: PlanRun): void {
    const exit = run.exit!;
    if (run.ended || run.invalidated === 'flat' || run.owned === 0) return;
    const price = exit.clause.price;
    const limitE4 = this.price(run, { side: 'sell', price, escaped: false });
    if (limitE4 === undefined) {
      this.count('exit:unpriceable');
      return;
    }
    exit.order = this.create(run, { role: 'exit', clause: exit.label, side: 'sell', qty: run.owned, limitE4, price });
  }

  private sellAtMarket(run: PlanRun): void {
    this.pull(run, 'tp');
    this.pull(run, 'exit');
    if (run.owned === 0 || run.aliveOrders.some((order) => order.role === 'market')) return;
    this.create(run, { role: 'market', clause: 'market', side: 'sell', qty: run.owned, limitE4: null, price: null });
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
      for (const role of ['entry', 'tp', 'exit'] as const) this.pull(run, role);
      if (this.now >= this.day.close) this.pull(run, 'market');
      if (this.symbols.get(run.exec)!.halted && run.owned > 0) this.count('ttl:in-halt');
      const settles = run.owned > 0 && (this.ttlAt.get(run)! >= this.day.close || run.invalidated === 'ride');
      if (settles) return;
      if (run.reason === null) {
        run.reason = 'expired';
        this.note(run, 'expired');
      }
      if (run.owned > 0) this.sellAtMarket(run);
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
        run.markE4 = this.symbols.get(run.exec)!.mark(Math.floor(run.costHeldE4 / run.owned));
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
        instrument: order.symbol,
        limitE4: order.limitE4,
        createdAt: order.createdAt,
        arrivedAt: order.arrivedAt,
        state: order.state,
      })),
      fills: run.fills,
      costE4: run.costHeldE4,
      realizedE4: run.realizedE4,
      markedE4: run.markE4 === undefined ? 0 : run.markE4 * run.owned - run.costHeldE4,
      openQty: run.owned,
      ...(run.markE4 === undefined ? {} : { markE4: run.markE4 }),
      refusals: run.refusals,
      events: run.events,
    };
  }
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
