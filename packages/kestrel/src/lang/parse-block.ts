// What all statements share in the parser: leaving a clause, keeping comments and names, literals of more than one.
import { type Cursor, type Draftable, quote, stop } from './cursor.ts';
import type { Block, Clause } from './layout.ts';
import type { Commented } from './model.ts';
import { MINUS, NUMBER, PLUS, WORD } from './scan.ts';
import { isWord, reserved } from './vocabulary.ts';

export const none: readonly string[] = [];
export const wholeNumber = ['a whole number'];
const riskForms = ['a positive risk such as 0.4R'];

/** Runs `read` over the clause that the cursor has entered; undefined where it did not parse. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown === stop) return undefined;
    throw thrown;
  }
}

/** Remembers the words of a statement that was not understood as names it may have been about to define. */
export function claim(c: Cursor, head: Clause, claimed: Set<string>): undefined {
  for (let i = head.from + 1; i < head.to; i++) {
    if (c.scan.kind[i] !== WORD) break;
    claimed.add(c.textOf(i));
    if (c.textOf(head.from) !== 'IMPORT') break;
    if (i + 1 < head.to && c.textOf(i + 1) === ',') i++;
  }
  return undefined;
}

export function withComments<T extends Commented>(node: T, { leading, trailing }: Clause): T {
  if (leading !== undefined) (node as Draftable<Commented>).leading = leading;
  if (trailing !== undefined) (node as Draftable<Commented>).trailing = trailing;
  return node;
}

export function finishStatement<T extends Commented>(c: Cursor, node: T, block: Block): T {
  withComments(node, block.head);
  if (block.dangling !== undefined) (node as { dangling?: readonly string[] }).dangling = block.dangling;
  const { head, clauses, count } = block;
  const last = count === 0 ? head : clauses[count - 1]!;
  c.spans.node(node, c.scan.start[head.from]!, c.scan.end[last.to - 1]!);
  return node;
}

/** A risk in R; a literal that is none is K020 and answers NaN. */
export function takeBudget(c: Cursor, node: object): number {
  const expected = riskForms;
  if (c.kind !== NUMBER || c.literalFault() !== undefined) c.fail(expected);
  const at = c.i++;
  c.part(node, 'budget', at);
  const fits = c.scan.unit[at] === 7 && (c.scan.flags[at]! & (PLUS | MINUS)) === 0;
  if (fits) return c.scan.value[at]!;
  c.report('K020', at, at + 1, `${quote(c.textOf(at))} is no positive risk`, {
    expected,
    hint: 'a risk is a number of R, such as 0.4R',
  });
  return Number.NaN;
}

/** A word that is no name of a statement: a tag, or its value. */
export function takeWord(c: Cursor, what: string): string {
  const word = c.text;
  if (c.kind !== WORD || word === reserved || !isWord(word)) c.fail([what]);
  c.i++;
  return word;
}
