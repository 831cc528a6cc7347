/** How a chunk's events are found without reading them: six 32-bit words an event. */
import type { EventBatch } from '../ports.ts';

/** start, length, run hash (2), event hash (2) */
export const KEY_WORDS = 6;
export const KEY_BYTES = KEY_WORDS * 4;

/** 64 bits in two words: names are found by it, and compared in full before anything is said of them. */
export type NameHash = readonly [high: number, low: number];

export function nameHash(name: string): NameHash {
  const words = new Uint32Array(2);
  writeHash(name, words, 0);
  return [words[0]!, words[1]!];
}

/** Multiplicative mixing over UTF-16 units in two lanes, then a final avalanche (the constants are Murmur's and Knuth's). */
function writeHash(name: string, words: Uint32Array, at: number): void {
  let high = 0x9e3779b9;
  let low = 0x41c6ce57;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
    high = (high << 13) | (high >>> 19);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  words[at] = high ^ (high >>> 15);
  words[at + 1] = low ^ (low >>> 15);
}

/** Writes the keys of one batch whose body starts at `bodyAt` of its chunk. */
export function writeKeys(batch: EventBatch, bodyAt: number, keys: Uint32Array, first: number): void {
  const { spans, runIds, eventIds } = batch;
  let lastRun: string | null = null;
  let at = first * KEY_WORDS;
  for (let i = 0; i < eventIds.length; i++, at += KEY_WORDS) {
    keys[at] = spans[2 * i]! + bodyAt;
    keys[at + 1] = spans[2 * i + 1]!;
    // Batches mostly belong to one run, or to runs in stretches.
    const runId = runIds[i]!;
    if (runId === lastRun) {
      keys[at + 2] = keys[at - KEY_WORDS + 2]!;
      keys[at + 3] = keys[at - KEY_WORDS + 3]!;
    } else {
      writeHash(runId, keys, at + 2);
      lastRun = runId;
    }
    writeHash(eventIds[i]!, keys, at + 4);
  }
}

/** Words of a blob as SQLite gives it: its bytes may not stand on a word's boundary. */
export function wordsOf(blob: Uint8Array): Uint32Array {
  if (blob.byteOffset % 4 === 0) return new Uint32Array(blob.buffer, blob.byteOffset, blob.byteLength / 4);
  return new Uint32Array(new Uint8Array(blob).buffer);
}

export function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
