/** The program as its own process: bundled once a run, packages left outside. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { shortDayText } from '../session/short-day.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** @returns the path of the program, and a call that removes it */
export async function bundledProgram(): Promise<{ readonly path: string; readonly remove: () => void }> {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'program-'));
  await build({
    entryPoints: { kestrel: join(root, 'packages/kestrel/src/bin/main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
    outExtension: { '.js': '.mjs' },
    plugins: [
      {
        name: 'ground',
        setup(b) {
          b.onResolve({ filter: /^ground\// }, ({ path }) => ({
            path: join(root, 'packages/ground/src', `${path.slice('ground/'.length)}.ts`),
          }));
        },
      },
    ],
  });
  return { path: join(outdir, 'kestrel.mjs'), remove: () => rmSync(outdir, { recursive: true, force: true }) };
}

export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly status: number | null;
}

/** Environment of a child: its own home, no server, none of the certificates that its surroundings ask for. */
export function environment(home: string, more: Record<string, string> = {}): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS, KESTREL_API, KESTREL_TOKEN, KESTREL_TOKENS, ...env } = process.env as Record<
    string,
    string
  >;
  return { ...env, KESTREL_HOME: home, ...more };
}

export function run(
  program: string,
  args: readonly string[],
  given: { input?: string | Uint8Array; home: string; env?: Record<string, string> },
): Ended {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], {
    input: given.input ?? '',
    env: environment(given.home, given.env),
    maxBuffer: 1 << 28,
  });
  return { out: stdout.toString('utf8'), err: stderr.toString('utf8'), status };
}

export function start(
  program: string,
  args: readonly string[],
  home: string,
  env: Record<string, string> = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...args], { env: environment(home, env) });
}

/** A home of its own, with the short day registered as `saw`. */
export function newHome(program: string): string {
  const home = mkdtempSync(join(tmpdir(), 'kestrel-home-'));
  if (template === undefined) {
    template = mkdtempSync(join(tmpdir(), 'kestrel-home-'));
    fillHome(program, template);
  }
  cpSync(template, home, { recursive: true });
  return home;
}

let template: string | undefined;

/** Removes what homes are copied from. */
export function forgetTemplate(): void {
  if (template !== undefined) removeHome(template);
  template = undefined;
}

function fillHome(program: string, home: string): void {
  const tape = join(home, 'saw.jsonl');
  writeFileSync(tape, shortDayText());
  const add = ['dataset', 'add', 'saw', tape, '--r-usd', '10000', '--think-ms', '1000'];
  for (const clock of ['10:00', '10:30', '11:00']) add.push('--checkpoint', clock);
  const { status, err } = run(program, add, { home });
  if (status !== 0) throw new Error(err);
}

export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true });
}

/** Lines of a child as they come. */
export function lineReader(stream: NodeJS.ReadableStream): () => Promise<string | undefined> {
  const lines: string[] = [];
  const waiting: ((line: string | undefined) => void)[] = [];
  let rest = '';
  let ended = false;
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    for (const line of parts) {
      const wanted = waiting.shift();
      if (wanted === undefined) lines.push(line);
      else wanted(line);
    }
  });
  const end = (): void => {
    ended = true;
    for (const wanted of waiting.splice(0)) wanted(undefined);
  };
  stream.on('end', end);
  stream.on('close', end);
  return () =>
    new Promise((resolve) => {
      const line = lines.shift();
      if (line !== undefined || ended) resolve(line);
      else waiting.push(resolve);
    });
}
