/**
 * Builds the packages: `node scripts/build.mjs [package…] [--no-types] [--force]`.
 *
 * A bin is CommonJS, because Node starts it about 8 ms sooner than a module; each local `import('…')` in it becomes a
 * file of its own beside it, so that a door loads nothing but itself. Libraries are modules that share their chunks,
 * with the private `ground` inlined. Declarations come from tsc, with `ground/x` rewritten to relative paths.
 * What did not change since the last build is not built again.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const run = promisify(execFile);

/**
 * What a package builds. A package with needs of its own says so in `packages/<name>/build.mjs`, which exports an
 * object of this shape as `entries`; each field may be left out.
 *
 * @typedef {object} Entries
 * @property {Record<string, string>} [bins] name under `dist/bin` (no ending) -> source, relative to the package
 * @property {Record<string, string>} [libraries] name under `dist` (no ending) -> source, relative to the package
 * @property {readonly string[]} [external] packages a bin leaves to be loaded at run time
 * @property {Record<string, { argv: string[], input?: string, call?: string }>} [warm] files of a bin that start from compiled code,
 *   and the question that compiles it: `<floor>-<file>` -> arguments, standard input, and the export to call (`open`)
 * @property {(packageRoot: string) => Promise<void>} [before] runs first: generated sources, say
 */

/** A document with one clause of each common kind, so that the code which reads them is compiled. */
const WARM_DOCUMENT = `# comment
USING signal SPY exec SPY
VIEW cockpit budget 900 tokens tape(5m, 12) plans
WAKE shock WHEN velocity(1m) >= p99 DELIVER cockpit priority 1 cooldown 5m

PLAN fade budget 0.4R ttl 15:30 regime {intraday: range}
  WHEN (spot crosses below 5150 OR spot < VWAP - 10bps) AND NOT phase open held 10s  # trailing
  DO buy 1 shares @ lean(bid, fair, 0.5) cap ask esc ask 30s
  RELOAD WHEN spot < 5146 buy 1 shares @ min(ask, fair + 2c)
  RELOAD every $4 down, up to 3
  TP 1.01x frac 0.5 @ fair
  EXIT T-10 @ bid
  INVALIDATE spot > 5185 held 120s -> flat
  CANCEL-IF time >= 15:00
`;

/** @type {Record<string, Entries>} */
const known = {
  kestrel: {
    bins: { kestrel: 'src/bin/main.ts' },
    libraries: { lang: 'src/lang/index.ts', market: 'src/market/index.ts', engine: 'src/engine/index.ts' },
    external: ['better-sqlite3', 'node:sqlite'],
    warm: {
      'cli-parse': { argv: ['parse', '--json'], input: WARM_DOCUMENT },
      'cli-print': { argv: ['print'], input: WARM_DOCUMENT },
      'cli-validate': { argv: ['validate'], input: WARM_DOCUMENT },
      'cli-card': { argv: ['card'] },
      'cli-agent': { argv: ['agent'], input: '{"op":"describe"}\n' },
    },
  },
  'agent-eval': {
    warm: { 'cli-rpc': { argv: ['version'], input: '{}\n', call: 'rpcDoor' } },
  },
};

export const packageNames = Object.keys(known);

async function entriesOf(name) {
  const own = join(root, 'packages', name, 'build.mjs');
  if (!existsSync(own)) return known[name];
  const module = await import(pathToFileURL(own).href);
  return { ...known[name], ...module.entries };
}

/** `ground/x` is private: it is inlined from its source, whatever else stays outside a bundle. */
export const groundInlined = {
  name: 'ground-inlined',
  setup(build) {
    build.onResolve({ filter: /^ground\// }, (args) => ({
      path: join(root, 'packages/ground/src', `${args.path.slice('ground/'.length)}.ts`),
    }));
  },
};

/** Turns each dynamic import of a local file into a bundle of its own, named `<floor>-<file>.js`, and notes it. */
function lazyFiles(found) {
  return {
    name: 'lazy-files',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, (args) => {
        if (args.kind !== 'dynamic-import') return undefined;
        const source = join(args.resolveDir, args.path);
        const parts = source.split(sep);
        const name = `${parts.at(-2)}-${parts.at(-1).replace(/\.ts$/, '')}`;
        found.set(name, source);
        return { path: `./${name}.js`, external: true };
      });
    },
  };
}

