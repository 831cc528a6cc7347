/** httpDispatch: the driver's side of /dispatch. */
import { DISPATCH_BYTES_MAX, DISPATCH_PATH, type Dispatch, type DispatchAuth, placeOf } from './message.ts';

export interface HttpDispatchOptions {
  /** The worker's address; `/dispatch` is added unless it is there. */
  readonly url: string;
  readonly auth: DispatchAuth;
  /** Of one call with all its attempts. Default ten minutes. */
  readonly timeoutMs?: number;
}

export const RETRIES_MAX = 2;
const TIMEOUT_MS = 600_000;
const BACKOFF_FIRST_MS = 200;

export type DispatchFailureKind = 'refused' | 'unreachable' | 'timeout' | 'malformed';

/** The worker's no, or none at all. */
export class DispatchFailure extends Error {
  override readonly name = 'DispatchFailure';
  readonly kind: DispatchFailureKind;
  readonly status: number | null;
  readonly attempts: number;
  constructor(
    kind: DispatchFailureKind,
    message: string,
    more: { status?: number; attempts: number; cause?: unknown },
  ) {
    super(message, { cause: more.cause });
    this.kind = kind;
    this.status = more.status ?? null;
    this.attempts = more.attempts;
  }
}

/**
 * A {@link Dispatch} that runs elsewhere. Tried again on 408, 429, 5xx and network faults, twice at most; a worker sees
 * the same `runAttemptId` each time.
 * @throws DispatchFailure, or the context's abort reason
 */
export function httpDispatch(options: HttpDispatchOptions): Dispatch {
  const { auth, timeoutMs = TIMEOUT_MS } = options;
  const url = options.url.replace(/\/+$/, '');
  const target = url.endsWith(DISPATCH_PATH) ? url : url + DISPATCH_PATH;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (auth.kind === 'bearer') headers.authorization = `Bearer ${auth.token}`;

  return async (scenario, context) => {
    const { signal } = context;
    signal.throwIfAborted();
    const body = JSON.stringify({ scenario: scenario ?? null, ...placeOf({ ...context, scenario }) });
    if (Buffer.byteLength(body) > DISPATCH_BYTES_MAX) {
      throw new DispatchFailure('refused', `a request has at most ${DISPATCH_BYTES_MAX} bytes`, { attempts: 0 });
    }
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    let attempts = 0;
    const timer = setTimeout(() => {
      stop.abort(new DispatchFailure('timeout', `no artifact within ${timeoutMs} ms`, { attempts }));
    }, timeoutMs);
    try {
      for (;;) {
        attempts++;
        const tried = await attempt(target, { headers, body, signal: stop.signal }, attempts);
        if (tried.kind === 'artifact') return tried.artifact;
        if (!tried.again || attempts > RETRIES_MAX) throw tried.failure;
        await pause(Math.max(tried.retryAfterMs, BACKOFF_FIRST_MS * 2 ** (attempts - 1)), stop.signal);
      }
    } catch (error) {
      if (stop.signal.aborted) throw stop.signal.reason;
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  };
}

type Tried =
  | { readonly kind: 'artifact'; readonly artifact: unknown }
  | {
      readonly kind: 'failure';
      readonly failure: DispatchFailure;
      readonly again: boolean;
      readonly retryAfterMs: number;
    };

async function attempt(
  target: string,
  request: { headers: Record<string, string>; body: string; signal: AbortSignal },
  attempts: number,
): Promise<Tried> {
  let response: Response;
  let text: string | null;
  try {
    response = await fetch(target, { method: 'POST', redirect: 'manual', ...request });
    text = await boundedText(response);
  } catch (cause) {
    const failure = new DispatchFailure('unreachable', 'the worker cannot be reached', { attempts, cause });
    return { kind: 'failure', failure, again: true, retryAfterMs: 0 };
  }
  const { status } = response;
  if (status !== 200) {
    const again = status === 408 || status === 429 || status >= 500;
    const failure = new DispatchFailure('refused', `the worker answered ${status}: ${said(text)}`, {
      status,
      attempts,
    });
    return { kind: 'failure', failure, again, retryAfterMs: retryAfter(response) };
  }
  const artifact = text === null ? undefined : artifactOf(text);
  if (artifact !== undefined) return { kind: 'artifact', artifact };
  const what = text === null ? `more than ${DISPATCH_BYTES_MAX} bytes` : 'no {"artifact"}';
  const failure = new DispatchFailure('malformed', `the worker answered ${what}`, { status, attempts });
  return { kind: 'failure', failure, again: false, retryAfterMs: 0 };
}

/** @returns null when there is more than may be */
async function boundedText(response: Response): Promise<string | null> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > DISPATCH_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function artifactOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { artifact?: unknown } | null)?.artifact;
  } catch {
    return undefined;
  }
}

function said(text: string | null): string {
  try {
    const { error } = JSON.parse(text ?? '') as { error: { code: string; message: string } };
    return `${error.code}: ${error.message}`.slice(0, 500);
  } catch {
    return 'without a reason';
  }
}

function retryAfter(response: Response): number {
  const seconds = response.headers.get('retry-after') ?? '';
  return /^\d{1,5}$/.test(seconds) ? Number(seconds) * 1_000 : 0;
}

function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, waitMs);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
