/** `grade`: replays finished sessions and says what they are worth, and whether that is a claim. */
import { z } from 'zod';
import { gradeBlotters } from '../grading.ts';
import { op } from '../op.ts';
import { GatedGrade } from '../shapes.ts';

export const grade = op({
  name: 'grade',
  session: false,
  about: 'replays blotters and reports results in R against a seeded null',
  args: z.strictObject({ blotters: z.array(z.string()) }),
  emits: GatedGrade,
  *run({ host }, { blotters }) {
    return yield* gradeBlotters(host, blotters);
  },
});
