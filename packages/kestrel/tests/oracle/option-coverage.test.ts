/** The generator of options reaches what it is for: each kind of thing happens in so many seeded runs. */
import { expect, test } from 'vitest';
import { parse, validate } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/parse.ts';
import { generateOptions } from './generate.ts';
import { runOracle } from './oracle.ts';

const SEEDS = 600;

/** What must happen, and in how many of the runs at least. */
const WANTED: Readonly<Record<string, number>> = {
  'option:buy:entry': 90,
  'option:sell:market': 60,
  'option:sell:tp': 10,
  'option:sell:exit': 7,
  'vertical:buy:entry': 45,
  'vertical:sell:entry': 15,
  'vertical:buy:market': 5,
  'vertical:sell:market': 30,
  'vertical:buy:tp': 1,
  'shares:buy:entry': 8,
  'fill:arrival': 120,
  'fill:quote-through': 50,
  'fill:print-through': 8,
  'fill:print-at': 1,
  'fill:market': 90,
  'fill:partial': 60,
  'refused:no-contract': 60,
  'refused:unpriceable': 100,
  'refused:budget-exceeded': 20,
  'refused:oversold': 1,
  'settled:close:long:paid': 7,
  'settled:close:long:worthless': 7,
  'settled:close:short:paid': 2,
  'marked:mid': 25,
  'replaced:entry': 10,
  'replaced:tp': 6,
  'tp:unpriceable': 15,
  'exit:unpriceable': 5,
  'halt:with-orders': 15,
  'order:met-later-quote': 10,
  'reload:accepted': 20,
  'invalidate:flat:owned': 2,
};

test('the seeds of options reach every kind of path', () => {
  const runsWith = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const one = generateOptions(seed);
    expect(validate(one.text).ok, `seed ${seed}\n${one.text}`).toBe(true);
    expect(parseTape(`${one.lines.join('\n')}\n`).tape.events.length).toBe(one.lines.length - 1);
    const { tally } = runOracle({ ...one, tapeLines: one.lines, document: parse(one.text).document });
    for (const name of tally.keys()) runsWith.set(name, (runsWith.get(name) ?? 0) + 1);
  }
  const seen = [...runsWith].sort(([a], [b]) => (a < b ? -1 : 1));
  if (process.env.KESTREL_COVERAGE !== undefined) console.log(seen.map(([name, n]) => `${name} ${n}`).join('\n'));
  const short = Object.entries(WANTED).filter(([name, least]) => (runsWith.get(name) ?? 0) < least);
  expect(short.map(([name, least]) => `${name}: ${runsWith.get(name) ?? 0} of ${least}`)).toEqual([]);
});
