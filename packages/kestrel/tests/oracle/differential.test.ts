/** The engine against the oracle on random cases; `KESTREL_DIFF_RUNS` and `KESTREL_DIFF_FROM` set how many and which. */
import { expect, test } from 'vitest';
import { compareSeed } from './compare.ts';
import { generate } from './generate.ts';
import { describeCase, shrink } from './shrink.ts';

const runs = Number(process.env.KESTREL_DIFF_RUNS ?? 1000);
const from = Number(process.env.KESTREL_DIFF_FROM ?? 1);

test(`oracle and engine play ${runs} random days alike`, { timeout: 600_000 }, () => {
  for (let seed = from; seed < from + runs; seed++) {
    const found = compareSeed(generate(seed));
    if (found === undefined) continue;
    const small = shrink(generate(seed), (one) => compareSeed(one)?.field === found.field);
    expect.fail(`seed ${seed}: ${JSON.stringify(compareSeed(small), null, 1)}\n${describeCase(small)}`);
  }
});
