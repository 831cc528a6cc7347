/** Files a verb leaves behind: whole or not at all, and a coded refusal where they cannot be. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from 'ground/folder';
import { Failure } from './failure.ts';
import { systemCode } from './streams.ts';

/**
 * Writes each file beside its place and moves it there once all of them are on disk.
 * @throws Failure `unavailable`, with nothing new left behind
 */
export function writeWhole(files: readonly { readonly path: string; readonly bytes: Uint8Array | string }[]): void {
  const drafts = files.map(({ path }) => join(dirname(path), `.${basename(path)}.${process.pid}.draft`));
  try {
    files.forEach(({ path, bytes }, i) => {
      makeFolder(dirname(path));
      writeDraft(drafts[i]!, bytes);
    });
    files.forEach(({ path }, i) => {
      renameSync(drafts[i]!, path);
    });
  } catch (error) {
    throw unwritable(
      files.map(({ path }) => path),
      systemCode(error),
    );
  } finally {
    drafts.forEach(forget);
  }
}

/** What may not be there, and where nothing may be written, needs no removing. */
export function forget(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {}
}

function writeDraft(path: string, bytes: Uint8Array | string): void {
  const fd = openSync(path, 'w');
  try {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    for (let at = 0; at < buffer.length; ) at += writeSync(fd, buffer, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function unwritable(paths: readonly string[], code: string): Failure {
  return new Failure({
    code: 'unavailable',
    message: `${paths.join(' and ')} cannot be written (${code})`,
    expected: 'a folder that may be written, on a disk with room',
    next: 'free the disk, or name another place',
  });
}