async function buildBins(packageRoot, entries, esbuild) {
  const outdir = join(packageRoot, 'dist/bin');
  rmSync(outdir, { recursive: true, force: true });
  const todo = new Map(Object.entries(entries.bins ?? {}).map(([name, source]) => [name, join(packageRoot, source)]));
  const bins = new Set(todo.keys());
  const done = new Set();
  while (todo.size > done.size) {
    for (const [name, source] of [...todo]) {
      if (done.has(name)) continue;
      done.add(name);
      await esbuild.build({
        entryPoints: { [name]: source },
        outdir,
        bundle: true,
        minify: true,
        platform: 'node',
        format: 'cjs',
        target: 'node20.19',
        supported: { 'dynamic-import': false },
        external: [...(entries.external ?? [])],
        legalComments: 'linked',
        logLevel: 'warning',
        // A source that serves both kinds asks for __filename first.
        logOverride: { 'empty-import-meta': 'silent' },
        ...(bins.has(name) ? { banner: { js: '#!/usr/bin/env node' } } : {}),
        plugins: [groundInlined, lazyFiles(todo)],
      });
    }
  }
  for (const name of bins) chmodSync(join(outdir, `${name}.js`), 0o755);
  if (done.size > 0) writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  for (const [name, question] of Object.entries(entries.warm ?? {})) {
    if (!done.has(name)) throw new Error(`warm: there is no ${name} among ${[...done].join(', ')}`);
    await compileAhead(outdir, name, question);
  }
}

/**
 * Half of a small door's start is V8 compiling it. So the door's file becomes a loader of its code together with what V8
 * made of it on this machine; where that is missing or refused, the code is compiled as ever.
 */
async function compileAhead(outdir, name, { argv, input = '', call = 'open' }) {
  const code = join(outdir, `${name}.code.js`);
  renameSync(join(outdir, `${name}.js`), code);
  writeFileSync(join(outdir, `${name}.js`), loaderOf(name));
  const cache = `${code}.${process.versions.v8}-${process.arch}`;
  const child = execFile(process.execPath, [join(root, 'scripts/code-cache.mjs'), code, cache, call, ...argv]);
  child.stdin.end(input);
  const status = await new Promise((resolve) => child.on('close', resolve));
  if (status !== 0) throw new Error(`${name} ended with ${status} when it was asked ${argv.join(' ')}`);
}

const loaderOf = (name) => `"use strict";
const { readFileSync } = require("node:fs");
const code = __dirname + "/${name}.code.js";
let cachedData;
try {
  cachedData = readFileSync(code + "." + process.versions.v8 + "-" + process.arch);
} catch {}
if (cachedData === undefined) module.exports = require(code);
else {
  const { Script } = require("node:vm");
  const source = "(function(exports,require,module,__filename,__dirname){" + readFileSync(code, "utf8") + "\\n})";
  new Script(source, { filename: code, cachedData }).runInThisContext()(exports, require, module, code, __dirname);
}
`;

async function buildLibraries(packageRoot, entries, esbuild) {
  const libraries = presentLibraries(packageRoot, entries);
  rmSync(join(packageRoot, 'dist/chunks'), { recursive: true, force: true });
  if (Object.keys(libraries).length === 0) return;
  await esbuild.build({
    entryPoints: libraries,
    outdir: join(packageRoot, 'dist'),
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [groundInlined],
  });
}

/** A library whose floor is not laid yet is left out, and `package.json` does not promise it. */
function presentLibraries(packageRoot, entries) {
  const all = Object.entries(entries.libraries ?? {}).map(([name, source]) => [name, join(packageRoot, source)]);
  return Object.fromEntries(all.filter(([, source]) => existsSync(source)));
}

