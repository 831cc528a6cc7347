// Reading GRADE and what it compares with.
import { type Cursor, type Draftable, quote } from './cursor.ts';
import type { Block, Clause } from './layout.ts';
import type { Grade, GradeClause } from './model.ts';
import { attempt, finishStatement, none, withComments } from './parse-block.ts';
import { takeName } from './parse-trigger.ts';
import { DATE, DOTDOT, MONTH, WORD } from './scan.ts';
import { isDate, isMonth, isWord, reserved, subjects } from './vocabulary.ts';

export function parseGrade(c: Cursor, block: Block): Grade | undefined {
  const node = attempt(() => parseGradeHead(c, block));
  const clauses: GradeClause[] = [];
  for (let k = 0; k < block.count && !c.full; k++) {
    const clause = block.clauses[k]!;
    c.enter(clause.from, clause.to);
    const parsed = attempt(() => parseGradeClause(c, clause));
    if (parsed !== undefined) clauses.push(withComments(parsed, clause));
  }
  if (node === undefined) return undefined;
  (node as Draftable<Grade>).clauses = clauses;
  return finishStatement(c, node, block);
}

function parseGradeHead(c: Cursor, block: Block): Grade {
  c.i++;
  const option = c.option;
  const subject = subjects.find((s) => s === option);
  if (subject === undefined) return c.fail(subjects);
  c.i++;
  const nameAt = c.i;
  const name = takeName(c, `the name of a ${subject}`);
  c.takeHead('OVER');
  const rangeAt = c.i;
  const from = takeDay(c);
  c.takePunct(DOTDOT);
  if (c.kind !== c.scan.kind[rangeAt])
    c.fail([c.scan.kind[rangeAt] === DATE ? 'a date, as the range begins' : 'a month, as the range begins']);
  const to = takeDay(c);
  const rangeEnd = c.previousEnd;
  c.takeHead('FILL');
  const fillAt = c.i;
  const fill = takeName(c, 'the name of a fill model');
  c.finish(none);
  const node: Grade = {
    kind: 'grade',
    blank: block.blank,
    subject,
    name,
    from,
    to,
    fill,
    clauses: [],
  };
  c.part(node, 'name', nameAt);
  c.spans.part(node, 'range', c.scan.start[rangeAt]!, rangeEnd);
  c.part(node, 'fill', fillAt);
  return node;
}

function takeDay(c: Cursor): string {
  const expected = ['a date such as 2025-04-09', 'a month such as 2025-04'];
  if (c.kind !== DATE && c.kind !== MONTH) c.fail(expected);
  const text = c.text;
  if (c.kind === DATE ? !isDate(text) : !isMonth(text)) {
    c.report('K053', c.i, c.i + 1, `${quote(text)} is not in the calendar`, { expected });
  }
  c.i++;
  return text;
}

function parseGradeClause(c: Cursor, clause: Clause): GradeClause {
  if (c.isHead('VS')) {
    c.i++;
    const versus = c.option;
    if (versus !== 'null' && versus !== 'ungated' && versus !== 'plan') c.fail(['null', 'ungated', 'plan']);
    c.i++;
    if (versus === 'plan') {
      const planAt = c.i;
      const plan = takeName(c, 'the name of a plan');
      c.finish(none);
      const node: GradeClause = { kind: 'vs', versus, plan };
      c.part(node, 'plan', planAt);
      return c.mark(node, clause.from);
    }
    c.finish(none);
    return c.mark({ kind: 'vs', versus: versus as 'null' | 'ungated' }, clause.from);
  }
  c.takeHead('BY', ['VS', 'BY']);
  const dims: string[] = [];
  const node: GradeClause = { kind: 'by', dims };
  do {
    const from = c.i;
    if (c.kind !== WORD || c.text === reserved || !isWord(c.text)) c.fail(['a dimension such as weekday']);
    let dim = c.text;
    c.i++;
    while (c.tryPunct(46)) {
      if (c.kind !== WORD || c.text === reserved || !isWord(c.text)) c.fail(['a word']);
      dim += `.${c.text}`;
      c.i++;
    }
    c.spans.part(node, `dims.${dims.length}`, c.scan.start[from]!, c.previousEnd);
    dims.push(dim);
  } while (c.tryPunct(44));
  c.finish([',']);
  return c.mark(node, clause.from);
}
