/** What an op of the protocol is: a name, its shapes, and what it does. One file an op, in `ops/`. */
import type { z } from 'zod';
import type { EventCursor, SessionResponse, Sliced } from '../session/index.ts';
import type { Host } from './host.ts';
import type { StreamState } from './stream.ts';

/** What an op is given beside its arguments. */
export interface Call {
  readonly host: Host;
  readonly stream: StreamState;
}

/** An answer that took no run. */
export interface Answered {
  readonly value: unknown;
}

export interface Op<A = unknown, E extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Whether it needs a session that this stream has opened. */
  readonly session: boolean;
  /** One line for help and docs. */
  readonly about: string;
  /** Closed: an unknown field is refused. */
  readonly args: z.ZodType<A>;
  readonly emits: E;
  /** For an op that records one: the key of the operation behind an answer, as in `<sessionId>/<key>`. */
  readonly records?: (value: unknown) => string;
  /** For an op that asks after another: which operation, and what of it is known already. */
  readonly follows?: (args: A) => { readonly operationId: string; readonly after: EventCursor | undefined };
  /** @throws AgentRefusal */
  readonly run: (call: Call, args: A) => Sliced<unknown> | Answered;
}

/** The key of a turn: its ordinal. */
export function turnKey(value: unknown): string {
  return String((value as SessionResponse).turn.ordinal);
}

/** Infers the arguments and the value of an op from their shapes. */
export function op<A, E extends z.ZodType>(of: Op<A, E>): Op<A, E> {
  return of;
}
