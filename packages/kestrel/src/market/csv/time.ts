/** Times as people write them, to UTC microseconds. The format is found at the first row, then held to. */
import { type DayClock, dayClock } from '../clock.ts';
import { scaledInteger } from '../decimal.ts';
import { isCivilDate } from '../header.ts';
import type { TapeCode } from '../refusal.ts';

/**
 * `s ms us ns`: numbers since 1970 UTC. `iso`: `2013-10-07[T ]09:30[:00[.000000]][Z|-04:00]`. `compact`:
 * `20131007 09:30[:00]`. `mdy`, `dmy`: `10/7/2013 9:30[:00] [AM]`. `clock`: `09:30[:00]` of the tape's date.
 * `ms-of-day`: milliseconds since the local midnight of the tape's date. `date`: a day alone.
 */
export const TIME_FORMATS = [
  's',
  'ms',
  'us',
  'ns',
  'iso',
  'compact',
  'mdy',
  'dmy',
  'clock',
  'ms-of-day',
  'date',
] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

export interface TimeFault {
  readonly code: TapeCode;
  readonly expected: string;
}

export interface TimeRules {
  readonly format?: TimeFormat;
  /** IANA zone of local times. */
  readonly zone?: string;
  /** Zone of days alone, where none is said. */
  readonly dayZone?: string;
  /** `YYYY-MM-DD`, for times without a date. */
  readonly date?: string;
  /** What becomes of nanoseconds: `floor` cuts them off. Default `refuse`. */
  readonly belowUs?: 'refuse' | 'floor';
}

/** Decimals that a number of each unit may have and still be whole microseconds. */
const EPOCH_SCALE = { s: 6, ms: 3, us: 0, ns: -3 } as const;

const ISO =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)? ?(Z|UTC|[+-][0-9]{2}:?[0-9]{2})?$/;
const COMPACT = /^([0-9]{4})([0-9]{2})([0-9]{2})[ T]([0-9]{2}):?([0-9]{2})(?::?([0-9]{2})(?:\.([0-9]{1,9}))?)?$/;
const SLASHED =
  /^([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})[ T]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?: ?([AaPp])[Mm])?$/;
const CLOCK = /^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?$/;
const DAY = /^([0-9]{4})-?([0-9]{2})-?([0-9]{2})$/;

export class TimeReader {
  private readonly rules: TimeRules;
  private format: TimeFormat | undefined;
  private clock: DayClock | undefined;

  constructor(rules: TimeRules) {
    this.rules = rules;
    this.format = rules.format;
  }

  /** Whether the times are days alone. */
  get isDates(): boolean {
    return this.format === 'date';
  }

  /** @returns microseconds; of `date`, of local midnight */
  read(text: string): number | TimeFault {
    this.format ??= formatOf(text);
    switch (this.format) {
      case 's':
      case 'ms':
      case 'us':
      case 'ns':
        return this.epoch(text, EPOCH_SCALE[this.format]);
      case 'iso':
        return this.iso(text);
      case 'compact': {
        const found = COMPACT.exec(text);
        if (found === null) return fault('time-bad', 'YYYYMMDD HH:MM:SS');
        const [, y, mo, d, h, mi, s, fraction] = found;
        return this.local(`${y}-${mo}-${d}`, { h: h!, mi: mi!, s, fraction });
      }
      case 'mdy':
      case 'dmy':
        return this.slashed(text, this.format);
      case 'clock': {
        const found = CLOCK.exec(text);
        if (found === null) return fault('time-bad', 'HH:MM:SS');
        const [, h, mi, s, fraction] = found;
        if (this.rules.date === undefined) return fault('option-bad', 'a date, for times without one');
        return this.local(this.rules.date, { h: h!, mi: mi!, s, fraction });
      }
      case 'ms-of-day': {
        const us = scaledInteger(text, 3);
        if (typeof us !== 'number') return fault('time-bad', 'milliseconds since midnight');
        if (this.rules.date === undefined) return fault('option-bad', 'a date, for times without one');
        return this.wall(this.rules.date, us);
      }
      case 'date': {
        const found = DAY.exec(text);
        return found === null
          ? fault('time-bad', 'YYYY-MM-DD')
          : this.wall(`${found[1]}-${found[2]}-${found[3]}`, 0, this.rules.zone ?? this.rules.dayZone);
      }
      case undefined: {
        const forms = 'a time such as 2013-10-07 09:30:00, 20131007 09:30:00, or a number since 1970';
        return fault('time-bad', `${forms}; or name its format: ${TIME_FORMATS.join(', ')}`);
      }
      default:
        return never(this.format);
    }
  }

