/** What `tapeInfo` counts, on a small tape counted by hand, and on a real chain. */
import { describe, expect, test } from 'vitest';
import { importLean, memoryOf, tapeInfo } from '../../src/market/index.ts';
import { HAS_DATA, leanFile } from './data.ts';
import { CLOSE, HEADER, OPEN, tapeOfEvents } from './lines.ts';

const quote = (t: number, b: number, a: number, more: object = {}) => ({
  t,
  k: 'quote',
  s: 'SPY',
  b,
  bz: 10,
  a,
  az: 20,
  ...more,
});
const option = { s: 'SPY', x: '2013-10-11', r: 'C', K: 168 };

describe('the info of a tape', () => {
  const tape = tapeOfEvents(
    [
      quote(OPEN - 5, 1, 2),
      quote(OPEN, 168, 168.02),
      quote(OPEN + 10, 168, 168.04),
      quote(OPEN + 30, 168.05, 168.04),
      quote(OPEN + 40, 168.04, 168.04),
      quote(OPEN + 50, 0, 168.04),
      quote(OPEN + 60, 168, 168.04, { bz: 0 }),
      quote(OPEN + 70, 168, 169, { suspect: true }),
      { t: OPEN + 80, k: 'quote', s: 'SPY', a: 168, az: 1 },
      { t: OPEN + 90, k: 'trade', s: 'SPY', p: 168.02, z: 100 },
      { t: OPEN + 100, k: 'trade', s: 'SPY', p: 500, z: 9, suspect: true },
      { t: OPEN + 110, k: 'trade', s: 'SPY', p: 167.5, z: 50 },
      { t: OPEN + 60_000_000, k: 'bar', s: 'VIX', d: '1m', o: 15, h: 16, l: 14, c: 15.5, z: 7 },
      { t: OPEN + 60_000_000, k: 'oquote', ...option, b: 1, bz: 1, a: 1.5, az: 1 },
      { t: OPEN + 60_000_001, k: 'oquote', ...option, r: 'P', b: 1, bz: 1, a: 1.9, az: 1 },
      { t: OPEN + 60_000_002, k: 'oquote', ...option, a: 2.5, az: 1 },
      { t: OPEN + 60_000_003, k: 'otrade', ...option, p: 1.25, z: 2 },
      { t: OPEN + 60_000_004, k: 'oi', ...option, z: 10 },
      { t: OPEN + 60_000_005, k: 'oi', ...option, z: 12 },
      { t: OPEN + 60_000_006, k: 'oi', ...option, r: 'P', z: 5 },
      { t: OPEN + 60_000_007, k: 'halt', s: 'SPY', on: true },
      { t: CLOSE + 1, k: 'close', s: 'SPY', p: 167.43 },
    ],
    { ...HEADER, reference: { SPY: { priorClose: 168.89 } }, source: 'hand', licence: 'none' },
  );
  const info = tapeInfo(tape);

  test('counts kinds, sides of the session and bytes', () => {
    expect(info).toMatchObject({
      id: 'day',
      identity: tape.identity,
      date: '2013-10-07',
      zone: 'America/New_York',
      source: 'hand',
      licence: 'none',
      events: 22,
      kinds: { quote: 9, trade: 3, oquote: 3, otrade: 1, bar: 1, halt: 1, news: 0, close: 1, other: 3 },
      firstT: OPEN - 5,
      lastT: CLOSE + 1,
      beforeOpen: 1,
      afterClose: 1,
      skipped: null,
      memoryBytes: 22 * 28 + 28,
    });
    expect(memoryOf(tape.columns)).toBe(info.memoryBytes);
  });

  test('tells sound quotes from the others, each counted once', () => {
    const [spy] = info.symbols;
    expect(spy).toMatchObject({
      symbol: 'SPY',
      quotes: 9,
      trades: 3,
      halts: 1,
      suspects: 2,
      priorCloseE4: 1_688_900,
      officialCloseE4: 1_674_300,
      session: {
        quotes: { good: 2, oneSided: 2, nonPositive: 1, crossed: 1, locked: 1, suspect: 1 },
        spreadE4: { count: 2, min: 200, p50: 200, p90: 400, p99: 400, max: 400 },
        bidSize: { count: 2, min: 10, max: 10 },
        tradeSize: { count: 2, min: 50, max: 100 },
        gapUs: { count: 11, min: 10, p50: 10, max: 59_999_897 },
        volume: 150,
        openE4: 1_680_200,
        highE4: 1_680_200,
        lowE4: 1_675_000,
        lastE4: 1_675_000,
      },
    });
  });

  test('takes prices from bars where there are no trades', () => {
    expect(info.symbols[2]).toMatchObject({
      symbol: 'VIX',
      bars: 1,
      barUs: 60_000_000,
      session: { volume: 7, openE4: 150_000, highE4: 160_000, lowE4: 140_000, lastE4: 155_000, spreadE4: null },
    });
    expect(info.symbols[1]).toMatchObject({ symbol: 'BRK.B', events: 0, session: { gapUs: null, openE4: null } });
  });

  test('counts a chain', () => {
    expect(info.chains).toEqual([
      {
        root: 'SPY',
        expiry: '2013-10-11',
        style: 'american',
        settles: 'close',
        strikes: 3,
        lowestStrikeE4: 1_670_000,
        highestStrikeE4: 1_685_000,
        contracts: 6,
        active: 2,
        quotes: { good: 2, oneSided: 1, nonPositive: 0, crossed: 0, locked: 0, suspect: 0 },
        share: { oneSided: 0.3333, crossed: 0 },
        outside: 0,
        spreadE4: { count: 2, min: 5_000, p50: 5_000, p90: 9_000, p99: 9_000, max: 9_000 },
        trades: 1,
        widest: { strikeE4: 1_680_000, right: 'P', spreadE4: 9_000 },
        widestContracts: [
          { strikeE4: 1_680_000, right: 'P', spreadE4: 9_000 },
          { strikeE4: 1_680_000, right: 'C', spreadE4: 5_000 },
        ],
        openInterest: 17,
      },
    ]);
  });

  test('counts the quotes of a chain in session, and says how many lie outside', () => {
    const oquote = (t: number, b: number, a: number, more: object = {}) => ({
      t,
      k: 'oquote',
      ...option,
      b,
      bz: 1,
      a,
      az: 1,
      ...more,
    });
    const chain = tapeInfo(
      tapeOfEvents([
        oquote(OPEN - 1, 1, 90),
        oquote(OPEN, 1, 1.5),
        oquote(OPEN + 1, 2, 1.5),
        oquote(OPEN + 2, 1, 1.25, { K: 167 }),
        oquote(OPEN + 3, 1, 1.75, { K: 167 }),
        oquote(CLOSE, 1, 1.4, { K: 168.5, r: 'P' }),
        oquote(CLOSE + 1, 1, 80),
      ]),
    ).chains[0];
    expect(chain).toMatchObject({
      quotes: { good: 4, crossed: 1, oneSided: 0 },
      share: { oneSided: 0, crossed: 0.2 },
      outside: 2,
      active: 3,
      widestContracts: [
        { strikeE4: 1_670_000, right: 'C', spreadE4: 7_500 },
        { strikeE4: 1_680_000, right: 'C', spreadE4: 5_000 },
        { strikeE4: 1_685_000, right: 'P', spreadE4: 4_000 },
      ],
    });
    expect(tapeInfo(tapeOfEvents([])).chains[0]).toMatchObject({ share: null, widest: null, spreadE4: null });
  });

  test('tells what the header tells of actions, and nothing of what is none', () => {
    const list = [{ kind: 'split', effective: '2013-10-07', ratio: [7, 1] }];
    const of = (actions: unknown) => tapeInfo(tapeOfEvents([], { ...HEADER, actions })).actions;
    expect(of({ SPY: { from: '2012-10-06', list } })).toEqual([{ symbol: 'SPY', from: '2012-10-06', list }]);
    expect([of({ SPY: { from: '2012-10-06', list: 5 } }), of('split'), of(undefined)]).toEqual([[], [], []]);
  });

  test('of an empty tape is empty', () => {
    expect(tapeInfo(tapeOfEvents([]))).toMatchObject({ events: 0, firstT: null, lastT: null, memoryBytes: 0 });
  });

  test.skipIf(!HAS_DATA)('of a real chain agrees with the counts of its files', () => {
    const paths = ['quote', 'trade', 'openinterest'].map(
      (rows) => `option/usa/minute/goog/20151223_${rows}_american.zip`,
    );
    const real = tapeInfo(importLean(['equity/usa/minute/goog/20151223_trade.zip', ...paths].map(leanFile)).tape);
    expect(real.kinds).toMatchObject({ oquote: 28_932, otrade: 581, bar: 432, other: 118 });
    const [chain] = real.chains;
    expect(chain).toMatchObject({ root: 'GOOG', expiry: '2015-12-24', contracts: 118 });
    const { quotes } = chain!;
    expect(quotes.good + quotes.oneSided + quotes.nonPositive + quotes.crossed + quotes.locked + chain!.outside).toBe(
      28_932,
    );
    expect([chain!.outside, chain!.share, chain!.strikes]).toEqual([10, { oneSided: 0.3964, crossed: 0 }, 59]);
  });
});
