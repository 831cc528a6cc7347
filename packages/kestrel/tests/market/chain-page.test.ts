/** The page of `kestrel tape info` about a chain and about actions, line by line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Streams } from '../../src/cli/streams.ts';
import { showInfo } from '../../src/cli/tape-info.ts';
import { writeTape } from '../../src/market/index.ts';
import { HEADER, OPEN, type Plain, tapeOfEvents } from './lines.ts';

function pageOf(events: readonly Plain[], header: Plain): string {
  const folder = mkdtempSync(join(tmpdir(), 'chain-page-'));
  try {
    const path = join(folder, 'day.jsonl');
    writeFileSync(path, writeTape(tapeOfEvents(events, header)));
    let page = '';
    const streams = { write: (text: string) => (page += text), say: () => undefined } as unknown as Streams;
    expect(showInfo({ operands: [path], values: new Map() }, streams)).toBe(0);
    return page;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What stands below the head. */
function check(events: readonly Plain[], expected: string): void {
  const page = pageOf(events, { ...HEADER, instruments: [CHAIN] });
  expect(page.slice(page.indexOf('\n\n') + 1)).toBe(expected);
}

const CHAIN = {
  root: 'SPX',
  kind: 'option',
  expiry: '2013-10-18',
  strikes: [1650, 1655],
  multiplier: 100,
  style: 'european',
  settles: 'open',
  tick: 0.05,
};
const contract = { s: 'SPX', x: '2013-10-18', r: 'C', K: 1650 };

test('a chain is told by its roots, then by expiry', () => {
  const quote = (t: number, more: Plain) => ({ t: OPEN + t, k: 'oquote', ...contract, ...more });
  check(
    [
      quote(-1, { b: 1, bz: 1, a: 9, az: 1 }),
      quote(1, { b: 30, bz: 1, a: 31.5, az: 1 }),
      quote(2, { K: 1655, b: 27, bz: 1, a: 27.4, az: 1 }),
      quote(3, { a: 27.4, az: 1 }),
      quote(4, { b: 28, bz: 1, a: 27.4, az: 1 }),
      { t: OPEN + 5, k: 'otrade', ...contract, p: 30, z: 2 },
      { t: OPEN + 6, k: 'oi', ...contract, z: 1_234 },
    ],
    `
SPX options: 1 expiry, 2013-10-18, 4 contracts

SPX 2013-10-18 (european, settles at the open), in session
  strikes    2, 1,650.00 to 1,655.00
  contracts  4, 2 with events
  quotes     good 2, one-sided 1, non-positive 0, crossed 1, locked 0, suspect 0
  share      one-sided 25.00 %, crossed 25.00 %
  outside    1 quote before the open or after the close
  spread     0.40 to 1.50, half at most 0.40, 90 % 1.50, 99 % 1.50
  widest     1.50 at 1,650.00 C, 0.40 at 1,655.00 C
  trades     1
  interest   1,234
`,
  );
});

test('actions are told one symbol a line', () => {
  const page = pageOf([], {
    ...HEADER,
    actions: {
      SPY: { from: '2012-10-06', list: [] },
      GOOGL: {
        from: '2013-04-02',
        list: [
          { kind: 'rename', effective: '2014-04-03', from: 'GOOG', to: 'GOOGL' },
          { kind: 'distribution', effective: '2014-04-03', amount: 1.5, close: 1135.1 },
          { kind: 'split', effective: '2014-04-03', ratio: [2, 1] },
        ],
      },
    },
  });
  expect(page.split('\n').filter((line) => line.startsWith('actions'))).toEqual([
    'actions      GOOGL since 2013-04-02: GOOG became GOOGL on 2014-04-03, 1.5 paid on 2014-04-03, split 2 for 1 on 2014-04-03',
    'actions      SPY since 2012-10-06: none',
  ]);
});
