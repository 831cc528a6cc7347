/**
 * What every store must do, as cases without a test runner: each throws when the store does not. Run them over an
 * engine with whatever runner is at hand.
 */
import assert from 'node:assert/strict';
import {
  type EventBatch,
  type EventQuery,
  FEEDBACK_PAST_MAX,
  type FeedbackQuery,
  type Repeat,
  type StoredEvent,
  type StorePair,
} from './ports.ts';

export interface ConformanceCase {
  readonly name: string;
  /** @throws AssertionError when the store does not conform */
  run(store: StoreUnderTest): Promise<void>;
}

export interface StoreUnderTest {
  readonly store: StorePair;
  /** Closes the store and opens it again over the same data; null for an engine that keeps nothing. */
  readonly reopen: (() => Promise<StorePair>) | null;
}

/** Builds a batch of texts; they must be valid trace events. */
export function batchOf(texts: readonly string[]): EventBatch {
  const parts = texts.map((text) => Buffer.from(text));
  const spans = new Uint32Array(parts.length * 2);
  let at = 0;
  parts.forEach((part, i) => {
    spans[2 * i] = at;
    spans[2 * i + 1] = part.length;
    at += part.length;
  });
  const heads = texts.map((text) => JSON.parse(text) as { eventId: string; runId: string; timestamp: number });
  return {
    body: Buffer.concat(parts),
    spans,
    eventIds: heads.map(({ eventId }) => eventId),
    runIds: heads.map(({ runId }) => runId),
    timestampsMs: Float64Array.from(heads, ({ timestamp }) => timestamp),
  };
}

function eventText(eventId: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ eventId, runId: 'run', kind: 'log', timestamp: 1_000, payload: {}, ...more });
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const text = ({ bytes }: { bytes: Uint8Array }): string => Buffer.from(bytes).toString('utf8');

async function texts({ traces }: StorePair, query: Partial<EventQuery> = {}): Promise<string[]> {
  return (await listed(traces.read({ view: 'all', ...query }))).map(text);
}

async function ids({ traces }: StorePair, query: Partial<EventQuery>): Promise<string[]> {
  return (await listed(traces.read({ view: 'all', ...query }))).map(({ eventId }: StoredEvent) => eventId);
}

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

