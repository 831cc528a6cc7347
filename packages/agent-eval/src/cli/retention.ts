/** What a served store drops and when: by size at once, by age only while the clock can be trusted. */
import type { FeedbackRetainPolicy, RetainPolicy, StorePair } from '../store/ports.ts';

export interface Retention {
  readonly traces: RetainPolicy;
  /** Null keeps all feedback. */
  readonly feedback: FeedbackRetainPolicy | null;
}

/** Two clocks: the one that people set, and one that only goes forward. In milliseconds. */
export interface Clocks {
  readonly wallMs: () => number;
  readonly steadyMs: () => number;
}

const RETAIN_EVERY_MS = 60_000;
/** The two clocks may drift apart by this much in one turn; beyond, someone has set the clock. */
const CLOCK_SLIP_MS_MAX = 5_000;
/** How long a clock that was set must run on before anything is dropped by age; for shorter ages, the age itself. */
export const SETTLE_MS_MAX = 3_600_000;

/**
 * Whether ages can be told. A wrong clock makes everything look old, and what is dropped does not come back: after a jump,
 * and where the newest of all is beyond the age already, dropping waits until the clock has run steadily for a while.
 */
export class AgeTrust {
  readonly #ageMsMax: number;
  readonly #clocks: Clocks;
  #lastWallMs: number;
  #lastSteadyMs: number;
  #trustedFromMs: number;

  /** @param newestMs when the newest of what is stored was received; null where nothing is */
  constructor(ageMsMax: number, newestMs: number | null, clocks: Clocks) {
    this.#ageMsMax = ageMsMax;
    this.#clocks = clocks;
    this.#lastWallMs = clocks.wallMs();
    this.#lastSteadyMs = clocks.steadyMs();
    const allIsOld = newestMs !== null && newestMs < this.#lastWallMs - ageMsMax;
    this.#trustedFromMs = allIsOld ? this.#lastSteadyMs + this.#settleMs : this.#lastSteadyMs;
  }

  /** Looks at the clocks. @returns `now`, or that it must wait; `jumped` once a jump */
  look(): 'now' | 'waits' | 'jumped' {
    const wallMs = this.#clocks.wallMs();
    const steadyMs = this.#clocks.steadyMs();
    const slipMs = wallMs - this.#lastWallMs - (steadyMs - this.#lastSteadyMs);
    this.#lastWallMs = wallMs;
    this.#lastSteadyMs = steadyMs;
    if (Math.abs(slipMs) > CLOCK_SLIP_MS_MAX) {
      this.#trustedFromMs = steadyMs + this.#settleMs;
      return 'jumped';
    }
    return steadyMs >= this.#trustedFromMs ? 'now' : 'waits';
  }

  get #settleMs(): number {
    return Math.min(SETTLE_MS_MAX, this.#ageMsMax);
  }
}

/** Drops what the policy does not keep, now and every minute. @returns stops it */
export async function retainInTurn(
  store: StorePair | null,
  { traces, feedback }: Retention,
  say: (line: string) => void,
  clocks: Clocks = { wallMs: Date.now, steadyMs: () => performance.now() },
): Promise<() => void> {
  const ages = [traces.ageMsMax, feedback?.ageMsMax].filter((age) => age !== undefined);
  if (store === null || (ages.length === 0 && traces.bytesMax === undefined)) return () => {};
  const { lastReceivedMs } = await store.traces.stats();
  // Feedback alone does not tell how old its newest is: it waits as if all were old.
  const newestMs = lastReceivedMs ?? (feedback === null ? null : 0);
  // The shortest age, which a wrong clock would empty first.
  const trust = ages.length === 0 ? null : new AgeTrust(Math.min(...ages), newestMs, clocks);
  const retain = async (): Promise<void> => {
    const look = trust?.look() ?? 'waits';
    if (look === 'jumped') say('retention by age waits: the clock was set');
    const { bytesMax, ageMsMax } = traces;
    const policy = {
      ...(bytesMax === undefined ? {} : { bytesMax }),
      ...(ageMsMax === undefined || look !== 'now' ? {} : { ageMsMax }),
    };
    const events = await store.traces.retain(policy);
    if (events > 0) say(`retention dropped ${events} events`);
    const versions = feedback === null || look !== 'now' ? 0 : await store.feedback.retain(feedback);
    if (versions > 0) say(`retention dropped ${versions} versions of feedback`);
  };
  let isBusy = false;
  const turn = (): void => {
    if (isBusy) return;
    isBusy = true;
    retain()
      .catch((error: Error) => say(`retention failed: ${error.message}`))
      .finally(() => {
        isBusy = false;
      });
  };
  turn();
  const timer = setInterval(turn, Math.min(RETAIN_EVERY_MS, ...ages.map((age) => Math.max(age, 1_000))));
  return () => clearInterval(timer);
}
