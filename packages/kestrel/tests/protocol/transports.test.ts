import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newStream, OP_NAMES, REFUSALS, Remote, refusalLine } from '../../src/protocol/index.ts';
import { appOf } from '../../src/serve/app.ts';
import { Owners } from '../../src/serve/owners.ts';
import { type Disk, memoryDisk } from '../../src/store/index.ts';
import { shortDayText } from '../session/short-day.ts';
import { CONVERSATIONS, requestsOf, textOf } from './conversations.ts';
import { bundledProgram, forgetTemplate, lineReader, newHome, removeHome, run, start } from './program.ts';
import { newHost, type Spoken, sawStore, speak } from './streams.ts';

let program: Awaited<ReturnType<typeof bundledProgram>>;
const homes: string[] = [];
beforeAll(async () => {
  program = await bundledProgram();
});
afterAll(() => {
  program.remove();
  for (const home of homes) removeHome(home);
  forgetTemplate();
});

const expected = new Map<string, Spoken>();
function inProcess(name: string): Spoken {
  let spoken = expected.get(name);
  if (spoken === undefined) {
    spoken = speak(requestsOf(name), newHost(sawStore()));
    expected.set(name, spoken);
  }
  return spoken;
}

const QUOTAS = { sessions: 100, grades: 100, datasets: 4 };
const SAW = 'rUsdE4=100000000&thinkMs=1000&checkpoint=10:00&checkpoint=10:30&checkpoint=11:00';

/** A server without a socket, on a fresh store that knows the saw. */
async function newServer(more: Partial<ConstructorParameters<typeof Owners>[0]> = {}, disk: Disk = memoryDisk()) {
  const owners = new Owners({ disk, root: 'home', writer: 'w', mode: 'local', quotas: QUOTAS, tokens: ['t'], ...more });
  const app = appOf({ owners, version: '0', trials: 'minted' });
  const headers = { authorization: 'Bearer t' };
  const put = await app.request(`/v1/datasets/saw?${SAW}`, { method: 'PUT', body: shortDayText(), headers });
  expect(put.status).toBe(201);
  const fetch = (async (url: string, init: RequestInit) =>
    app.request(url.replace('http://x', ''), init)) as typeof globalThis.fetch;
  return {
    app,
    owners,
    headers,
    remote: (token: string | undefined = 't') =>
      new Remote({ url: 'http://x', fetch, ...(token === '' ? {} : { token }) }),
  };
}

async function speakTo(remote: Remote, requests: readonly unknown[]): Promise<Spoken> {
  const stream = newStream();
  const spoken: Spoken = { out: [], err: [] };
  for (const [i, line] of textOf(requests).trimEnd().split('\n').entries()) {
    const { line: answer, refusal, op } = await remote.handle(line, stream);
    if (answer !== undefined) spoken.out.push(answer);
    else {
      spoken.err.push(refusalLine(refusal!, { op, line: i + 1 }));
      break;
    }
  }
  return spoken;
}

describe.each(CONVERSATIONS)('%s', (name) => {
  test('over standard input and output', () => {
    const home = newHome(program.path);
    homes.push(home);
    const { out, err, status } = run(program.path, ['agent'], { input: textOf(requestsOf(name)), home });
    const spoken = inProcess(name);
    expect(err).toBe(spoken.err.map((line) => `${line}\n`).join(''));
    expect(out).toBe(spoken.out.map((line) => `${line}\n`).join(''));
    expect(status).toBe(spoken.err.length === 0 ? 0 : 2);
  });

  test('over HTTP', async () => {
    const { remote } = await newServer();
    expect(await speakTo(remote(), requestsOf(name))).toEqual(inProcess(name));
  });
});

test('the conversations have every op answered, and every refusal that a request alone can earn', () => {
  const spoken = CONVERSATIONS.map(inProcess);
  const kinds = new Set(spoken.flatMap(({ out }) => out.map((line) => JSON.parse(line).kind)));
  expect([...kinds].sort()).toEqual([...OP_NAMES].sort());
  const codes = new Set(spoken.flatMap(({ err }) => err.map((line) => JSON.parse(line).refusal.code)));
  const elsewhere = ['document-required', 'internal', 'too-large', 'unavailable'];
  expect([...codes, ...elsewhere].sort()).toEqual(Object.keys(REFUSALS).sort());
});

test('over a socket, through kestrel agent --api', async () => {
  const [served, asking] = [newHome(program.path), newHome(program.path)];
  homes.push(served, asking);
  const server = start(program.path, ['serve', '--port', '0'], served);
  try {
    const url = (await lineReader(server.stdout)())!.replace('kestrel serve: ', '');
    const name = 'the bundled quiet day';
    const first = run(program.path, ['agent', '--api', url], { input: textOf(requestsOf(name)), home: asking });
    expect(first).toEqual({
      out: inProcess(name)
        .out.map((line) => `${line}\n`)
        .join(''),
      err: '',
      status: 0,
    });
    const env = { KESTREL_API: url };
    const second = run(program.path, ['agent'], { input: textOf(requestsOf('no session')), home: asking, env });
    expect(second).toMatchObject({ err: `${inProcess('no session').err[0]}\n`, status: 2 });
  } finally {
    server.kill('SIGTERM');
  }
  expect(await new Promise((resolve) => server.on('exit', resolve))).toBe(0);
});

