/** `validate`: every problem of a document at once; nothing is opened or armed. */
import { z } from 'zod';
import { validate as judge } from '../../lang/index.ts';
import { op } from '../op.ts';
import { ValidateOutcome } from '../shapes.ts';

export const validate = op({
  name: 'validate',
  session: false,
  about: 'every problem of a document at once',
  args: z.strictObject({ document: z.string() }),
  emits: ValidateOutcome,
  run(_call, { document }) {
    return { value: judge(document, { imports: 'refuse' }) };
  },
});
