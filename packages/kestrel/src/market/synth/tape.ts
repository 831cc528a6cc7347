/**
 * A synthetic market day: the recipe `kestrel.synth/1` from a seed to a tape. Same order, same bytes, on every machine;
 * a change to what it makes is a new recipe. docs/synth.md describes it and says how far it is from real days.
 */
import { ColumnsBuilder } from '../build.ts';
import { nthSessionBefore, type Session, sessionOf } from '../calendar.ts';
import { US_PER_MINUTE } from '../calendar-date.ts';
import type { Columns, Tape } from '../columns.ts';
import { textOfE4 } from '../decimal.ts';
import { SYMBOL_LENGTH_MAX, TAPE_VERSION } from '../header.ts';
import { tapeFrom } from '../tape.ts';
import { CHAIN_RECIPE, chainFor, instrumentsOf, type MadeChain } from './chain.ts';
import { coarser, DETAILS, type Detail } from './detail.ts';
import { Dice } from './dice.ts';
import { withOptions } from './option-book.ts';
import { PROFILES, type Profile } from './profile.ts';
import { ReferenceBuilder, type ReferenceTable } from './reference.ts';
import { SynthRefusal } from './refusal.ts';
import { activityOf, courseOf, type Direction, REGIMES, type Regime } from './regime.ts';
import { EVENTS_MIN, type SessionOrder, SessionWriter } from './session.ts';

export const RECIPE = 'kestrel.synth/1';

/** The calendar starts a month before. */
export const FIRST_SYNTH_DATE = '1990-02-01';

/** Most rows of the share of one synthetic day, and most quotes of its options. */
export const SYNTH_EVENTS_MAX = 50_000_000;
/** Most characters of a seed. */
export const SEED_LENGTH_MAX = 64;
/** Prices of the day before, E4: what lies outside could walk to nothing, or past what columns hold. */
export const PRIOR_CLOSE_E4_MIN = 10_000;
export const PRIOR_CLOSE_E4_MAX = 1_000_000_000;

export interface SynthOrder {
  /** Any text or whole number; it and the other fields are all that decides the day. */
  readonly seed: string | number;
  /** A session of XNYS, `YYYY-MM-DD`; a half day is a half day. */
  readonly date: string;
  readonly regime: Regime;
  /** Default `SYN`. */
  readonly symbol?: string;
  /** Which real share it is fitted to: `spy` (default), `ibm` or `bac`. */
  readonly profile?: string;
  /** Absent: the seed decides. */
  readonly direction?: Direction;
  /** Rows in ticks, all kinds counted, before a coarser `detail`; default: the profile's day under the regime. */
  readonly events?: number;
  /** `ticks` (default), `seconds`, `1m` or `5m`. */
  readonly detail?: Detail;
  /** Official close of the day before, E4, a whole number of ticks; default: the profile's. */
  readonly priorCloseE4?: number;
  /** Expiries of an option chain, `0dte,7dte`; ticks alone have one. Absent: no options. */
  readonly chain?: string;
  /** Quotes of options, all contracts together; default: as many as the share has rows, enough for a usable chain. */
  readonly optionQuotes?: number;
}

/** Prior sessions that the reference is taken from, and the ticks made of each. */
const PRIOR_SESSIONS = 12;
const PRIOR_EVENTS = 5_000;
/** Prior sessions are ordinary days, in this order over and over. */
const PRIOR_REGIMES: readonly Regime[] = ['range', 'choppy', 'range', 'trend'];

/**
 * @returns a tape whose header says that it is synthetic, with its recipe, seed and reference
 * @throws SynthRefusal on an order outside the bounds above
 * @throws CalendarRefusal on a date that is none
 */
export function synthTape(order: SynthOrder): Tape {
  const made = checked(order);
  const ticks = ticksOf(made);
  const columns = made.detail === 'ticks' ? ticks : coarser(ticks, made.detail, made.session);
  return tapeFrom(headerOf(made, referenceOf(made)), columns);
}

/** An order with nothing left open. */
interface Made {
  readonly seed: string;
  readonly date: string;
  readonly regime: Regime;
  readonly symbol: string;
  readonly profile: Profile;
  readonly direction: Direction | undefined;
  readonly events: number;
  readonly detail: Detail;
  readonly priorCloseE4: number;
  readonly session: Session;
  readonly chain: MadeChain | undefined;
}

