/** Chains that nobody would list: each ends soon, in a coded refusal or in the right result. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram, program } from '../cli/built.ts';
import { type Captured, captured } from '../cli/captured.ts';

const OPEN = 1_710_163_800_000_000;
/** Far above what any of these takes, far below what quadratic work would. */
const MS_MAX = 60_000;
const TODAY = '2024-03-11';

type Row = Readonly<Record<string, unknown>>;
const SPY: Row = { symbol: 'SPY', kind: 'equity', tick: 0.01 };
const SPX: Row = { symbol: 'SPX', kind: 'index', tick: 0.01 };
const options = (more: Row = {}): Row => ({
  ...{ root: 'SPY', kind: 'option', expiry: TODAY, strikes: [99, 100, 101], multiplier: 100 },
  ...{ style: 'american', settles: 'close', tick: 0.01 },
  ...more,
});
const quote = (more: Row = {}): Row => ({ t: OPEN, k: 'quote', s: 'SPY', b: 99.99, bz: 5, a: 100.01, az: 5, ...more });
const offer = (more: Row = {}): Row => ({
  ...{ t: OPEN, k: 'oquote', s: 'SPY', x: TODAY, r: 'C', K: 100, b: 1.2, bz: 10, a: 1.24, az: 10 },
  ...more,
});
const print = (t: number, more: Row = {}): Row => ({
  t: OPEN + t * 1e6,
  k: 'trade',
  s: 'SPY',
  p: 100.01,
  z: 1,
  ...more,
});
const close = (more: Row = {}): Row => ({ t: OPEN + 6.5 * 3.6e9, k: 'close', s: 'SPY', p: 101, ...more });

const PLAN =
  'PLAN p budget 100R ttl 16:00\n  WHEN spot > 100\n  DO buy 1 100 C @ ask\n  INVALIDATE T-1 -> halt, ride\n';

interface Case {
  readonly instruments: readonly Row[];
  readonly rows?: readonly Row[];
  readonly plan?: string;
  readonly rUsd?: string;
  /** Of the whole run, status 2. */
  readonly refused?: string;
  /** Of the first plan, status 0. */
  readonly ends?: Row;
  readonly placements?: readonly string[];
}

const usual = [quote(), offer(), print(1), print(2), close()];
const dated = (x: string): Row[] => [quote(), offer({ x }), print(1), print(2), close()];
const bought = { instrument: `SPY ${TODAY} 100 C`, side: 'buy', qty: 1, priceE4: 12_400 };

