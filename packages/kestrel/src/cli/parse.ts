/** `kestrel parse`: an outline of a document, or with --json its model and diagnostics. */
import { type ParseResult, parse, type Statement } from '../lang/index.ts';
import { answer } from './answer.ts';
import { count, errorsIn, questionOf, tellDiagnostics } from './document.ts';
import { EXITS } from './exits.ts';
import { quietStreams, type Streams } from './streams.ts';

export const open = (argv: readonly string[]): Promise<number> => answer(runParse, argv, quietStreams());

export function runParse(argv: readonly string[], streams: Streams): number {
  const { source, text, form } = questionOf('parse', argv, streams);
  const result = parse(text);
  if (form === 'json') {
    streams.write(`${canonical({ document: result.document, diagnostics: result.diagnostics })}\n`);
  } else {
    streams.write(outline(result));
    tellDiagnostics(source, result.diagnostics, streams);
  }
  return errorsIn(result.diagnostics) === 0 ? EXITS.ok : EXITS['document-refused'];
}

/**
 * The text that `jcs` would give. A document's trigger may nest deeper than what `jcs` takes to hash, and no key of the
 * model is a number, so that sorted keys are all there is to it.
 */
function canonical(value: object): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part === null || typeof part !== 'object' || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/** A line a statement: what a person checks at a glance. */
function outline({ document, spanOf }: ParseResult): string {
  const rows = document.statements.map((statement) => {
    const line = spanOf(statement)?.line ?? 0;
    return `${String(line).padStart(5)}  ${headline(statement)}\n`;
  });
  return rows.length === 0 ? 'an empty document\n' : rows.join('');
}

function headline(statement: Statement): string {
  switch (statement.kind) {
    case 'import':
      return `IMPORT ${statement.names.join(', ')} FROM ${statement.path}`;
    case 'using':
      return `USING  signal ${statement.signal} exec ${statement.exec}`;
    case 'plan': {
      const clauses = statement.clauses.length + 1 + (statement.when === undefined ? 0 : 1);
      return `PLAN   ${statement.name}: ${count(clauses, 'clause')}, budget ${statement.budget / 10_000}R`;
    }
    case 'wake':
      return `WAKE   ${statement.name}: delivers ${statement.deliver}`;
    case 'view':
      return `VIEW   ${statement.name}: ${statement.panes.map((pane) => pane.word).join(' ')}`;
    case 'pod':
      return `POD    ${statement.name}: ${count(statement.books.length, 'book')}`;
    case 'grade':
      return `GRADE  ${statement.subject} ${statement.name} over ${statement.from}..${statement.to}`;
    default:
      return statement satisfies never;
  }
}
