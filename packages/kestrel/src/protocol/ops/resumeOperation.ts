/** `resumeOperation`: what became of an operation, from the log. */
import { z } from 'zod';
import { op } from '../op.ts';
import { operationOf } from '../operations.ts';
import { EventCursor, OperationResumption } from '../shapes.ts';

export const resumeOperation = op({
  name: 'resumeOperation',
  session: false,
  about: 'what became of an operation, with its events and value',
  args: z.strictObject({ operationId: z.string(), after: EventCursor.optional() }),
  emits: OperationResumption,
  follows: ({ operationId, after }) => ({ operationId, after }),
  run({ host }, { operationId, after }) {
    return { value: operationOf(host, operationId, after) };
  },
});
