/** The scripts' own logic: what they count, what they rewrite, when they hold an installation for complete. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { median } from '../bench/clock.mjs';
import { rewriteSpecifiers } from '../scripts/build.mjs';
import { countVitest, suites } from '../scripts/suites.mjs';
import { root } from './sources.ts';

describe('declarations name what a consumer can resolve', () => {
  test.each([
    ["import type { A } from './a.ts';", "import type { A } from './a.js';"],
    ['export * from "../lang/model.ts";', 'export * from "../lang/model.js";'],
    ["import { jcs } from 'ground/jcs';", "import { jcs } from '../ground/src/jcs.js';"],
    ["type B = import('./b.ts').B;", "type B = import('./b.js').B;"],
    ["import { hash } from 'node:crypto';", "import { hash } from 'node:crypto';"],
    ["declare const text = 'see ./a.ts';", "declare const text = 'see ./a.ts';"],
  ])('%s', (text, expected) => {
    expect(rewriteSpecifiers(text, '../ground/src')).toBe(expected);
  });
});

describe('vitest is counted from its own report', () => {
  const report = (numbers: object, files: readonly object[]): string =>
    JSON.stringify({ ...numbers, testResults: files });
  test('passed, failed, and the rest', () => {
    const text = report({ numPassedTests: 7, numFailedTests: 1, numTotalTests: 11 }, [
      { status: 'passed', assertionResults: [{}] },
    ]);
    expect(countVitest({ report: text })).toEqual({ passed: 7, failed: 1, skipped: 3 });
  });
  test('a file that does not load is a failure', () => {
    const text = report({ numPassedTests: 7, numFailedTests: 0, numTotalTests: 7 }, [
      { status: 'failed', assertionResults: [] },
    ]);
    expect(countVitest({ report: text })).toEqual({ passed: 7, failed: 1, skipped: 0 });
  });
  test('no report is no count', () => {
    expect(() => countVitest({ report: '' })).toThrow();
  });
});

test('every suite has a name of its own and a way to count', () => {
  expect(new Set(suites.map((suite) => suite.name)).size).toBe(suites.length);
  for (const suite of suites) expect([typeof suite.command, typeof suite.parse]).toEqual(['function', 'function']);
});

test('CI runs the command that the README names', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(readme.split('\n').filter((line) => /^npm (run prove|test)/.test(line))).toHaveLength(2);
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/^exec npm test --silent$/m);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts).toMatchObject({ test: 'node scripts/test.mjs', prove: 'node scripts/prove.mjs' });
});

test('the middle of an even number of rounds lies between two of them', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});
