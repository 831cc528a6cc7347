/** The ops of the protocol, in the order in which describe lists them. Adding one is a file in `ops/` and a line here. */
import type { Op } from './op.ts';
import { advance } from './ops/advance.ts';
import { artifact } from './ops/artifact.ts';
import { catalog } from './ops/catalog.ts';
import { describe } from './ops/describe.ts';
import { finalize } from './ops/finalize.ts';
import { grade } from './ops/grade.ts';
import { openSession } from './ops/openSession.ts';
import { resume } from './ops/resume.ts';
import { resumeOperation } from './ops/resumeOperation.ts';
import { revise } from './ops/revise.ts';
import { start } from './ops/start.ts';
import { submit } from './ops/submit.ts';
import { validate } from './ops/validate.ts';

/** By name, with their types. */
export const OPS_BY_NAME = {
  describe,
  catalog,
  validate,
  openSession,
  start,
  advance,
  revise,
  submit,
  resume,
  finalize,
  grade,
  artifact,
  resumeOperation,
} as const;

/** Each is run with what its own shape has let through. */
export const OPS = Object.values(OPS_BY_NAME) as readonly unknown[] as readonly Op[];

export const OP_NAMES: readonly string[] = OPS.map(({ name }) => name);