const cases: Readonly<Record<string, Case>> = {
  'an expiry before the date': {
    instruments: [SPY, options({ expiry: '2024-03-08' })],
    rows: dated('2024-03-08'),
    ends: { reason: 'refused:no-contract' },
    placements: ['no-contract'],
  },
  'a Saturday': {
    instruments: [SPY, options({ expiry: '2024-03-16' })],
    rows: dated('2024-03-16'),
    ends: { openQty: 1, realizedE4: 0, markedE4: -20_000, fills: [{ instrument: 'SPY 2024-03-16 100 C' }] },
  },
  'a day that is none': { instruments: [SPY, options({ expiry: '2024-02-30' })], refused: 'instrument-bad' },
  'a year that no calendar knows': {
    instruments: [SPY, options({ expiry: '9999-12-31' })],
    rows: dated('9999-12-31'),
    refused: 'date-out-of-range',
  },
  'a multiplier of 1': {
    instruments: [SPY, options({ multiplier: 1 })],
    ends: { reason: 'invalidated', realizedE4: 10_000 - 12_400, fills: [bought] },
  },
  'a multiplier of 10': { instruments: [SPY, options({ multiplier: 10 })], ends: { realizedE4: -24_000 } },
  'a multiplier of 1, and a budget for it alone': {
    instruments: [SPY, options({ multiplier: 1 })],
    plan: PLAN.replace('budget 100R', 'budget 0.0013R').replace('@ ask', '@ 1.24'),
    ends: { realizedE4: 10_000 - 12_400, fills: [bought] },
  },
  'a multiplier of 100, and a budget for one of 1': {
    instruments: [SPY, options()],
    plan: PLAN.replace('budget 100R', 'budget 0.0013R').replace('@ ask', '@ 1.24'),
    refused: 'document-refused',
  },
  'a multiplier of 1e9': { instruments: [SPY, options({ multiplier: 1e9 })], refused: 'instrument-bad' },
  'half a contract': { instruments: [SPY, options({ multiplier: 0.5 })], refused: 'instrument-bad' },
  'a strike twice': { instruments: [SPY, options({ strikes: [100, 100] })], refused: 'instrument-twice' },
  'a contract twice, under two multipliers': {
    instruments: [SPY, options(), options({ strikes: [100], multiplier: 10 })],
    refused: 'instrument-twice',
  },
  'strikes without order': { instruments: [SPY, options({ strikes: [101, 99, 100] })], ends: { fills: [bought] } },
  'a strike of nothing': { instruments: [SPY, options({ strikes: [0, 100] })], refused: 'instrument-bad' },
  'a strike finer than the unit': {
    instruments: [SPY, options({ strikes: [0.00001, 100] })],
    refused: 'number-precise',
  },
  'a contract that is not listed': {
    instruments: [SPY, options()],
    rows: [offer({ K: 100.5 })],
    refused: 'contract-unknown',
  },
  'a root called __proto__': {
    instruments: [SPY, options()],
    rows: [offer({ s: '__proto__' })],
    refused: 'contract-unknown',
  },
  'prices at the bound of exactness': {
    instruments: [SPY, options()],
    rows: [
      quote({ b: 999_999_998, a: 999_999_999 }),
      offer({ b: 999_999_999, a: 1e9 }),
      print(1, { p: 1e9 }),
      print(2, { p: 1e9 }),
      close({ p: 1e9 }),
    ],
    plan: PLAN.replace('spot > 100', 'spot > 999999999').replace('100R', '200R'),
    rUsd: '999999999',
    // 100 in the strike are all that it loses.
    ends: { realizedE4: -100 * 10_000 * 100, fills: [{ priceE4: 1e13 }] },
  },
  'amounts beyond exactness': {
    instruments: [SPY, options({ multiplier: 1_000_000 })],
    rows: [quote(), offer({ b: 100_000, a: 100_001, az: 1e15 }), print(1), print(2), close()],
    plan: PLAN.replace('buy 1 ', 'buy 90000 ').replace('100R', '1000000000R'),
    rUsd: '999999999',
    refused: 'amount-range',
  },
  'a root without an underlying': {
    instruments: [SPY, options({ root: 'ABC' })],
    rows: [quote(), offer({ s: 'ABC' }), print(1), close()],
    plan: `USING signal SPY exec ABC\n${PLAN}`,
    ends: { reason: 'disarmed:series-unavailable' },
  },
  'an index without prints': {
    instruments: [SPX, options({ root: 'SPX', style: 'european' })],
    rows: [offer({ s: 'SPX' }), close({ s: 'SPX' })],
    ends: { reason: 'invalidated', fills: [], openQty: 0 },
  },
  'exec SPXW': {
    instruments: [SPX, options({ root: 'SPXW', style: 'european' })],
    rows: [offer({ s: 'SPXW' }), print(1, { s: 'SPX' }), print(2, { s: 'SPX' }), close({ s: 'SPX' })],
    plan: `USING signal SPX exec SPXW\n${PLAN}`,
    ends: { realizedE4: -240_000, fills: [{ instrument: `SPXW ${TODAY} 100 C` }] },
  },
  'exec SPXW where there is no SPX': {
    instruments: [SPY, options({ root: 'SPXW', style: 'european' })],
    rows: [quote(), offer({ s: 'SPXW' }), print(1), close()],
    plan: `USING signal SPY exec SPXW\n${PLAN}`,
    ends: { reason: 'disarmed:series-unavailable' },
  },
  'two execs, each with its own chain and its own close': {
    instruments: [SPY, { ...SPY, symbol: 'QQQ' }, options(), options({ root: 'QQQ' })],
    rows: [
      ...[quote(), quote({ s: 'QQQ' }), offer(), offer({ s: 'QQQ', b: 2, a: 2.02 }), print(1), print(2)],
      ...[close(), close({ s: 'QQQ', p: 105 })],
    ],
    plan: `USING signal SPY exec QQQ\n${PLAN}USING signal SPY exec SPY\n${PLAN.replace('PLAN p', 'PLAN q')}`,
    ends: { realizedE4: (50_000 - 20_200) * 100, settlements: [{ underlyingE4: 1_050_000 }] },
  },
  'both legs the same strike, once ATM is known': {
    instruments: [SPY, options()],
    plan: PLAN.replace('100 C', 'ATM/100 C'),
    ends: { reason: 'refused:no-contract' },
    placements: ['no-contract'],
  },
  'a day of no calendar': {
    instruments: [SPY, options()],
    plan: PLAN.replace('100 C', '100 C 999999999dte'),
    ends: { reason: 'refused:no-contract' },
  },
  'a strike ten thousand from the money': {
    instruments: [SPY, options()],
    plan: PLAN.replace('100 C', '+10001 C'),
    refused: 'document-refused',
  },
};

