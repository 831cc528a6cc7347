/** What ops reach: the sessions of one owner, its store, and how this host treats its guests. */
import type { SessionEvent, Sliced } from '../session/index.ts';
import type { Store } from '../store/index.ts';
import { Sessions } from './sessions.ts';
import type { TapeThread } from './tape-thread.ts';
import { isTapeKept } from './tapes.ts';

/** What a client is offered when its quota is used up. */
export interface Offer {
  readonly kind: 'quota';
  readonly resource: 'sessions' | 'grades' | 'datasets';
  readonly used: number;
  readonly limit: number;
  /** Microseconds since the epoch. */
  readonly resetsAt?: number;
  readonly price?: { readonly amount: string; readonly currency: string };
  readonly how: string;
}

export interface HostOptions {
  /** Opened when the first op needs it. @throws StoreFault */
  readonly store: () => Store<SessionEvent>;
  /** `managed`: a catalog subject needs the customer's document, which is pinned in the recipe's place. */
  readonly mode?: 'local' | 'managed';
  /** Reads tapes on another thread, so that nobody else waits meanwhile; absent: where they are asked for. */
  readonly tapes?: TapeThread;
  /** Counts one use; an offer where there is none left. */
  readonly gate?: (resource: Offer['resource']) => Offer | undefined;
}

export class Host {
  readonly mode: 'local' | 'managed';
  readonly sessions: Sessions;
  readonly gate: (resource: Offer['resource']) => Offer | undefined;
  readonly #open: () => Store<SessionEvent>;
  #store: Store<SessionEvent> | undefined;
  readonly tapes: TapeThread | undefined;

  constructor(options: HostOptions) {
    this.mode = options.mode ?? 'local';
    this.gate = options.gate ?? (() => undefined);
    this.#open = options.store;
    this.tapes = options.tapes;
    this.sessions = new Sessions(
      () => this.store(),
      (identity) => this.ready(identity),
    );
  }

  store(): Store<SessionEvent> {
    this.#store ??= this.#open();
    return this.#store;
  }

  /** Has the tape in memory once this ends, where it can be had at all; nothing is refused here. */
  *ready(identity: string | undefined): Sliced<void> {
    if (identity === undefined || this.tapes === undefined || isTapeKept(identity)) return;
    yield this.tapes.load(this.store().root, identity);
  }

  /** Everything that was done survives a crash once this returns. */
  sync(): void {
    this.#store?.sync();
  }

  /** Lets go of its files, unless something runs or is on its way to the disk. @returns whether it did */
  closeIfIdle(): boolean {
    if (this.sessions.isRunning || this.#store?.isSynced === false) return false;
    this.#store?.close();
    return true;
  }

  async syncLater(): Promise<void> {
    await this.#store?.syncLater();
  }
}
