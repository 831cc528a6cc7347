/** The ports to storage: append-only trace events, and feedback by id. Every engine passes one conformance suite. */

/**
 * Events to append together: the bytes as they came, and the few fields that an engine finds them by. The bytes are the
 * caller's again once they are appended or refused, and are overwritten then: an engine copies what it keeps.
 */
export interface EventBatch {
  readonly body: Uint8Array;
  /** Start and length in `body`, a pair an event, in the order in which they came. */
  readonly spans: Uint32Array;
  readonly eventIds: readonly string[];
  readonly runIds: readonly string[];
  /** Milliseconds since 1970, one an event. */
  readonly timestampsMs: Float64Array;
}

export interface StoredEvent {
  /** Place in the order of acceptance, from 0; never used twice. */
  readonly ordinal: number;
  readonly receivedMs: number;
  readonly eventId: string;
  readonly runId: string;
  readonly kind: string;
  readonly timestampMs: number;
  /** The event's JSON text in UTF-8, exactly as it came. */
  readonly bytes: Uint8Array;
}

export interface EventQuery {
  readonly runId?: string;
  readonly kind?: string;
  /** On the event's own timestamp, inclusive. */
  readonly sinceMs?: number;
  /** On the event's own timestamp, exclusive. */
  readonly untilMs?: number;
  readonly limit?: number;
  /** `all` gives every accepted event, `distinct` the first of each `eventId` in the whole store. */
  readonly view: 'all' | 'distinct';
}

/** An event whose `eventId` was there before it. */
export interface Repeat {
  readonly eventId: string;
  readonly firstOrdinal: number;
  readonly ordinal: number;
  /** `same` says the same thing again; `conflict` says another under the same id. */
  readonly kind: 'same' | 'conflict';
}

export interface TraceStats {
  readonly events: number;
  readonly bytes: number;
  readonly firstReceivedMs: number | null;
  readonly lastReceivedMs: number | null;
}

export interface RetainPolicy {
  readonly ageMsMax?: number;
  readonly bytesMax?: number;
}

export interface FeedbackRetainPolicy {
  readonly ageMsMax: number;
}

export interface TraceStore {
  /** Resolves when the whole batch is durable, and not before. @throws StoreRefusal, see there for what is kept then */
  append(batch: EventBatch): Promise<void>;
  read(query: EventQuery): AsyncIterable<StoredEvent>;
  repeats(): AsyncIterable<Repeat>;
  stats(): Promise<TraceStats>;
  /** Drops the oldest events beyond the policy. @returns how many went */
  retain(policy: RetainPolicy): Promise<number>;
}

export interface FeedbackRecord {
  readonly id: string;
  /** From 1, one more at each write of this id. */
  readonly version: number;
  readonly receivedMs: number;
  /** The record's JSON text in UTF-8, exactly as it came. */
  readonly bytes: Uint8Array;
}

/** What must stand before a write: `any` a record at all, `versions` one of these, `absent` none. */
export type Precondition =
  | { readonly kind: 'any' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'versions'; readonly versions: readonly number[] };

export type FeedbackOutcome =
  | { readonly kind: 'stored'; readonly version: number }
  | { readonly kind: 'precondition-failed'; readonly version: number | null };

export interface FeedbackWrite {
  readonly id: string;
  /** The caller's again once the write is done, like an event's. */
  readonly bytes: Uint8Array;
  readonly precondition: Precondition | null;
}

/** Earlier versions that stand beside a record's newest; the oldest go first. */
export const FEEDBACK_PAST_MAX = 100;

export interface FeedbackQuery {
  /** `newest` gives every record as it stands, `versions` also what stood before. */
  readonly view: 'newest' | 'versions';
  readonly id?: string;
}

export interface FeedbackStore {
  /** Resolves when the record is durable. The last write to arrive wins, whole. @throws StoreRefusal */
  put(write: FeedbackWrite): Promise<FeedbackOutcome>;
  get(id: string): Promise<FeedbackRecord | null>;
  /** By id in the order of its UTF-8 bytes, then by version. Without a query: the newest of every record. */
  list(query?: FeedbackQuery): AsyncIterable<FeedbackRecord>;
  /** Drops versions that were received longer ago, newest ones too. @returns how many went */
  retain(policy: FeedbackRetainPolicy): Promise<number>;
}

export interface StorePair {
  readonly traces: TraceStore;
  readonly feedback: FeedbackStore;
  close(): Promise<void>;
}

/** `unknown`: the one that wrote was lost before it could say whether it is kept. */
export type StoreRefusalKind = 'full' | 'busy' | 'broken' | 'closed' | 'unknown';

/** The store could not do it. Nothing of what was asked has been kept, unless its kind is `unknown`. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
  readonly kind: StoreRefusalKind;
  constructor(kind: StoreRefusalKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** By name, not by class: a bundle may hold the class twice. */
export function isStoreRefusal(error: unknown): error is StoreRefusal {
  return error instanceof Error && error.name === 'StoreRefusal';
}

/** Whether what stands (a version, or null for none) allows the write. */
export function isMet(precondition: Precondition | null, version: number | null): boolean {
  switch (precondition?.kind) {
    case undefined:
      return true;
    case 'any':
      return version !== null;
    case 'absent':
      return version === null;
    case 'versions':
      return version !== null && precondition.versions.includes(version);
    default:
      return precondition satisfies never;
  }
}