async function buildTypes(name, packageRoot, entries) {
  const files = Object.values(presentLibraries(packageRoot, entries));
  if (files.length === 0) return;
  const outDir = join(packageRoot, 'dist/types');
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const config = join(packageRoot, 'dist/types.tsconfig.json');
  const options = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, 'packages'),
    outDir,
  };
  const extended = relative(dirname(config), join(root, 'tsconfig.json'));
  writeFileSync(config, JSON.stringify({ extends: extended, compilerOptions: options, files, include: [] }));
  try {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], { cwd: root });
  } catch (error) {
    throw new Error(`the types of ${name} do not build:\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  } finally {
    rmSync(config);
  }
  for (const file of filesUnder(outDir)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      rewriteSpecifiers(text, relative(dirname(file), join(outDir, 'ground/src')).split(sep).join('/')),
    );
  }
}

/** Consumers resolve `./x.js` to `./x.d.ts`; they have no `ground` and no `.ts`. */
export function rewriteSpecifiers(text, groundPath) {
  const specifier = /((?:\bfrom|\bimport)\s*\(?\s*)(['"])([^'"\n]+)\2/g;
  return text.replace(specifier, (whole, before, quote, path) => {
    if (path.startsWith('ground/')) return `${before}${quote}${groundPath}/${path.slice('ground/'.length)}.js${quote}`;
    if (path.startsWith('.') && path.endsWith('.ts')) return `${before}${quote}${path.slice(0, -3)}.js${quote}`;
    return whole;
  });
}

function* filesUnder(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else yield path;
  }
}

/** The stamp of everything a package's build reads. */
function stampOf(name, types) {
  const hash = createHash('sha256').update(`${process.version} types=${types}\n`);
  const loose = [
    'package-lock.json',
    'tsconfig.json',
    'scripts/build.mjs',
    'scripts/code-cache.mjs',
    `packages/${name}/package.json`,
  ];
  const optional = [`packages/${name}/build.mjs`].filter((path) => existsSync(join(root, path)));
  const files = [...loose, ...optional].map((path) => join(root, path));
  for (const folder of ['packages/ground/src', `packages/${name}/src`]) files.push(...filesUnder(join(root, folder)));
  for (const file of files)
    hash
      .update(`${relative(root, file)}\n`)
      .update(readFileSync(file))
      .update('\n');
  return hash.digest('hex');
}

/** @returns whether anything was built */
async function buildStale(name, { types, force, say }) {
  const packageRoot = join(root, 'packages', name);
  const stampFile = join(packageRoot, 'dist/.stamp');
  const stamped = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  // A build with types serves those who want none, not the other way round.
  const fresh = [stampOf(name, true), ...(types ? [] : [stampOf(name, false)])];
  if (!force && fresh.includes(stamped)) return false;
  const started = Date.now();
  const entries = await entriesOf(name);
  const sources = Object.values({ ...entries.bins, ...entries.libraries });
  if (!sources.some((source) => existsSync(join(packageRoot, source)))) {
    say(`${name}: nothing to build yet`);
    return false;
  }
  mkdirSync(join(packageRoot, 'dist'), { recursive: true });
  rmSync(stampFile, { force: true });
  await entries.before?.(packageRoot);
  const esbuild = await import('esbuild');
  await buildBins(packageRoot, entries, esbuild);
  await buildLibraries(packageRoot, entries, esbuild);
  if (types) await buildTypes(name, packageRoot, entries);
  writeFileSync(stampFile, stampOf(name, types));
  const size = [...filesUnder(join(packageRoot, 'dist/bin'))].reduce((sum, file) => sum + statSync(file).size, 0);
  say(`${name}: built in ${((Date.now() - started) / 1000).toFixed(1)} s, bins ${Math.round(size / 1024)} KiB`);
  return true;
}

const LOCK_WAIT_MS_MAX = 180_000;

/** Two builds of one package would tear each other's output: the second waits, and then finds it fresh. */
async function buildPackage(name, options) {
  const lock = join(root, 'packages', name, 'dist/.lock');
  mkdirSync(dirname(lock), { recursive: true });
  const started = Date.now();
  while (!taken(lock)) {
    if (Date.now() - started > LOCK_WAIT_MS_MAX)
      throw new Error(`another build of ${name} does not end; its mark is ${lock}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  try {
    return await buildStale(name, options);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Whether the lock is ours now. One whose process is gone was left by a build that was killed. */
function taken(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // A lock that is still being written names nobody yet.
    if (holder > 0) process.kill(holder, 0);
  } catch (error) {
    if (error.code === 'ESRCH') rmSync(lock, { force: true });
    else if (error.code !== 'ENOENT' && error.code !== 'EPERM') throw error;
  }
  return false;
}

/** Builds the named packages in turn. @returns how many were built; the others were fresh */
export async function build({ names = packageNames, types = true, force = false, say = console.error } = {}) {
  let built = 0;
  for (const name of names) if (await buildPackage(name, { types, force, say })) built++;
  return built;
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const args = process.argv.slice(2);
  const names = args.filter((arg) => !arg.startsWith('--'));
  const unknown = names.filter((name) => !packageNames.includes(name));
  if (unknown.length > 0) {
    console.error(`build: no package called ${unknown.join(', ')}; there are ${packageNames.join(', ')}`);
    process.exit(2);
  }
  try {
    const built = await build({
      names: names.length > 0 ? names : packageNames,
      types: !args.includes('--no-types'),
      force: args.includes('--force'),
    });
    if (built === 0) console.error('build: everything is fresh');
  } catch (error) {
    console.error(`build: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  }
}
