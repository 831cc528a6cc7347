/**
 * The days that come with the product: made when they are asked for, from orders that never change. Their identities are
 * pinned by a test.
 */
import type { Tape } from '../columns.ts';
import { SynthRefusal } from './refusal.ts';
import { type SynthOrder, synthTape } from './tape.ts';

/** The order behind each name. */
export const BUNDLED_DAYS: ReadonlyMap<string, SynthOrder> = new Map<string, SynthOrder>([
  ['trend', { seed: 1, date: '2024-03-12', regime: 'trend', profile: 'spy', direction: 'up', events: 40_000 }],
  ['trend-down', { seed: 2, date: '2024-04-15', regime: 'trend', profile: 'ibm', direction: 'down', events: 30_000 }],
  ['range', { seed: 3, date: '2024-05-21', regime: 'range', profile: 'spy', events: 40_000 }],
  ['range-wide', { seed: 4, date: '2024-06-11', regime: 'range', profile: 'ibm', events: 30_000 }],
  ['choppy', { seed: 5, date: '2024-07-17', regime: 'choppy', profile: 'spy', events: 40_000 }],
  ['choppy-low', { seed: 6, date: '2024-08-20', regime: 'choppy', profile: 'bac', events: 40_000 }],
  ['shock', { seed: 7, date: '2024-09-18', regime: 'shock', profile: 'spy', direction: 'down', events: 40_000 }],
  ['shock-up', { seed: 8, date: '2024-10-10', regime: 'shock', profile: 'ibm', direction: 'up', events: 30_000 }],
  ['gap', { seed: 9, date: '2024-11-06', regime: 'gap', profile: 'spy', direction: 'up', events: 40_000 }],
  ['gap-down', { seed: 10, date: '2024-08-05', regime: 'gap', profile: 'ibm', direction: 'down', events: 30_000 }],
  ['half-day', { seed: 11, date: '2024-11-29', regime: 'range', profile: 'spy', events: 20_000 }],
  ['halt', { seed: 12, date: '2024-12-10', regime: 'halt', profile: 'spy', direction: 'down', events: 40_000 }],
  ['quiet', { seed: 13, date: '2024-08-27', regime: 'quiet', profile: 'spy', events: 16_000 }],
  ['quiet-wide', { seed: 14, date: '2024-12-23', regime: 'quiet', profile: 'ibm', events: 12_000 }],
  [
    'options',
    {
      seed: 19,
      date: '2024-06-04',
      regime: 'choppy',
      profile: 'ibm',
      events: 16_000,
      chain: '0dte,7dte',
      optionQuotes: 40_000,
    },
  ],
]);

/** The day that is taken where none is named. */
export const DEFAULT_DAY = 'trend';

/** @throws SynthRefusal `day-unknown` */
export function bundledDay(name: string): Tape {
  const order = BUNDLED_DAYS.get(name);
  if (order !== undefined) return synthTape(order);
  throw new SynthRefusal('day-unknown', {
    expected: `a bundled day (${[...BUNDLED_DAYS.keys()].join(', ')})`,
    got: name,
    next: 'name one of these',
  });
}
