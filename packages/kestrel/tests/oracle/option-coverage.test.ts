/** The generator of options reaches what it is for: each kind of thing happens in so many seeded runs. */
import { expect, test } from 'vitest';
import { parse, validate } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/parse.ts';
import { generateOptions } from './generate.ts';
import { runOracle } from './oracle.ts';

const SEEDS = 260;

/** What must happen, and in how many of the runs at least. */
const WANTED: Readonly<Record<string, number>> = {
  'option:buy:entry': 35,
  'option:sell:market': 24,
  'option:sell:tp': 5,
  'option:sell:exit': 2,
  'vertical:buy:entry': 14,
  'vertical:sell:entry': 8,
  'vertical:buy:market': 3,
  'vertical:sell:market': 10,
  'vertical:buy:tp': 1,
  'shares:buy:entry': 5,
  'fill:arrival': 47,
  'fill:quote-through': 20,
  'fill:print-through': 4,
  'fill:print-at': 1,
  'fill:market': 37,
  'fill:partial': 20,
  'refused:no-contract': 32,
  'refused:unpriceable': 65,
  'refused:budget-exceeded': 14,
  'refused:oversold': 1,
  'settled:close:long:paid': 2,
  'settled:close:long:worthless': 1,
  'settled:close:short:paid': 2,
  'marked:mid': 9,
  'replaced:entry': 4,
  'replaced:tp': 2,
  'tp:unpriceable': 8,
  'exit:unpriceable': 2,
  'halt:with-orders': 11,
  'order:met-later-quote': 7,
  'reload:accepted': 10,
  'invalidate:flat:owned': 1,
};

test('the seeds of options reach every kind of path', () => {
  const runsWith = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const one = generateOptions(seed);
    expect(validate(one.text).ok, `seed ${seed}\n${one.text}`).toBe(true);
    expect(parseTape(`${one.lines.join('\n')}\n`).tape.columns.length).toBe(one.lines.length - 1);
    const { tally } = runOracle({ ...one, tapeLines: one.lines, document: parse(one.text).document });
    for (const name of tally.keys()) runsWith.set(name, (runsWith.get(name) ?? 0) + 1);
  }
  const seen = [...runsWith].sort(([a], [b]) => (a < b ? -1 : 1));
  if (process.env.KESTREL_COVERAGE !== undefined) console.log(seen.map(([name, n]) => `${name} ${n}`).join('\n'));
  const short = Object.entries(WANTED).filter(([name, least]) => (runsWith.get(name) ?? 0) < least);
  expect(short.map(([name, least]) => `${name}: ${runsWith.get(name) ?? 0} of ${least}`)).toEqual([]);
});
