import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  JOURNAL_BYTES_MAX,
  journaledDisk,
  type LogRecord,
  memoryDisk,
  recoverJournals,
  Store,
} from '../../src/store/index.ts';

const record = (sequence: number): LogRecord => ({
  op: 'advance',
  key: sequence === 1 ? 'open' : String(sequence),
  events: [{ sequence, t: sequence, kind: 'session/turn', value: {} }],
  refs: [],
});
const idOf = (n: number) => `s-${String(n).padStart(32, '0')}`;
const place = { folder: 'home/journal', name: '7-x' };

test('one sync answers for every session, and a crash loses nothing that was answered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ session: fc.nat(3), told: fc.boolean() }), { maxLength: 40 }),
      async (acts) => {
        const disk = memoryDisk();
        const store = new Store({ disk: journaledDisk(disk, place), root: 'home', writer: 'a' });
        const logs = [1, 2, 3, 4].map((n) =>
          store.claim(
            () => idOf(n),
            () => record(1),
          ),
        );
        await store.syncLater();
        const promised = logs.map(() => 1);
        for (const { session, told } of acts) {
          const log = logs[session]!;
          log.append(record(log.last + 1));
          if (!told) continue;
          await store.syncLater();
          logs.forEach(({ last }, i) => {
            promised[i] = last;
          });
        }
        disk.losePower();
        recoverJournals(disk, place.folder, () => false);
        const after = new Store({ disk, root: 'home', writer: 'b' });
        expect(logs.map(({ id }) => after.session(id)!.last)).toEqual(promised);
        expect(disk.list(place.folder)).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

test('playing back what is there already changes nothing, and a running process keeps its journal', async () => {
  const disk = memoryDisk();
  const store = new Store({ disk: journaledDisk(disk, place), root: 'home', writer: 'a' });
  const log = store.claim(
    () => idOf(1),
    () => record(1),
  );
  log.append(record(2));
  await store.syncLater();
  const before = disk.read(`home/sessions/${idOf(1)}.jsonl`);
  expect(recoverJournals(disk, place.folder, (name) => name === '7-x')).toBe(0);
  expect(disk.list(place.folder)).toHaveLength(1);
  expect(recoverJournals(disk, place.folder, () => false)).toBe(0);
  expect(disk.read(`home/sessions/${idOf(1)}.jsonl`)).toEqual(before);
});

test('once the files themselves are synced the journal is gone, and nothing is lost without it', async () => {
  const disk = memoryDisk();
  const journaled = journaledDisk(disk, place);
  const store = new Store({ disk: journaled, root: 'home', writer: 'a' });
  const log = store.claim(
    () => idOf(1),
    () => record(1),
  );
  await store.syncLater();
  log.append(record(2));
  await store.syncLater();
  await journaled.settle();
  expect(disk.list(place.folder)).toEqual([]);
  disk.losePower();
  expect(new Store({ disk, root: 'home', writer: 'b' }).session(idOf(1))!.last).toBe(2);
});

/** A disk of which the next writes into the journal fail as told: how many bytes get through, or that the sync fails. */
function failingDisk(failures: (number | 'sync')[]) {
  const disk = memoryDisk();
  const failing: typeof disk = {
    ...disk,
    append(path, mode) {
      const inner = disk.append(path, mode);
      if (inner === undefined || !path.startsWith(place.folder)) return inner;
      return {
        ...inner,
        write(bytes) {
          const failure = failures[0];
          if (typeof failure !== 'number') return inner.write(bytes);
          failures.shift();
          if (failure > 0) inner.write(bytes.subarray(0, Math.min(failure, bytes.length - 1)));
          throw new Error('full');
        },
        async syncLater() {
          if (failures[0] !== 'sync') return inner.syncLater();
          failures.shift();
          throw new Error('io');
        },
      };
    },
  };
  return { disk, failing };
}

test('what a full or failing disk refused is refused to all that waited for it, and is durable once a commit succeeds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ session: fc.nat(2), failure: fc.option(fc.oneof(fc.nat(900), fc.constant('sync' as const))) }),
        {
          minLength: 1,
          maxLength: 12,
        },
      ),
      async (acts) => {
        const failures: (number | 'sync')[] = [];
        const { disk, failing } = failingDisk(failures);
        const store = new Store({ disk: journaledDisk(failing, place), root: 'home', writer: 'a' });
        const logs = [1, 2, 3].map((n) =>
          store.claim(
            () => idOf(n),
            () => record(1),
          ),
        );
        await store.syncLater();
        const promised = logs.map(() => 1);
        for (const { session, failure } of acts) {
          const log = logs[session]!;
          if (failure !== null) failures.push(failure);
          log.append(record(log.last + 1));
          const outcome = await store.syncLater().then(
            () => 'durable',
            () => 'refused',
          );
          expect(outcome).toBe(failure === null ? 'durable' : 'refused');
          if (outcome === 'refused') continue;
          logs.forEach(({ last }, i) => {
            promised[i] = last;
          });
        }
        disk.losePower();
        recoverJournals(disk, place.folder, () => false);
        const after = new Store({ disk, root: 'home', writer: 'b' });
        logs.forEach(({ id }, i) => {
          expect(after.session(id)!.last).toBeGreaterThanOrEqual(promised[i]!);
        });
      },
    ),
    { numRuns: 100 },
  );
});

test('ten who wait share one sync, and nobody waits for what others write later', async () => {
  const disk = memoryDisk();
  let syncs = 0;
  let release: () => void = () => {};
  const slow: typeof disk = {
    ...disk,
    append(path, mode) {
      const inner = disk.append(path, mode);
      if (inner === undefined || !path.startsWith(place.folder)) return inner;
      return {
        ...inner,
        async syncLater() {
          syncs++;
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          await inner.syncLater();
        },
      };
    },
  };
  const store = new Store({ disk: journaledDisk(slow, place), root: 'home', writer: 'a' });
  const logs = Array.from({ length: 10 }, (_, n) =>
    store.claim(
      () => idOf(n + 1),
      () => record(1),
    ),
  );
  const first = Promise.all(logs.map((log) => log.syncLater()));
  await new Promise((resolve) => setTimeout(resolve, 5));
  // While the sync runs one log grows again: whoever waited already does not wait for that.
  logs[0]!.append(record(2));
  let later = 'waiting';
  const second = logs[0]!.syncLater().then(() => {
    later = 'durable';
  });
  release();
  await first;
  expect([syncs, later]).toEqual([1, 'waiting']);
  await new Promise((resolve) => setTimeout(resolve, 5));
  release();
  await second;
  expect([syncs, later]).toEqual([2, 'durable']);
});

test('a journal that is full is turned over while its server goes on', async () => {
  const disk = memoryDisk();
  const store = new Store({ disk: journaledDisk(disk, place), root: 'home', writer: 'a' });
  const log = store.claim(
    () => idOf(1),
    () => record(1),
  );
  const value = { text: 'x'.repeat(4 * 1024 * 1024) };
  for (let i = 2; i <= 20; i++) {
    log.append({ ...record(i), events: [{ sequence: i, t: i, kind: 'session/turn', value }] });
    await store.syncLater();
  }
  const bytes = disk.list(place.folder).map((name) => disk.size(`${place.folder}/${name}`)!);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(JOURNAL_BYTES_MAX / 2);
  disk.losePower();
  recoverJournals(disk, place.folder, () => false);
  expect(new Store({ disk, root: 'home', writer: 'b' }).session(idOf(1))!.last).toBe(20);
});
