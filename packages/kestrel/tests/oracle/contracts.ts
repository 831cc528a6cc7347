/** Option contracts as the oracle sees them: their books, the chains they make, the strikes a ticket means, and fair value. */
import { FairFit } from '../../src/engine/fair-fit.ts';
import type { Expiry, Right, Strike } from '../../src/lang/model.ts';
import { nthSessionAfter, sessionOf } from '../../src/market/calendar.ts';
import { type Day, type Event, goodQuote, type Quote, type SymbolState } from './market.ts';

/** Roots that trade under another symbol's name. */
const WEEKLY: ReadonlyMap<string, string> = new Map([
  ['SPXW', 'SPX'],
  ['NDXP', 'NDX'],
  ['RUTW', 'RUT'],
  ['XSPW', 'XSP'],
  ['VIXW', 'VIX'],
]);

export const underlyingOf = (root: string): string => WEEKLY.get(root) ?? root;

export interface ContractTerms {
  readonly root: string;
  /** `2024-03-11` */
  readonly expiry: string;
  readonly right: Right;
  readonly strikeE4: number;
  readonly multiplier: number;
  readonly settles: 'open' | 'close';
  readonly tickE4: number;
}

export const contractKey = (root: string, expiry: string, right: string, strikeE4: number): string =>
  `${root} ${expiry} ${right} ${strikeE4}`;

/** One contract's book; its halt is its underlying's. */
export class ContractState {
  readonly terms: ContractTerms;
  readonly underlying: SymbolState | undefined;
  quote: Quote | undefined;
  askLeft = 0;
  bidLeft = 0;
  lastGood: Quote | undefined;
  lastE4: number | undefined;

  constructor(terms: ContractTerms, underlying: SymbolState | undefined) {
    this.terms = terms;
    this.underlying = underlying;
  }

  get halted(): boolean {
    return this.underlying?.halted === true;
  }

  takeQuote(event: Event): void {
    this.quote = goodQuote(event);
    this.bidLeft = this.quote?.bidSize ?? 0;
    this.askLeft = this.quote?.askSize ?? 0;
    this.lastGood = this.quote ?? this.lastGood;
  }

  emptyBook(): void {
    this.quote = undefined;
    this.bidLeft = 0;
    this.askLeft = 0;
  }

  /** What it pays by the underlying's price: an equity option that is less than a cent in the money is not exercised. */
  settlementE4(priceE4: number): number {
    const inTheMoney = this.intrinsicE4(priceE4);
    return this.underlying?.kind === 'index' || inTheMoney >= 100 ? inTheMoney : 0;
  }

  intrinsicE4(spotE4: number): number {
    return Math.max(0, this.terms.right === 'C' ? spotE4 - this.terms.strikeE4 : this.terms.strikeE4 - spotE4);
  }
}

/** Why a ticket means no contract. */
export type Unresolved = 'no-contract' | 'unpriceable';

/** All contracts of a tape, and what each expiry is worth. */
export class Contracts {
  private readonly day: Day;
  readonly all: readonly ContractState[];
  private readonly byKey: ReadonlyMap<string, ContractState>;
  private readonly fits = new Map<string, { readonly second: number; readonly fit: FairFit }>();

  constructor(day: Day, symbols: ReadonlyMap<string, SymbolState>) {
    this.day = day;
    this.all = day.contracts.map((terms) => new ContractState(terms, symbols.get(underlyingOf(terms.root))));
    this.byKey = new Map(
      this.all.map((one) => [contractKey(one.terms.root, one.terms.expiry, one.terms.right, one.terms.strikeE4), one]),
    );
  }

  of(event: Event): ContractState | undefined {
    return this.byKey.get(contractKey(event.s!, event.x!, event.r!, event.K!));
  }

  /** What an exec symbol can trade today: its own root and its weekly one; nothing that settled, or settles at today's open. */
  private tradable(exec: string): ContractState[] {
    return this.all.filter(({ terms }) => {
      if (terms.root !== exec && WEEKLY.get(terms.root) !== exec) return false;
      return terms.expiry > this.day.date || (terms.expiry === this.day.date && terms.settles === 'close');
    });
  }

