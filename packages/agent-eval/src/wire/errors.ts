/** The codes an answer can fail with, and the one table that gives each its HTTP status and exit status. */

const CODES = {
  validation_error: { status: 400, exit: 1 },
  unauthorized: { status: 401, exit: 1 },
  forbidden_host: { status: 403, exit: 1 },
  rubric_not_found: { status: 404, exit: 1 },
  not_found: { status: 404, exit: 1 },
  method_not_allowed: { status: 405, exit: 1 },
  request_timeout: { status: 408, exit: 1 },
  precondition_failed: { status: 412, exit: 1 },
  payload_too_large: { status: 413, exit: 1 },
  unsupported_media_type: { status: 415, exit: 1 },
  rate_limited: { status: 429, exit: 1 },
  judge_error: { status: 500, exit: 1 },
  internal_error: { status: 500, exit: 1 },
  service_unavailable: { status: 503, exit: 1 },
  llm_not_configured: { status: 503, exit: 1 },
  llm_unavailable: { status: 503, exit: 1 },
  parse_error: { status: 400, exit: 1 },
  unknown_method: { status: 404, exit: 1 },
} as const satisfies Record<string, { status: number; exit: number }>;

export type WireCode = keyof typeof CODES;
export const WIRE_CODES = Object.keys(CODES) as readonly WireCode[];

export function statusOf(code: WireCode): number {
  return CODES[code].status;
}

export function exitOf(code: WireCode): number {
  return CODES[code].exit;
}

/** A fault that the caller is told about. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: WireCode;
  readonly details: unknown;
  /** Beyond the body: `allow`, `retry-after`, `www-authenticate`. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: WireCode,
    message: string,
    more: { details?: unknown; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.details = more.details ?? null;
    this.headers = more.headers ?? {};
  }
}

/** The seed's one shape. */
export interface ErrorBody {
  readonly error: { readonly code: WireCode; readonly message: string; readonly details: unknown };
}

export function errorBody({ code, message, details }: WireError): ErrorBody {
  return { error: { code, message, details } };
}

/** Whole seconds, at least one. */
export function retryAfterSeconds(waitMs: number | null): string {
  return String(Math.min(86_400, Math.max(1, Math.ceil((waitMs ?? 1_000) / 1_000))));
}
