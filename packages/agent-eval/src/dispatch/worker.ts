/** runDispatchServer: the worker's side of /dispatch. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  DISPATCH_BYTES_MAX,
  DISPATCH_PATH,
  type Dispatch,
  type DispatchAuth,
  type DispatchRequest,
  placeOf,
  requestFault,
} from './message.ts';

export interface DispatchServerOptions {
  readonly dispatch: Dispatch;
  readonly auth: DispatchAuth;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Attempts at once; beyond, 429. Default 64. */
  readonly callsMax?: number;
}

export interface DispatchServer {
  readonly url: string;
  readonly port: number;
  /** Takes no new attempts, aborts those in flight, and closes. */
  close(): Promise<void>;
}

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const CALLS_MAX = 64;
const CLOSE_GRACE_MS = 2_000;

/** @throws the platform's error when the port cannot be had; TypeError for an empty token */
export async function runDispatchServer(options: DispatchServerOptions): Promise<DispatchServer> {
  const { auth, host = '127.0.0.1', port = 0 } = options;
  if (auth.kind === 'bearer' && auth.token === '') throw new TypeError('a bearer token is not empty');
  const running = new Set<AbortController>();
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 1_000 },
    (request, response) => {
      answer(options, running, request, response).catch((error: unknown) => {
        // An answer that cannot be written: its caller has gone.
        response.destroy(error instanceof Error ? error : undefined);
      });
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
        for (const one of running) one.abort(new Error('the worker is shutting down'));
      }),
  };
}

async function answer(
  options: DispatchServerOptions,
  running: Set<AbortController>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refused = headFault(options, running, request);
  if (refused !== null) {
    request.resume();
    return refuse(response, refused);
  }
  const gone = new AbortController();
  running.add(gone);
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the driver has gone'));
  });
  try {
    const read = await readRequest(request);
    if ('status' in read) return refuse(response, read);
    let artifact: unknown;
    try {
      artifact = await options.dispatch(read.scenario, { ...placeOf(read), signal: gone.signal });
    } catch (error) {
      if (response.destroyed) return;
      return refuse(response, { status: 500, code: 'worker_error', message: messageOf(error) });
    }
    const body = JSON.stringify({ artifact: artifact ?? null });
    if (Buffer.byteLength(body) > DISPATCH_BYTES_MAX) {
      const message = `an artifact has at most ${DISPATCH_BYTES_MAX} bytes; keep it elsewhere and return its name`;
      return refuse(response, { status: 422, code: 'artifact_too_large', message });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  } finally {
    running.delete(gone);
  }
}

function headFault(
  { auth, callsMax = CALLS_MAX }: DispatchServerOptions,
  running: ReadonlySet<AbortController>,
  { headers, method, url }: IncomingMessage,
): Refused | null {
  if (auth.kind === 'bearer') {
    const given = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
    if (given === undefined || !timingSafeEqual(digest(given), digest(auth.token))) {
      const message = 'a bearer token is wanted';
      return { status: 401, code: 'unauthorized', message, headers: { 'www-authenticate': 'Bearer' } };
    }
  }
  if (url?.split('?')[0] !== DISPATCH_PATH)
    return { status: 404, code: 'not_found', message: `POST ${DISPATCH_PATH} is all there is` };
  if (method !== 'POST') {
    return { status: 405, code: 'method_not_allowed', message: 'POST is wanted', headers: { allow: 'POST' } };
  }
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    return { status: 415, code: 'unsupported_media_type', message: 'content-type application/json is wanted' };
  }
  if (Number(headers['content-length'] ?? 0) > DISPATCH_BYTES_MAX) return TOO_LARGE;
  if (running.size >= callsMax) {
    const message = `${callsMax} attempts are running; try again shortly`;
    return { status: 429, code: 'rate_limited', message, headers: { 'retry-after': '1' } };
  }
  return null;
}

const TOO_LARGE: Refused = {
  status: 413,
  code: 'payload_too_large',
  message: `a request has at most ${DISPATCH_BYTES_MAX} bytes`,
};

async function readRequest(request: IncomingMessage): Promise<DispatchRequest | Refused> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > DISPATCH_BYTES_MAX) return TOO_LARGE;
    chunks.push(chunk);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return { status: 400, code: 'validation_error', message: 'the body is not JSON' };
  }
  const fault = requestFault(value);
  return fault === null ? (value as DispatchRequest) : { status: 400, code: 'validation_error', message: fault };
}

function refuse(response: ServerResponse, { status, code, message, headers = {} }: Refused): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { code, message, details: null } }));
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, 1_000).toWellFormed();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
