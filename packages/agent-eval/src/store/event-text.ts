/** What can be read off a stored event's text. */
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

/**
 * Whether two texts under one id say the same: equal bytes, or equal values with no number among them that a double
 * would blur.
 */
export function saysTheSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length === b.length && a.every((byte, i) => byte === b[i])) return true;
  const texts = [decoder.decode(a), decoder.decode(b)] as const;
  if (texts.some((text) => BLURRED_NUMBER.test(text))) return false;
  return ordered(JSON.parse(texts[0])) === ordered(JSON.parse(texts[1]));
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