function ticksOf(made: Made): Columns {
  const rows = new ColumnsBuilder({ capacity: made.events, instruments: 1 });
  const dice = diceFor(made, 'day');
  new SessionWriter({ profile: made.profile, dice, rows }).write(sessionFor(made, dice));
  const share = rows.columns();
  const { chain, profile, session } = made;
  return chain === undefined ? share : withOptions(share, { chain, profile, session, dice: diceFor(made, 'options') });
}

function sessionFor(made: Made, dice: Dice): SessionOrder {
  const { profile, regime, direction, priorCloseE4, events } = made;
  const { open, close } = made.session;
  const minutes = (close - open) / US_PER_MINUTE;
  const order = { profile, regime, direction, minutes, priorClose: priorCloseE4 / profile.tickE4 };
  return { course: courseOf(order, dice), open, close, events };
}

/** A stream of its own for the day, for the sessions before it and for options, so that none moves another. */
function diceFor(made: Made, purpose: 'day' | 'reference' | 'options'): Dice {
  return new Dice(RECIPE, purpose, made.seed, made.date, made.regime, made.symbol, made.profile.name);
}

function referenceOf(made: Made): ReferenceTable {
  const rows = new ColumnsBuilder({ capacity: PRIOR_EVENTS, instruments: 1 });
  const dice = diceFor(made, 'reference');
  const writer = new SessionWriter({ profile: made.profile, dice, rows });
  const reference = new ReferenceBuilder();
  let date = made.date;
  for (let i = 0; i < PRIOR_SESSIONS; i++) {
    date = nthSessionBefore('XNYS', date, 1);
    const session = sessionOf('XNYS', date)!;
    const regime = PRIOR_REGIMES[i % PRIOR_REGIMES.length]!;
    rows.rows = 0;
    const events = Math.round(PRIOR_EVENTS * shareOfDay(session));
    writer.write(sessionFor({ ...made, session, regime, direction: undefined, events }, dice));
    reference.add(rows, session);
  }
  // An ordinary day of this tape has the events of its order, whatever its regime makes of them.
  return reference.table(made.events / shareOfDay(made.session) / activityOf(made.regime) / PRIOR_EVENTS);
}

function headerOf(made: Made, reference: ReferenceTable): Record<string, unknown> {
  const { seed, date, regime, symbol, profile, direction, events, detail, priorCloseE4, chain } = made;
  const direct = direction === undefined ? {} : { direction };
  const priorClose = Number(textOfE4(priorCloseE4));
  const options =
    chain === undefined ? {} : { options: { recipe: CHAIN_RECIPE, chain: chain.name, quotes: chain.quotes } };
  return {
    v: TAPE_VERSION,
    id: `synth-${regime}-${date}-${symbol.toLowerCase()}-${seed}${chain === undefined ? '' : '-options'}`,
    calendar: 'XNYS',
    date,
    instruments: [
      { symbol, kind: 'equity', tick: Number(textOfE4(profile.tickE4)) },
      ...(chain === undefined ? [] : instrumentsOf(chain, symbol)),
    ],
    reference: { [symbol]: { priorClose, ...reference } },
    source: `synthetic, recipe ${RECIPE}, seed ${seed}, regime ${regime}, fitted to ${profile.name}`,
    licence: 'none needed: made by a program, no market data in it',
    synthetic: {
      recipe: RECIPE,
      seed,
      regime,
      profile: profile.name,
      events,
      detail,
      priorClose,
      ...direct,
      ...options,
    },
  };
}

