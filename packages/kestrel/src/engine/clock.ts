/** Durations, session phases and deadlines of the exchange's clock, in microseconds. */
import type { Clock, Duration, Phase } from '../lang/model.ts';

const UNIT_US = { s: 1_000_000, m: 60_000_000, h: 3_600_000_000 } as const;

export function durationUs(d: Duration): number {
  return d.n * UNIT_US[d.unit];
}

export interface SessionClock {
  readonly open: number;
  readonly close: number;
  /** The instant of an exchange-local wall clock on the tape's date. */
  readonly at: (clock: Clock) => number;
}

const HALF_HOUR_US = 30 * UNIT_US.m;

/** [from, to) of a phase: `open` is the first 30 minutes, `close` the last, the rest parts at the midpoint. */
export function phaseSpan(phase: Phase, session: SessionClock): { readonly from: number; readonly to: number } {
  const { open, close } = session;
  const mid = open + Math.floor((close - open) / 2);
  switch (phase) {
    case 'open':
      return { from: open, to: open + HALF_HOUR_US };
    case 'morning':
      return { from: open + HALF_HOUR_US, to: mid };
    case 'afternoon':
      return { from: mid, to: close - HALF_HOUR_US };
    case 'close':
      return { from: close - HALF_HOUR_US, to: Number.POSITIVE_INFINITY };
  }
}
