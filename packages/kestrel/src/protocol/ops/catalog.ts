/** `catalog`: the pinned subjects, in order of id. */
import { z } from 'zod';
import { op } from '../op.ts';
import { CatalogEntry } from '../shapes.ts';
import { entries } from '../subjects.ts';

export const catalog = op({
  name: 'catalog',
  session: false,
  about: 'the pinned subjects that openSession takes',
  args: z.strictObject({}),
  emits: z.array(CatalogEntry),
  run() {
    return { value: entries };
  },
});