function checked(order: SynthOrder): Made {
  const seed = String(order.seed);
  const whole = typeof order.seed === 'string' || Number.isSafeInteger(order.seed);
  if (!whole || !/^[A-Za-z0-9._-]+$/.test(seed) || seed.length > SEED_LENGTH_MAX) {
    const expected = `a seed of 1 to ${SEED_LENGTH_MAX} letters, digits, ".", "_" or "-"`;
    throw new SynthRefusal('seed-bad', { expected, got: order.seed, next: 'a whole number will do' });
  }
  const profile = PROFILES.get(order.profile ?? 'spy');
  if (profile === undefined) {
    const expected = `a profile (${[...PROFILES.keys()].join(', ')})`;
    throw new SynthRefusal('profile-unknown', { expected, got: order.profile, next: 'name one of these' });
  }
  if (!REGIMES.includes(order.regime)) {
    const expected = `a regime (${REGIMES.join(', ')})`;
    throw new SynthRefusal('regime-unknown', { expected, got: order.regime, next: 'name one of these' });
  }
  const { detail = 'ticks', direction, symbol = 'SYN' } = order;
  if (!DETAILS.includes(detail)) {
    const expected = `a detail (${DETAILS.join(', ')})`;
    throw new SynthRefusal('detail-unknown', { expected, got: detail, next: 'name one of these' });
  }
  if (direction !== undefined && direction !== 'up' && direction !== 'down') {
    const next = 'leave it out to let the seed decide';
    throw new SynthRefusal('direction-unknown', { expected: 'a direction (up, down)', got: direction, next });
  }
  if (typeof symbol !== 'string' || !/^[A-Z][A-Z0-9.]*$/.test(symbol) || symbol.length > SYMBOL_LENGTH_MAX) {
    const expected = `a symbol of 1 to ${SYMBOL_LENGTH_MAX} capital letters, digits or "."`;
    throw new SynthRefusal('symbol-bad', { expected, got: symbol, next: 'begin with a letter' });
  }
  const session = sessionOf('XNYS', order.date);
  if (session === undefined) {
    const next = 'take the session before or after it';
    throw new SynthRefusal('date-closed', { expected: 'a date on which XNYS is open', got: order.date, next });
  }
  if (order.date < FIRST_SYNTH_DATE) {
    const expected = `a date from ${FIRST_SYNTH_DATE} on`;
    const next = `the calendar must know the ${PRIOR_SESSIONS} sessions before it`;
    throw new SynthRefusal('date-early', { expected, got: order.date, next });
  }
  const events = order.events ?? Math.round(profile.events * activityOf(order.regime) * shareOfDay(session));
  if (!Number.isSafeInteger(events) || events < EVENTS_MIN || events > SYNTH_EVENTS_MAX) {
    const expected = `a whole number of events from ${EVENTS_MIN} to ${SYNTH_EVENTS_MAX}`;
    throw new SynthRefusal('events-bad', { expected, got: events, next: 'leave it out for a day like the real ones' });
  }
  const { priorCloseE4 = profile.priorCloseE4 } = order;
  const inside = priorCloseE4 >= PRIOR_CLOSE_E4_MIN && priorCloseE4 <= PRIOR_CLOSE_E4_MAX;
  if (!Number.isSafeInteger(priorCloseE4) || !inside || priorCloseE4 % profile.tickE4 !== 0) {
    const expected = `a prior close from ${PRIOR_CLOSE_E4_MIN} to ${PRIOR_CLOSE_E4_MAX} E4, in ticks of ${profile.tickE4}`;
    throw new SynthRefusal('prior-close-bad', { expected, got: priorCloseE4, next: 'a price of 100 is 1000000' });
  }
  const chain = chainOrdered(order, { session, priorCloseE4, events, detail });
  return {
    seed,
    date: order.date,
    regime: order.regime,
    symbol,
    profile,
    direction,
    events,
    detail,
    priorCloseE4,
    session,
    chain,
  };
}

function chainOrdered(
  order: SynthOrder,
  made: Pick<Made, 'session' | 'priorCloseE4' | 'events' | 'detail'>,
): MadeChain | undefined {
  const { chain, optionQuotes, date } = order;
  if (chain === undefined) {
    if (optionQuotes === undefined) return undefined;
    const next = 'name its expiries, as in 0dte,7dte';
    throw new SynthRefusal('option-quotes-bad', { expected: 'a chain for the option quotes', got: 'none', next });
  }
  const { session, priorCloseE4, events, detail } = made;
  if (detail !== 'ticks') {
    throw new SynthRefusal('chain-bad', { expected: 'ticks for a chain', got: detail, next: 'leave detail out' });
  }
  return chainFor({ chain, optionQuotes, date, session, priorCloseE4, events }, SYNTH_EVENTS_MAX);
}

/** A half day has the events of its hours. */
function shareOfDay({ open, close }: Session): number {
  return (close - open) / (390 * US_PER_MINUTE);
}
