/**
 * Runs what is sliced so that a long day holds nobody else up. Whatever ends within its first slice, as nearly every
 * request does, never waits. The rest stand in a ring, and between any two looks at the network one of them gets one
 * slice; while no other request is in hand, a burst of slices.
 */
import type { Sliced } from '../session/index.ts';

/** How long a burst of slices lasts when nobody waits, milliseconds. */
const BURST_MS = 2;

interface Run {
  readonly sliced: Sliced<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

export class Ring {
  #runs: Run[] = [];
  #isTurning = false;
  readonly #clock: () => number;
  readonly #inHand: () => number;

  /**
   * @param host.clock milliseconds, from any beginning
   * @param host.inHand requests in hand, the long ones included
   */
  constructor(host: { readonly clock: () => number; readonly inHand: () => number }) {
    this.#clock = host.clock;
    this.#inHand = host.inHand;
  }

  /** Runs to the end. @throws what the run throws */
  drive<T>(sliced: Sliced<T>): T | Promise<T> {
    const step = sliced.next();
    if (step.done === true) return step.value;
    return new Promise<T>((resolve, reject) => {
      const run: Run = { sliced, done: resolve as (value: unknown) => void, failed: reject };
      this.#step(run, () => step);
    });
  }

  #turn(): void {
    if (this.#isTurning || this.#runs.length === 0) return;
    this.#isTurning = true;
    setImmediate(() => {
      const begun = this.#clock();
      do this.#slice();
      while (this.#runs.length > 0 && this.#inHand() <= this.#runs.length && this.#clock() - begun < BURST_MS);
      this.#isTurning = false;
      this.#turn();
    });
  }

  #slice(): void {
    const run = this.#runs.shift()!;
    this.#step(run, () => run.sliced.next());
  }

  /** A run that yields a promise stands outside the ring until it is kept. */
  #step(run: Run, go: () => IteratorResult<Promise<void> | undefined, unknown>): void {
    try {
      const step = go();
      if (step.done === true) run.done(step.value);
      else if (step.value === undefined) this.#join(run);
      else {
        step.value.then(
          () => this.#join(run),
          (error: unknown) => this.#step(run, () => run.sliced.throw(error)),
        );
      }
    } catch (error) {
      run.failed(error);
    }
  }

  #join(run: Run): void {
    this.#runs.push(run);
    this.#turn();
  }
}
