/** The tape's contracts as a document asks for them: which one a strike and an expiry mean now. */
import type { Expiry, Instrument as InstrumentText, Right, Strike } from '../lang/model.ts';
import { CalendarRefusal, nthSessionAfter, nthSessionBefore, sessionOf } from '../market/calendar.ts';
import { type Chain, type ChainExpiry, chainOf, rootsOf, strikeRow, strikeRowFrom } from '../market/chain.ts';
import type { Tape, TapeInstrument } from '../market/columns.ts';
import { type OptionGrid, optionGrid } from '../market/option-ticks.ts';
import { FairValue } from './fair-value.ts';
import type { FeeInstrument } from './fees.ts';
import type { ChainPlace, Contract, Instrument, Option, Shares, Vertical } from './instrument.ts';
import { spotOf } from './instrument.ts';
import type { MarketState } from './market-state.ts';

/** Roots of the weekly and afternoon contracts of an index, and the index. */
const UNDERLYINGS: ReadonlyMap<string, string> = new Map([
  ['SPXW', 'SPX'],
  ['SPXPM', 'SPX'],
  ['XSPW', 'XSP'],
  ['NDXP', 'NDX'],
  ['RUTW', 'RUT'],
  ['VIXW', 'VIX'],
]);

/** A ticket that names nothing the tape lists. */
export interface NoInstrument {
  readonly kind: 'refused';
  readonly code: 'no-contract' | 'unpriceable';
  readonly message: string;
}

/** One expiry of one root on this tape. */
export class ChainRun implements ChainPlace {
  readonly root: string;
  readonly expiry: string;
  readonly lastDate: string;
  readonly settles: 'close' | 'open';
  readonly style: 'american' | 'european';
  readonly underlying: number;
  readonly listed: ChainExpiry;
  readonly slots: readonly number[];
  readonly multiplier: number;
  /** The instant it is settled, microseconds. */
  readonly settlesAt: number;
  readonly fairValue: FairValue;

  constructor(
    tape: Tape,
    market: MarketState,
    now: () => number,
    root: string,
    listed: ChainExpiry,
    underlying: number,
  ) {
    const any = tape.instruments[firstListed(listed)]! as Extract<TapeInstrument, { kind: 'option' }>;
    this.root = root;
    this.expiry = listed.expiry;
    this.listed = listed;
    this.slots = [...listed.calls, ...listed.puts].filter((s) => s >= 0);
    this.settles = any.settles;
    this.style = any.style;
    this.multiplier = any.multiplier;
    this.underlying = underlying;
    this.lastDate = lastSessionUpTo(tape, listed.expiry);
    const session =
      this.lastDate === tape.date ? tape.session : (sessionOf(tape.calendar, this.lastDate) ?? tape.session);
    this.settlesAt = this.settles === 'open' ? session.open : session.close;
    this.fairValue = new FairValue(this, tape.columns, market, now);
  }

  get fairWhy(): string {
    return this.fairValue.receipt.why;
  }

  fair(right: Right, row: number): number {
    return this.fairValue.valueE4(right, row);
  }

  slot(right: Right, row: number): number {
    return (right === 'C' ? this.listed.calls : this.listed.puts)[row]!;
  }
}

function firstListed(listed: ChainExpiry): number {
  for (const list of [listed.calls, listed.puts]) for (const slot of list) if (slot >= 0) return slot;
  throw new Error('an expiry lists at least one contract');
}

function lastSessionUpTo(tape: Tape, expiry: string): string {
  if (expiry === tape.date) return expiry;
  try {
    if (sessionOf(tape.calendar, expiry) !== undefined) return expiry;
    const last = nthSessionBefore(tape.calendar, expiry, 1);
    // A tape may pin a session on a day the calendar has none.
    return last < tape.date && tape.date < expiry ? tape.date : last;
  } catch (error) {
    if (!(error instanceof CalendarRefusal)) throw error;
    return expiry;
  }
}

export class Chains {
  readonly #tape: Tape;
  readonly #market: MarketState;
  readonly #now: () => number;
  /** Of an exec symbol. */
  readonly #byExec = new Map<string, readonly ChainRun[]>();
  readonly #chains = new Map<string, readonly ChainRun[]>();
  readonly #instruments = new Map<string, Instrument>();
  readonly #roots: readonly string[];
  #nextId: number;

  constructor(tape: Tape, market: MarketState, now: () => number) {
    this.#tape = tape;
    this.#market = market;
    this.#now = now;
    this.#roots = rootsOf(tape);
    this.#nextId = tape.instruments.length;
  }

