/** Repeats are told by id, never by hash alone: whatever names share a hash, and at one load an event. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Repeat, StoredEvent } from '../../src/store/ports.ts';
import { type PlacesReader, repeatsAsMet, repeatsOf, repeatsOfAll } from '../../src/store/sqlite/repeats.ts';

/** Ids out of a few, so that they repeat, and hashes out of fewer, so that they collide; `cuts` parts them into lists. */
const stores = fc.record({
  ids: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 }),
  hashes: fc.integer({ min: 1, max: 3 }),
  cut: fc.integer({ min: 0, max: 60 }),
});

type HashOf = (id: number) => readonly [number, number];

function readerOf(ids: readonly number[], hashOf: HashOf, cut: number) {
  const events = ids.map(
    (id, ordinal): StoredEvent => ({
      ordinal,
      receivedMs: 0,
      eventId: `id-${id}`,
      runId: 'r',
      kind: 'log',
      timestampMs: 0,
      bytes: Buffer.from(`{"id":${id}}`),
    }),
  );
  let loads = 0;
  const wordsOf = (from: number, to: number, bucket: number) =>
    Uint32Array.from(
      events.slice(from, to).flatMap((_, i) => {
        const [high, low] = hashOf(ids[from + i]!);
        return high >>> 24 === bucket ? [high, low, i] : [];
      }),
    );
  const reader: PlacesReader = {
    nextOrdinal: () => events.length,
    eventPlaces: () => (bucket) => [
      { base: 0, words: wordsOf(0, cut, bucket) },
      { base: Math.min(cut, events.length), words: wordsOf(cut, events.length, bucket) },
    ],
    eventOf(ordinal) {
      loads++;
      return events[ordinal] ?? null;
    },
    *chunksFrom(ordinal) {
      for (let base = ordinal - (ordinal % 7); base < events.length; base += 7) {
        yield { base, count: Math.min(7, events.length - base), eventAt: (i) => events[base + i]! };
      }
    },
  };
  return { reader, events, loads: () => loads };
}

const known = (ids: readonly number[]) => ids.map((id, i) => ids.indexOf(id) < i);

test('by walk, by bits and one by one: the same repeats as by comparing all with all', async () => {
  await fc.assert(
    fc.asyncProperty(stores, async ({ ids, hashes, cut }) => {
      const hashOf: HashOf = (id) => [((id % hashes) * 0x60000000 + (id % hashes)) >>> 0, id % hashes];
      const { reader, events, loads } = readerOf(ids, hashOf, cut);
      const wanted = known(ids);
      const isRepeat = repeatsAsMet(reader);
      expect(events.map((event, i) => isRepeat(event, hashOf(ids[i]!)))).toEqual(wanted);
      expect(loads()).toBeLessThanOrEqual(events.length);
      const byBits = await repeatsOfAll(reader);
      expect(events.map((event, i) => byBits(event, hashOf(ids[i]!)))).toEqual(wanted);
      const told: Repeat[] = [];
      for await (const repeat of repeatsOf(reader)) told.push(repeat);
      expect(told.map(({ ordinal }) => ordinal).sort((a, b) => a - b)).toEqual(
        wanted.flatMap((isOne, i) => (isOne ? [i] : [])),
      );
    }),
    { numRuns: 300 },
  );
});

test('twenty thousand ids of one hash take one load each', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => i);
  const hash = [5, 5] as const;
  const { reader, events, loads } = readerOf(ids, () => hash, 20_000);
  const isRepeat = repeatsAsMet(reader);
  expect(events.some((event) => isRepeat(event, hash))).toBe(false);
  expect(loads()).toBeLessThanOrEqual(20_000);
});
