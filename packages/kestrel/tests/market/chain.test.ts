/** The contracts of a root by expiry, strike and right. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chainOf, rootsOf, strikeRow, strikeRowFrom, type TapeInstrument } from '../../src/market/index.ts';
import { HEADER, tapeOfEvents } from './lines.ts';

const entry = (root: string, expiry: string, strikes: readonly number[]) => ({
  root,
  kind: 'option',
  expiry,
  strikes,
  multiplier: 100,
  style: 'european',
  settles: 'close',
  tick: 0.05,
});

function check(entries: readonly object[], root: string, expected: readonly unknown[]): void {
  const tape = tapeOfEvents([], { ...HEADER, instruments: [{ symbol: 'SPX', kind: 'index', tick: 0.01 }, ...entries] });
  const chain = chainOf(tape, root);
  const named = chain.expiries.map(({ expiry, strikesE4, calls, puts }) => [
    expiry,
    ...strikesE4.map((strikeE4, i) => [strikeE4, ...[calls[i]!, puts[i]!].map((at) => nameOf(tape.instruments[at]))]),
  ]);
  expect(named).toEqual(expected);
}

function nameOf(option: TapeInstrument | undefined): string | null {
  return option?.kind === 'option' ? `${option.root} ${option.expiry} ${option.strikeE4} ${option.right}` : null;
}

describe('the chain of a root', () => {
  test('has expiries and strikes ascending, whatever the order of the header', () => {
    check([entry('SPXW', '2013-10-11', [1700, 1650]), entry('SPXW', '2013-10-08', [1655])], 'SPXW', [
      ['2013-10-08', [16_550_000, 'SPXW 2013-10-08 16550000 C', 'SPXW 2013-10-08 16550000 P']],
      [
        '2013-10-11',
        [16_500_000, 'SPXW 2013-10-11 16500000 C', 'SPXW 2013-10-11 16500000 P'],
        [17_000_000, 'SPXW 2013-10-11 17000000 C', 'SPXW 2013-10-11 17000000 P'],
      ],
    ]);
  });

  test('of a weekly root is not mixed with the monthly one of the same day', () => {
    const entries = [entry('SPX', '2013-10-18', [1650]), entry('SPXW', '2013-10-18', [1650, 1655])];
    check(entries, 'SPX', [['2013-10-18', [16_500_000, 'SPX 2013-10-18 16500000 C', 'SPX 2013-10-18 16500000 P']]]);
    expect(rootsOf(tapeOfEvents([], { ...HEADER, instruments: entries }))).toEqual(['SPX', 'SPXW']);
  });

  test('of two entries of one expiry is one', () => {
    check([entry('SPX', '2013-10-18', [1655]), entry('SPX', '2013-10-18', [1650])], 'SPX', [
      [
        '2013-10-18',
        [16_500_000, 'SPX 2013-10-18 16500000 C', 'SPX 2013-10-18 16500000 P'],
        [16_550_000, 'SPX 2013-10-18 16550000 C', 'SPX 2013-10-18 16550000 P'],
      ],
    ]);
  });

  test('without options is empty; a right that is not listed is -1', () => {
    check([], 'SPX', []);
    const [call] = tapeOfEvents([], { ...HEADER, instruments: [entry('SPX', '2013-10-18', [1650])] }).instruments;
    expect(chainOf({ instruments: [call!] }, 'SPX').expiries).toEqual([
      { expiry: '2013-10-18', strikesE4: [16_500_000], calls: [0], puts: [-1] },
    ]);
  });

  test('finds each strike, and the first at or above a price', () => {
    const strikes = fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(strikes, fc.integer({ min: 0, max: 5_001 }), (list, priceE4) => {
        const strikesE4 = [...list].sort((a, b) => a - b);
        const none = strikesE4.map(() => -1);
        const from = strikesE4.findIndex((strikeE4) => strikeE4 >= priceE4);
        expect(strikeRowFrom(strikesE4, priceE4)).toBe(from < 0 ? strikesE4.length : from);
        expect(strikeRow({ expiry: '', strikesE4, calls: none, puts: none }, priceE4)).toBe(strikesE4.indexOf(priceE4));
      }),
    );
  });
});
