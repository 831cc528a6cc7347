/**
 * The engine: one market day, row by row, with the plans that are armed on it. It can run to any instant and stop, so
 * that a session may show the day to its author in slots; a whole day in one go is the same run.
 *
 * At each event: market state, matching, series, triggers, placements, wakes (docs/runtime.md, section 3).
 */
import type { KestrelDocument } from '../lang/model.ts';
import { localToUtc } from '../market/calendar.ts';
import { type Columns, Flag, Kind, type Tape } from '../market/columns.ts';
import type { SessionClock } from './clock.ts';
import { compilePlan, type Outline, outline, slotsOf, ttlOf } from './compile.ts';
import { compileTrigger, Disarm, type GroupHub, type TriggerPlace } from './compile-trigger.ts';
import { Extremes } from './extremes.ts';
import { type FeeLine, type FeeSchedule, feeSchedule } from './fees.ts';
import type { Group } from './levels.ts';
import { Attention, MarketState } from './market-state.ts';
import { type Execution, FILL_MODELS, type FillModel, Matching } from './matching.ts';
import { budgetOf } from './money.ts';
import { alive, left, NO_PLACE, type Order } from './orders.ts';
import { type Desk, PlanRun, type Refusal } from './plan-run.ts';
import { EngineRefusal } from './refusal.ts';
import { Purse } from './risk.ts';
import type { Series, SeriesSource } from './series.ts';
import { Timer, Timers } from './timers.ts';
import type { ClockNode, Held, Instant, Reader, Trigger, Within } from './triggers.ts';
import { Moved, percentile, replay, Windows } from './windows.ts';

/** Semantics of this engine; a change of meaning is a new version. */
export const ENGINE_VERSION = 'kestrel-engine/1';

export interface EngineOptions {
  readonly tape: Tape;
  /** `strict-cross-v1` or `maker-v1`. */
  readonly fill: string;
  /** `none` or `us-equity-v1`. */
  readonly fees?: string;
  /** One R in E4 of the currency. */
  readonly rE4: number;
  /** Budget of the whole session in 1e-4 R; absent: no limit beyond the plans'. */
  readonly sessionR?: number;
  readonly onFill?: (fill: { readonly plan: string; readonly execution: Execution; readonly t: number }) => void;
}

