/** Server-sent events: what a session's log holds, from a cursor on, and on as it grows. */
import { jcs } from 'ground/jcs';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { AgentRefusal, eventsAfter, type Host, refusalLine, refusalOf, tokenOf } from '../protocol/index.ts';
import type { SessionEvent } from '../session/index.ts';
import { refused } from './replies.ts';

/** How often a follower of events looks for more, and how long it is followed. */
const LOOK_MS = 50;
const FOLLOW_MS_MAX = 3_600_000;

/** Events of a session from a cursor on, and on as they come, until it is finalized. */
export function follow(c: Context, host: Host, id: string): Response | Promise<Response> {
  const log = host.sessions.log(id);
  if (log === undefined) {
    return refused(c, new AgentRefusal('unknown-subject', 'there is no such session', { path: 'id', got: id }), {
      op: null,
    });
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
