import { describe, expect, test } from 'vitest';
import { CalendarRefusal, isIndexRoot, rulesOf } from '../../src/market/index.ts';

function check(contract: readonly [root: string, expiry: string], expected: string): void {
  const rules = rulesOf(...contract);
  expect(`${rules.multiplier} ${rules.style} ${rules.settles}`).toBe(expected);
}

describe('rules of a class', () => {
  test('shares are American and settle at the close', () => {
    check(['SPY', '2013-10-11'], '100 american close');
    check(['IBM', '2030-01-18'], '100 american close');
    check(['__proto__', '2020-01-17'], '100 american close');
  });
  test('SPX settles at the open, SPXW at the close', () => {
    check(['SPX', '2021-01-15'], '100 european open');
    check(['SPXW', '2021-01-15'], '100 european close');
    check(['SPXPM', '2013-03-15'], '100 european close');
  });
  test('SPXW before its first expiry at the close, and on it', () => {
    check(['SPXW', '2010-11-26'], '100 european open');
    check(['SPXW', '2010-12-03'], '100 european close');
  });
  test('XSP before and from 2013-11-05', () => {
    check(['XSP', '2013-11-04'], '100 european open');
    check(['XSP', '2013-11-05'], '100 european close');
    check(['XSPAM', '2013-11-16'], '100 european open');
  });
  test('OEX alone of the indices is American', () => {
    check(['OEX', '2020-01-17'], '100 american close');
    check(['XEO', '2020-01-17'], '100 european close');
  });
  test('volatility settles at the open, weekly too', () => {
    check(['VIX', '2021-01-20'], '100 european open');
    check(['VIXW', '2021-01-27'], '100 european open');
  });
  test('the others by their two roots', () => {
    check(['NDX', '2021-01-15'], '100 european open');
    check(['NDXP', '2021-01-15'], '100 european close');
    check(['RUT', '2021-01-15'], '100 european open');
    check(['RUTW', '2021-01-15'], '100 european close');
  });
  test('which roots are of indices', () => {
    expect(['SPX', 'SPXW', 'XSP', 'OEX', 'VIX', 'DJX'].every(isIndexRoot)).toBe(true);
    expect(['SPY', 'QQQ', 'spx', '', 'toString'].some(isIndexRoot)).toBe(false);
  });
  test('a day that is none, and one beyond the calendar', () => {
    for (const date of ['2021-02-30', '15 January', '2031-01-17', '1989-12-29']) {
      expect(() => rulesOf('SPX', date)).toThrow(CalendarRefusal);
    }
  });
});
