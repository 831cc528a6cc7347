/** Proves that openapi.json makes a working TypeScript client: generated, type-checked, run. Installs what it needs aside. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, program, root, startAgreeable } from '../server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const place = join(root, '.cache/typescript-client');
mkdirSync(place, { recursive: true });

const manifest = readFileSync(join(here, 'package.json'), 'utf8');
const stamp = join(place, '.stamp');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== manifest) {
  copyFileSync(join(here, 'package.json'), join(place, 'package.json'));
  const installed = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--no-workspaces'], {
    cwd: place,
    encoding: 'utf8',
  });
  if (installed.status !== 0) {
    console.log(`skipped: ${installed.stderr.trim().split('\n').at(-1)}`);
    process.exit(0);
  }
  writeFileSync(stamp, manifest);
}

build();
const run = (file, args) =>
  execFileSync(process.execPath, [join(place, 'node_modules', file), ...args], { cwd: place, encoding: 'utf8' });
let status = 1;
const server = await startAgreeable();
try {
  execFileSync(process.execPath, [program, 'openapi', '--out', join(place, 'openapi.json')]);
  run('openapi-typescript/bin/cli.js', ['openapi.json', '-o', 'generated.d.ts']);
  copyFileSync(join(here, 'use.ts.txt'), join(place, 'use.ts'));
  const config = readFileSync(join(here, 'tsconfig.json'), 'utf8').replace('TYPES', join(root, 'node_modules/@types'));
  writeFileSync(join(place, 'tsconfig.json'), config);
  run('typescript/bin/tsc', ['-p', 'tsconfig.json']);
  const { promise, resolve } = Promise.withResolvers?.() ?? deferred();
  const { spawn } = await import('node:child_process');
  spawn(process.execPath, ['out/use.js', server.url], { cwd: place, stdio: 'inherit' }).on('close', resolve);
  status = await promise;
} catch (error) {
  console.log(`${error.stdout ?? ''}${error.stderr ?? error.stack}`);
  console.log('0 passed, 1 failed');
} finally {
  await server.drain();
}
process.exit(status);

function deferred() {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
