/** What a wire method is: a name, an HTTP route and one function. Both transports call the same function. */
import type { Stop } from '../judge/index.ts';
import type { Precondition } from '../store/index.ts';
import type { Service } from './context.ts';

/** Parameters as they arrive: bytes keep what parsing would lose; a value comes from callers in this process. */
export type Params =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly bytes: Buffer }
  | { readonly kind: 'ndjson'; readonly bytes: Buffer }
  | { readonly kind: 'value'; readonly value: unknown };

export interface Call {
  readonly params: Params;
  readonly service: Service;
  /** Of this call alone; aborted when the caller has gone. */
  readonly stop: Stop;
  isGone(): boolean;
  readonly precondition: Precondition | null;
}

export interface Result {
  readonly value: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a header is for, and what it may hold where not anything. */
export interface HeaderWords {
  readonly text: string;
  readonly pattern?: RegExp;
}

export interface Method {
  readonly name: string;
  readonly verb: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Media types that its body may have beside JSON. */
  readonly media: readonly 'ndjson'[];
  /** Whether it is answered without a token. */
  readonly access: 'open' | 'guarded';
  /** Codes that it can answer with beyond those of every method of its verb. */
  readonly codes: readonly string[];
  /** Names in schemas.ts. */
  readonly request: 'JudgeRequestSchema' | 'TracesIngestRequestSchema' | 'FeedbackTrajectorySchema' | null;
  readonly response:
    | 'JudgeResultSchema'
    | 'ListRubricsResponseSchema'
    | 'VersionResponseSchema'
    | 'TracesIngestResponseSchema'
    | 'FeedbackResponseSchema';
  /** Headers that a request may carry and an answer may bring, for the OpenAPI document. */
  readonly headers?: {
    readonly request?: Record<string, HeaderWords>;
    readonly response?: Record<string, HeaderWords>;
  };
  /** An answer, for the OpenAPI document. */
  readonly example: unknown;
  /** @throws WireError */
  call(call: Call): Promise<Result>;
}
