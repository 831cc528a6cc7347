/** The hand-worked plays, through `kestrel run --json`: each must come out exactly as it was worked out. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Blotter } from '../../src/engine/index.ts';
import { buildProgram, type Ended, kestrel } from './built.ts';
import { captured } from './captured.ts';

interface Expected {
  readonly plan: string;
  readonly state: string;
  readonly reason: string;
  readonly fills: readonly {
    readonly t: number;
    readonly side: string;
    readonly qty: number;
    readonly priceE4: number;
    readonly cause: string;
  }[];
  readonly realisedE4: number;
  readonly openQty: number;
  readonly refusals: readonly string[];
  readonly markE4?: number;
}

interface Case {
  readonly name: string;
  readonly why: string;
  readonly model: string;
  readonly rusd: string;
  readonly tape: readonly string[];
  readonly plan: string;
  readonly expected: readonly Expected[];
}

const path = join(import.meta.dirname, '../conformance/engine-cases.json');
const cases: readonly Case[] = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kestrel-conformance-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function argumentsOf(play: Case): string[] {
  const tape = join(folder, `${play.name}.jsonl`);
  const plan = join(folder, `${play.name}.kes`);
  writeFileSync(tape, `${play.tape.join('\n')}\n`);
  writeFileSync(plan, play.plan);
  return ['run', '--tape', tape, '--plans', plan, '--fill', play.model, '--r-usd', play.rusd, '--json'];
}

function check(play: Case, { status, stdout, stderr }: Omit<Ended, 'status'> & { status: number | null }): void {
  expect(status, stderr).toBe(0);
  const blotter = JSON.parse(stdout) as Blotter;
  const came = blotter.plans.map(({ name, state, reason, fills, realizedE4, openQty, markE4 }, i): Expected => {
    const wanted = play.expected[i];
    return {
      plan: name,
      state,
      reason: reason ?? '',
      fills: fills.map(({ t, side, qty, priceE4, cause }) => ({ t, side, qty, priceE4, cause })),
      realisedE4: realizedE4,
      openQty,
      refusals: blotter.refusals.filter((refusal) => refusal.plan === name).map((refusal) => refusal.code),
      ...(wanted?.markE4 === undefined || markE4 === undefined ? {} : { markE4 }),
    };
  });
  expect(came).toEqual(play.expected);
}

test('the plays are there', () => {
  expect(cases.length).toBeGreaterThanOrEqual(22);
  expect(new Set(cases.map((play) => play.name)).size).toBe(cases.length);
});

describe('in this process', () => {
  test.each(cases.map((play) => [play.name, play] as const))('%s', async (_name, play) => {
    check(play, await captured(argumentsOf(play)));
  });
});

describe('through the built program', () => {
  beforeAll(buildProgram, 120_000);
  // A start takes tens of milliseconds: every fifth play, and the hash of each against this process's own.
  const few = cases.filter((_, i) => i % 5 === 0);
  test.each(few.map((play) => [play.name, play] as const))('%s', async (_name, play) => {
    const argv = argumentsOf(play);
    const built = kestrel(argv);
    check(play, built);
    expect(built.stdout).toBe((await captured(argv)).stdout);
  });
});
