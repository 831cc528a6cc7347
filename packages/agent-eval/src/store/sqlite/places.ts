/** Where names lie: the runs and event ids of some chunks, in buckets by the first byte of their hash. */
import { KEY_WORDS } from './keys.ts';
import { BUCKETS } from './layout.ts';

/** Places of one bucket as they are stored: three words each, the last counted from `base`. */
export interface PlaceList {
  readonly base: number;
  readonly words: Uint32Array;
}

/** A chunk's keys, and the number of its first event. */
export interface Part {
  readonly seq: number;
  readonly base: number;
  readonly keys: Uint32Array;
}

/** Three words a place: hash, then the chunk, counted from the segment's first. One a run and chunk. */
export function runPlaces(parts: readonly Part[], firstSeq: number): Uint32Array[] {
  const lists: number[][] = Array.from({ length: BUCKETS }, () => []);
  for (const { seq, keys } of parts) {
    const seen = new Map<number, Set<number>>();
    for (let at = 2; at < keys.length; at += KEY_WORDS) {
      const high = keys[at]!;
      const low = keys[at + 1]!;
      // Runs mostly come in stretches.
      if (at > 2 && high === keys[at - KEY_WORDS] && low === keys[at - KEY_WORDS + 1]) continue;
      const lows = seen.get(high);
      if (lows === undefined) seen.set(high, new Set([low]));
      else if (lows.has(low)) continue;
      else lows.add(low);
      lists[high >>> 24]!.push(high, low, seq - firstSeq);
    }
  }
  return lists.map((list) => Uint32Array.from(list));
}

/** Three words a place: hash, then the event, counted from the first. */
export function eventPlaces(parts: readonly Part[], firstEvent: number): Uint32Array[] {
  const counts = new Uint32Array(BUCKETS);
  for (const { keys } of parts) for (let at = 4; at < keys.length; at += KEY_WORDS) counts[keys[at]! >>> 24]!++;
  const places = Array.from(counts, (count) => new Uint32Array(count * 3));
  const ends = new Uint32Array(BUCKETS);
  for (const { base, keys } of parts) {
    for (let at = 4, i = 0; at < keys.length; at += KEY_WORDS, i++) {
      const bucket = keys[at]! >>> 24;
      const end = ends[bucket]!;
      const words = places[bucket]!;
      words[end] = keys[at]!;
      words[end + 1] = keys[at + 1]!;
      words[end + 2] = base + i - firstEvent;
      ends[bucket] = end + 3;
    }
  }
  return places;
}
