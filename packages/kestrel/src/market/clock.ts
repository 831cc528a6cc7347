/** Local clocks of one day to UTC microseconds. A clock that the day does not have, or has twice, is refused. */
import { CalendarRefusal, localToUtc } from './calendar.ts';
import { TapeRefusal } from './refusal.ts';

const US_PER_DAY = 86_400_000_000;
const US_PER_HOUR = 3_600_000_000;
const US_PER_MINUTE = 60_000_000;
const US_PER_SECOND = 1_000_000;

/** `range`: not a clock of a day. `gap`, `overlap`: skipped, or shown twice, as the clocks changed. */
export type ClockFault = 'range' | 'gap' | 'overlap';

export class DayClock {
  readonly zone: string;
  readonly date: string;
  /** UTC of local midnight, if all the day has one offset. */
  private readonly base: number | undefined;

  /** @throws CalendarRefusal on a zone or a date that is none */
  constructor(zone: string, date: string) {
    this.zone = zone;
    this.date = date;
    const first = localToUtc(zone, { date, h: 0, m: 0, s: 0 });
    const last = localToUtc(zone, { date, h: 23, m: 59, s: 59 });
    const still = first.kind === 'exact' && last.kind === 'exact' && last.t - first.t === US_PER_DAY - US_PER_SECOND;
    this.base = still ? first.t : undefined;
  }

  /** @param us microseconds of the wall clock since midnight */
  utc(us: number): number | ClockFault {
    if (us < 0 || us >= US_PER_DAY) return 'range';
    if (this.base !== undefined) return this.base + us;
    const h = Math.floor(us / US_PER_HOUR);
    const m = Math.floor((us - h * US_PER_HOUR) / US_PER_MINUTE);
    const s = Math.floor((us - h * US_PER_HOUR - m * US_PER_MINUTE) / US_PER_SECOND);
    const rest = us - h * US_PER_HOUR - m * US_PER_MINUTE - s * US_PER_SECOND;
    const found = localToUtc(this.zone, { date: this.date, h, m, s, us: rest });
    return found.kind === 'exact' ? found.t : found.kind;
  }
}

/** @throws TapeRefusal `zone-unknown`, `date-bad` */
export function dayClock(zone: string, date: string): DayClock {
  try {
    return new DayClock(zone, date);
  } catch (error) {
    if (!(error instanceof CalendarRefusal)) throw error;
    const code = error.code === 'unknown-zone' ? 'zone-unknown' : 'date-bad';
    throw new TapeRefusal(code, { expected: error.expected, got: error.got });
  }
}
