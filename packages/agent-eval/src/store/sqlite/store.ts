/** The embedded store: requests that come together share one synced transaction of the writer. */
import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { copySqlite, type Sqlite } from 'ground/sqlite';
import {
  type EventBatch,
  type FeedbackOutcome,
  type FeedbackQuery,
  type FeedbackStore,
  type FeedbackWrite,
  type StorePair,
  StoreRefusal,
  type TraceStore,
} from '../ports.ts';
import { builtWorker, hostHere, hostInThread, type WriterHost } from './host.ts';
import { KEY_WORDS, writeKeys } from './keys.ts';
import { openLayout, refusalOf, syncFolder } from './layout.ts';
import { Reader } from './reader.ts';
import type { Chunk, FeedbackRow } from './writer.ts';

/** Event bytes that go into one transaction; what waits beyond goes into the next. */
const GROUP_BYTES_MAX = 8 * 1024 * 1024;
/** Requests that go into one transaction. */
const GROUP_REQUESTS_MAX = 4_096;
/** Event bytes of one chunk, unless one request alone has more. */
const CHUNK_BYTES_MAX = 1024 * 1024;
/** Event bytes that may wait for the writer; beyond, the store says that it is busy. */
export const QUEUE_BYTES_MAX = 256 * 1024 * 1024;

export interface SqliteOptions {
  /** `thread` needs the built package; `here` writes in the calling thread. */
  readonly writer?: 'thread' | 'here' | 'auto';
  readonly nowMs?: () => number;
}

export interface SqliteStore extends StorePair {
  /** What is wrong with the store; empty when it is whole. Safe while it is written. */
  problems(): Promise<string[]>;
  /** Writes a consistent, synced copy of the database into a new file, while others go on writing. */
  backup(file: string): Promise<void>;
}

/** @throws StoreRefusal when it cannot be opened */
export async function sqliteStore(dir: string, options: SqliteOptions = {}): Promise<SqliteStore> {
  const { writer = 'auto', nowMs = Date.now } = options;
  const script = writer === 'here' ? null : builtWorker();
  if (writer === 'thread' && script === null) {
    throw new StoreRefusal('broken', 'a writer in a thread of its own needs the built package');
  }
  const host = script === null ? hostHere(dir) : await hostInThread(dir, script);
  return overHost(dir, host, nowMs);
}

/** A store that is only read, for tools beside a running service. */
export function sqliteReading(dir: string): Pick<SqliteStore, 'problems' | 'backup' | 'close'> & {
  readonly traces: Pick<TraceStore, 'read' | 'repeats' | 'stats'>;
  readonly feedback: Pick<FeedbackStore, 'get' | 'list'>;
} {
  return readingSide(() => openLayout(dir, 'read-only'));
}

function readingSide(open: () => Sqlite) {
  let db: Sqlite | null = null;
  let reader: Reader | null = null;
  const database = (): Sqlite => {
    db ??= open();
    return db;
  };
  const reading = (): Reader => {
    reader ??= new Reader(database());
    return reader;
  };
  return {
    traces: {
      read: (query: Parameters<TraceStore['read']>[0]) => reading().read(query),
      repeats: () => reading().repeats(),
      stats: async () => reading().stats(),
    },
    feedback: {
      get: async (id: string) => reading().feedback(id),
      list: (query: FeedbackQuery = { view: 'newest' }) => reading().allFeedback(query),
    },
    problems: async () => reading().problems(),
    async backup(file: string) {
      // Under its own name only when it is whole: half a copy must not pass for one.
      const half = `${file}.${process.pid}.part`;
      try {
        copySqlite(database(), half);
        renameSync(half, file);
        syncFolder(dirname(file));
      } catch (error) {
        throw refusalOf(error, `the copy ${file} cannot be written`);
      } finally {
        rmSync(half, { force: true });
      }
    },
    async close() {
      db?.close();
      db = null;
      reader = null;
    },
  };
}

type Waiting =
  | {
      readonly kind: 'events';
      readonly batch: EventBatch;
      readonly receivedMs: number;
      readonly done: () => void;
      readonly fail: (error: unknown) => void;
    }
  | {
      readonly kind: 'feedback';
      readonly row: FeedbackRow;
      readonly done: (outcome: FeedbackOutcome) => void;
      readonly fail: (error: unknown) => void;
    };

