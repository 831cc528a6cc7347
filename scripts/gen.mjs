/**
 * `npm run gen [-- --check]`: makes every generated file, or with `--check` names those that are stale and ends with 1.
 *
 * A generator is a file `scripts/gen/*.mjs` or `packages/<name>/gen.mjs` that exports
 * `generate({ load }): Promise<{ path, text }[]>`; `load(source)` imports a TypeScript source of the repository.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as bundle } from 'esbuild';
import { groundInlined } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const check = process.argv.includes('--check');

const generators = [
  ...readdirSync(join(root, 'scripts/gen'))
    .filter((file) => file.endsWith('.mjs'))
    .sort()
    .map((file) => join(root, 'scripts/gen', file)),
  ...readdirSync(join(root, 'packages'))
    .sort()
    .map((name) => join(root, 'packages', name, 'gen.mjs'))
    .filter((path) => existsSync(path)),
];

// Inside node_modules, so that what a bundle leaves outside resolves as it would from the source.
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const scratch = mkdtempSync(join(root, 'node_modules/.cache/gen-'));
let bundles = 0;

async function load(source) {
  const outfile = join(scratch, `${bundles++}.mjs`);
  await bundle({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
    plugins: [groundInlined],
  });
  return import(pathToFileURL(outfile).href);
}

try {
  const stale = [];
  for (const generator of generators) {
    const { generate } = await import(pathToFileURL(generator).href);
    if (generate === undefined) continue;
    for (const { path, text } of await generate({ load })) {
      const place = join(root, path);
      if (existsSync(place) && readFileSync(place, 'utf8') === text) continue;
      stale.push(path);
      if (!check) {
        mkdirSync(dirname(place), { recursive: true });
        writeFileSync(place, text);
      }
    }
  }
  if (stale.length === 0) console.error('gen: everything is fresh');
  else console.error(`gen: ${check ? 'stale' : 'made'} ${stale.join(', ')}${check ? '; npm run gen makes them' : ''}`);
  process.exitCode = check && stale.length > 0 ? 1 : 0;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
