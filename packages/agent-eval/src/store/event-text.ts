/** What can be read off a stored event's text. */
import { type Sha256, sha256 } from 'ground/digest';
import type { EventQuery, StoredEvent } from './ports.ts';

export interface EventHead {
  readonly eventId: string;
  readonly runId: string;
  readonly kind: string;
  readonly timestamp: number;
}

const decoder = new TextDecoder();

/** The text was checked when it was accepted. */
export function eventHead(bytes: Uint8Array): EventHead {
  return JSON.parse(decoder.decode(bytes));
}

export function fits(query: EventQuery, event: StoredEvent): boolean {
  return (
    (query.runId === undefined || event.runId === query.runId) &&
    (query.kind === undefined || event.kind === query.kind) &&
    (query.sinceMs === undefined || event.timestampMs >= query.sinceMs) &&
    (query.untilMs === undefined || event.timestampMs < query.untilMs)
  );
}

/** What an event says: two of them say the same when either text is equal. */
export interface Saying {
  readonly exact: Sha256;
  /** Of its values, whatever their order and white space; null where a double would blur one of its numbers. */
  readonly values: Sha256 | null;
}

export function sayingOf(bytes: Uint8Array): Saying {
  const text = decoder.decode(bytes);
  const values = BLURRED_NUMBER.test(text) ? null : sha256(ordered(JSON.parse(text)));
  return { exact: sha256(bytes), values };
}

export function saysTheSame(a: Saying, b: Saying): boolean {
  return a.exact === b.exact || (a.values !== null && a.values === b.values);
}

/** Sixteen digits in a row may be beyond what a double holds. */
const BLURRED_NUMBER = /[0-9]{16}|[0-9]\.[0-9]{15}/;

function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${ordered(record[key])}`).join(',')}}`;
}
