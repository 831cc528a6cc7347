/** All request bodies in flight share one number of bytes; what does not fit is refused, not queued. */
import { WireError } from './errors.ts';

export interface Budget {
  /** @throws WireError service_unavailable when the bytes do not fit */
  claim(bytes: number): void;
  release(bytes: number): void;
  readonly claimedBytes: number;
}

export function makeBudget(bytesMax: number): Budget {
  let claimedBytes = 0;
  return {
    claim(bytes) {
      if (claimedBytes + bytes > bytesMax) {
        throw new WireError('service_unavailable', 'too many request bodies are in flight; try again shortly', {
          headers: { 'retry-after': '1' },
        });
      }
      claimedBytes += bytes;
    },
    release(bytes) {
      claimedBytes -= bytes;
    },
    get claimedBytes() {
      return claimedBytes;
    },
  };
}
