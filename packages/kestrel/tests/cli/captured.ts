/** A door run in this process, its streams caught: what it answered, what it said, how it ended. */
import { readFileSync } from 'node:fs';
import { doorOf } from '../../src/bin/dispatch.ts';
import { answer, type Run } from '../../src/cli/answer.ts';
import { Failure } from '../../src/cli/failure.ts';
import { Closed, type Streams, unreadable } from '../../src/cli/streams.ts';

export interface Captured {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Streams that a person watches. */
  readonly watched?: readonly ('answer' | 'talk')[];
  /** The reader of stdout goes away, or the disk fills, after this many characters. */
  readonly breaks?: { readonly after: number; readonly as: 'closed' | 'full' };
}

/** @param argv what stands after `kestrel` */
export async function captured(argv: readonly string[], around: Surroundings = {}): Promise<Captured> {
  let stdout = '';
  let stderr = '';
  const stdin = Buffer.from(around.stdin ?? '');
  const streams: Streams = {
    write: (piece) => {
      stdout += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8');
      if (around.breaks === undefined || stdout.length <= around.breaks.after) return;
      if (around.breaks.as === 'closed') throw new Closed();
      throw new Failure({ code: 'unavailable', message: 'standard output cannot be written (ENOSPC)' });
    },
    say: (text) => {
      stderr += text;
    },
    read: (source, bytesMax) => {
      const bytes = source === '-' ? stdin : readOrRefuse(source);
      return bytes.length > bytesMax ? { bytes: bytes.subarray(0, bytesMax), cut: true } : { bytes, cut: false };
    },
    env: around.env ?? {},
    watched: (stream) => around.watched?.includes(stream) ?? false,
  };
  const status = await answer(await runOf(argv), argv, streams);
  return { status, stdout, stderr };
}

/** The verb behind the door that the dispatcher chose, without that door's own streams. */
async function runOf(argv: readonly string[]): Promise<Run> {
  const door = (await doorOf(argv)) as unknown as Record<string, Run>;
  const name = Object.keys(door).find((key) => key.startsWith('run'));
  if (name === undefined) throw new Error('the door exports no run…');
  return door[name]!;
}

function readOrRefuse(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(path, (error as NodeJS.ErrnoException).code ?? '');
  }
}
