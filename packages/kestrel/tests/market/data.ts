/** Where the real days are: env KESTREL_DATA, else the folder beside the checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NamedBytes } from '../../src/market/index.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const DATA = process.env.KESTREL_DATA ?? join(ROOT, '..', 'shared', 'data');
export const LEAN = join(DATA, 'lean');
export const DERIVED = join(DATA, 'derived');

export const HAS_DATA = existsSync(join(LEAN, 'equity'));
export const WHY_SKIPPED = 'no real days: set KESTREL_DATA, or put them in ../shared/data beside the checkout';
if (!HAS_DATA) console.log(`skipped: ${WHY_SKIPPED}`);

/** A file named as LEAN names it, without the folders before. */
export function leanFile(path: string): NamedBytes {
  return { name: path, bytes: readFileSync(join(LEAN, path)) };
}

/** Every archive below a folder of LEAN's, by its path. */
export function leanArchives(under: string): string[] {
  const folder = join(LEAN, under);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(under, name).replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.zip'))
    .sort();
}
