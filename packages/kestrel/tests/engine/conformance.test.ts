import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
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
  readonly expected: readonly {
    readonly plan: string;
    readonly state: string;
    readonly reason: string;
    readonly fills: readonly object[];
    readonly realisedE4: number;
    readonly openQty: number;
    readonly refusals: readonly string[];
    readonly markE4?: number;
  }[];
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../conformance/engine-cases.json', import.meta.url), 'utf8'),
);

test.each(cases.map((c) => [c.name, c] as const))('%s', (_name, c) => {
  const { tape } = parseTape(c.tape.join('\n'));
  const { document, diagnostics } = parse(c.plan);
  expect(diagnostics.filter((d) => d.severity === 'error')).toEqual([]);
  const blotter = runDay({ tape, documents: [document], fill: c.model, rUsd: c.rusd });
  const got = blotter.plans.map((p) => ({
    plan: p.name,
    state: p.state,
    reason: p.reason,
    fills: p.fills.map(({ t, side, qty, priceE4, cause }) => ({ t, side, qty, priceE4, cause })),
    realisedE4: p.realizedE4,
    openQty: p.openQty,
    refusals: blotter.refusals.filter((r) => r.plan === p.name).map((r) => r.code),
    ...(p.markE4 === undefined ? {} : { markE4: p.markE4 }),
  }));
  expect(got, c.why).toEqual(c.expected);
});
