/** The door of the verbs over text: parse, print, validate, card. It loads the language and nothing else. */
import { isUtf8 } from 'node:buffer';
import { jcs } from 'ground/jcs';
import { card, type Diagnostic, type ParseResult, parse, print, type Statement, validate } from '../lang/index.ts';
import { answer } from './answer.ts';
import { readArguments } from './arguments.ts';
import { EXITS } from './exits.ts';
import { Failure, oneLine } from './failure.ts';
import { importsBeside } from './imports.ts';
import { processStreams, type Source, type Streams } from './streams.ts';
import { TEXT_VERBS } from './verbs.ts';

/**
 * Bytes read of a document. Four times what the language allows: enough for it to refuse the document by its own
 * code, whatever its characters take.
 */
export const DOCUMENT_BYTES_MAX = 1_048_576;

/** No verb over text asks who watches, so the terminal is never loaded. */
export const open = (argv: readonly string[]): Promise<number> =>
  answer(
    runText,
    argv,
    processStreams(() => false),
  );

/** @returns the exit status @throws Failure on what the verb cannot answer */
export function runText(argv: readonly string[], streams: Streams): number {
  const verb = TEXT_VERBS.find((known) => known.name === argv[0])!;
  const { operands, values } = readArguments(verb, argv.slice(1));
  const form = values.has('json') ? 'json' : 'text';
  if (verb.name === 'card') return answerCard(form, streams);
  const source = operands[0] ?? '-';
  const text = readDocument(source, streams);
  switch (verb.name) {
    case 'parse':
      return answerParse({ source, text, form }, streams);
    case 'print':
      return answerPrint({ source, text, form }, streams);
    default:
      return answerValidate({ source, text, form }, streams);
  }
}

interface Question {
  readonly source: Source;
  readonly text: string;
  readonly form: 'text' | 'json';
}

function answerCard(form: 'text' | 'json', streams: Streams): number {
  streams.write(form === 'json' ? `${jcs({ text: card() })}\n` : card());
  return EXITS.ok;
}

function answerParse({ source, text, form }: Question, streams: Streams): number {
  const result = parse(text);
  if (form === 'json') {
    streams.write(`${jcs({ document: result.document, diagnostics: result.diagnostics })}\n`);
  } else {
    streams.write(outline(result));
    for (const diagnostic of result.diagnostics) streams.say(`${diagnosticLine(source, diagnostic)}\n`);
  }
  return errorsIn(result.diagnostics) === 0 ? EXITS.ok : EXITS['document-refused'];
}

function answerPrint({ source, text, form }: Question, streams: Streams): number {
  const { document, diagnostics } = parse(text);
  if (errorsIn(diagnostics) > 0) {
    if (form === 'text') for (const diagnostic of diagnostics) streams.say(`${diagnosticLine(source, diagnostic)}\n`);
    throw refusedDocument(source, diagnostics);
  }
  const printed = print(document);
  streams.write(form === 'json' ? `${jcs({ text: printed })}\n` : printed);
  return EXITS.ok;
}

function answerValidate({ source, text, form }: Question, streams: Streams): number {
  const { ok, diagnostics } = validate(text, importsBeside(source, streams));
  if (form === 'json') {
    streams.write(`${jcs({ ok, diagnostics })}\n`);
  } else {
    for (const diagnostic of diagnostics) streams.write(`${diagnosticLine(source, diagnostic)}\n`);
    const errors = errorsIn(diagnostics);
    const warnings = diagnostics.length - errors;
    streams.write(`${ok ? 'ok' : 'refused'}: ${count(errors, 'error')}, ${count(warnings, 'warning')}\n`);
  }
  return ok ? EXITS.ok : EXITS['document-refused'];
}

/** @returns the document's text @throws Failure where it cannot be read as UTF-8 */
export function readDocument(source: Source, streams: Streams): string {
  const { bytes, cut } = streams.read(source, DOCUMENT_BYTES_MAX);
  if (!cut && !isUtf8(bytes)) {
    throw new Failure({
      code: 'not-utf8',
      message: `${source === '-' ? 'standard input' : source} is not UTF-8 text`,
      expected: 'a document in UTF-8',
    });
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

export function refusedDocument(source: Source, diagnostics: readonly Diagnostic[]): Failure {
  const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error')!;
  return new Failure({
    code: 'document-refused',
    message: `${source === '-' ? 'standard input' : source} has ${count(errorsIn(diagnostics), 'error')}`,
    expected: 'a document without errors',
    got: `${first.code} at ${first.span.line}:${first.span.column}: ${first.message}`,
    next: 'kestrel validate lists them all',
  });
}

/** `plan.kes:3:5: error K051: …` */
export function diagnosticLine(source: Source, diagnostic: Diagnostic): string {
  const { span, severity, code, message, expected, hint } = diagnostic;
  const where = `${source}:${span.line}:${span.column}`;
  const wanted = expected === undefined || expected.length === 0 ? '' : `; wanted ${expected.join(', ')}`;
  return oneLine(`${where}: ${severity} ${code}: ${message}${wanted}${hint === undefined ? '' : `; ${hint}`}`);
}

const errorsIn = (diagnostics: readonly Diagnostic[]): number =>
  diagnostics.reduce((sum, diagnostic) => sum + (diagnostic.severity === 'error' ? 1 : 0), 0);

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

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