let folder = '';
beforeAll(() => {
  buildProgram();
  folder = mkdtempSync(join(tmpdir(), 'kestrel-hostile-'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function argvOf({ instruments, rows = usual, plan = PLAN, rUsd = '1000' }: Case): string[] {
  const [tape, plans] = [join(folder, 'tape.jsonl'), join(folder, 'plan.kes')];
  const header = { v: 'kestrel.tape/v1', id: 'hostile', calendar: 'XNYS', date: TODAY, instruments };
  writeFileSync(tape, `${[header, ...rows].map((line) => JSON.stringify(line)).join('\n')}\n`);
  writeFileSync(plans, plan);
  return ['run', '--tape', tape, '--plans', plans, '--fill', 'strict-cross-v1', '--r-usd', rUsd, '--json'];
}

function check({ refused, ends, placements }: Case, { status, stdout, stderr }: Captured): void {
  if (refused !== undefined) {
    expect({ status, stdout }, stderr).toEqual({ status: 2, stdout: '' });
    const said = JSON.parse(stderr.trimEnd().split('\n').at(-1)!);
    expect(said).toMatchObject({ code: refused, message: expect.any(String), expected: expect.any(String) });
    expect(said.got).toBeDefined();
    return;
  }
  expect(status, stderr).toBe(0);
  const blotter = JSON.parse(stdout);
  expect(blotter.plans[0]).toMatchObject(ends!);
  if (placements !== undefined) {
    expect(blotter.refusals.map((one: { code: string }) => one.code)).toEqual(placements);
  }
}

test.each(Object.entries(cases))('%s', async (_name, one) => check(one, await captured(argvOf(one))), MS_MAX);

test(
  'forty thousand contracts, strikes 0.0001 apart, a hundred plans upon them',
  () => {
    const expiry = '2024-03-15';
    const strikes = Array.from({ length: 20_000 }, (_, i) => Number((99 + i / 10_000).toFixed(4)));
    const rows = strikes.flatMap((K) =>
      ['C', 'P'].map((r) => {
        // A normal distribution's worth, near enough: some smile goes through it, so that every peg has a value to follow.
        const away = (r === 'C' ? 100 - K : K - 100) / 2;
        const worth = 2 * (away / (1 + Math.exp(-1.702 * away)) + 0.3989 * Math.exp((-away * away) / 2));
        const [b, a] = [Number((worth - 0.01).toFixed(4)), Number((worth + 0.01).toFixed(4))];
        return offer({ t: OPEN + 1_000_000, x: expiry, r, K, b, a });
      }),
    );
    const prints = Array.from({ length: 300 }, (_, i) =>
      print(i + 2, { p: Number((100.01 + (i % 7) / 100).toFixed(2)) }),
    );
    const plans = Array.from(
      { length: 100 },
      (_, i) =>
        `PLAN p${i} budget 1R ttl 15:00\n  WHEN spot > 100\n  DO buy 1 ATM/+${3000 + 50 * i} C @ min(fair, mid) peg cap fair\n  EXIT T-70 @ bid\n`,
    );
    const one: Case = {
      instruments: [SPY, options({ expiry, strikes })],
      rows: [quote(), ...rows, ...prints, close()],
      plan: plans.join(''),
      // Nobody offers at what it is worth.
      ends: { reason: 'expired', fills: [] },
      placements: [],
    };
    const ended = spawnSync(process.execPath, [program, ...argvOf(one)], {
      ...{ encoding: 'utf8', timeout: MS_MAX, maxBuffer: 1 << 28 },
    });
    check(one, { ...ended, status: ended.status ?? -1 });
  },
  2 * MS_MAX,
);
