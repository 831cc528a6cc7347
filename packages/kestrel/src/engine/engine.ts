/**
 * The engine: one market day, row by row, with the plans that are armed on it. It can run to any instant and stop, so
 * that a session may show the day to its author in slots; a whole day in one go is the same run.
 *
 * At each event: market state, matching, series, triggers, placements, wakes (docs/runtime.md, section 3).
 */
import type { KestrelDocument, Plan, Wake } from '../lang/model.ts';
import { localToUtc } from '../market/calendar.ts';
import { type Columns, Flag, Kind, type Tape } from '../market/columns.ts';
import { Chains } from './chains.ts';
import { durationUs, type SessionClock } from './clock.ts';
import { compilePlan, type Outline, outline, type Scope, slotsOf, ttlOf } from './compile.ts';
import { compileTrigger, Disarm, type GroupHub, type TriggerPlace } from './compile-trigger.ts';
import { Extremes } from './extremes.ts';
import { SECOND } from './fair-value.ts';
import { type FeeLine, type FeeSchedule, feeSchedule } from './fees.ts';
import type { Holding } from './holding.ts';
import { type ChainPlace, placeOf } from './instrument.ts';
import type { Group, Scalar } from './levels.ts';
import { Attention, MarketState, PRINT_SLOW, QUOTE_SLOW, RARE } from './market-state.ts';
import { type Execution, FILL_MODELS, type FillModel, Matching } from './matching.ts';
import { budgetOf } from './money.ts';
import { alive, left, NO_PLACE, type Order } from './orders.ts';
import { type Desk, PlanRun, type Refusal, tickets } from './plan-run.ts';
import { EngineRefusal } from './refusal.ts';
import { Purse } from './risk.ts';
import type { Series, SeriesSource } from './series.ts';
import { firstRow, Marks } from './settlement.ts';
import { Timer, Timers } from './timers.ts';
import type { ClockNode, Held, Instant, Reader, Trigger, Within } from './triggers.ts';
import { Verticals } from './verticals.ts';
import { Moved, percentile, replay, sessionSums, Windows } from './windows.ts';

/** Semantics of this engine; a change of meaning is a new version. */
export const ENGINE_VERSION = 'kestrel-engine/1';

export interface EngineOptions {
  readonly tape: Tape;
  /** `strict-cross-v1` or `maker-v1`; a model itself where a bracket has one that no run may name. */
  readonly fill: string | FillModel;
  /** `none`, `us-equity-v1` or `us-options-v1`. */
  readonly fees?: string;
  /** One R in E4 of the currency. */
  readonly rE4: number;
  /** Budget of the whole session in 1e-4 R; absent: no limit beyond the plans'. */
  readonly sessionR?: number;
  readonly onFill?: (fill: { readonly plan: string; readonly execution: Execution; readonly t: number }) => void;
}

/** Why `runUntil` came back. */
export interface Stop {
  readonly why: 'time' | 'fill' | 'plan-end' | 'wake';
  /** Name of the wake and of the view it delivers. */
  readonly wake?: string;
  readonly deliver?: string;
  readonly t: number;
}

/** A WAKE in force. */
export interface WakeRun {
  readonly name: string;
  readonly view: string;
  readonly priority: number;
  /** null: no budget. */
  readonly perDay: number | null;
  left: number | null;
  readonly cooldownUs: number;
  lastAt: number;
  readonly trigger: Trigger;
}

/**
 * The groups of one symbol whose bounds the hot loop knows, and whether others want every change of what they read.
 */
interface Watch {
  /** Spot (or the last print), alone or against something that stands still between events that say so. */
  readonly spots: Group[];
  bid?: Group;
  ask?: Group;
  mid?: Group;
  spread?: Group;
  volume?: Group;
  /** Spot less VWAP. */
  vwap?: Group;
  everySpot: boolean;
  everyBook: boolean;
  everyVolume: boolean;
  /** Someone reads at every event, whatever it moves. */
  everyEvent: boolean;
  /** What the bounds rest on has changed outside an event of the symbol. */
  shifted: boolean;
}

const BOUNDED = new Set(['bid', 'ask', 'mid', 'spread', 'volume']);
/** Series that no print moves by its price alone, save one that is looked at in any case. */
const STANDING = new Set(['open', 'prior.close', 'HOD', 'LOD', 'ORH', 'ORL', 'ema', 'sma', 'atr']);

/** What one act of authoring begins, when its waiting time is over. */
class Authored {
  readonly plans: readonly PlanRun[];
  readonly wakes: readonly WakeRun[];
  constructor(plans: readonly PlanRun[], wakes: readonly WakeRun[]) {
    this.plans = plans;
    this.wakes = wakes;
  }
}

/** The plans that a stand-down takes back: those there were when it was said. */
class Standing {
  readonly plans: readonly PlanRun[];
  constructor(plans: readonly PlanRun[]) {
    this.plans = plans;
  }
}

const STOP_WAKE = 1;
const STOP_FILL = 2;
const STOP_END = 4;

const ALL_MOVED =
  Moved.spot | Moved.book | Moved.extremes | Moved.volume | Moved.window | Moved.bars | Moved.known | Moved.event;

export class Engine implements Desk, GroupHub {
  readonly tape: Tape;
  readonly market: MarketState;
  readonly model: FillModel;
  readonly schedule: FeeSchedule;
  readonly session: SessionClock;
  readonly rE4: number;
  readonly plans: PlanRun[] = [];
  readonly refusals: Refusal[] = [];
  readonly reader: Reader;
  readonly source: SeriesSource;
  readonly closeT: number;
  eventSlot = -1;
  /** Next row to process. */
  row = 0;
  fillCount = 0;
  orderCount = 0;
  closed = false;

  readonly #columns: Columns;
  readonly #matching: Matching;
  readonly #verticals: Verticals;
  /** The tape's contracts, as documents ask for them. */
  readonly chains: Chains;
  /** Plans that own options or stand beside them, by slot of what moves their worst and best. */
  readonly #holders: (PlanRun[] | undefined)[];
  readonly #timers = new Timers();
  readonly #instant: Instant;
  readonly #byName = new Map<string, PlanRun>();
  /** The budget of the session, used by every plan. */
  readonly sessionPurse: Purse;
  readonly #groups = new Map<string, Group>();
  readonly #watching: { readonly group: Group; readonly mask: number }[][];
  readonly #windows: (Windows | undefined)[];
  readonly #pending: Trigger[][];
  readonly #first: PlanRun[][];
  readonly #followers: PlanRun[][];
  readonly #following = new Map<PlanRun, Set<number>>();
  /** What each plan's orders followed when its lists were last made, to see whether they are the same still. */
  readonly #followed = new Map<PlanRun, readonly unknown[]>();
  /** Plans with orders that follow the `fair` of a chain. */
  readonly #fairFollowers = new Map<ChainPlace, Set<PlanRun>>();
  readonly #holding = new Map<PlanRun, Set<number>>();
  /** Extremes of spot since the last fill of anyone, by slot. */
  readonly #held: { on: boolean; high: number; low: number; readonly spots: Extremes }[];
  readonly #watch: Watch[];
  readonly #onFill: EngineOptions['onFill'];
  #touched: PlanRun[] = [];
  readonly #touchedWakes: Trigger[] = [];
  readonly #wakes = new Map<string, WakeRun>();
  #woke: WakeRun | undefined;
  #stopping = false;
  #stops = 0;
  #toArm: PlanRun[] = [];
  #podsMoved: PlanRun[] = [];
  #rung = 0;
  /** Events that were timers, so that a later look finds the row of any other. */
  readonly #rings: number[] = [];
  #armings = 0;
  #serial = 0;
  /** Row of the first event at or after the open, and after the close. */
  readonly #from: number;
  readonly #to: number;

