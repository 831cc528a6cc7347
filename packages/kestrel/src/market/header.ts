/** The tape's first line: what day, which session, which instruments, and the tables to find an instrument by name. */
import { JcsError, jcs } from 'ground/jcs';
import { CALENDARS, CalendarRefusal, type Session, sessionOf, zoneOf } from './calendar.ts';
import { END_US, FIRST_US } from './calendar-date.ts';
import type { Distribution, Reference, TapeInstrument } from './columns.ts';
import { type DecimalFault, PRICE_UNITS_MAX, priceE4, scaledInteger } from './decimal.ts';
import { ExactNumber, type ExactObject, type ExactValue, plainObject, shapeOf } from './json.ts';
import { type TapeCode, TapeRefusal } from './refusal.ts';

export const TAPE_VERSION = 'kestrel.tape/v1';

/** Most instruments of one tape, each strike and right counted. */
export const INSTRUMENTS_MAX = 100_000;
/** Longest symbol or root, in UTF-16 units. */
export const SYMBOL_LENGTH_MAX = 32;

/** One expiry of one root, found by name, then by strike and right. */
export interface Chain {
  readonly root: string;
  readonly expiry: string;
  /** `strikeE4 * 2`, one more for a put, to the index of the instrument. */
  readonly contracts: Map<number, number>;
}

/** Everything the header says, checked. */
export interface TapeHead {
  readonly id: string;
  readonly calendar: string;
  readonly zone: string;
  readonly date: string;
  readonly session: Session;
  readonly instruments: readonly TapeInstrument[];
  readonly reference: Readonly<Record<string, Reference>>;
  readonly header: Readonly<Record<string, unknown>>;
  /** RFC 8785 text of the header. */
  readonly canonical: string;
  /** Equities and indices to their index. */
  readonly symbols: ReadonlyMap<string, number>;
  /** `root expiry` to its chain. */
  readonly chains: ReadonlyMap<string, Chain>;
}

export function chainKey(root: string, expiry: string): string {
  return `${root} ${expiry}`;
}

/** @throws TapeRefusal at the header's line */
export function headOf(value: ExactValue, line: number): TapeHead {
  return new HeaderReader(line).read(value);
}

/** A header built in code goes through the same door as one from a file. @throws TapeRefusal */
export function headFromPlain(header: Readonly<Record<string, unknown>>): TapeHead {
  return headOf(exactOf(header), 1);
}

/** @throws TapeRefusal `header-field` on what JSON cannot hold */
function exactOf(value: unknown): ExactValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return new ExactNumber(JSON.stringify(value));
  if (Array.isArray(value)) return value.map(exactOf);
  if (typeof value === 'object') {
    const out = new Map<string, ExactValue>();
    for (const [key, member] of Object.entries(value as Record<string, unknown>)) {
      if (member !== undefined) out.set(key, exactOf(member));
    }
    return out;
  }
  throw new TapeRefusal('header-field', { line: 1, expected: 'plain JSON', got: typeof value });
}

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

class HeaderReader {
  private readonly line: number;
  private readonly instruments: TapeInstrument[] = [];
  private readonly symbols = new Map<string, number>();
  private readonly chains = new Map<string, Chain>();

  constructor(line: number) {
    this.line = line;
  }

  read(value: ExactValue): TapeHead {
    if (!(value instanceof Map) || !value.has('v')) {
      throw this.refusal('header-missing', `a header object with "v":"${TAPE_VERSION}" first`, shapeOf(value));
    }
    const head: ExactObject = value;
    if (head.get('v') !== TAPE_VERSION) {
      throw this.refusal('version-unknown', `"v":"${TAPE_VERSION}"`, shapeOf(head.get('v')));
    }
    const id = this.text(head, 'id', 'the id of the tape, a non-empty text');
    const calendar = this.text(head, 'calendar', `a calendar: ${CALENDARS.join(', ')}`);
    const date = this.text(head, 'date', 'the date of the day, YYYY-MM-DD');
    const zone = this.zone(calendar);
    const session = this.session(head, calendar, date);
    const list = head.get('instruments');
    if (!Array.isArray(list) || list.length === 0) {
      throw this.refusal('header-field', '"instruments", a list of at least one instrument', shapeOf(list));
    }
    for (const [i, entry] of list.entries()) this.instrument(entry, `instruments[${i}]`);
    const reference = this.reference(head.get('reference'));
    const header = plainObject(head);
    return {
      id,
      calendar,
      zone,
      date,
      session,
      instruments: this.instruments,
      reference,
      header,
      canonical: this.canonical(header),
      symbols: this.symbols,
      chains: this.chains,
    };
  }

  private canonical(header: Record<string, unknown>): string {
    try {
      return jcs(header);
    } catch (error) {
      if (error instanceof JcsError) throw this.refusal('header-field', 'plain JSON', error.message);
      throw error;
    }
  }

