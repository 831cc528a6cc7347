/**
 * Runs what is sliced so that a long day holds nobody else up. Whatever ends within its first slice, as nearly every
 * request does, never waits. The rest stand in a ring and take turns, slice by slice, in short bursts between which the
 * network is looked at. While other requests are in hand the bursts are shorter still, and stand apart: all long runs
 * together then have about a fifth of the time.
 */
import type { Sliced } from '../session/index.ts';

/** How long a burst of slices lasts when nobody else waits, and when somebody does, milliseconds. */
const BURST_MS = 2;
const SHORT_BURST_MS = 0.25;
/** How far apart the short ones stand. */
const APART_MS = 1;

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
    if (this.#othersWait) setTimeout(() => this.#burst(), APART_MS);
    else setImmediate(() => this.#burst());
  }

  get #othersWait(): boolean {
    return this.#inHand() > this.#runs.length;
  }

  #burst(): void {
    const begun = this.#clock();
    do this.#slice();
    while (this.#runs.length > 0 && this.#clock() - begun < (this.#othersWait ? SHORT_BURST_MS : BURST_MS));
    this.#isTurning = false;
    this.#turn();
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
