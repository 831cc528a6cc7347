/** Where the writer lives: in this thread, or in one of its own so that syncing never holds up the door. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type FeedbackOutcome, type RetainPolicy, StoreRefusal, type StoreRefusalKind } from '../ports.ts';
import { refusalOf } from './layout.ts';
import { type Group, Writer } from './writer.ts';

export interface WriterHost {
  /** Resolves when the group is synced. @throws StoreRefusal, and then nothing of the group is kept */
  commit(group: Group): Promise<FeedbackOutcome[]>;
  retainStep(policy: RetainPolicy, nowMs: number): Promise<number>;
  retainFeedbackStep(ageMsMax: number, nowMs: number): Promise<number>;
  close(): Promise<void>;
}

export type Order =
  | { readonly kind: 'commit'; readonly group: Group }
  | { readonly kind: 'retain'; readonly policy: RetainPolicy; readonly nowMs: number }
  | { readonly kind: 'retain-feedback'; readonly ageMsMax: number; readonly nowMs: number }
  | { readonly kind: 'close' };

/** What the thread answers: to each order in turn, after one word on whether it could open the store. */
export type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'committed'; readonly outcomes: FeedbackOutcome[] }
  | { readonly kind: 'retained'; readonly dropped: number }
  | { readonly kind: 'closed' }
  | { readonly kind: 'refused'; readonly refusal: StoreRefusalKind; readonly message: string };

/** Carries out one order. What need not be waited for is left to {@link tidyQuietly}. */
export function obey(writer: Writer, order: Order): Reply {
  try {
    switch (order.kind) {
      case 'commit':
        return { kind: 'committed', outcomes: writer.commit(order.group) };
      case 'retain':
        return { kind: 'retained', dropped: writer.retainStep(order.policy, order.nowMs) };
      case 'retain-feedback':
        return { kind: 'retained', dropped: writer.retainFeedbackStep(order.ageMsMax, order.nowMs) };
      case 'close':
        writer.close();
        return { kind: 'closed' };
      default:
        return order satisfies never;
    }
  } catch (error) {
    const refusal = refusalOf(error, 'the store cannot be written');
    return { kind: 'refused', refusal: refusal.kind, message: refusal.message };
  }
}

/** It may meet a full disk; it is tried again after the next commit. */
export function tidyQuietly(writer: Writer): void {
  try {
    writer.tidy();
  } catch {}
}

/** @throws StoreRefusal when the store cannot be opened */
export function hostHere(dir: string): WriterHost {
  const writer = new Writer(dir);
  return hostOver(async (order) => {
    const reply = obey(writer, order);
    if (order.kind === 'commit') tidyQuietly(writer);
    return reply;
  });
}

export interface ThreadOptions {
  /** Told of every loss and return of the writer; stderr unless said otherwise. */
  readonly log?: (line: string) => void;
  /** A clock that only goes forward, in milliseconds. */
  readonly nowMs?: () => number;
}

/** The first new start is at once; those after another loss without a commit between wait, twice as long each time. */
const RESTART_WAIT_FIRST_MS = 250;
const RESTART_WAIT_MS_MAX = 30_000;

/**
 * A writer that is lost (it threw, or its thread ended) is started anew at the next order.
 * @param file the worker's built script, see {@link builtWorker}
 * @throws StoreRefusal when the store cannot be opened
 */
export async function hostInThread(dir: string, file: string, options: ThreadOptions = {}): Promise<WriterHost> {
  const thread = new WriterThread(dir, file, options);
  const first = await thread.start();
  if (first.kind === 'refused') throw new StoreRefusal(first.refusal, first.message);
  return hostOver((order) => thread.send(order));
}

interface WaitingOrder {
  readonly kind: Order['kind'] | 'start';
  readonly answer: (reply: Reply) => void;
}

class WriterThread {
  readonly #dir: string;
  readonly #file: string;
  readonly #log: (line: string) => void;
  readonly #nowMs: () => number;
  #worker: Worker | null = null;
  /** Sent to the present worker, in order. */
  #waiting: WaitingOrder[] = [];
  #starting: Promise<Reply> | null = null;
  #lossesInARow = 0;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #isClosing = false;

