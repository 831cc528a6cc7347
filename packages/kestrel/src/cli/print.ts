/** `kestrel print`: a document in its canonical spelling. */
import { jcs } from 'ground/jcs';
import { parse, print } from '../lang/index.ts';
import { answer } from './answer.ts';
import { errorsIn, questionOf, refusedDocument, tellDiagnostics } from './document.ts';
import { EXITS } from './exits.ts';
import { quietStreams, type Streams } from './streams.ts';

export const open = (argv: readonly string[]): Promise<number> => answer(runPrint, argv, quietStreams());

export function runPrint(argv: readonly string[], streams: Streams): number {
  const { source, text, form } = questionOf('print', argv, streams);
  const { document, diagnostics } = parse(text);
  if (errorsIn(diagnostics) > 0) {
    if (form === 'text') tellDiagnostics(source, diagnostics, streams);
    throw refusedDocument(source, diagnostics);
  }
  const printed = print(document);
  streams.write(form === 'json' ? `${jcs({ text: printed })}\n` : printed);
  return EXITS.ok;
}
