/**
 * The disk as the store needs it: append, sync, read, replace whole. Behind this port stand the real disk and, in tests,
 * one that forgets what was not synced.
 */
import {
  close,
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  open,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from 'ground/folder';

/** The store cannot be read or written: a full disk, a folder that may not be written, a torn medium. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly code = 'unavailable';
  readonly expected: string;
  readonly got: string;
  constructor(what: string, cause: unknown) {
    const code = String((cause as { code?: unknown } | null)?.code ?? cause);
    super(`the store cannot ${what} (${code}); free the disk or name another place in KESTREL_HOME`, { cause });
    this.expected = 'a folder that may be written, on a disk with room';
    this.got = code;
  }
}

/** A file that is only ever appended to. */
export interface Appender {
  /** Bytes that stand in the file now, whoever wrote them. */
  size(): number;
  /** Whether the file reaches beyond so many bytes; asked before and after each append, so it must cost little. */
  reaches(bytes: number): boolean;
  /** One write at the file's end, whole or refused; what a refused write left behind is the reader's to skip. */
  write(bytes: Uint8Array): void;
  /** What was written survives a crash once this returns. */
  sync(): void;
  syncLater(): Promise<void>;
  read(from: number, length: number): Uint8Array;
  close(): void;
}

export interface Disk {
  /**
   * Opens for appending; with `make` the file and its folder are made and their names synced, with `make-unsynced` the
   * file's own name is left for {@link Disk.syncNames}.
   */
  append(path: string, mode: 'make' | 'make-unsynced' | 'existing'): Appender | undefined;
  /** The names of files made in the folder survive a crash. */
  syncNames(folder: string): Promise<void>;
  /** undefined where there is no such file. */
  read(path: string): Uint8Array | undefined;
  /** Bytes of the file, or undefined. */
  size(path: string): number | undefined;
  list(folder: string): string[];
  /** Replaces the file whole: after a crash there is the old one or the new one. */
  replace(path: string, bytes: Uint8Array): void;
  /** Nothing happens where there is no such file. */
  remove(path: string): void;
}

/** Bytes that one read takes in at most. */
const READ_MAX = 1 << 30;

function missing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes a folder with its parents, each name synced into the folder above. */
function makeSynced(path: string): void {
  for (const folder of makeFolder(path)) syncFolder(dirname(folder));
}

export const realDisk: Disk = {
  append(path, mode) {
    try {
      let fd: number;
      try {
        fd = openSync(path, constants.O_RDWR | constants.O_APPEND);
      } catch (error) {
        if (!missing(error)) throw error;
        if (mode === 'existing') return undefined;
        makeSynced(dirname(path));
        fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
        if (mode === 'make') syncFolder(dirname(path));
      }
      return appender(fd, path);
    } catch (error) {
      throw new StoreFault(`open ${path}`, error);
    }
  },
  syncNames: (folder) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(new StoreFault(`sync ${folder}`, error));
      open(folder, 'r', (error, fd) => {
        if (error !== null) return fail(error);
        fsync(fd, (unsynced) => close(fd, () => (unsynced === null ? resolve() : fail(unsynced))));
      });
    }),
  read(path) {
    try {
      return readFileSync(path);
    } catch (error) {
      if (missing(error)) return undefined;
      throw new StoreFault(`read ${path}`, error);
    }
  },
  size(path) {
    try {
      return statSync(path).size;
    } catch (error) {
      if (missing(error)) return undefined;
      throw new StoreFault(`read ${path}`, error);
    }
  },
  list(folder) {
    try {
      return readdirSync(folder).sort();
    } catch (error) {
      if (missing(error)) return [];
      throw new StoreFault(`list ${folder}`, error);
    }
  },
  replace(path, bytes) {
    const draft = join(dirname(path), `.${process.pid}.${drafts++}.draft`);
    try {
      makeSynced(dirname(path));
      const fd = openSync(draft, 'w', 0o600);
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(draft, path);
      syncFolder(dirname(path));
    } catch (error) {
      rmSync(draft, { force: true });
      throw new StoreFault(`write ${path}`, error);
    }
  },
  remove(path) {
    try {
      rmSync(path, { force: true });
    } catch (error) {
      throw new StoreFault(`remove ${path}`, error);
    }
  },
};

let drafts = 0;

/** Descriptors of appenders that are open at a time; the one unused longest is closed, and opened again when used. */
export const OPEN_FILES_MAX = 512;

interface Held {
  readonly path: string;
  /** undefined while it is closed. */
  fd: number | undefined;
  /** Calls that are on their way and need the descriptor. */
  pins: number;
}

/** In order of use. */
const openFiles = new Set<Held>();

/** @throws what the file system says */
function descriptorOf(held: Held): number {
  held.fd ??= openSync(held.path, constants.O_RDWR | constants.O_APPEND);
  openFiles.delete(held);
  openFiles.add(held);
  if (openFiles.size > OPEN_FILES_MAX) {
    for (const other of openFiles) {
      if (openFiles.size <= OPEN_FILES_MAX) break;
      if (other !== held && other.pins === 0) release(other);
    }
  }
  return held.fd;
}

function release(held: Held): void {
  openFiles.delete(held);
  if (held.fd === undefined) return;
  const { fd } = held;
  held.fd = undefined;
  closeSync(fd);
}

function appender(fd: number, path: string): Appender {
  const held: Held = { path, fd, pins: 0 };
  descriptorOf(held);
  let isClosed = false;
  const one = new Uint8Array(1);
  const asked = <T>(what: string, ask: (fd: number) => T): T => {
    try {
      return ask(descriptorOf(held));
    } catch (error) {
      throw new StoreFault(`${what} ${path}`, error);
    }
  };
  return {
    size: () => asked('read', (open) => fstatSync(open).size),
    reaches: (bytes) => asked('read', (open) => readSync(open, one, 0, 1, bytes) > 0),
    write: (bytes) =>
      asked('append to', (open) => {
        const n = writeSync(open, bytes);
        if (n < bytes.length) throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
      }),
    sync: () => asked('sync', fdatasyncSync),
    syncLater: () =>
      new Promise((resolve, reject) => {
        const open = asked('sync', () => descriptorOf(held));
        held.pins++;
        fdatasync(open, (error) => {
          held.pins--;
          if (isClosed && held.pins === 0) release(held);
          if (error === null) resolve();
          else reject(new StoreFault(`sync ${path}`, error));
        });
      }),
    read: (from, length) =>
      asked('read', (open) => {
        const bytes = new Uint8Array(Math.min(length, READ_MAX));
        let at = 0;
        while (at < bytes.length) {
          const n = readSync(open, bytes, at, bytes.length - at, from + at);
          if (n === 0) break;
          at += n;
        }
        return bytes.subarray(0, at);
      }),
    close() {
      isClosed = true;
      if (held.pins === 0) release(held);
    },
  };
}
