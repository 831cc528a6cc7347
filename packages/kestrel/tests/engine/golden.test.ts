/**
 * Whole days and the hashes of their blotters. They hold on every Node, machine, zone and locale; a hash that moves is a
 * change of meaning, or of the bundled days or examples. `KESTREL_PIN=1` writes golden.json anew for the days at hand.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { hashOf } from 'ground/digest';
import { afterAll, describe, expect, test } from 'vitest';
import type { Blotter } from '../../src/engine/index.ts';
import { bundledDay, importLean, type Tape } from '../../src/market/index.ts';
import { HAS_DATA, leanFile, WHY_SKIPPED } from '../market/data.ts';
import { bytesOf, MODELS, playDay } from './golden-run.ts';

interface Pin {
  readonly tape: string;
  readonly fills: number;
  readonly determinismHash: string;
}

const BUNDLED = [
  { day: 'trend', plan: 'opening-range-breakout.kes' },
  { day: 'trend', plan: 'scaled-out.kes' },
  { day: 'range', plan: 'risk-tree.kes' },
] as const;

/** Without quotes there is no book to price from: what is wanted is told from the last bar. */
const BARS_PLAN = `PLAN bars budget 8R ttl 15:30
  WHEN velocity(30m) <= -5
  DO buy 100 shares @ last + 2c
  RELOAD every 5bps down, up to 3
  TP 1.0005x frac 0.5 @ last
  EXIT rsi(14, 5m) > 60 @ last - 5c
`;

/** Ticks with quotes, seconds with quotes, and minutes without: each fills by other rules. */
const REAL = [
  { day: 'IBM ticks 2013-10-07', plan: 'fade-reloads.kes', files: 'tick/ibm/20131007', kinds: ['quote', 'trade'] },
  {
    day: 'SPY seconds 2013-10-07',
    plan: 'opening-range-breakout.kes',
    files: 'second/spy/20131007',
    kinds: ['quote', 'trade'],
  },
  { day: 'SPY minutes 2013-10-08, bars alone', plan: 'bars', files: 'minute/spy/20131008', kinds: ['trade'] },
] as const;

const PINS = new URL('golden.json', import.meta.url);
const pinning = process.env.KESTREL_PIN === '1';
const pins: Record<string, Pin> = JSON.parse(readFileSync(PINS, 'utf8'));
const seen: Record<string, Pin> = {};

function planOf(name: string): string {
  if (name === 'bars') return BARS_PLAN;
  return readFileSync(new URL(`../../../../examples/${name}`, import.meta.url), 'utf8');
}

const nameOf = (one: { readonly day: string; readonly plan: string }, fill: string) =>
  `${one.day}, ${one.plan}, ${fill}`;
const NAMES = [...BUNDLED, ...REAL].flatMap((one) => MODELS.map((fill) => nameOf(one, fill))).sort();

const made = new Map<string, Tape>();
function tapeOf(day: string): Tape {
  const tape = made.get(day) ?? bundledDay(day);
  made.set(day, tape);
  return tape;
}

function check(name: string, tape: Tape, blotter: Blotter): void {
  const { determinismHash, ...rest } = blotter;
  expect(hashOf(rest), 'the hash is of all the rest').toBe(determinismHash);
  expect(blotter.totals.fills).toBeGreaterThan(0);
  seen[name] = { tape: tape.identity, fills: blotter.totals.fills, determinismHash };
  if (!pinning) expect(seen[name]).toEqual(pins[name]);
}

afterAll(() => {
  if (!pinning) return;
  const all = { ...pins, ...seen };
  const kept = Object.fromEntries(NAMES.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
  writeFileSync(PINS, `${JSON.stringify(kept, null, 2)}\n`);
});

describe('bundled days', () => {
  for (const one of BUNDLED) {
    for (const fill of MODELS) {
      const name = nameOf(one, fill);
      test(name, () => {
        const tape = tapeOf(one.day);
        check(name, tape, playDay(tape, planOf(one.plan), fill));
      });
    }
  }

  test('again gives the same bytes, on a tape made again and on the one that was run', () => {
    const { day, plan } = BUNDLED[1];
    const tape = tapeOf(day);
    const once = bytesOf(playDay(tape, planOf(plan), 'maker-v1'));
    expect(bytesOf(playDay(tape, planOf(plan), 'maker-v1'))).toBe(once);
    expect(bytesOf(playDay(bundledDay(day), planOf(plan), 'maker-v1'))).toBe(once);
  });

  test('the zone and the locale of the host do not matter', async () => {
    const plans = BUNDLED.filter(({ day }) => day === 'trend').map(({ plan }) => planOf(plan));
    const here = plans.flatMap((plan) => MODELS.map((fill) => bytesOf(playDay(tapeOf('trend'), plan, fill))));
    const bundle = await build({
      entryPoints: [new URL('golden.child.mjs', import.meta.url).pathname],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
    });
    const there = (env: Record<string, string>) =>
      JSON.parse(
        execFileSync(process.execPath, ['--input-type=module', '-'], {
          input: bundle.outputFiles[0]!.text,
          env: { PATH: process.env.PATH ?? '', GOLDEN_PLANS: JSON.stringify(plans), ...env },
          encoding: 'utf8',
          maxBuffer: 1 << 26,
        }),
      );
    const turkish = there({ TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' });
    expect([turkish.timeZone, turkish.locale]).toEqual(['Pacific/Kiritimati', 'tr-TR']);
    expect(turkish.blotters).toEqual(here);
  });
});

describe.skipIf(!HAS_DATA)(HAS_DATA ? 'real days' : `real days are skipped: ${WHY_SKIPPED}`, () => {
  for (const one of REAL) {
    test(one.day, () => {
      const { tape } = importLean(one.kinds.map((kind) => leanFile(`equity/usa/${one.files}_${kind}.zip`)));
      for (const fill of MODELS) check(nameOf(one, fill), tape, playDay(tape, planOf(one.plan), fill));
    });
  }
});

test.skipIf(pinning)('every pin is of a day that is run', () => {
  expect(Object.keys(pins)).toEqual(NAMES);
});
