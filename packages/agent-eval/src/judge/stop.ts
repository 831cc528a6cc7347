/** The end of a call before its time: one owner may stop it, everyone inside may look or be told. */

/**
 * What an `AbortController` is, with the signal made only for those who ask for it: making one costs more than all the
 * rest of a judgement whose model answers at once.
 */
export class Stop {
  #controller: AbortController | null = null;
  #aborted = false;
  #reason: unknown = undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** For those who must be told: listeners, `fetch`, a model. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The first reason stands. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  /** @throws the reason */
  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }
}
