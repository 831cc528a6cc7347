/** Splits, new names and distributions: read from LEAN's files into a header, and asked between two days. */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ActionFiles,
  actionsBetween,
  dayEndOf,
  importCsv,
  importLean,
  type Passage,
  parseTape,
  passageTo,
  readActionFiles,
  type Tape,
  TapeRefusal,
  writeTape,
} from '../../src/market/index.ts';
import { HAS_DATA, LEAN, leanFile } from './data.ts';
import { type Plain, tapeOfEvents } from './lines.ts';

/** A day of one share: a print at the open, one at the close, and a suspicious one that sets no price. */
function day(
  date: string,
  what: { readonly symbol?: string; readonly open?: number; readonly last?: number; readonly more?: Plain },
): Tape {
  const { symbol = 'AAPL', open = 100, last = open, more = {} } = what;
  const header = {
    v: 'kestrel.tape/v1',
    id: `${symbol}-${date}`,
    calendar: 'XNYS',
    date,
    instruments: [{ symbol, kind: 'equity', tick: 0.01 }],
    ...more,
  };
  const { session } = tapeOfEvents([], header);
  return tapeOfEvents(
    [
      { t: session.open, k: 'trade', s: symbol, p: open, z: 1 },
      { t: session.close, k: 'trade', s: symbol, p: last, z: 1 },
      { t: session.close, k: 'trade', s: symbol, p: last * 9, z: 1, suspect: true },
    ],
    header,
  );
}

const records = (symbol: string, list: readonly Plain[], from = '2013-06-09') => ({
  more: { actions: { [symbol]: { from, list } } },
});
const split = (after: number, before: number, effective = '2014-06-09') => ({
  kind: 'split',
  effective,
  ratio: [after, before],
});
const rename = (from: string, to: string, effective = '2014-06-09') => ({ kind: 'rename', effective, from, to });
const paid = (amount: number, close: number, effective = '2014-06-09') => ({
  kind: 'distribution',
  effective,
  amount,
  close,
});

const BEFORE = day('2014-06-06', { open: 645 });

interface Case {
  readonly name: string;
  readonly later: Tape;
  readonly expected: Passage | { readonly kind: 'unknown'; readonly about: RegExp };
}

function check({ later, expected }: Case): void {
  const got = actionsBetween(BEFORE, later, 'AAPL');
  if (expected.kind !== 'unknown' || got.kind !== 'unknown' || !('about' in expected)) {
    expect(got).toEqual(expected);
    return;
  }
  expect(got.reason).toMatch(expected.about);
}

const changed = (symbol: string, ratio: readonly [number, number], distributions: readonly Plain[] = []) =>
  ({ kind: 'changed', symbol, ratio, distributions }) as unknown as Passage;
const later = (list: readonly Plain[], open = 92) => day('2014-06-09', { open, ...records('AAPL', list) });

