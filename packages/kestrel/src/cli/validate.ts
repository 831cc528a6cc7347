/** `kestrel validate`: every problem of a document at once. */
import { jcs } from 'ground/jcs';
import { validate } from '../lang/index.ts';
import { answer } from './answer.ts';
import { count, diagnosticLine, errorsIn, questionOf } from './document.ts';
import { EXITS } from './exits.ts';
import { importsBeside } from './imports.ts';
import { quietStreams, type Streams } from './streams.ts';

export const open = (argv: readonly string[]): Promise<number> => answer(runValidate, argv, quietStreams());

export function runValidate(argv: readonly string[], streams: Streams): number {
  const { source, text, form } = questionOf('validate', argv, streams);
  const { ok, diagnostics } = validate(text, importsBeside(source, streams));
  if (form === 'json') {
    streams.write(`${jcs({ ok, diagnostics })}\n`);
  } else {
    for (const diagnostic of diagnostics) streams.write(`${diagnosticLine(source, diagnostic)}\n`);
    const errors = errorsIn(diagnostics);
    streams.write(
      `${ok ? 'ok' : 'refused'}: ${count(errors, 'error')}, ${count(diagnostics.length - errors, 'warning')}\n`,
    );
  }
  return ok ? EXITS.ok : EXITS['document-refused'];
}
