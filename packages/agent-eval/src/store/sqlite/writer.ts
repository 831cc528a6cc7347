/** The one who writes: a group of chunks and feedback in one synced transaction, sealing and retention between them. */
import type { Sqlite, SqliteStatement } from 'ground/sqlite';
import { FEEDBACK_PAST_MAX, type FeedbackOutcome, isMet, type Precondition, type RetainPolicy } from '../ports.ts';
import { bytesOf, wordsOf } from './keys.ts';
import { CHECKPOINT_BYTES, INDEX_EVENTS, INDEX_RUNS, openLayout, PAGE_BYTES, SEGMENT_EVENTS } from './layout.ts';
import { eventPlaces, runPlaces } from './places.ts';

export interface Chunk {
  readonly count: number;
  readonly receivedMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly keys: Uint32Array;
  readonly body: Uint8Array;
}

export interface FeedbackRow {
  readonly id: string;
  readonly receivedMs: number;
  readonly bytes: Uint8Array;
  readonly precondition: Precondition | null;
}

/** What becomes durable together. */
export interface Group {
  readonly chunks: readonly Chunk[];
  readonly feedback: readonly FeedbackRow[];
}

/** Chunks dropped in one transaction of a retention, so that ingest never waits long for it. */
const RETAIN_CHUNKS_STEP = 64;
/** Versions of feedback dropped in one. */
const RETAIN_FEEDBACK_STEP = 256;

export class Writer {
  readonly #db: Sqlite;
  readonly #insertChunk: SqliteStatement;
  readonly #state: SqliteStatement;
  readonly #advance: SqliteStatement;
  readonly #feedbackVersion: SqliteStatement;
  readonly #putFeedback: SqliteStatement;
  readonly #keepPast: SqliteStatement;
  readonly #dropPast: SqliteStatement;
  #loggedBytes = 0;

