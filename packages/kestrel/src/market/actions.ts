/**
 * What happens to a security from one day to another: splits, new names, distributions. A tape's header tells what took
 * effect on its day and before; where it says nothing, prices that cannot be of one share are told as such.
 */
import { nthSessionAfter } from './calendar.ts';
import type { Tape } from './columns.ts';
import { firstPriceE4, lastPriceE4 } from './day-prices.ts';
import { PRICE_E4_MAX } from './decimal.ts';

/** Shares after, for shares before: `[7, 1]` is a split of seven for one, `[1, 8]` a reverse split. */
export type Ratio = readonly [after: number, before: number];

export type CorporateAction =
  | { readonly kind: 'split'; readonly effective: string; readonly ratio: Ratio }
  | { readonly kind: 'rename'; readonly effective: string; readonly from: string; readonly to: string }
  /** Paid to who held at the close before: cash, or the worth of shares of another company. Units of currency. */
  | { readonly kind: 'distribution'; readonly effective: string; readonly amount: number; readonly close: number };

/** `actions[SYMBOL]` of a header: all that took effect from a day to the tape's own, both included. */
export interface ActionRecord {
  /** `YYYY-MM-DD` */
  readonly from: string;
  /** In the order of their days. */
  readonly list: readonly CorporateAction[];
}

/** Most actions that a record may have. */
export const ACTIONS_MAX = 1_000;
/** Splits by whole numbers up to this are plain; any other ratio leaves parts of shares. */
export const RATIO_MAX = 100;
/** A distribution of this share of the close or more is no ordinary dividend: options are adjusted for it. */
export const ORDINARY_SHARE_MAX = 0.025;

/** Prices of one share from a day to a later one, as a ratio, where nothing is told of actions between. */
const SUSPECT_BELOW = 0.7;
const SUSPECT_ABOVE = 1.43;
/** How far the prior close that the next day's tape states may be from the last price of the day before. */
const PRIOR_CLOSE_APART = 0.05;

/** The end of a day, as the next one wants it. */
export interface DayEnd {
  readonly calendar: string;
  readonly date: string;
  readonly symbol: string;
  /** Official close, else the last price of the session; null without either. */
  readonly lastE4: number | null;
}

/** From the end of one day to the tape of a later one. */
export type Passage =
  /** `told` by the tape's header, or only `supposed`, since prices do not speak against it. */
  | { readonly kind: 'none'; readonly by: 'told' | 'supposed' }
  | {
      readonly kind: 'changed';
      /** Its name on the later day. */
      readonly symbol: string;
      /** All splits between, multiplied; `[1, 1]` where there are none. */
      readonly ratio: Ratio;
      /** Ordinary dividends between, in shares of the day before each. */
      readonly distributions: readonly Extract<CorporateAction, { readonly kind: 'distribution' }>[];
    }
  /** What was held cannot be carried over: the reason is a sentence. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** @param symbol a share or index of both tapes, by its name on the earlier one */
export function actionsBetween(earlier: Tape, later: Tape, symbol: string): Passage {
  return passageTo(later, dayEndOf(earlier, symbol));
}

export function dayEndOf(tape: Tape, symbol: string): DayEnd {
  return { calendar: tape.calendar, date: tape.date, symbol, lastE4: lastPriceE4(tape, symbol) };
}

export function passageTo(tape: Tape, end: DayEnd): Passage {
  if (tape.date <= end.date) return unknown(`${tape.date} is not after ${end.date}`);
  const records = recordsOf(tape.header);
  if (typeof records === 'string') return unknown(records);
  for (const [symbol, record] of records) {
    if (record.from > end.date) continue;
    if (nameAt(record, { symbol, date: end.date }) === end.symbol) return told(record, { symbol, end });
  }
  const record = records.get(end.symbol);
  if (record === undefined) return supposed(tape, end);
  if (record.from > end.date) {
    return unknown(`the actions of ${end.symbol} on the tape of ${tape.date} begin ${record.from}, after ${end.date}`);
  }
  const was = nameAt(record, { symbol: end.symbol, date: end.date });
  return unknown(`${end.symbol} of ${tape.date} was named ${was} on ${end.date}: it is another security`);
}

/** The name that a security had at the end of a day, by the renames since. */
function nameAt({ list }: ActionRecord, what: { readonly symbol: string; readonly date: string }): string {
  return list.reduceRight(
    (name, each) => (each.kind === 'rename' && each.effective > what.date && each.to === name ? each.from : name),
    what.symbol,
  );
}

function told({ list }: ActionRecord, what: { readonly symbol: string; readonly end: DayEnd }): Passage {
  const { symbol, end } = what;
  let ratio: Ratio = [1, 1];
  const distributions: Extract<CorporateAction, { readonly kind: 'distribution' }>[] = [];
  for (const each of list) {
    if (each.effective <= end.date) continue;
    switch (each.kind) {
      case 'split': {
        const next = product(ratio, each.ratio);
        if (next === undefined) {
          const [after, before] = each.ratio;
          return unknown(
            `${symbol} was split ${after} for ${before} on ${each.effective}, which leaves parts of shares`,
          );
        }
        ratio = next;
        break;
      }
      case 'distribution':
        if (each.amount >= each.close * ORDINARY_SHARE_MAX) {
          const what = `${each.amount} on a close of ${each.close}`;
          return unknown(
            `${symbol} gave ${what} on ${each.effective}: a spin-off or special dividend, of terms untold`,
          );
        }
        distributions.push(each);
        break;
      case 'rename':
        break;
      default:
        return never(each);
    }
  }
  const same = symbol === end.symbol && ratio[0] === 1 && ratio[1] === 1 && distributions.length === 0;
  return same ? { kind: 'none', by: 'told' } : { kind: 'changed', symbol, ratio, distributions };
}

