/**
 * The database's layout. Events lie in chunks, one a commit or a megabyte of one, whose bodies are the bytes as they
 * came; every 131,072 events a segment is sealed, which writes where its runs and event ids are. What is not sealed yet
 * is found by reading the keys of its chunks. So a commit costs one row and no index, however many events are there.
 */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from 'ground/folder';
import { openSqlite, type Sqlite, type SqliteMode } from 'ground/sqlite';
import { isStoreRefusal, StoreRefusal } from '../ports.ts';

export const STORE_FILE = 'agent-eval.db';
export const LAYOUT_VERSION = 2;
export const SEGMENT_EVENTS = 131_072;
export const BUCKETS = 256;
/** Large pages: a chunk is one long value, and is written twice (log, then database) page by page. */
export const PAGE_BYTES = 32_768;
/** Bytes of the log after which the writer folds it into the database, between two groups. */
export const CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** Pages of the log after which a commit does so itself: 64 MiB, for a log that others grow. */
const CHECKPOINT_PAGES = 2_048;

export const INDEX_RUNS = 0;
export const INDEX_EVENTS = 1;

const TABLES = `
CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), next_event INTEGER NOT NULL, events INTEGER NOT NULL,
  bytes INTEGER NOT NULL, sealed_seq INTEGER NOT NULL, sealed_event INTEGER NOT NULL) STRICT;
INSERT INTO state VALUES (1, 0, 0, 0, 0, 0);
CREATE TABLE chunks (seq INTEGER PRIMARY KEY AUTOINCREMENT, base INTEGER NOT NULL, count INTEGER NOT NULL,
  received_ms INTEGER NOT NULL, first_ms REAL NOT NULL, last_ms REAL NOT NULL, bytes INTEGER NOT NULL,
  keys BLOB NOT NULL, body BLOB NOT NULL) STRICT;
CREATE INDEX chunks_by_base ON chunks (base);
CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,
  base INTEGER NOT NULL) STRICT;
CREATE TABLE places (kind INTEGER NOT NULL, bucket INTEGER NOT NULL, segment INTEGER NOT NULL, words BLOB NOT NULL,
  PRIMARY KEY (kind, bucket, segment)) STRICT;
CREATE TABLE feedback (id TEXT PRIMARY KEY, version INTEGER NOT NULL, received_ms INTEGER NOT NULL, body BLOB NOT NULL)
  STRICT;
`;

/** What each layout adds to the one before it, from the first. */
const STEPS: readonly string[] = [
  TABLES,
  `
CREATE TABLE feedback_past (id TEXT NOT NULL, version INTEGER NOT NULL, received_ms INTEGER NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (id, version)) STRICT;
CREATE INDEX feedback_by_time ON feedback (received_ms);
CREATE INDEX feedback_past_by_time ON feedback_past (received_ms);
`,
];

/**
 * @param dir the store's folder; made, and the database in it, when opened for writing
 * @throws StoreRefusal when it is not there, not a store, or of a newer layout
 */
export function openLayout(dir: string, mode: SqliteMode): Sqlite {
  const file = join(dir, STORE_FILE);
  const isNew = !existsSync(file);
  if (mode === 'read-only' && isNew) throw new StoreRefusal('broken', `no store in ${dir}: ${STORE_FILE} is not there`);
  try {
    if (mode === 'read-write') makeFolder(dir, 0o700);
    const db = openSqlite(file, mode);
    try {
      prepare(db, mode);
    } catch (error) {
      db.close();
      throw error;
    }
    if (isNew) for (const path of [dir, dirname(dir)]) syncFolder(path);
    return db;
  } catch (error) {
    throw refusalOf(error, `the store ${file} cannot be opened`);
  }
}

function prepare(db: Sqlite, mode: SqliteMode): void {
  if (mode === 'read-write') {
    db.exec(`PRAGMA page_size=${PAGE_BYTES}`);
    db.exec('PRAGMA journal_mode=WAL');
    // An acknowledgement means on disk: every commit syncs the log.
    db.exec('PRAGMA synchronous=FULL');
    db.exec(`PRAGMA wal_autocheckpoint=${CHECKPOINT_PAGES}`);
    db.exec('PRAGMA journal_size_limit=67108864');
  }
  db.exec('PRAGMA cache_size=-16384');
  const version = layoutOf(db);
  if (version > LAYOUT_VERSION) {
    const message = `this store has layout ${version}, this program knows up to ${LAYOUT_VERSION}; upgrade agent-eval`;
    throw new StoreRefusal('broken', message);
  }
  if (version === LAYOUT_VERSION || mode === 'read-only') return;
  db.atomically(() => {
    // Two processes may open a new store at once; the second finds it made.
    for (const step of STEPS.slice(layoutOf(db))) db.exec(step);
    db.exec(`PRAGMA user_version=${LAYOUT_VERSION}`);
  });
}

/** 0 for a database that was just made. */
export function layoutOf(db: Sqlite): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

/** So that a name that was just made or changed in it is durable. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Any engine's error as the port's one. */
export function refusalOf(error: unknown, what: string): StoreRefusal {
  if (isStoreRefusal(error)) return error;
  const { code, errcode, message } = error as { code?: unknown; errcode?: unknown; message?: unknown };
  const said = `${what}: ${String(message)}`;
  const isFull = code === 'SQLITE_FULL' || errcode === 13 || code === 'ENOSPC';
  if (isFull) return new StoreRefusal('full', `${said}; free some space or set a retention`, error);
  const isBusy = (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) || errcode === 5;
  if (isBusy) return new StoreRefusal('busy', `${said}; another process holds it`, error);
  return new StoreRefusal('broken', said, error);
}