  /** The contracts of the expiry a ticket means, of one root: the one that settles at the close where there are two. */
  private expiryOf(exec: string, expiry: Expiry | undefined): ContractState[] {
    const tradable = this.tradable(exec);
    const date =
      expiry === undefined
        ? tradable.map(({ terms }) => terms.expiry).sort()[0]
        : expiry.kind === 'date'
          ? expiry.date
          : nthSessionAfter(this.day.calendar, this.day.date, expiry.n);
    const listed = tradable.filter(({ terms }) => terms.expiry === date);
    const atClose = listed.filter(({ terms }) => terms.settles === 'close');
    const root = (atClose[0] ?? listed[0])?.terms.root;
    return listed.filter(({ terms }) => terms.root === root);
  }

  resolve(
    exec: string,
    of: { readonly strikes: readonly Strike[]; readonly right: Right; readonly expiry: Expiry | undefined },
    spotE4: number | undefined,
  ): readonly ContractState[] | Unresolved {
    const chain = this.expiryOf(exec, of.expiry);
    if (chain.length === 0) return 'no-contract';
    const grid = [...new Set(chain.map(({ terms }) => terms.strikeE4))].sort((a, b) => a - b);
    const found: ContractState[] = [];
    for (const strike of of.strikes) {
      let strikeE4: number | undefined;
      if (strike.kind === 'absolute') {
        strikeE4 = strike.e4;
      } else {
        if (spotE4 === undefined) return 'unpriceable';
        const away = grid.map((k) => Math.abs(k - spotE4));
        // The first of the nearest is the lower of a tie.
        const atm = away.indexOf(Math.min(...away));
        strikeE4 = grid[atm + (strike.kind === 'atm' ? 0 : strike.n)];
      }
      const contract = chain.find(({ terms }) => terms.strikeE4 === strikeE4 && terms.right === of.right);
      if (contract === undefined) return 'no-contract';
      found.push(contract);
    }
    return found;
  }

  /** The value of a contract by its own chain's quotes, fitted at the first reading in a second; undefined is UNKNOWN. */
  fairE4(of: ContractState, now: number): number | undefined {
    const { root, expiry, right, strikeE4 } = of.terms;
    const key = `${root} ${expiry}`;
    const second = Math.floor(now / 1_000_000);
    let standing = this.fits.get(key);
    if (standing === undefined || standing.second !== second) {
      standing = { second, fit: this.fit(of, now) };
      this.fits.set(key, standing);
    }
    const value = standing.fit.valueE4(right, strikeE4);
    return Number.isNaN(value) ? undefined : value;
  }

  private fit(of: ContractState, now: number): FairFit {
    const { root, expiry } = of.terms;
    const chain = this.all.filter((one) => one.terms.root === root && one.terms.expiry === expiry);
    const strikes = [...new Set(chain.map(({ terms }) => terms.strikeE4))].sort((a, b) => a - b);
    const along = (right: Right, read: (quote: Quote) => number): Float64Array =>
      Float64Array.from(strikes, (strikeE4) => {
        const quote = this.byKey.get(contractKey(root, expiry, right, strikeE4))?.quote;
        return quote === undefined ? Number.NaN : read(quote);
      });
    const fit = new FairFit();
    fit.fit({
      strikesE4: Float64Array.from(strikes),
      callBid: along('C', (quote) => quote.bidE4),
      callAsk: along('C', (quote) => quote.askE4),
      putBid: along('P', (quote) => quote.bidE4),
      putAsk: along('P', (quote) => quote.askE4),
      callT: along('C', (quote) => quote.t),
      putT: along('P', (quote) => quote.t),
      spotE4: of.underlying?.spot() ?? Number.NaN,
      t: now,
      settlesAt: this.settlesAt(of),
    });
    return fit;
  }

  private settlesAt(of: ContractState): number {
    const { expiry, settles } = of.terms;
    const session = expiry === this.day.date ? this.day : sessionOf(this.day.calendar, expiry);
    return session === undefined ? Number.NaN : settles === 'close' ? session.close : session.open;
  }
}
