/** The published cases of the wire protocol, against the built server and the built bin. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { run, type Served, serve } from '../support/built.ts';
import { saying, type Upstream, upstream } from '../support/upstream.ts';

interface Case {
  readonly id: string;
  readonly transport: 'http' | 'rpc' | 'rpc-batch';
  readonly setup?: { readonly llm?: string | null; readonly stores?: boolean; readonly bearer?: string };
  readonly request: {
    readonly method: string | null;
    readonly path: string;
    readonly headers?: Record<string, string>;
    readonly body?: Record<string, unknown> & { readonly $repeatEvents?: number; readonly events?: unknown[] };
    readonly bodyText?: string;
    readonly argv: readonly string[];
  };
  readonly expect: {
    readonly status?: number;
    readonly exitCode?: number;
    readonly jsonSubset?: unknown;
    readonly predicates?: readonly string[];
  };
}

const cases: readonly Case[] = JSON.parse(readFileSync(new URL('./wire-cases.json', import.meta.url), 'utf8'));

const home = mkdtempSync(join(tmpdir(), 'agent-eval-cases-'));
const servers = new Map<string, Promise<{ served: Served; model: Upstream | null }>>();
let stores = 0;

afterAll(async () => {
  for (const pending of servers.values()) {
    const { served, model } = await pending;
    served.child.kill('SIGKILL');
    await model?.close();
  }
  rmSync(home, { recursive: true, force: true });
});

/** One server for all cases that want the same; cases with a store get one of their own. */
function serverFor({ setup = {} }: Case): Promise<{ served: Served; model: Upstream | null }> {
  const key = setup.stores === true ? `own ${stores++}` : JSON.stringify(setup);
  let pending = servers.get(key);
  if (pending === undefined) {
    pending = (async () => {
      const model = typeof setup.llm === 'string' ? await upstream(saying(setup.llm)) : null;
      const store =
        setup.stores === true ? join(home, key.replace(' ', '-')) : setup.stores === false ? 'none' : 'memory';
      const served = await serve(['--store', store], {
        ...(model === null ? {} : { AGENT_EVAL_LLM_BASE_URL: model.url, AGENT_EVAL_LLM_MODEL: 'm-default' }),
        ...(setup.bearer === undefined ? {} : { AGENT_EVAL_TOKEN: setup.bearer }),
      });
      return { served, model };
    })();
    servers.set(key, pending);
  }
  return pending;
}

interface Seen {
  readonly json: Record<string, unknown>;
  readonly stdout: string;
  readonly stderr: string;
  readonly url: string;
  readonly model: Upstream | null;
  readonly again: (body: string) => Promise<Response>;
  readonly store: string | null;
}

/** What the words of the cases mean. A predicate that is not here fails its case. */
const PREDICATES: Readonly<Record<string, (seen: Seen) => void | Promise<void>>> = {
  'uptimeSec is a number >= 0': ({ json }) => expect(json.uptimeSec).toBeGreaterThanOrEqual(0),
  'keys are exactly package, version, wireVersion, apiSurface': ({ json }) =>
    expect(Object.keys(json).sort()).toEqual(['apiSurface', 'package', 'version', 'wireVersion']),
  'openapi starts with 3.': ({ json }) => expect(String(json.openapi)).toMatch(/^3\./),
  'paths include /v1/judge, /v1/rubrics, /v1/version, /v1/traces/ingest, /v1/feedback, /healthz': ({ json }) =>
    expect(Object.keys(json.paths as object)).toEqual(
      expect.arrayContaining([
        '/v1/judge',
        '/v1/rubrics',
        '/v1/version',
        '/v1/traces/ingest',
        '/v1/feedback',
        '/healthz',
      ]),
    ),
  'body is {error:{code,message}} JSON': ({ json }) =>
    expect(json).toEqual({ error: { code: expect.any(String), message: expect.any(String), details: null } }),
  'durationMs is an integer >= 0': ({ json }) => {
    expect(Number.isInteger(json.durationMs)).toBe(true);
    expect(json.durationMs).toBeGreaterThanOrEqual(0);
  },
  'model is a string': ({ json }) => expect(json.model).toEqual(expect.any(String)),
  'rubricVersion equals the one in /v1/rubrics': async ({ json, url }) => {
    const { rubrics } = (await (await fetch(`${url}/v1/rubrics`)).json()) as {
      rubrics: { name: string; rubricVersion: string }[];
    };
    expect(json.rubricVersion).toBe(rubrics.find(({ name }) => name === 'anti-slop')?.rubricVersion);
  },
  'the upstream LLM request used model m-override': ({ model }) =>
    expect(model?.asked.at(-1)?.body.model).toBe('m-override'),
  'error.message is a non-empty string': ({ json }) =>
    expect((json.error as { message: string }).message).toMatch(/\S/),
  'error.details is absent or null unless structured detail exists': ({ json }) => {
    const { details } = json.error as { details: unknown };
    if (details !== null) expect(details).toEqual(expect.any(Object));
  },
  'dimensions has exactly buyer_quality, voice, signal': ({ json }) =>
    expect(Object.keys(json.dimensions as object).sort()).toEqual(['buyer_quality', 'signal', 'voice']),
  'send twice with different tags: both 200 and only the latest is visible in the store': async ({ again, store }) => {
    const body = { id: 't1', task: { intent: 'x' }, createdAt: '2026-08-01T00:00:00Z', tags: { a: 'later' } };
    expect((await again(JSON.stringify(body))).status).toBe(200);
    const { stdout } = await run(['feedback', 'export', '--store', store!]);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([body]);
  },
  'stdout is exactly one line of JSON': ({ stdout }) => expect(stdout).toMatch(/^\{.*\}\n$/),
  'error.code is validation_error, parse_error or unknown_method': ({ json }) =>
    expect(['validation_error', 'parse_error', 'unknown_method']).toContain((json.error as { code: string }).code),
  'stdout is empty': ({ stdout }) => expect(stdout).toBe(''),
  'stderr names --zzz': ({ stderr }) => expect(stderr).toContain('--zzz'),
  '2 output lines, each a result': ({ stdout }) => {
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([{ result: expect.any(Object) }, { result: expect.any(Object) }]);
  },
  'line 1 is a result': ({ stdout }) =>
    expect(JSON.parse(stdout.split('\n')[0]!)).toEqual({ result: expect.any(Object) }),
  'line 2 error.code unknown_method': ({ stdout }) =>
    expect(JSON.parse(stdout.split('\n')[1]!).error.code).toBe('unknown_method'),
};

