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
  close(): Promise<void>;
}

export type Order =
  | { readonly kind: 'commit'; readonly group: Group }
  | { readonly kind: 'retain'; readonly policy: RetainPolicy; readonly nowMs: number }
  | { readonly kind: 'close' };

/** What the thread answers: to each order in turn, after one word on whether it could open the store. */
export type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'committed'; readonly outcomes: FeedbackOutcome[] }
  | { readonly kind: 'retained'; readonly events: number }
  | { readonly kind: 'closed' }
  | { readonly kind: 'refused'; readonly refusal: StoreRefusalKind; readonly message: string };

/** Carries out one order. What need not be waited for is left to {@link tidyQuietly}. */
export function obey(writer: Writer, order: Order): Reply {
  try {
    switch (order.kind) {
      case 'commit':
        return { kind: 'committed', outcomes: writer.commit(order.group) };
      case 'retain':
        return { kind: 'retained', events: writer.retainStep(order.policy, order.nowMs) };
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

/**
 * @param file the worker's built script, see {@link builtWorker}
 * @throws StoreRefusal when the store cannot be opened
 */
export async function hostInThread(dir: string, file: string): Promise<WriterHost> {
  const worker = new Worker(file, { workerData: { dir } });
  const waiting: ((reply: Reply) => void)[] = [];
  let lost: Reply | null = null;
  const fail = (why: string): void => {
    lost = { kind: 'refused', refusal: 'broken', message: why };
    for (const answer of waiting.splice(0)) answer(lost);
  };
  const next = (): Promise<Reply> =>
    new Promise((resolve) => {
      if (lost === null) waiting.push(resolve);
      else resolve(lost);
    });
  worker.on('message', (reply: Reply) => waiting.shift()?.(reply));
  worker.on('error', (error) => fail(`the store's writer failed: ${error.message}`));
  worker.on('exit', () => fail("the store's writer has ended"));
  const first = await next();
  if (first.kind === 'refused') {
    await worker.terminate();
    throw new StoreRefusal(first.refusal, first.message);
  }
  return hostOver(async (order) => {
    const answer = next();
    worker.postMessage(order, order.kind === 'commit' ? buffersOf(order.group) : []);
    const reply = await answer;
    if (order.kind === 'close') await worker.terminate();
    return reply;
  });
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
      return reply.kind === 'retained' ? reply.events : 0;
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