  /** @throws EngineRefusal `bad-arg` on an unknown fill model or fee schedule, or an R that is not positive */
  constructor(options: EngineOptions) {
    const { tape } = options;
    const model = typeof options.fill === 'string' ? fillModel(options.fill) : options.fill;
    if (!Number.isSafeInteger(options.rE4) || options.rE4 <= 0) {
      throw new EngineRefusal('bad-arg', 'rUsd is a positive amount with at most 4 decimals', {
        expected: 'a positive number',
        got: String(options.rE4),
      });
    }
    this.tape = tape;
    this.model = model;
    this.schedule = feeSchedule(options.fees ?? 'none', tape.date);
    this.rE4 = options.rE4;
    this.market = new MarketState(tape);
    this.#columns = tape.columns;
    this.#onFill = options.onFill;
    this.sessionPurse = new Purse(
      options.sessionR === undefined ? Number.POSITIVE_INFINITY : budgetOf(options.sessionR, options.rE4),
    );
    this.#instant = { seq: -1, t: tape.session.open, timers: this.#timers };
    this.reader = { instant: this.#instant, mode: 'read', unknown: [] };
    this.#matching = new Matching(this.market, model, (x) => this.#filled(x));
    this.#verticals = new Verticals(this.market, model, (x) => this.#filled(x));
    this.chains = new Chains(tape, this.market, () => this.#instant.t);
    this.#holders = tape.instruments.map(() => undefined);
    const slots = tape.instruments.map((_, s) => s);
    this.#watching = slots.map(() => []);
    this.#windows = slots.map(() => undefined);
    this.#pending = slots.map(() => []);
    this.#first = slots.map(() => []);
    this.#followers = slots.map(() => []);
    this.#held = slots.map(() => ({ on: false, high: Number.NaN, low: Number.NaN, spots: new Extremes() }));
    this.#watch = slots.map(() => ({
      spots: [],
      everySpot: false,
      everyBook: false,
      everyVolume: false,
      everyEvent: false,
      shifted: true,
    }));
    this.#from = firstRow(tape.columns.t, tape.session.open);
    this.#to = firstRow(tape.columns.t, tape.session.close + 1);
    this.closeT = tape.session.close;
    this.session = {
      open: tape.session.open,
      close: tape.session.close,
      at: (clock) => {
        const at = localToUtc(tape.zone, { date: tape.date, h: clock.h, m: clock.m, s: clock.s ?? 0 });
        if (at.kind !== 'exact') {
          throw new EngineRefusal('K021', `${clock.h}:${clock.m} is no single instant on ${tape.date} in ${tape.zone}`);
        }
        return at.t;
      },
    };
    this.source = {
      tape,
      market: this.market,
      windows: (s) => this.#windowsOf(s),
      chains: this.chains,
      now: () => this.#instant.t,
    };
    this.#beforeOpen();
  }

  // -------------------------------------------------------------- authoring

  /**
   * Takes documents in at the instant the engine has reached. Their plans are armed now, or `afterUs` later; those
   * that some plan names in ARM stand dormant. A plan replaces one of its name that has not fired.
   *
   * @throws EngineRefusal when a document asks for what this engine does not do; nothing of any of them is taken then
   */
  author(documents: readonly KestrelDocument[], when: { readonly afterUs?: number } = {}): readonly PlanRun[] {
    const parts = outline(documents, this.rE4);
    for (const { plan } of parts.plans) {
      const there = this.#byName.get(plan.name);
      if (there !== undefined && there.firedAt !== null) {
        throw new EngineRefusal('K010', `plan ${plan.name}: a plan of that name has fired already`, { got: plan.name });
      }
    }
    const added = parts.plans.map(({ plan, using }) => this.#planRun(plan, using, parts));
    for (const run of added) {
      this.#byName.get(run.name)?.disarm('replaced');
      this.#byName.set(run.name, run);
      this.plans.push(run);
    }
    for (const run of added) this.#compile(run);
    const named = new Set<string>();
    for (const run of this.plans) for (const c of run.doc.clauses) if (c.kind === 'arm') named.add(c.plan);
    const wakes = parts.wakes.map(({ wake, using }) => this.#wakeRun(wake, using));
    const begin = new Authored(
      added.filter((run) => run.state === 'dormant' && !named.has(run.name)),
      wakes,
    );
    if (when.afterUs === undefined || when.afterUs === 0) this.#begin(begin);
    else {
      for (const run of begin.plans) run.arming = true;
      this.#timers.push({ t: this.#instant.t + when.afterUs, kind: Timer.arm, subject: begin, stamp: 0 });
    }
    this.#settle();
    return added;
  }

  /** Disarms what has not fired and pulls unfilled entries, now or `afterUs` later; positions go on being managed. */
  standDown(when: { readonly afterUs?: number } = {}): void {
    const standing = new Standing([...this.plans]);
    if (when.afterUs === undefined || when.afterUs === 0) this.#standDown(standing);
    else this.#timers.push({ t: this.#instant.t + when.afterUs, kind: Timer.standDown, subject: standing, stamp: 0 });
    this.#settle();
  }

  #standDown(standing: Standing): void {
    for (const run of standing.plans) run.standDown();
  }

  #begin(authored: Authored): void {
    for (const run of authored.plans) {
      run.arming = false;
      if (run.state === 'dormant') this.#arm(run);
    }
    for (const wake of authored.wakes) {
      this.#wakes.get(wake.name)?.trigger.stop();
      this.#wakes.set(wake.name, wake);
      wake.trigger.start(this.reader);
    }
  }

  #planRun(plan: Plan, using: Scope | undefined, parts: Outline): PlanRun {
    const { signal, exec } = slotsOf(this.tape, using, this.chains);
    if (plan.ttl.kind === 'clock') {
      const ttl = ttlOf(plan, this.#instant.t, this.session);
      if (ttl <= this.session.open || ttl > this.session.close) {
        throw new EngineRefusal('K021', `plan ${plan.name}: its ttl is not in the session`, {
          expected: 'a time after the open and not after the close',
        });
      }
    }
    const execName = using?.exec ?? (exec === undefined ? '' : this.market.symbols[exec]!);
    this.#admit(plan, { exec, execName });
    const purse = new Purse(budgetOf(plan.budget, this.rE4));
    const book = plan.book === undefined ? undefined : parts.books.get(plan.book);
    const purses = book === undefined ? [purse, this.sessionPurse] : [purse, book.purse, this.sessionPurse];
    return new PlanRun({
      doc: plan,
      signal: signal ?? -1,
      exec: exec ?? -1,
      execName,
      expiry: using?.expiry,
      purse,
      purses,
      book,
      rE4: this.rE4,
      desk: this,
    });
  }

  /** What a plan trades must be something that is traded, at fees that are known. @throws EngineRefusal */
  #admit(plan: Plan, { exec, execName }: { readonly exec: number | undefined; readonly execName: string }): void {
    for (const { instrument } of tickets(plan)) {
      if (instrument.kind === 'shares') {
        if (exec === undefined) continue;
        const kind = this.tape.instruments[exec]!.kind;
        if (kind === 'index' || this.market.symbols[exec] !== execName) {
          throw new EngineRefusal('not-supported', `plan ${plan.name}: ${execName} has no shares to trade`, {
            expected: 'options of it, or the shares of an equity',
            got: kind === 'index' ? 'an index' : 'a root of options',
          });
        }
        this.schedule.admit(this.chains.shares(exec).fee);
      } else this.schedule.admit({ kind: 'option', root: execName, right: instrument.right, multiplier: 100 });
    }
  }

  /** What the tape cannot feed is disarmed, with the reason. */
  #compile(run: PlanRun): void {
    if (run.signal < 0 || run.exec < 0) {
      run.disarm('series-unavailable');
      return;
    }
    try {
      compilePlan(run, this.#placeOf(run), this, this.chains);
      if (run.doc.regime !== undefined) this.#windowsOf(run.signal).minutes();
    } catch (e) {
      if (!(e instanceof Disarm)) throw e;
      run.disarm(e.why);
    }
  }

  #wakeRun(wake: Wake, using: Scope | undefined): WakeRun {
    const { signal } = slotsOf(this.tape, using, this.chains);
    if (signal === undefined) {
      throw new EngineRefusal('not-supported', `wake ${wake.name}: the symbol of its USING is not on this tape`);
    }
    const run: { trigger: Trigger | undefined } = { trigger: undefined };
    try {
      run.trigger = compileTrigger(
        wake.when,
        'rise',
        {
          ...this.#placeFor(signal),
          owner: { touched: (trigger) => this.#touchWake(trigger) },
          fact: undefined,
        },
        this,
      );
    } catch (e) {
      if (!(e instanceof Disarm)) throw e;
      throw new EngineRefusal('not-supported', `wake ${wake.name}: ${e.message}`);
    }
    return {
      name: wake.name,
      view: wake.deliver,
      priority: wake.priority ?? 0,
      perDay: wake.perDay ?? null,
      left: wake.perDay ?? null,
      cooldownUs: wake.cooldown === undefined ? 0 : durationUs(wake.cooldown),
      lastAt: Number.NEGATIVE_INFINITY,
      trigger: run.trigger,
    };
  }

  /** Wakes in force. */
  get wakes(): readonly WakeRun[] {
    return [...this.#wakes.values()];
  }

  /** The instant reached, microseconds. */
  get now(): number {
    return this.#instant.t;
  }

  #placeOf(run: PlanRun): TriggerPlace {
    return {
      ...this.#placeFor(run.signal),
      owner: { touched: (trigger) => this.#touch(trigger, run) },
      fact: (name) => run.fact(name),
    };
  }

  #placeFor(signal: number): Omit<TriggerPlace, 'owner' | 'fact'> {
    return {
      signal,
      slotOf: (symbol) => this.chains.slotOf(symbol),
      session: this.session,
      plan: (name) => {
        const p = this.#byName.get(name);
        return p === undefined ? undefined : { reached: p.reached, armedUntil: () => p.armedUntil, readers: p.readers };
      },
    };
  }

  #arm(run: PlanRun): void {
    run.armSeq = this.#armings++;
    run.arm();
  }

  // -------------------------------------------------------------- the day

  /** Runs tape and timers up to and at `t` (microseconds), at most to the close. */
  runTo(t: number): void {
    const until = Math.min(t, this.closeT);
    const end = until >= this.closeT ? this.#to : Math.max(this.#from, firstRow(this.#columns.t, until + 1));
    this.#rows(end);
    if (this.#stopNow()) return;
    this.#ringUpTo(until);
    if (this.#stopNow()) return;
    if (until > this.#instant.t) this.#instant.t = until;
  }

  /**
   * Runs to the end of the first event at which a plan trades, ends, or a wake comes, else to `t`.
   *
   * @returns the first that applies, in the order wake, fill, plan-end; `time` when `t` was reached
   */
  runUntil(t: number): Stop {
    this.#stopping = true;
    this.#stops = 0;
    this.#woke = undefined;
    this.runTo(t);
    this.#stopping = false;
    if (this.#stops === 0) return { why: 'time', t: this.#instant.t };
    const woke = this.#woke as WakeRun | undefined;
    if (woke !== undefined) return { why: 'wake', wake: woke.name, deliver: woke.view, t: this.#instant.t };
    return { why: (this.#stops & STOP_FILL) !== 0 ? 'fill' : 'plan-end', t: this.#instant.t };
  }

  #stopNow(): boolean {
    return this.#stopping && this.#stops !== 0;
  }

  /** Runs what is left of the session, then settles. */
  finish(): void {
    if (this.closed) return;
    this.runTo(this.closeT);
    this.#instant.t = this.closeT;
    this.#instant.seq = this.row + this.#rung++;
    this.closed = true;
    this.#settleAtClose();
  }

  #beforeOpen(): void {
    const { kind, flags, inst, a, b, c, d } = this.#columns;
    const m = this.market;
    for (let i = 0; i < this.#from; i++) {
      const s = inst[i]!;
      if (kind[i] === Kind.halt) {
        const on = (flags[i]! & Flag.on) !== 0;
        if ((m.halted[s] === 1) !== on) {
          m.halted[s] = on ? 1 : 0;
          m.quoteEvent[s] = -1;
          this.#haltContracts(s, i);
        }
      } else if (kind[i] === Kind.oquote) {
        if (m.halted[s] === 0 && (flags[i]! & Flag.suspect) === 0) m.quoteEvent[s] = i;
      } else if (kind[i] === Kind.quote && m.halted[s] === 0 && (flags[i]! & Flag.suspect) === 0) {
        m.quoteEvent[s] = i;
        m.hasQuotes[s] = 1;
        if (isGood(a[i]!, b[i]!, c[i]!, d[i]!)) m.lastMid[s] = m.mid(s);
      }
    }
    this.row = this.#from;
  }

  /** Contracts stand still as long as what they are written on does. */
  #haltContracts(underlying: number, row: number): void {
    const on = this.market.halted[underlying] === 1 ? 1 : 0;
    for (const s of this.chains.contractsOn(underlying)) this.market.haltContract(s, { row, on });
  }

  /** The hot loop. Nothing in it allocates; whatever needs more than a row noted goes to a slow path. */
  #rows(end: number): void {
    const columns = this.#columns;
    const T = columns.t;
    const kinds = columns.kind;
    const flags = columns.flags;
    const inst = columns.inst;
    const A = columns.a;
    const B = columns.b;
    const C = columns.c;
    const D = columns.d;
    const m = this.market;
    const attention = m.attention;
    const quoteEvents = m.quoteEvent;
    const spots = m.spot;
    const { spotLo, spotHi, printBuy, printSell, quoteBuy, quoteSell, windowNext, fairNext } = m;
    const windows = this.#windows;
    const timers = this.#timers;
    for (let i = this.row; i < end; i++) {
      const t = T[i]!;
      if (timers.next < t) {
        this.row = i;
        this.#ringBefore(t);
        if (this.#stopNow()) return;
      }
      const kind = kinds[i]!;
      if (kind === Kind.quote) {
        const s = inst[i]!;
        const att = attention[s]!;
        if ((att & RARE) === 0 && flags[i] === 0) {
          quoteEvents[s] = i;
          const bid = A[i]!;
          const ask = C[i]!;
          const moved = (att & Attention.watchBook) !== 0 && this.#bookMoves(s, bid, ask, B[i]! > 0 && D[i]! > 0);
          if (
            moved ||
            (att & QUOTE_SLOW) !== 0 ||
            ask < quoteBuy[s]! ||
            bid > quoteSell[s]! ||
            t >= windowNext[s]! ||
            t >= fairNext[s]!
          ) {
            this.row = i + 1;
            this.#quoteSlow(i, t, s, moved ? Moved.book : 0);
            if (this.#stops !== 0 && this.#stopNow()) return;
          }
          continue;
        }
      } else if (kind === Kind.oquote) {
        const s = inst[i]!;
        const att = attention[s]!;
        if ((att & Attention.special) !== 0 || flags[i] !== 0) continue;
        const before = quoteEvents[s]!;
        quoteEvents[s] = i;
        if (att !== 0 || C[i]! < quoteBuy[s]! || A[i]! > quoteSell[s]! || t >= fairNext[s]!) {
          this.row = i + 1;
          this.#contractQuoted(i, t, s, before);
          if (this.#stops !== 0 && this.#stopNow()) return;
        }
        continue;
      } else if (kind === Kind.trade) {
        const s = inst[i]!;
        const att = attention[s]!;
        if ((att & RARE) === 0 && flags[i] === 0) {
          const p = A[i]!;
          let moves = false;
          if ((att & Attention.watchVolume) !== 0) moves = this.#volumeMoves(s, p, B[i]!);
          if (
            moves ||
            (att & PRINT_SLOW) !== 0 ||
            (p !== spots[s]! && (p <= spotLo[s]! || p >= spotHi[s]!)) ||
            p < printBuy[s]! ||
            p > printSell[s]! ||
            t >= windowNext[s]! ||
            t >= fairNext[s]!
          ) {
            this.row = i + 1;
            this.#tradeSlow(i, t, s, p, B[i]!);
            if (this.#stops !== 0 && this.#stopNow()) return;
          } else {
            spots[s] = p;
            if ((att & Attention.windows) !== 0) windows[s]!.pass(i);
          }
          continue;
        }
      }
      this.row = i + 1;
      if (kind === Kind.otrade) this.#contractPrinted(i, t);
      else this.#rare(i, t);
      if (this.#stops !== 0 && this.#stopNow()) return;
    }
    if (this.row < end) this.row = end;
  }

  /** Whether a quote takes the book out of the intervals in which nothing anyone watches changes. */
  #bookMoves(s: number, bid: number, ask: number, sized: boolean): boolean {
    const m = this.market;
    if (!(sized && bid > 0 && ask > bid)) return m.bookGood[s] === 1;
    if (m.bookGood[s] === 0) return true;
    if (bid <= m.bidFrom[s]! || bid >= m.bidTo[s]! || ask <= m.askFrom[s]! || ask >= m.askTo[s]!) return true;
    const mid = Math.floor((bid + ask) / 2);
    const spread = ask - bid;
    return mid <= m.midFrom[s]! || mid >= m.midTo[s]! || spread <= m.spreadFrom[s]! || spread >= m.spreadTo[s]!;
  }

  /** Sums a print. @returns whether volume or VWAP reach something anyone watches */
  #volumeMoves(s: number, p: number, z: number): boolean {
    const m = this.market;
    if (z > 0) {
      m.volume[s] = m.volume[s]! + z;
      m.notional[s] = m.notional[s]! + p * z;
    }
    if (m.volume[s]! >= m.volumeTo[s]!) return true;
    const above = p - m.notional[s]! / m.volume[s]!;
    return above <= m.vwapFrom[s]! || above >= m.vwapTo[s]!;
  }

  #at(i: number, t: number, s: number): void {
    this.#instant.seq = i + this.#rung;
    this.#instant.t = t;
    this.eventSlot = s;
  }

  #quoteSlow(i: number, t: number, s: number, moved: number): void {
    this.#at(i, t, s);
    this.#quoted(i, s);
    this.#after(s, t, moved | Moved.event | this.#carry(s));
  }

  #contractQuoted(i: number, t: number, s: number, before: number): void {
    this.#at(i, t, s);
    const m = this.market;
    this.#quoted(i, s);
    const att = m.attention[s]!;
    const good = m.good(s);
    if (good && (att & Attention.legs) !== 0) this.#verticals.quote(s);
    if (t >= m.fairNext[s]!) this.#followFair(s, t);
    if (this.#podsMoved.length > 0) this.#haltPods();
    if ((att & Attention.pegs) !== 0) this.#lookAtFollowers(s, this.#samePrices(i, before) ? 'unsent' : 'all');
    if (good && (att & Attention.held) !== 0) this.#noteMarks(i, s);
    if (this.#touched.length > 0 || this.#toArm.length > 0 || this.#touchedWakes.length > 0) this.#settle();
  }

  /** Whether two quotes of a contract price everything alike: of sizes nothing but fills takes notice. */
  #samePrices(i: number, before: number): boolean {
    if (before < 0) return false;
    const { a, c } = this.#columns;
    const m = this.market;
    return a[i] === a[before] && c[i] === c[before] && m.goodRow(i) === m.goodRow(before);
  }

  /** A good quote of a contract that some plan owns: its mid may be another. */
  #noteMarks(i: number, s: number): void {
    const { a, c } = this.#columns;
    const { goodQuote } = this.market;
    const before = goodQuote[s]!;
    goodQuote[s] = i;
    if (before >= 0 && a[i]! + c[i]! === a[before]! + c[before]!) return;
    for (const plan of this.#holders[s] ?? []) plan.noteMarks();
  }

  /** Prints of contracts fill, and set `last`. */
  #contractPrinted(i: number, t: number): void {
    const { inst, flags, a, b } = this.#columns;
    const s = inst[i]!;
    const m = this.market;
    const att = m.attention[s]!;
    if ((att & Attention.special) !== 0 || flags[i] !== 0) return;
    const p = a[i]!;
    m.hasTrades[s] = 1;
    m.spot[s] = p;
    const meets = b[i]! > 0 && (p < m.printBuy[s]! || p > m.printSell[s]!);
    if (!meets && (att & Attention.pegs) === 0) return;
    this.#at(i, t, s);
    if (meets) this.#printed(i, s, p, b[i]!);
    if (this.#podsMoved.length > 0) this.#haltPods();
    if ((att & Attention.pegs) !== 0) this.#lookAtFollowers(s, 'all');
    if (this.#touched.length > 0 || this.#toArm.length > 0 || this.#touchedWakes.length > 0) this.#settle();
  }

  /** Resting orders against a new quote. */
  #quoted(i: number, s: number): void {
    const m = this.market;
    const { a, c } = this.#columns;
    if (c[i]! < m.quoteBuy[s]! || a[i]! > m.quoteSell[s]!) if (m.good(s)) this.#matching.quote(s, i);
  }

  #tradeSlow(i: number, t: number, s: number, p: number, z: number): void {
    this.#at(i, t, s);
    const m = this.market;
    let moved = Moved.event | this.#carry(s);
    if (p !== m.spot[s]) {
      moved |= Moved.spot;
      m.spot[s] = p;
      this.#extreme(s, p, p);
    }
    const att = m.attention[s]!;
    if ((att & Attention.watchVolume) !== 0) moved |= Moved.volume;
    if (z > 0) this.#printed(i, s, p, z);
    if ((att & Attention.windows) !== 0) moved |= this.#windows[s]!.print(t, p, Math.max(0, z));
    this.#after(s, t, moved);
  }

  #printed(i: number, s: number, p: number, z: number): void {
    const m = this.market;
    if (p < m.printBuy[s]! || p > m.printSell[s]!) this.#matching.print(s, i, p, z);
  }

  /** A new extreme of the day, or of what some plan has owned since its last fill. */
  #extreme(s: number, high: number, low: number): void {
    const m = this.market;
    if (!(high <= m.high[s]!)) {
      m.high[s] = high;
      m.attention[s] = m.attention[s]! | Attention.carry;
    }
    if (!(low >= m.low[s]!)) {
      m.low[s] = low;
      m.attention[s] = m.attention[s]! | Attention.carry;
    }
    const held = this.#held[s]!;
    if (held.on) {
      if (!(high <= held.high)) {
        held.high = high;
        held.spots.note(this.#instant.seq, high);
      }
      if (!(low >= held.low)) {
        held.low = low;
        held.spots.note(this.#instant.seq, low);
      }
    }
  }

  /** HOD and LOD take in the last observation. @returns what moved */
  #carry(s: number): number {
    const m = this.market;
    if ((m.attention[s]! & Attention.carry) === 0) return 0;
    m.attention[s] = m.attention[s]! & ~Attention.carry;
    m.hod[s] = m.high[s]!;
    m.lod[s] = m.low[s]!;
    return Moved.extremes;
  }

  /** Says anew within what bounds the hot loop may pass over events of the symbol, where those have moved. */
  #quiet(s: number, moved: number): void {
    const m = this.market;
    const watch = this.#watch[s]!;
    const all = watch.shifted;
    watch.shifted = false;
    const att = m.attention[s]!;
    if ((att & Attention.windows) !== 0) {
      const windows = this.#windows[s]!;
      windows.quiet();
      m.windowNext[s] = windows.next;
      this.#attendIf(s, Attention.everyPrint, windows.wantsPrint || watch.everyEvent);
    }
    this.#quietSpot(s, watch);
    if ((att & Attention.watchBook) !== 0 && (all || (moved & (Moved.book | Moved.known)) !== 0)) {
      this.#quietBook(s, watch);
    }
    if ((att & Attention.watchVolume) !== 0) {
      m.volumeTo[s] = watch.everyVolume
        ? Number.NEGATIVE_INFINITY
        : (watch.volume?.quietAbove ?? Number.POSITIVE_INFINITY);
      m.vwapFrom[s] = watch.vwap?.quietFrom ?? Number.NEGATIVE_INFINITY;
      m.vwapTo[s] = watch.vwap?.quietTo ?? Number.POSITIVE_INFINITY;
    }
  }

  #quietSpot(s: number, watch: Watch): void {
    const m = this.market;
    let lo = m.low[s]!;
    let hi = m.high[s]!;
    const held = this.#held[s]!;
    if (held.on) {
      lo = Math.max(lo, held.low);
      hi = Math.min(hi, held.high);
    }
    // Prices are whole numbers: an extreme that is reached again is none.
    lo -= 0.5;
    hi += 0.5;
    const { spots } = watch;
    for (let k = 0; k < spots.length; k++) {
      lo = Math.max(lo, spots[k]!.quietFromOfA);
      hi = Math.min(hi, spots[k]!.quietToOfA);
    }
    const windows = this.#windows[s];
    if (windows !== undefined) {
      lo = Math.max(lo, windows.spotFrom);
      hi = Math.min(hi, windows.spotTo);
    }
    if (watch.everySpot || !(lo <= hi)) {
      lo = Number.POSITIVE_INFINITY;
      hi = Number.NEGATIVE_INFINITY;
    }
    m.spotLo[s] = lo;
    m.spotHi[s] = hi;
  }

  #quietBook(s: number, watch: Watch): void {
    const m = this.market;
    const good = m.good(s);
    m.bookGood[s] = good ? 1 : 0;
    if (watch.everyBook) {
      m.bidFrom[s] = Number.POSITIVE_INFINITY;
      return;
    }
    m.bidFrom[s] = watch.bid?.quietFrom ?? Number.NEGATIVE_INFINITY;
    m.bidTo[s] = watch.bid?.quietTo ?? Number.POSITIVE_INFINITY;
    m.askFrom[s] = watch.ask?.quietFrom ?? Number.NEGATIVE_INFINITY;
    m.askTo[s] = watch.ask?.quietTo ?? Number.POSITIVE_INFINITY;
    m.midFrom[s] = watch.mid?.quietFrom ?? Number.NEGATIVE_INFINITY;
    m.midTo[s] = watch.mid?.quietTo ?? Number.POSITIVE_INFINITY;
    m.spreadFrom[s] = watch.spread?.quietFrom ?? Number.NEGATIVE_INFINITY;
    m.spreadTo[s] = watch.spread?.quietTo ?? Number.POSITIVE_INFINITY;
  }

  /** Steps 3 to 6 of an event of symbol `s`. */
  #after(s: number, t: number, moved: number): void {
    const m = this.market;
    let dirty = moved;
    const att = m.attention[s]!;
    if ((att & Attention.windows) !== 0 && (moved & Moved.halt) === 0) {
      dirty |= this.#windows[s]!.advance(t);
    }
    if (this.#podsMoved.length > 0) this.#haltPods();
    if (dirty !== 0) this.#refresh(s, dirty);
    if ((att & Attention.held) !== 0) for (const plan of this.#holders[s] ?? []) plan.noteMarks();
    if ((att & (Attention.pending | Attention.firstEvent | Attention.pegs)) !== 0) this.#wakePlans(s, att);
    if (t >= m.fairNext[s]!) this.#followFair(s, t);
    if (this.#touched.length > 0 || this.#toArm.length > 0 || this.#touchedWakes.length > 0) this.#settle();
    this.#quiet(s, dirty);
  }

  #refresh(s: number, moved: number): void {
    const list = this.#watching[s]!;
    const { seq } = this.#instant;
    for (let k = 0; k < list.length; k++) {
      const w = list[k]!;
      if ((w.mask & moved) !== 0) w.group.refresh(seq);
    }
  }

  #wakePlans(s: number, att: number): void {
    const attention = this.market.attention;
    if ((att & Attention.pending) !== 0) {
      const list = this.#pending[s]!;
      this.#pending[s] = [];
      attention[s] = attention[s]! & ~Attention.pending;
      const { seq } = this.#instant;
      for (const trigger of list) {
        trigger.touched();
        // What was asked for in this very event is owed at the next.
        if (trigger.owedFrom === seq && trigger.active) this.readNext(trigger);
      }
    }
    if ((att & Attention.firstEvent) !== 0) {
      const list = this.#first[s]!;
      this.#first[s] = [];
      attention[s] = attention[s]! & ~Attention.firstEvent;
      for (const plan of list) {
        plan.sawEvent();
        this.#touchPlan(plan);
      }
    }
    if ((att & Attention.pegs) !== 0) this.#lookAtFollowers(s, 'all');
  }

  /** @param which all that follow the slot, or only those that could not send what they wanted */
  #lookAtFollowers(s: number, which: 'all' | 'unsent'): void {
    for (const plan of this.#followers[s]!) if (which === 'all' || plan.unsent) this.#look(plan);
  }

  /** First events, halts, bars, prices before the first print, suspicious prints: everything off the hot path. */
  #rare(i: number, t: number): void {
    const { kind, flags, inst, a, b, bars } = this.#columns;
    const s = inst[i]!;
    if (s < 0) return;
    const m = this.market;
    const k = kind[i]!;
    if (k !== Kind.halt && (flags[i]! & Flag.suspect) !== 0) return;
    if (k !== Kind.quote && k !== Kind.trade && k !== Kind.bar && k !== Kind.halt && k !== Kind.close) return;
    const turnsOn = k === Kind.halt && (flags[i]! & Flag.on) !== 0;
    if (m.halted[s] === 1 && !(k === Kind.halt && !turnsOn)) return;
    this.#at(i, t, s);
    let moved: number = Moved.event;
    // A halt's end shows nothing new: series stand as they were, UNKNOWN before a first event.
    if (m.seen[s] === 0 && k !== Kind.halt) {
      m.seen[s] = 1;
      moved = ALL_MOVED;
      if (!Number.isNaN(m.lastMid[s]!)) m.spot[s] = m.lastMid[s]!;
    }
    if (k !== Kind.halt) moved |= this.#carry(s);
    const windows = this.#windows[s];
    switch (k) {
      case Kind.halt:
        windows?.settle();
        if (turnsOn || m.halted[s] === 1) {
          m.halted[s] = turnsOn ? 1 : 0;
          m.quoteEvent[s] = -1;
          this.#haltContracts(s, i);
        }
        moved = ALL_MOVED | Moved.halt;
        break;
      case Kind.quote: {
        m.quoteEvent[s] = i;
        m.hasQuotes[s] = 1;
        moved |= Moved.book;
        if (m.good(s)) {
          this.#quoted(i, s);
          if (m.hasTrades[s] === 0) {
            const mid = m.mid(s);
            m.lastMid[s] = mid;
            moved |= this.#observe(s, { spot: mid, high: mid, low: mid });
            moved |= windows?.observe(t, mid) ?? 0;
          }
        }
        break;
      }
      case Kind.trade: {
        const p = a[i]!;
        const z = Math.max(0, b[i]!);
        m.hasTrades[s] = 1;
        if (Number.isNaN(m.open[s]!)) m.open[s] = p;
        // The first print makes `last` known even where it does not move spot.
        moved |= Moved.spot;
        m.volume[s] = m.volume[s]! + z;
        m.notional[s] = m.notional[s]! + p * z;
        moved |= Moved.volume | this.#observe(s, { spot: p, high: p, low: p });
        if (z > 0) this.#printed(i, s, p, z);
        moved |= windows?.print(t, p, z) ?? 0;
        break;
      }
      case Kind.bar: {
        const row = a[i]!;
        const bar = {
          start: t - bars.d[row]!,
          end: t,
          o: bars.o[row]!,
          h: bars.h[row]!,
          l: bars.l[row]!,
          c: bars.c[row]!,
          z: Math.max(0, bars.z[row]!),
        };
        if (m.hasTrades[s] === 0) {
          if (Number.isNaN(m.open[s]!)) m.open[s] = bar.o;
          m.lastBar[s] = bar.c;
          m.volume[s] = m.volume[s]! + bar.z;
          m.notional[s] = m.notional[s]! + ((bar.h + bar.l + bar.c) / 3) * bar.z;
          moved |= Moved.volume | Moved.spot | this.#observe(s, { spot: bar.c, high: bar.h, low: bar.l });
          moved |= windows?.bar(t, bars.d[row]!, bar.o, bar.h, bar.l, bar.c, bar.z) ?? 0;
        }
        if (m.hasQuotes[s] === 0 && m.hasTrades[s] === 0) {
          // Whether an EXIT reads TRUE on this bar decides what its TPs may do, so series come first here.
          this.#refresh(s, moved);
          this.#matching.bar(s, i, bar);
        }
        break;
      }
      case Kind.close:
        break;
    }
    this.#attend(s);
    this.#after(s, t, moved);
  }

  /** Spot is set. @returns what moved */
  #observe(s: number, seen: { readonly spot: number; readonly high: number; readonly low: number }): number {
    const m = this.market;
    const moved = m.spot[s] === seen.spot ? 0 : Moved.spot;
    m.spot[s] = seen.spot;
    this.#extreme(s, seen.high, seen.low);
    return moved;
  }

  /** Which events of the symbol still need the rare path. */
  #attend(s: number): void {
    const m = this.market;
    let att = m.attention[s]! & ~(Attention.special | Attention.quotesSetSpot);
    if (m.halted[s] === 1 || m.seen[s] === 0) att |= Attention.special;
    if (m.hasTrades[s] === 0) att |= Attention.quotesSetSpot;
    m.attention[s] = att;
  }

  /** Time of the tape event that was number `seq`. */
  timeOf(seq: number): number {
    let lo = 0;
    let hi = this.#rings.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (this.#rings[mid]! < seq) lo = mid + 1;
      else hi = mid;
    }
    return this.#columns.t[seq - lo] ?? this.closeT;
  }

  // -------------------------------------------------------------- timers

  #ringBefore(t: number): void {
    while (this.#timers.next < t && !this.#stopNow()) this.#ring();
  }

  #ringUpTo(t: number): void {
    while (this.#timers.next <= t && !this.#stopNow()) this.#ring();
  }

  #ring(): void {
    const timers = this.#timers;
    timers.pop();
    const { kind, subject, stamp, time } = timers;
    if (kind === Timer.edge) {
      // Tape events of this instant come next: whoever reads the clock there is read, though nothing else moved.
      const trigger = (subject as ClockNode).edge(stamp);
      if (trigger !== undefined) this.readNext(trigger as Trigger);
      return;
    }
    this.#instant.seq = this.row + this.#rung++;
    this.#rings.push(this.#instant.seq);
    this.#instant.t = time;
    this.eventSlot = -1;
    switch (kind) {
      case Timer.ttl: {
        const plan = subject as PlanRun;
        if (plan.state !== 'done' && plan.ttlAt === time) plan.ttl();
        break;
      }
      case Timer.clock:
        (subject as ClockNode).ring(stamp);
        break;
      case Timer.held:
        (subject as Held).ring(stamp);
        break;
      case Timer.within:
        (subject as Within).ring(stamp);
        break;
      case Timer.arrive: {
        const order = subject as Order;
        if (order.state !== 'in-flight') break;
        this.#arrive(order, time);
        break;
      }
      case Timer.replace:
        this.#replaced(subject as Order, stamp, time);
        break;
      case Timer.esc: {
        const order = subject as Order;
        (order.owner as PlanRun).escalate(order, stamp);
        break;
      }
      case Timer.arm:
        this.#begin(subject as Authored);
        break;
      case Timer.standDown:
        this.#standDown(subject as Standing);
        break;
    }
    if (this.#podsMoved.length > 0) this.#haltPods();
    if (this.#touched.length > 0 || this.#toArm.length > 0 || this.#touchedWakes.length > 0) this.#settle();
  }

  #arrive(order: Order, t: number): void {
    if (order.holding.instrument.kind === 'vertical') this.#verticals.arrive(order, t);
    else this.#matching.arrive(order, t);
  }

  #lift(order: Order): void {
    if (order.holding.instrument.kind === 'vertical') this.#verticals.lift(order);
    else this.#matching.lift(order);
  }

  #replaced(order: Order, stamp: number, t: number): void {
    const to = order.next;
    if (to === undefined || order.stamp !== stamp || !alive(order)) return;
    order.next = undefined;
    const plan = order.owner as PlanRun;
    const loses = to.limitE4 !== order.limitE4 || to.qty > order.qty;
    if (order.state === 'in-flight') {
      order.limitE4 = to.limitE4;
      order.qty = to.qty;
    } else if (loses) {
      this.#lift(order);
      order.limitE4 = to.limitE4;
      order.qty = to.qty;
      if (left(order) > 0) this.#arrive(order, t);
      else order.state = 'filled';
    } else {
      order.qty = to.qty;
      if (left(order) <= 0) {
        order.state = 'filled';
        this.#lift(order);
      }
    }
    if (order.role === 'entry') {
      this.reserve(order, alive(order) ? plan.stakeE4(order.holding, left(order), order.limitE4) : 0);
    }
    plan.reprice(order);
  }

  // -------------------------------------------------------------- steps 4 to 6

  #touch(trigger: Trigger, plan: PlanRun): void {
    trigger.touchedAt = this.#instant.seq;
    this.#touchPlan(plan);
  }

  #touchPlan(plan: PlanRun): void {
    if (plan.touchedAt === this.#instant.seq) return;
    plan.touchedAt = this.#instant.seq;
    this.#touched.push(plan);
  }

  #settle(): void {
    const plans = this.#touched;
    if (plans.length > 1) plans.sort(byRank);
    for (let k = 0; k < plans.length; k++) plans[k]!.read();
    for (let k = 0; k < plans.length; k++) plans[k]!.act();
    plans.length = 0;
    // Arming comes last: what it reads silently is the end of this event.
    while (this.#toArm.length > 0) {
      const run = this.#toArm.shift()!;
      if (run.state !== 'dormant') continue;
      this.#arm(run);
    }
    if (this.#touchedWakes.length > 0) this.#readWakes();
  }

  /** Step 6: wakes are edge-triggered, and keep to their cooldown and budget. */
  #readWakes(): void {
    const { seq, t } = this.#instant;
    for (const wake of this.#wakes.values()) {
      if (wake.trigger.touchedAt !== seq || wake.trigger.read(this.reader) !== 'rise') continue;
      if (wake.left === 0 || t < wake.lastAt + wake.cooldownUs) continue;
      wake.lastAt = t;
      if (wake.left !== null) wake.left--;
      if (this.#woke === undefined || wake.priority > this.#woke.priority) this.#woke = wake;
      this.#stops |= STOP_WAKE;
    }
    this.#touchedWakes.length = 0;
  }

  #touchWake(trigger: Trigger): void {
    trigger.touchedAt = this.#instant.seq;
    this.#touchedWakes.push(trigger);
  }

  // -------------------------------------------------------------- the desk

  readNext(trigger: Trigger): void {
    trigger.owedFrom = this.#instant.seq;
    for (const s of trigger.slots) {
      this.#pending[s]!.push(trigger);
      this.market.attention[s] = this.market.attention[s]! | Attention.pending;
    }
  }

  firstEvent(plan: PlanRun): void {
    for (const s of new Set([plan.signal, plan.exec])) {
      this.#first[s]!.push(plan);
      this.market.attention[s] = this.market.attention[s]! | Attention.firstEvent;
    }
  }

  order(spec: Parameters<Desk['order']>[0]): Order {
    const { t } = this.#instant;
    const order: Order = {
      id: ++this.orderCount,
      owner: spec.owner,
      clause: spec.clause,
      role: spec.role,
      side: spec.side,
      holding: spec.holding,
      slot: spec.holding.instrument.id,
      createdAt: t,
      price: spec.price,
      step: 0,
      unpriced: false,
      qty: spec.qty,
      filled: 0,
      limitE4: spec.limitE4,
      arrivedAt: null,
      standsFrom: t,
      state: 'in-flight',
      arrival: 0,
      waiting: true,
      queue: NO_PLACE,
      next: undefined,
      reservedE4: 0,
      stamp: 0,
    };
    spec.owner.placed(order);
    this.reserve(order, spec.reservedE4);
    const latency = this.#latency(order);
    if (latency === 0) this.#arrive(order, t);
    else this.#timers.push({ t: t + latency, kind: Timer.arrive, subject: order, stamp: 0 });
    const after = spec.price?.compiled.escAfterUs ?? [];
    for (let k = 0; k < after.length; k++) {
      this.#timers.push({ t: t + after[k]!, kind: Timer.esc, subject: order, stamp: k + 1 });
    }
    return order;
  }

  /** Bars alone know no instant inside themselves: an order waits for the first bar that starts after it. */
  #latency({ slot: s, holding }: Order): number {
    if (holding.instrument.kind !== 'shares') return this.model.latencyUs;
    const m = this.market;
    return m.hasQuotes[s] === 0 && m.hasTrades[s] === 0 ? 0 : this.model.latencyUs;
  }

  pull(order: Order): void {
    if (!alive(order)) return;
    const stood = order.state === 'resting';
    if (stood) this.#lift(order);
    order.state = 'pulled';
    order.next = undefined;
    order.stamp++;
    this.reserve(order, 0);
  }

  replace(order: Order, to: { readonly limitE4: number; readonly qty: number }): void {
    order.next = to;
    order.stamp++;
    const { t } = this.#instant;
    const latency = this.#latency(order);
    if (latency === 0) this.#replaced(order, order.stamp, t);
    else this.#timers.push({ t: t + latency, kind: Timer.replace, subject: order, stamp: order.stamp });
  }

  reserve(order: Order, amountE4: number): void {
    const more = amountE4 - order.reservedE4;
    if (more === 0) return;
    order.reservedE4 = amountE4;
    for (const purse of (order.owner as PlanRun).purses) purse.entriesE4 += more;
  }

  refuse(refusal: Omit<Refusal, 't'>): void {
    this.refusals.push({ t: this.#instant.t, ...refusal });
  }

  ttlTimer(plan: PlanRun): void {
    const at = ttlOf(plan.doc, this.#instant.t, this.session);
    plan.ttlAt = Math.max(at, this.#instant.t);
    this.#timers.push({ t: plan.ttlAt, kind: Timer.ttl, subject: plan, stamp: 0 });
  }

  fees({ instrument, side, qty, priceE4, legs }: Parameters<Desk['fees']>[0]): readonly FeeLine[] {
    if (instrument.kind !== 'vertical') {
      return this.schedule.of({ side, qty, priceE4, instrument: instrument.fee });
    }
    // Before it fills, a vertical's legs have no prices of their own: the whole of it is the long one's.
    const [longE4, shortE4] = legs ?? [priceE4, 0];
    const other = side === 'buy' ? 'sell' : 'buy';
    const { long, short } = instrument.fees;
    return summed([
      ...this.schedule.of({ side, qty, priceE4: longE4, instrument: long, legs: 2 }),
      ...this.schedule.of({ side: other, qty, priceE4: shortE4, instrument: short, legs: 2 }),
    ]);
  }

  feesE4({ instrument, side, qty, priceE4 }: Parameters<Desk['feesE4']>[0]): number {
    if (instrument.kind !== 'vertical') {
      return totalE4(this.schedule.of({ side, qty, priceE4, instrument: instrument.fee }));
    }
    const other = side === 'buy' ? 'sell' : 'buy';
    const { long, short } = instrument.fees;
    return (
      totalE4(this.schedule.of({ side, qty, priceE4, instrument: long, legs: 2 })) +
      totalE4(this.schedule.of({ side: other, qty, priceE4: 0, instrument: short, legs: 2 }))
    );
  }

  regime(plan: PlanRun): 'open' | 'shut' {
    const windows = this.#windowsOf(plan.signal);
    for (const tag of plan.doc.regime ?? []) {
      const now = tag.key === 'vol' ? this.#volatility(plan.signal, windows) : intraday(windows.efficiency());
      if (now !== tag.value) return 'shut';
    }
    return 'open';
  }

  #volatility(s: number, windows: Windows): string | undefined {
    const table = this.tape.reference[this.market.symbols[s]!]?.distributions['rv(30m)'];
    const low = percentile(table, 25);
    const high = percentile(table, 75);
    const now = windows.realisedVolatility(30 * 60_000_000);
    if (low === undefined || high === undefined || Number.isNaN(now)) return undefined;
    return now < low ? 'calm' : now > high ? 'stress' : 'normal';
  }

  arm(name: string, by: PlanRun): void {
    const run = this.#byName.get(name);
    if (run === undefined || run.state !== 'dormant' || this.closed || this.#toArm.includes(run)) return;
    by.events.push({ t: this.#instant.t, kind: 'armed-other', detail: name });
    this.#toArm.push(run);
  }

  follow(plan: PlanRun): void {
    if (plan.tradesOptions) {
      this.#followOptions(plan);
      return;
    }
    const list = this.#followers[plan.exec]!;
    const at = list.indexOf(plan);
    const wants = plan.follows();
    if (wants && at < 0) list.push(plan);
    else if (!wants && at >= 0) list.splice(at, 1);
    else return;
    this.#attendIf(plan.exec, Attention.pegs, list.length > 0);
  }

  #attendIf(s: number, bit: number, on: boolean): void {
    const { attention } = this.market;
    attention[s] = on ? attention[s]! | bit : attention[s]! & ~bit;
  }

  /** Slots whose events the plan's orders follow: both legs, and the underlying; for `fair` the chain, by the second. */
  #followOptions(plan: PlanRun): void {
    const followed = plan.followed();
    if (sameItems(followed, this.#followed.get(plan))) return;
    this.#followed.set(plan, followed);
    const wanted = new Set<number>();
    const chains = new Set<ChainPlace>();
    for (const { compiled: price, source } of followed) {
      const { instrument } = source;
      for (const s of instrument.slots) wanted.add(s);
      if (instrument.kind === 'shares') continue;
      if (price.readsSpot && instrument.underlying >= 0) wanted.add(instrument.underlying);
      if (price.readsFair) chains.add(placeOf(instrument));
    }
    this.#enlist(this.#following, plan, { wanted, lists: this.#followers, bit: Attention.pegs });
    for (const [chain, plans] of this.#fairFollowers) if (!chains.has(chain)) plans.delete(plan);
    for (const chain of chains) {
      let plans = this.#fairFollowers.get(chain);
      if (plans === undefined) {
        plans = new Set();
        this.#fairFollowers.set(chain, plans);
      }
      if (plans.size === 0) this.#fairDue(chain, Number.NEGATIVE_INFINITY);
      plans.add(plan);
    }
  }

  /** From when on an event of a chain, or of what it is written on, may move `fair`. */
  #fairDue(chain: ChainPlace, t: number): void {
    const { fairNext } = this.market;
    for (const s of chain.slots) fairNext[s] = t;
    if (chain.underlying < 0) return;
    let next = t;
    for (const [other, plans] of this.#fairFollowers) {
      if (other === chain || plans.size === 0 || other.underlying !== chain.underlying) continue;
      next = Math.min(next, fairNext[other.slots[0]!]!);
    }
    fairNext[chain.underlying] = next;
  }

  /** A second of market time has begun for the fits that orders follow: their prices are looked at. */
  #followFair(s: number, t: number): void {
    for (const [chain, plans] of this.#fairFollowers) {
      if (chain.underlying !== s && !chain.slots.includes(s)) continue;
      if (t < this.market.fairNext[chain.slots[0]!]!) continue;
      for (const plan of plans) this.#look(plan);
      this.#fairDue(chain, plans.size === 0 ? Number.POSITIVE_INFINITY : (Math.floor(t / SECOND) + 1) * SECOND);
    }
  }

  #look(plan: PlanRun): void {
    if (!plan.wouldFollow()) return;
    plan.wantsRepeg();
    this.#touchPlan(plan);
  }

  hold(plan: PlanRun): void {
    const wanted = new Set<number>();
    for (const { instrument, qty } of plan.holdings) {
      if (qty === 0) continue;
      for (const s of instrument.slots) {
        wanted.add(s);
        if (instrument.kind !== 'shares' && this.market.goodQuote[s]! < this.market.quoteEvent[s]!) {
          this.market.seekGood(s);
        }
      }
    }
    this.#enlist(this.#holding, plan, { wanted, lists: this.#holders, bit: Attention.held });
  }

  /** Puts a plan on the lists of the slots it wants, and off the others. */
  #enlist(
    now: Map<PlanRun, Set<number>>,
    plan: PlanRun,
    {
      wanted,
      lists,
      bit,
    }: { readonly wanted: Set<number>; readonly lists: (PlanRun[] | undefined)[]; readonly bit: number },
  ): void {
    for (const s of now.get(plan) ?? []) {
      if (wanted.has(s)) continue;
      const list = lists[s]!;
      list.splice(list.indexOf(plan), 1);
      this.#attendIf(s, bit, list.length > 0);
    }
    for (const s of wanted) {
      if (now.get(plan)?.has(s)) continue;
      lists[s] ??= [];
      lists[s].push(plan);
      this.#attendIf(s, bit, true);
    }
    if (wanted.size > 0) now.set(plan, wanted);
    else now.delete(plan);
  }

  cancelTrigger(plan: PlanRun, order: Order): Trigger[] {
    const texts = order.price?.compiled.cancelIf ?? [];
    return texts.map((text) => compileTrigger(text, 'level', this.#placeOf(plan), this));
  }

  spot(s: number): number {
    return this.market.spot[s]!;
  }

  highSince(s: number, seq: number): number | undefined {
    return this.#held[s]!.spots.highSince(seq)?.value;
  }

  lowSince(s: number, seq: number): number | undefined {
    return this.#held[s]!.spots.lowSince(seq)?.value;
  }

  ended(): void {
    this.#stops |= STOP_END;
  }

  podMoved(plan: PlanRun): void {
    const pod = plan.book!.pod;
    if (!pod.halted && -pod.netE4 >= pod.dayLossE4) this.#podsMoved.push(plan);
  }

  /** After matching, so that no list is changed while it is walked. */
  #haltPods(): void {
    for (const plan of this.#podsMoved) {
      const pod = plan.book!.pod;
      pod.halted = true;
      for (const p of this.plans) if (p.book?.pod === pod) p.haltEntries();
    }
    this.#podsMoved = [];
  }

  #filled(execution: Execution): void {
    const plan = execution.order.owner as PlanRun;
    const { kind } = execution.order.holding.instrument;
    const s = execution.order.slot;
    plan.filled(execution, ++this.fillCount);
    this.#stops |= STOP_FILL;
    if (kind === 'shares' && !plan.tradesOptions) this.#anew(s);
    this.#touchPlan(plan);
    this.#onFill?.({ plan: plan.name, execution, t: this.#instant.t });
  }

  /** Excursions count from each fill: extremes of spot begin anew. */
  #anew(s: number): void {
    const held = this.#held[s]!;
    held.on = true;
    held.high = Number.NaN;
    held.low = Number.NaN;
    this.#unquiet(s);
  }

  // -------------------------------------------------------------- series

  group(key: string, reads: readonly Series[], make: () => Group): Group {
    let group = this.#groups.get(key);
    if (group !== undefined) {
      // Between its levels it may have moved unseen, and a new one is set against what it is now.
      group.refresh(this.#instant.seq);
      return group;
    }
    group = make();
    this.#groups.set(key, group);
    const masks = new Map<number, number>();
    for (const series of reads) masks.set(series.slot, (masks.get(series.slot) ?? 0) | series.moves);
    const only = group.scalar.kind === 'single' ? group : undefined;
    for (const { slot, cell } of reads) this.#windows[slot]?.readBy(cell, only);
    for (const [s, mask] of masks) {
      this.#watching[s]!.push({ group, mask });
      const watch = this.#watch[s]!;
      const { scalar } = group;
      group.onShift = () => this.#unquiet(s);
      if (scalar.kind === 'single' && BOUNDED.has(scalar.a.name)) {
        watch[scalar.a.name as 'bid' | 'ask' | 'mid' | 'spread' | 'volume'] = group;
      } else if (isSpotBound(scalar) && masks.size === 1) watch.spots.push(group);
      else {
        const vwap =
          scalar.kind === 'difference' && scalar.a.name === 'spot' && scalar.b.name === 'VWAP' && masks.size === 1;
        if (vwap) watch.vwap = group;
        else if ((mask & Moved.volume) !== 0) watch.everyVolume = true;
        const stands = scalar.kind === 'single' && STANDING.has(scalar.a.name);
        if (!stands && !vwap && (mask & (Moved.spot | Moved.extremes)) !== 0) watch.everySpot = true;
        if ((mask & Moved.book) !== 0) watch.everyBook = true;
      }
      if ((mask & Moved.event) !== 0) {
        watch.everyEvent = true;
        watch.everyBook = true;
        this.#attendTo(s, Attention.watchBook);
        this.#attendTo(s, Attention.everyPrint);
      }
      if ((mask & Moved.book) !== 0) this.#attendTo(s, Attention.watchBook);
      if ((mask & Moved.volume) !== 0) this.#watchVolume(s);
      this.#unquiet(s);
    }
    group.refresh(this.#instant.seq);
    return group;
  }

  #attendTo(s: number, bit: number): void {
    this.market.attention[s] = this.market.attention[s]! | bit;
  }

  /** The next print looks at everything, and then says anew what it may pass over. */
  #unquiet(s: number): void {
    const m = this.market;
    m.spotLo[s] = Number.POSITIVE_INFINITY;
    m.bidFrom[s] = Number.POSITIVE_INFINITY;
    m.volumeTo[s] = Number.NEGATIVE_INFINITY;
    if (this.#windows[s] !== undefined) m.windowNext[s] = Number.NEGATIVE_INFINITY;
    this.#watch[s]!.shifted = true;
  }

  /** Volume and VWAP are kept from the first time something reads them: what went before is summed now. */
  #watchVolume(s: number): void {
    const m = this.market;
    if ((m.attention[s]! & Attention.watchVolume) !== 0) return;
    this.#attendTo(s, Attention.watchVolume);
    const sums = sessionSums(this.#columns, { slot: s, from: this.#from, to: this.row });
    m.volume[s] = sums.volume;
    m.notional[s] = sums.notional;
  }

  fresh(): number {
    return this.#serial++;
  }

  #windowsOf(s: number): Windows {
    let windows = this.#windows[s];
    if (windows === undefined) {
      const columns = this.#columns;
      const { quoteEvent } = this.market;
      windows = new Windows({
        open: this.tape.session.open,
        columns,
        quotedAt: () => (quoteEvent[s]! < 0 ? Number.NEGATIVE_INFINITY : columns.t[quoteEvent[s]!]!),
        catchUp: (fresh) => replay(fresh, columns, { slot: s, from: this.#from, to: this.row }),
      });
      this.market.windowNext[s] = Number.NEGATIVE_INFINITY;
      this.#windows[s] = windows;
      this.#attendTo(s, Attention.windows);
      this.#attendTo(s, Attention.everyPrint);
    }
    return windows;
  }

  // -------------------------------------------------------------- the close

  #settleAtClose(): void {
    const marks = new Marks(this.tape, this.market, this.closeT);
    for (const plan of this.plans) {
      plan.close();
      for (const holding of plan.holdings) if (holding.qty > 0) this.#settleHolding(plan, holding, marks);
      plan.lastExcursion();
    }
    this.#toArm = [];
    this.#touched = [];
  }

  /** What expires today ends at what it is worth; the rest is marked. */
  #settleHolding(plan: PlanRun, holding: Holding, marks: Marks): void {
    const { instrument } = holding;
    if (instrument.kind !== 'shares') {
      const at = marks.settlement(instrument);
      if (at !== undefined) {
        plan.settle(holding, at);
        return;
      }
    }
    const mark = marks.of(instrument);
    holding.markE4 = mark?.priceE4 ?? Math.floor(holding.entryCostE4 / holding.entryQty);
    holding.markFrom = mark?.from ?? 'cost';
  }
}

function sameItems(one: readonly unknown[], other: readonly unknown[] | undefined): boolean {
  if (other === undefined || one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

function totalE4(lines: readonly FeeLine[]): number {
  let sum = 0;
  for (let i = 0; i < lines.length; i++) sum += lines[i]!.e4;
  return sum;
}

/** Lines of one name are one line. */
function summed(lines: readonly FeeLine[]): readonly FeeLine[] {
  const sums = new Map<string, number>();
  for (const { name, e4 } of lines) sums.set(name, (sums.get(name) ?? 0) + e4);
  return [...sums].map(([name, e4]) => ({ name, e4 }));
}

/** @throws EngineRefusal `bad-arg` on a name that is no model's */
function fillModel(name: string): FillModel {
  if (Object.hasOwn(FILL_MODELS, name)) return FILL_MODELS[name as keyof typeof FILL_MODELS];
  throw new EngineRefusal('bad-arg', `fill: ${name} is no fill model of this engine`, {
    expected: Object.keys(FILL_MODELS).join(' | '),
    got: name,
  });
}

/** Whether all that a print can move of it is spot. */
function isSpotBound(scalar: Scalar): boolean {
  if (scalar.kind !== 'single' && scalar.kind !== 'difference') return false;
  if (scalar.a.name !== 'spot' && scalar.a.name !== 'last') return false;
  return scalar.kind === 'single' || STANDING.has(scalar.b.name);
}

function byRank(x: PlanRun, y: PlanRun): number {
  return y.priority - x.priority || x.armSeq - y.armSeq;
}

function isGood(bid: number, bidSize: number, ask: number, askSize: number): boolean {
  return bid > 0 && ask > bid && bidSize > 0 && askSize > 0;
}

function intraday(efficiency: number): string | undefined {
  if (Number.isNaN(efficiency)) return undefined;
  return efficiency >= 0.45 ? 'trend' : efficiency <= 0.2 ? 'range' : 'mixed';
}
