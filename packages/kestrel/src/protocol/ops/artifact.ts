/** `artifact`: the value behind a reference. */
import { z } from 'zod';
import { artifactOf } from '../artifacts.ts';
import { op } from '../op.ts';
import { ArtifactResult } from '../shapes.ts';

export const artifact = op({
  name: 'artifact',
  session: false,
  about: 'the value behind a reference, `kind:sha256`',
  args: z.strictObject({ ref: z.string() }),
  emits: ArtifactResult,
  run({ host }, { ref }) {
    return { value: artifactOf(host, ref) };
  },
});
