/**
 * Option plans on whole days, by the built program: real chains where they are at hand, a half day that is made. What must be
 * true of any play is read from the rows that `tape cat` prints and from the blotter alone.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Blotter } from '../../src/engine/index.ts';
import { buildProgram, kestrel } from '../cli/built.ts';
import { HAS_DATA, LEAN } from '../market/data.ts';
import { mispaid, misprints, overBudget, overfills, type Played, unaccounted } from '../oracle/option-laws.ts';

interface Market {
  readonly name: string;
  /** Archives below the data's folder. */
  readonly archives: readonly string[];
  readonly more?: readonly string[];
  readonly using: string;
  /** Each further fall by this adds. */
  readonly step: string;
  /** Strikes of the vertical that is sold. */
  readonly credit: string;
  /** What expires must settle by this price of the underlying; absent: nothing expires. */
  readonly settlesE4?: number;
  /** A plan of this day alone, and the one contract that it must trade. */
  readonly own?: { readonly plan: string; readonly instrument: string };
}

const CHAINS: readonly Market[] = [
  {
    name: 'GOOG, 2015-12-23',
    archives: [
      'equity/usa/minute/goog/20151223_trade.zip',
      'option/usa/minute/goog/20151223_quote_american.zip',
      'option/usa/minute/goog/20151223_trade_american.zip',
    ],
    using: 'USING signal GOOG exec GOOG',
    step: '$1.00',
    credit: 'ATM/-1',
  },
  {
    name: 'TWX, 2014-06-05',
    archives: [
      'equity/usa/minute/twx/20140605_quote.zip',
      'equity/usa/minute/twx/20140605_trade.zip',
      'option/usa/minute/twx/20140605_quote_american.zip',
      'option/usa/minute/twx/20140605_trade_american.zip',
    ],
    using: 'USING signal TWX exec TWX 2014-07-19',
    step: '$0.10',
    credit: 'ATM/-1',
  },
  {
    name: 'SPX and SPXW, 2021-01-04',
    archives: [
      'index/usa/minute/spx/20210104_trade.zip',
      'indexoption/usa/minute/spx/20210104_quote_european.zip',
      'indexoption/usa/minute/spx/20210104_trade_european.zip',
      'indexoption/usa/minute/spxw/20210104_quote_european.zip',
    ],
    more: ['--daily', 'index/usa/daily/spx.zip', '--official-close'],
    using: 'USING signal SPX exec SPX 0dte',
    step: '$5.00',
    credit: '+1/ATM',
    settlesE4: 37_006_500,
    // SPX itself settles at the open of the 15th, and trades until then.
    own: {
      plan: 'PLAN own budget 60R ttl 15:30\n  WHEN time >= 10:00\n  DO buy 1 3700 C 2021-01-15 @ ask\n  EXIT T-60 @ bid\n',
      instrument: 'SPX 2021-01-15 3700 C',
    },
  },
];

/** Every way in and out of contracts and verticals, several times a day. */
const plansOf = ({ using, step, credit }: Pick<Market, 'using' | 'step' | 'credit'>): string => `${using}
PLAN calls budget 40R ttl 15:30
  WHEN time >= 09:45
  DO buy 3 ATM C @ ask
  RELOAD every ${step} down, up to 4
  TP 1.2x frac 0.34 @ bid
  TP 1.5x frac 0.33 @ stub
  EXIT T-60 @ bid

PLAN puts budget 40R ttl 16:00
  WHEN time >= 10:00
  DO buy 2 ATM P @ lean(bid, ask, 0.5) esc ask 2m
  ALSO buy 2 +1 P @ max(mid, intrinsic)
  TP 1.1x frac 0.5 @ bid
  INVALIDATE T-1 -> halt, ride

PLAN resting budget 40R ttl 15:45
  WHEN time >= 10:30
  DO buy 5 ATM C @ join peg
  ALSO buy 5 ATM P @ join peg
  TP 1.05x @ ask

PLAN debit budget 60R ttl 16:00
  WHEN time >= 10:15
  DO buy 2 ATM/+1 C @ ask
  RELOAD WHEN spot crosses below VWAP buy 1 ATM/+1 C @ ask
  TP 1.2x frac 0.5 @ bid
  INVALIDATE T-1 -> halt, ride

PLAN credit budget 60R ttl 16:00
  WHEN time >= 10:15
  DO sell 2 ${credit} P @ bid
  TP 0.8x frac 0.5 @ ask
  INVALIDATE T-1 -> halt, ride

PLAN worth budget 60R ttl 15:30
  WHEN time >= 10:45
  DO buy 1 ATM C @ fair - 1c peg cap fair
  ALSO buy 1 ATM/+1 C @ fair peg
  TP 1.1x @ fair
`;

const RUNS = [
  { fill: 'strict-cross-v1', fees: 'us-options-v1' },
  { fill: 'maker-v1', fees: 'none' },
] as const;
const R_USD = 1000;