const CASES: readonly Case[] = [
  { name: 'nothing', later: later([]), expected: { kind: 'none', by: 'told' } },
  { name: 'a split', later: later([split(7, 1)]), expected: changed('AAPL', [7, 1]) },
  {
    name: 'a split, told, whatever the prices say',
    later: later([split(7, 1)], 645),
    expected: changed('AAPL', [7, 1]),
  },
  {
    name: 'a split of the day before',
    later: later([split(2, 1, '2014-06-06')]),
    expected: { kind: 'none', by: 'told' },
  },
  {
    name: 'two splits, multiplied and brought to lowest terms',
    later: later([split(3, 2, '2014-06-09'), split(2, 1)]),
    expected: changed('AAPL', [3, 1]),
  },
  {
    name: 'splits that undo each other',
    later: later([split(1, 8, '2014-06-09'), split(8, 1)]),
    expected: { kind: 'none', by: 'told' },
  },
  {
    name: 'an ordinary dividend',
    later: later([paid(3.29, 645)]),
    expected: changed('AAPL', [1, 1], [paid(3.29, 645)]),
  },
  { name: 'a spin-off', later: later([paid(17, 645)]), expected: { kind: 'unknown', about: /spin-off or special/ } },
  {
    name: 'a split that leaves parts of shares',
    later: later([split(1_002_700, 1_000_000)]),
    expected: { kind: 'unknown', about: /split 1002700 for 1000000 on 2014-06-09, which leaves parts/ },
  },
  {
    name: 'splits beyond any ratio',
    later: later([split(100, 1), split(100, 1)]),
    expected: { kind: 'unknown', about: /leaves parts/ },
  },
  {
    name: 'a new name and a split',
    later: day('2014-06-09', { symbol: 'APPL', ...records('APPL', [rename('AAPL', 'APPL'), split(7, 1)]) }),
    expected: changed('APPL', [7, 1]),
  },
  {
    name: 'a name that went to another company',
    later: later([rename('OTHR', 'AAPL')]),
    expected: { kind: 'unknown', about: /AAPL of 2014-06-09 was named OTHR on 2014-06-06/ },
  },
  {
    name: 'a name there and back',
    later: later([rename('AAPL', 'TEMP'), rename('TEMP', 'AAPL')]),
    expected: { kind: 'none', by: 'told' },
  },
  {
    name: 'a record that begins too late',
    later: day('2014-06-09', records('AAPL', [], '2014-06-08')),
    expected: { kind: 'unknown', about: /begin 2014-06-08, after 2014-06-06/ },
  },
  {
    name: 'records that are none',
    later: day('2014-06-09', { more: { actions: ['split'] } }),
    expected: { kind: 'unknown', about: /no object by symbol/ },
  },
  ...[
    { from: '2013-06-09' },
    { from: 5, list: [] },
    { from: '2013-06-09', list: [{ kind: 'merger', effective: '2014-06-09' }] },
    { from: '2013-06-09', list: [split(0, 1)] },
    { from: '2013-06-09', list: [split(1, 1, '2014-06-09'), split(1, 1, '2014-06-06')] },
    { from: '2013-06-09', list: [paid(-1, 5)] },
    { from: '2013-06-09', list: new Array(1_001).fill(split(1, 1)) },
    null,
  ].map((record, i) => ({
    name: `a record of another shape, ${i}`,
    later: day('2014-06-09', { more: { actions: { AAPL: record } } }),
    expected: { kind: 'unknown', about: /"actions" of "AAPL" is no record/ } as const,
  })),
  {
    name: 'nothing told, prices near',
    later: day('2014-06-09', { open: 600 }),
    expected: { kind: 'none', by: 'supposed' },
  },
  {
    name: 'nothing told, a seventh of the price',
    later: day('2014-06-09', { open: 92 }),
    expected: {
      kind: 'unknown',
      about: /AAPL shows 92 on 2014-06-09 after 645 on 2014-06-06, and no actions are told/,
    },
  },
  {
    name: 'nothing told, eight times the price',
    later: day('2014-06-09', { open: 5160 }),
    expected: { kind: 'unknown', about: /no actions are told/ },
  },
  {
    name: 'nothing told, a prior close that is not the one before',
    later: day('2014-06-09', { open: 600, more: { reference: { AAPL: { priorClose: 600 } } } }),
    expected: { kind: 'unknown', about: /a prior close of 600 on 2014-06-09, a last price of 645 before/ },
  },
  {
    name: 'nothing told of a name that is gone',
    later: day('2014-06-09', { symbol: 'APPL' }),
    expected: { kind: 'unknown', about: /has no AAPL, and tells no new name/ },
  },
  { name: 'the day itself', later: day('2014-06-06', {}), expected: { kind: 'unknown', about: /is not after/ } },
];

describe('between two days', () => {
  test.each(CASES)('$name', check);

  test('property: any "actions" of a header gives an answer, and a split only where it is told', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (actions) => {
        const tape = day('2014-06-09', { open: 645, more: { actions } });
        expect(actionsBetween(BEFORE, tape, 'AAPL').kind).not.toBe('changed');
      }),
    );
  });

  test('the end of a day is its official close, else its last sound price', () => {
    expect(dayEndOf(BEFORE, 'AAPL')).toEqual({
      calendar: 'XNYS',
      date: '2014-06-06',
      symbol: 'AAPL',
      lastE4: 6_450_000,
    });
    expect(dayEndOf(BEFORE, 'NONE').lastE4).toBe(null);
  });
});

function files(maps: Readonly<Record<string, string>>, factors: Readonly<Record<string, string>>): ActionFiles {
  const bytes = (text: string) => new TextEncoder().encode(text);
  return {
    maps: Object.entries(maps).map(([name, text]) => ({ name: `map_files/${name}.csv`, bytes: bytes(text) })),
    factor: (name) =>
      factors[name] === undefined ? undefined : { name: `factor_files/${name}.csv`, bytes: bytes(factors[name]) },
  };
}

const APPLE = files(
  { aapl: '19980102,aapl,Q\n20501231,aapl,Q\n' },
  {
    aapl: '19980102,0.9304792,0.0357143,1\r\n20140507,0.9304792,0.1428571,592.33\r\n20140606,0.9356,0.1428571,645.57\r\n20501231,0.9356,1,0',
  },
);
const CSV = { name: 'x.csv', bytes: new TextEncoder().encode('Time,Price,Size\n2014-06-09T14:00:00Z,92.5,100\n') };
const made = (actions: ActionFiles, more: object = {}) =>
  importCsv([CSV], { symbol: 'AAPL', map: 't=Time,p=Price,z=Size', actions, ...more }).tape;

