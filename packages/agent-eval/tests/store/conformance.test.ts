/** Every engine passes the one suite, and the suite notices engines that lose or bend what they acknowledged. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { StoreUnderTest } from '../../src/store/conformance.ts';
import { memoryStore, type StorePair, sqliteStore, storeConformance } from '../../src/store/index.ts';

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

/** Runs the whole suite over a spoiled store. @returns the names of the cases that noticed */
async function noticed(spoil: (store: StorePair) => StorePair): Promise<string[]> {
  const names: string[] = [];
  for (const one of storeConformance) {
    const under = await openSqlite();
    const spoiled = { store: spoil(under.store), reopen: under.reopen };
    await one.run(spoiled).catch(() => names.push(one.name));
  }
  return names;
}

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
    });
    expect(names).toContain('what was acknowledged is there after it is opened again');
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
    });
    expect(names).toContain('gives events back byte for byte, in the order of acceptance');
  });

  test('one that ignores preconditions', async () => {
    const names = await noticed((store) => {
      const put: StorePair['feedback']['put'] = (write) => store.feedback.put({ ...write, precondition: null });
      return { ...store, feedback: { ...store.feedback, put } };
    });
    expect(names).toContain('feedback: of many who expect one version, one wins');
  });
});
