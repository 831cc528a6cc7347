/** Whatever was thrown, as a refusal: what names itself `unavailable` is, anything else is a fault of ours. */
import { AgentRefusal } from './refusal.ts';

export function refusalOf(error: unknown): AgentRefusal {
  if (error instanceof AgentRefusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  const { code, expected, got } = (error ?? {}) as { code?: unknown; expected?: unknown; got?: unknown };
  if (code !== 'unavailable') return new AgentRefusal('internal', `a fault of ours: ${message}`);
  return new AgentRefusal('unavailable', message, {
    ...(typeof expected === 'string' ? { expected } : {}),
    ...(typeof got === 'string' ? { got } : {}),
  });
}
