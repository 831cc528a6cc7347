/** Days on which oracle and engine once differed, made small: they play them alike, and something happens on each. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { differ, oracleOf } from './compare.ts';
import type { Case } from './generate.ts';

interface Found extends Case {
  readonly name: string;
  readonly why: string;
}

const found: readonly Found[] = JSON.parse(readFileSync(new URL('./found.json', import.meta.url), 'utf8'));

for (const one of found) {
  test(`${one.name}: ${one.why}`, () => {
    const verdicts = [...oracleOf(one).values()];
    expect(verdicts.some((verdict) => JSON.stringify(verdict.events).includes('fired'))).toBe(true);
    expect(differ(one)).toBeUndefined();
  });
}
