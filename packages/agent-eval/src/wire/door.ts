/** HTTP without sockets: a request's parts in, an answer's parts out. The server and the embeddable app share it. */
import type { Stop } from '../judge/index.ts';
import type { Precondition } from '../store/ports.ts';
import type { Body } from './body.ts';
import { type Budget, makeBudget } from './budget.ts';
import type { Service } from './context.ts';
import { errorBody, statusOf, WireError } from './errors.ts';
import { checkHost, corsHeaders, type GuardOptions, PREFLIGHT_HEADERS, tokenCheck } from './guard.ts';
import { handle, internal } from './handlers.ts';
import { inflate } from './inflate.ts';
import type { WireLimits } from './limits.ts';
import type { Call, Method, Params } from './method.ts';
import { METHODS } from './methods/index.ts';
import { lazily } from './params.ts';

export interface DoorRequest {
  readonly verb: string;
  /** Without the query. */
  readonly path: string;
  header(name: string): string | undefined;
  /** Reads the body within its bounds, claiming what it holds. @throws WireError */
  body(limits: WireLimits, budget: Budget): Promise<Body>;
  /** Of this request alone, made when first asked for; aborted when the caller has gone. */
  readonly stop: Stop;
  isGone(): boolean;
}

export interface DoorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface DoorOptions extends GuardOptions {
  readonly service: Service;
}

/** @throws the request's abort reason when the caller has gone; nothing else */
export type Door = (request: DoorRequest) => Promise<DoorAnswer>;

interface Route {
  readonly access: 'open' | 'guarded';
  readonly verbs: ReadonlyMap<string, Method | 'healthz' | 'openapi'>;
}

const openapiText = lazily(async () => (await import('./openapi.ts')).openapiText());

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/healthz', { access: 'open', verbs: new Map([['GET', 'healthz']]) }],
  ['/openapi.json', { access: 'open', verbs: new Map([['GET', 'openapi']]) }],
  ...METHODS.map((method): [string, Route] => [
    method.path,
    { access: method.access, verbs: new Map([[method.verb, method]]) },
  ]),
]);

export function makeDoor(options: DoorOptions): Door {
  const { service } = options;
  const budget = makeBudget(service.limits.inFlightBytesMax);
  const checkToken = tokenCheck(options);
  const startedMs = performance.now();

  const answer = async (request: DoorRequest): Promise<DoorAnswer> => {
    const header = (name: string): string | undefined => request.header(name);
    checkHost(options, header);
    const route = ROUTES.get(request.path);
    if (route?.access !== 'open') checkToken(header);
    if (route === undefined) {
      throw new WireError('not_found', `nothing is at ${request.path.slice(0, 100)}; GET /openapi.json lists what is`);
    }
    const target = route.verbs.get(request.verb === 'HEAD' ? 'GET' : request.verb);
    if (target === undefined) {
      const allow = [...route.verbs.keys()].flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])).join(', ');
      throw new WireError('method_not_allowed', `${request.path} answers to ${allow}`, { headers: { allow } });
    }
    if (target === 'healthz') return json(200, { status: 'ok', uptimeSec: (performance.now() - startedMs) / 1_000 });
    if (target === 'openapi') return { status: 200, headers: JSON_TYPE, body: await openapiText() };
    return target.verb === 'GET' ? call(target, { kind: 'none' }, request) : callWithBody(target, request);
  };

  const callWithBody = async (method: Method, request: DoorRequest): Promise<DoorAnswer> => {
    const media = mediaOf(method, request.header('content-type'));
    const encoding = encodingOf(request.header('content-encoding'));
    let claimedBytes = 0;
    let body: Body | null = null;
    try {
      body = await request.body(service.limits, budget);
      let { bytes } = body;
      claimedBytes = bytes.length;
      if (encoding === 'gzip') {
        const inflated = await inflate(bytes, service.limits.inflatedBytesMax, budget);
        claimedBytes += inflated.claimedBytes;
        bytes = inflated.bytes;
      }
      return await call(method, { kind: media, bytes }, request);
    } finally {
      budget.release(claimedBytes);
      body?.done();
    }
  };

  const call = async (method: Method, params: Params, request: DoorRequest): Promise<DoorAnswer> => {
    const outcome = await handle(method, new DoorCall(params, service, request));
    if (outcome.kind === 'error') throw outcome.error;
    return json(200, outcome.result.value, outcome.result.headers);
  };

  return async (request) => {
    const cors = corsHeaders(options, (name) => request.header(name));
    if (request.verb === 'OPTIONS' && 'access-control-allow-origin' in cors) {
      return { status: 204, headers: { ...cors, ...PREFLIGHT_HEADERS }, body: '' };
    }
    try {
      const answered = await answer(request);
      return options.corsOrigins.length === 0 ? answered : { ...answered, headers: { ...answered.headers, ...cors } };
    } catch (error) {
      if (request.isGone()) throw error;
      return refusal(error instanceof WireError ? error : internal(error), cors);
    }
  };
}

