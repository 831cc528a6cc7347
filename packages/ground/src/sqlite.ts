/**
 * One narrow door to SQLite: `node:sqlite` where Node carries it, else the `better-sqlite3` package. Same SQL, same
 * file, so that everything above it does not know which one is underneath.
 */

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface SqliteStatement {
  run(...values: SqlValue[]): { readonly changes: number };
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
  iterate(...values: SqlValue[]): IterableIterator<SqlRow>;
}

export interface Sqlite {
  readonly engine: 'node:sqlite' | 'better-sqlite3';
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  /** Runs `work` inside one write transaction; an exception rolls all of it back and is thrown on. */
  atomically<T>(work: () => T): T;
  close(): void;
}

export type SqliteMode = 'read-write' | 'read-only';

/** Neither engine can be loaded: an old Node without the optional package. */
export class SqliteMissing extends Error {
  override readonly name = 'SqliteMissing';
  readonly code = 'sqlite_missing';
  constructor(cause: unknown) {
    super(
      'no SQLite engine: Node >= 22.13 carries one; on an older Node install the optional package better-sqlite3 ' +
        '(it needs a C++ compiler), or run with a store in memory',
      { cause },
    );
  }
}

/** The wait for another process's write lock before a statement is refused as busy. */
export const SQLITE_BUSY_MS = 10_000;

interface Raw {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/**
 * @param file path of the database; made if absent unless `mode` is read-only
 * @throws SqliteMissing where no engine is there; the engine's own error where the file cannot be opened
 */
export function openSqlite(file: string, mode: SqliteMode): Sqlite {
  const { engine, raw } = openRaw(file, mode);
  try {
    raw.exec(`PRAGMA busy_timeout=${SQLITE_BUSY_MS}`);
  } catch (error) {
    raw.close();
    throw error;
  }
  let depth = 0;
  return {
    engine,
    exec: (sql) => void raw.exec(sql),
    prepare: (sql) => raw.prepare(sql),
    atomically(work) {
      if (depth > 0) return work();
      raw.exec('BEGIN IMMEDIATE');
      depth++;
      try {
        const result = work();
        raw.exec('COMMIT');
        return result;
      } catch (error) {
        // A full disk may have rolled back already; the first error is the one worth telling.
        try {
          raw.exec('ROLLBACK');
        } catch {}
        throw error;
      } finally {
        depth--;
      }
    },
    close: () => raw.close(),
  };
}

/** Writes a consistent copy of an open database into a new file and syncs it, while others go on writing. */
export function copySqlite(from: Sqlite, to: string): void {
  from.prepare('VACUUM INTO ?').run(to);
  for (const path of [to, dirname(to)]) {
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
}

function openRaw(file: string, mode: SqliteMode): { engine: Sqlite['engine']; raw: Raw } {
  if (hasOwnSqlite(process.versions.node)) {
    const { DatabaseSync } = quietly(() => process.getBuiltinModule('node:sqlite')) as {
      DatabaseSync: new (file: string, options: { readOnly: boolean }) => Raw;
    };
    return { engine: 'node:sqlite', raw: new DatabaseSync(file, { readOnly: mode === 'read-only' }) };
  }
  let Database: new (file: string, options: { readonly: boolean; fileMustExist: boolean }) => Raw;
  try {
    // A bundle may be CommonJS, which knows no import.meta.
    Database = createRequire(typeof __filename === 'string' ? __filename : import.meta.url)('better-sqlite3');
  } catch (error) {
    throw new SqliteMissing(error);
  }
  const readonly = mode === 'read-only';
  try {
    return { engine: 'better-sqlite3', raw: new Database(file, { readonly, fileMustExist: readonly }) };
  } catch (error) {
    if (error instanceof Error && /bindings file|NODE_MODULE_VERSION/.test(error.message))
      throw new SqliteMissing(error);
    throw error;
  }
}

/** `node:sqlite` needs no flag from 22.13 and from 23.4 on. */
function hasOwnSqlite(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
}

/** Loading `node:sqlite` prints one line about its stability on stderr, which is no business of a caller's log. */
function quietly<T>(work: () => T): T {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emit;
  }
}