const ALL_MOVED = Moved.spot | Moved.book | Moved.extremes | Moved.volume | Moved.window | Moved.bars | Moved.known;

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
  readonly #timers = new Timers();
  readonly #instant: Instant;
  readonly #byName = new Map<string, PlanRun>();
  readonly #purse: Purse;
  readonly #groups = new Map<string, Group>();
  readonly #watching: { readonly group: Group; readonly mask: number }[][];
  readonly #windows: (Windows | undefined)[];
  readonly #pending: Trigger[][];
  readonly #first: PlanRun[][];
  readonly #followers: PlanRun[][];
  readonly #spots: Extremes[];
  readonly #barsOnly: boolean[];
  readonly #onFill: EngineOptions['onFill'];
  #touched: PlanRun[] = [];
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
    const model = Object.hasOwn(FILL_MODELS, options.fill) ? FILL_MODELS[options.fill as FillModel['name']] : undefined;
    if (model === undefined) {
      throw new EngineRefusal('bad-arg', `fill: ${options.fill} is no fill model of this engine`, {
        expected: Object.keys(FILL_MODELS).join(' | '),
        got: options.fill,
      });
    }
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
    this.#purse = new Purse(
      options.sessionR === undefined ? Number.POSITIVE_INFINITY : budgetOf(options.sessionR, options.rE4),
    );
    this.#instant = { seq: -1, t: tape.session.open, timers: this.#timers };
    this.reader = { instant: this.#instant, mode: 'read', unknown: [] };
    this.#matching = new Matching(this.market, model, (x) => this.#filled(x));
    const slots = tape.instruments.map((_, s) => s);
    this.#watching = slots.map(() => []);
    this.#windows = slots.map(() => undefined);
    this.#pending = slots.map(() => []);
    this.#first = slots.map(() => []);
    this.#followers = slots.map(() => []);
    this.#spots = slots.map(() => new Extremes());
    this.#from = firstRow(tape.columns.t, tape.session.open);
    this.#to = firstRow(tape.columns.t, tape.session.close + 1);
    this.#barsOnly = barsOnly(tape);
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
    this.source = { tape, market: this.market, windows: (s) => this.#windowsOf(s) };
    this.#beforeOpen();
  }

  // -------------------------------------------------------------- authoring

  /**
   * Takes documents in: plans stand dormant or are armed now, at the instant the engine has reached.
   *
   * @throws EngineRefusal when a document asks for what this engine does not do; nothing of it is armed then
   */
  author(documents: readonly KestrelDocument[]): readonly PlanRun[] {
    const parts = outline(documents, this.rE4);
    const added = this.#compile(parts);
    const named = new Set<string>();
    for (const run of added) for (const c of run.doc.clauses) if (c.kind === 'arm') named.add(c.plan);
    for (const run of added) {
      if (run.state === 'done') continue;
      if (named.has(run.name)) continue;
      this.#arm(run);
    }
    this.#settle();
    return added;
  }

  #compile(parts: Outline): PlanRun[] {
    const added: PlanRun[] = [];
    for (const { plan, using } of parts.plans) {
      const { signal, exec } = slotsOf(this.tape, using);
      const ttl = ttlOf(plan, this.#instant.t, this.session);
      if (plan.ttl.kind === 'clock' && (ttl <= this.session.open || ttl > this.session.close)) {
        throw new EngineRefusal('K021', `plan ${plan.name}: its ttl is not in the session`, {
          expected: 'a time after the open and not after the close',
        });
      }
      const purse = new Purse(budgetOf(plan.budget, this.rE4));
      const book = plan.book === undefined ? undefined : parts.books.get(plan.book);
      const purses = book === undefined ? [purse, this.#purse] : [purse, book.purse, this.#purse];
      const run = new PlanRun({
        doc: plan,
        signal: signal ?? 0,
        exec: exec ?? 0,
        purse,
        purses,
        book,
        rE4: this.rE4,
        desk: this,
      });
      this.plans.push(run);
      this.#byName.set(run.name, run);
      added.push(run);
      if (exec !== undefined && this.tape.instruments[exec]!.kind === 'index') {
        throw new EngineRefusal('not-supported', `plan ${plan.name}: an index cannot be traded`, {
          expected: 'shares',
        });
      }
      try {
        if (signal === undefined || exec === undefined) {
          throw new Disarm('series-unavailable', `plan ${plan.name}: a symbol of its USING is not on this tape`);
        }
        compilePlan(run, this.#placeOf(run), this);
        if (plan.regime !== undefined) this.#windowsOf(signal).minutes();
      } catch (e) {
        if (!(e instanceof Disarm)) throw e;
        run.disarm(e.why);
      }
    }
    return added;
  }

  #placeOf(run: PlanRun): TriggerPlace {
    return {
      signal: run.signal,
      owner: { touched: (trigger) => this.#touch(trigger, run) },
      fact: (name) => run.fact(name),
      slotOf: (symbol) => {
        const i = this.tape.instruments.findIndex((x) => x.kind !== 'option' && x.symbol === symbol);
        return i < 0 ? undefined : i;
      },
      reads: (slots) => () => {
        let n = 0;
        for (let k = 0; k < slots.length; k++) n += this.market.reads[slots[k]!]!;
        return n;
      },
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
    this.#ringUpTo(until);
    if (until > this.#instant.t) this.#instant.t = until;
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
    const { t, kind, flags, inst, a, b, c, d } = this.#columns;
    const m = this.market;
    for (let i = 0; i < this.#from; i++) {
      const s = inst[i]!;
      if (kind[i] === Kind.halt) {
        const on = (flags[i]! & Flag.on) !== 0;
        if ((m.halted[s] === 1) !== on) {
          m.halted[s] = on ? 1 : 0;
          m.good[s] = 0;
        }
      } else if (kind[i] === Kind.quote && m.halted[s] === 0) {
        m.quote(s, i, a[i]!, b[i]!, c[i]!, d[i]!);
      }
    }
    void t;
    this.row = this.#from;
  }

  /** The hot loop. Nothing in it allocates; whatever needs more than a slot written goes to a slow path. */
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
    const bids = m.bid;
    const asks = m.ask;
    const bidSizes = m.bidSize;
    const askSizes = m.askSize;
    const bidTaken = m.bidTaken;
    const askTaken = m.askTaken;
    const goods = m.good;
    const quoteEvents = m.quoteEvent;
    const mids = m.lastMid;
    const spots = m.spot;
    const lasts = m.last;
    const volumes = m.volume;
    const notionals = m.notional;
    const highs = m.high;
    const lows = m.low;
    const reads = m.reads;
    const timers = this.#timers;
    for (let i = this.row; i < end; i++) {
      const t = T[i]!;
      if (timers.next < t) {
        this.row = i;
        this.#ringBefore(t);
      }
      const kind = kinds[i]!;
      if (kind === Kind.quote) {
        const s = inst[i]!;
        const att = attention[s]!;
        if ((att & (Attention.special | Attention.quotesSetSpot)) !== 0) {
          this.row = i + 1;
          this.#rare(i, t);
          continue;
        }
        const bid = A[i]!;
        const bidSize = B[i]!;
        const ask = C[i]!;
        const askSize = D[i]!;
        const good = bid > 0 && ask > bid && bidSize > 0 && askSize > 0 ? 1 : 0;
        const moved = bid !== bids[s] || ask !== asks[s] || good !== goods[s];
        bids[s] = bid;
        bidSizes[s] = bidSize;
        asks[s] = ask;
        askSizes[s] = askSize;
        bidTaken[s] = 0;
        askTaken[s] = 0;
        quoteEvents[s] = i;
        goods[s] = good;
        reads[s] = reads[s]! + 1;
        if (good === 1) mids[s] = Math.floor((bid + ask) / 2);
        if (att !== 0 && (att & ~(Attention.watchSpot | Attention.watchVolume | Attention.holding)) !== 0) {
          this.row = i + 1;
          this.#quoteSlow(i, t, s, moved ? Moved.book : 0);
        }
      } else if (kind === Kind.trade) {
        const s = inst[i]!;
        const att = attention[s]!;
        if ((att & (Attention.special | Attention.quotesSetSpot)) !== 0 || (flags[i]! & Flag.suspect) !== 0) {
          this.row = i + 1;
          this.#rare(i, t);
          continue;
        }
        const p = A[i]!;
        const z = B[i]!;
        const moved = p !== spots[s];
        reads[s] = reads[s]! + 1;
        if (z > 0) {
          volumes[s] = volumes[s]! + z;
          notionals[s] = notionals[s]! + p * z;
        }
        if (att === 0) {
          if (moved) {
            spots[s] = p;
            lasts[s] = p;
            if (p > highs[s]!) this.#higher(s, p);
            else if (p < lows[s]!) this.#lower(s, p);
          }
          continue;
        }
        this.row = i + 1;
        this.#tradeSlow(i, t, s, p, z, moved);
      } else {
        this.row = i + 1;
        this.#rare(i, t);
      }
    }
    if (this.row < end) this.row = end;
  }

  #higher(s: number, p: number): void {
    this.market.high[s] = p;
    this.market.attention[s] = this.market.attention[s]! | Attention.carry;
  }

  #lower(s: number, p: number): void {
    this.market.low[s] = p;
    this.market.attention[s] = this.market.attention[s]! | Attention.carry;
  }

  #at(i: number, t: number, s: number): void {
    this.#instant.seq = i + this.#rung;
    this.#instant.t = t;
    this.eventSlot = s;
  }

  #quoteSlow(i: number, t: number, s: number, moved: number): void {
    this.#at(i, t, s);
    const m = this.market;
    if ((m.attention[s]! & Attention.resting) !== 0 && m.good[s] === 1) {
      const book = this.#matching.books[s]!;
      if (book.unsettled > 0 || m.ask[s]! < book.bestBuy || m.bid[s]! > book.bestSell) this.#matching.quote(s, i);
    }
    this.#after(s, t, moved | this.#carry(s));
  }

  #tradeSlow(i: number, t: number, s: number, p: number, z: number, spotMoved: boolean): void {
    this.#at(i, t, s);
    const m = this.market;
    let moved = Moved.volume | this.#carry(s);
    if (spotMoved) {
      moved |= Moved.spot;
      m.spot[s] = p;
      m.last[s] = p;
      if (p > m.high[s]!) this.#higher(s, p);
      else if (p < m.low[s]!) this.#lower(s, p);
    }
    const att = m.attention[s]!;
    if ((att & Attention.resting) !== 0 && z > 0) this.#printed(i, s, p, z);
    if (spotMoved && (att & Attention.holding) !== 0) this.#spots[s]!.note(this.#instant.seq, p);
    if ((att & Attention.windows) !== 0) moved |= this.#windows[s]!.print(t, p, Math.max(0, z));
    this.#after(s, t, moved);
  }

  #printed(i: number, s: number, p: number, z: number): void {
    const book = this.#matching.books[s]!;
    const reaches = this.model.queue ? p <= book.bestBuy || p >= book.bestSell : p < book.bestBuy || p > book.bestSell;
    if (reaches) this.#matching.print(s, i, p, z);
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

  /** Steps 3 to 6 of an event of symbol `s`. */
  #after(s: number, t: number, moved: number): void {
    const m = this.market;
    let dirty = moved;
    const att = m.attention[s]!;
    if ((att & Attention.windows) !== 0) {
      const windows = this.#windows[s]!;
      if (t >= windows.next) dirty |= windows.advance(t);
    }
    if (this.#podsMoved.length > 0) this.#haltPods();
    if (dirty !== 0) this.#refresh(s, dirty);
    if ((att & (Attention.pending | Attention.firstEvent | Attention.pegs)) !== 0) this.#wakePlans(s, att);
    if (this.#touched.length > 0 || this.#toArm.length > 0) this.#settle();
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
      for (const trigger of list) trigger.touched();
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
    if ((att & Attention.pegs) !== 0) {
      for (const plan of this.#followers[s]!) {
        if (!plan.wouldFollow()) continue;
        plan.wantsRepeg();
        this.#touchPlan(plan);
      }
    }
  }

  /** First events, halts, bars, prices before the first print, suspicious prints: everything off the hot path. */
  #rare(i: number, t: number): void {
    const { kind, flags, inst, a, b, c, d, bars } = this.#columns;
    const s = inst[i]!;
    if (s < 0) return;
    const m = this.market;
    const k = kind[i]!;
    if (k === Kind.trade && (flags[i]! & Flag.suspect) !== 0) return;
    if (k !== Kind.quote && k !== Kind.trade && k !== Kind.bar && k !== Kind.halt && k !== Kind.close) return;
    const turnsOn = k === Kind.halt && (flags[i]! & Flag.on) !== 0;
    if (m.halted[s] === 1 && !(k === Kind.halt && !turnsOn)) return;
    this.#at(i, t, s);
    m.reads[s] = m.reads[s]! + 1;
    let moved = 0;
    if (m.seen[s] === 0) {
      m.seen[s] = 1;
      moved = ALL_MOVED;
      if (!Number.isNaN(m.lastMid[s]!)) m.spot[s] = m.lastMid[s]!;
    }
    moved |= this.#carry(s);
    const windows = this.#windows[s];
    switch (k) {
      case Kind.halt:
        if (turnsOn || m.halted[s] === 1) {
          m.halted[s] = turnsOn ? 1 : 0;
          m.good[s] = 0;
        }
        moved = ALL_MOVED;
        break;
      case Kind.quote: {
        m.quote(s, i, a[i]!, b[i]!, c[i]!, d[i]!);
        moved |= Moved.book;
        if (m.good[s] === 1) {
          if ((m.attention[s]! & Attention.resting) !== 0) this.#matching.quote(s, i);
          if (m.hasTrades[s] === 0)
            moved |= this.#observe(s, m.lastMid[s]!) | (windows?.observe(t, m.lastMid[s]!) ?? 0);
        }
        break;
      }
      case Kind.trade: {
        const p = a[i]!;
        const z = Math.max(0, b[i]!);
        m.hasTrades[s] = 1;
        if (Number.isNaN(m.open[s]!)) m.open[s] = p;
        m.last[s] = p;
        m.volume[s] = m.volume[s]! + z;
        m.notional[s] = m.notional[s]! + p * z;
        moved |= Moved.volume | this.#observe(s, p) | Moved.spot;
        if (z > 0 && (m.attention[s]! & Attention.resting) !== 0) this.#printed(i, s, p, z);
        moved |= windows?.print(t, p, z) ?? 0;
        break;
      }
      case Kind.bar: {
        const row = a[i]!;
        const bar = {
          start: t - bars.d[row]!,
          o: bars.o[row]!,
          h: bars.h[row]!,
          l: bars.l[row]!,
          c: bars.c[row]!,
          z: Math.max(0, bars.z[row]!),
        };
        if (m.hasTrades[s] === 0) {
          if (Number.isNaN(m.open[s]!)) m.open[s] = bar.o;
          m.last[s] = bar.c;
          m.volume[s] = m.volume[s]! + bar.z;
          m.notional[s] = m.notional[s]! + ((bar.h + bar.l + bar.c) / 3) * bar.z;
          moved |= Moved.volume | this.#observe(s, bar.c, bar.h, bar.l) | Moved.spot;
          moved |= windows?.bar(t, bars.d[row]!, bar.o, bar.h, bar.l, bar.c, bar.z) ?? 0;
        }
        if (m.hasQuotes[s] === 0 && m.hasTrades[s] === 0 && (m.attention[s]! & Attention.resting) !== 0) {
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
  #observe(s: number, spot: number, high = spot, low = spot): number {
    const m = this.market;
    const moved = m.spot[s] !== spot ? Moved.spot : 0;
    m.spot[s] = spot;
    if (!(high <= m.high[s]!)) this.#higher(s, high);
    if (!(low >= m.low[s]!)) this.#lower(s, low);
    if (moved !== 0 && (m.attention[s]! & Attention.holding) !== 0) {
      this.#spots[s]!.note(this.#instant.seq, high);
      this.#spots[s]!.note(this.#instant.seq, low);
      this.#spots[s]!.note(this.#instant.seq, spot);
    }
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
    while (this.#timers.next < t) this.#ring();
  }

  #ringUpTo(t: number): void {
    while (this.#timers.next <= t) this.#ring();
  }

  #ring(): void {
    const timers = this.#timers;
    timers.pop();
    const { kind, subject, stamp, time } = timers;
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
        (subject as ClockNode).ring(stamp, time);
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
        this.#matching.arrive(order, time);
        this.#resting(order.slot);
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
        break;
      case Timer.standDown:
        break;
    }
    if (this.#podsMoved.length > 0) this.#haltPods();
    if (this.#touched.length > 0 || this.#toArm.length > 0) this.#settle();
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
      this.#matching.lift(order);
      order.limitE4 = to.limitE4;
      order.qty = to.qty;
      if (left(order) > 0) this.#matching.arrive(order, t);
      else order.state = 'filled';
    } else {
      order.qty = to.qty;
      if (left(order) <= 0) {
        order.state = 'filled';
        this.#matching.lift(order);
      }
    }
    if (order.role === 'entry') this.reserve(order, alive(order) ? left(order) * order.limitE4 : 0);
    plan.reprice(order);
    this.#resting(order.slot);
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
  }

  // -------------------------------------------------------------- the desk

  readNext(trigger: Trigger): void {
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
      slot: spec.owner.exec,
      createdAt: t,
      price: spec.price,
      step: 0,
      unpriced: false,
      qty: spec.qty,
      filled: 0,
      limitE4: spec.limitE4,
      arrivedAt: null,
      state: 'in-flight',
      arrival: 0,
      waiting: true,
      queue: NO_PLACE,
      next: undefined,
      reservedE4: 0,
      stamp: 0,
    };
    spec.owner.orders.push(order);
    this.reserve(order, spec.reservedE4);
    const latency = this.#latency(order.slot);
    if (latency === 0) {
      this.#matching.arrive(order, t);
      this.#resting(order.slot);
    } else this.#timers.push({ t: t + latency, kind: Timer.arrive, subject: order, stamp: 0 });
    const after = spec.price?.compiled.escAfterUs ?? [];
    for (let k = 0; k < after.length; k++) {
      this.#timers.push({ t: t + after[k]!, kind: Timer.esc, subject: order, stamp: k + 1 });
    }
    return order;
  }

  /** Bars alone know no instant inside themselves: an order waits for the first bar that starts after it. */
  #latency(s: number): number {
    const m = this.market;
    return this.#barsOnly[s] === true && m.hasQuotes[s] === 0 && m.hasTrades[s] === 0 ? 0 : this.model.latencyUs;
  }

  pull(order: Order): void {
    if (!alive(order)) return;
    const stood = order.state === 'resting';
    if (stood) this.#matching.lift(order);
    order.state = 'pulled';
    order.next = undefined;
    order.stamp++;
    this.reserve(order, 0);
  }

  replace(order: Order, to: { readonly limitE4: number; readonly qty: number }): void {
    order.next = to;
    order.stamp++;
    const { t } = this.#instant;
    const latency = this.#latency(order.slot);
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

  fees(fill: { readonly side: 'buy' | 'sell'; readonly qty: number; readonly priceE4: number }): readonly FeeLine[] {
    return this.schedule.of(fill);
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
    if (run === undefined || run.state !== 'dormant' || this.closed) return;
    by.events.push({ t: this.#instant.t, kind: 'armed-other', detail: name });
    this.#toArm.push(run);
  }

  follow(plan: PlanRun): void {
    const list = this.#followers[plan.exec]!;
    const at = list.indexOf(plan);
    const wants = plan.follows();
    if (wants && at < 0) list.push(plan);
    else if (!wants && at >= 0) list.splice(at, 1);
    else return;
    const attention = this.market.attention;
    if (list.length > 0) attention[plan.exec] = attention[plan.exec]! | Attention.pegs;
    else attention[plan.exec] = attention[plan.exec]! & ~Attention.pegs;
  }

  cancelTrigger(plan: PlanRun, order: Order): Trigger[] {
    const texts = order.price?.compiled.cancelIf ?? [];
    return texts.map((text) => compileTrigger(text, 'level', this.#placeOf(plan), this));
  }

  spot(s: number): number {
    return this.market.spot[s]!;
  }

  highSince(s: number, seq: number): number | undefined {
    return this.#spots[s]!.highSince(seq)?.value;
  }

  lowSince(s: number, seq: number): number | undefined {
    return this.#spots[s]!.lowSince(seq)?.value;
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
    const s = execution.order.slot;
    plan.filled(execution, ++this.fillCount);
    this.market.attention[s] = this.market.attention[s]! | Attention.holding;
    this.#touchPlan(plan);
    this.#onFill?.({ plan: plan.name, execution, t: this.#instant.t });
  }

  #resting(s: number): void {
    const attention = this.market.attention;
    if (this.#matching.books[s]!.size > 0) attention[s] = attention[s]! | Attention.resting;
    else attention[s] = attention[s]! & ~Attention.resting;
  }

  // -------------------------------------------------------------- series

  group(key: string, reads: readonly Series[], make: () => Group): Group {
    let group = this.#groups.get(key);
    if (group !== undefined) return group;
    group = make();
    this.#groups.set(key, group);
    const masks = new Map<number, number>();
    for (const series of reads) masks.set(series.slot, (masks.get(series.slot) ?? 0) | series.moves);
    for (const [s, mask] of masks) {
      this.#watching[s]!.push({ group, mask });
      let att = this.market.attention[s]!;
      if ((mask & Moved.spot) !== 0) att |= Attention.watchSpot;
      if ((mask & Moved.book) !== 0) att |= Attention.watchBook;
      if ((mask & Moved.volume) !== 0) att |= Attention.watchVolume;
      if ((mask & Moved.extremes) !== 0) att |= Attention.watchSpot;
      this.market.attention[s] = att;
    }
    group.refresh(this.#instant.seq);
    return group;
  }

  fresh(): number {
    return this.#serial++;
  }

  #windowsOf(s: number): Windows {
    let windows = this.#windows[s];
    if (windows === undefined) {
      windows = new Windows(this.tape.session.open, (fresh) =>
        replay(fresh, this.#columns, { slot: s, from: this.#from, to: this.row }),
      );
      this.#windows[s] = windows;
      this.market.attention[s] = this.market.attention[s]! | Attention.windows;
    }
    return windows;
  }

  // -------------------------------------------------------------- the close

  #settleAtClose(): void {
    const marks = this.#marks();
    for (const plan of this.plans) {
      plan.close();
      if (plan.qty > 0) {
        const mark = marks[plan.exec]!;
        plan.markE4 = mark.priceE4 ?? Math.floor(plan.costE4 / plan.qty);
        plan.markFrom = mark.priceE4 === undefined ? 'cost' : mark.from;
      }
      plan.lastExcursion();
    }
    this.#toArm = [];
    this.#touched = [];
  }

  #marks(): { readonly priceE4: number | undefined; readonly from: string }[] {
    const m = this.market;
    const { t, kind, inst, a } = this.#columns;
    const official = new Map<number, number>();
    for (let i = firstRow(t, this.closeT); i < t.length; i++) {
      const s = inst[i]!;
      if (kind[i] === Kind.close && !official.has(s)) official.set(s, a[i]!);
    }
    return m.symbols.map((_, s) => {
      const close = official.get(s);
      if (close !== undefined) return { priceE4: close, from: 'close' };
      if (!Number.isNaN(m.last[s]!)) return { priceE4: m.last[s]!, from: 'last' };
      if (!Number.isNaN(m.lastMid[s]!)) return { priceE4: m.lastMid[s]!, from: 'mid' };
      return { priceE4: undefined, from: 'cost' };
    });
  }
}

function byRank(x: PlanRun, y: PlanRun): number {
  return y.priority - x.priority || x.armSeq - y.armSeq;
}

/** First row with time >= t. */
function firstRow(times: Float64Array, t: number): number {
  let lo = 0;
  let hi = times.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (times[mid]! < t) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/** Slots for which the tape has bars and neither quotes nor prints. */
function barsOnly(tape: Tape): boolean[] {
  const { kind, inst, length } = tape.columns;
  const bars = tape.instruments.map(() => false);
  const other = tape.instruments.map(() => false);
  if (tape.columns.bars.d.length === 0) return bars;
  for (let i = 0; i < length; i++) {
    const s = inst[i]!;
    if (s < 0) continue;
    if (kind[i] === Kind.bar) bars[s] = true;
    else if (kind[i] === Kind.quote || kind[i] === Kind.trade) other[s] = true;
  }
  return bars.map((has, s) => has && !other[s]);
}

function intraday(efficiency: number): string | undefined {
  if (Number.isNaN(efficiency)) return undefined;
  return efficiency >= 0.45 ? 'trend' : efficiency <= 0.2 ? 'range' : 'mixed';
}
