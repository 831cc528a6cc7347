/** The server on real sockets: silent, slow, greedy and leaving clients; draining; and what a signal does. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/store/index.ts';
import { type RunningServer, type StartOptions, startServer } from '../../src/wire/index.ts';
import { run, serve } from '../support/built.ts';
import { raw, until } from '../support/raw.ts';

const home = mkdtempSync(join(tmpdir(), 'agent-eval-server-'));
const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.drain()));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function start(options: StartOptions = {}): Promise<RunningServer> {
  const server = await startServer({ port: 0, ...options });
  running.push(server);
  return server;
}

const event = JSON.stringify({ eventId: 'e', runId: 'r', kind: 'log', timestamp: 1, payload: {} });
const post = (body: string, headers = '') =>
  `POST /v1/traces/ingest HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe('slow and silent clients', () => {
  test('350 half-open and 350 half-sent requests leave /healthz answering, and no more than 512 stay', async () => {
    const server = await start({ store: memoryStore() });
    const half = await Promise.all(
      Array.from({ length: 700 }, (_, i) => raw(server.port, i % 2 === 0 ? 'GET /v1' : post(event).slice(0, -5))),
    );
    const startedMs = performance.now();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    await until(() => half.filter(({ socket }) => !socket.closed).length <= 512, 8_000);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    for (const { socket } of half) socket.destroy();
  });

  test('a head that does not end is answered 408 in the one shape', async () => {
    const server = await start({ patience: { headMsMax: 500, bodyMsMax: 1_000 } });
    const slow = await raw(server.port, 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n');
    const answer = await slow.closed(8_000);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.code).toBe('request_timeout');
    const body = await raw(server.port, post(event).slice(0, -5));
    expect(await body.closed(8_000)).toMatch(/^HTTP\/1\.1 408 [\s\S]*request_timeout/);
  });

  test('other expectations are passed over, a tunnel is refused in the one shape, and each status has its own words', async () => {
    const server = await start({ store: memoryStore() });
    const expecting = await raw(server.port, post(event, 'expect: the unexpected\r\nconnection: close\r\n'));
    expect(await expecting.closed(3_000)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*"accepted":1/);
    const tunnel = await raw(server.port, 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n');
    const refused = await tunnel.closed(3_000);
    expect(refused).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n[\s\S]*allow: GET, HEAD, POST/);
    expect(JSON.parse(refused.slice(refused.indexOf('\r\n\r\n'))).error.code).toBe('method_not_allowed');
    const long = await raw(server.port, `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(20_000)}\r\n`);
    expect(await long.closed(3_000)).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/);
  });

  test('what is no HTTP is told so, in the one shape', async () => {
    const server = await start();
    const answer = await (await raw(server.port, 'zzz\r\n\r\n')).closed(3_000);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.code).toBe('validation_error');
    const long = await raw(server.port, `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`);
    expect(await long.closed(3_000)).toMatch(/payload_too_large/);
  });

  test('answers that nobody reads do not pile up', async () => {
    const server = await start();
    const greedy = await raw(server.port);
    greedy.socket.pause();
    const before = process.memoryUsage().rss;
    const ask = 'GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(100);
    for (let i = 0; i < 200; i++) greedy.socket.write(ask);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    greedy.socket.destroy();
  });
});

describe('refused bodies', () => {
  test('a declared 17 MiB is refused before it is sent, and the connection stays usable once it is', async () => {
    const server = await start({ store: memoryStore() });
    const head = post('').replace('content-length: 0', `content-length: ${17 * 1024 * 1024}`);
    const client = await raw(server.port, head);
    await until(() => client.text().includes('payload_too_large'));
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    for (let i = 0; i < 17; i++) client.socket.write(chunk);
    client.socket.write(post(event));
    await until(() => client.text().includes('"accepted":1'));
    client.socket.destroy();
  });

  test('a body without a declared length is cut at the bound', async () => {
    const server = await start({ store: memoryStore(), limits: { bodyBytesMax: 100_000 } });
    const body = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 10; i++) controller.enqueue(new Uint8Array(20_000).fill(0x20));
        controller.close();
      },
    });
    const response = await fetch(`${server.url}/v1/traces/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  test('a refused token does not read the body, and the next request on the connection is answered', async () => {
    const server = await start({ store: memoryStore(), token: 'secret' });
    const client = await raw(server.port, post(event) + post(event, 'authorization: Bearer secret\r\n'));
    await until(() => client.text().includes('"accepted":1'));
    expect(client.text()).toMatch(/unauthorized[\s\S]*"accepted":1/);
    client.socket.destroy();
  });

  test('a foreign host is refused on loopback', async () => {
    const server = await start();
    const client = await raw(server.port, 'GET /v1/version HTTP/1.1\r\nhost: evil.example\r\n\r\n');
    await until(() => client.text().includes('forbidden_host'));
    expect(client.text()).toMatch(/^HTTP\/1\.1 403 /);
    client.socket.destroy();
  });

  test('a body in pieces of any size, with and without a length, is what was sent', async () => {
    const store = memoryStore();
    const server = await start({ store });
    const text = Array.from({ length: 3_000 }, (_, i) =>
      JSON.stringify({
        eventId: `e${i}`,
        runId: 'r',
        kind: 'log',
        timestamp: i,
        payload: { pad: 'x'.repeat(i % 200) },
      }),
    );
    const bytes = Buffer.from(text.join('\n'));
    const head = 'POST /v1/traces/ingest HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-ndjson\r\n';
    for (const size of [977, 65_536, 200_000, bytes.length]) {
      for (const isChunked of [true, false]) {
        const socket = net.connect(server.port, '127.0.0.1');
        const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
        socket.write(`${head}${isChunked ? 'transfer-encoding: chunked' : `content-length: ${bytes.length}`}\r\n\r\n`);
        for (let at = 0; at < bytes.length; at += size) {
          const piece = bytes.subarray(at, at + size);
          if (isChunked) socket.write(`${piece.length.toString(16)}\r\n`);
          socket.write(piece);
          if (isChunked) socket.write('\r\n');
          if (at % (7 * size) === 0) await new Promise(setImmediate);
        }
        if (isChunked) socket.write('0\r\n\r\n');
        expect(await answered).toContain('"accepted":3000,"rejected":0');
        socket.destroy();
      }
    }
    const stored: string[] = [];
    for await (const event of store.traces.read({ view: 'all' })) stored.push(Buffer.from(event.bytes).toString());
    expect(stored).toEqual(Array.from({ length: 8 }, () => text).flat());
  });

  test('bodies given up half-way give their budget back', async () => {
    const server = await start({ store: memoryStore(), limits: { inFlightBytesMax: 1_000_000 } });
    const body = `${event}\n`.repeat(5_000);
    for (let i = 0; i < 20; i++) {
      const client = await raw(server.port, post(body).slice(0, 300_000));
      await new Promise((resolve) => setTimeout(resolve, 10));
      client.socket.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    const response = await fetch(`${server.url}/v1/traces/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    });
    expect(response.status).toBe(200);
  });
});

describe('draining', () => {
  test('calls in flight end, new ones are refused, idle connections close', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const verdict = '{"dimensions":{"buyer_quality":1,"voice":1,"signal":1},"rationale":"x"}';
    const model = {
      defaultModel: 'm',
      answer: async () => {
        await held;
        return { text: verdict, finish: 'stop' as const };
      },
    };
    const server = await startServer({ port: 0, model });
    const silent = await raw(server.port);
    const judged = fetch(`${server.url}/v1/judge`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ rubricName: 'anti-slop', content: 'x' }),
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const drained = server.drain();
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
    release();
    expect((await judged).status).toBe(200);
    await drained;
    await silent.closed(1_000);
    expect(silent.socket.closed).toBe(true);
  });

  test('SIGTERM with a batch in flight: it is acknowledged and kept, exit 0', async () => {
    const store = join(home, 'drain');
    const served = await serve(['--store', store]);
    const client = await raw(served.port, post(event).slice(0, -3));
    await new Promise((resolve) => setTimeout(resolve, 200));
    served.child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    client.socket.write(post(event).slice(-3));
    const { code } = await served.ended;
    expect(code).toBe(0);
    expect(client.text()).toContain('"accepted":1');
    expect((await run(['traces', 'export', '--store', store])).stdout).toBe(`${event}\n`);
  });
});

describe('serve: flags', () => {
  const check = async (args: string[], said: RegExp, env: Record<string, string> = {}): Promise<void> => {
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--store', 'memory', ...args], '', env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(said);
  };
  test('what cannot be meant is one line and exit 2', async () => {
    const empty = join(home, 'empty-token');
    writeFileSync(empty, '\n');
    const rubrics = mkdtempSync(join(home, 'rubrics-'));
    writeFileSync(join(rubrics, 'bad.yaml'), 'name: r\ndescription: d\nsystemPrompt: s\ndimensions: []\n');
    await Promise.all([
      check(['--zzz'], /unknown option '--zzz'/),
      check(['--port', '70000'], /whole number from 0 to 65535/),
      check(['--cors-origin', '*'], /--cors-origin wants an origin/),
      check(['--retain', 'soon'], /12h or 30d/),
    ]);
    await Promise.all([
      check(['--token-file', empty], /is empty/),
      check(['--token-file', join(home, 'nowhere')], /no such file/),
      check(['--rubrics', rubrics], /bad\.yaml: dimensions/),
      check([], /AGENT_EVAL_TOKEN is empty/, { AGENT_EVAL_TOKEN: ' ' }),
      check([], /AGENT_EVAL_LLM_PROVIDER/, { AGENT_EVAL_LLM_PROVIDER: 'zzz', AGENT_EVAL_LLM_API_KEY: 'k' }),
    ]);
  });

  test('a taken port is one line and exit 2', async () => {
    const server = await start();
    await check(['--port', String(server.port)], /is taken; choose another --port/);
  });

  test('own rubrics are listed with their identity and judged by name; beyond loopback without a token is warned of', async () => {
    const rubrics = mkdtempSync(join(home, 'rubrics-'));
    writeFileSync(
      join(rubrics, 'a.yaml'),
      'name: r\ndescription: d\nsystemPrompt: s\ndimensions:\n  - id: d1\n    description: x\n',
    );
    writeFileSync(
      join(rubrics, 'b.json'),
      JSON.stringify({ name: 'q', description: 'd', systemPrompt: 's', dimensions: [{ id: 'd1', description: 'x' }] }),
    );
    const record = join(home, 'record.jsonl');
    writeFileSync(record, '{"answer":"{\\"dimensions\\":{\\"d1\\":0.25},\\"rationale\\":\\"x\\"}"}\n');
    const token = join(home, 'token');
    writeFileSync(token, 'secret\n');
    const served = await serve(['--host', '0.0.0.0', '--store', 'none', '--rubrics', rubrics], {
      AGENT_EVAL_LLM_PROVIDER: `replay:${record}`,
    });
    const listed = (await (await fetch(`${served.url}/v1/rubrics`)).json()) as {
      rubrics: { name: string; rubricVersion: string }[];
    };
    expect(listed.rubrics.map(({ name }) => name)).toEqual([
      'anti-slop',
      'plan-discipline',
      'thesis-honesty',
      'r',
      'q',
    ]);
    expect(listed.rubrics[3]!.rubricVersion).toBe(
      'r@sha256-rfc8785:0581cba4523ccaa2abf044a3a5c7688988abdd4aef9194f4befce16ba3a2e8d0',
    );
    const judged = await fetch(`${served.url}/v1/judge`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ rubricName: 'r', content: 'x' }),
    });
    expect(await judged.json()).toMatchObject({ composite: 0.25, model: 'replay' });
    served.child.kill('SIGTERM');
    const { code, stderr } = await served.ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: 0\.0\.0\.0 can be reached/);
    const quiet = await serve(['--host', '0.0.0.0', '--store', 'none', '--token-file', token]);
    expect((await fetch(`${quiet.url}/v1/rubrics`)).status).toBe(401);
    quiet.child.kill('SIGTERM');
    expect((await quiet.ended).stderr).not.toMatch(/warning/);
  });

  test('retention drops what is old, while it is served', async () => {
    const store = join(home, 'retain');
    const filled = await run(['rpc', 'traces.ingest', '--store', store], `{"events":[${event}]}`);
    expect(filled.code).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const served = await serve(['--store', store, '--retain', '1s']);
    await until(async () => (await run(['traces', 'export', '--store', store])).stdout === '');
    served.child.kill('SIGTERM');
    expect((await served.ended).stderr).toMatch(/retention dropped 1 events/);
    expect(readFileSync(join(store, 'agent-eval.db')).length).toBeGreaterThan(0);
  });
});
