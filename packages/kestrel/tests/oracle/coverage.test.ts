/** The generator reaches what it is for: each kind of thing happens in so many seeded runs. */
import { expect, test } from 'vitest';
import { parse } from '../../src/lang/index.ts';
import { generate, type Weights } from './generate.ts';
import { documentWeights } from './generate-document.ts';
import { runOracle } from './oracle.ts';

/** Most seeds as the generator stands, and some with weights for what is rare there. */
const BATCHES: readonly { readonly seeds: number; readonly weights: Weights }[] = [
  { seeds: 550, weights: {} },
  {
    seeds: 100,
    weights: {
      tape: { feeds: { full: 0, quotes: 0, trades: 0, bars: 1, 'bars-and-quotes': 0, minutes: 0 } },
      document: {
        clauses: { ...documentWeights.clauses, tp: 50, exit: 40, invalidate: 2 },
        prices: { ...documentWeights.prices, level: 80, book: 0, fair: 0, lean: 0, offset: 0, bounded: 0 },
        noWhen: 70,
        modifiers: 5,
      },
    },
  },
  { seeds: 200, weights: { document: { modifiers: 90, noWhen: 70, pods: 80, tight: 90 } } },
];

/** What must happen, and in how many of the runs at least. */
const WANTED: Readonly<Record<string, number>> = {
  'event:fired': 500,
  'event:gated': 20,
  'regime:passed': 1,
  'event:disarmed': 40,
  'event:armed-other': 50,
  'event:invalidated': 80,
  'invalidate:armed': 50,
  'invalidate:ride:owned': 8,
  'invalidate:flat:owned': 6,
  'event:expired': 400,
  'event:settled': 80,
  'done:closed': 30,
  'done:cancelled': 6,
  'done:refused:budget-exceeded': 30,
  'done:refused:unpriceable': 80,
  'fill:arrival': 100,
  'fill:quote-through': 50,
  'fill:print-through': 80,
  'fill:print-at': 15,
  'fill:market': 80,
  'fill:bar-open': 6,
  'fill:bar-through': 6,
  'fill:partial': 80,
  'fill:replacement-in-flight': 4,
  'role:tp': 30,
  'role:exit': 25,
  'exit:acted': 40,
  'exit:unpriceable': 2,
  'tp:unpriceable': 8,
  'reload:accepted': 40,
  'reload:every': 20,
  'replaced:entry': 25,
  'replaced:exit': 3,
  'replaced:tp': 20,
  'replacement:not-sent': 1,
  esc: 25,
  'cancel-if:pulled': 12,
  'cancel-if:modifier': 4,
  'pulled:entry:in-flight': 6,
  'pulled:entry:resting': 100,
  'pulled:tp:resting': 40,
  'pulled:exit:resting': 8,
  'over:book': 4,
  'over:session': 5,
  'refused:budget-exceeded': 50,
  'pod:halted': 2,
  'quote:suspect': 200,
  'halt:on': 100,
  'halt:with-orders': 25,
  'order:arrived-in-halt': 2,
  'order:created-in-halt': 1,
  'order:arrived-without-book': 25,
  'order:met-later-quote': 12,
  'ttl:in-halt': 2,
  'dead:market': 20,
  'timer:trigger': 100,
  'bar:loss-first': 1,
};

test('the seeds reach every kind of path', () => {
  const runsWith = new Map<string, number>();
  let seed = 0;
  for (const weights of BATCHES.flatMap((batch) => Array<Weights>(batch.seeds).fill(batch.weights))) {
    seed += 1;
    const one = generate(seed, weights);
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
