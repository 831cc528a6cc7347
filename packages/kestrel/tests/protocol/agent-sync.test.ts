/** `kestrel agent` gives out an answer after its turn is on the disk, however lines come and are answered together. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';

const world = vi.hoisted(() => ({
  /** What happened, in order: a write into a file, a sync of one, answers given out. */
  trace: [] as ('write' | 'sync' | 'answer')[],
  lines: [] as { text: string; ready: boolean }[],
  home: '',
}));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    writeSync: (...args: Parameters<typeof fs.writeSync>) => {
      world.trace.push('write');
      return fs.writeSync(...args);
    },
    fdatasyncSync: (fd: number) => {
      world.trace.push('sync');
      fs.fdatasyncSync(fd);
    },
  };
});
vi.mock('../../src/cli/line-input.ts', () => ({
  LineInput: class {
    get ready(): boolean {
      return world.lines[0]?.ready === true;
    }
    next() {
      const line = world.lines.shift();
      return line === undefined ? undefined : { kind: 'text', text: line.text };
    }
  },
}));
vi.mock('../../src/cli/streams.ts', async (original) => ({
  ...(await original<typeof import('../../src/cli/streams.ts')>()),
  quietStreams: () => ({
    write: () => world.trace.push('answer'),
    say: () => {},
    env: { KESTREL_HOME: world.home },
    watched: () => false,
    read: () => {
      throw new Error('not here');
    },
  }),
}));

const home = mkdtempSync(join(tmpdir(), 'kestrel-agent-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('nothing is told that is not synced, and lines that wait already share a sync', async () => {
  const { open } = await import('../../src/cli/agent.ts');
  process.env.KESTREL_HOME = home;
  world.home = home;
  const subject = { kind: 'dataset', source: '', dataset: 'bundled:quiet-wide' };
  const pass = { op: 'revise', response: { kind: 'pass' } };
  const requests = [
    { op: 'openSession', subject },
    { op: 'start' },
    ...Array.from({ length: 12 }, () => pass),
    { op: 'finalize' },
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: requests.length, maxLength: requests.length }),
      async (ready) => {
        world.trace.length = 0;
        world.lines = requests.map((request, i) => ({ text: JSON.stringify(request), ready: ready[i]! }));
        expect(await open(['agent'])).toBe(0);
        let unsynced = false;
        let answers = 0;
        let syncs = 0;
        for (const what of world.trace) {
          if (what === 'write') unsynced = true;
          else if (what === 'sync') {
            unsynced = false;
            syncs++;
          } else {
            answers++;
            expect(unsynced).toBe(false);
          }
        }
        // One group a line that was not there yet, and one sync a group; the first has the folder of the cache too.
        const groups = 1 + ready.slice(1).filter((isReady) => !isReady).length;
        expect(answers).toBe(groups);
        expect(syncs).toBeLessThanOrEqual(groups);
      },
    ),
    { numRuns: 6 },
  );
});
