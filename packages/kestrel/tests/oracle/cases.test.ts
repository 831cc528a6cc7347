/** The hand-worked plays, through the oracle. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from '../../src/lang/index.ts';
import { runOracle } from './oracle.ts';
import type { Fill } from './orders.ts';

interface Case {
  readonly name: string;
  readonly why: string;
  readonly model: Fill;
  readonly rusd: string;
  readonly tape: readonly string[];
  readonly plan: string;
  readonly expected: readonly {
    readonly plan: string;
    readonly fills: readonly object[];
    readonly refusals: readonly string[];
  }[];
}

const shared = fileURLToPath(new URL('../../../../../shared/conformance/engine-cases.json', import.meta.url));
const copy = fileURLToPath(new URL('../conformance/engine-cases.json', import.meta.url));
const cases: readonly Case[] = JSON.parse(readFileSync(existsSync(shared) ? shared : copy, 'utf8'));

function check(input: Case, expected: Case['expected']): void {
  const parsed = parse(input.plan);
  expect(parsed.diagnostics).toEqual([]);
  const result = runOracle({ tapeLines: input.tape, document: parsed.document, fill: input.model, rUsd: input.rusd });
  const came = result.plans.map((plan) => ({
    plan: plan.name,
    state: plan.state,
    reason: plan.reason,
    fills: plan.fills.map(({ t, side, qty, priceE4, cause }) => ({ t, side, qty, priceE4, cause })),
    realisedE4: plan.realizedE4,
    openQty: plan.openQty,
    refusals: plan.refusals.map((refusal) => refusal.code),
    ...(plan.markE4 === undefined ? {} : { markE4: plan.markE4 }),
  }));
  expect(came).toEqual(expected);
}

test('there are as many cases as were handed over', () => {
  expect(cases.length).toBe(22);
});

for (const one of cases) test(`${one.name}: ${one.why}`, () => check(one, one.expected));
