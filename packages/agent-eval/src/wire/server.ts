/** The HTTP server: sockets, slow and silent clients, draining. What is said to them comes from the door. */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Stop } from '../judge/index.ts';
import { ArrivingBody, type Body, BodyPool } from './body.ts';
import type { Budget } from './budget.ts';
import { type Door, type DoorAnswer, type DoorOptions, type DoorRequest, makeDoor, refusal } from './door.ts';
import { WireError } from './errors.ts';
import type { WireLimits } from './limits.ts';
import { LAST, type Reading, type Turns } from './turns.ts';

export const HEAD_MS_MAX = 10_000;
export const BODY_MS_MAX = 30_000;
/** An answer that its client does not read is given up after this. */
export const UNREAD_MS_MAX = 30_000;
/** A SIGTERM waits this long for calls in flight. */
export const DRAIN_MS_MAX = 30_000;
/** Requests that take over a second to arrive; beyond, the oldest are cut. */
export const SLOW_MAX = 512;
const SLOW_AFTER_MS = 1_000;
/** Sockets in all; beyond, the one that has waited longest on its client is cut. */
export const SOCKETS_MAX = 2_048;
/** How much of a body is read and thrown away after its request was refused, so that the answer can be read. */
const DISCARD_BYTES_MAX = 64 * 1024 * 1024;
const SWEEP_MS = 250;

export interface ServerOptions extends Omit<DoorOptions, 'hosts'> {
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  readonly patience?: ClientPatience;
}

/** How long a client may take. */
export interface ClientPatience {
  readonly headMsMax: number;
  /** For all of a request, its head included. */
  readonly bodyMsMax: number;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Takes no new calls, lets those in flight end within {@link DRAIN_MS_MAX}, then closes. */
  drain(): Promise<void>;
}

/** @throws the platform's error when the port cannot be had */
export async function startHttp(options: ServerOptions): Promise<RunningServer> {
  const door = makeDoor({ ...options, hosts: isLoopback(options.host) ? 'loopback' : 'any' });
  const sockets = new SocketWatch();
  const { turns } = options.service;
  const pool = new BodyPool();
  const { headMsMax, bodyMsMax } = options.patience ?? { headMsMax: HEAD_MS_MAX, bodyMsMax: BODY_MS_MAX };
  const state: ServerState = { kind: 'open' };
  const server = createServer(
    {
      headersTimeout: headMsMax,
      requestTimeout: bodyMsMax,
      connectionsCheckingInterval: Math.min(1_000, headMsMax / 4),
      keepAliveTimeout: 5_000,
      noDelay: true,
      // A request without a Host is answered in the one shape like any other.
      requireHostHeader: false,
    },
    (request, response) => {
      sockets.begin(request);
      void serve(door, sockets, turns, pool, request, response, state);
    },
  );
  server.on('connection', (socket) => {
    turns.arrived();
    sockets.open(socket);
  });
  server.on('clientError', onClientError);
  // An expectation that is not known may be passed over; the platform's own answer to it has another shape than ours.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_, socket) => answerBare(socket as Socket, NO_TUNNEL));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: options.host, backlog: 1_024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const shown = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${shown}:${port}`,
    port,
    async drain() {
      state.kind = 'draining';
      sockets.closeSilent();
      await closed(server);
      sockets.stop();
    },
  };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS_MAX);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

interface ServerState {
  kind: 'open' | 'draining';
}

async function serve(
  door: Door,
  sockets: SocketWatch,
  turns: Turns,
  pool: BodyPool,
  request: IncomingMessage,
  response: ServerResponse,
  state: ServerState,
): Promise<void> {
  const asked = new NodeRequest(request, response, turns, pool);
  try {
    const answer = state.kind === 'draining' ? refusal(SHUTTING_DOWN) : await door(asked);
    response.once('close', () => sockets.rest(request.socket));
    // Looked at again: a signal may have come while the call was in flight.
    send(response, answer, isOpen(state) ? 'keep' : 'close');
    if (!request.complete) discard(request, turns);
  } catch {
    // The caller has gone: there is nobody to answer.
    response.destroy();
  }
}

const SHUTTING_DOWN = new WireError('service_unavailable', 'the server is shutting down');

function isOpen(state: ServerState): boolean {
  return state.kind === 'open';
}

function send(response: ServerResponse, { status, headers, body }: DoorAnswer, after: 'keep' | 'close'): void {
  if (response.destroyed || response.headersSent) return;
  const length = { 'content-length': Buffer.byteLength(body) };
  response.writeHead(
    status,
    after === 'close' ? { ...headers, ...length, connection: 'close' } : { ...headers, ...length },
  );
  response.end(body);
  if (response.writableFinished || (response.socket?.writableLength ?? 0) === 0) return;
  const timer = setTimeout(() => response.destroy(), UNREAD_MS_MAX);
  response.once('close', () => clearTimeout(timer));
}

/** A client that still sends reads its answer only when it has sent all: the rest is read, within a bound, and dropped. */
function discard(request: IncomingMessage, turns: Turns): void {
  let bytes = 0;
  const reading = readingOf(request, LAST);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARD_BYTES_MAX) request.destroy();
    else turns.took(reading, chunk.length);
  });
  request.on('error', () => {});
  request.resume();
}

/** Of the bodies of this process, in the order in which they began. */
let nextOrder = 0;

