/**
 * Group commit for a server: what many sessions append goes into their own files at once, and behind that into one
 * journal, whose one sync answers for all of them. After a crash the journal is played back into the files; a line that
 * is there already comes too late in its log, and is as if it were not there.
 */
import { dirname } from 'node:path';
import { type Appender, type Disk, StoreFault } from './disk.ts';

/** Bytes after which a fresh journal begins, and the files of the full one are synced. */
export const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;
/** Files that one journal answers for, each of them open. */
export const JOURNAL_FILES_MAX = 2_048;
/** A journal that has grown so many times too large, because the one before is not settled, waits for that. */
const OVERFULL = 4;
/** Bytes that wait to be committed, on a disk that refuses them; beyond that nothing more is taken. */
export const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** An entry is a line with the length of what was appended and the file's path, then what was appended. */
const ENTRY = /^entry ([1-9][0-9]{0,9}) (.+)$/;
const LF = 10;
const BRACE = 123;
const END_OF_TORN = Buffer.from('\n');

export interface JournaledDisk extends Disk {
  /** Syncs the files themselves, after which no journal is needed. @throws StoreFault */
  readonly settle: () => Promise<void>;
}

interface File {
  readonly path: string;
  readonly inner: Appender;
  /** What stood in it before, or what another process wrote, is in no journal of ours: it wants a sync of its own. */
  known: boolean;
  /** The file was made here, and its folder may not have its name yet. */
  unnamed: boolean;
  /** Appenders of it that were given out and are not closed. */
  users: number;
  /** Journals that answer for it; the last one to let go of a file without users closes it. */
  journals: number;
}

interface Journal {
  readonly path: string;
  readonly appender: Appender;
  bytes: number;
  /** It may end in half a line, which must get an end of its own. */
  torn: boolean;
  readonly dirty: Set<File>;
}

/**
 * @param place.folder where journals lie
 * @param place.name of this process's journals; no other process has it
 */
