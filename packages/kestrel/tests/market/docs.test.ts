/** docs/tape.md and the code say the same. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../src/market/fields.ts';
import * as market from '../../src/market/index.ts';

const page = readFileSync(new URL('../../../../docs/tape.md', import.meta.url), 'utf8');
const section = (name: string): string => page.split(/^## /m).find((each) => each.startsWith(name)) ?? '';
const firstCells = (text: string): string[] => [...text.matchAll(/^\| `([a-z0-9-]+)`/gm)].map((match) => match[1]!);

describe('docs/tape.md', () => {
  test('lists every code of a refusal, in the order of the code', () => {
    expect(firstCells(section('Refusals'))).toEqual([...market.TAPE_CODES]);
  });

  test('lists every kind of event, with the fields that it must have', () => {
    const events = section('Events');
    expect(firstCells(events)).toEqual(['k', ...EVENTS.keys()]);
    for (const [kind, { required }] of EVENTS) {
      const row = events.split('\n').find((line) => line.startsWith(`| \`${kind}\``))!;
      const named = row.match(/`[^`]+`/g)!.join(' ');
      for (const field of required.filter((each) => each !== 't'))
        expect([kind, named]).toEqual([kind, expect.stringMatching(new RegExp(`\\b${field}\\b`))]);
    }
  });

  test('names the bounds as they are', () => {
    const bounds = [market.EVENTS_MAX, market.INSTRUMENTS_MAX, market.PRICE_UNITS_MAX].map((each) =>
      each.toLocaleString('en-US'),
    );
    for (const bound of [...bounds, `${market.SYMBOL_LENGTH_MAX} characters a symbol`, '1 MiB', '16 MiB', '2 GiB']) {
      expect(page).toContain(bound);
    }
    expect([market.LINE_BYTES_MAX, market.HEADER_BYTES_MAX, market.TAPE_BYTES_MAX]).toEqual([
      2 ** 20,
      2 ** 24,
      2 ** 31 - 1,
    ]);
  });

  test('has a header that is one, and functions that are there', () => {
    const block = /```json\n([\s\S]+?)```/.exec(section('Header'))![1]!;
    const header = block.replaceAll('\n', ' ');
    expect(market.parseTape(header).tape.instruments).toHaveLength(7);
    for (const [, names] of page.matchAll(/import \{([^}]+)\} from 'kestrel\.markets\/market'/g)) {
      for (const name of names!.split(',')) expect(market).toHaveProperty(name.trim());
    }
  });
});
