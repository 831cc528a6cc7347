/** What passes between a session and its author: responses, slots, deliveries, receipts, events. */
import type { BlotterFill, Pins } from '../engine/index.ts';
import type { Diagnostic } from '../lang/index.ts';
import type { Frame, Why } from './frame.ts';

export type AuthoredResponse =
  | { readonly kind: 'authored'; readonly document: string }
  | { readonly kind: 'pass' }
  | { readonly kind: 'stand-down'; readonly reason: string };

export type TurnBody = AuthoredResponse;

/** A turn with its binding spelled out. */
export interface BoundResponse {
  readonly sessionId: string;
  readonly ordinal: number;
  readonly parentHash: string;
  readonly frameRoot: string;
  readonly body: TurnBody;
}

/** Where the next turn goes: its place in the chain and the frame it answers. */
export interface Slot {
  readonly sessionId: string;
  readonly ordinal: number;
  readonly parentHash: string;
  readonly frameRoot: string;
}

export interface Delivery {
  readonly slot: Slot;
  readonly why: Why;
  /** Name of the WAKE, where one delivers. */
  readonly wake?: string;
  readonly frame: Frame;
  readonly repairsLeft: number;
}

export type Verdict = 'armed' | 'passed' | 'stood-down' | 'refused';

export interface TurnReceipt {
  readonly ordinal: number;
  /** Hash of the turn. */
  readonly hash: string;
  readonly verdict: Verdict;
  /** Plans that the document armed, in its order. */
  readonly plans: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export type SessionResponse =
  | { readonly state: 'pending'; readonly turn: TurnReceipt; readonly delivery: Delivery }
  | { readonly state: 'ended'; readonly turn: TurnReceipt; readonly reason: string };

export type SessionState = 'opened' | 'pending' | 'ended' | 'finalized';

/** `t` in tape time, microseconds; `sequence` from 1. */
export type SessionEvent = { readonly sequence: number; readonly t: number } & (
  | { readonly kind: 'session/opened'; readonly value: { readonly pins: Pins; readonly genesis: string } }
  | { readonly kind: 'session/frame'; readonly value: Delivery }
  | {
      readonly kind: 'session/turn';
      readonly value: {
        readonly ordinal: number;
        readonly parentHash: string;
        readonly frameRoot: string;
        readonly body: TurnBody;
        readonly receipt: TurnReceipt;
      };
    }
  | { readonly kind: 'session/fill'; readonly value: BlotterFill & { readonly plan: string } }
  | { readonly kind: 'session/plan'; readonly value: PlanNews }
  | {
      readonly kind: 'session/finalized';
      readonly value: {
        readonly tipHash: string;
        readonly conformanceRoot: string;
        readonly determinismHash: string;
        readonly artifacts: readonly string[];
      };
    }
);

/** What happened to a plan. */
export interface PlanNews {
  readonly plan: string;
  readonly kind: string;
  readonly detail?: string;
}

export interface EventCursor {
  readonly sequence: number;
  readonly token: string;
}

export interface SessionTranscript {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly events: readonly SessionEvent[];
  readonly cursor: EventCursor;
}
