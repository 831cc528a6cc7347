/** Folders, made where they are missing. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * A folder and those above it, each made at most once: Node's own recursive way never returns where a file system
 * answers that the parent is missing although it is there, as /proc does.
 *
 * @param mode of the folders that are made; absent, what the process is given
 * @returns the folders that were missing, outermost first
 * @throws what the file system says
 */
export function makeFolder(path: string, mode?: number): readonly string[] {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at);
  missing.reverse();
  for (const folder of missing) {
    try {
      mkdirSync(folder, mode);
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== 'EEXIST') throw error;
    }
  }
  return missing;
}
