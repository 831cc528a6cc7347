/** Bytes of a source to the text they hold: gzip in bounds, anything else as it is. */
import { gunzipSync } from 'node:zlib';
import { TAPE_BYTES_MAX } from './parse.ts';
import { TapeRefusal } from './refusal.ts';

/** A source that inflates beyond this many times its size, and beyond the floor, is a bomb. Real tapes stay under 30. */
export const INFLATE_RATIO_MAX = 200;
export const INFLATE_FLOOR_BYTES = 64 * 1024 * 1024;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

export function inflateMax(packedBytes: number): number {
  return Math.min(TAPE_BYTES_MAX, Math.max(INFLATE_FLOOR_BYTES, packedBytes * INFLATE_RATIO_MAX));
}

/** @throws TapeRefusal `gzip-bad` on a torn or altered file or on bytes after its end, `bytes-many` on a bomb */
export function unpack(bytes: Uint8Array): Uint8Array {
  if (!isGzip(bytes)) return bytes;
  const most = inflateMax(bytes.length);
  let read: number;
  let out: Uint8Array;
  try {
    const result = gunzipSync(bytes, { maxOutputLength: most, info: true }) as unknown as Inflated;
    out = result.buffer;
    read = result.engine.bytesWritten;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new TapeRefusal('bytes-many', { expected: `a gzip file of at most ${most} bytes inside`, got: 'more' });
    }
    if (typeof code !== 'string' || !code.startsWith('Z_')) throw error;
    throw new TapeRefusal('gzip-bad', { expected: 'a whole gzip file', got: (error as Error).message });
  }
  if (read < bytes.length && bytes.subarray(read).some((byte) => byte !== 0)) {
    throw new TapeRefusal('gzip-bad', { expected: 'nothing after the gzip data', got: `${bytes.length - read} bytes` });
  }
  return out;
}

interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}
