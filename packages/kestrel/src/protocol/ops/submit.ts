/** `submit`: `advance` with its binding spelled out, safe to send again. */
import { z } from 'zod';
import { op, turnKey } from '../op.ts';
import { BoundResponse, SessionResponse } from '../shapes.ts';

export const submit = op({
  name: 'submit',
  session: true,
  about: 'advance with its binding spelled out; the same turn again gets the recorded answer',
  args: z.strictObject({ response: BoundResponse }),
  emits: SessionResponse,
  records: turnKey,
  *run({ host, stream }, { response }) {
    const answer = yield* host.sessions.submit(stream.sessionId!, response);
    if (answer.state === 'pending') stream.shown = answer.delivery.slot.ordinal;
    return answer;
  },
});
