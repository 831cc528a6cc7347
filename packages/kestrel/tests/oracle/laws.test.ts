/** The laws, upon the oracle and upon the engine. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/parse.ts';
import { type Case, generate } from './generate.ts';
import { cut, joined, lastInstant, namesClock, type Player, scaled, scaledDocument, shifted } from './laws.ts';
import { runOracle } from './oracle.ts';

const RUNS = Number(process.env.KESTREL_LAW_RUNS ?? 40);

const players: Readonly<Record<string, Player>> = {
  oracle: (one, document) => runOracle({ ...one, tapeLines: one.lines, document }).plans,
  engine: (one, document) =>
    runDay({
      tape: parseTape(`${one.lines.join('\n')}\n`).tape,
      documents: [document],
      fill: one.fill,
      fees: 'none',
      rUsd: one.rUsd,
      ...(one.sessionR === undefined ? {} : { sessionR: one.sessionR }),
    }).plans,
};

const seeds = fc.integer({ min: 1, max: 1_000_000 });
const holds = (law: (seed: number) => void): void => fc.assert(fc.property(seeds, law), { numRuns: RUNS });

/** @param change by what the case was changed, which is taken back */
function outcome(play: Player, one: Case, change: { readonly laterUs: number; readonly k: number }): object[] {
  return play(one, scaledDocument(parse(one.text).document, change.k)).map((plan) => ({
    name: plan.name,
    reason: plan.reason,
    openQty: plan.openQty,
    // The cost of a part is rounded down, which halves of a unit do not survive.
    realizedE4: change.k === 1 ? plan.realizedE4 : null,
    fills: plan.fills.map((fill) => [
      fill.t - change.laterUs,
      fill.side,
      fill.qty,
      fill.priceE4 / change.k,
      fill.cause,
    ]),
  }));
}

const withoutRealized = (plans: object[]): object[] => plans.map((plan) => ({ ...plan, realizedE4: null }));

const same = { laterUs: 0, k: 1 };

for (const [name, play] of Object.entries(players)) {
  describe(name, () => {
    test('all times later: the same play, later', () => {
      let played = 0;
      holds((seed) => {
        const one = generate(seed);
        if (namesClock(one)) return;
        played += 1;
        const laterUs = 1_234_567;
        expect(outcome(play, shifted(one, laterUs), { laterUs, k: 1 })).toEqual(outcome(play, one, same));
      });
      expect(played).toBeGreaterThan(RUNS / 10);
    });

    test('all prices, ticks and the risk unit times two: the same play at twice the price', () => {
      holds((seed) => {
        const one = generate(seed);
        expect(outcome(play, scaled(one, 2), { laterUs: 0, k: 2 })).toEqual(withoutRealized(outcome(play, one, same)));
      });
    });

    test('a tape cut short: what was filled before the cut stays filled', () => {
      holds((seed) => {
        const one = generate(seed, {
          tape: { feeds: { full: 7, quotes: 1, trades: 1, bars: 0, 'bars-and-quotes': 0, minutes: 1 } },
        });
        const count = seed % one.lines.length;
        const until = lastInstant(one, count);
        const early = (each: Case): unknown =>
          play(each, parse(each.text).document).map((plan) =>
            plan.fills.filter((fill) => fill.t < until).map(({ t, qty, priceE4 }) => [t, qty, priceE4]),
          );
        expect(early(cut(one, count))).toEqual(early(one));
      });
    });

    test('a stranger among the symbols: nothing changes', () => {
      holds((seed) => {
        const one = generate(seed);
        expect(outcome(play, joined(one, seed + 1), same)).toEqual(outcome(play, one, same));
      });
    });
  });
}
