/** How other engines failed at options, each a small day run by the built program: what is right is worked out by hand in `why`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Blotter } from '../../src/engine/index.ts';
import { buildProgram, kestrel } from '../cli/built.ts';

interface Expected {
  readonly state?: string;
  readonly reason?: string;
  readonly firedMs?: number;
  /** How many were made. */
  readonly orders?: number;
  readonly limits?: readonly number[];
  readonly fills: readonly object[];
  readonly settlements?: readonly object[];
  readonly refusals?: readonly string[];
  /** E4 by the name of the line. */
  readonly feeLines?: Readonly<Record<string, number>>;
  readonly realizedE4: number;
  readonly feesE4?: number;
  readonly netE4?: number;
  readonly openQty?: number;
}

interface Case {
  readonly name: string;
  readonly why: string;
  readonly date?: string;
  /** Microseconds; the session lasts an hour. */
  readonly open?: number;
  readonly fill?: string;
  readonly fees?: string;
  readonly instruments?: readonly object[];
  /** `ms` after the open in place of `t`. */
  readonly events: readonly { readonly ms: number }[];
  readonly plan: readonly string[];
  /** In the order of the plans. */
  readonly expected: readonly Expected[];
}

const MONDAY = { date: '2024-03-11', open: 1_710_163_800_000_000 };
const SPY = [
  { symbol: 'SPY', kind: 'equity', tick: 0.01 },
  {
    ...{ root: 'SPY', kind: 'option', expiry: '2024-03-11', strikes: [98, 99, 100, 101, 102] },
    ...{ multiplier: 100, style: 'american', settles: 'close', tick: 0.01 },
  },
];

const cases: readonly Case[] = JSON.parse(readFileSync(join(import.meta.dirname, 'failures.json'), 'utf8'));

let folder = '';
beforeAll(() => {
  buildProgram();
  folder = mkdtempSync(join(tmpdir(), 'kestrel-options-'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function play(one: Case): Blotter {
  const { date, open } = { ...MONDAY, ...one };
  const header = {
    ...{ v: 'kestrel.tape/v1', id: 'failure', calendar: 'XNYS', date, instruments: one.instruments ?? SPY },
    session: { open, close: open + 3_600_000_000 },
  };
  const rows = one.events.map(({ ms, ...event }) => ({ t: open + ms * 1000, ...event }));
  const [tape, plans] = [join(folder, 'tape.jsonl'), join(folder, 'plan.kes')];
  writeFileSync(tape, `${[header, ...rows].map((line) => JSON.stringify(line)).join('\n')}\n`);
  writeFileSync(plans, `${one.plan.join('\n')}\n`);
  const terms = ['--fill', one.fill ?? 'strict-cross-v1', '--fees', one.fees ?? 'none', '--r-usd', '1000'];
  const { status, stdout, stderr } = kestrel(['run', '--tape', tape, '--plans', plans, ...terms, '--json']);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
  const blotter = play(one);
  const open = one.open ?? MONDAY.open;
  const msOf = (t: number | null): number | null => (t === null ? null : (t - open) / 1000);
  const got = blotter.plans.map((plan) => ({
    state: plan.state,
    reason: plan.reason,
    firedMs: msOf(plan.firedAt),
    orders: plan.orders.length,
    limits: plan.orders.map((order) => order.limitE4),
    fills: plan.fills.map(({ t, ...fill }) => ({ ...fill, ms: msOf(t) })),
    settlements: plan.settlements ?? [],
    refusals: blotter.refusals.filter((refusal) => refusal.plan === plan.name).map((refusal) => refusal.code),
    feeLines: Object.fromEntries((plan.feeLines ?? []).map((line) => [line.name, line.e4])),
    realizedE4: plan.realizedE4,
    feesE4: plan.feesE4,
    netE4: plan.netE4,
    openQty: plan.openQty,
  }));
  expect(got, one.why).toMatchObject(one.expected);
  for (const plan of got) expect(plan.fills.every((fill) => Number.isInteger(fill.qty) && fill.qty > 0)).toBe(true);
});
