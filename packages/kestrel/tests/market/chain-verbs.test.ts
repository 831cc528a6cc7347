/** The verbs that make chains, from their arguments on: `tape import` of snapshots and actions, `tape synth --chain`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Arguments, readArguments } from '../../src/cli/arguments.ts';
import type { Streams } from '../../src/cli/streams.ts';
import { tapeImport } from '../../src/cli/tape-import.ts';
import { tapeSynth } from '../../src/cli/tape-synth.ts';
import { PEOPLE_VERBS } from '../../src/cli/verbs.ts';
import { parseTape, type Tape, tapeInfo } from '../../src/market/index.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chain-verbs-'));
  for (const name of ['map_files', 'factor_files']) mkdirSync(join(folder, 'usa', name), { recursive: true });
  const rows = ['time,expiry,right,strike,bid,bid_size,ask,ask_size', '10:00,20140621,C,92.14,1.05,5,1.1,7'];
  writeFileSync(join(folder, 'aapl_20140609_chain.csv'), rows.join('\n'));
  writeFileSync(join(folder, 'usa/map_files/aapl.csv'), '19980102,aapl,Q\n20501231,aapl,Q\n');
  writeFileSync(
    join(folder, 'usa/factor_files/aapl.csv'),
    '19980102,1,0.1428571,1\n20140606,1,0.1428571,645.57\n20501231,1,1,0\n',
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

type Run = (arguments_: Arguments, streams: Streams) => Promise<number>;

async function made(verb: string, run: Run, argv: readonly string[]): Promise<Tape> {
  const chunks: Buffer[] = [];
  const streams = {
    write: (chunk: Uint8Array | string) => chunks.push(Buffer.from(chunk)),
    say: () => undefined,
  } as unknown as Streams;
  const row = PEOPLE_VERBS.find(({ name }) => name === verb)!;
  expect(await run(readArguments(row, argv), streams)).toBe(0);
  return parseTape(Buffer.concat(chunks)).tape;
}

test('tape import reads snapshots and the actions of a folder', async () => {
  const file = join(folder, 'aapl_20140609_chain.csv');
  for (const format of [[], ['--format', 'chain-csv']]) {
    const tape = await made('tape import', tapeImport, [file, ...format, '--actions', join(folder, 'usa')]);
    expect(tape.header.actions).toEqual({
      AAPL: { from: '2013-06-08', list: [{ kind: 'split', effective: '2014-06-09', ratio: [7, 1] }] },
    });
    expect(tapeInfo(tape).chains[0]).toMatchObject({ root: 'AAPL', strikes: 1, quotes: { good: 1 } });
  }
});

test('tape import refuses a folder that has no actions', async () => {
  const file = join(folder, 'aapl_20140609_chain.csv');
  await expect(made('tape import', tapeImport, [file, '--actions', folder])).rejects.toMatchObject({
    code: 'option-bad',
    got: folder,
  });
});

test('tape synth makes a chain of the quotes that are asked for', async () => {
  const order = '--seed 7 --date 2024-03-12 --regime range --events 1000 --chain 0dte --option-quotes 600'.split(' ');
  const info = tapeInfo(await made('tape synth', tapeSynth, order));
  expect(info.chains.map(({ root, expiry }) => [root, expiry])).toEqual([['SYN', '2024-03-12']]);
  expect(info.kinds).toMatchObject({ oquote: 600, close: 1 });
});
