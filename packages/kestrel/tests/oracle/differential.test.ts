/** The engine against the oracle on random cases; `KESTREL_DIFF_RUNS` and `KESTREL_DIFF_FROM` set how many and which. */
import { expect, test } from 'vitest';
import { compareSeed } from './compare.ts';
import { type Case, generate, generateOptions } from './generate.ts';
import { describeCase, shrink } from './shrink.ts';

const from = Number(process.env.KESTREL_DIFF_FROM ?? 1);

function playAlike(make: (seed: number) => Case, runs: number): void {
  for (let seed = from; seed < from + runs; seed++) {
    const found = compareSeed(make(seed));
    if (found === undefined) continue;
    const small = shrink(make(seed), (one) => compareSeed(one)?.field === found.field);
    expect.fail(`seed ${seed}: ${JSON.stringify(compareSeed(small), null, 1)}\n${describeCase(small)}`);
  }
}

const shares = Number(process.env.KESTREL_DIFF_RUNS ?? 1000);
const options = Number(process.env.KESTREL_DIFF_RUNS ?? 250);

test(`oracle and engine play ${shares} random days of shares alike`, { timeout: 600_000 }, () => {
  playAlike(generate, shares);
});

test(`oracle and engine play ${options} random days of options alike`, { timeout: 600_000 }, () => {
  playAlike(generateOptions, options);
});
