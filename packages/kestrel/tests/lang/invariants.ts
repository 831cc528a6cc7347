// What must hold for every text whatever: no throw, spans in range and in order, the tree gives the source back.
import assert from 'node:assert/strict';
import { codes, parse, print, treeOf, treeText, validate } from '../../src/lang/index.ts';
import { commentsOf } from './arbitrary.ts';

/** Multiplies the runs of every property and fuzzer here, for a longer search. */
export const effort = Number(process.env.KESTREL_FUZZ ?? 1);

/** Checks one text; answers whether it parsed without an error. */
export function checkText(text: string): 'clean' | 'refused' {
  const parsed = parse(text);
  const { ok, diagnostics } = validate(text, { rUsdE4: 10_000_000 });
  assert.equal(ok, !diagnostics.some((d) => d.severity === 'error'));
  const lines = text.split('\n');
  let before = { start: -1, code: '' };
  for (const d of diagnostics) {
    const { start, end, line, column } = d.span;
    assert.ok(codes.has(d.code), d.code);
    assert.equal(d.severity, codes.get(d.code)!.severity);
    assert.ok(d.message.length > 0);
    assert.ok(Number.isInteger(start) && start >= 0 && end >= start && end <= text.length, JSON.stringify(d));
    assert.ok(before.start < start || (before.start === start && before.code <= d.code), JSON.stringify(diagnostics));
    assert.equal(text.slice(0, start).split('\n').length, line, JSON.stringify(d));
    assert.ok(column >= 1 && column <= lines[line - 1]!.length + 1, JSON.stringify(d));
    before = { start, code: d.code };
  }
  for (const d of parsed.diagnostics) assert.equal(d.severity, 'error');
  assert.equal(treeText(treeOf(parsed), text), text);
  const canonical = print(parsed.document);
  const again = parse(canonical);
  assert.deepEqual(again.diagnostics, [], canonical);
  assert.deepEqual(again.document, parsed.document, canonical);
  assert.equal(print(again.document), canonical);
  if (parsed.diagnostics.length > 0) return 'refused';
  assert.deepEqual(commentsOf(parsed.document).sort(), commentsIn(text).sort());
  return 'clean';
}

function commentsIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.includes('#'))
    .map((line) => line.slice(line.indexOf('#')).replace(/[ \t\r]+$/, ''));
}
