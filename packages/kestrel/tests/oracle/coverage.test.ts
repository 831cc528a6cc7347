/** The generator reaches what it is for: each kind of thing happens in so many seeded runs. */
import { expect, test } from 'vitest';
import { parse } from '../../src/lang/index.ts';
import { generate } from './generate.ts';
import { runOracle } from './oracle.ts';

const RUNS = 1500;

/** What must happen, and in how many of the runs at least. */
const WANTED: Readonly<Record<string, number>> = {
  'event:fired': 700,
};

test(`${RUNS} seeds reach every kind of path`, () => {
  const runsWith = new Map<string, number>();
  for (let seed = 1; seed <= RUNS; seed++) {
    const one = generate(seed);
    const parsed = parse(one.text);
    expect(parsed.diagnostics, `seed ${seed}\n${one.text}`).toEqual([]);
    const { tally } = runOracle({ ...one, tapeLines: one.lines, document: parsed.document });
    for (const name of tally.keys()) runsWith.set(name, (runsWith.get(name) ?? 0) + 1);
  }
  const seen = [...runsWith].sort(([a], [b]) => (a < b ? -1 : 1));
  if (process.env.KESTREL_COVERAGE !== undefined) console.log(seen.map(([name, n]) => `${name} ${n}`).join('\n'));
  const short = Object.entries(WANTED).filter(([name, least]) => (runsWith.get(name) ?? 0) < least);
  expect(short.map(([name, least]) => `${name}: ${runsWith.get(name) ?? 0} of ${least}`)).toEqual([]);
});
