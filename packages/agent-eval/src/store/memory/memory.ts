/** A store in memory: for tests, trials and machines without a disk to trust. It is gone with its process. */
import { eventHead, fits, sayingOf, saysTheSame } from '../event-text.ts';
import {
  type EventQuery,
  FEEDBACK_PAST_MAX,
  type FeedbackOutcome,
  type FeedbackQuery,
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
  /** The versions of each record, the newest last. */
  const records = new Map<string, FeedbackRecord[]>();

  const claim = (bytes: number): void => {
    if (usedBytes + bytes > bytesMax) {
      dropPast();
    }
    if (usedBytes + bytes > bytesMax) {
      throw new StoreRefusal('full', `the store in memory holds ${bytesMax} bytes and is full; serve with --store DIR`);
    }
    usedBytes += bytes;
  };

  /** What has been replaced is the first to go. */
  const dropPast = (): void => {
    for (const versions of records.values()) {
      for (const { bytes } of versions.splice(0, versions.length - 1)) usedBytes -= bytes.length;
    }
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
          const bytes = new Uint8Array(body.subarray(start, start + spans[2 * i + 1]!));
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
        const before = records.get(id)?.at(-1);
        if (!isMet(precondition, before?.version ?? null)) {
          return { kind: 'precondition-failed', version: before?.version ?? null };
        }
        claim(bytes.length);
        const version = (before?.version ?? 0) + 1;
        const versions = records.get(id) ?? [];
        versions.push({ id, version, receivedMs: nowMs(), bytes: new Uint8Array(bytes) });
        if (versions.length > FEEDBACK_PAST_MAX + 1) usedBytes -= versions.shift()!.bytes.length;
        records.set(id, versions);
        return { kind: 'stored', version };
      },
      async get(id) {
        return records.get(id)?.at(-1) ?? null;
      },
      async *list({ view, id: only }: FeedbackQuery = { view: 'newest' }) {
        for (const id of only === undefined ? [...records.keys()].sort(byBytes) : [only]) {
          const versions = records.get(id) ?? [];
          yield* view === 'versions' ? versions.slice() : versions.slice(-1);
        }
      },
      async retain({ ageMsMax }) {
        const oldestMs = nowMs() - ageMsMax;
        let dropped = 0;
        for (const [id, versions] of records) {
          const kept = versions.filter(({ receivedMs }) => receivedMs >= oldestMs);
          for (const { bytes, receivedMs } of versions) if (receivedMs < oldestMs) usedBytes -= bytes.length;
          dropped += versions.length - kept.length;
          if (kept.length === 0) records.delete(id);
          else records.set(id, kept);
        }
        return dropped;
      },
    },
    async close() {},
  };
}

/** The order that a database gives to text: by its UTF-8 bytes. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
