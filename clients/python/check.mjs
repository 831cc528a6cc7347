/**
 * The Python client's suite: makes its own virtual environment, then runs pytest, which type-checks and builds the wheel
 * too. Arguments go to pytest; `--gen` makes the models instead.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const venv = join(root, '.cache/python-client');
const python = join(venv, 'bin/python');

/** @returns why there is none, or nothing */
export function readyPython() {
  const stamp = createHash('sha256').update(readFileSync(join(here, 'pyproject.toml'))).digest('hex');
  const stampFile = join(venv, '.stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return undefined;
  if (spawnSync('python3', ['--version']).status !== 0) return 'python3 is not there';
  mkdirSync(join(root, '.cache'), { recursive: true });
  try {
    execFileSync('python3', ['-m', 'venv', '--clear', venv], { stdio: 'pipe' });
    execFileSync(python, ['-m', 'pip', 'install', '-q', '-e', `${here}[dev]`], { stdio: 'pipe' });
  } catch (error) {
    return `the virtual environment cannot be made: ${String(error.stderr ?? error.message).trim().split('\n').at(-1)}`;
  }
  writeFileSync(stampFile, stamp);
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const reason = readyPython();
  if (reason !== undefined) {
    console.log(`skipped: ${reason}`);
    process.exit(0);
  }
  execFileSync(process.execPath, ['scripts/build.mjs', 'agent-eval', '--no-types'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (process.argv[2] === '--gen') {
    const openapi = join(root, '.cache/openapi.json');
    execFileSync(process.execPath, [join(root, 'packages/agent-eval/dist/bin/agent-eval.js'), 'openapi', '--out', openapi]);
    execFileSync(python, ['scripts/gen_models.py', openapi, 'src/agent_eval_rpc/models.py'], { cwd: here, stdio: 'inherit' });
  } else {
    const done = spawnSync(python, ['-m', 'pytest', ...process.argv.slice(2)], { cwd: here, stdio: 'inherit' });
    process.exit(done.status ?? 1);
  }
}
