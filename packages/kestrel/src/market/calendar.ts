/**
 * Trading calendars: the sessions, half days and closures of an exchange, and of a market that never closes.
 * Times are integers of microseconds since the Unix epoch; dates are exchange local, `YYYY-MM-DD`.
 */

import {
  CalendarRefusal,
  civilOf,
  FIRST_DATE,
  isoDateOf,
  LAST_DATE,
  outOfRange,
  parseDate,
  US_PER_DAY,
  weekdayOfDay,
} from './calendar-date.ts';
import { XNYS } from './calendar-xnys.ts';
import { localToUtc } from './calendar-zone.ts';

export { type CalendarCode, CalendarRefusal, weekdayOf } from './calendar-date.ts';
export { isoDateIn, isZone, type LocalTime, localToUtc, type UtcTime, utcToLocal } from './calendar-zone.ts';

/** Open for `open <= t <= close`. */
export interface Session {
  readonly open: number;
  readonly close: number;
}

/** The New York Stock Exchange, and a market that is open around the clock, UTC day by UTC day. */
export const CALENDARS = ['XNYS', 'ALWAYS'] as const;
export type CalendarName = (typeof CALENDARS)[number];

/**
 * @returns the scheduled session of a date, or undefined on a day without one
 * @throws CalendarRefusal `unknown-calendar`, `bad-date`, `date-out-of-range`
 */
export function sessionOf(calendar: string, date: string): Session | undefined {
  const name = calendarNamed(calendar);
  const day = parseDate(date);
  switch (name) {
    case 'XNYS': {
      const minute = closeMinuteOf(day);
      return minute === 0 ? undefined : { open: utcOf(date, OPEN_MINUTE), close: utcOf(date, minute) };
    }
    case 'ALWAYS':
      return { open: day * US_PER_DAY, close: (day + 1) * US_PER_DAY };
    default:
      return never(name);
  }
}

/** Whether a date's session closes before the exchange's usual hour. @throws CalendarRefusal as {@link sessionOf} */
export function isHalfDay(calendar: string, date: string): boolean {
  const name = calendarNamed(calendar);
  const day = parseDate(date);
  switch (name) {
    case 'XNYS': {
      const minute = closeMinuteOf(day);
      return minute !== 0 && minute < USUAL_CLOSE_MINUTE;
    }
    case 'ALWAYS':
      return false;
    default:
      return never(name);
  }
}

/** The IANA zone of a calendar's clocks. @throws CalendarRefusal `unknown-calendar` */
export function zoneOf(calendar: string): string {
  const name = calendarNamed(calendar);
  switch (name) {
    case 'XNYS':
      return XNYS.zone;
    case 'ALWAYS':
      return 'UTC';
    default:
      return never(name);
  }
}

/**
 * @param span both ends included
 * @returns the dates of the sessions, in order; none if `to` is before `from`
 * @throws CalendarRefusal `unknown-calendar`, `bad-date`, `date-out-of-range`
 */
export function sessionsBetween(calendar: string, span: { readonly from: string; readonly to: string }): string[] {
  const name = calendarNamed(calendar);
  const [from, to] = [parseDate(span.from), parseDate(span.to)];
  const dates: string[] = [];
  for (let day = from; day <= to; day++) if (hasSession(name, day)) dates.push(isoDateOf(day));
  return dates;
}

/**
 * The n-th session after a date, which need not be a session itself; 0 is the date as given, as in `0dte`.
 *
 * @param n a whole number from 0 on
 * @throws CalendarRefusal `unknown-calendar`, `bad-date`, `date-out-of-range` (a session past the last known one too)
 */
export function nthSessionAfter(calendar: string, date: string, n: number): string {
  return nthSession(calendar, { date, n, step: 1 });
}

/** The n-th session before a date; 0 is the date as given. @throws CalendarRefusal as {@link nthSessionAfter} */
export function nthSessionBefore(calendar: string, date: string, n: number): string {
  return nthSession(calendar, { date, n, step: -1 });
}

function nthSession(
  calendar: string,
  { date, n, step }: { readonly date: string; readonly n: number; readonly step: 1 | -1 },
): string {
  const name = calendarNamed(calendar);
  let day = parseDate(date);
  if (!Number.isSafeInteger(n) || n < 0) throw outOfRange(`session ${n} from ${date}`);
  const [first, last] = [parseDate(FIRST_DATE), parseDate(LAST_DATE)];
  for (let left = n; left > 0; ) {
    day += step;
    if (day < first || day > last) throw outOfRange(`session ${step * n} from ${date}`);
    if (hasSession(name, day)) left -= 1;
  }
  return isoDateOf(day);
}

function hasSession(name: CalendarName, day: number): boolean {
  return name === 'ALWAYS' || closeMinuteOf(day) !== 0;
}

function utcOf(date: string, minute: number): number {
  const h = Math.floor(minute / 60);
  const utc = localToUtc(XNYS.zone, { date, h, m: minute - h * 60, s: 0 });
  // Clocks change at two on a Sunday morning: no session's hour is skipped or doubled.
  if (utc.kind !== 'exact') throw new Error(`${date} has no single ${h} o'clock in ${XNYS.zone}`);
  return utc.t;
}

function calendarNamed(name: string): CalendarName {
  if (name === 'XNYS' || name === 'ALWAYS') return name;
  throw new CalendarRefusal('unknown-calendar', {
    expected: `a calendar (${CALENDARS.join(', ')})`,
    got: name,
    next: 'name one of these',
  });
}

const XNYS_FIRST_YEAR = +XNYS.first.slice(0, 4);

/** Minute of the day of the close, exchange local; 0 on a day without a session. */
function closeMinuteOf(day: number): number {
  if (weekdayOfDay(day) > 5) return 0;
  const { year, month, day: dayOfMonth } = civilOf(day);
  const key = ` ${String(month * 100 + dayOfMonth).padStart(4, '0')}`;
  // Two short lines a year are searched as text: a table of all the years costs more at start-up than it saves.
  const row = year - XNYS_FIRST_YEAR;
  if (XNYS.closures[row]!.includes(key)) return 0;
  const early = XNYS.earlyCloses[row]!;
  const at = early.indexOf(`${key}@`);
  return at < 0 ? USUAL_CLOSE_MINUTE : minuteOf(early.slice(at + 6, at + 10));
}

const OPEN_MINUTE = minuteOf(XNYS.open);
const USUAL_CLOSE_MINUTE = minuteOf(XNYS.close);

function minuteOf(clock: string): number {
  return +clock.slice(0, 2) * 60 + +clock.slice(2, 4);
}

function never(value: never): never {
  throw new Error(`not a calendar: ${String(value)}`);
}
