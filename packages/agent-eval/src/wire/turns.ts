/** Turns of the event loop, shared: reading large bodies never keeps it from everything else for long. */

/** Work of one turn of the loop; what is left waits for the next, after the sockets and the health checks. */
const SLICE_MS = 10;

export interface Turns {
  /** Runs `work` in its turn, first come first served: at once while this turn of the loop has time left. */
  run<T>(work: () => T): Promise<T>;
}

/** @param nowMs a clock that only goes forward */
export function makeTurns(nowMs: () => number = () => performance.now()): Turns {
  /** Bounded by the bodies in flight, each of which waits once. */
  let waiting: (() => void)[] = [];
  let usedMs = 0;
  let isScheduled = false;

  const timed = (work: () => void): void => {
    const startedMs = nowMs();
    work();
    usedMs += nowMs() - startedMs;
  };

  const nextTurn = (): void => {
    isScheduled = false;
    usedMs = 0;
    let done = 0;
    while (done < waiting.length && usedMs < SLICE_MS) timed(waiting[done++]!);
    waiting = waiting.slice(done);
    if (usedMs > 0) schedule();
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
  };
}
