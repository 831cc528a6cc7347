/**
 * `npm run prove`: in a fresh clone, with nothing but Node and npm, installs from the lockfile, builds, and runs the
 * built program's main job on an embedded day and plan. The second run finds both done.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { install, root, wantNode } from './setup.mjs';

wantNode();
install();
// Loaded only now: the build needs what was just installed. Declarations are for libraries, and wait for `npm test`.
const { build } = await import('./build.mjs');
try {
  await build({ names: ['kestrel'], types: false });
} catch (error) {
  console.error(`prove: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
const program = join(root, 'packages/kestrel/dist/bin/kestrel.js');
const { status, signal } = spawnSync(process.execPath, [program, 'demo'], { cwd: root, stdio: 'inherit' });
if (signal) console.error(`prove: kestrel demo was ended by ${signal}`);
process.exitCode = status ?? 1;
