/** What was acknowledged is on disk: kills, synced commits, a full disk, torn files, and copies made while it is written. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { batchOf } from '../../src/store/conformance.ts';
import { sqliteReading, sqliteStore } from '../../src/store/index.ts';
import { builtBin, run, serve } from '../support/built.ts';

const home = mkdtempSync(join(tmpdir(), 'agent-eval-durable-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const line = (id: string, payload: Record<string, unknown> = {}) =>
  JSON.stringify({ eventId: id, runId: `run-${id.length % 3}`, kind: 'log', timestamp: 1, payload });

async function send(url: string, body: string): Promise<{ status: number; accepted: number; code: string | null }> {
  const response = await fetch(`${url}/v1/traces/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  });
  const answer = (await response.json()) as { accepted?: number; error?: { code: string } };
  return { status: response.status, accepted: answer.accepted ?? 0, code: answer.error?.code ?? null };
}

async function storedIds(dir: string): Promise<string[]> {
  const store = sqliteReading(dir);
  const ids: string[] = [];
  for await (const { eventId } of store.traces.read({ view: 'all' })) ids.push(eventId);
  await store.close();
  return ids;
}

test('kill -9 under ingest: nothing acknowledged is missing, nothing is there in part, the store opens', async () => {
  const dir = join(home, 'kills');
  const acknowledged = new Set<string>();
  const sent = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const served = await serve(['--store', dir]);
    const drive = async (lane: number): Promise<void> => {
      for (let n = 0; ; n++) {
        const ids = Array.from({ length: 50 }, (_, i) => `${round}-${lane}-${n}-${i}`);
        for (const id of ids) sent.add(id);
        try {
          const { accepted } = await send(served.url, ids.map((id) => line(id, { pad: 'x'.repeat(200) })).join('\n'));
          if (accepted === 50) for (const id of ids) acknowledged.add(id);
        } catch {
          return;
        }
      }
    };
    const lanes = Array.from({ length: 6 }, (_, lane) => drive(lane));
    await new Promise((resolve) => setTimeout(resolve, 250 + round * 90));
    served.child.kill('SIGKILL');
    await Promise.all([...lanes, served.ended]);
    const stored = await storedIds(dir);
    const there = new Set(stored);
    expect([...acknowledged].filter((id) => !there.has(id))).toEqual([]);
    expect(stored.filter((id) => !sent.has(id))).toEqual([]);
    expect(stored).toHaveLength(there.size);
    // A batch is one transaction: it is there whole or not at all.
    expect(stored.length % 50).toBe(0);
  }
  expect(acknowledged.size).toBeGreaterThan(200);
  const reading = sqliteReading(dir);
  expect(await reading.problems()).toEqual([]);
  await reading.close();
});

describe('every acknowledgement is preceded by a sync', () => {
  const hasCompiler = spawnSync('cc', ['--version']).status === 0;
  if (!hasCompiler) console.warn('skipped: counting syncs needs a C compiler');

  test.skipIf(!hasCompiler || process.platform !== 'linux')(
    'as many syncs as lone acknowledged requests, at least',
    async () => {
      const source = join(home, 'count.c');
      const library = join(home, 'count.so');
      const log = join(home, 'syncs');
      // Counts what the process asks of the kernel, below anything that this project could say of itself.
      writeFileSync(
        source,
        `#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static int note(const char *name, int fd) {
  static int out = -1;
  if (out < 0) out = open(getenv("SYNC_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (write(out, ".", 1) != 1) abort();
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(fd);
}
int fsync(int fd) { return note("fsync", fd); }
int fdatasync(int fd) { return note("fdatasync", fd); }
`,
      );
      execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
      const served = await serve(['--store', join(home, 'synced')], { LD_PRELOAD: library, SYNC_LOG: log });
      expect((await send(served.url, line('warm'))).accepted).toBe(1);
      for (let i = 0; i < 25; i++) {
        const before = statSync(log).size;
        expect((await send(served.url, line(`lone-${i}`))).accepted).toBe(1);
        expect(statSync(log).size).toBeGreaterThan(before);
      }
      served.child.kill('SIGKILL');
      await served.ended;
    },
  );
});

test('a full disk: 503, nothing accepted is lost, and it goes on once there is room', async () => {
  const dir = join(home, 'full');
  const warm = await serve(['--store', dir]);
  expect((await send(warm.url, line('first'))).accepted).toBe(1);
  warm.child.kill('SIGTERM');
  await warm.ended;
  // A file may grow to 2 MiB (in blocks of 512 bytes here), which stands for a disk without room.
  const served = await serve(['--store', dir], {}, (command) => [
    'sh',
    '-c',
    `trap '' XFSZ; ulimit -f 4096; exec "$@"`,
    'sh',
    ...command,
  ]);
  const accepted: string[] = ['first'];
  let refused = 0;
  for (let n = 0; n < 30 && refused < 3; n++) {
    const ids = Array.from({ length: 100 }, (_, i) => `${n}-${i}`);
    const answer = await send(served.url, ids.map((id) => line(id, { pad: 'y'.repeat(1_500) })).join('\n'));
    if (answer.status === 200) accepted.push(...ids);
    else {
      expect([answer.status, answer.code]).toEqual([503, 'service_unavailable']);
      refused++;
    }
  }
  expect(refused).toBe(3);
  expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
  served.child.kill('SIGKILL');
  await served.ended;
  const again = await serve(['--store', dir]);
  expect((await send(again.url, line('later'))).accepted).toBe(1);
  again.child.kill('SIGTERM');
  await again.ended;
  expect(await storedIds(dir)).toEqual([...accepted, 'later']);
});

describe('torn files', () => {
  test('a log torn at any place keeps every commit before the tear', async () => {
    const dir = join(home, 'torn');
    const store = await sqliteStore(dir, { writer: 'here' });
    for (let i = 0; i < 8; i++) await store.traces.append(batchOf([line(`t${i}`, { pad: 'z'.repeat(500) })]));
    const log = readFileSync(join(dir, 'agent-eval.db-wal'));
    const base = readFileSync(join(dir, 'agent-eval.db'));
    await store.close();
    for (const share of [0.2, 0.5, 0.83, 0.999]) {
      const torn = mkdtempSync(join(home, 'torn-'));
      writeFileSync(join(torn, 'agent-eval.db'), base);
      writeFileSync(join(torn, 'agent-eval.db-wal'), log.subarray(0, Math.floor(log.length * share)));
      const opened = await sqliteStore(torn, { writer: 'here' });
      await opened.traces.append(batchOf([line('after')]));
      expect(await opened.problems()).toEqual([]);
      await opened.close();
      const ids = await storedIds(torn);
      expect(ids).toEqual([...Array.from({ length: ids.length - 1 }, (_, i) => `t${i}`), 'after']);
    }
  });

  test('a database that is none, or cut short, is refused with one clear line', async () => {
    const dir = mkdtempSync(join(home, 'none-'));
    writeFileSync(join(dir, 'agent-eval.db'), 'this is no database, however long one looks at it'.repeat(100));
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--store', dir]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^agent-eval: the store .* cannot be opened: .*\n$/);
    expect((await run(['stats', '--store', join(home, 'nowhere')])).stderr).toMatch(/no store in/);
  });
});

test('a copy that could not be finished is not there, under no name', async () => {
  const dir = join(home, 'half');
  const out = join(home, 'half-out');
  mkdirSync(out);
  const filled = await sqliteStore(dir, { writer: 'here' });
  for (let n = 0; n < 20; n++) {
    await filled.traces.append(
      batchOf(Array.from({ length: 100 }, (_, i) => line(`${n}-${i}`, { pad: 'z'.repeat(900) }))),
    );
  }
  await filled.close();
  const file = join(out, 'copy.db');
  const limited = ['-c', `trap '' XFSZ; ulimit -f 1024; exec "$@"`, 'sh', process.execPath, await builtBin()];
  const { status, stderr } = spawnSync('sh', [...limited, 'backup', file, '--store', dir], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^agent-eval: the copy .* cannot be written/);
  expect(readdirSync(out)).toEqual([]);
  expect((await run(['backup', file, '--store', dir])).code).toBe(0);
  expect(readdirSync(out)).toEqual(['copy.db']);
});

test('a copy made while it is written is whole, and check says what a damaged one has', async () => {
  const dir = join(home, 'copied');
  const served = await serve(['--store', dir]);
  let isOver = false;
  const writing = (async () => {
    for (let n = 0; !isOver; n++)
      await send(served.url, Array.from({ length: 200 }, (_, i) => line(`${n}-${i}`)).join('\n'));
  })();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const copy = join(home, 'copy.db');
  const backed = await run(['backup', copy, '--store', dir]);
  expect([backed.code, backed.stderr]).toEqual([0, '']);
  expect((await run(['check', '--store', dir])).stdout).toBe('the store is whole\n');
  isOver = true;
  await writing;
  served.child.kill('SIGTERM');
  await served.ended;
  const restored = mkdtempSync(join(home, 'restored-'));
  copyFileSync(copy, join(restored, 'agent-eval.db'));
  const whole = await sqliteStore(restored, { writer: 'here' });
  expect(await whole.problems()).toEqual([]);
  expect((await whole.traces.stats()).events % 200).toBe(0);
  await whole.close();
  expect((await run(['backup', copy, '--store', dir])).code).toBe(2);
  const fd = openSync(join(restored, 'agent-eval.db'), 'r+');
  ftruncateSync(fd, Math.floor(statSync(join(restored, 'agent-eval.db')).size / 2));
  closeSync(fd);
  expect(existsSync(join(restored, 'agent-eval.db-wal'))).toBe(false);
  const checked = await run(['check', '--store', restored]);
  expect(checked.code).toBe(1);
  expect(checked.stdout + checked.stderr).toMatch(/malformed|integrity|Tree|page|cannot/i);
});

test('sealed segments: runs, distinct views and retention over many chunks', async () => {
  const dir = join(home, 'sealed');
  const store = await sqliteStore(dir, { writer: 'here' });
  const perBatch = 10_000;
  const batches = 30;
  for (let b = 0; b < batches; b++) {
    const texts = Array.from({ length: perBatch }, (_, i) => {
      const n = b * perBatch + i;
      // Every tenth event repeats the id of the first batch.
      const id = n % 10 === 9 ? `e${n % perBatch}` : `e${n}`;
      return `{"eventId":"${id}","runId":"run-${n % 50}","kind":"log","timestamp":${n},"payload":{}}`;
    });
    await store.traces.append(batchOf(texts));
  }
  let count = 0;
  let last = -1;
  for await (const { ordinal, runId } of store.traces.read({ view: 'all', runId: 'run-7' })) {
    expect(runId).toBe('run-7');
    expect(ordinal % 50).toBe(7);
    expect(ordinal).toBeGreaterThan(last);
    last = ordinal;
    count++;
  }
  expect(count).toBe((perBatch * batches) / 50);
  const seen = new Set<string>();
  for await (const { eventId } of store.traces.read({ view: 'distinct', runId: 'run-9' })) {
    expect(seen.has(eventId)).toBe(false);
    seen.add(eventId);
  }
  // Run 9 has only repeats after the first batch.
  expect(seen.size).toBe(perBatch / 50);
  let repeats = 0;
  for await (const { kind } of store.traces.repeats()) {
    expect(kind).toBe('conflict');
    repeats++;
  }
  expect(repeats).toBe((perBatch / 10) * (batches - 1));
  const { bytes } = await store.traces.stats();
  const dropped = await store.traces.retain({ bytesMax: Math.floor(bytes / 2) });
  expect(dropped).toBeGreaterThanOrEqual((perBatch * batches) / 2 - perBatch);
  const rest: number[] = [];
  for await (const { ordinal } of store.traces.read({ view: 'all', runId: 'run-7' })) rest.push(ordinal);
  expect(rest[0]).toBeGreaterThanOrEqual(dropped);
  expect(rest).toHaveLength((perBatch * batches - dropped) / 50);
  expect(await store.problems()).toEqual([]);
  await store.close();
});
