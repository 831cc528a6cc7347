/**
 * Where a verb reads and writes. stdout is the answer and stderr the talk; both are written synchronously, because
 * the process ends with the verb and `process.stdout` alone would cost a fifth of the start-up.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { Failure } from './failure.ts';

export interface Streams {
  /** The answer. */
  readonly write: (text: string | Uint8Array) => void;
  /** The talk. */
  readonly say: (text: string) => void;
  /** At most `bytesMax` bytes of standard input, or of the file at `path`. */
  readonly read: (source: Source, bytesMax: number) => Bytes;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person watches that stream. */
  readonly watched: (stream: 'answer' | 'talk') => boolean;
}

/** A file's path, or `-` for standard input. */
export type Source = string;

export interface Bytes {
  readonly bytes: Uint8Array;
  /** Whether the source had more than was asked for. */
  readonly cut: boolean;
}

/** The reader of our stdout went away; nobody is left to tell. */
export class Closed extends Error {
  override readonly name = 'Closed';
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const READ_BYTES = 65_536;

/** The streams of this process. `isatty` is handed in, since loading it costs what a small verb takes in all. */
export function processStreams(isatty: (fd: number) => boolean): Streams {
  return {
    write: (text) => writeAll(STDOUT, text),
    say: (text) => {
      try {
        writeAll(STDERR, text);
      } catch {
        // Talk that nobody can hear is no reason to fail.
      }
    },
    read: readSource,
    env: process.env,
    watched: (stream) => isatty(stream === 'answer' ? STDOUT : STDERR),
  };
}

/** The streams of a verb that never asks who watches: it saves loading the terminal. */
export const quietStreams = (): Streams => processStreams(() => false);

function writeAll(fd: number, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EAGAIN') pause();
      else if (code === 'EPIPE') throw new Closed();
      else {
        throw new Failure({
          code: 'unavailable',
          message: `standard output cannot be written (${code})`,
          next: 'free the disk, or send the output elsewhere',
        });
      }
    }
  }
}

function readSource(source: Source, bytesMax: number): Bytes {
  const fd = source === '-' ? STDIN : open(source);
  try {
    const chunks: Uint8Array[] = [];
    let total = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, bytesMax + 1 - total));
      const n = readSome(fd, chunk, source);
      if (n === 0) break;
      chunks.push(chunk.subarray(0, n));
      total += n;
      if (total > bytesMax) break;
    }
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    return total > bytesMax ? { bytes: bytes.subarray(0, bytesMax), cut: true } : { bytes, cut: false };
  } finally {
    if (fd !== STDIN) closeSync(fd);
  }
}

function open(path: string): number {
  try {
    const fd = openSync(path, 'r');
    if (!fstatSync(fd).isDirectory()) return fd;
    closeSync(fd);
  } catch (error) {
    throw unreadable(path, systemCode(error));
  }
  throw unreadable(path, 'EISDIR');
}

function readSome(fd: number, chunk: Uint8Array, source: Source): number {
  for (;;) {
    try {
      return readSync(fd, chunk, 0, chunk.length, null);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EAGAIN') pause();
      else if (code === 'EOF') return 0;
      else throw unreadable(source, code);
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
};

export function unreadable(path: string, code: string): Failure {
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code]! : `the system says ${code}`;
  return new Failure({
    code: 'unreadable',
    message: `${path === '-' ? 'standard input' : path} cannot be read: ${reason}`,
    expected: 'the path of a file, or - for standard input',
  });
}

/** The system's name for what went wrong. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** A stream that does not block said "later": wait a moment without spinning. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}
