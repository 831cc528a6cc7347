/** Events that repeat an `eventId`: suspected by hash, out of the index; told by their texts. */
import { type Saying, sayingOf, saysTheSame } from '../event-text.ts';
import type { Repeat, StoredEvent } from '../ports.ts';
import type { NameHash } from './keys.ts';
import { BUCKETS } from './layout.ts';
import type { PlaceList } from './places.ts';

/** What is wanted of a reader here. */
export interface PlacesReader {
  nextOrdinal(): number;
  eventPlaces(): (bucket: number) => PlaceList[];
  eventOf(ordinal: number): StoredEvent | null;
  chunksFrom(
    ordinal: number,
  ): Iterable<{ readonly base: number; readonly count: number; eventAt(i: number): StoredEvent }>;
}

/** Suspects whose ids and texts are remembered at once; more are told apart in another walk over the store. */
const SUSPECTS_MAX = 1_000_000;

/** Every repeat, by ordinal within one walk; most stores take one. */
export async function* repeatsOf(reader: PlacesReader): AsyncIterable<Repeat> {
  const placesIn = reader.eventPlaces();
  for (let bucket = 0; bucket < BUCKETS; ) {
    const suspects: number[] = [];
    for (; bucket < BUCKETS && (suspects.length === 0 || suspects.length < SUSPECTS_MAX); bucket++) {
      for (const ordinals of suspectsOf(placesIn(bucket)).values())
        for (const ordinal of ordinals) suspects.push(ordinal);
    }
    if (suspects.length > 0) yield* told(reader, Float64Array.from(suspects).sort());
  }
}

interface First {
  readonly ordinal: number;
  readonly saying: Saying;
}

function* told(reader: PlacesReader, suspects: Float64Array): Iterable<Repeat> {
  const firsts = new Map<string, First>();
  let at = 0;
  for (const { base, count, eventAt } of reader.chunksFrom(suspects[0]!)) {
    // What lies before the chunk has been dropped by a retention meanwhile.
    while (at < suspects.length && suspects[at]! < base) at++;
    for (; at < suspects.length && suspects[at]! < base + count; at++) {
      const { eventId, ordinal, bytes } = eventAt(suspects[at]! - base);
      const saying = sayingOf(bytes);
      const first = firsts.get(eventId);
      if (first === undefined) firsts.set(eventId, { ordinal, saying });
      else {
        const kind = saysTheSame(first.saying, saying) ? 'same' : 'conflict';
        yield { eventId, firstOrdinal: first.ordinal, ordinal, kind };
      }
    }
    if (at >= suspects.length) return;
  }
}

/** Ordinals by hash, in the order of acceptance, of the hashes that come more than once: mostly none. */
function suspectsOf(lists: readonly PlaceList[]): Map<string, number[]> {
  const suspects = new Map<string, number[]>();
  let count = 0;
  for (const { words } of lists) count += words.length / 3;
  const pairs = new Uint32Array(2 * count);
  let end = 0;
  for (const { words } of lists) {
    for (let at = 0; at < words.length; at += 3) {
      pairs[end++] = words[at]!;
      pairs[end++] = words[at + 1]!;
    }
  }
  // Sorted, since no choice of names can make that slow, as it could a table.
  new BigUint64Array(pairs.buffer).sort();
  const lows = new Set<number>();
  for (let at = 2; at < pairs.length; at += 2) {
    if (pairs[at] !== pairs[at - 2] || pairs[at + 1] !== pairs[at - 1]) continue;
    suspects.set(`${pairs[at]}:${pairs[at + 1]}`, []);
    lows.add(pairs[at + 1]!);
  }
  if (suspects.size === 0) return suspects;
  for (const { base, words } of lists) {
    for (let at = 0; at < words.length; at += 3) {
      if (lows.has(words[at + 1]!)) suspects.get(`${words[at]}:${words[at + 1]}`)?.push(base + words[at + 2]!);
    }
  }
  return suspects;
}

export type IsRepeat = (event: StoredEvent, hash: NameHash) => boolean;

/** For a walk over the whole store: everything is told first, and kept as one bit an event. */
export async function repeatsOfAll(reader: PlacesReader): Promise<IsRepeat> {
  const bits = new Uint8Array(Math.ceil(reader.nextOrdinal() / 8) + 1);
  for await (const { ordinal } of repeatsOf(reader)) bits[ordinal >>> 3]! |= 1 << (ordinal & 7);
  return ({ ordinal }) => (bits[ordinal >>> 3]! & (1 << (ordinal & 7))) !== 0;
}

/** For a walk over a part: a bucket is looked at when an event of it is met, so that the first row comes at once. */
export function repeatsAsMet(reader: PlacesReader): IsRepeat {
  const placesIn = reader.eventPlaces();
  const known = new Map<number, Map<string, Suspects>>();
  return ({ ordinal, eventId }, [high, low]) => {
    const bucket = high >>> 24;
    let suspects = known.get(bucket);
    if (suspects === undefined) {
      suspects = new Map();
      for (const [hash, ordinals] of suspectsOf(placesIn(bucket))) suspects.set(hash, new Suspects(ordinals));
      known.set(bucket, suspects);
    }
    return suspects.get(`${high}:${low}`)?.hasEarlier(reader, eventId, ordinal) ?? false;
  };
}

/** Events of one hash. Each is loaded once at most, whatever names someone thought up to share it. */
class Suspects {
  readonly #ordinals: readonly number[];
  readonly #firsts = new Map<string, number>();
  #seen = 0;

  constructor(ordinals: readonly number[]) {
    this.#ordinals = ordinals;
  }

  hasEarlier(reader: PlacesReader, eventId: string, ordinal: number): boolean {
    for (; !this.#firsts.has(eventId) && this.#seen < this.#ordinals.length; this.#seen++) {
      const other = this.#ordinals[this.#seen]!;
      if (other >= ordinal) break;
      const found = reader.eventOf(other)?.eventId;
      if (found !== undefined && !this.#firsts.has(found)) this.#firsts.set(found, other);
    }
    return (this.#firsts.get(eventId) ?? ordinal) < ordinal;
  }
}
