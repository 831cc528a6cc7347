/** The door: order of checks, media types, tokens, hosts, origins, feedback's versions, and the closed shapes. */
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { memoryStore } from '../../src/store/index.ts';
import { checkHost } from '../../src/wire/guard.ts';
import {
  type AppOptions,
  createApp,
  dispatchRpc,
  METHODS,
  openapiDocument,
  PACKAGE_VERSION,
  WIRE_CODES,
  WIRE_VERSION,
} from '../../src/wire/index.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const feedback = (more: Record<string, unknown> = {}) =>
  JSON.stringify({ id: 't', task: { intent: 'x' }, createdAt: '2026-08-01T00:00:00Z', ...more });

async function ask(options: AppOptions, path: string, init: RequestInit = {}) {
  const response = await createApp(options).request(path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) };
}

function stores(): AppOptions {
  const { traces, feedback: records } = memoryStore();
  return { traceStore: traces, feedbackStore: records };
}

describe('pins', () => {
  test('versions, methods, codes', () => {
    expect(PACKAGE_VERSION).toBe(manifest.version);
    expect(WIRE_VERSION).toBe('1.0.0');
    expect(METHODS.map(({ name, verb, path }) => `${name} ${verb} ${path}`)).toEqual([
      'judge POST /v1/judge',
      'listRubrics GET /v1/rubrics',
      'version GET /v1/version',
      'feedback.ingest POST /v1/feedback',
      'traces.ingest POST /v1/traces/ingest',
    ]);
    expect([...WIRE_CODES].sort()).toEqual([
      'forbidden_host',
      'internal_error',
      'judge_error',
      'llm_not_configured',
      'llm_unavailable',
      'method_not_allowed',
      'not_found',
      'parse_error',
      'payload_too_large',
      'precondition_failed',
      'rate_limited',
      'request_timeout',
      'rubric_not_found',
      'service_unavailable',
      'unauthorized',
      'unknown_method',
      'unsupported_media_type',
      'validation_error',
    ]);
  });

  test('the API surface is the list of methods, in the seed’s order', async () => {
    const { json } = await ask({}, '/v1/version');
    expect(json).toEqual({
      package: '@tangle-network/agent-eval',
      version: manifest.version,
      wireVersion: '1.0.0',
      apiSurface: ['judge', 'listRubrics', 'version', 'feedback.ingest', 'traces.ingest'],
    });
    expect([...json.apiSurface].sort()).toEqual(METHODS.map(({ name }) => name).sort());
  });

  test('a listed rubric has exactly the seed’s fields', async () => {
    const { json } = await ask({}, '/v1/rubrics');
    for (const rubric of json.rubrics) {
      expect(Object.keys(rubric)).toEqual(['name', 'description', 'dimensions', 'failureModes', 'rubricVersion']);
      for (const dimension of rubric.dimensions)
        expect(Object.keys(dimension)).toEqual(['id', 'description', 'weight']);
    }
  });
});

describe('order of checks', () => {
  const check = async (init: RequestInit, options: AppOptions, code: string | undefined): Promise<void> => {
    const { json } = await ask(options, '/v1/judge', { method: 'POST', ...init });
    expect(json.error?.code).toBe(code);
  };
  const closed = { token: 'secret' };
  const auth = { authorization: 'Bearer secret' };
  test('auth, media type, JSON, schema, rubric, model', async () => {
    await check({ body: '{', headers: {} }, closed, 'unauthorized');
    await check({ body: '{', headers: auth }, closed, 'unsupported_media_type');
    await check({ body: '{', headers: { ...auth, ...JSON_TYPE } }, closed, 'validation_error');
    await check({ body: '{"content":"x"}', headers: { ...auth, ...JSON_TYPE } }, closed, 'validation_error');
    await check(
      { body: '{"content":"x","rubricName":"nope"}', headers: { ...auth, ...JSON_TYPE } },
      closed,
      'rubric_not_found',
    );
    await check(
      { body: '{"content":"x","rubricName":"anti-slop"}', headers: { ...auth, ...JSON_TYPE } },
      closed,
      'llm_not_configured',
    );
  });
  test('a bad batch is told before a missing store', async () => {
    const bad = await ask({}, '/v1/traces/ingest', { method: 'POST', headers: JSON_TYPE, body: '{"events":[{}]}' });
    expect(bad.json.error.code).toBe('validation_error');
    const missing = await ask({}, '/v1/feedback', { method: 'POST', headers: JSON_TYPE, body: feedback() });
    expect([missing.status, missing.json.error.code]).toEqual([503, 'service_unavailable']);
  });
});

