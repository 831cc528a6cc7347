/** Reading a file whole, in bounds, and writing one so that it is either there complete or not at all. */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TAPE_BYTES_MAX } from './parse.ts';
import { TapeRefusal } from './refusal.ts';

const READ_BYTES = 1 << 26;

/** What tells one state of a file from the next, without reading it. */
export interface FileStamp {
  readonly size: string;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
  readonly dev: string;
}

export interface SourceFile {
  readonly bytes: Uint8Array;
  /** Absent for what is no plain file, such as a pipe. */
  readonly stamp?: FileStamp;
}

/** The process's own input, whatever it is: a pipe of another program often cannot be opened by this name. */
const STANDARD_INPUT = '/dev/stdin';
/** How long an input that has nothing yet is left alone. */
const IDLE_MS = 2;

/**
 * @returns the bytes, at the start of a buffer of their own
 * @throws TapeRefusal `file-unreadable`, `bytes-many`
 */
export function readWhole(path: string, bytesMax = TAPE_BYTES_MAX): SourceFile {
  return withFile(path, (file) => {
    const stat = fstatSync(file, { bigint: true });
    if (stat.isDirectory() || stat.isCharacterDevice() || stat.isBlockDevice()) {
      throw new TapeRefusal('file-unreadable', { expected: 'a file', got: `${path}, which is none` });
    }
    const tooMany = () => new TapeRefusal('bytes-many', { expected: `a file of at most ${bytesMax} bytes`, got: path });
    if (stat.size > BigInt(bytesMax)) throw tooMany();
    if (stat.isFile() && path !== STANDARD_INPUT) {
      return { bytes: readExactly(file, Number(stat.size)), stamp: stampOf(stat) };
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const chunk = new Uint8Array(1 << 16);
      const read = readSome(file, chunk);
      if (read === 0) break;
      size += read;
      if (size > bytesMax) throw tooMany();
      chunks.push(chunk.subarray(0, read));
    }
    return { bytes: new Uint8Array(Buffer.concat(chunks)) };
  });
}

/** The stamp alone, or undefined where there is no plain file. */
export function stampAt(path: string): FileStamp | undefined {
  try {
    return withFile(path, (file) => {
      const stat = fstatSync(file, { bigint: true });
      return stat.isFile() ? stampOf(stat) : undefined;
    });
  } catch (error) {
    if (error instanceof TapeRefusal) return undefined;
    throw error;
  }
}

/** Written beside, synced, then renamed over: a reader finds the old file or the new one. @throws as node:fs */
export function writeWhole(path: string, bytes: Uint8Array): void {
  const beside = join(dirname(path), `.${randomUUID()}.tmp`);
  const file = openSync(beside, 'wx', 0o600);
  try {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(READ_BYTES, bytes.length - at));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

function readExactly(file: number, size: number): Uint8Array {
  // Filled below, so that it need not be zeroed first; never from a pool, so that columns may lie in it.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
  let at = 0;
  while (at < size) {
    const read = readSync(file, bytes, at, Math.min(READ_BYTES, size - at), at);
    // A file that shrinks while it is read is taken as what was read: its hash names it.
    if (read === 0) return bytes.slice(0, at);
    at += read;
  }
  return bytes;
}

/** @returns bytes read, 0 at the end; waits where an input that never blocks has nothing yet */
function readSome(file: number, chunk: Uint8Array): number {
  for (;;) {
    try {
      return readSync(file, chunk, 0, chunk.length, null);
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, IDLE_MS);
    }
  }
}

function withFile<T>(path: string, use: (file: number) => T): T {
  let file = 0;
  try {
    if (path !== STANDARD_INPUT) file = openSync(path, constants.O_RDONLY);
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return use(file);
  } catch (error) {
    throw error instanceof TapeRefusal ? error : unreadable(path, error);
  } finally {
    if (file !== 0) closeSync(file);
  }
}

function unreadable(path: string, error: unknown): TapeRefusal {
  const why = (error as { code?: unknown }).code;
  return new TapeRefusal('file-unreadable', {
    expected: 'a file that can be read',
    got: `${path} (${typeof why === 'string' ? why : String(error)})`,
  });
}

function stampOf(stat: import('node:fs').BigIntStats): FileStamp {
  return {
    size: `${stat.size}`,
    mtimeNs: `${stat.mtimeNs}`,
    ctimeNs: `${stat.ctimeNs}`,
    ino: `${stat.ino}`,
    dev: `${stat.dev}`,
  };
}