  /** @throws StoreRefusal */
  constructor(dir: string) {
    const db = openLayout(dir, 'read-write');
    this.#db = db;
    this.#insertChunk = db.prepare(
      'INSERT INTO chunks (base, count, received_ms, first_ms, last_ms, bytes, keys, body) VALUES (?,?,?,?,?,?,?,?)',
    );
    this.#state = db.prepare('SELECT next_event, events, bytes, sealed_seq, sealed_event FROM state');
    this.#advance = db.prepare('UPDATE state SET next_event=next_event+?, events=events+?, bytes=bytes+?');
    this.#feedbackVersion = db.prepare('SELECT version FROM feedback WHERE id=?');
    this.#putFeedback = db.prepare(
      'INSERT INTO feedback (id, version, received_ms, body) VALUES (?,?,?,?) ON CONFLICT (id) DO UPDATE SET ' +
        'version=excluded.version, received_ms=excluded.received_ms, body=excluded.body',
    );
    this.#keepPast = db.prepare(
      'INSERT OR REPLACE INTO feedback_past SELECT id, version, received_ms, body FROM feedback WHERE id=?',
    );
    this.#dropPast = db.prepare('DELETE FROM feedback_past WHERE id=? AND version<?');
  }

  /** Returns when all of it is synced. @throws the engine's error, and then nothing of it is kept */
  commit({ chunks, feedback }: Group): FeedbackOutcome[] {
    const outcomes = this.#db.atomically(() => {
      if (chunks.length > 0) this.#append(chunks);
      return feedback.map((row) => this.#put(row));
    });
    for (const { body, keys } of chunks) this.#loggedBytes += body.byteLength + keys.byteLength;
    this.#loggedBytes += PAGE_BYTES * (2 + feedback.length);
    return outcomes;
  }

  /** What can wait until a group has been answered, and must not grow without end: the log, and what is not sealed. */
  tidy(): void {
    this.#sealIfDue();
    if (this.#loggedBytes < CHECKPOINT_BYTES) return;
    this.#loggedBytes = 0;
    this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  #append(chunks: readonly Chunk[]): void {
    let base = Number(this.#state.get()!.next_event);
    let events = 0;
    let bytes = 0;
    for (const { count, receivedMs, firstMs, lastMs, keys, body } of chunks) {
      this.#insertChunk.run(base, count, receivedMs, firstMs, lastMs, body.length, bytesOf(keys), body);
      base += count;
      events += count;
      bytes += body.length;
    }
    this.#advance.run(events, events, bytes);
  }

  #put({ id, receivedMs, bytes, precondition }: FeedbackRow): FeedbackOutcome {
    const found = this.#feedbackVersion.get(id);
    const before = found === undefined ? null : Number(found.version);
    if (!isMet(precondition, before)) return { kind: 'precondition-failed', version: before };
    const version = (before ?? 0) + 1;
    if (before !== null) {
      this.#keepPast.run(id);
      this.#dropPast.run(id, version - FEEDBACK_PAST_MAX);
    }
    this.#putFeedback.run(id, version, receivedMs, bytes);
    return { kind: 'stored', version };
  }

  /** Seals a segment when enough events stand unsealed. What it writes can be derived, so nobody waits for it. */
  #sealIfDue(): void {
    const { next_event, sealed_event } = this.#state.get()!;
    if (Number(next_event) - Number(sealed_event) < SEGMENT_EVENTS) return;
    this.#db.atomically(() => {
      const { sealed_seq } = this.#state.get()!;
      const rows = this.#db.prepare('SELECT seq, base, count, keys FROM chunks WHERE seq>? ORDER BY seq');
      const parts = rows.all(sealed_seq!).map((row) => ({
        seq: Number(row.seq),
        base: Number(row.base),
        count: Number(row.count),
        keys: wordsOf(row.keys as Uint8Array),
      }));
      const first = parts[0];
      const last = parts.at(-1);
      if (first === undefined || last === undefined) return;
      this.#db
        .prepare('INSERT INTO segments (first_seq, last_seq, base) VALUES (?,?,?)')
        .run(first.seq, last.seq, first.base);
      const segment = Number(this.#db.prepare('SELECT max(id) AS id FROM segments').get()!.id);
      const put = this.#db.prepare('INSERT INTO places (kind, bucket, segment, words) VALUES (?,?,?,?)');
      for (const [kind, buckets] of [
        [INDEX_RUNS, runPlaces(parts, first.seq)],
        [INDEX_EVENTS, eventPlaces(parts, first.base)],
      ] as const) {
        buckets.forEach((words, bucket) => {
          if (words.length > 0) put.run(kind, bucket, segment, bytesOf(words));
        });
      }
      this.#db.prepare('UPDATE state SET sealed_seq=?, sealed_event=?').run(last.seq, last.base + last.count);
    });
  }

  /**
   * Drops a bounded number of the oldest chunks that the policy does not keep.
   * @returns events dropped; 0 when the policy is met
   */
  retainStep({ ageMsMax, bytesMax }: RetainPolicy, nowMs: number): number {
    return this.#db.atomically(() => {
      let { bytes } = this.#state.get()! as { bytes: number };
      const oldest = this.#db.prepare('SELECT seq, count, bytes, received_ms FROM chunks ORDER BY seq LIMIT ?');
      const drop = this.#db.prepare('DELETE FROM chunks WHERE seq=?');
      let events = 0;
      let dropped = 0;
      for (const row of oldest.all(RETAIN_CHUNKS_STEP)) {
        const isOld = ageMsMax !== undefined && Number(row.received_ms) < nowMs - ageMsMax;
        if (!isOld && (bytesMax === undefined || bytes <= bytesMax)) break;
        drop.run(row.seq!);
        events += Number(row.count);
        dropped += Number(row.bytes);
        bytes -= Number(row.bytes);
      }
      if (events === 0) return 0;
      this.#db.prepare('UPDATE state SET events=events-?, bytes=bytes-?').run(events, dropped);
      this.#db.exec(`
        DELETE FROM segments WHERE last_seq < coalesce((SELECT min(seq) FROM chunks), (SELECT sealed_seq + 1 FROM state));
        DELETE FROM places WHERE segment < coalesce((SELECT min(id) FROM segments), 9223372036854775807);`);
      return events;
    });
  }

  /** Drops a bounded number of old versions. @returns how many; 0 when none is left */
  retainFeedbackStep(ageMsMax: number, nowMs: number): number {
    let dropped = 0;
    return this.#db.atomically(() => {
      for (const table of ['feedback_past', 'feedback']) {
        dropped += this.#db
          .prepare(
            `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE received_ms<? ORDER BY received_ms LIMIT ?)`,
          )
          .run(nowMs - ageMsMax, RETAIN_FEEDBACK_STEP - dropped).changes;
      }
      return dropped;
    });
  }

  close(): void {
    this.#db.close();
  }
}