/** A store whose writer is at hand. */
export function overHost(dir: string, host: WriterHost, nowMs: () => number): SqliteStore {
  const queue = new Queue(host);
  const side = readingSide(() => openLayout(dir, 'read-only'));
  return {
    ...side,
    traces: {
      ...side.traces,
      append: (batch) =>
        batch.eventIds.length === 0
          ? Promise.resolve()
          : new Promise((done, fail) => queue.add({ kind: 'events', batch, receivedMs: nowMs(), done, fail })),
      retain: (policy) => inSteps(() => host.retainStep(policy, nowMs())),
    },
    feedback: {
      ...side.feedback,
      put: ({ id, bytes, precondition }: FeedbackWrite) =>
        new Promise((done, fail) => {
          // A copy of its own: a view would take its whole buffer along to the writer's thread.
          const row = { id, bytes: new Uint8Array(bytes), precondition, receivedMs: nowMs() };
          queue.add({ kind: 'feedback', row, done, fail });
        }),
      retain: ({ ageMsMax }) => inSteps(() => host.retainFeedbackStep(ageMsMax, nowMs())),
    },
    async close() {
      await queue.drain();
      // The writer closes last: it then folds the log into the database and leaves one file.
      await side.close();
      await host.close();
    },
  };
}

/** Steps until one drops nothing. @returns what all dropped */
async function inSteps(step: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const dropped = await step();
    if (dropped === 0) return total;
    total += dropped;
  }
}

/** What waits for the writer. One group is under way at a time, and what arrives meanwhile makes up the next. */
class Queue {
  readonly #host: WriterHost;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #isClosed = false;
  #turn: Promise<void> | null = null;

  constructor(host: WriterHost) {
    this.#host = host;
  }

  add(one: Waiting): void {
    if (this.#isClosed) {
      one.fail(new StoreRefusal('closed', 'the store is closed'));
      return;
    }
    if (this.#bytes + bytesOf(one) > QUEUE_BYTES_MAX) {
      one.fail(new StoreRefusal('busy', 'too much waits to be written; try again shortly'));
      return;
    }
    this.#bytes += bytesOf(one);
    this.#waiting.push(one);
    this.#turn ??= this.#work();
  }

  async drain(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
  }

  async #work(): Promise<void> {
    // Requests that are read in the same turn of the loop share the first group already.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await this.#commit(this.#take());
    this.#turn = null;
  }

  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const one of this.#waiting) {
      if (count > 0 && (bytes + bytesOf(one) > GROUP_BYTES_MAX || count >= GROUP_REQUESTS_MAX)) break;
      bytes += bytesOf(one);
      count++;
    }
    this.#bytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      const events = group.filter((one) => one.kind === 'events');
      const feedback = group.filter((one) => one.kind === 'feedback');
      const outcomes = await this.#host.commit({ chunks: chunksOf(events), feedback: feedback.map(({ row }) => row) });
      for (const one of events) one.done();
      feedback.forEach((one, i) => {
        one.done(outcomes[i]!);
      });
    } catch (error) {
      for (const one of group) one.fail(error);
    }
  }
}

function bytesOf(one: Waiting): number {
  return one.kind === 'events' ? one.batch.body.length + one.batch.spans.length * 12 : one.row.bytes.length;
}

type WaitingEvents = Extract<Waiting, { kind: 'events' }>;

/** Packs batches, in order, into chunks with buffers of their own. */
function chunksOf(waiting: readonly WaitingEvents[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (let from = 0; from < waiting.length; ) {
    let to = from;
    let bytes = 0;
    let count = 0;
    for (; to < waiting.length; to++) {
      const { body, eventIds } = waiting[to]!.batch;
      if (to > from && bytes + body.length > CHUNK_BYTES_MAX) break;
      bytes += body.length;
      count += eventIds.length;
    }
    chunks.push(pack(waiting.slice(from, to), bytes, count));
    from = to;
  }
  return chunks;
}

function pack(waiting: readonly WaitingEvents[], bytes: number, count: number): Chunk {
  const body = new Uint8Array(bytes);
  const keys = new Uint32Array(count * KEY_WORDS);
  let bodyAt = 0;
  let first = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = 0;
  for (const { batch } of waiting) {
    body.set(batch.body, bodyAt);
    writeKeys(batch, bodyAt, keys, first);
    for (const timestampMs of batch.timestampsMs) {
      if (timestampMs < firstMs) firstMs = timestampMs;
      if (timestampMs > lastMs) lastMs = timestampMs;
    }
    bodyAt += batch.body.length;
    first += batch.eventIds.length;
  }
  return { count, receivedMs: waiting[0]!.receivedMs, firstMs, lastMs, keys, body };
}