describe('paths and verbs', () => {
  test('unknown paths, hostile ones too', async () => {
    for (const path of ['/', '/v1', '/v1/judge/', '/v1/__proto__', '/constructor', '/v1/%2e%2e/version', '//']) {
      const { status, json } = await ask({}, path);
      expect([path, status, json.error.code]).toEqual([path, 404, 'not_found']);
    }
  });
  test('405 names what is allowed', async () => {
    const get = await ask({}, '/v1/judge');
    expect([get.status, get.headers.get('allow'), get.json.error.code]).toEqual([405, 'POST', 'method_not_allowed']);
    const post = await ask({}, '/v1/rubrics', { method: 'POST', headers: JSON_TYPE, body: '{}' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await ask({}, '/healthz', { method: 'HEAD' })).status).toBe(200);
    expect((await ask({}, '/healthz', { method: 'OPTIONS' })).status).toBe(405);
  });
  test('a query is no part of the path', async () => expect((await ask({}, '/v1/version?x=1')).status).toBe(200));
});

describe('media types', () => {
  for (const [type, status] of [
    ['application/json', 200],
    ['Application/JSON; charset=UTF-8', 200],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=application/json', 415],
    ['application/x-ndjson', 415],
    ['', 415],
  ] as const) {
    test(`feedback as "${type}"`, async () => {
      const headers = type === '' ? {} : { 'content-type': type };
      const body = new Uint8Array(Buffer.from(feedback()));
      expect((await ask(stores(), '/v1/feedback', { method: 'POST', headers, body })).status).toBe(status);
    });
  }
});

describe('tokens', () => {
  const options = { token: 'secret', ...stores() };
  test('open paths need none, all others do', async () => {
    for (const path of ['/healthz', '/v1/version', '/openapi.json'])
      expect((await ask(options, path)).status).toBe(200);
    for (const path of ['/v1/rubrics', '/nope']) {
      const { status, headers, json } = await ask(options, path);
      expect([status, headers.get('www-authenticate'), json.error.code]).toEqual([401, 'Bearer', 'unauthorized']);
    }
  });
  for (const [given, status] of [
    ['Bearer secret', 200],
    ['bearer  secret', 200],
    ['Bearer secret2', 401],
    ['Bearer ', 401],
    ['Basic secret', 401],
    ['secret', 401],
  ] as const) {
    test(`"${given}"`, async () => {
      expect((await ask(options, '/v1/rubrics', { headers: { authorization: given } })).status).toBe(status);
    });
  }
});

