/**
 * The protocol over HTTP. A request line posted to `/v1/requests` is answered with the bytes that `kestrel agent` would
 * print; each op also has a route of its own. Events stream as server-sent events, datasets are put by name.
 */

import { jcs } from 'ground/jcs';
import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { parseTape, unpack } from '../market/index.ts';
import {
  AgentRefusal,
  DATASET_DEFAULTS,
  eventsAfter,
  gotOf,
  type Host,
  handleRequest,
  LINE_BYTES_MAX,
  newStream,
  OP_HEADER,
  OPS,
  type Outcome,
  REFUSALS,
  readRequest,
  refusalLine,
  refusalOf,
  STREAM_HEADER,
  type StreamState,
  streamOf,
  streamText,
  tokenOf,
} from '../protocol/index.ts';
import type { SessionEvent } from '../session/index.ts';
import { DATASET_NAME } from '../store/index.ts';
import { drive } from './drive.ts';
import { openApi } from './openapi.ts';
import type { Owners } from './owners.ts';

/** Bytes of a tape that is put, as sent and unpacked. */
export const DATASET_BYTES_MAX = 64 * 1024 * 1024;
/** Requests in hand at a time; more are told to come again. */
export const IN_HAND_MAX = 4_096;
/** How often a follower of events looks for more, and how long it is followed. */
const LOOK_MS = 50;
const FOLLOW_MS_MAX = 3_600_000;

export interface AppOptions {
  readonly owners: Owners;
  readonly version: string;
  readonly trials: 'minted' | 'refused';
}

export function appOf({ owners, version, trials }: AppOptions): Hono {
  const app = new Hono();
  let inHand = 0;
  let document: string | undefined;

  app.get('/health', (c) => c.json({ status: 'ok', protocol: 'kestrel.agent/v1', version }));
  app.get('/openapi.json', (c) => {
    document ??= JSON.stringify(openApi(version));
    return c.body(document, 200, { 'content-type': 'application/json' });
  });

  app.post('/v1/trials', (c) => {
    const token = trials === 'minted' ? owners.mint() : undefined;
    if (token === undefined)
      return refused(c, new AgentRefusal('unavailable', 'this server mints no trials'), null, 403);
    return c.json({ token }, 201);
  });

  app.use('/v1/*', async (c, next) => {
    if (c.req.path === '/v1/trials') return next();
    if (inHand >= IN_HAND_MAX) {
      return refused(c, new AgentRefusal('unavailable', 'too many requests in hand; come again'), null);
    }
    inHand++;
    try {
      return await next();
    } finally {
      inHand--;
    }
  });

  app.post('/v1/requests', async (c) => {
    const host = hostIn(c, owners);
    if (host === undefined) return unauthorized(c);
    const text = await bodyOf(c, LINE_BYTES_MAX);
    if (text === undefined) return refused(c, tooLarge(), null);
    return answered(c, host, () => readRequest(text));
  });

  for (const op of OPS) {
    app.post(`/v1/ops/${op.name}`, async (c) => {
      const host = hostIn(c, owners);
      if (host === undefined) return unauthorized(c);
      const text = await bodyOf(c, LINE_BYTES_MAX);
      if (text === undefined) return refused(c, tooLarge(), op.name);
      return answered(c, host, () => ({ ...(text.trim() === '' ? {} : readRequest(text)), op: op.name }));
    });
  }

  app.get('/v1/sessions/:id/events', (c) => {
    const host = hostIn(c, owners);
    if (host === undefined) return unauthorized(c);
    return follow(c, host, c.req.param('id'));
  });

  app.put('/v1/datasets/:name', async (c) => {
    const host = hostIn(c, owners);
    if (host === undefined) return unauthorized(c);
    try {
      return await put(c, host, c.req.param('name'));
    } catch (error) {
      return refused(c, refusalOfTape(error), null);
    }
  });

  app.notFound((c) =>
    refused(c, new AgentRefusal('unknown-op', 'there is no such route; GET /openapi.json lists them'), null),
  );
  app.onError((error, c) => refused(c, refusalOf(error), null));
  return app;
}