  constructor(dir: string, file: string, { log = console.error, nowMs = () => performance.now() }: ThreadOptions) {
    this.#dir = dir;
    this.#file = file;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** @returns `ready`, or why the store cannot be opened */
  async start(): Promise<Reply> {
    const worker = new Worker(this.#file, { workerData: { dir: this.#dir } });
    this.#waiting = [];
    this.#worker = worker;
    worker.on('message', (reply: Reply) => {
      if (this.#worker === worker) this.#waiting.shift()?.answer(reply);
    });
    worker.on('error', (error) => this.#lose(worker, `failed: ${error.message}`));
    worker.on('exit', () => this.#lose(worker, 'has ended'));
    const first = await this.#next('start');
    if (first.kind !== 'ready') {
      this.#worker = null;
      await worker.terminate();
    }
    return first;
  }

  async send(order: Order): Promise<Reply> {
    if (order.kind === 'close') this.#isClosing = true;
    if (this.#worker === null || this.#starting !== null) {
      if (order.kind === 'close') return { kind: 'closed' };
      this.#starting ??= this.#startAgain().finally(() => {
        this.#starting = null;
      });
      const reply = await this.#starting;
      if (reply.kind === 'refused') return reply;
    }
    // Lost once more since: the next order tries again.
    const worker = this.#worker;
    if (worker === null) return refused('broken', "the store's writer is not running");
    const answer = this.#next(order.kind);
    worker.postMessage(order, order.kind === 'commit' ? buffersOf(order.group) : []);
    const reply = await answer;
    if (reply.kind === 'committed') this.#lossesInARow = 0;
    if (order.kind === 'close') await worker.terminate();
    return reply;
  }

  async #startAgain(): Promise<Reply> {
    const waitMs = this.#notBeforeMs - this.#nowMs();
    if (waitMs > 0) {
      return refused('broken', `the store's writer was lost and is tried again in ${Math.ceil(waitMs)} ms`);
    }
    const reply = await this.start();
    if (reply.kind === 'refused') this.#noteLoss(`cannot be started: ${reply.message}`);
    else this.#log("agent-eval: the store's writer is back");
    return reply;
  }

  #next(kind: WaitingOrder['kind']): Promise<Reply> {
    return new Promise((answer) => this.#waiting.push({ kind, answer }));
  }

  #lose(worker: Worker, what: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    // A start that fails is told by whoever asked for it.
    if (!this.#isClosing && waiting[0]?.kind !== 'start') this.#noteLoss(what);
    const why = `the store's writer ${what}`;
    for (const { kind, answer } of waiting) {
      // What it was writing may have become durable before it could say so.
      if (kind === 'commit') answer(refused('unknown', `${why}; whether this was kept is not known: send it again`));
      else answer(kind === 'close' ? { kind: 'closed' } : refused('broken', why));
    }
  }

  #noteLoss(what: string): void {
    const waitMs =
      this.#lossesInARow === 0
        ? 0
        : Math.min(RESTART_WAIT_MS_MAX, RESTART_WAIT_FIRST_MS * 2 ** (this.#lossesInARow - 1));
    this.#lossesInARow = Math.min(this.#lossesInARow + 1, 32);
    this.#notBeforeMs = this.#nowMs() + waitMs;
    this.#log(
      `agent-eval: the store's writer ${what}; started anew at the next write${waitMs > 0 ? ` after ${waitMs} ms` : ''}`,
    );
  }
}

function refused(refusal: StoreRefusalKind, message: string): Reply {
  return { kind: 'refused', refusal, message };
}

function hostOver(send: (order: Order) => Promise<Reply>): WriterHost {
  const ask = async (order: Order): Promise<Reply> => {
    const reply = await send(order);
    if (reply.kind === 'refused') throw new StoreRefusal(reply.refusal, reply.message);
    return reply;
  };
  return {
    async commit(group) {
      const reply = await ask({ kind: 'commit', group });
      return reply.kind === 'committed' ? reply.outcomes : [];
    },
    async retainStep(policy, nowMs) {
      const reply = await ask({ kind: 'retain', policy, nowMs });
      return reply.kind === 'retained' ? reply.dropped : 0;
    },
    async retainFeedbackStep(ageMsMax, nowMs) {
      const reply = await ask({ kind: 'retain-feedback', ageMsMax, nowMs });
      return reply.kind === 'retained' ? reply.dropped : 0;
    },
    async close() {
      await ask({ kind: 'close' });
    },
  };
}

/** Chunks are handed over, not copied: the store made their buffers for this. */
function buffersOf({ chunks }: Group): ArrayBuffer[] {
  return chunks.flatMap(({ keys, body }) => [keys.buffer as ArrayBuffer, body.buffer as ArrayBuffer]);
}

/** The worker's script beside the built bundle, or null when this runs from source. */
export function builtWorker(): string | null {
  // A bundle may be CommonJS, which knows no import.meta.
  const here = dirname(typeof __filename === 'string' ? __filename : fileURLToPath(import.meta.url));
  const candidates = ['store-worker.js', 'bin/store-worker.js', '../bin/store-worker.js'];
  return candidates.map((path) => join(here, path)).find((file) => existsSync(file)) ?? null;
}
