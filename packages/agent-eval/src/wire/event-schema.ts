/** The JSON Schema of a trace event, from which the ingest path's validator is generated. */
import { z } from 'zod';
import { TraceEventSchema } from './schemas.ts';

interface Defs {
  readonly TraceEvent: { readonly properties: Record<string, unknown> };
  readonly EventKind: unknown;
}

/** Flat, without references: what is generated from it is then one short function. */
export function eventJsonSchema(): Record<string, unknown> {
  const { $defs } = z.toJSONSchema(TraceEventSchema, { io: 'input' }) as unknown as { $defs: Defs };
  const { TraceEvent, EventKind } = $defs;
  return { ...TraceEvent, properties: { ...TraceEvent.properties, kind: EventKind } };
}
