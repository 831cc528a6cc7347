// The laws of text and model: printing and parsing are inverse, canonical text is a fixpoint, no comment is lost.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { checkModel, parse, print, treeOf, treeText } from '../../src/lang/index.ts';
import { bare, commentsOf, documentArb } from './arbitrary.ts';
import { effort } from './invariants.ts';

describe('laws', () => {
  it('parse(print(doc)) is doc', () => {
    fc.assert(
      fc.property(documentArb, (document) => {
        const text = print(document);
        const parsed = parse(text);
        assert.deepEqual(parsed.diagnostics, [], text);
        assert.deepEqual(parsed.document, document, text);
        assert.equal(print(parsed.document), text);
      }),
      { numRuns: 400 * effort },
    );
  });

  it('canonical text has no tabs, no space at the end of a line, no second blank line, one LF at its end', () => {
    fc.assert(
      fc.property(documentArb, (document) => {
        const text = print({ statements: document.statements.map((s) => bareStatement(s)) });
        assert.doesNotMatch(text, /\t|\r| \n|\n\n\n|^\n|\n\n$/);
        assert.ok(text === '' || text.endsWith('\n'));
        assert.doesNotMatch(text, /\S {2}/);
      }),
      { numRuns: 150 * effort },
    );
  });

  it('however it is laid out, text says the same, keeps its comments and prints to a fixpoint', () => {
    fc.assert(
      fc.property(documentArb, fc.array(fc.nat(99), { minLength: 40, maxLength: 40 }), (document, dice) => {
        const rough = roughen(print(document), dice);
        const parsed = parse(rough);
        assert.deepEqual(parsed.diagnostics, [], rough);
        assert.deepEqual(bare(parsed.document), bare(document), rough);
        const text = print(parsed.document);
        assert.deepEqual(commentsOf(parsed.document).sort(), commentLines(rough).sort(), rough);
        const again = parse(text);
        assert.deepEqual(again.diagnostics, []);
        assert.equal(print(again.document), text);
        assert.deepEqual(again.document, parsed.document, rough);
        assert.equal(treeText(treeOf(parsed), rough), rough);
      }),
      { numRuns: 250 * effort },
    );
  });

  it('a well-formed model is what the parser makes', () => {
    fc.assert(
      fc.property(documentArb, (document) => {
        checkModel(document);
        checkModel(parse(print(document)).document);
      }),
      { numRuns: 200 * effort },
    );
  });
});

function bareStatement<T extends object>(statement: T): T {
  return { ...bare(statement), blank: (statement as { blank?: boolean }).blank } as T;
}

/** Comments as they stand in the text, by the rule that `#` starts one wherever it is. */
function commentLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.includes('#'))
    .map((line) => line.slice(line.indexOf('#')).replace(/[ \t\r]+$/, ''));
}

/** Another layout of canonical text: other spaces, tabs, CRLF, a BOM, blank lines, comments, continued clauses. */
function roughen(text: string, dice: readonly number[]): string {
  let k = 0;
  const roll = (sides: number): number => dice[k++ % dice.length]! % sides;
  const deep = ['   ', '\t', '      '][roll(3)]!;
  const eol = roll(3) === 0 ? '\r\n' : '\n';
  const lines: string[] = [];
  let block = '';
  for (const line of text.split('\n')) {
    const hash = line.indexOf('#');
    const code = hash < 0 ? line : line.slice(0, hash);
    const comment = hash < 0 ? '' : line.slice(hash);
    const indented = code.startsWith('  ');
    if (code.trim() === '') {
      lines.push(line === '' ? ' '.repeat(roll(3)) : (code === '' ? '' : deep) + comment);
      continue;
    }
    if (!indented) block = code.split(' ')[0]!;
    // A head of clauses is one line; anything else may run on.
    const runsOn = indented || !['PLAN', 'POD', 'GRADE'].includes(block);
    const words = code.trim().split(' ');
    let current = indented ? deep : '';
    words.forEach((word, n) => {
      const gap = n === 0 ? '' : [' ', '  ', '\t', ' '][roll(4)]!;
      if (n > 0 && runsOn && roll(9) === 0) {
        if (roll(4) === 0) current += ' # on the way';
        lines.push(current);
        if (roll(5) === 0) lines.push(`${deep}${deep}   # between`);
        if (roll(6) === 0) lines.push('');
        current = `${deep}${deep} ${word}`;
      } else current += gap + word;
    });
    lines.push(current + (comment === '' ? ' '.repeat(roll(2)) : `${[' ', '\t'][roll(2)]}${comment}  `));
    if (roll(12) === 0) lines.push(indented || roll(2) === 0 ? '# loose' : `${deep}# loose`);
    if (roll(12) === 0) lines.push('', '');
  }
  return (roll(4) === 0 ? '\ufeff' : '') + lines.join(eol) + (roll(3) === 0 ? eol : '');
}
