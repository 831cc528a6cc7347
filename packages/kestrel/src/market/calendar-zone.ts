/**
 * Clocks of a zone: UTC microseconds to a local date and clock and back, with the gaps and overlaps that a change of
 * the clocks leaves. The host's zone and locale never enter.
 *
 * The zones of the calendars here (`America/New_York`, `America/Chicago`, `UTC`) follow rules written below, so that no
 * report depends on a runtime's zone tables; any other IANA name is read from the runtime's.
 */

import {
  CalendarRefusal,
  dayNumberOf,
  FIRST_DATE,
  isoDateOf,
  outOfRange,
  parseDate,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_SECOND,
  weekdayOfDay,
} from './calendar-date.ts';

/** A reading of a wall clock. `us` is microseconds within the second. */
export interface LocalTime {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly h: number;
  readonly m: number;
  readonly s: number;
  readonly us: number;
}

/** What a local time means in UTC microseconds: one instant, none (clocks went forward), or two (clocks went back). */
export type UtcTime =
  | { readonly kind: 'exact'; readonly t: number }
  /** `t` is the instant at which the clocks jumped over the time asked for. */
  | { readonly kind: 'gap'; readonly t: number }
  | { readonly kind: 'overlap'; readonly first: number; readonly second: number };

/** Instants from the start of the first date to the end of the last one, in any zone. */
const T_MIN = dayNumberOf({ year: 1990, month: 1, day: 1 }) * US_PER_DAY - US_PER_DAY;
const T_MAX = dayNumberOf({ year: 2031, month: 1, day: 1 }) * US_PER_DAY + US_PER_DAY;

/** Zones kept with their offsets; the oldest is dropped beyond this. */
const ZONES_MAX = 64;
const ZONE_NAME_CHARS_MAX = 64;

/** A stretch `[from, until)` of UTC in which the offset, local less UTC, stands still. In microseconds. */
interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

interface Zone {
  readonly name: string;
  /** Computes the stretch around an instant; called once a stretch. */
  readonly stretchAt: (t: number) => Stretch;
  /** Known stretches; at most two a year and one a day, by the number of days covered. */
  readonly stretches: Map<number, Stretch>;
  last: Stretch;
  /** The local day last written, and its text; the one last read, and its text. */
  day: number;
  date: string;
  dayRead: number;
  dateRead: string;
}

const zones = new Map<string, Zone>();

/**
 * @param zone IANA name
 * @param t microseconds since the Unix epoch, an integer
 * @throws CalendarRefusal `unknown-zone`, `date-out-of-range`
 */
export function utcToLocal(zone: string, t: number): LocalTime {
  const found = zoneNamed(zone);
  const local = t + offsetAt(found, t);
  const day = Math.floor(local / US_PER_DAY);
  if (day !== found.day) {
    found.date = isoDateOf(day);
    found.day = day;
  }
  const us = local - day * US_PER_DAY;
  const seconds = Math.floor(us / US_PER_SECOND);
  const minutes = Math.floor(seconds / 60);
  const h = Math.floor(minutes / 60);
  return { date: found.date, h, m: minutes - h * 60, s: seconds - minutes * 60, us: us - seconds * US_PER_SECOND };
}

/** The local date `YYYY-MM-DD` at an instant. @throws CalendarRefusal as {@link utcToLocal} */
export function isoDateIn(zone: string, t: number): string {
  return utcToLocal(zone, t).date;
}

/**
 * @param zone IANA name
 * @param local `date` `YYYY-MM-DD`, `h` 0 to 23, `m` and `s` 0 to 59, `us` 0 to 999,999 (0 if absent)
 * @throws CalendarRefusal `unknown-zone`, `bad-date`, `date-out-of-range`, `bad-clock`
 */
