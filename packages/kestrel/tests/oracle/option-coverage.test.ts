/** The generator of options reaches what it is for: each kind of thing happens in so many seeded runs. */
import { expect, test } from 'vitest';
import { parse, validate } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/parse.ts';
import { generateOptions } from './generate.ts';
import { runOracle } from './oracle.ts';

const SEEDS = 350;

/** What must happen, and in how many of the runs at least. */
const WANTED: Readonly<Record<string, number>> = {
  'option:buy:entry': 49,
  'option:sell:market': 33,
  'option:sell:tp': 5,
  'option:sell:exit': 3,
  'vertical:buy:entry': 24,
  'vertical:sell:entry': 8,
  'vertical:buy:market': 2,
  'vertical:sell:market': 16,
  'vertical:buy:tp': 1,
  'shares:buy:entry': 4,
  'fill:arrival': 66,
  'fill:quote-through': 27,
  'fill:print-through': 4,
  'fill:print-at': 1,
  'fill:market': 49,
  'fill:partial': 33,
  'refused:no-contract': 33,
  'refused:unpriceable': 55,
  'refused:budget-exceeded': 11,
  'refused:oversold': 1,
  'settled:close:long:paid': 3,
  'settled:close:long:worthless': 3,
  'settled:close:short:paid': 1,
  'marked:mid': 13,
  'replaced:entry': 5,
  'replaced:tp': 3,
  'tp:unpriceable': 8,
  'exit:unpriceable': 2,
  'halt:with-orders': 8,
  'order:met-later-quote': 5,
  'reload:accepted': 11,
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
