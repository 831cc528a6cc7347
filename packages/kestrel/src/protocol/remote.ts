/**
 * The same stream of requests, answered by a server: each line is posted as it stands, with where the stream stands
 * beside it, and what comes back is the response line byte for byte.
 */
import { AgentRefusal, REFUSALS, type RefusalCode } from './refusal.ts';
import { refusalOf } from './refusing.ts';
import { readRequest } from './request-line.ts';
import { type StreamState, streamOf, streamText } from './stream.ts';

/** Header that carries the stream's state both ways, and the one that names the op of an answer. */
export const STREAM_HEADER = 'kestrel-stream';
export const OP_HEADER = 'kestrel-op';

/** Longest that one answer is waited for. */
export const ANSWER_MS_MAX = 600_000;
/** Largest answer that is read. */
export const ANSWER_BYTES_MAX = 1 << 28;

export interface RemoteOptions {
  /** Address of the server, `http://127.0.0.1:8787`. */
  readonly url: string;
  /** A bearer capability that the caller chose: where it is refused, nothing else is tried. */
  readonly token?: string;
  /** A trial kept from before; a server that knows it no more mints another. Absent too: a trial is minted. */
  readonly trial?: string;
  /** Told of a minted trial, so that it may be kept. */
  readonly onMint?: (token: string) => void;
  readonly fetch?: typeof globalThis.fetch;
}

export interface RemoteAnswer {
  readonly op: string | null;
  readonly line?: string;
  readonly refusal?: AgentRefusal;
}

export class Remote {
  readonly #base: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #onMint: RemoteOptions['onMint'];
  #token: string | undefined;
  readonly #given: boolean;
  /** Whether this stream's capability has been taken, or was minted for it. */
  #settled = false;

  constructor(options: RemoteOptions) {
    this.#base = options.url.replace(/\/+$/, '');
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#token = options.token ?? options.trial;
    this.#given = options.token !== undefined;
    this.#onMint = options.onMint;
  }

  /** Sends one request line; `stream` is moved to where the server says it stands. */
  async handle(line: string, stream: StreamState): Promise<RemoteAnswer> {
    try {
      readRequest(line);
    } catch (error) {
      return { op: null, refusal: refusalOf(error) };
    }
    try {
      return await this.#send(line, stream);
    } catch (error) {
      return { op: opIn(line), refusal: error instanceof AgentRefusal ? error : unreachable(this.#base, error) };
    }
  }

  async #send(line: string, stream: StreamState): Promise<RemoteAnswer> {
    if (this.#token === undefined) await this.#mint();
    let response = await this.#post('/v1/requests', line, { [STREAM_HEADER]: streamText(stream) });
    if (response.status === 401 && this.#given) throw refusedToken(this.#base);
    if (response.status === 401 && !this.#settled) {
      await this.#mint();
      response = await this.#post('/v1/requests', line, { [STREAM_HEADER]: streamText(stream) });
    }
    this.#settled ||= response.status !== 401;
    const text = await response.text();
    const moved = streamOf(response.headers.get(STREAM_HEADER) ?? '');
    if (moved !== undefined) Object.assign(stream, moved);
    const op = response.headers.get(OP_HEADER);
    if (response.ok || response.status === 402) return { op, line: text };
    return { op, refusal: refusalIn(text, response.status, this.#base) };
  }

  async #mint(): Promise<void> {
    const response = await this.#post('/v1/trials', '{}', {});
    const { token } = (await response.json()) as { token?: unknown };
    if (!response.ok || typeof token !== 'string') {
      throw new AgentRefusal('unavailable', `${this.#base} mints no trial; set KESTREL_TOKEN`, {
        expected: 'a bearer capability in KESTREL_TOKEN',
        got: `status ${response.status}`,
      });
    }
    this.#token = token;
    this.#settled = true;
    this.#onMint?.(token);
  }

  #post(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const auth = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new Error('no answer in time')), ANSWER_MS_MAX);
    return this.#fetch(`${this.#base}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...auth, ...headers },
      signal: stop.signal,
    }).finally(() => clearTimeout(timer));
  }
}

function opIn(line: string): string | null {
  const { op } = readRequest(line);
  return typeof op === 'string' ? op : null;
}

function refusedToken(base: string): AgentRefusal {
  return new AgentRefusal('unavailable', `${base} refuses the capability in KESTREL_TOKEN`, {
    path: 'KESTREL_TOKEN',
    expected: 'a capability of this server, or none at all for a trial',
    got: 'status 401',
  });
}

function unreachable(base: string, error: unknown): AgentRefusal {
  const cause = (error as { cause?: { code?: unknown } } | null)?.cause?.code;
  return new AgentRefusal('unavailable', `${base} cannot be reached`, {
    expected: 'the address of a running kestrel serve',
    got: typeof cause === 'string' ? cause : String((error as Error | null)?.message ?? error),
  });
}

function refusalIn(text: string, status: number, base: string): AgentRefusal {
  try {
    const { refusal } = JSON.parse(text) as { refusal: Record<string, unknown> };
    const { code, message, path, expected, got } = refusal;
    if (typeof code === 'string' && Object.hasOwn(REFUSALS, code) && typeof message === 'string') {
      return new AgentRefusal(code as RefusalCode, message, {
        ...(typeof path === 'string' ? { path } : {}),
        ...(typeof expected === 'string' ? { expected } : {}),
        ...(typeof got === 'string' ? { got } : {}),
      });
    }
  } catch {
    // What is no refusal of ours is told by its status.
  }
  return new AgentRefusal('unavailable', `${base} answered with status ${status}`, {
    expected: 'an answer of kestrel serve',
    got: text.slice(0, 200),
  });
}
