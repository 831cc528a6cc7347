/** Reading a store, while others write it: runs through the sealed index, the newest events through their keys. */
import type { Sqlite, SqliteStatement, SqlRow } from 'ground/sqlite';
import { eventHead, fits } from '../event-text.ts';
import type { EventQuery, FeedbackQuery, FeedbackRecord, Repeat, StoredEvent, TraceStats } from '../ports.ts';
import { KEY_WORDS, type NameHash, nameHash, wordsOf } from './keys.ts';
import { INDEX_EVENTS, INDEX_RUNS, layoutOf } from './layout.ts';
import { eventPlaces, type PlaceList } from './places.ts';
import { repeatsAsMet, repeatsOf, repeatsOfAll } from './repeats.ts';

/** Chunk numbers looked at in one statement, and feedback rows read at once. */
const PAGE = 256;

interface ReadChunk {
  readonly seq: number;
  readonly base: number;
  readonly receivedMs: number;
  readonly keys: Uint32Array;
  readonly body: Uint8Array;
}

export interface EventsOfChunk {
  readonly base: number;
  readonly count: number;
  eventAt(i: number): StoredEvent;
}

export class Reader {
  readonly #db: Sqlite;
  readonly #chunk: SqliteStatement;
  readonly #chunkOf: SqliteStatement;
  #lastChunk: ReadChunk | null = null;

  constructor(db: Sqlite) {
    this.#db = db;
    this.#chunk = db.prepare('SELECT seq, base, received_ms, keys, body FROM chunks WHERE seq=?');
    this.#chunkOf = db.prepare('SELECT seq FROM chunks WHERE base<=? ORDER BY base DESC LIMIT 1');
  }

  async *read(query: EventQuery): AsyncIterable<StoredEvent> {
    const run = query.runId === undefined ? null : nameHash(query.runId);
    const isRepeat = query.view === 'all' ? null : run === null ? await repeatsOfAll(this) : repeatsAsMet(this);
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for (const seq of run === null ? this.#seqsOfAll(query) : this.#seqsOfRun(run)) {
      const chunk = this.#load(seq);
      if (chunk === null) continue;
      for (let i = 0; i * KEY_WORDS < chunk.keys.length; i++) {
        const at = i * KEY_WORDS;
        if (run !== null && (chunk.keys[at + 2] !== run[0] || chunk.keys[at + 3] !== run[1])) continue;
        const event = eventAt(chunk, i);
        if (!fits(query, event)) continue;
        if (isRepeat?.(event, [chunk.keys[at + 4]!, chunk.keys[at + 5]!])) continue;
        yield event;
        if (--left <= 0) return;
      }
    }
  }

  repeats(): AsyncIterable<Repeat> {
    return repeatsOf(this);
  }

