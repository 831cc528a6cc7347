/** What a tape says for the judging of documents: its hours, and what its contracts stand for. */
import type { ValidateOptions } from '../lang/index.ts';
import { type Tape, utcToLocal } from '../market/index.ts';

export function judgingOf(tape: Tape): Pick<ValidateOptions, 'multiplierMin'> & { readonly session: SessionHours } {
  return { session: hoursOf(tape), ...multiplierOf(tape) };
}

type SessionHours = NonNullable<ValidateOptions['session']>;

/** The session in exchange-local seconds of day. */
function hoursOf({ zone, session }: Tape): SessionHours {
  const seconds = (t: number): number => {
    const { h, m, s } = utcToLocal(zone, t);
    return (h * 60 + m) * 60 + s;
  };
  return { openS: seconds(session.open), closeS: seconds(session.close) };
}

/** The least that a contract of the tape stands for; nothing where it has none. */
function multiplierOf({ instruments }: Tape): { readonly multiplierMin?: number } {
  let least = Number.POSITIVE_INFINITY;
  for (const one of instruments) if (one.kind === 'option') least = Math.min(least, one.multiplier);
  return Number.isFinite(least) ? { multiplierMin: least } : {};
}
