/** The hand-worked plays, through the oracle: those of shares, and those of options. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, validate } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/index.ts';
import { runOracle } from './oracle.ts';
import type { Fill } from './orders.ts';

interface Case {
  readonly name: string;
  readonly why: string;
  readonly model: Fill;
  readonly rusd: string;
  readonly tape: readonly string[];
  readonly plan: string;
  readonly expected: readonly Expected[];
}

/** What is absent is not looked at. */
interface Expected {
  readonly plan: string;
  readonly state: string;
  readonly reason: string;
  readonly fills: readonly { readonly instrument?: string }[];
  readonly realisedE4: number;
  readonly openQty: number;
  readonly refusals: readonly string[];
  readonly markE4?: number;
  readonly markedE4?: number;
  readonly settlements?: readonly object[];
}

const read = (path: string): readonly Case[] => JSON.parse(readFileSync(path, 'utf8'));
const shared = fileURLToPath(new URL('../../../../../shared/conformance/engine-cases.json', import.meta.url));
const copy = fileURLToPath(new URL('../conformance/engine-cases.json', import.meta.url));
const ofShares = read(existsSync(shared) ? shared : copy);
const ofOptions = read(fileURLToPath(new URL('../conformance/option-cases.json', import.meta.url)));

function check(input: Case, expected: Case['expected']): void {
  // The real reader takes the tape: a case is no case if its tape is none.
  expect(parseTape(input.tape.join('\n')).tape.identity).toMatch(/^[0-9a-f]{64}$/);
  const parsed = parse(input.plan);
  expect(parsed.diagnostics).toEqual([]);
  expect(validate(input.plan).diagnostics.filter((one) => one.severity === 'error')).toEqual([]);
  const result = runOracle({ tapeLines: input.tape, document: parsed.document, fill: input.model, rUsd: input.rusd });
  const came = result.plans.map((plan, i) => ({
    plan: plan.name,
    state: plan.state,
    reason: plan.reason,
    fills: plan.fills.map(({ t, side, qty, priceE4, cause, instrument }, k) => ({
      t,
      side,
      qty,
      priceE4,
      cause,
      ...(expected[i]?.fills[k]?.instrument === undefined ? {} : { instrument }),
    })),
    realisedE4: plan.realizedE4,
    openQty: plan.openQty,
    refusals: plan.refusals.map((refusal) => refusal.code),
    ...(plan.markE4 === undefined ? {} : { markE4: plan.markE4 }),
    ...(expected[i]?.markedE4 === undefined ? {} : { markedE4: plan.markedE4 }),
    ...(expected[i]?.settlements === undefined ? {} : { settlements: plan.settlements.map(({ t: _, ...row }) => row) }),
  }));
  expect(came).toEqual(expected);
}

test('there are as many cases as were handed over', () => {
  expect(ofShares.length).toBe(22);
});

describe('shares', () => {
  for (const one of ofShares) test(`${one.name}: ${one.why}`, () => check(one, one.expected));
});

describe('options', () => {
  for (const one of ofOptions) test(`${one.name}: ${one.why}`, () => check(one, one.expected));
});