function hostIn(c: Context, owners: Owners): Host | undefined {
  const token = /^Bearer ([\x21-\x7e]{1,512})$/.exec(c.req.header('authorization') ?? '')?.[1];
  return token === undefined ? undefined : owners.hostOf(token);
}

async function answered(c: Context, host: Host, request: () => Record<string, unknown>): Promise<Response> {
  const stream = streamIn(c);
  if (stream === undefined) {
    return refused(
      c,
      new AgentRefusal('bad-arg', `the header ${STREAM_HEADER} is no stream's`, {
        path: STREAM_HEADER,
        expected: 'what the last answer gave in it, or -',
        got: gotOf(c.req.header(STREAM_HEADER)),
      }),
      null,
    );
  }
  let outcome: Outcome;
  try {
    outcome = await drive(handleRequest(host, stream, request()));
    await host.syncLater();
  } catch (error) {
    outcome = { kind: 'refusal', op: null, refusal: refusalOf(error) };
  }
  c.header(STREAM_HEADER, streamText(stream));
  if (outcome.kind === 'refusal') return refused(c, outcome.refusal, outcome.op);
  c.header(OP_HEADER, outcome.op);
  const gated = (outcome.value as { gated?: unknown } | null)?.gated === true;
  return c.body(outcome.line, gated ? 402 : 200, { 'content-type': 'application/json' });
}

/** A stream may only stand in a session of its own owner: ids of others are unknown to its store. */
function streamIn(c: Context): StreamState | undefined {
  const text = c.req.header(STREAM_HEADER);
  return text === undefined ? newStream() : streamOf(text);
}

function refused(
  c: Context,
  refusal: AgentRefusal,
  op: string | null,
  status: number = REFUSALS[refusal.code].http,
): Response {
  if (op !== null) c.header(OP_HEADER, op);
  return c.body(refusalLine(refusal, { op, line: 1 }), status as 400, { 'content-type': 'application/json' });
}

function unauthorized(c: Context): Response {
  c.header('www-authenticate', 'Bearer realm="kestrel"');
  const refusal = new AgentRefusal('unavailable', 'a capability of this server is wanted', {
    path: 'authorization',
    expected: 'Bearer CAPABILITY; POST /v1/trials mints one',
  });
  return refused(c, refusal, null, 401);
}

function tooLarge(): AgentRefusal {
  return new AgentRefusal('too-large', `a request has at most ${LINE_BYTES_MAX} bytes`, {
    expected: `at most ${LINE_BYTES_MAX} bytes`,
  });
}