/** A class, since a getter in a literal makes the engine a new hidden class, and so lasting garbage, at every request. */
class DoorCall implements Call {
  readonly params: Params;
  readonly service: Service;
  readonly precondition: Precondition | null;
  readonly #request: DoorRequest;

  constructor(params: Params, service: Service, request: DoorRequest) {
    this.params = params;
    this.service = service;
    this.precondition = preconditionOf(request);
    this.#request = request;
  }

  get stop(): Stop {
    return this.#request.stop;
  }

  isGone(): boolean {
    return this.#request.isGone();
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): DoorAnswer {
  return {
    status,
    headers: headers === undefined ? JSON_TYPE : { ...JSON_TYPE, ...headers },
    body: JSON.stringify(value),
  };
}

export function refusal(error: WireError, headers: Readonly<Record<string, string>> = {}): DoorAnswer {
  return json(statusOf(error.code), errorBody(error), { ...error.headers, ...headers });
}

/** Media types compare without case or parameters. */
function mediaOf(method: Method, contentType: string | undefined): 'json' | 'ndjson' {
  const semicolon = contentType?.indexOf(';') ?? -1;
  const type = (semicolon < 0 ? contentType : contentType!.slice(0, semicolon))?.trim().toLowerCase();
  if (type === 'application/json') return 'json';
  if (method.media.includes('ndjson') && (type === 'application/x-ndjson' || type === 'application/ndjson'))
    return 'ndjson';
  const wanted = ['application/json', ...method.media.map(() => 'application/x-ndjson')].join(' or ');
  const got = type === undefined ? 'none' : `"${type.slice(0, 100)}"`;
  throw new WireError('unsupported_media_type', `content-type ${wanted} is wanted, got ${got}`);
}

function encodingOf(contentEncoding: string | undefined): 'gzip' | 'identity' {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  throw new WireError(
    'unsupported_media_type',
    `content-encoding gzip or none is wanted, got "${coding.slice(0, 100)}"`,
  );
}

function preconditionOf(request: DoorRequest): Precondition | null {
  const match = request.header('if-match')?.trim();
  if (match !== undefined) {
    if (match === '*') return { kind: 'any' };
    const tags = match.split(',').map((tag) => tag.trim());
    if (!tags.every((tag) => /^(?:W\/)?"[^"]*"$/.test(tag))) {
      throw new WireError(
        'validation_error',
        'If-Match is * or a list of versions in double quotes, as ETag gave them',
      );
    }
    // A tag that no version of ours can have matches nothing; it is no error.
    const versions = tags.flatMap((tag) => (/^"[1-9]\d{0,14}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []));
    return { kind: 'versions', versions };
  }
  return request.header('if-none-match')?.trim() === '*' ? { kind: 'absent' } : null;
}
