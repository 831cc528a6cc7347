/** The doors of RPC: one call from stdin, or a stream of them. Nothing loads here that a call does not need. */
import { fstatSync, readSync, writeSync } from 'node:fs';
import type { StorePair } from '../store/ports.ts';
import { makeService, type Service } from '../wire/context.ts';
import { errorBody, exitOf, WireError } from '../wire/errors.ts';
import { WIRE_LIMITS } from '../wire/limits.ts';
import { dispatchText, type RpcAnswer } from '../wire/rpc.ts';
import { lazyStore, modelOfEnvironment, openStore } from './surroundings.ts';
import { type Flags, isUsageError, readFlags, UsageError, wholeNumber } from './usage.ts';

const CONCURRENCY = 8;
const CONCURRENCY_MAX = 1_024;
/** Answers gathered before they are written, while more are at hand. */
const WRITE_BYTES = 65_536;

/** @returns the exit status */
export async function rpcDoor(args: readonly string[]): Promise<number> {
  return atDoor(args, ['--store', '--rubrics'], async (method, service) => {
    const text = await readAll();
    const answer = text === null ? errorBody(TOO_LONG) : await dispatchText(method, text, service);
    await writeOut(`${JSON.stringify(answer)}\n`);
    return statusOfAnswer(answer);
  });
}

/** @returns the exit status */
export async function rpcBatchDoor(args: readonly string[]): Promise<number> {
  return atDoor(args, ['--store', '--rubrics', '--concurrency'], async (method, service, flags) => {
    const given = flags.values.get('--concurrency');
    const concurrency = given === undefined ? CONCURRENCY : wholeNumber('--concurrency', given, 1, CONCURRENCY_MAX);
    return batch(method, service, concurrency);
  });
}

type Work = (method: string | null, service: Service, flags: Flags) => Promise<number>;

async function atDoor(args: readonly string[], known: readonly string[], work: Work): Promise<number> {
  let store: StorePair | null = null;
  try {
    const flags = readFlags(args, known);
    const [method = null, ...more] = flags.words;
    if (more.length > 0)
      throw new UsageError(`one method is wanted, got also "${more.join(' ')}"; parameters come on stdin`);
    const place = flags.values.get('--store');
    store = place === 'none' ? null : lazyStore(async () => (await openStore(place, 'here'))!);
    const rubricsDir = flags.values.get('--rubrics');
    const rubrics = rubricsDir === undefined ? [] : (await import('./own-rubrics.ts')).ownRubrics(rubricsDir);
    const service = makeService({
      model: modelOfEnvironment(),
      traceStore: store?.traces ?? null,
      feedbackStore: store?.feedback ?? null,
      rubrics,
    });
    return await work(method, service, flags);
  } catch (error) {
    const { name, message } = error as Error;
    if (!isUsageError(error) && name !== 'ModelSettingError') throw error;
    writeSync(2, `agent-eval: ${message}\n`);
    return 1;
  } finally {
    await store?.close();
  }
}

function statusOfAnswer(answer: RpcAnswer): number {
  return 'error' in answer ? exitOf(answer.error.code) : 0;
}

/** All of stdin, or null where it is more than one request may be; a terminal is not waited for. */
async function readAll(): Promise<Buffer | null> {
  if (isDevice(0)) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const add = (chunk: Buffer): 'more' | 'enough' => {
    bytes += chunk.length;
    if (bytes > WIRE_LIMITS.bodyBytesMax) return 'enough';
    chunks.push(chunk);
    return 'more';
  };
  const buffer = Buffer.allocUnsafe(65_536);
  for (;;) {
    let read: number;
    try {
      read = readSync(0, buffer, 0, buffer.length, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') break;
      if (code !== 'EAGAIN') throw error;
      // A pipe that does not block has nothing yet: go on as a stream.
      for await (const chunk of process.stdin) if (add(chunk as Buffer) === 'enough') return null;
      break;
    }
    if (read === 0) break;
    if (add(Buffer.from(buffer.subarray(0, read))) === 'enough') return null;
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** A terminal, or another device that gives no request; to ask for a terminal alone would load all of the network. */
function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    // Closed: there is nothing to read either.
    return true;
  }
}

/** Straight to the descriptor; a stream is made only where that would block. */
async function writeOut(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(1, bytes, at);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPIPE') return;
    if (code !== 'EAGAIN') throw error;
    await new Promise<void>((resolve) => {
      process.stdout.once('error', () => resolve());
      process.stdout.write(bytes.subarray(at), () => resolve());
    });
  }
}

/** Answers in the order of the lines, each as soon as it and those before it are done. */
async function batch(method: string | null, service: Service, concurrency: number): Promise<number> {
  let status = 0;
  let isBroken = false;
  process.stdout.on('error', () => {
    isBroken = true;
  });
  const waiting: (RpcAnswer | Promise<RpcAnswer>)[] = [];
  let out = '';
  let wake: (() => void) | null = null;
  let isFlushing = false;
  const room: { call: (() => void) | null } = { call: null };

  const flush = async (): Promise<void> => {
    if (out === '' || isBroken) return;
    const text = out;
    out = '';
    if (!process.stdout.write(text)) {
      await new Promise<void>((resolve) => {
        process.stdout
          .once('drain', resolve)
          .once('close', resolve)
          .once('error', () => resolve());
      });
    }
  };
  const flushSoon = (): void => {
    if (isFlushing) return;
    isFlushing = true;
    setImmediate(() => {
      isFlushing = false;
      void flush();
    });
  };
  const pump = (async (): Promise<void> => {
    for (;;) {
      if (waiting.length === 0) {
        flushSoon();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const next = waiting[0];
      if (next === undefined) return;
      const answer = await next;
      waiting.shift();
      status = Math.max(status, statusOfAnswer(answer));
      out += `${JSON.stringify(answer)}\n`;
      if (out.length >= WRITE_BYTES) await flush();
      else flushSoon();
      room.call?.();
    }
  })();
  const stir = (): void => {
    wake?.();
    wake = null;
  };

  for await (const line of lines(process.stdin as AsyncIterable<Buffer>)) {
    if (isBroken) break;
    while (waiting.length >= concurrency) {
      await new Promise<void>((resolve) => {
        room.call = resolve;
      });
      room.call = null;
    }
    waiting.push(line === null ? errorBody(TOO_LONG) : dispatchText(method, line, service));
    stir();
  }
  // The end of input: whatever waits is pumped, and the pump stops at the empty list it is woken to.
  while (waiting.length > 0) await Promise.resolve(waiting.at(-1)).then(() => new Promise(setImmediate));
  stir();
  await pump;
  await flush();
  return isBroken ? 0 : status;
}

const TOO_LONG = new WireError('payload_too_large', `a request has at most ${WIRE_LIMITS.bodyBytesMax} bytes`);

/** Lines that are not blank, without their ends; null for one that is too long to keep. */
async function* lines(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer | null> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes <= WIRE_LIMITS.bodyBytesMax) parts.push(part);
    else parts = [];
  };
  const take = (): Buffer | null | undefined => {
    const line = bytes > WIRE_LIMITS.bodyBytesMax ? null : parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    return line === null || !isBlank(line) ? line : undefined;
  };
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, at)) {
      add(chunk.subarray(at, end));
      at = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    if (at < chunk.length) add(chunk.subarray(at));
  }
  const line = take();
  if (line !== undefined) yield line;
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