test('a server that is not there is unavailable at the first request', () => {
  const home = newHome(program.path);
  homes.push(home);
  for (const api of ['http://127.0.0.1:9', 'default', 'nonsense']) {
    const { out, err, status } = run(program.path, ['agent', '--api', api], { input: '\n{"op":"catalog"}\n', home });
    expect([out, status, JSON.parse(err).refusal.code, JSON.parse(err).refusal.line]).toEqual([
      '',
      4,
      'unavailable',
      2,
    ]);
  }
});

describe('a server', () => {
  const openSaw = [{ op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'saw' } }];

  test('wants a capability, and mints trials', async () => {
    const { app, remote } = await newServer();
    expect((await app.request('/v1/requests', { method: 'POST', body: '{"op":"catalog"}' })).status).toBe(401);
    const { out } = await speakTo(remote(''), [{ op: 'catalog' }]);
    expect(out).toHaveLength(1);
  });

  test('keeps what belongs to one capability from the others', async () => {
    const { remote, owners } = await newServer();
    const { out } = await speakTo(remote(), openSaw);
    const { sessionId } = JSON.parse(out[0]!).value;
    const other = owners.mint()!;
    const { err } = await speakTo(remote(other), [{ op: 'openSession', subject: { kind: 'session', id: sessionId } }]);
    expect(JSON.parse(err[0]!).refusal.code).toBe('unknown-subject');
    const stolen = await remote(other).handle('{"op":"resume"}', { sessionId, open: true, shown: 1 });
    expect(stolen.refusal?.code).toBe('unknown-subject');
  });

  test('offers where a quota is used up, with 402 and the same body', async () => {
    const { app, headers, remote } = await newServer({ quotas: { ...QUOTAS, sessions: 1 } });
    await speakTo(remote(), openSaw);
    const body = JSON.stringify({ subject: { kind: 'dataset', source: '', dataset: 'saw' } });
    const response = await app.request('/v1/ops/openSession', { method: 'POST', body, headers });
    expect(response.status).toBe(402);
    const { value } = (await response.json()) as { value: unknown };
    expect(value).toMatchObject({ gated: true, payment: { kind: 'quota', resource: 'sessions', used: 1, limit: 1 } });
    expect(JSON.parse((await speakTo(remote(), openSaw)).out[0]!).value).toEqual(value);
  });

  test('refuses with the status of the code', async () => {
    const { app, headers } = await newServer();
    const post = (path: string, body: string) => app.request(path, { method: 'POST', body, headers });
    expect((await post('/v1/ops/validate', '{')).status).toBe(400);
    expect((await post('/v1/ops/start', '{}')).status).toBe(409);
    expect((await post('/v1/requests', '{"op":"x"}')).status).toBe(404);
    expect((await post('/v1/requests', `{"op":"${'x'.repeat(9_000_000)}"}`)).status).toBe(413);
    expect((await app.request('/nothing')).status).toBe(404);
  });

  test('refuses a tape that is none, and one that is too large', async () => {
    const { app, headers } = await newServer();
    const put = (body: string | Uint8Array<ArrayBuffer>) =>
      app.request('/v1/datasets/x', { method: 'PUT', body, headers });
    expect((await put('{"v":"kestrel.tape/v1"}\n')).status).toBe(400);
    expect((await put(new Uint8Array(64 * 1024 * 1024 + 1))).status).toBe(413);
  });

  test('streams the events of a session, and goes on after the one it was left at', async () => {
    const { app, headers, remote } = await newServer();
    const { out } = await speakTo(remote(), [...openSaw, { op: 'start' }, { op: 'finalize' }, { op: 'resume' }]);
    const { sessionId } = JSON.parse(out[0]!).value;
    const { events } = JSON.parse(out[3]!).value;
    const read = async (more: Record<string, string>) => {
      const text = await (
        await app.request(`/v1/sessions/${sessionId}/events`, { headers: { ...headers, ...more } })
      ).text();
      return text.split('\n\n').filter((part) => part.includes('data: '));
    };
    const all = await read({});
    expect(all.map((part) => JSON.parse(/data: (.*)/.exec(part)![1]!))).toEqual(events);
    const rest = await read({ 'last-event-id': /id: (.*)/.exec(all[1]!)![1]! });
    expect(rest).toEqual(all.slice(2));
  });

  test('describes itself', async () => {
    const { app } = await newServer();
    const { paths, openapi } = (await (await app.request('/openapi.json')).json()) as {
      paths: object;
      openapi: string;
    };
    expect(openapi).toMatch(/^3\.1/);
    expect(Object.keys(paths)).toContain('/v1/ops/resumeOperation');
  });
});
