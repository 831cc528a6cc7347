import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createAgent, Host } from '../../src/protocol/index.ts';
import type { SessionEvent } from '../../src/session/index.ts';
import { OPEN_FILES_MAX, realDisk, Store } from '../../src/store/index.ts';

/** What reached the disk, in order: writes into files, and syncs of them. */
const trace = vi.hoisted(() => [] as string[]);

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    writeSync: (...args: Parameters<typeof fs.writeSync>) => {
      trace.push('write');
      return fs.writeSync(...args);
    },
    fdatasyncSync: (fd: number) => {
      trace.push('sync');
      fs.fdatasyncSync(fd);
    },
    fdatasync: (fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
      fs.fdatasync(fd, (error) => {
        trace.push('sync');
        done(error);
      });
    },
  };
});

const home = mkdtempSync(join(tmpdir(), 'kestrel-disk-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const QUIET = { op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'bundled:quiet-wide' } };

test.each(['at once', 'later'] as const)('every answer that changed something is synced, %s', async (when) => {
  const store = new Store<SessionEvent>({ disk: realDisk, root: join(home, when), writer: when });
  const host = new Host({ store: () => store });
  const agent = createAgent(host);
  const pass = { op: 'advance', response: { kind: 'pass' } };
  for (const request of [QUIET, { op: 'start' }, pass, { op: 'finalize' }]) {
    trace.length = 0;
    expect(agent.handle(JSON.stringify(request)).kind === 'response' || request === pass).toBe(true);
    if (when === 'at once') host.sync();
    else await host.syncLater();
    const written = trace.lastIndexOf('write');
    expect([request.op, written >= 0, trace.lastIndexOf('sync') > written]).toEqual([request.op, true, true]);
  }
  trace.length = 0;
  agent.handle('{"op":"finalize"}');
  host.sync();
  expect(trace).toEqual([]);
});

test('more files than may be open at a time are written, synced and read alike', async () => {
  const paths = Array.from({ length: OPEN_FILES_MAX + 40 }, (_, i) => join(home, 'many', `${i}.log`));
  const files = paths.map((path) => realDisk.append(path, 'make-unsynced')!);
  for (const round of ['a', 'b']) {
    files.forEach((file, i) => {
      file.write(Buffer.from(`${round}${i}\n`));
    });
    await Promise.all(files.slice(0, 100).map((file) => file.syncLater()));
  }
  await realDisk.syncNames(join(home, 'many'));
  expect(files.map((file) => Buffer.from(file.read(0, 100)).toString())).toEqual(paths.map((_, i) => `a${i}\nb${i}\n`));
  if (existsSync('/proc/self/fd')) expect(readdirSync('/proc/self/fd').length).toBeLessThan(OPEN_FILES_MAX + 200);
  for (const file of files) file.close();
  // What is closed while its sync is on the way ends quietly.
  const last = realDisk.append(paths[0]!, 'existing')!;
  last.write(Buffer.from('c'));
  const synced = last.syncLater();
  last.close();
  await synced;
});
