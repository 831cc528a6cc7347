/** `start`: the first slot, or the pending one again. */
import { z } from 'zod';
import { op } from '../op.ts';
import { Delivery } from '../shapes.ts';

export const start = op({
  name: 'start',
  session: true,
  about: 'the pending slot with its frame; the first one at the open',
  args: z.strictObject({}),
  emits: Delivery,
  records: () => 'start',
  *run({ host, stream }) {
    const delivery = yield* host.sessions.start(stream.sessionId!);
    stream.shown = delivery.slot.ordinal;
    return delivery;
  },
});
