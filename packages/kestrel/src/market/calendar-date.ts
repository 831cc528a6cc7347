/**
 * Civil dates without a host clock: `YYYY-MM-DD` to a day number and back, weekdays, and the refusals of a calendar.
 */

export type CalendarCode = 'unknown-calendar' | 'unknown-zone' | 'bad-date' | 'bad-clock' | 'date-out-of-range';

/** A caller's mistake about a calendar, a zone, a date or a clock. `got` is cut at 100 characters. */
export class CalendarRefusal extends Error {
  override readonly name = 'CalendarRefusal';
  readonly code: CalendarCode;
  readonly expected: string;
  readonly got: string;

  constructor(code: CalendarCode, facts: { readonly expected: string; readonly got: unknown; readonly next: string }) {
    const got = cut(facts.got);
    super(`${facts.expected} is wanted, got ${got}: ${facts.next}`);
    this.code = code;
    this.expected = facts.expected;
    this.got = got;
  }
}

const GOT_CHARS_MAX = 100;

function cut(got: unknown): string {
  const text = typeof got === 'string' ? got : String(got);
  return text.length > GOT_CHARS_MAX ? `${text.slice(0, GOT_CHARS_MAX)}…` : text;
}

/** What the tables of this folder cover: the years of `XNYS`, and of the zones' offsets. */
export const FIRST_DATE = '1990-01-01';
export const LAST_DATE = '2030-12-31';

export const US_PER_SECOND = 1_000_000;
export const US_PER_MINUTE = 60 * US_PER_SECOND;
export const US_PER_HOUR = 60 * US_PER_MINUTE;
export const US_PER_DAY = 24 * US_PER_HOUR;

/** Instants that fall in these years whatever the zone: from the first, and before the second, microseconds. */
export const FIRST_US = 631_152_000_000_000;
export const END_US = 1_924_992_000_000_000;

/** Days since 1970-01-01 of a proleptic Gregorian date. Years count from March, so that the leap day comes last. */
export function dayNumberOf(civil: { readonly year: number; readonly month: number; readonly day: number }): number {
  const year = civil.month <= 2 ? civil.year - 1 : civil.year;
  const era = Math.floor(year / 400);
  const yearOfEra = year - era * 400;
  const monthFromMarch = (civil.month + 9) % 12;
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + civil.day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function civilOf(dayNumber: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = dayNumber + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day };
}

/** `YYYY-MM-DD` of a day number in the years 0 to 9999. */
export function isoDateOf(dayNumber: number): string {
  const { year, month, day } = civilOf(dayNumber);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/**
 * @param date `YYYY-MM-DD`, a day that exists, within `FIRST_DATE` to `LAST_DATE`
 * @returns days since 1970-01-01
 * @throws CalendarRefusal `bad-date`, `date-out-of-range`
 */
export function parseDate(date: string): number {
  if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(date)) throw badDate(date);
  const number = dayNumberOf({ year: +date.slice(0, 4), month: +date.slice(5, 7), day: +date.slice(8, 10) });
  // A day that does not exist (February 30th) names another one when it is written back.
  if (date.slice(5, 7) > '12' || isoDateOf(number) !== date) throw badDate(date);
  if (date < FIRST_DATE || date > LAST_DATE) throw outOfRange(date);
  return number;
}

function badDate(got: unknown): CalendarRefusal {
  return new CalendarRefusal('bad-date', { expected: 'a date YYYY-MM-DD', got, next: 'write a day that exists' });
}

export function outOfRange(got: unknown): CalendarRefusal {
  return new CalendarRefusal('date-out-of-range', {
    expected: `a date from ${FIRST_DATE} to ${LAST_DATE}`,
    got,
    next: 'calendars and zones are known for these years only',
  });
}

/** ISO weekday of a date: 1 is Monday, 7 is Sunday. @throws CalendarRefusal as {@link parseDate} */
export function weekdayOf(date: string): number {
  return weekdayOfDay(parseDate(date));
}

/** ISO weekday of a day number: day 0, 1970-01-01, was a Thursday. */
export function weekdayOfDay(dayNumber: number): number {
  return ((((dayNumber + 3) % 7) + 7) % 7) + 1;
}
