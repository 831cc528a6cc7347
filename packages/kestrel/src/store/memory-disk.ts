/**
 * A disk in memory, for sessions that need not outlive their process. It can also lose power: what was not synced is
 * then gone, which is how the store's promise is tested.
 */
import type { Appender, Disk } from './disk.ts';

interface Held {
  bytes: Uint8Array;
  length: number;
  synced: number;
}

export interface MemoryDisk extends Disk {
  /** Forgets every byte that was written and not synced. */
  losePower(): void;
}

export function memoryDisk(): MemoryDisk {
  const files = new Map<string, Held>();
  return {
    append(path, mode) {
      let file = files.get(path);
      if (file === undefined) {
        if (mode === 'existing') return undefined;
        file = { bytes: new Uint8Array(4_096), length: 0, synced: 0 };
        files.set(path, file);
      }
      return appenderOf(file);
    },
    syncNames: async () => {},
    read: (path) => {
      const file = files.get(path);
      return file?.bytes.slice(0, file.length);
    },
    size: (path) => files.get(path)?.length,
    list: (folder) =>
      [...files.keys()]
        .flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []))
        .sort(),
    replace(path, bytes) {
      files.set(path, { bytes: bytes.slice(), length: bytes.length, synced: bytes.length });
    },
    remove(path) {
      files.delete(path);
    },
    losePower() {
      for (const file of files.values()) file.length = file.synced;
    },
  };
}

function appenderOf(file: Held): Appender {
  return {
    size: () => file.length,
    reaches: (bytes) => file.length > bytes,
    write(bytes) {
      const length = file.length + bytes.length;
      if (length > file.bytes.length) {
        const wider = new Uint8Array(Math.max(length, file.bytes.length * 2));
        wider.set(file.bytes.subarray(0, file.length));
        file.bytes = wider;
      }
      file.bytes.set(bytes, file.length);
      file.length = length;
    },
    sync() {
      file.synced = file.length;
    },
    syncLater: async () => {
      file.synced = file.length;
    },
    read: (from, length) => file.bytes.slice(from, Math.min(from + length, file.length)),
    close() {},
  };
}