/** Nothing is told: prices decide whether it can be the same share. */
function supposed(tape: Tape, { symbol, date, calendar, lastE4 }: DayEnd): Passage {
  if (!tape.instruments.some((each) => each.kind !== 'option' && each.symbol === symbol)) {
    return unknown(`the tape of ${tape.date} has no ${symbol}, and tells no new name of it`);
  }
  if (lastE4 === null) return unknown(`${symbol} has no price on ${date}, and no actions are told on ${tape.date}`);
  const firstE4 = firstPriceE4(tape, symbol);
  const priorE4 = tape.reference[symbol]?.priorCloseE4;
  if (priorE4 !== undefined && isNext(tape, { calendar, date }) && apart(priorE4, lastE4) > PRIOR_CLOSE_APART) {
    return suspicion(
      symbol,
      `a prior close of ${units(priorE4)} on ${tape.date}, a last price of ${units(lastE4)} before`,
    );
  }
  const nowE4 = firstE4 ?? priorE4 ?? null;
  if (nowE4 === null) return unknown(`${symbol} has no price on ${tape.date}, and no actions are told`);
  if (nowE4 < lastE4 * SUSPECT_BELOW || nowE4 > lastE4 * SUSPECT_ABOVE) {
    return suspicion(symbol, `${units(nowE4)} on ${tape.date} after ${units(lastE4)} on ${date}`);
  }
  return { kind: 'none', by: 'supposed' };
}

function suspicion(symbol: string, prices: string): Passage {
  const next = 'import the later day with its actions to say whether it was split';
  return unknown(`${symbol} shows ${prices}, and no actions are told: ${next}`);
}

function isNext(tape: Tape, before: { readonly calendar: string; readonly date: string }): boolean {
  try {
    return nthSessionAfter(before.calendar, before.date, 1) === tape.date;
  } catch {
    return false;
  }
}

const apart = (a: number, b: number): number => Math.abs(a / b - 1);
const units = (e4: number): number => e4 / 10_000;

/** Multiplied and brought to lowest terms; undefined where a term is past {@link RATIO_MAX}. */
function product(a: Ratio, b: Ratio): Ratio | undefined {
  const [after, before] = [a[0] * b[0], a[1] * b[1]];
  const divisor = commonDivisor(after, before);
  const lowest = [after / divisor, before / divisor] as const;
  return lowest[0] <= RATIO_MAX && lowest[1] <= RATIO_MAX ? lowest : undefined;
}

export function commonDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** The header's `actions` by symbol; none where it has no such field, or one of another shape. */
export function actionRecords({ header }: Pick<Tape, 'header'>): ReadonlyMap<string, ActionRecord> {
  const records = recordsOf(header);
  return typeof records === 'string' ? new Map() : records;
}

/** The header's records by symbol; a sentence where they are none. */
function recordsOf(header: Readonly<Record<string, unknown>>): ReadonlyMap<string, ActionRecord> | string {
  const { actions } = header;
  if (actions === undefined) return new Map();
  if (!isObject(actions)) return 'the header’s "actions" is no object by symbol';
  const out = new Map<string, ActionRecord>();
  for (const [symbol, record] of Object.entries(actions)) {
    if (!isRecord(record)) return `the header’s "actions" of ${JSON.stringify(symbol)} is no record of actions`;
    out.set(symbol, record);
  }
  return out;
}

function isRecord(value: unknown): value is ActionRecord {
  if (!isObject(value) || !isDate(value.from) || !Array.isArray(value.list)) return false;
  const { list } = value;
  if (list.length > ACTIONS_MAX || !list.every(isAction)) return false;
  return list.every((each, i) => i === 0 || each.effective >= list[i - 1]!.effective);
}

function isAction(value: unknown): value is CorporateAction {
  if (!isObject(value) || !isDate(value.effective)) return false;
  switch (value.kind) {
    case 'split':
      return Array.isArray(value.ratio) && value.ratio.length === 2 && value.ratio.every(isTerm);
    case 'rename':
      return typeof value.from === 'string' && typeof value.to === 'string';
    case 'distribution':
      return isAmount(value.amount) && isAmount(value.close);
    default:
      return false;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isDate = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value);
const isTerm = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= 1_000_000_000;
const isAmount = (value: unknown): boolean => typeof value === 'number' && value > 0 && value * 10_000 <= PRICE_E4_MAX;

function unknown(reason: string): Passage {
  return { kind: 'unknown', reason };
}

function never(value: never): never {
  throw new RangeError(`unreachable: ${String(value)}`);
}
