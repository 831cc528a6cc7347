/** A store in memory: for tests, trials and machines without a disk to trust. It is gone with its process. */
import { eventHead, fits, sayingOf, saysTheSame } from '../event-text.ts';
import {
  type EventQuery,
  type FeedbackOutcome,
  type FeedbackRecord,
  type FeedbackWrite,
  isMet,
  type Repeat,
  type StoredEvent,
  type StorePair,
  StoreRefusal,
} from '../ports.ts';

/** Bytes of events and feedback together; beyond it a write is refused, since nothing else would stop it. */
export const MEMORY_BYTES_MAX = 256 * 1024 * 1024;
/** What an event costs beside its bytes, roughly. */
const EVENT_OVERHEAD_BYTES = 200;

export interface MemoryOptions {
  readonly bytesMax?: number;
  readonly nowMs?: () => number;
}

export function memoryStore({ bytesMax = MEMORY_BYTES_MAX, nowMs = Date.now }: MemoryOptions = {}): StorePair {
  let events: StoredEvent[] = [];
  let nextOrdinal = 0;
  let eventBytes = 0;
  let usedBytes = 0;
  const records = new Map<string, FeedbackRecord>();

  const claim = (bytes: number): void => {
    if (usedBytes + bytes > bytesMax) {
      throw new StoreRefusal('full', `the store in memory holds ${bytesMax} bytes and is full; serve with --store DIR`);
    }
    usedBytes += bytes;
  };

  async function* repeats(): AsyncIterable<Repeat> {
    const firsts = new Map<string, StoredEvent>();
    for (const event of events) {
      const first = firsts.get(event.eventId);
      if (first === undefined) {
        firsts.set(event.eventId, event);
        continue;
      }
      const kind = saysTheSame(sayingOf(first.bytes), sayingOf(event.bytes)) ? 'same' : 'conflict';
      yield { eventId: event.eventId, firstOrdinal: first.ordinal, ordinal: event.ordinal, kind };
    }
  }

  async function* read(query: EventQuery): AsyncIterable<StoredEvent> {
    const seen = new Set<string>();
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    for (const event of events.slice()) {
      if (left <= 0) return;
      if (query.view === 'distinct') {
        if (seen.has(event.eventId)) continue;
        seen.add(event.eventId);
      }
      if (!fits(query, event)) continue;
      left--;
      yield event;
    }
  }

  return {
    traces: {
      async append({ body, spans, eventIds, runIds, timestampsMs }) {
        const cost = spans.length === 0 ? 0 : body.length + (spans.length / 2) * EVENT_OVERHEAD_BYTES;
        claim(cost);
        const receivedMs = nowMs();
        for (let i = 0; i < eventIds.length; i++) {
          const start = spans[2 * i]!;
          const bytes = body.slice(start, start + spans[2 * i + 1]!);
          eventBytes += bytes.length;
          events.push({
            ordinal: nextOrdinal++,
            receivedMs,
            eventId: eventIds[i]!,
            runId: runIds[i]!,
            kind: eventHead(bytes).kind,
            timestampMs: timestampsMs[i]!,
            bytes,
          });
        }
      },
      read,
      repeats,
      async stats() {
        return {
          events: events.length,
          bytes: eventBytes,
          firstReceivedMs: events[0]?.receivedMs ?? null,
          lastReceivedMs: events.at(-1)?.receivedMs ?? null,
        };
      },
      async retain({ ageMsMax = Number.POSITIVE_INFINITY, bytesMax: keep = Number.POSITIVE_INFINITY }) {
        const oldestMs = nowMs() - ageMsMax;
        let drop = 0;
        for (; drop < events.length; drop++) {
          const event = events[drop]!;
          if (event.receivedMs >= oldestMs && eventBytes <= keep) break;
          eventBytes -= event.bytes.length;
          usedBytes -= event.bytes.length + EVENT_OVERHEAD_BYTES;
        }
        events = events.slice(drop);
        return drop;
      },
    },
    feedback: {
      async put({ id, bytes, precondition }: FeedbackWrite): Promise<FeedbackOutcome> {
        const before = records.get(id);
        if (!isMet(precondition, before?.version ?? null)) {
          return { kind: 'precondition-failed', version: before?.version ?? null };
        }
        claim(bytes.length - (before?.bytes.length ?? 0));
        const version = (before?.version ?? 0) + 1;
        records.set(id, { id, version, receivedMs: nowMs(), bytes: bytes.slice() });
        return { kind: 'stored', version };
      },
      async get(id) {
        return records.get(id) ?? null;
      },
      async *list() {
        for (const id of [...records.keys()].sort(byBytes)) {
          const record = records.get(id);
          if (record !== undefined) yield record;
        }
      },
    },
    async close() {},
  };
}

/** The order that a database gives to text: by its UTF-8 bytes. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
