/**
 * `npm test [-- suite…]`: sets up what a fresh clone lacks, runs every suite of `suites.mjs`, and ends with one line,
 * `N passed, N failed`. The exit status is 0 only where nothing failed and no suite crashed.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { install, nativeStore, root, wantNode } from './setup.mjs';

/** What is kept of a suite's output for its own parser; the terminal sees all of it. */
const OUTPUT_CHARS_MAX = 4_000_000;

/** Colour is for whoever watches: a log is plain. */
const colour = process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: undefined };

wantNode();
const started = Date.now();
install();
const storeless = nativeStore();
if (storeless !== undefined) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const builtIn = major > 22 || (major === 22 && minor >= 13);
  console.error(
    `${storeless}; ${builtIn ? 'node:sqlite serves instead' : 'the tests of the embedded store will say so'}`,
  );
}
mkdirSync(join(root, '.cache'), { recursive: true });

// Loaded only now: the build needs what was just installed.
const { build } = await import('./build.mjs');
const { suites } = await import('./suites.mjs');

const wanted = process.argv.slice(2);
const chosen =
  wanted.length === 0 ? suites : suites.filter((suite) => wanted.some((word) => suite.name.includes(word)));
if (chosen.length === 0) {
  console.error(`no suite is called ${wanted.join(', ')}; there are: ${suites.map((suite) => suite.name).join(', ')}`);
  process.exit(2);
}

const results = [];
try {
  await build();
  results.push({ name: 'build', passed: 1, failed: 0, skipped: 0 });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  results.push({ name: 'build', passed: 0, failed: 1, skipped: 0, note: 'did not build' });
}
for (const suite of chosen) results.push(await runSuite(suite));

console.log('\nsuite                        passed  failed  skipped  seconds');
for (const result of results) {
  const counts = [result.passed, result.failed, result.skipped].map((n, i) => String(n).padStart([6, 7, 8][i]));
  const seconds = result.seconds === undefined ? '' : result.seconds.toFixed(0).padStart(8);
  console.log(`${result.name.padEnd(28)} ${counts.join(' ')} ${seconds}${result.note ? `  ${result.note}` : ''}`);
}
const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failed = results.reduce((sum, result) => sum + result.failed, 0);
console.log(`in ${((Date.now() - started) / 1000).toFixed(0)} s on Node ${process.versions.node}\n`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runSuite(suite) {
  console.log(`\n— ${suite.name}`);
  const begun = Date.now();
  const seconds = () => (Date.now() - begun) / 1000;
  const reason = await suite.ready?.();
  if (reason !== undefined) {
    console.log(`skipped: ${reason}`);
    return { name: suite.name, passed: 0, failed: 0, skipped: 0, seconds: seconds(), note: `skipped: ${reason}` };
  }
  // A report left by an earlier run must never be counted as this one's.
  if (suite.reportFile) rmSync(suite.reportFile, { force: true });
  const { status, stdout } = await runCommand(suite.command(), suite);
  try {
    const report = suite.reportFile && existsSync(suite.reportFile) ? readFileSync(suite.reportFile, 'utf8') : '';
    const counts = suite.parse({ stdout, report, status });
    for (const field of ['passed', 'failed', 'skipped']) {
      if (!Number.isSafeInteger(counts[field])) throw new Error(`${field} is ${counts[field]}`);
    }
    // A suite that says all is well and ends badly crashed somewhere after its count.
    const crashed = status !== 0 && counts.failed === 0;
    const failed = counts.failed + (crashed ? 1 : 0);
    return {
      name: suite.name,
      ...counts,
      failed,
      seconds: seconds(),
      ...(crashed ? { note: `ended with ${status}` } : {}),
    };
  } catch (error) {
    const note = `crashed (${status}): ${error instanceof Error ? error.message : error}`;
    return { name: suite.name, passed: 0, failed: 1, skipped: 0, seconds: seconds(), note };
  }
}

function runCommand([program, ...args], { cwd = root, env = {} }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...colour, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text) => {
      process.stdout.write(text);
      stdout = (stdout + text).slice(-OUTPUT_CHARS_MAX);
    });
    child.on('error', (error) => resolve({ status: error.message, stdout }));
    child.on('close', (status, signal) => resolve({ status: status ?? signal, stdout }));
  });
}
