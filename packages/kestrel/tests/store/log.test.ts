import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LogRecord, type MemoryDisk, memoryDisk, SessionLog, Store, StoreFault } from '../../src/store/index.ts';

const record = (sequence: number, key = String(sequence)): LogRecord => ({
  op: 'advance',
  key,
  events: [{ sequence, t: sequence, kind: 'session/turn', value: { note: 'ü'.repeat(sequence % 5) } }],
  refs: [],
});

const logOn = (disk: MemoryDisk, writer = 'a') =>
  new SessionLog({ disk, path: 'home/sessions/x.jsonl', id: 'x', writer });
const keysOn = (disk: MemoryDisk): readonly string[] => {
  const log = logOn(disk, 'reader');
  log.refresh();
  return log.keys;
};

test('what was appended is read back in order by another reader', () => {
  const disk = memoryDisk();
  const log = logOn(disk);
  for (let i = 1; i <= 50; i++) expect(log.append(record(i))).toBe('won');
  const other = logOn(disk, 'b');
  other.refresh();
  expect([...other.records(17)].map(({ key }) => Number(key))).toEqual(Array.from({ length: 34 }, (_, i) => i + 17));
  expect(other.find('3')!.events[0]!.value).toEqual(record(3).events[0]!.value);
});

test('of two writers one wins each place, and both see the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b'), { maxLength: 60 }), (turns) => {
      const disk = memoryDisk();
      const logs = { a: logOn(disk, 'a'), b: logOn(disk, 'b') };
      const won: string[] = [];
      let stale = 0;
      for (const who of turns) {
        const log = logs[who as 'a' | 'b'];
        // A writer that did not look first loses to whoever was quicker.
        const outcome = log.append({ ...record(won.length + 1 - (stale++ % 3 === 2 ? 1 : 0)), key: `${who}${stale}` });
        if (outcome === 'won') won.push(`${who}${stale}`);
      }
      expect(keysOn(disk)).toEqual(won);
    }),
  );
});

test('a torn last line at any byte loses that line alone, and the next one stands', () => {
  const whole = memoryDisk();
  const log = logOn(whole);
  log.append(record(1));
  log.append(record(2));
  const bytes = whole.read('home/sessions/x.jsonl')!;
  const first = bytes.indexOf(10) + 1;
  for (let cut = first; cut <= bytes.length; cut++) {
    const disk = memoryDisk();
    disk.append('home/sessions/x.jsonl', 'make')!.write(bytes.subarray(0, cut));
    const after = logOn(disk, 'b');
    after.refresh();
    const kept = cut === bytes.length ? 2 : 1;
    expect([cut, after.last]).toEqual([cut, kept]);
    // Where nothing but the end of the line is missing, the next writer supplies it, and has come second.
    const healed = cut === bytes.length - 1;
    expect([cut, after.append(record(kept + 1, 'next'))]).toEqual([cut, healed ? 'lost' : 'won']);
    expect(keysOn(disk)).toEqual(healed ? ['1', '2'] : kept === 2 ? ['1', '2', 'next'] : ['1', 'next']);
  }
});

test('a line with a changed byte is as if it were not there', () => {
  const disk = memoryDisk();
  logOn(disk).append(record(1));
  const bytes = disk.read('home/sessions/x.jsonl')!;
  for (let at = 0; at < bytes.length - 1; at += 3) {
    const changed = bytes.slice();
    changed[at] = changed[at]! ^ 1;
    const other = memoryDisk();
    other.replace('home/sessions/x.jsonl', changed);
    expect([at, keysOn(other)]).toEqual([at, []]);
  }
});

describe('a disk that loses power', () => {
  const claim = (store: Store, id = 's-00000000000000000000000000000001') =>
    store.claim(
      (count) => id.slice(0, -1) + count,
      () => record(1, 'open'),
    );
  const ID = 's-00000000000000000000000000000001';

  test('keeps everything that was synced before it was answered', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), (answered) => {
        const disk = memoryDisk();
        const store = new Store({ disk, root: 'home', writer: 'a' });
        const log = claim(store);
        store.sync();
        let promised = 1;
        answered.forEach((told, i) => {
          log.append(record(i + 2));
          if (!told) return;
          store.sync();
          promised = i + 2;
        });
        disk.losePower();
        const after = new Store({ disk, root: 'home', writer: 'b' }).session(ID);
        expect(after!.last).toBe(promised);
      }),
    );
  });

  test('forgets what was never synced, so that the promise above can fail', () => {
    const disk = memoryDisk();
    const store = new Store({ disk, root: 'home', writer: 'a' });
    claim(store);
    disk.losePower();
    expect(new Store({ disk, root: 'home', writer: 'b' }).session(ID)).toBeUndefined();
  });

  test('what another process wrote is synced before it is told on', () => {
    const disk = memoryDisk();
    const writer = new Store({ disk, root: 'home', writer: 'a' });
    claim(writer);
    const reader = new Store({ disk, root: 'home', writer: 'b' });
    expect(reader.session(ID)!.last).toBe(1);
    reader.sync();
    disk.losePower();
    expect(new Store({ disk, root: 'home', writer: 'c' }).session(ID)!.last).toBe(1);
  });
});

test('openings are numbered without gaps, whoever opens', () => {
  const disk = memoryDisk();
  const stores = ['a', 'b'].map((writer) => new Store({ disk, root: 'home', writer }));
  const ids = Array.from(
    { length: 40 },
    (_, i) =>
      stores[i % 2]!.claim(
        (count) => `s-${String(count).padStart(32, '0')}`,
        () => record(1, 'open'),
      ).id,
  );
  expect(ids).toEqual(ids.map((_, i) => `s-${String(i + 1).padStart(32, '0')}`));
});

test('a write that fails is a refusal, and what stood before still stands', () => {
  const disk = memoryDisk();
  const log = logOn(disk);
  log.append(record(1));
  const appender = disk.append('home/sessions/x.jsonl', 'existing')!;
  const failing = {
    ...disk,
    append: () => ({
      ...appender,
      write(bytes: Uint8Array) {
        appender.write(bytes.subarray(0, 20));
        throw new StoreFault('append', { code: 'ENOSPC' });
      },
    }),
  };
  const full = new SessionLog({ disk: failing, path: 'home/sessions/x.jsonl', id: 'x', writer: 'b' });
  expect(() => full.append(record(2))).toThrow(StoreFault);
  expect(keysOn(disk)).toEqual(['1']);
  expect(logOn(disk, 'c').append(record(2))).toBe('won');
  expect(keysOn(disk)).toEqual(['1', '2']);
});
