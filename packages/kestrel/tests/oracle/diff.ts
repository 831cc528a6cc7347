/**
 * Runs many seeds through oracle and engine and shrinks what differs.
 *
 *   npx esbuild packages/kestrel/tests/oracle/diff.ts --bundle --platform=node --format=esm --outfile=node_modules/.cache/diff.mjs
 *   node node_modules/.cache/diff.mjs FROM COUNT [SHOWN] [options]
 */
import { compareSeed } from './compare.ts';
import { type Case, generate, generateOptions } from './generate.ts';
import { describeCase, shrink } from './shrink.ts';

const [from = 1, count = 20_000, shown = 5] = process.argv.slice(2, 5).map(Number);
const make: (seed: number) => Case = process.argv[5] === 'options' ? generateOptions : generate;
/** Cases whose text matches are left out: questions that are already open. */
const skip = process.env.KESTREL_DIFF_SKIP === undefined ? undefined : new RegExp(process.env.KESTREL_DIFF_SKIP);
const fields = new Map<string, number>();
let failures = 0;
for (let seed = from; seed < from + count; seed++) {
  if (skip?.test(make(seed).text) === true) continue;
  const found = compareSeed(make(seed));
  if (found === undefined) continue;
  failures += 1;
  fields.set(found.field, (fields.get(found.field) ?? 0) + 1);
  if (failures > shown) continue;
  const thrown = found.field.startsWith('thrown');
  const fails = (one: Case): boolean =>
    compareSeed(one)?.field.slice(0, thrown ? 26 : 99) === found.field.slice(0, thrown ? 26 : 99);
  const small = shrink(make(seed), fails);
  console.log(`\n=== seed ${seed}: ${JSON.stringify(compareSeed(small), null, 1)}\n${describeCase(small)}`);
}
console.log(`${count} seeds from ${from}: ${failures} differ`, Object.fromEntries(fields));
