/** One call of one method, whichever door it came through: the result, or an error that a caller may see. */
import { WireError } from './errors.ts';
import type { Call, Method, Result } from './method.ts';

export type Outcome =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'error'; readonly error: WireError };

/** @throws the abort's reason when the caller has gone; nothing else */
export async function handle(method: Method, call: Call): Promise<Outcome> {
  try {
    return { kind: 'result', result: await method.call(call) };
  } catch (error) {
    if (call.isGone()) throw error;
    return { kind: 'error', error: error instanceof WireError ? error : internal(error) };
  }
}

/** Our own mistake: the caller learns that it happened, the operator what it was. */
export function internal(cause: unknown): WireError {
  console.error('agent-eval: internal error:', cause);
  return new WireError('internal_error', 'the server failed; its log says more', { cause });
}
