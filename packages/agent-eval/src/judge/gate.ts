/** The gate before the model: so many calls at once, so many waiting, and a plain no beyond that. */
import type { Stop } from './stop.ts';

export interface GateLimits {
  readonly callsMax: number;
  readonly waitingMax: number;
}

export const GATE_LIMITS: GateLimits = { callsMax: 16, waitingMax: 256 };

export class GateFull extends Error {
  override readonly name = 'GateFull';
}

export interface Gate {
  /**
   * Runs `work` as soon as a place is free, first come first served.
   * @throws GateFull when as many wait already as may; the stop's reason when it comes while waiting
   */
  pass<T>(stop: Stop, work: () => Promise<T>): Promise<T>;
}

export function makeGate({ callsMax, waitingMax }: GateLimits): Gate {
  let running = 0;
  // A Map keeps the order of arrival and lets one who leaves be struck out at once.
  const waiting = new Map<symbol, () => void>();

  const next = (): void => {
    const first = waiting.entries().next();
    if (first.done) {
      running--;
      return;
    }
    const [ticket, start] = first.value;
    waiting.delete(ticket);
    start();
  };

  const enter = ({ signal }: Stop): Promise<void> =>
    new Promise((resolve, reject) => {
      const ticket = Symbol('ticket');
      const leave = (): void => {
        waiting.delete(ticket);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.set(ticket, () => {
        signal.removeEventListener('abort', leave);
        resolve();
      });
    });

  return {
    async pass(stop, work) {
      stop.throwIfAborted();
      if (running < callsMax) running++;
      else if (waiting.size >= waitingMax) throw new GateFull(`${callsMax} calls run and ${waitingMax} wait`);
      else await enter(stop);
      try {
        return await work();
      } finally {
        next();
      }
    },
  };
}
