/** Orders for synthetic days: what is refused, with which code; the stream of random numbers; the bundled days, pinned. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Dice } from '../../src/market/synth/dice.ts';
import {
  BUNDLED_DAYS,
  bundledDay,
  DEFAULT_DAY,
  type SynthOrder,
  SynthRefusal,
  synthTape,
} from '../../src/market/synth/index.ts';

const ORDER = { seed: 1, date: '2024-03-12', regime: 'range', events: 1_000 } as const;

test.each<[string, Record<string, unknown>, string]>([
  ['no seed', { seed: '' }, 'seed-bad'],
  ['half a seed', { seed: 1.5 }, 'seed-bad'],
  ['a seed past whole numbers', { seed: 1e300 }, 'seed-bad'],
  ['a seed that is a path', { seed: '../x' }, 'seed-bad'],
  ['a long seed', { seed: 'x'.repeat(65) }, 'seed-bad'],
  ['a Sunday', { date: '2024-03-10' }, 'date-closed'],
  ['a day of mourning', { date: '2025-01-09' }, 'date-closed'],
  ['a date without sessions before it', { date: '1990-01-31' }, 'date-early'],
  ['a regime nobody knows', { regime: 'sideways' }, 'regime-unknown'],
  ['a name of every object', { profile: 'constructor' }, 'profile-unknown'],
  ['another share', { profile: 'aapl' }, 'profile-unknown'],
  ['another detail', { detail: '1h' }, 'detail-unknown'],
  ['sideways', { direction: 'sideways' }, 'direction-unknown'],
  ['a small symbol', { symbol: 'syn' }, 'symbol-bad'],
  ['a long symbol', { symbol: 'A'.repeat(33) }, 'symbol-bad'],
  ['too few events', { events: 99 }, 'events-bad'],
  ['too many events', { events: 50_000_001 }, 'events-bad'],
  ['half an event', { events: 1_000.5 }, 'events-bad'],
  ['a price off the tick', { priorCloseE4: 1_000_001 }, 'prior-close-bad'],
  ['a price of nothing', { priorCloseE4: 0 }, 'prior-close-bad'],
  ['a price past the columns', { priorCloseE4: 1_000_000_100 }, 'prior-close-bad'],
])('%s is refused', (_, wrong, code) => {
  let refusal: unknown;
  try {
    synthTape({ ...ORDER, ...wrong } as SynthOrder);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(SynthRefusal);
  expect((refusal as SynthRefusal).code).toBe(code);
  expect((refusal as SynthRefusal).message).toMatch(/ is wanted, got .*: ./);
  expect((refusal as SynthRefusal).got.length).toBeLessThanOrEqual(101);
});

test('a bundled day nobody knows is refused with the names there are', () => {
  expect(() => bundledDay('holiday')).toThrow(/trend, trend-down, range/);
  expect(() => bundledDay('__proto__')).toThrow(SynthRefusal);
});

describe('dice', () => {
  test('the first words of a stream are these', () => {
    const dice = new Dice('kestrel.synth/1', 'golden');
    const words = Array.from({ length: 6 }, () => dice.unit() * 4_294_967_296);
    expect(words).toEqual(GOLDEN_WORDS);
  });

  test('names are told apart, however they are cut', () => {
    const first = (...names: string[]) => new Dice(...names).unit();
    const all = [first('ab', 'c'), first('a', 'bc'), first('abc'), first('a', 'b', 'c'), first('', 'abc'), first()];
    expect(new Set(all).size).toBe(all.length);
  });

  test('draws have the moments and the shares that they claim', () => {
    const dice = new Dice('moments');
    const n = 200_000;
    const moments = (draw: () => number) => {
      let [sum, squares] = [0, 0];
      for (let i = 0; i < n; i++) {
        const x = draw();
        sum += x;
        squares += x * x;
      }
      return [sum / n, squares / n - (sum / n) ** 2] as const;
    };
    for (const draw of [() => dice.normal(), () => dice.step()]) {
      const [mean, variance] = moments(draw);
      expect(Math.abs(mean)).toBeLessThan(0.02);
      expect(Math.abs(variance - 1)).toBeLessThan(0.02);
    }
    const table = { p: [0, 0.5, 0.9, 1], x: [1, 1, 3, 13] };
    const [mean] = moments(() => dice.draw(table));
    expect(Math.abs(mean - (0.5 * 1 + 0.4 * 2 + 0.1 * 8))).toBeLessThan(0.03);
    const [ones] = moments(() => (dice.draw(table) === 1 ? 1 : 0));
    expect(Math.abs(ones - 0.5)).toBeLessThan(0.01);
    const [chance] = moments(() => (dice.chance(0.3) ? 1 : 0));
    expect(Math.abs(chance - 0.3)).toBeLessThan(0.01);
    const [sign] = moments(() => dice.sign());
    expect(Math.abs(sign)).toBeLessThan(0.02);
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) counts[dice.below(7)]! += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

describe('bundled days', () => {
  const golden = JSON.parse(readFileSync(new URL('bundled.json', import.meta.url), 'utf8')) as Record<string, string>;

  test('are these, and the default is one of them', () => {
    expect([...BUNDLED_DAYS.keys()]).toEqual(Object.keys(golden));
    expect(BUNDLED_DAYS.has(DEFAULT_DAY)).toBe(true);
    expect(BUNDLED_DAYS.size).toBeGreaterThanOrEqual(12);
  });

  test.each(Object.entries(golden))('%s has its identity', (name, identity) => {
    expect(bundledDay(name).identity).toBe(identity);
  });
});

/** Computed by another implementation of xoroshiro128+, in Python, from the same SHA-256. */
const GOLDEN_WORDS = [2_649_680_013, 1_281_781_796, 2_881_787_287, 3_497_041_232, 744_786_534, 674_000_049];