  /** One past the newest ordinal. */
  nextOrdinal(): number {
    return Number(this.#db.prepare('SELECT next_event FROM state').get()!.next_event);
  }

  stats(): TraceStats {
    const { events, bytes } = this.#db.prepare('SELECT events, bytes FROM state').get()!;
    const at = (order: 'ASC' | 'DESC'): number | null => {
      const row = this.#db.prepare(`SELECT received_ms FROM chunks ORDER BY seq ${order} LIMIT 1`).get();
      return row === undefined ? null : Number(row.received_ms);
    };
    return { events: Number(events), bytes: Number(bytes), firstReceivedMs: at('ASC'), lastReceivedMs: at('DESC') };
  }

  feedback(id: string): FeedbackRecord | null {
    const row = this.#db.prepare('SELECT id, version, received_ms, body FROM feedback WHERE id=?').get(id);
    return row === undefined ? null : feedbackOf(row);
  }

  async *allFeedback({ view, id }: FeedbackQuery): AsyncIterable<FeedbackRecord> {
    const columns = 'id, version, received_ms, body';
    const ofId = id === undefined ? '' : 'id=? AND ';
    const paged = (table: string) => `SELECT ${columns} FROM ${table} WHERE ${ofId}(id, version)>(?,?)`;
    // A store of the first layout that is only read has no past.
    const withPast = view === 'versions' && layoutOf(this.#db) >= 2;
    const page = this.#db.prepare(
      `${paged('feedback')}${withPast ? ` UNION ALL ${paged('feedback_past')}` : ''} ORDER BY id, version LIMIT ?`,
    );
    for (let after: readonly [string, number] = ['', 0]; ; ) {
      const place = id === undefined ? after : [id, ...after];
      const rows = page.all(...place, ...(withPast ? place : []), PAGE).map(feedbackOf);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = [last.id, last.version];
    }
  }

  /** What SQLite and the counts say against the store; empty when it is whole. */
  problems(): string[] {
    const said = this.#db
      .prepare('PRAGMA integrity_check(20)')
      .all()
      .map((row) => String(row.integrity_check));
    const found = said.filter((line) => line !== 'ok');
    const sums = this.#db
      .prepare('SELECT coalesce(sum(count),0) AS events, coalesce(sum(bytes),0) AS bytes FROM chunks')
      .get()!;
    const state = this.#db.prepare('SELECT events, bytes FROM state').get()!;
    for (const name of ['events', 'bytes'] as const) {
      if (sums[name] !== state[name]) found.push(`${name}: counted ${sums[name]}, recorded ${state[name]}`);
    }
    return found;
  }

  *#seqsOfAll({ sinceMs, untilMs }: EventQuery): Iterable<number> {
    const page = this.#db.prepare(
      'SELECT seq FROM chunks WHERE seq>? AND seq<=? AND last_ms>=? AND first_ms<? ORDER BY seq LIMIT ?',
    );
    const last = this.#lastSeq();
    for (let after = 0; ; ) {
      const rows = page.all(after, last, sinceMs ?? 0, untilMs ?? Number.MAX_VALUE, PAGE);
      for (const row of rows) yield Number(row.seq);
      if (rows.length < PAGE) return;
      after = Number(rows.at(-1)!.seq);
    }
  }

  /** In order: sealed segments one by one, each through its index, then the chunks that no segment holds yet. */
  *#seqsOfRun(run: NameHash): Iterable<number> {
    const last = this.#lastSeq();
    const sealed = Number(this.#db.prepare('SELECT sealed_seq FROM state').get()!.sealed_seq);
    const place = this.#db.prepare('SELECT words FROM places WHERE kind=? AND bucket=? AND segment=?');
    for (const { id, first_seq } of this.#segments()) {
      const row = place.get(INDEX_RUNS, run[0] >>> 24, id);
      if (row === undefined) continue;
      const words = wordsOf(row.words as Uint8Array);
      for (let at = 0; at < words.length; at += 3) {
        if (words[at] === run[0] && words[at + 1] === run[1]) yield first_seq + words[at + 2]!;
      }
    }
    const page = this.#db.prepare('SELECT seq FROM chunks WHERE seq>? AND seq<=? ORDER BY seq LIMIT ?');
    for (let after = sealed; ; ) {
      const rows = page.all(after, last, PAGE);
      for (const row of rows) yield Number(row.seq);
      if (rows.length < PAGE) return;
      after = Number(rows.at(-1)!.seq);
    }
  }

  #segments(): { id: number; first_seq: number; last_seq: number; base: number }[] {
    const rows = this.#db.prepare('SELECT id, first_seq, last_seq, base FROM segments ORDER BY id').all();
    return rows.map(({ id, first_seq, last_seq, base }) => ({
      id: Number(id),
      first_seq: Number(first_seq),
      last_seq: Number(last_seq),
      base: Number(base),
    }));
  }

  /** The chunks that begin at or after an event, in order, each loaded once. */
  *chunksFrom(ordinal: number): Iterable<EventsOfChunk> {
    const next = this.#db.prepare('SELECT seq FROM chunks WHERE seq>? ORDER BY seq LIMIT 1');
    let row = this.#chunkOf.get(ordinal) ?? next.get(0);
    while (row !== undefined) {
      const seq = Number(row.seq);
      const chunk = this.#load(seq);
      if (chunk !== null) {
        const count = chunk.keys.length / KEY_WORDS;
        yield { base: chunk.base, count, eventAt: (i) => eventAt(chunk, i) };
      }
      row = next.get(seq);
    }
  }

  /** Where every event's id was when this was called, bucket by bucket; what is not sealed is read once. */
  eventPlaces(): (bucket: number) => PlaceList[] {
    const segments = this.#segments();
    // Not what the state says is sealed: another may have been since.
    const open = this.#openPlaces(segments.at(-1)?.last_seq ?? 0);
    const place = this.#db.prepare('SELECT words FROM places WHERE kind=? AND bucket=? AND segment=?');
    return (bucket) => {
      const lists: PlaceList[] = [];
      for (const { id, base } of segments) {
        const row = place.get(INDEX_EVENTS, bucket, id);
        if (row !== undefined) lists.push({ base, words: wordsOf(row.words as Uint8Array) });
      }
      lists.push({ base: open.base, words: open.buckets[bucket]! });
      return lists;
    };
  }

  #openPlaces(lastSealedSeq: number): { readonly base: number; readonly buckets: readonly Uint32Array[] } {
    const rows = this.#db.prepare('SELECT seq, base, keys FROM chunks WHERE seq>? ORDER BY seq').all(lastSealedSeq);
    const parts = rows.map((row) => ({
      seq: Number(row.seq),
      base: Number(row.base),
      keys: wordsOf(row.keys as Uint8Array),
    }));
    const base = parts[0]?.base ?? 0;
    return { base, buckets: eventPlaces(parts, base) };
  }

  /** Null where retention has taken it. */
  eventOf(ordinal: number): StoredEvent | null {
    const last = this.#lastChunk;
    const isLast = last !== null && last.base <= ordinal && ordinal < last.base + last.keys.length / KEY_WORDS;
    const row = isLast ? null : this.#chunkOf.get(ordinal);
    if (row === undefined) return null;
    const chunk = row === null ? last : this.#load(Number(row.seq));
    if (chunk === null || ordinal - chunk.base >= chunk.keys.length / KEY_WORDS) return null;
    return eventAt(chunk, ordinal - chunk.base);
  }

  #load(seq: number): ReadChunk | null {
    if (this.#lastChunk?.seq === seq) return this.#lastChunk;
    const row = this.#chunk.get(seq);
    if (row === undefined) return null;
    this.#lastChunk = {
      seq,
      base: Number(row.base),
      receivedMs: Number(row.received_ms),
      keys: wordsOf(row.keys as Uint8Array),
      body: row.body as Uint8Array,
    };
    return this.#lastChunk;
  }

  #lastSeq(): number {
    return Number(this.#db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM chunks').get()!.seq);
  }
}

function eventAt({ base, receivedMs, keys, body }: ReadChunk, i: number): StoredEvent {
  const start = keys[i * KEY_WORDS]!;
  const bytes = body.subarray(start, start + keys[i * KEY_WORDS + 1]!);
  const { eventId, runId, kind, timestamp } = eventHead(bytes);
  return { ordinal: base + i, receivedMs, eventId, runId, kind, timestampMs: timestamp, bytes };
}

function feedbackOf(row: SqlRow): FeedbackRecord {
  return {
    id: String(row.id),
    version: Number(row.version),
    receivedMs: Number(row.received_ms),
    bytes: row.body as Uint8Array,
  };
}
