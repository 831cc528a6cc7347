// The documentation of the language: its tables are fresh, and what it shows as Kestrel is Kestrel.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { fillTables, languageTables, parse, print, validate } from '../../src/lang/index.ts';

const place = new URL('../../../../docs/language.md', import.meta.url);
const text = readFileSync(place, 'utf8');

describe('docs/language.md', () => {
  it('has every table, made from the code', () => {
    for (const name of languageTables().keys()) assert.ok(text.includes(`<!-- table: ${name} -->`), name);
    const made = fillTables(text);
    if (process.env.KESTREL_GEN !== undefined && made !== text) writeFileSync(place, made);
    else assert.equal(text, made);
  });

  it('shows documents that validate and are canonical', () => {
    const shown = [...text.matchAll(/```kestrel\n([\s\S]*?)```/g)].map((match) => match[1]!);
    assert.ok(shown.length > 0);
    for (const document of shown) {
      assert.deepEqual(validate(document).diagnostics, []);
      assert.equal(print(parse(document).document), document);
    }
  });
});
