/** `finalize`: runs the session to its end with what stands; again with the same answer. */
import { z } from 'zod';
import { op } from '../op.ts';
import { Finalized } from '../shapes.ts';

export const finalize = op({
  name: 'finalize',
  session: true,
  about: 'runs to the end of the session; the blotter, the tip and the proof',
  args: z.strictObject({}),
  emits: Finalized,
  records: () => 'finalize',
  *run({ host, stream }) {
    const { blotter, sessionId, tipHash, conformanceRoot, artifacts } = yield* host.sessions.finalize(
      stream.sessionId!,
    );
    stream.open = false;
    return { blotter, sessionId, tipHash, conformanceRoot, artifacts };
  },
});
