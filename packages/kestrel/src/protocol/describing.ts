/** The value of `describe`, made from the list of ops. `npm run gen` writes it down, so that answering loads no schema. */
import { z } from 'zod';
import { OPS } from './op-list.ts';
import { inlineText, type JsonSchema, namedText } from './shape-text.ts';
import { PROTOCOL } from './wire.ts';

export interface AgentOpSchema {
  readonly op: string;
  /** Whether it needs a session that the stream has opened. */
  readonly session: boolean;
  /** Arguments as compact TypeScript-like text, all names resolved. */
  readonly args: string;
  /** The value, then one line for each name in it. */
  readonly emits: string;
  readonly argsSchema: JsonSchema;
  readonly emitsSchema: JsonSchema;
}

export function described(): { readonly protocol: string; readonly ops: readonly AgentOpSchema[] } {
  const ops = OPS.map((op) => {
    const argsSchema = schemaOf(op.args, 'input');
    const emitsSchema = schemaOf(op.emits, 'input');
    return {
      op: op.name,
      session: op.session,
      args: inlineText(argsSchema),
      emits: namedText(emitsSchema),
      argsSchema,
      emitsSchema,
    };
  });
  return { protocol: PROTOCOL, ops };
}

/** JSON Schema 2020-12. Values are given in input mode, so that a field added later breaks no reader. */
export function schemaOf(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(shape, { target: 'draft-2020-12', io, unrepresentable: 'any' }) as JsonSchema;
}
