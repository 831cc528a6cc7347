/**
 * Turns of the event loop, shared by large bodies: reading and parsing them never keeps the loop from everything else for
 * long. The platform accepts one new connection a turn, so long turns would leave health checks standing outside.
 */

/** Parsing in one turn of the loop; what is left waits for the next. */
const SLICE_MS = 5;
/** Bytes of bodies taken in one turn; who would take more is paused for a turn. */
const READ_BYTES = 1024 * 1024;
/** Paused readers that go on in one turn: each of them takes at least one piece of 64 KiB. */
const READERS = 16;
/** While connections come in, turns are kept short for them, but no longer than this without any of the work above. */
const ARRIVALS_MS_MAX = 50;

/** A body that is read. Of those that are paused the lowest `order` goes on first: whole bodies can be answered, halves not. */
export interface Reading {
  readonly order: number;
  pause(): unknown;
  resume(): unknown;
}

/** The order of bodies that are read only to be thrown away. */
export const LAST = Number.POSITIVE_INFINITY;

export interface Turns {
  /** Runs `work` in its turn, first come first served: at once while this turn of the loop has time left. */
  run<T>(work: () => T): Promise<T>;
  /** A piece of a body has come: its source may have to wait for a turn before it gives the next. */
  took(source: Reading, bytes: number): void;
  /** A new connection: more may be waiting. */
  arrived(): void;
}

/** @param nowMs a clock that only goes forward */
export function makeTurns(nowMs: () => number = () => performance.now()): Turns {
  // Both are bounded by the requests in flight, each of which stands in each at most once.
  let waiting: (() => void)[] = [];
  let paused: Reading[] = [];
  let usedMs = 0;
  let takenBytes = 0;
  let hasArrivals = false;
  let lastWorkMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;

  const timed = (work: () => void): void => {
    const startedMs = nowMs();
    work();
    lastWorkMs = nowMs();
    usedMs += lastWorkMs - startedMs;
  };

  const nextTurn = (): void => {
    isScheduled = false;
    const isForArrivals = hasArrivals && nowMs() - lastWorkMs < ARRIVALS_MS_MAX;
    hasArrivals = false;
    if (isForArrivals) {
      schedule();
      return;
    }
    usedMs = 0;
    takenBytes = 0;
    paused.sort((a, b) => (a.order === b.order ? 0 : a.order - b.order));
    for (const source of paused.slice(0, READERS)) source.resume();
    paused = paused.slice(READERS);
    let done = 0;
    while (done < waiting.length && usedMs < SLICE_MS) timed(waiting[done++]!);
    waiting = waiting.slice(done);
    lastWorkMs = nowMs();
    // What was used is forgotten in the next turn, which comes even if nobody waits.
    if (waiting.length > 0 || paused.length > 0 || usedMs > 0) schedule();
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(nextTurn);
  };

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        const job = (): void => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        };
        if (waiting.length === 0 && usedMs < SLICE_MS) timed(job);
        else waiting.push(job);
        schedule();
      }),
    took(source, bytes) {
      takenBytes += bytes;
      schedule();
      if (takenBytes < READ_BYTES) return;
      source.pause();
      paused.push(source);
    },
    arrived() {
      hasArrivals = true;
    },
  };
}