/** Arrays equal in length, numbers within 1e-9, objects as far as the expectation goes. */
function expectSubset(got: unknown, wanted: unknown, path = '$'): void {
  if (typeof wanted === 'number') {
    expect(Math.abs(Number(got) - wanted), path).toBeLessThan(1e-9);
    return;
  }
  if (wanted === null || typeof wanted !== 'object') {
    expect(got, path).toBe(wanted);
    return;
  }
  if (Array.isArray(wanted)) {
    expect(got, path).toHaveLength(wanted.length);
    wanted.forEach((item, i) => {
      expectSubset((got as unknown[])[i], item, `${path}[${i}]`);
    });
    return;
  }
  for (const [key, item] of Object.entries(wanted))
    expectSubset((got as Record<string, unknown>)[key], item, `${path}.${key}`);
}

function bodyOf({ request }: Case): string | undefined {
  if (request.bodyText !== undefined) return request.bodyText;
  if (request.body === undefined) return undefined;
  const { $repeatEvents, ...body } = request.body;
  if ($repeatEvents === undefined) return JSON.stringify(body);
  return JSON.stringify({ ...body, events: Array.from({ length: $repeatEvents }, () => body.events![0]) });
}

async function checkHttp(one: Case): Promise<void> {
  const { served, model } = await serverFor(one);
  const { method, path, headers } = one.request;
  const body = bodyOf(one);
  const send = (text: string | undefined): Promise<Response> =>
    fetch(served.url + path, {
      method: method!,
      headers: headers ?? {},
      ...(text === undefined ? {} : { body: text }),
    });
  const response = await send(body);
  expect(response.status).toBe(one.expect.status);
  const json = (await response.json()) as Record<string, unknown>;
  const store = served.child.spawnargs.at(-1) ?? null;
  await checkRest(one, { json, stdout: '', stderr: '', url: served.url, model, again: send, store });
}

async function checkProcess(one: Case): Promise<void> {
  const { llm } = one.setup ?? {};
  const model = typeof llm === 'string' ? await upstream(saying(llm)) : null;
  const env = model === null ? {} : { AGENT_EVAL_LLM_BASE_URL: model.url };
  const ran = await run(one.request.argv, one.request.bodyText ?? '', { AGENT_EVAL_HOME: join(home, 'rpc'), ...env });
  await model?.close();
  expect(ran.code, ran.stderr).toBe(one.expect.exitCode);
  const last = ran.stdout.trim().split('\n').at(-1) || '{}';
  const again = (): Promise<Response> => Promise.reject(new Error('no server'));
  await checkRest(one, { json: JSON.parse(last), ...ran, url: '', model, again, store: null });
}

async function checkRest(one: Case, seen: Seen): Promise<void> {
  if (one.expect.jsonSubset !== undefined) expectSubset(seen.json, one.expect.jsonSubset);
  for (const words of one.expect.predicates ?? []) {
    const predicate = PREDICATES[words];
    expect(predicate, `nobody has said what "${words}" means`).toBeDefined();
    await predicate!(seen);
  }
}

describe('wire cases', () => {
  test('there are 43', () => expect(cases).toHaveLength(43));
  for (const one of cases) test(one.id, () => (one.transport === 'http' ? checkHttp(one) : checkProcess(one)));
});
