/** `kestrel card`: the whole language on one page. */
import { jcs } from 'ground/jcs';
import { card } from '../lang/index.ts';
import { answer } from './answer.ts';
import { argumentsOf } from './document.ts';
import { EXITS } from './exits.ts';
import { quietStreams, type Streams } from './streams.ts';

export const open = (argv: readonly string[]): Promise<number> => answer(runCard, argv, quietStreams());

export function runCard(argv: readonly string[], streams: Streams): number {
  const { values } = argumentsOf('card', argv);
  const text = card();
  streams.write(values.has('json') ? `${jcs({ text })}\n` : text);
  return EXITS.ok;
}
