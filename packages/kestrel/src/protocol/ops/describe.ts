/** `describe`: every op's argument and response shape, on the wire. */
import { z } from 'zod';
import { DESCRIBED } from '../generated/describe.ts';
import { op } from '../op.ts';
import { Described } from '../shapes.ts';

export const describe = op({
  name: 'describe',
  session: false,
  about: 'every op with its argument and response shapes',
  args: z.strictObject({}),
  emits: Described,
  run() {
    return { value: JSON.parse(DESCRIBED) as unknown };
  },
});
