/** Inflating a body, chunk by chunk within its bounds: a bomb is left as soon as it shows. */
import { createGunzip } from 'node:zlib';
import type { Budget } from './budget.ts';
import { WireError } from './errors.ts';

export interface Inflated {
  readonly bytes: Buffer;
  /** What it holds of the budget. */
  readonly claimedBytes: number;
}

/** @throws WireError validation_error, payload_too_large, or as the budget says */
export async function inflate(body: Buffer, bytesMax: number, budget: Budget): Promise<Inflated> {
  const gunzip = createGunzip({ chunkSize: 65_536 });
  const chunks: Buffer[] = [];
  let claimedBytes = 0;
  gunzip.end(body);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      if (claimedBytes + chunk.length > bytesMax) {
        throw new WireError('payload_too_large', `a body has at most ${bytesMax} bytes after inflating`);
      }
      budget.claim(chunk.length);
      claimedBytes += chunk.length;
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), claimedBytes };
  } catch (cause) {
    gunzip.destroy();
    budget.release(claimedBytes);
    if (cause instanceof WireError) throw cause;
    throw new WireError('validation_error', 'the body is not what its content-encoding says: it does not inflate', {
      cause,
    });
  }
}
