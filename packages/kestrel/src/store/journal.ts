/**
 * Group commit for a server: what many sessions append goes into their own files at once, and behind that into one
 * journal, whose one sync answers for all of them. After a crash the journal is played back into the files; a line that
 * is there already comes too late in its log, and is as if it were not there.
 */
import { sha256 } from 'ground/digest';
import type { Appender, Disk } from './disk.ts';

/** Bytes after which the files themselves are synced and a fresh journal begins. */
export const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;
const CHECK_CHARS = 32;

export interface JournaledDisk extends Disk {
  /** Syncs the files themselves, after which the journal is not needed. */
  readonly settle: () => void;
}

/**
 * @param place.folder where journals lie
 * @param place.name of this process's journal; no other process has it
 */
export function journaledDisk(disk: Disk, place: { readonly folder: string; readonly name: string }): JournaledDisk {
  let generation = 0;
  let path = '';
  let journal: Appender | undefined;
  let journalBytes = 0;
  let waiting: string[] = [];
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const dirty = new Map<string, Appender>();

  const open = (): Appender => {
    if (journal === undefined) {
      path = `${place.folder}/${place.name}.${generation++}.jsonl`;
      journal = disk.append(path, 'make')!;
      journalBytes = 0;
    }
    return journal;
  };
  const take = (): Uint8Array | undefined => {
    if (waiting.length === 0) return undefined;
    const bytes = Buffer.from(waiting.join(''));
    waiting = [];
    journalBytes += bytes.length;
    return bytes;
  };
  const settle = (): void => {
    for (const file of dirty.values()) file.sync();
    dirty.clear();
    if (journal === undefined) return;
    journal.close();
    journal = undefined;
    disk.remove(path);
  };
  const commit = async (): Promise<void> => {
    const bytes = take();
    if (bytes === undefined) return;
    const into = open();
    into.write(bytes);
    await into.syncLater();
    if (journalBytes > JOURNAL_BYTES_MAX && waiting.length === 0) settle();
  };
  /** Joins the commit that begins after what was written so far. */
  const committed = (): Promise<void> => {
    if (running === undefined) {
      running = commit().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .then(undefined, () => undefined)
      .then(() => {
        next = undefined;
        return committed();
      });
    return next;
  };
  return {
    ...disk,
    settle,
    append(file, mode) {
      const inner = disk.append(file, mode);
      if (inner === undefined) return undefined;
      // What stood in the file before, or what another process wrote, is in no journal of ours.
      let known = false;
      return {
        ...inner,
        write(bytes) {
          inner.write(bytes);
          dirty.set(file, inner);
          waiting.push(lineOf(file, Buffer.from(bytes).toString('utf8')));
        },
        sync() {
          const bytes = take();
          if (bytes !== undefined) {
            const into = open();
            into.write(bytes);
            into.sync();
          }
          if (!known) inner.sync();
          known = true;
        },
        async syncLater() {
          const first = known ? undefined : inner.syncLater();
          known = true;
          await Promise.all([committed(), first]);
        },
        close() {
          if (dirty.delete(file)) inner.sync();
          inner.close();
        },
      };
    },
  };
}

function lineOf(file: string, text: string): string {
  const body = JSON.stringify({ file, text });
  return `${sha256(body).slice(0, CHECK_CHARS)} ${body}\n`;
}

/**
 * Plays journals back. What a running process wrote is in its files already, so that costs nothing but the reading.
 *
 * @param isAlive whether the process of a journal's name may still run: then its journal stays
 * @returns lines that were missing and are there now
 */
export function recoverJournals(disk: Disk, folder: string, isAlive: (name: string) => boolean): number {
  let put = 0;
  for (const name of disk.list(folder)) {
    if (!name.endsWith('.jsonl')) continue;
    const path = `${folder}/${name}`;
    const touched = new Map<string, Appender>();
    for (const line of Buffer.from(disk.read(path) ?? [])
      .toString('utf8')
      .split('\n')) {
      const body = line.slice(CHECK_CHARS + 1);
      if (line.slice(0, CHECK_CHARS) !== sha256(body).slice(0, CHECK_CHARS)) continue;
      const { file, text } = JSON.parse(body) as { file: string; text: string };
      const bytes = Buffer.from(text);
      const there = disk.read(file);
      const appender = touched.get(file) ?? disk.append(file, 'make')!;
      touched.set(file, appender);
      if (there !== undefined && Buffer.from(there.buffer, there.byteOffset, there.length).includes(bytes)) continue;
      const torn = there !== undefined && there.length > 0 && there.at(-1) !== 10;
      appender.write(torn ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes);
      put++;
    }
    for (const appender of touched.values()) {
      appender.sync();
      appender.close();
    }
    if (!isAlive(name.slice(0, name.indexOf('.')))) disk.remove(path);
  }
  return put;
}
