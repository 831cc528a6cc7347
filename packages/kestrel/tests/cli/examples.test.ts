/**
 * The plans of examples/ on the bundled days they were written for: each must fire, fill, and give the pinned hash, on
 * whatever machine and Node this runs. Three of them run on real days too, where those are at hand.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STARTER_DAY, STARTER_PLAN } from '../../src/cli/starter.ts';
import type { Blotter } from '../../src/engine/index.ts';
import { root } from './built.ts';
import { captured } from './captured.ts';

interface Example {
  readonly file: string;
  readonly day: string;
  readonly fill: string;
  readonly fees: string;
  readonly rUsd: string;
  readonly determinismHash: string;
  /** What the plan is an example of: clauses that fill, kinds of events, codes of refusals. */
  readonly shows?: readonly string[];
}

interface RealExample extends Omit<Example, 'day'> {
  /** Relative to the data folder. */
  readonly sources: readonly string[];
}

const pinned: { readonly bundled: readonly Example[]; readonly real: readonly RealExample[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'examples.json'), 'utf8'),
);
const examples = join(root, 'examples');
const data = process.env.KESTREL_DATA ?? join(root, '../shared/data');

async function blotterOf(example: Omit<Example, 'day'>, tape: string): Promise<Blotter> {
  const { file, fill, fees, rUsd } = example;
  const plans = join(examples, file);
  const argv = ['run', '--tape', tape, '--plans', plans, '--fill', fill, '--fees', fees, '--r-usd', rUsd, '--json'];
  const { status, stdout, stderr } = await captured(argv);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

function check(blotter: Blotter, example: Omit<Example, 'day'>): void {
  expect(blotter.totals.fired).toBeGreaterThan(0);
  expect(blotter.totals.fills).toBeGreaterThan(0);
  const shown = new Set([
    ...blotter.plans.flatMap((plan) =>
      plan.orders.flatMap((order) => (order.state === 'filled' ? [order.clause] : [])),
    ),
    ...blotter.plans.flatMap((plan) => plan.events.map((event) => event.kind)),
    ...blotter.refusals.map((refusal) => refusal.code),
  ]);
  expect([...shown]).toEqual(expect.arrayContaining([...(example.shows ?? [])]));
  expect(blotter.determinismHash).toBe(example.determinismHash);
}

test('every example is here, and validates without a word', async () => {
  const files = readdirSync(examples).filter((file) => file.endsWith('.kes'));
  expect(files.length).toBeGreaterThanOrEqual(6);
  expect(pinned.bundled.map((example) => example.file).sort()).toEqual(files.sort());
  for (const file of files) {
    expect(await captured(['validate', join(examples, file)])).toMatchObject({
      status: 0,
      stdout: 'ok: 0 errors, 0 warnings\n',
    });
    expect((await captured(['print', join(examples, file)])).stdout, `${file} is canonical`).toBe(
      readFileSync(join(examples, file), 'utf8'),
    );
  }
});

test('the demo runs the example of its name', () => {
  expect(STARTER_PLAN).toBe(readFileSync(join(examples, 'fade-flush.kes'), 'utf8'));
  expect(pinned.bundled.find((example) => example.file === 'fade-flush.kes')?.day).toBe(STARTER_DAY);
});

describe('on bundled days', () => {
  test.each(pinned.bundled.map((example) => [example.file, example.day, example] as const))(
    '%s on %s',
    async (_file, day, example) => {
      check(await blotterOf(example, `bundled:${day}`), example);
    },
  );
});

const absent = existsSync(join(data, 'lean')) ? undefined : 'there is no market data: KESTREL_DATA names its folder';
if (absent !== undefined) console.log(`examples on real days are skipped: ${absent}`);

describe.skipIf(absent !== undefined)('on real days', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kestrel-examples-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('three of them', () => {
    expect(new Set(pinned.real.map((example) => example.file)).size).toBeGreaterThanOrEqual(3);
  });

  test.each(pinned.real.map((example) => [example.file, example.sources.join(' + '), example] as const))(
    '%s on %s',
    async (file, _sources, example) => {
      const tape = join(folder, `${file}.jsonl`);
      const sources = example.sources.map((source) => join(data, source));
      const made = await captured(['tape', 'import', ...sources, '--out', tape]);
      expect(made.status, made.stderr).toBe(0);
      check(await blotterOf(example, tape), example);
    },
  );
});
