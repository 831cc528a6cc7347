/** `resume`: what happened in the session after a cursor. */
import { z } from 'zod';
import { op } from '../op.ts';
import { EventCursor, SessionTranscript } from '../shapes.ts';
import { eventsAfter } from '../transcript.ts';

export const resume = op({
  name: 'resume',
  session: true,
  about: 'the events of the session after a cursor',
  args: z.strictObject({ after: EventCursor.optional() }),
  emits: SessionTranscript,
  run({ host, stream }, { after }) {
    const log = host.sessions.known(stream.sessionId!);
    return { value: eventsAfter(log, after) };
  },
});
