/** What a client is told when its request is not answered. */
import type { Context } from 'hono';
import { AgentRefusal, OP_HEADER, REFUSALS, refusalLine } from '../protocol/index.ts';

export interface RefusedAt {
  /** Name of the op, null where it is unknown. */
  readonly op: string | null;
  /** Absent: the status of the refusal's code. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function refused(c: Context, refusal: AgentRefusal, at: RefusedAt): Response {
  return c.body(refusalLine(refusal, { op: at.op, line: 1 }), (at.status ?? REFUSALS[refusal.code].http) as 400, {
    ...at.headers,
    ...(at.op === null ? {} : { [OP_HEADER]: at.op }),
    'content-type': 'application/json',
  });
}

export function unauthorized(c: Context): Response {
  const refusal = new AgentRefusal('unavailable', 'a capability of this server is wanted', {
    path: 'authorization',
    expected: 'Bearer CAPABILITY; POST /v1/trials mints one',
  });
  return refused(c, refusal, { op: null, status: 401, headers: { 'www-authenticate': 'Bearer realm="kestrel"' } });
}