let folder = '';
beforeAll(() => {
  buildProgram();
  folder = mkdtempSync(join(tmpdir(), 'kestrel-option-days-'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function answered(argv: readonly string[]): string {
  const { status, stdout, stderr } = kestrel(argv);
  expect(status, stderr).toBe(0);
  return stdout;
}

interface Terms {
  readonly tape: string;
  readonly text: string;
  readonly fill: string;
  readonly fees: string;
}

function blotterOf({ tape, text, fill, fees }: Terms): Blotter {
  const plans = join(folder, 'plans.kes');
  writeFileSync(plans, text);
  return JSON.parse(
    answered([
      ...['run', '--tape', tape, '--plans', plans, '--fill', fill, '--fees', fees, '--r-usd', `${R_USD}`, '--json'],
    ]),
  );
}

function checkLaws(lines: readonly string[], blotter: Blotter, terms: Terms): void {
  const one = { lines, text: terms.text, fill: terms.fill, rUsd: R_USD } as unknown as Parameters<typeof overfills>[0];
  const plans = blotter.plans as unknown as readonly Played[];
  expect(overfills(one, plans)).toEqual([]);
  expect(misprints(one, plans)).toEqual([]);
  expect(mispaid(one, plans)).toEqual([]);
  expect(unaccounted(plans)).toEqual([]);
  const budgets = new Map(
    [...terms.text.matchAll(/PLAN (\S+) budget (\d+)R/g)].map(([, name, r]) => [name!, Number(r)]),
  );
  expect(overBudget(plans, (plan) => budgets.get(plan)! * R_USD * 10_000)).toEqual([]);
  for (const plan of blotter.plans) {
    expect(plan.netE4).toBe(plan.realizedE4 + plan.markedE4 - plan.feesE4);
    expect((plan.feeLines ?? []).reduce((sum, line) => sum + line.e4, 0)).toBe(plan.feesE4);
    expect(plan.feesE4).toBeGreaterThanOrEqual(0);
    expect(plan.fills.every(({ qty }) => Number.isInteger(qty) && qty > 0)).toBe(true);
  }
}

const settlementsOf = (plans: Blotter['plans']) => plans.flatMap((plan) => plan.settlements ?? []);

describe.skipIf(!HAS_DATA)('real chains', () => {
  test.each(CHAINS.map((market) => [market.name, market] as const))(
    '%s',
    (_name, market) => {
      const tape = join(folder, 'day.jsonl.gz');
      const archives = market.archives.map((path) => join(LEAN, path));
      const more = (market.more ?? []).map((word) => (word.endsWith('.zip') ? join(LEAN, word) : word));
      answered(['tape', 'import', ...archives, ...more, '--out', tape]);
      const lines = answered(['tape', 'cat', tape]).trimEnd().split('\n');
      const causes = new Set<string>();
      for (const run of RUNS) {
        const terms = { tape, text: `${plansOf(market)}\n${market.own?.plan ?? ''}`, ...run };
        const blotter = blotterOf(terms);
        checkLaws(lines, blotter, terms);
        const fills = blotter.plans.flatMap((plan) => plan.fills);
        for (const { cause } of fills) causes.add(cause);
        expect(fills.length).toBeGreaterThan(5);
        const verticals = fills.filter((one) => one.instrument.includes('/'));
        for (const side of ['buy', 'sell']) expect(verticals.some((one) => one.side === side)).toBe(true);
        if (market.own !== undefined) {
          const own = blotter.plans.find((plan) => plan.name === 'own')?.fills ?? [];
          expect(own.map((fill) => fill.instrument)).toEqual([market.own.instrument, market.own.instrument]);
        }
        const settled = settlementsOf(blotter.plans);
        if (market.settlesE4 === undefined) expect(settled).toEqual([]);
        else {
          expect(settled.length).toBeGreaterThan(0);
          for (const row of settled) expect(row.underlyingE4).toBe(market.settlesE4);
        }
      }
      expect(causes).toContain('arrival');
      expect(causes).toContain('quote-through');
    },
    120_000,
  );
});

test('a half day that is made: what expires on it settles at its own close, and trades no further', () => {
  const tape = join(folder, 'half.jsonl.gz');
  const order = [
    '--seed',
    'half',
    '--date',
    '2024-11-29',
    '--regime',
    'choppy',
    '--events',
    '8000',
    '--chain',
    '0dte,3dte',
  ];
  answered(['tape', 'synth', ...order, '--option-quotes', '40000', '--out', tape]);
  const lines = answered(['tape', 'cat', tape]).trimEnd().split('\n');
  const close = Date.UTC(2024, 10, 29, 18) * 1000;
  const official = lines.map((line) => JSON.parse(line)).find((row) => row.k === 'close' && row.t >= close);
  const market = { using: 'USING signal SYN exec SYN 0dte', step: '$0.20', credit: 'ATM/-1' };
  const text = plansOf(market)
    .replaceAll('ttl 16:00', 'ttl 13:00')
    .replaceAll(/ttl 15:\d\d/g, 'ttl 12:45');
  for (const run of RUNS) {
    const terms = { tape, text, ...run };
    const blotter = blotterOf(terms);
    checkLaws(lines, blotter, terms);
    const settled = settlementsOf(blotter.plans);
    expect(settled.length).toBeGreaterThan(1);
    for (const row of settled) {
      expect(row).toMatchObject({ t: close, from: 'close', underlyingE4: Math.round(official.p * 1e4) });
    }
    for (const plan of blotter.plans) {
      expect(plan.openQty).toBe(0);
      for (const { t } of plan.fills) expect(t).toBeLessThanOrEqual(close);
    }
  }
  // A whole day's clock is no clock of this one.
  const late = join(folder, 'late.kes');
  writeFileSync(late, `${market.using}\nPLAN late budget 1R ttl 15:30\n  DO buy 1 ATM C @ ask\n  EXIT T-5 @ bid\n`);
  const refused = kestrel(['run', '--tape', tape, '--plans', late, '--fill', 'maker-v1', '--r-usd', '1000', '--json']);
  expect(refused.status).toBe(2);
  expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'document-refused', diagnostics: [{ code: 'K021' }] });
}, 120_000);