  private zone(calendar: string): string {
    try {
      return zoneOf(calendar);
    } catch (error) {
      if (!(error instanceof CalendarRefusal)) throw error;
      throw this.refusal('calendar-unknown', `a calendar: ${CALENDARS.join(', ')}`, JSON.stringify(calendar));
    }
  }

  private session(head: ExactObject, calendar: string, date: string): Session {
    if (!DATE.test(date) || !isCivilDate(date)) {
      throw this.refusal('date-bad', 'a date, YYYY-MM-DD', JSON.stringify(date));
    }
    const pinned = head.get('session');
    if (pinned !== undefined) {
      const open = pinned instanceof Map ? this.time(pinned.get('open')) : undefined;
      const close = pinned instanceof Map ? this.time(pinned.get('close')) : undefined;
      if (open === undefined || close === undefined || open >= close) {
        const wanted = '"session":{"open":t,"close":t} in microseconds, open before close, in the years 1990 to 2030';
        const got = pinned instanceof Map ? JSON.stringify(plainObject(pinned)) : shapeOf(pinned);
        throw this.refusal('session-bad', wanted, got);
      }
      return { open, close };
    }
    let session: Session | undefined;
    try {
      session = sessionOf(calendar, date);
    } catch (error) {
      if (!(error instanceof CalendarRefusal)) throw error;
      throw this.refusal('date-bad', error.expected, error.got, 'or pin "session":{"open":t,"close":t} in the header');
    }
    if (session === undefined) {
      const next = 'pin "session":{"open":t,"close":t} in the header if there was one';
      throw this.refusal('date-closed', `a day on which ${calendar} is open`, date, next);
    }
    return session;
  }

  private time(value: ExactValue | undefined): number | undefined {
    if (!(value instanceof ExactNumber)) return undefined;
    const t = scaledInteger(value.text, 0);
    return typeof t === 'number' && t >= FIRST_US && t < END_US ? t : undefined;
  }

  private instrument(entry: ExactValue, path: string): void {
    if (!(entry instanceof Map)) throw this.refusal('instrument-bad', `${path}, an object`, shapeOf(entry));
    const kind = entry.get('kind');
    switch (kind) {
      case 'equity':
      case 'index': {
        const symbol = this.name(entry, 'symbol', path);
        const tickE4 = this.positiveE4(entry.get('tick'), `${path}.tick, the least step of the price, above 0`);
        if (this.symbols.has(symbol)) {
          throw this.refusal('instrument-twice', 'each instrument once', JSON.stringify(symbol));
        }
        this.symbols.set(symbol, this.admit({ kind, symbol, tickE4 }));
        return;
      }
      case 'option':
        this.optionChain(entry, path);
        return;
      default:
        throw this.refusal('instrument-bad', `${path}.kind "equity", "index" or "option"`, shapeOf(kind));
    }
  }

  private optionChain(entry: ExactObject, path: string): void {
    const root = this.name(entry, 'root', path);
    const expiry = entry.get('expiry');
    if (typeof expiry !== 'string' || !DATE.test(expiry) || !isCivilDate(expiry)) {
      throw this.refusal('instrument-bad', `${path}.expiry, a date YYYY-MM-DD`, shapeOf(expiry));
    }
    const style = entry.get('style');
    if (style !== 'american' && style !== 'european') {
      throw this.refusal('instrument-bad', `${path}.style "american" or "european"`, shapeOf(style));
    }
    const settles = entry.get('settles');
    if (settles !== 'close' && settles !== 'open') {
      throw this.refusal('instrument-bad', `${path}.settles "close" or "open"`, shapeOf(settles));
    }
    const tickE4 = this.positiveE4(entry.get('tick'), `${path}.tick, the least step of the price, above 0`);
    const units = entry.get('multiplier');
    const multiplier = units instanceof ExactNumber ? scaledInteger(units.text, 0) : 'shape';
    if (typeof multiplier !== 'number' || multiplier <= 0 || multiplier > 1_000_000) {
      throw this.refusal('instrument-bad', `${path}.multiplier, a whole number from 1 to 1,000,000`, shapeOf(units));
    }
    const strikes = entry.get('strikes');
    if (!Array.isArray(strikes) || strikes.length === 0) {
      throw this.refusal('instrument-bad', `${path}.strikes, a list of prices`, shapeOf(strikes));
    }
    const key = chainKey(root, expiry);
    const chain: Chain = this.chains.get(key) ?? { root, expiry, contracts: new Map() };
    this.chains.set(key, chain);
    for (const strike of strikes) {
      const strikeE4 = this.positiveE4(strike, `${path}.strikes, prices above 0`);
      for (const right of ['C', 'P'] as const) {
        const contract = contractKey(strikeE4, right);
        if (chain.contracts.has(contract)) {
          throw this.refusal('instrument-twice', 'each contract once', `${root} ${expiry} ${shapeOf(strike)} ${right}`);
        }
        const option = { kind: 'option', root, expiry, right, strikeE4, multiplier, style, settles, tickE4 } as const;
        chain.contracts.set(contract, this.admit(option));
      }
    }
  }

