/**
 * What a fresh clone needs before anything runs: the packages of the lockfile, and where asked the native store.
 * Imports nothing but node: modules, since it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const NODE_WANTED = [20, 19];

/** Ends the process with a plain sentence where Node is too old. */
export function wantNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_WANTED[0] || (major === NODE_WANTED[0] && minor >= NODE_WANTED[1])) return;
  console.error(`Node ${NODE_WANTED.join('.')} or newer is wanted, this is ${process.versions.node}`);
  process.exit(2);
}

/**
 * Whether `node_modules` holds exactly what the lockfile says. npm keeps what it installed in a hidden lockfile;
 * an optional package may be missing from it, because it was made for another platform.
 */
export function installed() {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) continue;
    const found = present[path];
    if (found === undefined) {
      if (entry.optional || entry.devOptional || entry.link) continue;
      return false;
    }
    if (found.version !== entry.version) return false;
  }
  return true;
}

/** Installs from the lockfile, running no package's scripts, so that no compiler is needed. */
export function install({ say = console.error } = {}) {
  if (installed()) return;
  say('installing the packages of package-lock.json (npm ci, no scripts)');
  const result = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { quiet: false });
  if (result.status !== 0) {
    say(`npm ci ended with ${result.status ?? result.signal}: without the packages nothing can run`);
    process.exit(1);
  }
}

/**
 * The native store, built where it is not yet.
 * @returns why there is none, or undefined where there is
 */
export function nativeStore({ say = console.error } = {}) {
  if (nativeStoreLoads()) return undefined;
  if (!existsSync(join(root, 'node_modules/better-sqlite3'))) return 'better-sqlite3 was not installed';
  say('building better-sqlite3 (a few minutes where no binary fits)');
  const result = npm(['rebuild', 'better-sqlite3'], { quiet: true });
  if (result.status === 0 && nativeStoreLoads()) return undefined;
  return `better-sqlite3 could not be built (npm rebuild ended with ${result.status ?? result.signal})`;
}

function nativeStoreLoads() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', probe], { cwd: root, stdio: 'ignore' }).status === 0;
}

/** npm's output goes to stderr, so that stdout stays the answer of whoever calls. */
export function npm(args, { quiet, cwd = root }) {
  return spawnSync('npm', args, {
    cwd,
    stdio: ['ignore', quiet ? 'ignore' : 2, quiet ? 'ignore' : 2],
    shell: process.platform === 'win32',
  });
}
