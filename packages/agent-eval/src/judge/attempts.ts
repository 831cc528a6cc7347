/** Attempts at one model call: at most three, with waits that honour what the upstream asks and the deadline allows. */
import { isModelFailure } from './model.ts';
import type { Stop } from './stop.ts';

export const ATTEMPTS_MAX = 3;
export const BACKOFF_FIRST_MS = 250;

/** Time and chance, as arguments. */
export interface Patience {
  /** A clock that only goes forward, in milliseconds. */
  readonly nowMs: () => number;
  /** Resolves after the wait; rejects with the signal's reason when it aborts. */
  readonly sleep: (waitMs: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1): spreads the waits of callers that failed together. */
  readonly chance: () => number;
}

/**
 * @param deadlineMs on the clock of `patience`; a wait that would not end before it is not begun
 * @throws ModelFailure the last one
 */
export async function patiently<T>(
  work: () => Promise<T>,
  patience: Patience,
  stop: Stop,
  deadlineMs: number,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    stop.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isModelFailure(error) || error.kind !== 'passing' || attempt >= ATTEMPTS_MAX) throw error;
      const backoffMs = BACKOFF_FIRST_MS * 2 ** (attempt - 1) * (0.5 + patience.chance());
      const waitMs = Math.max(error.retryAfterMs ?? 0, backoffMs);
      if (patience.nowMs() + waitMs >= deadlineMs) throw error;
      await patience.sleep(waitMs, stop.signal);
    }
  }
}

export const REAL_PATIENCE: Patience = {
  nowMs: () => performance.now(),
  sleep: (waitMs, signal) =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, waitMs);
      signal.addEventListener('abort', onAbort, { once: true });
    }),
  chance: Math.random,
};