  private admit(instrument: TapeInstrument): number {
    if (this.instruments.length >= INSTRUMENTS_MAX) {
      throw this.refusal('instruments-many', `at most ${INSTRUMENTS_MAX} instruments`, 'more');
    }
    return this.instruments.push(instrument) - 1;
  }

  private reference(value: ExactValue | undefined): Record<string, Reference> {
    const out: Record<string, Reference> = Object.create(null);
    if (value === undefined) return out;
    if (!(value instanceof Map))
      throw this.refusal('reference-bad', '"reference", an object by symbol', shapeOf(value));
    for (const [symbol, entry] of value) {
      const path = `reference.${symbol}`;
      if (!(entry instanceof Map)) throw this.refusal('reference-bad', `${path}, an object`, shapeOf(entry));
      const prior = entry.get('priorClose');
      const volume = (plainObject(entry) as { volume?: unknown }).volume;
      out[symbol] = {
        ...(prior === undefined
          ? {}
          : { priorCloseE4: this.positiveE4(prior, `${path}.priorClose, a price above 0`, 'reference-bad') }),
        distributions: this.distributions(entry.get('distributions'), `${path}.distributions`),
        ...(volume === undefined ? {} : { volume }),
      };
    }
    return out;
  }

  private distributions(value: ExactValue | undefined, path: string): Record<string, Distribution> {
    const out: Record<string, Distribution> = Object.create(null);
    if (value === undefined) return out;
    if (!(value instanceof Map)) throw this.refusal('reference-bad', `${path}, an object by series`, shapeOf(value));
    for (const [series, table] of value) {
      const p = table instanceof Map ? numbersOf(table.get('p')) : undefined;
      const x = table instanceof Map ? numbersOf(table.get('x')) : undefined;
      const sound =
        p !== undefined &&
        x !== undefined &&
        p.length > 0 &&
        p.length === x.length &&
        p.every((at, i) => at >= 0 && at <= 100 && (i === 0 || at > p[i - 1]!)) &&
        x.every((at, i) => i === 0 || at >= x[i - 1]!);
      if (!sound) {
        const wanted = `${path}.${series} {"p":[…],"x":[…]}, percents rising in 0..100, values not falling, one for each`;
        throw this.refusal(
          'reference-bad',
          wanted,
          table instanceof Map ? JSON.stringify(plainObject(table)) : shapeOf(table),
        );
      }
      out[series] = { p, x };
    }
    return out;
  }

  private text(from: ExactObject, field: string, wanted: string): string {
    const value = from.get(field);
    if (typeof value !== 'string' || value === '') {
      throw this.refusal('header-field', `"${field}", ${wanted}`, shapeOf(value));
    }
    return value;
  }

  private name(from: ExactObject, field: string, path: string): string {
    const value = from.get(field);
    // A space or a control character in a symbol could not be written in a document, nor read in a report.
    if (typeof value !== 'string' || value.length > SYMBOL_LENGTH_MAX || !/^[^\s\p{C}]+$/u.test(value)) {
      const wanted = `${path}.${field}, 1 to ${SYMBOL_LENGTH_MAX} characters without spaces`;
      throw this.refusal('instrument-bad', wanted, shapeOf(value));
    }
    return value;
  }

  private positiveE4(value: ExactValue | undefined, wanted: string, code: TapeCode = 'instrument-bad'): number {
    const found: number | DecimalFault = value instanceof ExactNumber ? priceE4(value.text) : 'shape';
    if (found === 'precise') throw this.refusal('number-precise', `${wanted}, at most 4 decimals`, shapeOf(value));
    if (found === 'range') throw this.refusal('price-range', `${wanted}, at most ${PRICE_UNITS_MAX}`, shapeOf(value));
    if (found === 'shape' || found <= 0) throw this.refusal(code, wanted, shapeOf(value));
    return found;
  }

  private refusal(code: TapeCode, expected: string, got: string, next?: string): TapeRefusal {
    return new TapeRefusal(code, { line: this.line, expected, got, ...(next === undefined ? {} : { next }) });
  }
}

export function contractKey(strikeE4: number, right: 'C' | 'P'): number {
  return strikeE4 * 2 + (right === 'P' ? 1 : 0);
}

function numbersOf(value: ExactValue | undefined): number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const out: number[] = [];
  for (const item of value) {
    if (!(item instanceof ExactNumber)) return undefined;
    out.push(item.value);
  }
  return out;
}

/** Whether `YYYY-MM-DD` names a day that exists. */
export function isCivilDate(date: string): boolean {
  const year = Number(date.slice(0, 4));
  const month = Number(date.slice(5, 7));
  const day = Number(date.slice(8, 10));
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 ? (leap ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return day <= days;
}