export function journaledDisk(disk: Disk, place: { readonly folder: string; readonly name: string }): JournaledDisk {
  let generation = 0;
  let current: Journal | undefined;
  /** Full journals whose files are not synced yet, oldest first. */
  const full: Journal[] = [];
  const open = new Map<string, File>();
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let gathering: Promise<void> | undefined;
  let running: Promise<void> | undefined;
  let settling: Promise<void> | undefined;

  const journal = (): Journal => {
    if (current === undefined) {
      // Journals are played back in the order of their names.
      const path = `${place.folder}/${place.name}.${String(generation++).padStart(9, '0')}.journal`;
      current = { path, appender: disk.append(path, 'make')!, bytes: 0, torn: false, dirty: new Set() };
    }
    return current;
  };
  const turnOver = (): void => {
    if (current !== undefined) full.push(current);
    current = undefined;
  };
  const closeIfUnused = (file: File): void => {
    if (file.users > 0 || file.journals > 0) return;
    open.delete(file.path);
    file.inner.close();
  };
  const settleOldest = async (oldest: Journal): Promise<void> => {
    const folders = new Set<string>();
    for (const file of oldest.dirty) {
      await file.inner.syncLater();
      if (file.unnamed) folders.add(dirname(file.path));
    }
    for (const folder of folders) await disk.syncNames(folder);
    disk.remove(oldest.path);
    full.shift();
    oldest.appender.close();
    for (const file of oldest.dirty) {
      file.unnamed = false;
      file.journals--;
      closeIfUnused(file);
    }
  };
  /** Settles the full journals one after the other, however often it is asked. */
  const settleFull = (): Promise<void> => {
    settling ??= (async () => {
      try {
        for (let oldest = full[0]; oldest !== undefined; oldest = full[0]) await settleOldest(oldest);
      } finally {
        settling = undefined;
      }
    })();
    return settling;
  };
  const take = (): readonly Uint8Array[] => {
    const entries = waiting;
    waiting = [];
    waitingBytes = 0;
    return entries;
  };
  /** What could not be committed waits again, before what came meanwhile. */
  const putBack = (entries: readonly Uint8Array[]): void => {
    waiting = [...entries, ...waiting];
    waitingBytes = waiting.reduce((sum, entry) => sum + entry.length, 0);
  };
  const put = (entries: readonly Uint8Array[]): Appender => {
    const into = journal();
    const bytes = Buffer.concat(into.torn ? [END_OF_TORN, ...entries] : entries);
    into.torn = true;
    into.appender.write(bytes);
    into.torn = false;
    into.bytes += bytes.length;
    return into.appender;
  };
  const isOver = (times: number): boolean =>
    current !== undefined &&
    (current.bytes > times * JOURNAL_BYTES_MAX || current.dirty.size > times * JOURNAL_FILES_MAX);
  const commit = async (): Promise<void> => {
    if (isOver(1)) {
      if (full.length === 0) turnOver();
      // Where that fails the full journal stays, and the next commit tries again.
      const settled = settleFull().catch(() => undefined);
      if (isOver(OVERFULL)) await settled;
    }
    const entries = take();
    if (entries.length === 0) return;
    try {
      await put(entries).syncLater();
    } catch (error) {
      putBack(entries);
      throw error;
    }
  };
  /** Joins the commit that is yet to begin; everything that is written until then joins it too. */
  const committed = (): Promise<void> => {
    gathering ??= (running ?? Promise.resolve())
      .then(undefined, () => undefined)
      .then(() => new Promise<void>((resolve) => setImmediate(resolve)))
      .then(() => {
        gathering = undefined;
        running = commit();
        return running;
      });
    return gathering;
  };
  const appenderOf = (file: File): Appender => {
    const { inner } = file;
    let isOpen = true;
    file.users++;
    return {
      ...inner,
      write(bytes) {
        if (waitingBytes > WAITING_BYTES_MAX) {
          throw new StoreFault(`append to ${file.path}`, 'the journal before it cannot be written');
        }
        const { dirty } = journal();
        inner.write(bytes);
        if (!dirty.has(file)) {
          dirty.add(file);
          file.journals++;
        }
        const head = Buffer.from(`entry ${bytes.length} ${file.path}\n`);
        waiting.push(head, bytes);
        waitingBytes += head.length + bytes.length;
      },
      sync() {
        const entries = take();
        if (entries.length > 0) {
          try {
            put(entries).sync();
          } catch (error) {
            putBack(entries);
            throw error;
          }
        }
        if (!file.known) inner.sync();
        file.known = true;
      },
      async syncLater() {
        await Promise.all([
          committed(),
          file.known
            ? undefined
            : inner.syncLater().then(() => {
                file.known = true;
              }),
        ]);
      },
      close() {
        if (!isOpen) return;
        isOpen = false;
        file.users--;
        closeIfUnused(file);
      },
    };
  };

  return {
    ...disk,
    async settle() {
      turnOver();
      await settleFull();
    },
    append(path, mode) {
      let file = open.get(path);
      if (file === undefined) {
        const existing = disk.append(path, 'existing');
        const inner = existing ?? (mode === 'existing' ? undefined : disk.append(path, 'make-unsynced'));
        if (inner === undefined) return undefined;
        const isNew = existing === undefined;
        file = { path, inner, known: isNew, unnamed: isNew, users: 0, journals: 0 };
        open.set(path, file);
      }
      return appenderOf(file);
    },
  };
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
    if (!name.endsWith('.journal')) continue;
    const path = `${folder}/${name}`;
    const bytes = disk.read(path) ?? new Uint8Array(0);
    for (const [file, places] of entriesByFile(bytes)) put += recoverFile(disk, file, { bytes, places });
    if (!isAlive(name.slice(0, name.indexOf('.')))) disk.remove(path);
  }
  return put;
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Where the lines of each file stand in a journal; an entry that is torn is as if it were not there. */
function entriesByFile(bytes: Uint8Array): Map<string, Place[]> {
  const found = new Map<string, Place[]>();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LF, at);
    if (end < 0) break;
    const head = ENTRY.exec(Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString('utf8'));
    at = end + 1;
    if (head === null) continue;
    const place = { from: at, to: at + Number(head[1]) };
    // Of an entry that was cut the rest is no head either, and the next one is found behind it.
    if (!isLine(bytes, place)) continue;
    const places = found.get(head[2]!);
    if (places === undefined) found.set(head[2]!, [place]);
    else places.push(place);
    at = place.to;
  }
  return found;
}

/** One line of a log with its end, and perhaps the end of a torn line before it: nothing else may pass for an entry. */
function isLine(bytes: Uint8Array, { from, to }: Place): boolean {
  const first = bytes[from] === LF ? from + 1 : from;
  return to <= bytes.length && bytes[first] === BRACE && bytes.indexOf(LF, first) === to - 1;
}

/** Appends those of a file's lines that it misses. They were appended in order, so each is looked for after the last. */
function recoverFile(
  disk: Disk,
  file: string,
  journal: { readonly bytes: Uint8Array; readonly places: readonly Place[] },
): number {
  const appender = disk.append(file, 'make')!;
  const read = disk.read(file) ?? new Uint8Array(0);
  const there = Buffer.from(read.buffer, read.byteOffset, read.length);
  let put = 0;
  let after = 0;
  let torn = there.length > 0 && there.at(-1) !== LF;
  for (const { from, to } of journal.places) {
    const line = journal.bytes.subarray(from, to);
    const at = there.indexOf(line, after);
    if (at >= 0 || there.indexOf(line) >= 0) {
      after = Math.max(after, at + line.length);
      continue;
    }
    appender.write(torn ? Buffer.concat([END_OF_TORN, line]) : line);
    torn = false;
    put++;
  }
  appender.sync();
  appender.close();
  return put;
}
