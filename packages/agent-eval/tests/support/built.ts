/** The built bin, for tests that need a real process. Built once, whoever asks first. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));
const bin = join(root, 'packages/agent-eval/dist/bin/agent-eval.js');
const lock = join(root, 'node_modules/.cache/agent-eval-build.lock');

let ready: Promise<string> | null = null;

/** @returns the path of the bin, fresh */
export function builtBin(): Promise<string> {
  ready ??= build();
  return ready;
}

async function build(): Promise<string> {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  for (let tries = 0; ; tries++) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      // Another test file builds; one that died with the lock is not waited for forever.
      if (tries > 300) rmSync(lock, { recursive: true, force: true });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  try {
    await promisify(execFile)(process.execPath, ['scripts/build.mjs', 'agent-eval', '--no-types'], { cwd: root });
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return bin;
}

/** The environment without anything that would configure a model or a store. */
export function cleanEnv(more: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined && !/^(AGENT_EVAL_|OPENAI_|ANTHROPIC_|NODE_EXTRA_CA|NODE_OPTIONS|VITEST)/.test(name),
  ) as [string, string][];
  return { ...Object.fromEntries(kept), ...more };
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the bin to its end. */
export async function run(
  args: readonly string[],
  stdin: string | Buffer = '',
  env: Record<string, string> = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [await builtBin(), ...args], { env: cleanEnv(env) });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return finished(child);
}

export async function finished(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

export interface Served {
  readonly child: ChildProcessWithoutNullStreams;
  readonly port: number;
  readonly url: string;
  readonly ended: Promise<Ran>;
}

/** Starts `serve` on a free port and waits for its line. `wrap` puts a command before it, such as a shell's limit. */
export async function serve(
  args: readonly string[],
  env: Record<string, string> = {},
  wrap: (command: readonly string[]) => readonly string[] = (command) => command,
): Promise<Served> {
  const [program, ...rest] = wrap([process.execPath, await builtBin(), 'serve', '--port', '0', ...args]);
  const child = spawn(program!, rest, { env: cleanEnv(env) });
  child.stdin.end();
  const ended = finished(child);
  const line = await Promise.race([
    new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk)))),
    ended.then(({ code, stderr }) => {
      throw new Error(`serve ended with ${code}: ${stderr}`);
    }),
  ]);
  const port = Number(/:(\d+)\n$/.exec(line)?.[1]);
  return { child, port, url: `http://127.0.0.1:${port}`, ended };
}
