import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from 'ground/folder';
import { afterAll, expect, test } from 'vitest';
import { writeWhole } from '../../src/cli/files.ts';

const dir = mkdtempSync(join(tmpdir(), 'kestrel-files-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('a folder is made with those above it, and again without harm', () => {
  const deep = join(dir, 'a', 'b', 'c');
  makeFolder(deep);
  makeFolder(deep);
  expect(statSync(deep).isDirectory()).toBe(true);
});

test('below a file there is no folder', () => {
  const file = join(dir, 'file');
  writeFileSync(file, '');
  expect(() => writeWhole([{ path: join(file, 'out', 'x'), bytes: 'x' }])).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'unavailable' }) }),
  );
});

test.skipIf(!existsSync('/proc/self'))('where no folder can be made, that is said at once', () => {
  expect(() => writeWhole([{ path: '/proc/kestrel-none/deep/x', bytes: 'x' }])).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'unavailable' }) }),
  );
});