  /** Slot of the symbol that options of a root or symbol are written on; undefined where the tape has none. */
  underlyingOf(name: string): number | undefined {
    const symbol = this.slotOf(name) === undefined ? (UNDERLYINGS.get(name) ?? name) : name;
    return this.slotOf(symbol);
  }

  /** Slot of a share or index; undefined where the tape has none. */
  slotOf(symbol: string): number | undefined {
    const i = this.#tape.instruments.findIndex((x) => x.kind !== 'option' && x.symbol === symbol);
    return i < 0 ? undefined : i;
  }

  /** Slots of every contract on a symbol. */
  contractsOn(underlying: number): readonly number[] {
    const slots: number[] = [];
    for (const root of this.#roots) {
      if (this.underlyingOf(root) !== underlying) continue;
      this.#tape.instruments.forEach((x, s) => {
        if (x.kind === 'option' && x.root === root) slots.push(s);
      });
    }
    return slots;
  }

  /** The chains of an exec symbol: one an expiry, ascending; where two roots list one, that settled at the close. */
  of(exec: string): readonly ChainRun[] {
    let chains = this.#byExec.get(exec);
    if (chains === undefined) {
      const byExpiry = new Map<string, ChainRun>();
      for (const root of this.#roots) {
        if (root !== exec && (UNDERLYINGS.get(root) !== exec || this.slotOf(exec) === undefined)) continue;
        for (const chain of this.#ofRoot(root)) {
          const there = byExpiry.get(chain.expiry);
          if (there === undefined || (there.settles === 'open' && chain.settles === 'close')) {
            byExpiry.set(chain.expiry, chain);
          }
        }
      }
      chains = [...byExpiry.values()].sort((a, b) => (a.expiry < b.expiry ? -1 : 1));
      this.#byExec.set(exec, chains);
    }
    return chains;
  }

  #ofRoot(root: string): readonly ChainRun[] {
    let runs = this.#chains.get(root);
    if (runs === undefined) {
      const chain: Chain = chainOf(this.#tape, root);
      const underlying = this.underlyingOf(root) ?? -1;
      runs = chain.expiries.map(
        (listed) => new ChainRun(this.#tape, this.#market, this.#now, root, listed, underlying),
      );
      this.#chains.set(root, runs);
    }
    return runs;
  }

  shares(slot: number): Shares {
    const key = `${slot}`;
    const there = this.#instruments.get(key);
    if (there !== undefined) return there as Shares;
    const x = this.#tape.instruments[slot]! as Exclude<TapeInstrument, { kind: 'option' }>;
    const made: Shares = {
      kind: 'shares',
      id: slot,
      name: x.symbol,
      multiplier: 1,
      slots: [slot],
      underlying: slot,
      tickE4: x.tickE4,
      fee: { kind: 'equity', root: x.symbol, multiplier: 1 },
    };
    this.#instruments.set(key, made);
    return made;
  }

  /** What a ticket on options means at this instant. */
  resolve(
    text: Exclude<InstrumentText, { kind: 'shares' }>,
    exec: string,
    using: Expiry | undefined,
  ): Instrument | NoInstrument {
    const chain = this.#chainFor(text.expiry ?? using, exec);
    if (chain.kind === 'refused') return chain;
    if (text.kind === 'option') {
      const contract = this.#contract(chain.run, text.strike, text.right);
      return 'slot' in contract ? this.#option(contract) : contract;
    }
    const long = this.#contract(chain.run, text.long, text.right);
    if (!('slot' in long)) return long;
    const short = this.#contract(chain.run, text.short, text.right);
    if (!('slot' in short)) return short;
    if (long.strikeE4 === short.strikeE4) {
      return refused('no-contract', `both legs are the strike ${long.strikeE4 / 1e4}: a vertical has two`);
    }
    return this.#vertical(long, short);
  }

  #chainFor(
    wanted: Expiry | undefined,
    exec: string,
  ): { readonly kind: 'chain'; readonly run: ChainRun } | NoInstrument {
    const { date, calendar } = this.#tape;
    // On its last day a contract settled at the open trades no more.
    const trading = this.of(exec).filter((c) => c.lastDate > date || (c.lastDate === date && c.settles === 'close'));
    const listed = () =>
      trading.length === 0
        ? `the tape lists no options of ${exec} that trade on ${date}`
        : `${exec} lists ${trading
            .slice(0, 5)
            .map((c) => c.expiry)
            .join(', ')}${trading.length > 5 ? ' …' : ''}`;
    if (wanted === undefined) {
      const run = trading[0];
      return run === undefined ? refused('no-contract', listed()) : { kind: 'chain', run };
    }
    let day: string;
    try {
      day = wanted.kind === 'date' ? wanted.date : nthSessionAfter(calendar, date, wanted.n);
    } catch (error) {
      if (!(error instanceof CalendarRefusal)) throw error;
      return refused('no-contract', listed());
    }
    const run =
      wanted.kind === 'date' ? trading.find((c) => c.expiry === day) : trading.find((c) => c.lastDate === day);
    if (run === undefined) return refused('no-contract', `no expiry on ${day}: ${listed()}`);
    return { kind: 'chain', run };
  }

  #contract(chain: ChainRun, strike: Strike, right: Right): Contract | NoInstrument {
    const { strikesE4 } = chain.listed;
    let row: number;
    if (strike.kind === 'absolute') row = strikeRow(chain.listed, strike.e4);
    else {
      const spot = spotOf(chain.underlying, this.#market);
      if (Number.isNaN(spot)) return refused('unpriceable', 'the strike at the money needs a spot, which is UNKNOWN');
      row = nearestRow(strikesE4, spot) + (strike.kind === 'relative' ? strike.n : 0);
    }
    const slot = row < 0 || row >= strikesE4.length ? -1 : chain.slot(right, row);
    if (slot < 0) {
      const near =
        strike.kind === 'absolute'
          ? nearestRow(strikesE4, strike.e4)
          : Math.min(Math.max(row, 0), strikesE4.length - 1);
      const around = strikesE4.slice(Math.max(0, near - 2), near + 3).map((k) => k / 1e4);
      return refused(
        'no-contract',
        `${strikeText(strike)} ${right} of ${chain.root} ${chain.expiry} is not listed: near it are ${around.join(', ')}`,
      );
    }
    return { slot, row, right, strikeE4: strikesE4[row]!, multiplier: chain.multiplier, chain };
  }

  #option(contract: Contract): Option {
    const key = `${contract.slot}`;
    const there = this.#instruments.get(key);
    if (there !== undefined) return there as Option;
    const made: Option = {
      kind: 'option',
      id: contract.slot,
      name: this.#market.symbols[contract.slot]!,
      multiplier: contract.multiplier,
      slots: [contract.slot],
      underlying: contract.chain.underlying,
      contract,
      grid: this.#grid(contract, false),
      fee: feeOf(contract),
    };
    this.#instruments.set(key, made);
    return made;
  }

  #vertical(long: Contract, short: Contract): Vertical {
    const key = `${long.slot}/${short.slot}`;
    const there = this.#instruments.get(key);
    if (there !== undefined) return there as Vertical;
    const { root, expiry, underlying } = long.chain;
    const made: Vertical = {
      kind: 'vertical',
      id: this.#nextId++,
      name: `${root} ${expiry} ${long.strikeE4 / 1e4}/${short.strikeE4 / 1e4} ${long.right}`,
      multiplier: long.multiplier,
      slots: [long.slot, short.slot],
      underlying,
      long,
      short,
      grid: this.#grid(long, true),
      fees: { long: feeOf(long), short: feeOf(short) },
    };
    this.#instruments.set(key, made);
    return made;
  }

  #grid(contract: Contract, complex: boolean): OptionGrid {
    const headerTickE4 = this.#tape.instruments[contract.slot]!.tickE4;
    try {
      return optionGrid({ root: contract.chain.root, date: this.#tape.date, complex, headerTickE4 });
    } catch (error) {
      if (!(error instanceof CalendarRefusal)) throw error;
      // Before the tables begin the tape's own step is all there is.
      return { lowE4: headerTickE4, highE4: headerTickE4 };
    }
  }
}

function feeOf({ chain, right, multiplier }: Contract): FeeInstrument {
  return { kind: 'option', root: chain.root, right, multiplier };
}

/** Row of the strike nearest a price; of two equally near, the lower. */
export function nearestRow(strikesE4: readonly number[], priceE4: number): number {
  const above = strikeRowFrom(strikesE4, priceE4);
  if (above === 0) return 0;
  if (above === strikesE4.length) return above - 1;
  return strikesE4[above]! - priceE4 < priceE4 - strikesE4[above - 1]! ? above : above - 1;
}

function strikeText(strike: Strike): string {
  switch (strike.kind) {
    case 'absolute':
      return String(strike.e4 / 1e4);
    case 'atm':
      return 'ATM';
    case 'relative':
      return strike.n > 0 ? `+${strike.n}` : String(strike.n);
  }
}

function refused(code: NoInstrument['code'], message: string): NoInstrument {
  return { kind: 'refused', code, message };
}
