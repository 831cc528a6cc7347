/** Operations that were begun, by id: `<sessionId>/start`, `<sessionId>/<ordinal>`, `<sessionId>/finalize`, `grade/<sha256>`. */
import type { EventCursor, SessionEvent } from '../session/index.ts';
import type { Host } from './host.ts';
import { AgentRefusal } from './refusal.ts';
import { finalizedIn, type Log, responseIn, tokenOf } from './sessions.ts';
import { checkCursor } from './transcript.ts';

export interface OperationResumption {
  readonly operationId: string;
  readonly op: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly events: readonly SessionEvent[];
  readonly cursor: EventCursor;
  readonly value?: unknown;
}

/** Where an operation without events stands. */
const NO_EVENTS: EventCursor = { sequence: 0, token: '0'.repeat(32) };

/** @throws AgentRefusal `unknown-operation`, `stale-cursor` */
export function operationOf(host: Host, operationId: string, after: EventCursor | undefined): OperationResumption {
  const slash = operationId.indexOf('/');
  const [subject, key] = [operationId.slice(0, Math.max(0, slash)), operationId.slice(slash + 1)];
  if (subject === 'grade') {
    const outcome = /^[0-9a-f]{64}$/.test(key) ? host.store().noted('grade', key) : undefined;
    if (outcome === undefined) throw unknownOperation(operationId);
    return { operationId, op: 'grade', state: 'done', events: [], cursor: after ?? NO_EVENTS, value: outcome };
  }
  const log = /^(start|finalize|[1-9][0-9]*)$/.test(key) ? host.sessions.log(subject) : undefined;
  if (log === undefined) throw unknownOperation(operationId);
  if (after !== undefined) checkCursor(log, after);
  const record = log.find(key);
  if (record === undefined) {
    if (host.sessions.runningOn(subject) !== operationId) throw unknownOperation(operationId);
    const cursor = after ?? NO_EVENTS;
    return { operationId, op: key === 'finalize' ? 'finalize' : 'advance', state: 'running', events: [], cursor };
  }
  const events = record.events.filter(({ sequence }) => sequence > (after?.sequence ?? 0));
  const last = events.at(-1);
  return {
    operationId,
    op: record.op,
    state: 'done',
    events,
    cursor: last === undefined ? after! : { sequence: last.sequence, token: tokenOf(log.id, last) },
    value: valueBehind(log, key),
  };
}

function valueBehind(log: Log, key: string): unknown {
  const record = log.find(key)!;
  switch (key) {
    case 'start': {
      const last = record.events.at(-1)!;
      return last.kind === 'session/frame' ? last.value : null;
    }
    case 'finalize':
      return finalizedIn(record, log.id);
    default:
      return responseIn(record);
  }
}

function unknownOperation(id: string): AgentRefusal {
  return new AgentRefusal('unknown-operation', 'no operation of that id was recorded here', {
    path: 'operationId',
    expected: '<sessionId>/start | <sessionId>/<ordinal> | <sessionId>/finalize | grade/<sha256>',
    got: id,
  });
}