  private epoch(text: string, scale: number): number | TimeFault {
    const t = scaledInteger(text, scale);
    if (typeof t === 'number' && t >= 0) return t;
    if (t !== 'precise') return fault('time-bad', 'a number since 1970, not below 0');
    if (this.rules.belowUs !== 'floor') return fault('number-precise', 'whole microseconds');
    const parts = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text);
    if (parts === null) return fault('time-bad', 'a number since 1970, written plainly');
    const [, whole = '', decimals = ''] = parts;
    const digits = scale < 0 ? whole.slice(0, scale) : whole + decimals.slice(0, scale).padEnd(scale, '0');
    const floor = scaledInteger(digits, 0);
    return typeof floor === 'number' ? floor : fault('time-bad', 'a number since 1970 of a usual size');
  }

  private iso(text: string): number | TimeFault {
    const found = ISO.exec(text);
    if (found === null) return fault('time-bad', 'YYYY-MM-DD HH:MM:SS, with or without an offset');
    const [, y, mo, d, h, mi, s, fraction, offset] = found;
    const clock = { h: h!, mi: mi!, s, fraction };
    if (offset === undefined) return this.local(`${y}-${mo}-${d}`, clock);
    const utc = this.local(`${y}-${mo}-${d}`, clock, 'UTC');
    if (typeof utc !== 'number' || offset === 'Z' || offset === 'UTC') return utc;
    const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
    return utc - (offset[0] === '-' ? -1 : 1) * minutes * 60_000_000;
  }

  private slashed(text: string, order: 'mdy' | 'dmy'): number | TimeFault {
    const found = SLASHED.exec(text);
    const expected = order === 'mdy' ? 'M/D/YYYY H:MM:SS' : 'D/M/YYYY H:MM:SS';
    if (found === null) return fault('time-bad', expected);
    const [, first, second, y, hour, mi, s, fraction, half] = found;
    const [mo, d] = order === 'mdy' ? [first!, second!] : [second!, first!];
    let h = Number(hour);
    if (half !== undefined) {
      if (h < 1 || h > 12) return fault('time-bad', `${expected} with an hour from 1 to 12`);
      h = (h % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
    }
    const date = `${y}-${mo.padStart(2, '0')}-${d.padStart(2, '0')}`;
    return this.local(date, { h: String(h), mi: mi!, s, fraction });
  }

  private local(
    date: string,
    clock: { h: string; mi: string; s: string | undefined; fraction: string | undefined },
    zone?: string,
  ): number | TimeFault {
    const { h, mi, s = '0', fraction = '' } = clock;
    if (Number(h) > 23 || Number(mi) > 59 || Number(s) > 59)
      return fault('time-bad', 'a clock from 00:00:00 to 23:59:59');
    if (/[1-9]/.test(fraction.slice(6)) && this.rules.belowUs !== 'floor') {
      return fault('number-precise', 'at most 6 decimals of a second');
    }
    const us = Number(fraction.slice(0, 6).padEnd(6, '0'));
    return this.wall(date, ((Number(h) * 60 + Number(mi)) * 60 + Number(s)) * 1_000_000 + us, zone);
  }

  private wall(date: string, us: number, zone = this.rules.zone): number | TimeFault {
    if (!isCivilDate(date)) return fault('date-bad', 'a date that exists');
    if (zone === undefined) return fault('option-bad', 'a time zone for local times, such as America/New_York');
    if (this.clock?.date !== date || this.clock.zone !== zone) this.clock = dayClock(zone, date);
    const t = this.clock.utc(us);
    if (typeof t === 'number') return t;
    if (t === 'range') return fault('time-bad', 'a time of the day');
    const why = t === 'gap' ? 'skipped' : 'showed twice';
    return fault('local-time', `a time that clocks in ${zone} had once: they ${why} this one; give UTC or an offset`);
  }
}

function formatOf(text: string): TimeFormat | undefined {
  if (/^[0-9]+(\.[0-9]+)?$/.test(text)) {
    const digits = text.replace(/\..*/, '').length;
    if (digits === 8 && isCivilDate(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`)) return 'date';
    if (digits === 9 || digits === 10) return 's';
    if (digits === 12 || digits === 13) return 'ms';
    if (digits === 15 || digits === 16) return 'us';
    return digits === 18 || digits === 19 ? 'ns' : undefined;
  }
  if (DAY.test(text)) return 'date';
  if (ISO.test(text)) return 'iso';
  if (COMPACT.test(text)) return 'compact';
  // Whether 10/7 is October or July is not for us to guess: `mdy` and `dmy` are said.
  return CLOCK.test(text) ? 'clock' : undefined;
}

function fault(code: TapeCode, expected: string): TimeFault {
  return { code, expected };
}

function never(value: never): never {
  throw new RangeError(`unreachable: ${String(value)}`);
}