export const storeConformance: readonly ConformanceCase[] = [
  {
    name: 'gives events back byte for byte, in the order of acceptance',
    async run({ store }) {
      const first = [
        eventText('a'),
        `{"eventId":"b" ,"runId":"run","kind":"log","timestamp":2,"payload":{"n":12345678901234567890}}`,
      ];
      const second = [
        String.raw`{"eventId":"c","runId":"run","kind":"log","timestamp":3,"payload":{"__proto__":{"x":1},"s":"\ud800"}}`,
      ];
      await store.traces.append(batchOf(first));
      await store.traces.append(batchOf(second));
      assert.deepEqual(await texts(store), [...first, ...second]);
    },
  },
  {
    name: 'keeps nothing of the buffers that it was given',
    async run({ store }) {
      const kept = eventText('a', { payload: { pad: 'x'.repeat(100) } });
      const batch = batchOf([kept, kept]);
      const record = Buffer.from(JSON.stringify({ n: 1 }));
      await Promise.all([
        store.traces.append(batch),
        store.feedback.put({ id: 't', bytes: record, precondition: null }),
      ]);
      batch.body.fill(0x20);
      record.fill(0x20);
      assert.deepEqual(await texts(store), [kept, kept]);
      assert.equal(text((await store.feedback.get('t'))!), '{"n":1}');
    },
  },
  {
    name: 'numbers events from 0 without gaps',
    async run({ store }) {
      await store.traces.append(batchOf(['a', 'b'].map((id) => eventText(id))));
      await store.traces.append(batchOf([eventText('c')]));
      const events = await listed(store.traces.read({ view: 'all' }));
      assert.deepEqual(
        events.map(({ ordinal }) => ordinal),
        [0, 1, 2],
      );
    },
  },
  {
    name: 'an empty batch changes nothing',
    async run({ store }) {
      await store.traces.append(batchOf([]));
      assert.deepEqual(await texts(store), []);
      assert.equal((await store.traces.stats()).events, 0);
    },
  },
  {
    name: 'keeps everything that many appended at once',
    async run({ store }) {
      const batches = Array.from({ length: 200 }, (_, i) => [eventText(`e${i}-0`), eventText(`e${i}-1`)]);
      await Promise.all(batches.map((batch) => store.traces.append(batchOf(batch))));
      const got = await texts(store);
      assert.deepEqual([...got].sort(), batches.flat().sort());
      for (const [first, second] of batches) assert.equal(got.indexOf(second!), got.indexOf(first!) + 1);
    },
  },
  {
    name: 'finds a run, whole and alone',
    async run({ store }) {
      const all = Array.from({ length: 300 }, (_, i) => eventText(`e${i}`, { runId: `run-${i % 7}`, timestamp: i }));
      for (let i = 0; i < all.length; i += 30) await store.traces.append(batchOf(all.slice(i, i + 30)));
      assert.deepEqual(
        await texts(store, { runId: 'run-3' }),
        all.filter((_, i) => i % 7 === 3),
      );
      assert.deepEqual(await texts(store, { runId: 'run-33' }), []);
      assert.deepEqual(await texts(store, { runId: '__proto__' }), []);
    },
  },
  {
    name: 'selects by kind, time and number',
    async run({ store }) {
      const all = Array.from({ length: 40 }, (_, i) =>
        eventText(`e${i}`, { timestamp: i * 10, kind: i % 2 === 0 ? 'log' : 'error' }),
      );
      await store.traces.append(batchOf(all));
      assert.deepEqual(await ids(store, { sinceMs: 100, untilMs: 130 }), ['e10', 'e11', 'e12']);
      assert.deepEqual(await ids(store, { kind: 'error', limit: 2 }), ['e1', 'e3']);
      assert.deepEqual(await ids(store, { limit: 0 }), []);
    },
  },
  {
    name: 'the distinct view gives the first of each eventId, over runs and batches',
    async run({ store }) {
      const first = eventText('x', { payload: { n: 1 } });
      const conflict = eventText('x', { payload: { n: 2 } });
      await store.traces.append(batchOf([first, eventText('y')]));
      await store.traces.append(batchOf([eventText('y'), conflict, eventText('z'), eventText('z')]));
      assert.deepEqual(await texts(store, { view: 'distinct' }), [first, eventText('y'), eventText('z')]);
      assert.deepEqual(await ids(store, { view: 'all' }), ['x', 'y', 'y', 'x', 'z', 'z']);
      const repeats = (await listed(store.traces.repeats())).sort((a: Repeat, b: Repeat) => a.ordinal - b.ordinal);
      assert.deepEqual(repeats, [
        { eventId: 'y', firstOrdinal: 1, ordinal: 2, kind: 'same' },
        { eventId: 'x', firstOrdinal: 0, ordinal: 3, kind: 'conflict' },
        { eventId: 'z', firstOrdinal: 4, ordinal: 5, kind: 'same' },
      ]);
    },
  },
  {
    name: 'a repeat that differs only in white space and key order is the same',
    async run({ store }) {
      await store.traces.append(
        batchOf([
          '{"eventId":"k","runId":"r","kind":"log","timestamp":1,"payload":{"a":1,"b":[2]}}',
          '{ "payload": {"b":[2], "a":1}, "timestamp":1, "kind":"log","runId":"r","eventId":"k"}',
        ]),
      );
      assert.deepEqual(
        (await listed(store.traces.repeats())).map(({ kind }) => kind),
        ['same'],
      );
    },
  },
  {
    name: 'a repeat whose large integers differ beyond a double is a conflict',
    async run({ store }) {
      const big = (n: string) => `{"eventId":"k","runId":"r","kind":"log","timestamp":1,"payload":{"n":${n}}}`;
      await store.traces.append(batchOf([big('9007199254740993'), big('9007199254740992')]));
      assert.deepEqual(
        (await listed(store.traces.repeats())).map(({ kind }) => kind),
        ['conflict'],
      );
    },
  },
  {
    name: 'counts events and bytes, and drops the oldest by size',
    async run({ store }) {
      const all = Array.from({ length: 10 }, (_, i) => eventText(`e${i}`));
      for (const one of all) await store.traces.append(batchOf([one]));
      const { events, bytes: size } = await store.traces.stats();
      assert.equal(events, 10);
      assert.equal(size, all.join('').length);
      assert.equal(await store.traces.retain({ bytesMax: size }), 0);
      assert.equal(await store.traces.retain({ bytesMax: Math.floor(size / 2) }), 5);
      assert.deepEqual(await texts(store), all.slice(5));
      assert.equal((await store.traces.stats()).events, 5);
      await store.traces.append(batchOf([eventText('e0', { payload: { again: true } })]));
      assert.equal((await ids(store, { view: 'distinct' })).length, 6);
    },
  },
  {
    name: 'drops by age what is older, and nothing younger',
    async run({ store }) {
      await store.traces.append(batchOf([eventText('a')]));
      assert.equal(await store.traces.retain({ ageMsMax: 60_000 }), 0);
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await store.traces.retain({ ageMsMax: 1 }), 1);
      assert.deepEqual(await texts(store), []);
    },
  },
  {
    name: 'feedback: the last write wins whole, versions count up',
    async run({ store }) {
      const first = await store.feedback.put({ id: 't', bytes: bytes({ a: 1, b: 2 }), precondition: null });
      const second = await store.feedback.put({ id: 't', bytes: bytes({ a: 3 }), precondition: null });
      assert.deepEqual(
        [first, second],
        [
          { kind: 'stored', version: 1 },
          { kind: 'stored', version: 2 },
        ],
      );
      const record = await store.feedback.get('t');
      assert.equal(text(record!), '{"a":3}');
      assert.equal(record!.version, 2);
      assert.equal(await store.feedback.get('__proto__'), null);
    },
  },
  {
    name: 'feedback: preconditions are checked against what stands',
    async run({ store }) {
      const put = (n: number, precondition: Parameters<StorePair['feedback']['put']>[0]['precondition']) =>
        store.feedback.put({ id: 't', bytes: bytes({ n }), precondition });
      assert.deepEqual(await put(1, { kind: 'any' }), { kind: 'precondition-failed', version: null });
      assert.deepEqual(await put(2, { kind: 'absent' }), { kind: 'stored', version: 1 });
      assert.deepEqual(await put(3, { kind: 'absent' }), { kind: 'precondition-failed', version: 1 });
      assert.deepEqual(await put(4, { kind: 'versions', versions: [9, 1] }), { kind: 'stored', version: 2 });
      assert.deepEqual(await put(5, { kind: 'versions', versions: [1] }), { kind: 'precondition-failed', version: 2 });
      assert.equal(text((await store.feedback.get('t'))!), '{"n":4}');
    },
  },
  {
    name: 'feedback: of many who expect one version, one wins',
    async run({ store }) {
      await store.feedback.put({ id: 't', bytes: bytes({ n: 0 }), precondition: null });
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          store.feedback.put({
            id: 't',
            bytes: bytes({ n: n + 1 }),
            precondition: { kind: 'versions', versions: [1] },
          }),
        ),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === 'stored').length, 1);
      assert.equal((await store.feedback.get('t'))!.version, 2);
    },
  },
  {
    name: 'feedback: lists every record once, by id',
    async run({ store }) {
      const names = Array.from({ length: 600 }, (_, i) => `id-${(i * 7919) % 600}`);
      for (const id of [...names, 'é', 'z']) await store.feedback.put({ id, bytes: bytes({ id }), precondition: null });
      const listedIds = (await listed(store.feedback.list())).map(({ id }) => id);
      assert.deepEqual(listedIds, [...[...names].sort(), 'z', 'é']);
    },
  },
  {
    name: 'feedback: earlier versions stay, whole, and are listed by id and version when asked for',
    async run({ store }) {
      const put = (id: string, n: number) => store.feedback.put({ id, bytes: bytes({ id, n }), precondition: null });
      for (const n of [1, 2, 3]) await put('b', n);
      await put('a', 1);
      await put('__proto__', 1);
      const told = async (query?: FeedbackQuery) =>
        (await listed(store.feedback.list(query))).map((record) => `${record.version} ${text(record)}`);
      assert.deepEqual(await told(), ['1 {"id":"__proto__","n":1}', '1 {"id":"a","n":1}', '3 {"id":"b","n":3}']);
      assert.deepEqual(await told({ view: 'newest', id: 'b' }), ['3 {"id":"b","n":3}']);
      assert.deepEqual(await told({ view: 'versions', id: 'b' }), [
        '1 {"id":"b","n":1}',
        '2 {"id":"b","n":2}',
        '3 {"id":"b","n":3}',
      ]);
      assert.equal((await told({ view: 'versions' })).length, 5);
      assert.deepEqual(await told({ view: 'versions', id: 'none' }), []);
      assert.equal((await store.feedback.get('b'))!.version, 3);
    },
  },
  {
    name: 'feedback: what a precondition refused is no version',
    async run({ store }) {
      await store.feedback.put({ id: 't', bytes: bytes({ n: 1 }), precondition: null });
      const versions = [7];
      await store.feedback.put({ id: 't', bytes: bytes({ n: 2 }), precondition: { kind: 'versions', versions } });
      assert.equal((await listed(store.feedback.list({ view: 'versions' }))).length, 1);
    },
  },
  {
    name: `feedback: of the versions before the newest, ${FEEDBACK_PAST_MAX} are kept`,
    async run({ store }) {
      const last = FEEDBACK_PAST_MAX + 5;
      for (let n = 1; n <= last; n++) await store.feedback.put({ id: 't', bytes: bytes({ n }), precondition: null });
      const versions = (await listed(store.feedback.list({ view: 'versions' }))).map(({ version }) => version);
      assert.deepEqual(
        versions,
        Array.from({ length: FEEDBACK_PAST_MAX + 1 }, (_, i) => i + last - FEEDBACK_PAST_MAX),
      );
    },
  },
  {
    name: 'feedback: lists many versions of many records once, in order',
    async run({ store }) {
      const names = Array.from({ length: 120 }, (_, i) => `id-${String((i * 7919) % 120).padStart(3, '0')}`);
      for (const n of [1, 2, 3, 4, 5]) {
        await Promise.all(names.map((id) => store.feedback.put({ id, bytes: bytes({ n }), precondition: null })));
      }
      const got = (await listed(store.feedback.list({ view: 'versions' }))).map(
        ({ id, version }) => `${id} ${version}`,
      );
      assert.deepEqual(
        got,
        [...names].sort().flatMap((id) => [1, 2, 3, 4, 5].map((version) => `${id} ${version}`)),
      );
    },
  },
  {
    name: 'feedback: drops by age what is older, and nothing younger',
    async run({ store }) {
      for (const n of [1, 2]) await store.feedback.put({ id: 'old', bytes: bytes({ n }), precondition: null });
      assert.equal(await store.feedback.retain({ ageMsMax: 60_000 }), 0);
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await store.feedback.retain({ ageMsMax: 1 }), 2);
      assert.equal(await store.feedback.get('old'), null);
      assert.deepEqual(await listed(store.feedback.list({ view: 'versions' })), []);
      const again = await store.feedback.put({ id: 'old', bytes: bytes({ n: 3 }), precondition: { kind: 'absent' } });
      assert.deepEqual(again, { kind: 'stored', version: 1 });
    },
  },
  {
    name: 'what was acknowledged is there after it is opened again',
    async run({ store, reopen }) {
      const all = Array.from({ length: 50 }, (_, i) => eventText(`e${i}`, { runId: `r${i % 3}` }));
      await store.traces.append(batchOf(all));
      await store.feedback.put({ id: 't', bytes: bytes({ n: 1 }), precondition: null });
      if (reopen === null) return;
      const again = await reopen();
      assert.deepEqual(await texts(again), all);
      assert.deepEqual(
        await texts(again, { runId: 'r1' }),
        all.filter((_, i) => i % 3 === 1),
      );
      assert.equal((await again.feedback.get('t'))!.version, 1);
      await again.traces.append(batchOf([eventText('late')]));
      assert.equal((await listed(again.traces.read({ view: 'all' }))).at(-1)!.ordinal, 50);
    },
  },
];
