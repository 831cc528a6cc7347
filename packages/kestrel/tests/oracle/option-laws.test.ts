/** The laws of option plays, upon the oracle and upon the engine. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/parse.ts';
import { type Case, generateOptions } from './generate.ts';
import {
  halved,
  mispaid,
  misprints,
  overBudget,
  overfills,
  type Played,
  unaccounted,
  withoutStrangers,
} from './option-laws.ts';
import { runOracle } from './oracle.ts';

const RUNS = Number(process.env.KESTREL_LAW_RUNS ?? 60);

const players: Readonly<Record<string, (one: Case) => readonly Played[]>> = {
  oracle: (one) => runOracle({ ...one, tapeLines: one.lines, document: parse(one.text).document }).plans,
  engine: (one) =>
    runDay({
      tape: parseTape(`${one.lines.join('\n')}\n`).tape,
      documents: [parse(one.text).document],
      fill: one.fill,
      fees: one.fees ?? 'none',
      rUsd: one.rUsd,
      ...(one.sessionR === undefined ? {} : { sessionR: one.sessionR }),
    }).plans as unknown as readonly Played[],
};

const seeds = fc.integer({ min: 1, max: 1_000_000 });
const holds = (law: (seed: number) => void): void => fc.assert(fc.property(seeds, law), { numRuns: RUNS });

function budgetsE4({ text, rUsd }: Case): (plan: string) => number {
  const budgets = new Map(
    parse(text).document.statements.flatMap((one) =>
      one.kind === 'plan' ? [[one.name, one.budget * rUsd] as const] : [],
    ),
  );
  return (plan) => budgets.get(plan)!;
}

const course = (plans: readonly Played[]): object[] =>
  plans.map(({ name, orders, fills }) => ({
    name,
    orders: orders.map(({ instrument, side, arrivedAt }) => [instrument, side, arrivedAt]),
    fills: fills.map(({ t, side, qty, priceE4, cause, instrument }) => [t, side, qty, priceE4, cause, instrument]),
  }));

for (const [name, play] of Object.entries(players)) {
  describe(name, () => {
    test('sizes are taken once, prints shared once, legs paid by one price, money adds up, budgets hold', () => {
      let filled = 0;
      holds((seed) => {
        const one = generateOptions(seed);
        const plans = play(one);
        if (plans.some((plan) => plan.fills.length > 0)) filled += 1;
        expect(overfills(one, plans)).toEqual([]);
        expect(misprints(one, plans)).toEqual([]);
        expect(mispaid(one, plans)).toEqual([]);
        expect(unaccounted(plans)).toEqual([]);
        if (one.fees === undefined) expect(overBudget(plans, budgetsE4(one))).toEqual([]);
      });
      expect(filled).toBeGreaterThan(RUNS / 30);
    });

    test('without the rows of contracts that nothing is ordered of: the same play', () => {
      holds((seed) => {
        const one = generateOptions(seed);
        // Fair value reads its whole chain.
        if (one.text.includes('fair')) return;
        const plans = play(one);
        expect(course(play(withoutStrangers(one, plans)))).toEqual(course(plans));
      });
    });

    test('contracts of half the size under half the risk unit: the same play', () => {
      holds((seed) => {
        const one = generateOptions(seed);
        if (one.text.includes('shares') || one.fees !== undefined) return;
        expect(course(play(halved(one)))).toEqual(course(play(one)));
      });
    });
  });
}
