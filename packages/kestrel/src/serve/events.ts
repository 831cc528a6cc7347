/**
 * Server-sent events. A session's events, from a cursor on, and on as its log grows; and one operation: what its run
 * has come to while it is at work, what it recorded, and its answer. Whoever lost the connection goes on after the
 * last event that it had; the run itself does not notice.
 */
import { jcs } from 'ground/jcs';
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import {
  AgentRefusal,
  eventsAfter,
  type Host,
  type OperationResumption,
  type Outcome,
  operationOf,
  refusalLine,
  refusalOf,
  responseLine,
  STREAM_HEADER,
  type StreamState,
  streamText,
  tokenOf,
} from '../protocol/index.ts';
import type { EventCursor, Seen, SessionEvent } from '../session/index.ts';
import { refused } from './replies.ts';

/** Followers at a time; more are told to come again. */
export const FOLLOWERS_MAX = 1_024;
/** How often a follower of events looks for more, and how long it is followed. */
const LOOK_MS = 50;
const FOLLOW_MS_MAX = 3_600_000;
/** A comment is sent after so much silence, so that nobody in between takes the connection for dead. */
const SILENCE_MS_MAX = 15_000;

let followers = 0;

/** Whether the client asks for a stream of events in place of one answer. */
export function wantsEvents(c: Context): boolean {
  return /\btext\/event-stream\b/.test(c.req.header('accept') ?? '');
}

/** Events of a session until it is finalized. */
export function followSession(c: Context, host: Host, id: string): Response {
  if (host.sessions.log(id) === undefined) {
    return refused(c, new AgentRefusal('unknown-subject', 'there is no such session', { path: 'id', got: id }), {
      op: null,
    });
  }
  let after = cursorIn(c);
  return streaming(c, null, async (sse, pause) => {
    do {
      const log = host.sessions.known(id);
      await host.syncLater();
      const transcript = eventsAfter(log, after);
      for (const event of transcript.events) await tell(sse, id, event);
      after = transcript.cursor;
      if (transcript.state === 'finalized' && transcript.events.length === 0) return;
    } while (await pause());
  });
}

/** An operation that was begun, by this client or another of the same capability, until it is done. */
export function followOperation(
  c: Context,
  host: Host,
  of: { readonly operationId: string; readonly after: EventCursor | undefined },
): Response {
  const { operationId } = of;
  let after = cursorIn(c) ?? of.after;
  operationOf(host, operationId, after);
  return streaming(c, 'resumeOperation', async (sse, pause) => {
    const seen: Seen = { events: [], fills: [] };
    await sse.writeSSE({ event: 'operation', data: jcs({ operationId }) });
    do {
      await host.syncLater();
      const found = operationOf(host, operationId, after);
      if (found.state === 'running') {
        await tellProgress(sse, host, operationId, seen);
        continue;
      }
      after = await tellRecorded(sse, found);
      await sse.writeSSE({ event: 'done', data: responseLine(found.op, jcs(found.value)) });
      return;
    } while (await pause());
  });
}

/** A request that is running: its progress, then the events that it recorded, then its answer. */
export function followRequest(
  c: Context,
  host: Host,
  of: {
    readonly stream: StreamState;
    readonly outcome: Promise<Outcome>;
    /** `<sessionId>/<key>` while it runs, once it is known. */
    readonly running: () => string | undefined;
    /** The same from its answer; undefined where nothing was recorded. */
    readonly recorded: (outcome: Outcome) => string | undefined;
  },
): Response {
  return streaming(c, null, async (sse, pause) => {
    const seen: Seen = { events: [], fills: [] };
    let outcome: Outcome | undefined;
    let named: string | undefined;
    const name = async (operationId: string | undefined): Promise<void> => {
      if (operationId === undefined || named !== undefined) return;
      named = operationId;
      await sse.writeSSE({ event: 'operation', data: jcs({ operationId }) });
    };
    const over = of.outcome.then((told) => {
      outcome = told;
    });
    do {
      if (outcome !== undefined) break;
      const operationId = of.running();
      await name(operationId);
      if (operationId !== undefined) await tellProgress(sse, host, operationId, seen);
    } while (await pause(over));
    if (outcome === undefined) return;
    await sse.writeSSE({ event: STREAM_HEADER, data: streamText(of.stream) });
    if (outcome.kind === 'refusal') {
      await sse.writeSSE({ event: 'refusal', data: refusalLine(outcome.refusal, { op: outcome.op, line: 1 }) });
      return;
    }
    const operationId = of.recorded(outcome);
    await name(operationId);
    if (operationId !== undefined) await tellRecorded(sse, operationOf(host, operationId, undefined));
    await sse.writeSSE({ event: 'done', data: outcome.line });
  });
}

/** Runs the follower; what it throws is told as a refusal. `pause` waits a little, and says whether to go on. */
function streaming(
  c: Context,
  op: string | null,
  follow: (sse: SSEStreamingApi, pause: (until?: Promise<void>) => Promise<boolean>) => Promise<void>,
): Response {
  if (followers >= FOLLOWERS_MAX) {
    return refused(c, new AgentRefusal('unavailable', 'too many follow events; come again'), { op });
  }
  followers++;
  return streamSSE(c, async (sse) => {
    let waitedMs = 0;
    const pause = async (until?: Promise<void>): Promise<boolean> => {
      await Promise.race([sse.sleep(LOOK_MS), ...(until === undefined ? [] : [until])]);
      waitedMs += LOOK_MS;
      if (waitedMs % SILENCE_MS_MAX === 0) await sse.write(': still here\n\n');
      return !sse.aborted && waitedMs < FOLLOW_MS_MAX;
    };
    try {
      await follow(sse, pause);
    } catch (error) {
      await sse.writeSSE({ event: 'refusal', data: refusalLine(refusalOf(error), { op, line: 1 }) });
    } finally {
      followers--;
    }
  });
}

async function tellProgress(sse: SSEStreamingApi, host: Host, operationId: string, seen: Seen): Promise<void> {
  const id = operationId.slice(0, operationId.indexOf('/'));
  const progress = host.sessions.progressOf(id, seen);
  if (progress !== undefined) await sse.writeSSE({ event: 'progress', data: jcs({ operationId, ...progress }) });
}

async function tellRecorded(sse: SSEStreamingApi, found: OperationResumption): Promise<EventCursor> {
  const id = found.operationId.slice(0, found.operationId.indexOf('/'));
  for (const event of found.events) await tell(sse, id, event);
  return found.cursor;
}

async function tell(sse: SSEStreamingApi, id: string, event: SessionEvent): Promise<void> {
  await sse.writeSSE({ event: event.kind, id: `${event.sequence}.${tokenOf(id, event)}`, data: jcs(event) });
}

/** @throws AgentRefusal `bad-arg` on one that has no cursor's shape: nobody is silently begun with again */
function cursorIn(c: Context): EventCursor | undefined {
  const text = c.req.header('last-event-id') ?? c.req.query('after');
  if (text === undefined || text === '') return undefined;
  const parts = /^([0-9]{1,15})\.([0-9a-f]{32})$/.exec(text);
  if (parts !== null) return { sequence: Number(parts[1]), token: parts[2]! };
  throw new AgentRefusal('bad-arg', 'that is no cursor of events', {
    path: 'last-event-id',
    expected: 'the id of the last event, SEQUENCE.TOKEN',
    got: text,
  });
}
