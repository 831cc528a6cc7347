/** Every engine passes the one suite, and the suite notices engines that lose or bend what they acknowledged. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite as openSqlite3 } from 'ground/sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import type { StoreUnderTest } from '../../src/store/conformance.ts';
import { memoryStore, type StorePair, sqliteReading, sqliteStore, storeConformance } from '../../src/store/index.ts';

const clean: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const one of clean.splice(0).reverse()) await one();
});

async function openSqlite(): Promise<StoreUnderTest> {
  const dir = mkdtempSync(join(tmpdir(), 'agent-eval-store-'));
  clean.push(() => rmSync(dir, { recursive: true, force: true }));
  const store = await sqliteStore(dir, { writer: 'here' });
  let open: StorePair = store;
  clean.push(() => open.close());
  const reopen = async (): Promise<StorePair> => {
    await open.close();
    open = await sqliteStore(dir, { writer: 'here' });
    return open;
  };
  return { store, reopen };
}

const engines: Record<string, () => Promise<StoreUnderTest>> = {
  memory: async () => ({ store: memoryStore(), reopen: null }),
  sqlite: openSqlite,
};

for (const [name, open] of Object.entries(engines)) {
  describe(name, () => {
    for (const one of storeConformance) test(one.name, async () => one.run(await open()));
  });
}

/** Runs the suite, or one of its cases, over a spoiled store. @returns the names of the cases that noticed */
async function noticed(spoil: (store: StorePair) => StorePair, only?: string): Promise<string[]> {
  const names: string[] = [];
  for (const one of storeConformance) {
    if (only !== undefined && one.name !== only) continue;
    const under = await openSqlite();
    const spoiled = { store: spoil(under.store), reopen: under.reopen };
    await one.run(spoiled).catch(() => names.push(one.name));
  }
  return names;
}

describe('a store of layout 1', () => {
  const made = () => {
    const dir = mkdtempSync(join(tmpdir(), 'agent-eval-layout-'));
    clean.push(() => rmSync(dir, { recursive: true, force: true }));
    const db = openSqlite3(join(dir, 'agent-eval.db'), 'read-write');
    db.exec(readFileSync(new URL('layout-1.sql', import.meta.url), 'utf8'));
    db.close();
    return dir;
  };

  test('is read as it stands, without being changed', async () => {
    const reading = sqliteReading(made());
    const versions: number[] = [];
    for await (const { version } of reading.feedback.list({ view: 'versions' })) versions.push(version);
    expect(versions).toEqual([3]);
    expect(await reading.problems()).toEqual([]);
    await reading.close();
  });

  test('is upgraded when it is written, by two at once too, and keeps what it held', async () => {
    const dir = made();
    const [store, other] = await Promise.all([
      sqliteStore(dir, { writer: 'here' }),
      sqliteStore(dir, { writer: 'here' }),
    ]);
    await store.feedback.put({ id: 't', bytes: Buffer.from('{"n":4}'), precondition: null });
    await other.feedback.put({ id: 't', bytes: Buffer.from('{"n":5}'), precondition: null });
    const told: string[] = [];
    for await (const { version, bytes } of store.feedback.list({ view: 'versions' })) {
      told.push(`${version} ${Buffer.from(bytes).toString()}`);
    }
    expect(told).toEqual(['3 {"n":3}', '4 {"n":4}', '5 {"n":5}']);
    await Promise.all([store.close(), other.close()]);
  });
});

test('the store in memory gives up earlier versions before it refuses', async () => {
  const { feedback } = memoryStore({ bytesMax: 1_000 });
  const bytes = Buffer.alloc(300, 0x20);
  for (let n = 1; n <= 20; n++) {
    expect(await feedback.put({ id: 't', bytes, precondition: null })).toEqual({ kind: 'stored', version: n });
  }
  await feedback.put({ id: 'other', bytes, precondition: null });
  await expect(feedback.put({ id: 'third', bytes: Buffer.alloc(600), precondition: null })).rejects.toThrow('full');
});

describe('a faulty engine is noticed', () => {
  test('one that drops an acknowledged row', async () => {
    const names = await noticed((store) => {
      let count = 0;
      const append: StorePair['traces']['append'] = async (batch) => {
        if (++count % 2 === 0) return;
        await store.traces.append(batch);
      };
      return { ...store, traces: { ...store.traces, append } };
    });
    expect(names.length).toBeGreaterThan(4);
  });

  test('one that acknowledges before it has written', async () => {
    const names = await noticed((store) => {
      const append: StorePair['traces']['append'] = async (batch) => {
        setTimeout(() => void store.traces.append(batch).catch(() => {}), 20);
      };
      return { ...store, traces: { ...store.traces, append } };
    }, 'what was acknowledged is there after it is opened again');
    expect(names).toHaveLength(1);
  });

  test('one that parses and writes again what came', async () => {
    const names = await noticed((store) => {
      const read: StorePair['traces']['read'] = async function* (query) {
        for await (const event of store.traces.read(query)) {
          const text = JSON.stringify(JSON.parse(Buffer.from(event.bytes).toString('utf8')));
          yield { ...event, bytes: Buffer.from(text) };
        }
      };
      return { ...store, traces: { ...store.traces, read } };
    }, 'gives events back byte for byte, in the order of acceptance');
    expect(names).toHaveLength(1);
  });

  test('one that ignores preconditions', async () => {
    const names = await noticed((store) => {
      const put: StorePair['feedback']['put'] = (write) => store.feedback.put({ ...write, precondition: null });
      return { ...store, feedback: { ...store.feedback, put } };
    }, 'feedback: of many who expect one version, one wins');
    expect(names).toHaveLength(1);
  });
});
