/** The built program, run as a process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(fileURLToPath(import.meta.url), '../../../../..');
export const program = join(root, 'packages/kestrel/dist/bin/kestrel.js');

/** Builds what is stale. Test files may ask at once: the build itself holds them apart. */
export function buildProgram(): void {
  const args = [join(root, 'scripts/build.mjs'), 'kestrel', '--no-types'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function kestrel(
  args: readonly string[],
  options: { readonly input?: string; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    input: options.input ?? '',
    env: { ...process.env, ...options.env },
    maxBuffer: 1 << 28,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  return { status, stdout, stderr };
}
