// Golden cases: text, and what it prints to or is refused with. The cases are data, in golden/*.cases.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { codes, type Diagnostic, parse, print, type ValidateOptions, validate } from '../../src/lang/index.ts';
import { checkText } from './invariants.ts';

interface GoldenCase {
  readonly title: string;
  readonly source: string;
  readonly options: ValidateOptions;
  /** Canonical text, where the source parses without an error. */
  readonly prints: string | undefined;
  /** Lines of `CODE line:column covered text`, with ` ;; hint` where the hint matters; undefined: not looked at. */
  readonly diagnostics: readonly string[] | undefined;
}

const folder = new URL('./golden/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.cases'));

for (const file of files) {
  describe(file, () => {
    for (const golden of readCases(readFileSync(new URL(file, folder), 'utf8'))) {
      it(golden.title, () => {
        check(golden);
      });
    }
  });
}

describe('golden cases', () => {
  it('cover every code, refused and nearly refused', () => {
    const all = files.flatMap((file) => readCases(readFileSync(new URL(file, folder), 'utf8')));
    const seen = new Set(all.flatMap((golden) => golden.diagnostics ?? []).map((line) => line.slice(0, 4)));
    // K012 needs documents beside the one that is checked; the import tests hold its cases.
    assert.deepEqual(
      [...codes.keys()].filter((code) => !seen.has(code) && code !== 'K012'),
      [],
    );
    const clean = all.filter((golden) => golden.diagnostics?.length === 0).map((golden) => golden.title);
    for (const code of codes.keys()) {
      if (['K001', 'K002', 'K012', 'K013', 'K060'].includes(code)) continue;
      assert.ok(
        clean.some((title) => title.startsWith(code)),
        `no near miss of ${code}`,
      );
    }
  });
});

function check({ source, options, prints, diagnostics }: GoldenCase): void {
  checkText(source);
  const parsed = parse(source);
  if (prints !== undefined) {
    assert.deepEqual(
      parsed.diagnostics.map((d) => lineOf(d, source, '')),
      [],
    );
    assert.equal(print(parsed.document), prints);
  }
  if (diagnostics === undefined) return;
  const got = validate(source, options).diagnostics.map((d, k) => lineOf(d, source, diagnostics[k] ?? ''));
  assert.deepEqual(got, diagnostics);
}

/** A diagnostic as the golden file writes it; the hint is shown where the expectation shows one. */
function lineOf(d: Diagnostic, source: string, expectation: string): string {
  const covered = source.slice(d.span.start, d.span.end).replace(/\s+/g, ' ');
  const line = `${d.code} ${d.span.line}:${d.span.column} ${covered}`.trimEnd();
  return expectation.includes(' ;; ') ? `${line} ;; ${d.hint ?? ''}` : line;
}

/** One blank line at the end of a case belongs to the file, not to the case. */
function readCases(text: string): GoldenCase[] {
  const cases: GoldenCase[] = [];
  for (const part of text.split(/^=== /m).slice(1)) {
    const chunk = part.endsWith('\n\n') ? part.slice(0, -1) : part;
    const [head = '', ...sections] = chunk.split(/^--- /m);
    const title = head.slice(0, head.indexOf('\n'));
    const escaped = title.endsWith('(escaped)');
    const source = unescaped(head.slice(head.indexOf('\n') + 1), escaped);
    const named = new Map(sections.map((s) => [s.slice(0, s.indexOf('\n')).trim(), s.slice(s.indexOf('\n') + 1)]));
    const prints = named.has('same') ? source : named.get('print');
    const options = named.get('options');
    const diagnostics = named.has('clean') ? '' : named.get('diagnostics');
    cases.push({
      title,
      source,
      options: options === undefined ? {} : (JSON.parse(options) as ValidateOptions),
      prints: prints === undefined ? undefined : unescaped(prints, escaped),
      diagnostics: diagnostics
        ?.split('\n')
        .filter((line) => line !== '')
        .map((line) => unescaped(line, escaped)),
    });
  }
  return cases;
}

/** In a case marked `(escaped)` every line break of the file is dropped and `\n`, `\r`, `\t`, `\uXXXX` are read. */
function unescaped(text: string, escaped: boolean): string {
  if (!escaped) return text;
  return JSON.parse(`"${text.replace(/\n/g, '').replace(/"/g, '\\"')}"`) as string;
}