/** The body as text; undefined beyond the bound, without reading the rest. */
async function bodyOf(c: Context, bytesMax: number): Promise<string | undefined> {
  const bytes = await bytesOf(c, bytesMax);
  return bytes === undefined ? undefined : new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

async function bytesOf(c: Context, bytesMax: number): Promise<Uint8Array | undefined> {
  if (Number(c.req.header('content-length') ?? 0) > bytesMax) return undefined;
  const body = c.req.raw.body;
  if (body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let total = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    total += value.length;
    if (total > bytesMax) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

/** Events of a session from a cursor on, and on as they come, until it is finalized. */
function follow(c: Context, host: Host, id: string): Response | Promise<Response> {
  const log = host.sessions.log(id);
  if (log === undefined) {
    return refused(c, new AgentRefusal('unknown-subject', 'there is no such session', { path: 'id', got: id }), null);
  }
  const from = cursorIn(c.req.header('last-event-id') ?? c.req.query('after'));
  return streamSSE(c, async (sse) => {
    let after = from;
    for (let waited = 0; waited < FOLLOW_MS_MAX && !sse.aborted; waited += LOOK_MS) {
      const now = host.sessions.log(id);
      if (now === undefined) return;
      await host.syncLater();
      let transcript: ReturnType<typeof eventsAfter>;
      try {
        transcript = eventsAfter(now, after);
      } catch (error) {
        await sse.writeSSE({ event: 'refusal', data: refusalLine(refusalOf(error), { op: null, line: 1 }) });
        return;
      }
      for (const event of transcript.events) {
        const cursor = cursorText(now, event);
        await sse.writeSSE({ event: event.kind, id: cursor, data: jcs(event) });
      }
      after = transcript.cursor;
      if (transcript.state === 'finalized' && transcript.events.length === 0) return;
      await sse.sleep(LOOK_MS);
    }
  });
}

function cursorText(log: { readonly id: string }, event: SessionEvent): string {
  return `${event.sequence}.${tokenOf(log.id, event)}`;
}

function cursorIn(text: string | undefined): { sequence: number; token: string } | undefined {
  const parts = /^([0-9]{1,15})\.([0-9a-f]{32})$/.exec(text ?? '');
  return parts === null ? undefined : { sequence: Number(parts[1]), token: parts[2]! };
}

async function put(c: Context, host: Host, name: string): Promise<Response> {
  if (!DATASET_NAME.test(name)) {
    throw new AgentRefusal('bad-arg', 'that is no name of a dataset', {
      path: 'name',
      expected: DATASET_NAME.source,
      got: name,
    });
  }
  const bytes = await bytesOf(c, DATASET_BYTES_MAX);
  if (bytes === undefined) {
    throw new AgentRefusal('too-large', `a tape has at most ${DATASET_BYTES_MAX} bytes`, {
      expected: `at most ${DATASET_BYTES_MAX} bytes`,
    });
  }
  const text = unpack(bytes);
  if (text.length > DATASET_BYTES_MAX * 8) throw new AgentRefusal('too-large', 'the unpacked tape is too large');
  const { tape } = parseTape(text);
  if (host.store().dataset(name) === undefined) {
    const payment = host.gate('datasets');
    if (payment !== undefined) return c.json({ gated: true, payment }, 402);
  }
  const entry = { name, tape: tape.identity, ...DATASET_DEFAULTS, ...optionsIn(c) };
  host.store().addDataset(entry, text);
  return c.body(jcs(entry), 201, { 'content-type': 'application/json' });
}

/** Options of a dataset in the query: `fill`, `fees`, `rUsdE4`, `thinkMs`, `checkpoint` (several). */
function optionsIn(c: Context): Record<string, unknown> {
  const query = c.req.query();
  const out: Record<string, unknown> = {};
  const refuse = (path: string, expected: string): never => {
    throw new AgentRefusal('bad-arg', `${path} has another shape`, { path, expected, got: gotOf(query[path]) });
  };
  for (const key of Object.keys(query)) {
    const value = query[key]!;
    switch (key) {
      case 'fill':
        out.fill = /^(strict-cross-v1|maker-v1)$/.test(value) ? value : refuse(key, 'strict-cross-v1 | maker-v1');
        break;
      case 'fees':
        out.fees = /^(none|us-equity-v1)$/.test(value) ? value : refuse(key, 'none | us-equity-v1');
        break;
      case 'rUsdE4':
      case 'thinkMs':
        out[key] = /^[1-9][0-9]{0,14}$/.test(value) ? Number(value) : refuse(key, 'a whole number above 0');
        break;
      case 'checkpoint': {
        const clocks = c.req.queries('checkpoint') ?? [];
        if (clocks.some((clock) => !/^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(clock))) refuse(key, 'HH:MM');
        out.checkpoints = [...clocks].sort();
        break;
      }
      default:
        refuse(key, 'fill | fees | rUsdE4 | thinkMs | checkpoint');
    }
  }
  return out;
}

/** What a tape is refused for is the client's to mend. */
function refusalOfTape(error: unknown): AgentRefusal {
  if (error instanceof Error && error.name === 'TapeRefusal') {
    const { expected, got } = error as unknown as { expected: string; got: string };
    return new AgentRefusal('bad-arg', error.message, { path: 'body', expected, got });
  }
  return refusalOf(error);
}
