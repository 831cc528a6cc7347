/**
 * Throws schemathesis at the service: no server error, no undocumented status, no answer that breaks its schema. Makes
 * its own virtual environment. `--examples N` (default 60) an operation, `--seed N`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, root, startAgreeable } from '../server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const VERSION = '4.32.5';
const venv = join(root, '.cache/schemathesis');
const tool = join(venv, 'bin/schemathesis');
const flag = (name, otherwise) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : process.argv[at + 1];
};

if (!existsSync(tool)) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const made = spawnSync('python3', ['-m', 'venv', '--clear', venv]);
  const installed =
    made.status === 0
      ? spawnSync(join(venv, 'bin/pip'), ['install', '-q', `schemathesis==${VERSION}`], { encoding: 'utf8' })
      : made;
  if (installed.status !== 0) {
    console.log(
      `skipped: ${String(installed.stderr ?? 'python3 is not there')
        .trim()
        .split('\n')
        .at(-1)}`,
    );
    process.exit(0);
  }
}

build();
const seed = flag('--seed', String(Math.floor(Date.now() / 1000)));
const server = await startAgreeable();
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  // What fits the schema is accepted; see hooks.py for the two rules that JSON Schema cannot say.
  'json_that_fits_is_accepted',
  'unsupported_method',
  'missing_required_header',
];
const args = [
  'run',
  `${server.url}/openapi.json`,
  `--checks=${checks.join(',')}`,
  `--max-examples=${flag('--examples', '60')}`,
  `--seed=${seed}`,
  '--phases=examples,coverage,fuzzing',
  '--generation-database=none',
  '--suppress-health-check=all',
  '--max-failures=20',
  '--no-color',
];
console.log(`schemathesis ${VERSION}, seed ${seed}`);
const child = spawn(tool, args, {
  cwd: join(root, '.cache'),
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: here },
});
let out = '';
child.stdout.on('data', (chunk) => {
  out += chunk;
  process.stdout.write(chunk);
});
const status = await new Promise((resolve) => child.on('close', resolve));
await server.drain();
const operations = Number(/Operations: +(\d+) selected/.exec(out)?.[1] ?? 0);
const failed =
  status === 0
    ? 0
    : Math.max(1, new Set([...out.matchAll(/^_+ (?:GET|POST|HEAD|PUT) \S+ _+$/gm)].map(([line]) => line)).size);
console.log(`${Math.max(0, operations - failed)} passed, ${failed} failed`);
process.exit(status);