export function localToUtc(zone: string, local: Omit<LocalTime, 'us'> & { readonly us?: number }): UtcTime {
  const zoned = zoneNamed(zone);
  if (local.date !== zoned.dateRead) {
    zoned.dayRead = parseDate(local.date);
    zoned.dateRead = local.date;
  }
  const wall = zoned.dayRead * US_PER_DAY + clockUs(local);
  const { last } = zoned;
  const likely = wall - last.offset;
  // Farther than a day from any change, one offset is all there is.
  if (likely - last.from >= US_PER_DAY && last.until - likely > US_PER_DAY) return { kind: 'exact', t: likely };
  // Offsets lie within a day, so only what is in force from a day before to a day after can hold the instant.
  const instants: number[] = [];
  let gap = Number.NaN;
  let stretch = stretchOf(zoned, wall - US_PER_DAY);
  for (;;) {
    const t = wall - stretch.offset;
    if (t >= stretch.from && t < stretch.until) instants.push(t);
    if (stretch.until > wall + US_PER_DAY) break;
    const next = stretchOf(zoned, stretch.until);
    if (t >= stretch.until && wall - next.offset < next.from) gap = next.from;
    stretch = next;
  }
  const [first, second] = instants;
  if (first === undefined) return { kind: 'gap', t: gap };
  return second === undefined ? { kind: 'exact', t: first } : { kind: 'overlap', first, second };
}

function clockUs(local: { readonly h: number; readonly m: number; readonly s: number; readonly us?: number }): number {
  const { h, m, s, us = 0 } = local;
  const whole = (value: number, limit: number) => Number.isInteger(value) && value >= 0 && value < limit;
  if (!whole(h, 24) || !whole(m, 60) || !whole(s, 60) || !whole(us, US_PER_SECOND)) {
    throw new CalendarRefusal('bad-clock', {
      expected: 'a clock from 00:00:00 to 23:59:59.999999',
      got: `${h}:${m}:${s} and ${us} us`,
      next: 'write whole hours, minutes, seconds and microseconds; midnight is 00:00 of the next date',
    });
  }
  return h * US_PER_HOUR + m * US_PER_MINUTE + s * US_PER_SECOND + us;
}

function offsetAt(zone: Zone, t: number): number {
  const { last } = zone;
  return t >= last.from && t < last.until ? last.offset : stretchOf(zone, t).offset;
}

function stretchOf(zone: Zone, t: number): Stretch {
  if (t >= zone.last.from && t < zone.last.until) return zone.last;
  if (!(t >= T_MIN && t < T_MAX) || !Number.isInteger(t)) throw outOfRange(`${t} microseconds`);
  const key = Math.floor(t / US_PER_DAY);
  const known = zone.stretches.get(key);
  const stretch = known !== undefined && t >= known.from && t < known.until ? known : zone.stretchAt(t);
  zone.stretches.set(key, stretch);
  zone.last = stretch;
  return stretch;
}

function zoneNamed(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const hours = US_STANDARD_HOURS.get(name);
  const stretchAt =
    hours !== undefined ? (t: number) => usStretch(hours, t) : name === 'UTC' ? () => UTC_STRETCH : runtimeZone(name);
  const zone: Zone = {
    name,
    stretchAt,
    stretches: new Map(),
    last: { from: 0, until: 0, offset: 0 },
    day: Number.NaN,
    date: '',
    dayRead: parseDate(FIRST_DATE),
    dateRead: FIRST_DATE,
  };
  const oldest = zones.keys().next();
  if (zones.size >= ZONES_MAX && !oldest.done) zones.delete(oldest.value);
  zones.set(name, zone);
  return zone;
}

const UTC_STRETCH: Stretch = { from: T_MIN, until: T_MAX, offset: 0 };

/** Zones that change their clocks by the rules of the United States, with their standard offset in hours. */
const US_STANDARD_HOURS: ReadonlyMap<string, number> = new Map([
  ['America/New_York', -5],
  ['America/Chicago', -6],
]);

