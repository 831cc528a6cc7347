/**
 * Whatever was thrown, as a refusal: what names itself `unavailable` is, amounts beyond what is exact are `too-large`,
 * anything else is a fault of ours.
 */
import { AgentRefusal } from './refusal.ts';

export function refusalOf(error: unknown): AgentRefusal {
  if (error instanceof AgentRefusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  const { code, expected, got } = (error ?? {}) as { code?: unknown; expected?: unknown; got?: unknown };
  const known = code === 'unavailable' ? 'unavailable' : code === 'amount-range' ? 'too-large' : undefined;
  if (known === undefined) return new AgentRefusal('internal', `a fault of ours: ${message}`);
  return new AgentRefusal(known, message, {
    ...(typeof expected === 'string' ? { expected } : {}),
    ...(typeof got === 'string' ? { got } : {}),
  });
}
