/** Events that repeat an `eventId`: suspected by hash, out of the index; told by their texts. */
import { type Saying, sayingOf, saysTheSame } from '../event-text.ts';
import type { Repeat, StoredEvent } from '../ports.ts';
import type { NameHash } from './keys.ts';
import { BUCKETS } from './layout.ts';

/** What is wanted of a reader here. */
export interface PlacesReader {
  nextOrdinal(): number;
  eventPlaces(bucket: number): number[];
  eventOf(ordinal: number): StoredEvent | null;
  chunksFrom(
    ordinal: number,
  ): Iterable<{ readonly base: number; readonly count: number; eventAt(i: number): StoredEvent }>;
}

/** Suspects whose ids and texts are remembered at once; more are told apart in another walk over the store. */
const SUSPECTS_MAX = 1_000_000;

/** Every repeat, by ordinal within one walk; most stores take one. */
export async function* repeatsOf(reader: PlacesReader): AsyncIterable<Repeat> {
  for (let bucket = 0; bucket < BUCKETS; ) {
    const suspects: number[] = [];
    for (; bucket < BUCKETS && (suspects.length === 0 || suspects.length < SUSPECTS_MAX); bucket++) {
      for (const ordinals of suspectsOf(reader, bucket).values())
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

/** Ordinals by hash, in the order of acceptance, of the hashes that come more than once. */
function suspectsOf(reader: PlacesReader, bucket: number): Map<string, number[]> {
  const places = reader.eventPlaces(bucket);
  const byHash = new Map<string, number[]>();
  for (let at = 0; at < places.length; at += 3) {
    const hash = `${places[at]}:${places[at + 1]}`;
    const ordinals = byHash.get(hash);
    if (ordinals === undefined) byHash.set(hash, [places[at + 2]!]);
    else ordinals.push(places[at + 2]!);
  }
  for (const [hash, ordinals] of byHash) if (ordinals.length < 2) byHash.delete(hash);
  return byHash;
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
  const known = new Map<number, Map<string, number[]>>();
  return ({ ordinal, eventId }, [high, low]) => {
    const bucket = high >>> 24;
    let suspects = known.get(bucket);
    if (suspects === undefined) {
      suspects = suspectsOf(reader, bucket);
      known.set(bucket, suspects);
    }
    const earlier = suspects.get(`${high}:${low}`) ?? [];
    return earlier.some((other) => other < ordinal && reader.eventOf(other)?.eventId === eventId);
  };
}
