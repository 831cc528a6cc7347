/**
 * `npm run prove`: in a fresh clone, with nothing but Node and npm, installs from the lockfile, builds, and runs the
 * built program's main job on an embedded day and plan: the day itself, then a session over one, to its verified proof. The
 * second run finds install and build done.
 */
import { spawn } from 'node:child_process';
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

/** A verb of the built program; its sessions are kept inside the checkout. */
const verb = (words, stdout) =>
  spawn(process.execPath, [program, ...words], {
    cwd: root,
    stdio: ['ignore', stdout, 'inherit'],
    env: { ...process.env, KESTREL_HOME: join(root, '.cache/prove') },
  });
const ended = (child) => new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));

// The session plays while the day is shown, and is told after it.
const play = verb(['sessions', 'play'], 'pipe');
const told = [];
play.stdout.on('data', (chunk) => told.push(chunk));
const played = ended(play);
const shown = await ended(verb(['demo'], 'inherit'));
const playedAs = await played;
process.stdout.write('\nThe same as an agent sees it: a session, slot by slot, to its verified proof.\n\n');
process.stdout.write(Buffer.concat(told));
process.stdout.write('\nAs a program:  echo \'{"op":"describe"}\' | kestrel agent\n');
for (const [name, how] of [
  ['demo', shown],
  ['sessions play', playedAs],
]) {
  if (how !== 0) {
    console.error(`prove: kestrel ${name} ended with ${how}`);
    process.exitCode = 1;
  }
}