function readingOf(request: IncomingMessage, order: number): Reading {
  return { order, pause: () => request.pause(), resume: () => request.resume() };
}

class NodeRequest implements DoorRequest {
  readonly verb: string;
  readonly path: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #turns: Turns;
  readonly #pool: BodyPool;
  #stop: Stop | null = null;
  #isGone = false;

  constructor(request: IncomingMessage, response: ServerResponse, turns: Turns, pool: BodyPool) {
    this.#request = request;
    this.#response = response;
    this.#turns = turns;
    this.#pool = pool;
    this.verb = request.method ?? 'GET';
    const url = request.url ?? '/';
    const query = url.indexOf('?');
    this.path = query < 0 ? url : url.slice(0, query);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : value?.join(', ');
  }

  /** Made when first asked for: most requests end without anyone looking. */
  get stop(): Stop {
    if (this.#stop === null) {
      this.#stop = new Stop();
      if (this.#response.destroyed || this.#isGone) this.#leave();
      this.#response.once('close', () => {
        if (!this.#response.writableFinished) this.#leave();
      });
    }
    return this.#stop;
  }

  isGone(): boolean {
    return this.#isGone;
  }

  #leave(): Error {
    const reason = new Error('the caller has gone');
    this.#isGone = true;
    this.#stop?.abort(reason);
    return reason;
  }

  body(limits: WireLimits, budget: Budget): Promise<Body> {
    const request = this.#request;
    const { bodyBytesMax } = limits;
    const tooLarge = () => new WireError('payload_too_large', `a body has at most ${bodyBytesMax} bytes as sent`);
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > bodyBytesMax) return Promise.reject(tooLarge());
    return new Promise((resolve, reject) => {
      const body = new ArrivingBody(declared, this.#pool);
      const reading = readingOf(request, nextOrder++);
      const stop = (error: unknown): void => {
        budget.release(body.length);
        body.done();
        request.off('data', onData).off('end', onEnd).off('close', onClose);
        reject(error);
      };
      const onData = (chunk: Buffer): void => {
        if (body.length + chunk.length > bodyBytesMax) {
          stop(tooLarge());
          return;
        }
        try {
          budget.claim(chunk.length);
        } catch (error) {
          stop(error);
          return;
        }
        body.add(chunk);
        if (body.length < declared) this.#turns.took(reading, chunk.length);
      };
      const onEnd = (): void => {
        request.off('close', onClose);
        resolve(body);
      };
      const onClose = (): void => stop(this.#leave());
      request
        .on('data', onData)
        .on('end', onEnd)
        .on('close', onClose)
        .on('error', () => {});
    });
  }
}

/** Keeps sight of sockets that wait on their client, so that silent ones cannot crowd out the others. */
class SocketWatch {
  /** By the time at which their request began; a Map keeps the order. */
  readonly #arriving = new Map<Socket, number>();
  readonly #idle = new Set<Socket>();
  #count = 0;
  readonly #timer = setInterval(() => this.#sweep(), SWEEP_MS).unref();

  open(socket: Socket): void {
    this.#count++;
    this.#arriving.set(socket, performance.now());
    socket.once('close', () => {
      this.#count--;
      this.#arriving.delete(socket);
      this.#idle.delete(socket);
    });
    if (this.#count > SOCKETS_MAX) {
      const longest = this.#idle.values().next().value ?? this.#arriving.keys().next().value;
      longest?.destroy();
    }
  }

  /** A request's head is there. */
  begin(request: IncomingMessage): void {
    const { socket } = request;
    this.#idle.delete(socket);
    // Without a body the request is all there; with one it goes on arriving from now.
    const hasBody =
      request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    if (!hasBody) {
      this.#arriving.delete(socket);
      return;
    }
    if (!this.#arriving.has(socket)) this.#arriving.set(socket, performance.now());
    request.once('end', () => this.#arriving.delete(socket));
  }

  /** It has its answer, and may send another request. */
  rest(socket: Socket): void {
    if (!socket.destroyed) this.#idle.add(socket);
  }

  /** Cuts the sockets on which no request has begun. */
  closeSilent(): void {
    for (const socket of this.#arriving.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const slowSinceMs = performance.now() - SLOW_AFTER_MS;
    let slow = 0;
    for (const sinceMs of this.#arriving.values()) if (sinceMs < slowSinceMs) slow++;
    for (const socket of this.#arriving.keys()) {
      if (slow-- <= SLOW_MAX) return;
      socket.destroy();
    }
  }
}

/** What is no HTTP, too long a head, or too late: answered in the one shape where the socket still takes it. */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  answerBare(socket, clientFault(error.code));
}

const NO_TUNNEL = new WireError('method_not_allowed', 'this server is no proxy', {
  headers: { allow: 'GET, HEAD, POST' },
});

/** Answers on a socket that has no response of the platform's. */
function answerBare(socket: Socket, error: WireError): void {
  const { status, headers, body } = refusal(error);
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  setTimeout(() => socket.destroy(), 1_000).unref();
}

function clientFault(code: string | undefined): WireError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const spans = `${HEAD_MS_MAX / 1_000} s for its head and ${BODY_MS_MAX / 1_000} s for all of it`;
    return new WireError('request_timeout', `the request did not arrive in time: ${spans}`);
  }
  if (code === 'HPE_HEADER_OVERFLOW') return new WireError('payload_too_large', 'the head of the request is too long');
  return new WireError('validation_error', 'this is not an HTTP request');
}
