/** Requests of the protocol over HTTP: who asks, where its stream stands, and the answer's bytes. */
import type { Context } from 'hono';
import {
  AgentRefusal,
  gotOf,
  type Host,
  handleRequest,
  LINE_BYTES_MAX,
  newStream,
  OP_HEADER,
  OPS,
  type Outcome,
  type Ring,
  readRequest,
  refusalOf,
  STREAM_HEADER,
  type StreamState,
  streamOf,
  streamText,
} from '../protocol/index.ts';
import { whole } from '../session/index.ts';
import { textOf } from './body.ts';
import { followOperation, followRequest, wantsEvents } from './events.ts';
import type { Owners } from './owners.ts';
import { refused, unauthorized } from './replies.ts';

/** Requests in hand at a time; more are told to come again. */
export const IN_HAND_MAX = 4_096;

/** What the server has in hand. */
export interface Hands {
  inHand: number;
  readonly ring: Ring;
  readonly owners: Owners;
}

/** Lets a known capability's request through, if the hands are not full. What it throws is refused. */
export async function admitted(
  c: Context,
  hands: Hands,
  answer: (host: Host) => Response | Promise<Response>,
): Promise<Response> {
  if (hands.inHand >= IN_HAND_MAX) {
    return refused(c, new AgentRefusal('unavailable', 'too many requests in hand; come again'), { op: null });
  }
  hands.inHand++;
  try {
    const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const host = token === undefined ? undefined : hands.owners.hostOf(token);
    return host === undefined ? unauthorized(c) : await answer(host);
  } catch (error) {
    return refused(c, refusalOf(error), { op: null });
  } finally {
    hands.inHand--;
  }
}

/** Answers a request line, or the arguments of the op that the route names. */
export async function requested(
  c: Context,
  host: Host,
  { hands, op }: { readonly hands: Hands; readonly op: string | null },
): Promise<Response> {
  const stream = streamIn(c);
  if (stream === undefined) {
    return refused(
      c,
      new AgentRefusal('bad-arg', `the header ${STREAM_HEADER} is no stream's`, {
        path: STREAM_HEADER,
        expected: 'what the last answer gave in it, or -',
        got: gotOf(c.req.header(STREAM_HEADER)),
      }),
      { op },
    );
  }
  let outcome: Outcome;
  try {
    const request = requestIn(await textOf(c, LINE_BYTES_MAX), op);
    if (wantsEvents(c)) return followed(c, host, { hands, stream, request, op });
    outcome = await hands.ring.drive(handleRequest(host, stream, request));
    await host.syncLater();
  } catch (error) {
    outcome = { kind: 'refusal', op, refusal: refusalOf(error) };
  }
  const headers = { [STREAM_HEADER]: streamText(stream) };
  if (outcome.kind === 'refusal') return refused(c, outcome.refusal, { op: outcome.op, headers });
  const gated = (outcome.value as { gated?: unknown } | null)?.gated === true;
  return c.body(outcome.line, gated ? 402 : 200, {
    ...headers,
    [OP_HEADER]: outcome.op,
    'content-type': 'application/json',
  });
}

/** The same request, told as it runs. */
function followed(
  c: Context,
  host: Host,
  of: {
    readonly hands: Hands;
    readonly stream: StreamState;
    readonly request: Record<string, unknown>;
    readonly op: string | null;
  },
): Response {
  const { hands, stream, request } = of;
  const op = OPS.find(({ name }) => name === request.op);
  if (op?.follows !== undefined) {
    // The op answers first, so that what it refuses is refused alike by every door.
    const found = whole(handleRequest(host, stream, request));
    if (found.kind === 'refusal') return refused(c, found.refusal, { op: found.op });
    const { op: _name, ...args } = request;
    return followOperation(c, host, op.follows(args));
  }
  const run = async (): Promise<Outcome> => {
    try {
      const outcome = await hands.ring.drive(handleRequest(host, stream, request));
      await host.syncLater();
      return outcome;
    } catch (error) {
      return { kind: 'refusal', op: of.op, refusal: refusalOf(error) };
    }
  };
  return followRequest(c, host, {
    stream,
    outcome: run(),
    running: () => (stream.sessionId === null ? undefined : host.sessions.runningOn(stream.sessionId)),
    recorded: (outcome) =>
      outcome.kind === 'refusal' || stream.sessionId === null || op?.records === undefined
        ? undefined
        : `${stream.sessionId}/${op.records(outcome.value)}`,
  });
}

function requestIn(text: string, op: string | null): Record<string, unknown> {
  if (op === null) return readRequest(text);
  return { ...(text.trim() === '' ? {} : readRequest(text)), op };
}

/** A stream may only stand in a session of its own owner: ids of others are unknown to its store. */
function streamIn(c: Context): StreamState | undefined {
  const text = c.req.header(STREAM_HEADER);
  return text === undefined ? newStream() : streamOf(text);
}
