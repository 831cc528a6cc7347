/** Transcripts with cursors: the events after one that this log gave out. */
import type { EventCursor, SessionEvent, SessionTranscript } from '../session/index.ts';
import { AgentRefusal, gotOf } from './refusal.ts';
import { EVENTS_MAX, type Log, stateOf, tokenOf } from './sessions.ts';

/** @throws AgentRefusal `stale-cursor` */
export function eventsAfter(log: Log, after: EventCursor | undefined): SessionTranscript {
  const events = within(log, after);
  const last = events.at(-1);
  const cursor = last === undefined ? after! : { sequence: last.sequence, token: tokenOf(log.id, last) };
  return { sessionId: log.id, state: stateOf(log), events, cursor };
}

function within(log: Log, after: EventCursor | undefined): SessionEvent[] {
  if (after !== undefined) checkCursor(log, after);
  const from = after === undefined ? 1 : after.sequence + 1;
  const events: SessionEvent[] = [];
  for (const record of log.records(from)) {
    for (const event of record.events) {
      if (event.sequence >= from && events.length < EVENTS_MAX) events.push(event);
    }
    if (events.length >= EVENTS_MAX) break;
  }
  return events;
}

/** @throws AgentRefusal `stale-cursor` on a cursor that this log never gave out */
export function checkCursor(log: Log, after: EventCursor): void {
  for (const record of log.records(Math.max(1, after.sequence))) {
    const event = record.events.find(({ sequence }) => sequence === after.sequence);
    if (event !== undefined && tokenOf(log.id, event) === after.token) return;
    break;
  }
  throw new AgentRefusal('stale-cursor', 'this log never gave out that cursor', {
    path: 'after',
    expected: 'a cursor of this session, or none to begin at its start',
    got: gotOf(after),
  });
}
