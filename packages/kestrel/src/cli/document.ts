/** A document as the verbs over text take it: read, refused, and its diagnostics as lines. */
import { isUtf8 } from 'node:buffer';
import type { Diagnostic } from '../lang/index.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { Failure, oneLine } from './failure.ts';
import type { Source, Streams } from './streams.ts';
import { TEXT_VERBS, type TextVerb } from './text-verbs.ts';

/**
 * Bytes read of a document. Four times what the language allows: enough for it to refuse the document by its own
 * code, whatever its characters take.
 */
export const DOCUMENT_BYTES_MAX = 1_048_576;

export interface Question {
  readonly source: Source;
  readonly text: string;
  readonly form: 'text' | 'json';
}

/** @throws Failure on arguments the verb does not take, or a document that cannot be read */
export function questionOf(verb: TextVerb, argv: readonly string[], streams: Streams): Question {
  const { operands, values } = argumentsOf(verb, argv);
  const source = operands[0] ?? '-';
  return { source, text: readDocument(source, streams), form: values.has('json') ? 'json' : 'text' };
}

export function argumentsOf(verb: TextVerb, argv: readonly string[]): Arguments {
  return readArguments(TEXT_VERBS[verb], argv.slice(1));
}

/** @returns the document's text @throws Failure where it cannot be read as UTF-8 */
export function readDocument(source: Source, streams: Streams): string {
  const { bytes, cut } = streams.read(source, DOCUMENT_BYTES_MAX);
  if (!cut && !isUtf8(bytes)) {
    throw new Failure({
      code: 'not-utf8',
      message: `${called(source)} is not UTF-8 text`,
      expected: 'a document in UTF-8',
    });
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

export function refusedDocument(source: Source, diagnostics: readonly Diagnostic[]): Failure {
  const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error')!;
  return new Failure({
    code: 'document-refused',
    message: `${called(source)} has ${count(errorsIn(diagnostics), 'error')}`,
    expected: 'a document without errors',
    got: `${first.code} at ${first.span.line}:${first.span.column}: ${first.message}`,
    diagnostics,
  });
}

export function tellDiagnostics(source: Source, diagnostics: readonly Diagnostic[], streams: Streams): void {
  for (const diagnostic of diagnostics) streams.say(`${diagnosticLine(source, diagnostic)}\n`);
}

/** `plan.kes:3:5: error K051: …` */
export function diagnosticLine(source: Source, diagnostic: Diagnostic): string {
  const { span, severity, code, message, expected, hint } = diagnostic;
  const where = `${source}:${span.line}:${span.column}`;
  const wanted = expected === undefined || expected.length === 0 ? '' : `; wanted ${expected.join(', ')}`;
  return oneLine(`${where}: ${severity} ${code}: ${message}${wanted}${hint === undefined ? '' : `; ${hint}`}`);
}

export const errorsIn = (diagnostics: readonly Diagnostic[]): number =>
  diagnostics.reduce((sum, diagnostic) => sum + (diagnostic.severity === 'error' ? 1 : 0), 0);

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const called = (source: Source): string => (source === '-' ? 'standard input' : source);
