import { expect, test } from 'vitest';
import { runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { parseTape } from '../../src/market/index.ts';

const OPEN = 1_710_163_800_000_000;
const header = {
  v: 'kestrel.tape/v1',
  id: 'suspect',
  calendar: 'XNYS',
  date: '2024-03-11',
  instruments: [{ symbol: 'SPY', kind: 'equity', tick: 0.01 }],
  session: { open: OPEN, close: OPEN + 3_600_000_000 },
};

/** Fills of a plan that buys at 99.50, after a row that its source marks as suspicious. */
function fillsAfter(row: object): number {
  const lines = [
    header,
    { t: OPEN, k: 'quote', s: 'SPY', b: 100, bz: 5, a: 100.1, az: 5 },
    { t: OPEN + 1_000_000, k: 'trade', s: 'SPY', p: 100, z: 1 },
    { t: OPEN + 2_000_000, ...row },
    { t: OPEN + 3_000_000, k: 'trade', s: 'SPY', p: 100, z: 1 },
  ];
  const { tape } = parseTape(lines.map((line) => JSON.stringify(line)).join('\n'));
  const { document } = parse('PLAN p budget 10R ttl +50m\n  WHEN spot >= 100\n  DO buy 1 shares @ 99.50\n');
  const blotter = runDay({ tape, documents: [document], fill: 'strict-cross-v1', rUsd: 1_000 });
  return blotter.plans[0]!.fills.length;
}

test.each([
  ['quote', { k: 'quote', s: 'SPY', b: 99, bz: 5, a: 99.2, az: 5 }],
  ['trade', { k: 'trade', s: 'SPY', p: 99.2, z: 5 }],
])('a suspicious %s fills nothing, an honest one does', (_kind, row) => {
  expect(fillsAfter(row)).toBeGreaterThan(0);
  expect(fillsAfter({ ...row, suspect: true })).toBe(0);
});
