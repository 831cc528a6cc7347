/** `advance`: answers the pending slot and runs the clock to the next. */
import { z } from 'zod';
import { op, turnKey } from '../op.ts';
import { AuthoredResponse, SessionResponse } from '../shapes.ts';

export const advance = op({
  name: 'advance',
  session: true,
  about: 'answers the pending slot and runs the clock to the next one',
  args: z.strictObject({ response: AuthoredResponse }),
  emits: SessionResponse,
  records: turnKey,
  *run({ host, stream }, { response }) {
    const answer = yield* host.sessions.answer(stream.sessionId!, {
      op: 'advance',
      body: response,
      clock: 'runs',
      shown: stream.shown,
    });
    if (answer.state === 'pending') stream.shown = answer.delivery.slot.ordinal;
    return answer;
  },
});
