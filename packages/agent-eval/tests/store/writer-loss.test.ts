/** The writer's thread is lost: it comes back by itself, nothing acknowledged is missing, and the caller is told the truth. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { batchOf } from '../../src/store/conformance.ts';
import { sqliteReading } from '../../src/store/index.ts';
import { isStoreRefusal } from '../../src/store/ports.ts';
import { hostInThread } from '../../src/store/sqlite/host.ts';
import { overHost } from '../../src/store/sqlite/store.ts';
import { builtBin, root, serve } from '../support/built.ts';

const home = mkdtempSync(join(tmpdir(), 'agent-eval-loss-'));
// Beside node_modules, so that a copy of the built package finds its SQLite.
const copies = mkdtempSync(join(root, 'node_modules/.cache/agent-eval-loss-'));
afterAll(() => {
  for (const dir of [home, copies]) rmSync(dir, { recursive: true, force: true });
});

/** The real worker behind a script that loses it: when the file `flag` is there, before or after an order is done. */
function fragile(worker: string, flag: string): string {
  return `
const { parentPort } = require('node:worker_threads');
const { existsSync, readFileSync, rmSync } = require('node:fs');
const flag = ${JSON.stringify(flag)};
const now = (moment) => {
  if (!existsSync(flag) || !readFileSync(flag, 'utf8').startsWith(moment)) return false;
  const how = readFileSync(flag, 'utf8').split(' ')[1];
  if (how !== 'always') rmSync(flag);
  return true;
};
parentPort.addEventListener('message', (event) => {
  if (now('exit')) process.exit(3);
  if (!now('before')) return;
  event.stopImmediatePropagation();
  throw new Error('lost before');
});
const post = parentPort.postMessage.bind(parentPort);
parentPort.postMessage = (reply, list) => {
  if (reply.kind === 'committed' && now('after')) throw new Error('lost after');
  if (reply.kind === 'ready' && now('start')) throw new Error('lost at start');
  post(reply, list);
};
require(${JSON.stringify(worker)});
`;
}

async function lossy(name: string) {
  const dir = join(home, name);
  const flag = join(home, `${name}.flag`);
  const script = join(copies, `${name}.js`);
  writeFileSync(script, fragile(join(dirname(await builtBin()), 'store-worker.js'), flag));
  const log: string[] = [];
  const clock = { ms: 0 };
  const host = await hostInThread(dir, script, { log: (line) => log.push(line), nowMs: () => clock.ms });
  const store = overHost(dir, host, Date.now);
  const append = (id: string) =>
    store.traces.append(batchOf([JSON.stringify({ eventId: id, runId: 'r', kind: 'log', timestamp: 1, payload: {} })]));
  const ids = async () => {
    const reading = sqliteReading(dir);
    const found: string[] = [];
    for await (const { eventId } of reading.traces.read({ view: 'all' })) found.push(eventId);
    await reading.close();
    return found;
  };
  return { store, append, ids, log, clock, lose: (how: string) => writeFileSync(flag, how), flag };
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'kept',
    (error: unknown) => (isStoreRefusal(error) ? error.kind : String(error)),
  );

test.each([
  ['before', false],
  ['exit', false],
  ['after', true],
] as const)('lost %s the commit: told as unknown, and the next write is kept', async (moment, isKept) => {
  const { store, append, ids, log, lose } = await lossy(moment);
  await append('a');
  lose(moment);
  expect(await refusal(append('b'))).toBe('unknown');
  await append('c');
  const outcome = await store.feedback.put({ id: 'f', bytes: Buffer.from('{}'), precondition: null });
  expect(outcome).toEqual({ kind: 'stored', version: 1 });
  await store.close();
  expect(await ids()).toEqual(isKept ? ['a', 'b', 'c'] : ['a', 'c']);
  expect(log).toHaveLength(2);
  expect(log[0]).toContain("the store's writer");
  expect(log[1]).toBe("agent-eval: the store's writer is back");
});

test('what waits behind the lost group is written by the next writer, and everything acknowledged is there', async () => {
  const { store, append, ids, lose } = await lossy('queue');
  const kept = new Set<string>();
  for (let round = 0; round < 12; round++) {
    lose(round % 2 === 0 ? 'before' : 'after');
    const all = Array.from({ length: 40 }, (_, i) => `${round}-${i}`);
    await Promise.all(
      all.map(async (id, i) => {
        // Spread over time, so that there are several groups.
        await new Promise((resolve) => setTimeout(resolve, (i % 5) * 8));
        if ((await refusal(append(id))) === 'kept') kept.add(id);
      }),
    );
  }
  await store.close();
  const stored = await ids();
  const there = new Set(stored);
  expect([...kept].filter((id) => !there.has(id))).toEqual([]);
  expect(stored).toHaveLength(there.size);
  expect(kept.size).toBeGreaterThan(100);
});

test('a writer that is lost at every order is started ever less often, and not without end', async () => {
  const { store, append, log, clock, lose, flag } = await lossy('always');
  await append('a');
  lose('before always');
  const told: string[] = [];
  for (clock.ms = 0; clock.ms < 60_000; clock.ms += 50) told.push(await refusal(append('b')));
  const starts = told.filter((kind) => kind === 'unknown').length;
  expect(told.every((kind) => kind === 'unknown' || kind === 'broken')).toBe(true);
  expect(starts).toBeGreaterThan(4);
  expect(starts).toBeLessThan(12);
  expect(log.length).toBeLessThan(30);
  rmSync(flag);
  clock.ms += 60_000;
  await append('c');
  await store.close();
});

test('a writer that cannot be started again is refused as that, and tried again', async () => {
  const { store, append, clock, lose } = await lossy('start');
  lose('before');
  expect(await refusal(append('a'))).toBe('unknown');
  lose('start');
  expect(await refusal(append('b'))).toBe('broken');
  clock.ms += 60_000;
  expect(await refusal(append('c'))).toBe('kept');
  await store.close();
});

test('serve: a lost writer is one 503 that says so, in the log, and the next batch is accepted', async () => {
  const bins = join(copies, 'bin');
  mkdirSync(bins);
  cpSync(dirname(await builtBin()), bins, { recursive: true });
  renameSync(join(bins, 'store-worker.js'), join(bins, 'real-worker.js'));
  const flag = join(home, 'serve.flag');
  writeFileSync(join(bins, 'store-worker.js'), fragile(join(bins, 'real-worker.js'), flag));
  expect(existsSync(join(bins, 'agent-eval.js'))).toBe(true);
  const served = await serve(['--store', join(home, 'served')], {}, ([node, , ...rest]) => [
    node!,
    join(bins, 'agent-eval.js'),
    ...rest,
  ]);
  const send = async (id: string) => {
    const response = await fetch(`${served.url}/v1/traces/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ eventId: id, runId: 'r', kind: 'log', timestamp: 1, payload: {} }),
    });
    const { error } = (await response.json()) as { error?: { code: string; details: unknown } };
    return { status: response.status, retryAfter: response.headers.get('retry-after'), error };
  };
  expect((await send('a')).status).toBe(200);
  writeFileSync(flag, 'before');
  expect(await send('b')).toMatchObject({
    status: 503,
    retryAfter: '1',
    error: { code: 'service_unavailable', details: { store: 'unknown' } },
  });
  expect((await send('c')).status).toBe(200);
  served.child.kill('SIGTERM');
  const { code, stderr } = await served.ended;
  expect(code).toBe(0);
  expect(stderr).toContain("the store's writer failed: lost before");
  expect(stderr).toContain("the store's writer is back");
});