/**
 * Clocks change at 02:00 local. To 2006, daylight saving ran from the first Sunday of April to the last of October
 * (Uniform Time Act as amended 1986); from 2007 on, from the second Sunday of March to the first of November (Energy
 * Policy Act of 2005).
 */
function usStretch(standardHours: number, t: number): Stretch {
  const standard = standardHours * US_PER_HOUR;
  const year = +isoDateOf(Math.floor((t + standard) / US_PER_DAY)).slice(0, 4);
  const begins = springForward(year) * US_PER_DAY + 2 * US_PER_HOUR - standard;
  const ends = fallBack(year) * US_PER_DAY + US_PER_HOUR - standard;
  if (t < begins) {
    return { from: fallBack(year - 1) * US_PER_DAY + US_PER_HOUR - standard, until: begins, offset: standard };
  }
  if (t < ends) return { from: begins, until: ends, offset: standard + US_PER_HOUR };
  return { from: ends, until: springForward(year + 1) * US_PER_DAY + 2 * US_PER_HOUR - standard, offset: standard };
}

function springForward(year: number): number {
  return year < 2007 ? sundayFrom(year, { month: 4, day: 1 }) : sundayFrom(year, { month: 3, day: 8 });
}

function fallBack(year: number): number {
  return year < 2007 ? sundayFrom(year, { month: 10, day: 25 }) : sundayFrom(year, { month: 11, day: 1 });
}

/** Day number of the first Sunday on or after a date. */
function sundayFrom(year: number, from: { readonly month: number; readonly day: number }): number {
  const day = dayNumberOf({ year, ...from });
  return day + 7 - weekdayOfDay(day);
}

/** Stretches of a zone known to the runtime, at most a day long where the clocks stand still. */
function runtimeZone(name: string): (t: number) => Stretch {
  const unknown = () =>
    new CalendarRefusal('unknown-zone', {
      expected: 'an IANA zone name such as America/New_York',
      got: name,
      next: 'write the name as the IANA time zone database has it',
    });
  // `+05:00` is a zone to some runtimes and an error to others: only names are taken.
  if (typeof name !== 'string' || name.length > ZONE_NAME_CHARS_MAX || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) {
    throw unknown();
  }
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw unknown();
  }
  const offset = (t: number) => readOffset(format, t);
  return (t) => {
    const from = Math.floor(t / US_PER_DAY) * US_PER_DAY;
    const until = from + US_PER_DAY;
    const [left, right] = [offset(from), offset(until)];
    if (left === right) return { from, until, offset: left };
    const change = changeBetween({ from, until, left }, offset);
    return t < change ? { from, until: change, offset: left } : { from: change, until, offset: right };
  };
}

/** The first instant, to the second, at which the offset is no longer `left`. */
function changeBetween(
  span: { readonly from: number; readonly until: number; readonly left: number },
  offset: (t: number) => number,
): number {
  let [same, changed] = [span.from, span.until];
  while (changed - same > US_PER_SECOND) {
    const middle = same + Math.floor((changed - same) / (2 * US_PER_SECOND)) * US_PER_SECOND;
    if (offset(middle) === span.left) same = middle;
    else changed = middle;
  }
  return changed;
}

function readOffset(format: Intl.DateTimeFormat, t: number): number {
  const seconds = Math.floor(t / US_PER_SECOND);
  const field = new Map<string, number>();
  for (const part of format.formatToParts(seconds * 1_000)) field.set(part.type, Number(part.value));
  const get = (name: string) => field.get(name)!;
  const day = dayNumberOf({ year: get('year'), month: get('month'), day: get('day') });
  const local = day * US_PER_DAY + get('hour') * US_PER_HOUR + get('minute') * US_PER_MINUTE;
  return local + get('second') * US_PER_SECOND - seconds * US_PER_SECOND;
}

/** Whether a name is a zone. */
export function isZone(name: string): boolean {
  try {
    zoneNamed(name);
    return true;
  } catch (error) {
    if (error instanceof CalendarRefusal) return false;
    throw error;
  }
}
