/** `revise`: answers the pending slot; the clock stands, and a fresh slot comes back. */
import { z } from 'zod';
import { op, turnKey } from '../op.ts';
import { AuthoredResponse, SessionResponse } from '../shapes.ts';

export const revise = op({
  name: 'revise',
  session: true,
  about: 'answers the pending slot and leaves the clock where it is',
  args: z.strictObject({ response: AuthoredResponse }),
  emits: SessionResponse,
  records: turnKey,
  *run({ host, stream }, { response }) {
    const answer = yield* host.sessions.answer(stream.sessionId!, {
      op: 'revise',
      body: response,
      clock: 'stands',
      shown: stream.shown,
    });
    if (answer.state === 'pending') stream.shown = answer.delivery.slot.ordinal;
    return answer;
  },
});
