/** The option chain of a synthetic day: which expiries and strikes are listed, and how many quotes they get. */
import { nthSessionAfter, type Session, sessionOf } from '../calendar.ts';
import { textOfE4 } from '../decimal.ts';
import { SynthRefusal } from './refusal.ts';

/** A change to what the options do is a new recipe; the shares keep theirs. */
export const CHAIN_RECIPE = 'kestrel.synth-chain/1';

/** Most expiries of one synthetic chain, and the farthest of them in sessions. */
export const CHAIN_EXPIRIES_MAX = 8;
export const CHAIN_SESSIONS_MAX = 60;
/** The chain is listed for as long as options have traded in cents. */
export const FIRST_CHAIN_DATE = '2001-04-09';

/** Strikes above the middle one, and below it. */
const WING_STRIKES = 20;
/** A strike is this share of the price from the next, up to the next usual step. */
const STEP_SHARE = 0.0025;
const USUAL_STEPS_E4 = [
  1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
] as const;
/** Quotes of each expiry where the order names no count and the share has few: the middle is then never a minute old. */
const QUOTES_AN_EXPIRY = 20_000;

export interface SynthExpiry {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Sessions after the tape's own. */
  readonly sessions: number;
}

/** A chain with nothing left open. */
export interface MadeChain {
  /** As it was ordered. */
  readonly name: string;
  readonly expiries: readonly SynthExpiry[];
  /** Ascending, the same for all expiries. */
  readonly strikesE4: readonly number[];
  /** Quotes of options, exactly. */
  readonly quotes: number;
}

export interface ChainOrder {
  /** Expiries as a document names them, `0dte,7dte`: today's, and that of the seventh session after it. */
  readonly chain: string;
  /** Quotes of options, all contracts together. */
  readonly optionQuotes: number | undefined;
  readonly date: string;
  readonly session: Session;
  readonly priorCloseE4: number;
  /** Rows of the share. */
  readonly events: number;
}

/** @throws SynthRefusal `chain-bad`, `option-quotes-bad` */
export function chainFor(order: ChainOrder, quotesMax: number): MadeChain {
  if (order.date < FIRST_CHAIN_DATE) {
    const expected = `a date from ${FIRST_CHAIN_DATE} on, for a chain`;
    throw new SynthRefusal('chain-bad', { expected, got: order.date, next: 'prices had fractions before' });
  }
  const expiries = expiriesOf(order);
  const strikesE4 = strikesAround(order.priorCloseE4);
  const contracts = expiries.length * strikesE4.length * 2;
  const share = (order.session.close - order.session.open) / (390 * 60_000_000);
  const usual = Math.max(order.events, Math.round(expiries.length * QUOTES_AN_EXPIRY * share), contracts * 3);
  const quotes = order.optionQuotes ?? Math.min(usual, quotesMax);
  if (!Number.isSafeInteger(quotes) || quotes < contracts * 3 || quotes > quotesMax) {
    const expected = `a whole number of option quotes from ${contracts * 3}, three a contract, to ${quotesMax}`;
    throw new SynthRefusal('option-quotes-bad', { expected, got: quotes, next: 'leave it out for a usual day' });
  }
  return { name: order.chain, expiries, strikesE4, quotes };
}

/** What the tape's header lists, one entry an expiry. */
export function instrumentsOf({ expiries, strikesE4 }: MadeChain, root: string): Record<string, unknown>[] {
  return expiries.map(({ date }) => ({
    root,
    kind: 'option',
    expiry: date,
    strikes: strikesE4.map((strikeE4) => Number(textOfE4(strikeE4))),
    multiplier: 100,
    style: 'american',
    settles: 'close',
    tick: 0.01,
  }));
}

function expiriesOf({ chain, date }: ChainOrder): SynthExpiry[] {
  const wrong = (got: unknown) => {
    const expected = `1 to ${CHAIN_EXPIRIES_MAX} expiries rising from 0dte to ${CHAIN_SESSIONS_MAX}dte, as in 0dte,7dte`;
    return new SynthRefusal('chain-bad', { expected, got, next: 'count sessions after the date' });
  };
  if (typeof chain !== 'string' || !/^[0-9]{1,2}dte(,[0-9]{1,2}dte)*$/.test(chain)) throw wrong(chain);
  const counts = chain.split(',').map((each) => Number(each.slice(0, -3)));
  const rises = counts.every((n, i) => n <= CHAIN_SESSIONS_MAX && (i === 0 || n > counts[i - 1]!));
  if (!rises || counts.length > CHAIN_EXPIRIES_MAX) throw wrong(chain);
  return counts.map((sessions) => {
    const expiry = nthSessionAfter('XNYS', date, sessions);
    if (sessionOf('XNYS', expiry) === undefined) throw wrong(chain);
    return { date: expiry, sessions };
  });
}

/** Whole steps around the prior close; none at or below 0. */
function strikesAround(priorCloseE4: number): number[] {
  const most = USUAL_STEPS_E4[USUAL_STEPS_E4.length - 1]!;
  const stepE4 = USUAL_STEPS_E4.find((step) => step >= priorCloseE4 * STEP_SHARE) ?? most;
  const middle = Math.round(priorCloseE4 / stepE4);
  const strikes: number[] = [];
  for (let n = middle - WING_STRIKES; n <= middle + WING_STRIKES; n++) if (n > 0) strikes.push(n * stepE4);
  return strikes;
}
