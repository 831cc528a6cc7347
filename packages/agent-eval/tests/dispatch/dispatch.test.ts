/** The dispatch adapter, both sides: what reaches the worker, who may call, retries, aborts and bounds. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Dispatch,
  type DispatchAuth,
  DispatchFailure,
  type DispatchServer,
  httpDispatch,
  runDispatchServer,
} from '../../src/dispatch/index.ts';
import { until } from '../support/raw.ts';

const auth: DispatchAuth = { kind: 'bearer', token: 'secret' };
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function worker(
  dispatch: Dispatch,
  more: { auth?: DispatchAuth; callsMax?: number } = {},
): Promise<DispatchServer> {
  const server = await runDispatchServer({ dispatch, auth, ...more });
  open.push(() => server.close());
  return server;
}

/** A worker that answers by script: one status a call, the last for good. */
async function scripted(...statuses: number[]): Promise<{ url: string; calls: () => number }> {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const status = statuses[Math.min(calls++, statuses.length - 1)]!;
      response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:1/dispatch' });
      response.end(status === 200 ? '{"artifact":{"n":1}}' : '{"error":{"code":"c","message":"m"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls };
}

const place = {
  cellId: 'cell',
  runAttemptId: ' attempt/№1 ',
  rep: 0,
  seed: 7,
  generation: 2,
  placement: { zone: 'a' },
  cycleId: 'c',
};
const context = (signal = new AbortController().signal) => ({ ...place, signal });

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/dispatch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret', ...headers },
    body,
  });
  return {
    status: response.status,
    json: (await response.json()) as { artifact?: unknown; error?: { code: string; message: string } },
  };
}

describe('worker', () => {
  test('sees the scenario and its place unchanged, and nothing else', async () => {
    const seen: unknown[] = [];
    const { url } = await worker(async (scenario, { signal, ...rest }) => {
      seen.push(scenario, rest, signal.aborted);
      return { made: true };
    });
    expect(await httpDispatch({ url, auth })({ name: 's' }, context())).toEqual({ made: true });
    expect(seen).toEqual([{ name: 's' }, place, false]);
    const { json } = await post(
      url,
      JSON.stringify({ scenario: 1, cellId: 'c', runAttemptId: 'r', rep: 0, seed: 1, extra: 'x' }),
    );
    expect(json).toEqual({ artifact: { made: true } });
    expect(seen[4]).toEqual({ cellId: 'c', runAttemptId: 'r', rep: 0, seed: 1 });
  });

  test('bad requests are 400 and run nothing', async () => {
    let runs = 0;
    const { url } = await worker(async () => ++runs);
    const good = { scenario: {}, cellId: 'c', runAttemptId: 'r', rep: 0, seed: 1 };
    for (const body of [
      '{',
      'null',
      '[]',
      JSON.stringify({ ...good, runAttemptId: undefined }),
      JSON.stringify({ ...good, runAttemptId: '' }),
      JSON.stringify({ ...good, rep: -1 }),
      JSON.stringify({ ...good, seed: 1.5 }),
      JSON.stringify({ ...good, scenario: undefined }),
      JSON.stringify({ ...good, generation: 'x' }),
    ]) {
      const { status, json } = await post(url, body);
      expect([body, status, json.error?.code]).toEqual([body, 400, 'validation_error']);
    }
    expect(runs).toBe(0);
  });

  test('tokens, paths, verbs, media types and sizes', async () => {
    const { url } = await worker(async () => 1);
    const good = JSON.stringify({ scenario: {}, cellId: 'c', runAttemptId: 'r', rep: 0, seed: 1 });
    expect((await post(url, good, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await post(url, good, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(url, ' '.repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
    const headers = { authorization: 'Bearer secret' };
    expect((await fetch(`${url}/v1/judge`, { headers })).status).toBe(404);
    expect((await fetch(`${url}/dispatch`, { headers })).status).toBe(405);
    const opened = await worker(async () => 1, { auth: { kind: 'off' } });
    expect((await post(opened.url, good, { authorization: '' })).status).toBe(200);
    await expect(runDispatchServer({ dispatch: async () => 1, auth: { kind: 'bearer', token: '' } })).rejects.toThrow(
      TypeError,
    );
  });

  test('an artifact that is too large is told so and not tried again', async () => {
    let runs = 0;
    const { url } = await worker(async () => {
      runs++;
      return 'x'.repeat(10 * 1024 * 1024);
    });
    await expect(httpDispatch({ url, auth })({}, context())).rejects.toMatchObject({
      kind: 'refused',
      status: 422,
      attempts: 1,
    });
    expect(runs).toBe(1);
  });

  test('more attempts than it takes are 429', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await worker(() => held, { callsMax: 1 });
    const good = JSON.stringify({ scenario: {}, cellId: 'c', runAttemptId: 'r', rep: 0, seed: 1 });
    const first = post(url, good);
    await until(async () => (await post(url, good)).status === 429);
    release();
    expect((await first).status).toBe(200);
  });
});

describe('driver', () => {
  const call = (url: string, more: { timeoutMs?: number } = {}) => httpDispatch({ url, auth, ...more })({}, context());

  for (const status of [408, 429, 500, 503]) {
    test(`${status} is tried again, twice at most`, async () => {
      const mends = await scripted(status, 200);
      expect(await call(mends.url)).toEqual({ n: 1 });
      expect(mends.calls()).toBe(2);
      const stays = await scripted(status);
      await expect(call(stays.url)).rejects.toMatchObject({ kind: 'refused', status, attempts: 3 });
      expect(stays.calls()).toBe(3);
    });
  }
  for (const status of [400, 401, 404, 413, 422, 302]) {
    test(`${status} is final`, async () => {
      const { url, calls } = await scripted(status);
      await expect(call(url)).rejects.toMatchObject({ kind: 'refused', status, attempts: 1 });
      expect(calls()).toBe(1);
    });
  }
  test('nobody there is tried again, then told', async () => {
    await expect(call('http://127.0.0.1:1')).rejects.toMatchObject({ kind: 'unreachable', attempts: 3 });
  });
  test('an answer without an artifact is malformed', async () => {
    const server = createServer((_, response) => response.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => new Promise((resolve) => server.close(() => resolve())));
    await expect(call(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).rejects.toMatchObject({
      kind: 'malformed',
    });
  });
  test('its own time covers all attempts, and the worker is told', async () => {
    let aborted = false;
    const { url } = await worker(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(signal.reason);
          });
        }),
    );
    await expect(call(url, { timeoutMs: 200 })).rejects.toBeInstanceOf(DispatchFailure);
    await until(() => aborted);
  });
  test('its caller’s abort reaches the worker, and its reason comes back', async () => {
    let aborted = false;
    const { url } = await worker(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(signal.reason);
          });
        }),
    );
    const stop = new AbortController();
    const running = httpDispatch({ url, auth })({}, context(stop.signal));
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(running).rejects.toThrow('enough');
    await until(() => aborted);
  });
  test('a worker that shuts down aborts what it runs', async () => {
    let reason: unknown = null;
    const server = await runDispatchServer({
      auth,
      dispatch: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        }),
    });
    const running = httpDispatch({ url: server.url, auth })({}, context()).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.close();
    expect(String(reason)).toMatch(/shutting down/);
    await running;
  });
});
