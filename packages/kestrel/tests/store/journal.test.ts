import fc from 'fast-check';
import { expect, test } from 'vitest';
import { journaledDisk, type LogRecord, memoryDisk, recoverJournals, Store } from '../../src/store/index.ts';

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
  journaled.settle();
  expect(disk.list(place.folder)).toEqual([]);
  disk.losePower();
  expect(new Store({ disk, root: 'home', writer: 'b' }).session(idOf(1))!.last).toBe(2);
});
