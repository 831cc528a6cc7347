/** The port to a model that judges, and the ways in which it can fail. */

export interface ModelTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface ModelCall {
  readonly model: string;
  readonly system: string;
  readonly turns: readonly ModelTurn[];
  /** JSON Schema of the answer wanted; a provider that cannot constrain its output may ignore it. */
  readonly schema: Record<string, unknown>;
  /** What is being judged, for providers that answer from a record. */
  readonly subject: { readonly rubricVersion: string; readonly content: string };
  /** Aborts when the caller has gone or the deadline has passed. */
  readonly signal: AbortSignal;
}

export interface ModelAnswer {
  readonly text: string;
  readonly finish: 'stop' | 'length' | 'refusal' | 'other';
}

export interface JudgeModel {
  /** Used where a request names no model. */
  readonly defaultModel: string;
  /** One attempt. @throws ModelFailure */
  answer(call: ModelCall): Promise<ModelAnswer>;
}

/**
 * `unavailable` will not mend itself (a wrong key, a bad address); `passing` may (overload, a network fault);
 * `malformed` is an answer that came back whole but is not what the provider's protocol says.
 */
export type ModelFailureKind = 'unavailable' | 'passing' | 'malformed';

export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly kind: ModelFailureKind;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  constructor(
    kind: ModelFailureKind,
    message: string,
    more: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.kind = kind;
    this.status = more.status ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
  }
}

/** By name, not by class: a bundle may hold the class twice. */
export function isModelFailure(error: unknown): error is ModelFailure {
  return error instanceof Error && error.name === 'ModelFailure';
}
