/** Hand-worked plays of shares and of options, through the engine: the same files the oracle answers to. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/index.ts';

interface Case {
  readonly name: string;
  readonly why: string;
  readonly model: string;
  readonly rusd: string;
  readonly tape: readonly string[];
  readonly plan: string;
  readonly expected: readonly Expected[];
}

/** Of what a case leaves out nothing is asked. */
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

const read = (name: string): readonly Case[] =>
  JSON.parse(readFileSync(new URL(`../conformance/${name}.json`, import.meta.url), 'utf8'));

function check(c: Case): void {
  const { tape } = parseTape(c.tape.join('\n'));
  const { document, diagnostics } = parse(c.plan);
  expect(diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
  const blotter = runDay({ tape, documents: [document], fill: c.model, rUsd: c.rusd });
  const got = blotter.plans.map((p, i) => ({
    plan: p.name,
    state: p.state,
    reason: p.reason,
    fills: p.fills.map(({ t, side, qty, priceE4, cause, instrument }, k) => ({
      t,
      side,
      qty,
      priceE4,
      cause,
      ...(c.expected[i]?.fills[k]?.instrument === undefined ? {} : { instrument }),
    })),
    realisedE4: p.realizedE4,
    openQty: p.openQty,
    refusals: blotter.refusals.filter((r) => r.plan === p.name).map((r) => r.code),
    // Plays of options say what the marks come to instead.
    ...(p.markE4 === undefined || c.expected[i]?.markedE4 !== undefined ? {} : { markE4: p.markE4 }),
    ...(c.expected[i]?.markedE4 === undefined ? {} : { markedE4: p.markedE4 }),
    ...(c.expected[i]?.settlements === undefined
      ? {}
      : { settlements: (p.settlements ?? []).map(({ t: _, ...row }) => row) }),
  }));
  expect(got, c.why).toEqual(c.expected);
}

describe.each(['engine-cases', 'option-cases'])('%s', (file) => {
  for (const c of read(file)) test(c.name, () => check(c));
});