describe('map and factor files', () => {
  test('tell what took effect up to the day, from a year before, on the session after each row', () => {
    const tape = made(APPLE);
    expect(tape.header.actions).toEqual({
      AAPL: {
        from: '2013-06-08',
        list: [
          { kind: 'distribution', effective: '2014-05-08', amount: 3.242, close: 592.33 },
          { kind: 'split', effective: '2014-06-09', ratio: [7, 1] },
        ],
      },
    });
    expect(parseTape(writeTape(tape)).tape.identity).toBe(tape.identity);
    expect(passageTo(tape, dayEndOf(BEFORE, 'AAPL'))).toEqual({
      kind: 'changed',
      symbol: 'AAPL',
      ratio: [7, 1],
      distributions: [],
    });
  });

  test.each<[string, ActionFiles, string]>([
    ['of another company', files({ msft: '19980102,msft\n20501231,msft' }, { msft: '20501231,1,1,0' }), 'option-bad'],
    ['without factors', files({ aapl: '19980102,aapl\n20501231,aapl' }, {}), 'option-bad'],
    [
      'that end before the day',
      files({ aapl: '19980102,aapl\n20140606,aapl' }, { aapl: '20501231,1,1,0' }),
      'option-bad',
    ],
    [
      'that begin after the day',
      files({ aapl: '20140610,aapl\n20501231,aapl' }, { aapl: '20501231,1,1,0' }),
      'option-bad',
    ],
    ['with a day that is none', files({ aapl: '19980230,aapl\n20501231,aapl' }, { aapl: '20501231,1,1,0' }), 'row-bad'],
    ['with a factor of 0', files({ aapl: '19980102,aapl\n20501231,aapl' }, { aapl: '20501231,0,1,0' }), 'row-bad'],
    ['with words', files({ aapl: '19980102,aapl\n20501231,aapl' }, { aapl: '20501231,one,1,0' }), 'row-bad'],
  ])('%s are refused', (_, actions, code) => {
    expect(() => made(actions)).toThrowError(expect.objectContaining({ code, name: 'TapeRefusal' }));
  });

  test('property: of any bytes give a record or a refusal', () => {
    const row = fc
      .tuple(fc.constantFrom('20140606', '20140609', '20501231', '1'), fc.constantFrom('0.5', '1', '3.0003', '-1', ''))
      .map(([date, factor]) => `${date},${factor},${factor},100`);
    const text = fc.oneof(
      fc.array(row, { maxLength: 6 }).map((rows) => rows.join('\n')),
      fc.string(),
    );
    fc.assert(
      fc.property(text, text, (map, factor) => {
        try {
          made(files({ aapl: `19980102,aapl\n20501231,aapl\n${map}` }, { aapl: factor }));
        } catch (error) {
          expect(error).toBeInstanceOf(TapeRefusal);
        }
      }),
    );
  });
});

describe.skipIf(!HAS_DATA)('the real files', () => {
  const actions = HAS_DATA ? readActionFiles(join(LEAN, 'equity/usa')) : files({}, {});
  const daily = (name: string, date: string) =>
    importLean([leanFile(`equity/usa/daily/${name}.zip`)], { date, actions }).tape;

  test('follow GOOG to GOOGL on 2014-04-03, split two for one, and know the new GOOG as another', () => {
    const before = daily('goog', '2014-04-02');
    expect(actionsBetween(before, daily('googl', '2014-04-03'), 'GOOG')).toEqual({
      kind: 'changed',
      symbol: 'GOOGL',
      ratio: [2, 1],
      distributions: [],
    });
    expect(actionsBetween(before, daily('goog', '2014-04-03'), 'GOOG')).toMatchObject({
      kind: 'unknown',
      reason: 'GOOG of 2014-04-03 was named GOOCV on 2014-04-02: it is another security',
    });
  });

  test('refuse the stock dividend of GOOG in 2015, which left parts of shares', () => {
    const passage = actionsBetween(daily('goog', '2015-04-24'), daily('goog', '2015-04-27'), 'GOOG');
    expect(passage).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('leaves parts of shares') });
  });

  test('refuse the spin-off of TWX on 2014-06-09, and pass the days before', () => {
    const twx = (date: string) => importLean([leanFile(`equity/usa/minute/twx/${date}_trade.zip`)], { actions }).tape;
    expect(actionsBetween(twx('20140605'), twx('20140606'), 'TWX')).toEqual({ kind: 'none', by: 'told' });
    expect(actionsBetween(twx('20140606'), twx('20140609'), 'TWX')).toMatchObject({
      kind: 'unknown',
      reason: 'TWX gave 2.94 on a close of 71.08 on 2014-06-09: a spin-off or special dividend, of terms untold',
    });
    const options = importLean([leanFile('option/usa/minute/twx/20140606_quote_american.zip')], { actions }).tape;
    expect(options.header.actions).toEqual(twx('20140606').header.actions);
  });

  test('show the dividend of SPY on 2013-09-20 and nothing since', () => {
    const { header } = importLean([leanFile('equity/usa/minute/spy/20131007_trade.zip')], { actions }).tape;
    const { list } = (header.actions as { SPY: { list: { effective: string; amount: number }[] } }).SPY;
    expect(list.map(({ effective }) => effective)).toEqual(['2012-12-21', '2013-03-15', '2013-06-21', '2013-09-20']);
  });
});
