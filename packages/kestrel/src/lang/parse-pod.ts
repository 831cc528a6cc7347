// Reading POD and its books.
import type { Cursor, Draftable } from './cursor.ts';
import type { Block, Clause } from './layout.ts';
import type { Book, Pod } from './model.ts';
import { attempt, claim, finishStatement, none, takeBudget, withComments } from './parse-block.ts';
import { takeName, takeSymbol } from './parse-trigger.ts';
import { ARROW, WORD } from './scan.ts';

export function parsePod(c: Cursor, block: Block, claimed: Set<string>): Pod {
  const { head } = block;
  const node: Draftable<Pod> & { books: Book[] } = {
    kind: 'pod',
    blank: block.blank,
    name: '',
    dayLoss: Number.NaN,
    books: [],
  };
  attempt(() => {
    c.i++;
    c.part(node, 'name', Math.min(c.i, c.end - 1));
    node.name = takeName(c, 'a name for the pod');
    c.takeHead('RISK');
    c.takeOption('day-loss');
    node.dayLoss = takeBudget(c, node);
    c.takePunct(ARROW);
    c.takeOption('halt');
    c.finish(none);
  });
  if (node.name === '') claim(c, head, claimed);
  for (let k = 0; k < block.count && !c.full; k++) {
    const clause = block.clauses[k]!;
    c.enter(clause.from, clause.to);
    const book = attempt(() => parseBook(c, clause));
    if (book !== undefined) node.books.push(withComments(book, clause));
    else if (clause.to > clause.from + 1 && c.scan.kind[clause.from + 1] === WORD)
      claimed.add(c.textOf(clause.from + 1));
  }
  return finishStatement(c, node, block);
}

function parseBook(c: Cursor, clause: Clause): Book {
  c.takeHead('BOOK');
  const nameAt = c.i;
  const name = takeName(c, 'a name for the book');
  const node: Draftable<Book> & { coverage: string[] } = {
    name,
    budget: Number.NaN,
    coverage: [],
  };
  c.takeOption('budget');
  node.budget = takeBudget(c, node);
  c.takeOption('coverage');
  do node.coverage.push(takeSymbol(c));
  while (c.tryPunct(44));
  c.finish([',']);
  c.part(node, 'name', nameAt);
  return c.mark(node, clause.from);
}
