import { expect, test } from 'vitest';
import { runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/index.ts';

const OPEN = 1_710_163_800_000_000;
const header = {
  v: 'kestrel.tape/v1',
  id: 'amounts',
  calendar: 'XNYS',
  date: '2024-03-11',
  instruments: [{ symbol: 'SPY', kind: 'equity', tick: 0.01 }],
  session: { open: OPEN, close: OPEN + 3_600_000_000 },
};

function dayOf({ events, plan }: { readonly events: readonly object[]; readonly plan: string }) {
  const lines = [header, ...events.map((event, i) => ({ t: OPEN + i * 1_000_000, s: 'SPY', ...event }))];
  const { tape } = parseTape(lines.map((line) => JSON.stringify(line)).join('\n'));
  return runDay({ tape, documents: [parse(plan).document], fill: 'strict-cross-v1', rUsd: 1_000_000 });
}

const BUY = 'PLAN p budget 10000R ttl +50m\n  WHEN spot > 0\n  DO buy 999999 shares @ ask\n';
const quote = { k: 'quote', b: 100, bz: 9_000_000, a: 100.01, az: 9_000_000 };

test.each([
  ['the mark at the close', BUY],
  ['a sale', `${BUY}  INVALIDATE spot > 1000 -> flat\n`],
])('%s that is too large to be exact is refused, not rounded', (_what, plan) => {
  const events = [quote, { k: 'trade', p: 100, z: 1 }, quote, { k: 'trade', p: 100, z: 1 }];
  const dear = { k: 'quote', b: 999_999_998, bz: 9_000_000, a: 999_999_999, az: 9_000_000 };
  const sold = dayOf({ events: [...events, { ...dear, b: 300, a: 301 }, { k: 'trade', p: 300, z: 1 }], plan });
  expect(sold.plans[0]!.fills.length).toBeGreaterThan(0);
  const tooDear = [...events, dear, { k: 'trade', p: 999_999_999, z: 1 }, dear, dear];
  expect(() => dayOf({ events: tooDear, plan })).toThrow(
    expect.objectContaining({ name: 'EngineRefusal', code: 'amount-range' }),
  );
});

test('a distance in bps of a price of 0 is no distance', () => {
  const events = [0, 5, 6].map((p) => ({ k: 'trade', p, z: 1 }));
  const plan = 'PLAN p budget 1R ttl +50m\n  WHEN spot < open - 5bps\n  DO buy 1 shares @ ask\n';
  const { nearest } = dayOf({ events, plan }).plans[0]!;
  expect(nearest).toMatchObject({ t: null, distance: null, blockedBy: 'spot < open - 5bps' });
});