describe('hosts and origins', () => {
  const guard = { token: null, hosts: 'loopback', corsOrigins: [] } as const;
  const allowed = (host: string): boolean => {
    try {
      checkHost(guard, (name) => (name === 'host' ? host : undefined));
      return true;
    } catch {
      return false;
    }
  };
  test('loopback answers to its own names alone', () => {
    for (const host of ['localhost', 'LOCALHOST:5005', '127.0.0.1:1', '127.9.9.9', '[::1]:80'])
      expect(allowed(host), host).toBe(true);
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      '',
      'evil:80:127.0.0.1',
    ]) {
      expect(allowed(host), host).toBe(false);
    }
  });
  test('refused before anything else', async () => {
    const { status, json } = await ask({ hosts: 'loopback', token: 't' }, '/v1/rubrics', {
      headers: { host: 'evil.example' },
    });
    expect([status, json.error.code]).toEqual([403, 'forbidden_host']);
  });
  test('no origin may read anything unless it is named', async () => {
    const page = { origin: 'https://app.example' };
    const off = await ask({}, '/v1/rubrics', { headers: page });
    expect(off.headers.get('access-control-allow-origin')).toBeNull();
    const options = { corsOrigins: ['https://app.example'] };
    expect((await ask(options, '/v1/rubrics', { headers: page })).headers.get('access-control-allow-origin')).toBe(
      page.origin,
    );
    expect((await ask(options, '/nope', { headers: page })).headers.get('access-control-allow-origin')).toBe(
      page.origin,
    );
    const other = await ask(options, '/v1/rubrics', { headers: { origin: 'https://evil.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    expect(other.headers.get('vary')).toBe('Origin');
  });
  test('a preflight passes with its POST', async () => {
    const options = { corsOrigins: ['https://app.example'], token: 'secret' };
    const preflight = await ask(options, '/v1/judge', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST']);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Authorization/);
    const post = await ask(options, '/v1/judge', {
      method: 'POST',
      headers: { origin: 'https://app.example' },
      body: '{}',
    });
    expect([post.status, post.headers.get('access-control-allow-origin')]).toEqual([401, 'https://app.example']);
  });
});

describe('feedback', () => {
  test('versions in ETag, and If-Match makes two reviewers safe', async () => {
    const options = stores();
    const app = createApp(options);
    const post = (body: string, headers: Record<string, string> = {}) =>
      app.request('/v1/feedback', { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
    const first = await post(feedback());
    expect([first.headers.get('etag'), await first.json()]).toEqual(['"1"', { id: 't', persisted: true }]);
    expect((await post(feedback({ tags: { who: 'a' } }), { 'if-match': '"1"' })).headers.get('etag')).toBe('"2"');
    const late = await post(feedback({ tags: { who: 'b' } }), { 'if-match': '"1"' });
    expect([late.status, late.headers.get('etag')]).toEqual([412, '"2"']);
    expect(((await late.json()) as { error: unknown }).error).toMatchObject({
      code: 'precondition_failed',
      details: { version: 2 },
    });
    expect((await post(feedback(), { 'if-match': '*' })).status).toBe(200);
    expect((await post(feedback(), { 'if-match': 'W/"3", "x"' })).status).toBe(412);
    expect((await post(feedback(), { 'if-match': 'three' })).status).toBe(400);
    expect((await post(feedback(), { 'if-none-match': '*' })).status).toBe(412);
    expect((await post(feedback({ id: 'new' }), { 'if-none-match': '*' })).status).toBe(200);
  });

  test('is kept byte for byte, with what is unknown', async () => {
    const options = stores();
    const text =
      '{ "id":"t","task":{"intent":"x","__proto__":{"y":1}},"big":12345678901234567890,"createdAt":"2026-08-01T00:00:00.5+00:00" }';
    expect((await ask(options, '/v1/feedback', { method: 'POST', headers: JSON_TYPE, body: text })).status).toBe(200);
    const record = await options.feedbackStore!.get('t');
    expect(Buffer.from(record!.bytes).toString()).toBe(text);
  });

  const label = { source: 'user', kind: 'approve', value: null, createdAt: '2026-08-01T00:00:00Z' };
  const attempt = { id: 'a', stepIndex: 0, artifactType: 'text', artifact: 'x', createdAt: '2026-08-01T00:00:00Z' };
  for (const [what, more, status] of [
    ['a full label', { labels: [{ ...label, severity: 'critical', reason: 'r', id: 'l' }] }, 200],
    ['a label without value', { labels: [{ ...label, value: undefined }] }, 400],
    ['a label of unknown kind', { labels: [{ ...label, kind: 'zzz' }] }, 400],
    ['an attempt', { attempts: [{ ...attempt, feedback: [label], proposedAction: { type: 't', risk: 'high' } }] }, 200],
    ['an attempt without artifact', { attempts: [{ ...attempt, artifact: undefined }] }, 400],
    ['an attempt at step -1', { attempts: [{ ...attempt, stepIndex: -1 }] }, 400],
    ['metrics that are numbers', { outcome: { metrics: { a: 1, __proto__: 2 } } }, 200],
    ['metrics that are not', { outcome: { metrics: { a: 'x' } } }, 400],
    ['a split that is none', { split: 'other' }, 400],
    ['tags that are no texts', { tags: { a: 1 } }, 400],
    ['a date', { createdAt: '2026-08-01' }, 400],
    ['another zone', { createdAt: '2026-08-01T00:00:00+02:00' }, 400],
    ['the thirtieth of February', { createdAt: '2026-02-30T00:00:00Z' }, 400],
    ['an id with a lone surrogate', { id: '\ud800' }, 400],
    ['an empty intent', { task: { intent: '' } }, 400],
    [
      'nesting without end',
      { task: { intent: 'x', context: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) } },
      400,
    ],
  ] as const) {
    test(what, async () => {
      const { status: got, json } = await ask(stores(), '/v1/feedback', {
        method: 'POST',
        headers: JSON_TYPE,
        body: feedback(more),
      });
      expect(got, JSON.stringify(json)).toBe(status);
    });
  }
});

describe('judge requests', () => {
  const inline = { name: 'r', description: 'd', systemPrompt: 's', dimensions: [{ id: 'd1', description: 'x' }] };
  for (const [what, body] of [
    ['a name that is no text', { rubricName: 1, content: 'x' }],
    [
      'inverted ranges',
      { content: 'x', rubric: { ...inline, dimensions: [{ id: 'a', description: 'x', min: 1, max: 0 }] } },
    ],
    [
      'a dimension called __proto__',
      { content: 'x', rubric: { ...inline, dimensions: [{ id: '__proto__', description: 'x' }] } },
    ],
    ['no dimensions', { content: 'x', rubric: { ...inline, dimensions: [] } }],
    ['an empty name', { content: 'x', rubric: { ...inline, name: '' } }],
    [
      'a weight beyond a double',
      '{"content":"x","rubric":{"name":"r","description":"d","systemPrompt":"s","dimensions":[{"id":"a","description":"x","weight":1e999}]}}',
    ],
  ] as const) {
    test(`${what}: refused before a model is paid`, async () => {
      let paid = 0;
      const model = { defaultModel: 'm', answer: async () => ({ text: String(++paid), finish: 'stop' as const }) };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const { status, json } = await ask({ model }, '/v1/judge', { method: 'POST', headers: JSON_TYPE, body: text });
      expect([status, json.error.code, paid]).toEqual([400, 'validation_error', 0]);
    });
  }
});

describe('RPC on values', () => {
  test('the same handlers and envelope', async () => {
    const options = stores();
    const events = [{ eventId: 'e', runId: 'r', kind: 'log', timestamp: 1, payload: {} }];
    expect(await dispatchRpc('traces.ingest', { events }, options)).toEqual({
      result: { accepted: 1, rejected: 0, errors: [] },
    });
    expect(await dispatchRpc('feedback.ingest', JSON.parse(feedback()), options)).toEqual({
      result: { id: 't', persisted: true },
    });
    expect(await dispatchRpc('constructor', {})).toMatchObject({ error: { code: 'unknown_method' } });
    expect(await dispatchRpc('judge', { content: 'x' })).toMatchObject({ error: { code: 'validation_error' } });
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(await dispatchRpc('traces.ingest', { events: [circular] }, options)).toMatchObject({
      error: { code: 'validation_error' },
    });
  });
});

describe('OpenAPI', () => {
  const document = openapiDocument() as {
    openapi: string;
    paths: Record<
      string,
      Record<string, { operationId: string; responses: Record<string, unknown>; security: unknown[] }>
    >;
    components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
  };
  test('has every method with an operation id, every error and the security scheme', () => {
    expect(document.openapi).toBe('3.1.0');
    const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([
      'feedbackIngest',
      'healthz',
      'judge',
      'listRubrics',
      'openapi',
      'tracesIngest',
      'version',
    ]);
    expect(Object.keys(document.paths['/v1/judge']!.post!.responses).sort()).toEqual(
      ['200', '400', '401', '403', '404', '408', '413', '415', '429', '500', '503'].sort(),
    );
    expect(Object.keys(document.paths['/v1/feedback']!.post!.responses)).toContain('412');
    expect(document.components.securitySchemes).toHaveProperty('bearer');
  });
  test('closes no response, so that a new optional field breaks no generated client', () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });
  test('is what the server gives', async () =>
    expect((await ask({}, '/openapi.json')).json).toEqual(JSON.parse(JSON.stringify(document))));
});
