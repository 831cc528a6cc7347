/** A server under clients that cut, flood, race and vanish: each gets a coded answer, and the next is served. */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundledProgram, forgetTemplate, newHome, removeHome } from '../protocol/program.ts';
import { clientOf, putSaw, type Served, startServer } from './served.ts';

let program: Awaited<ReturnType<typeof bundledProgram>>;
let home: string;
let server: Served;
beforeAll(async () => {
  program = await bundledProgram();
  home = newHome(program.path);
  server = await startServer(program.path, home);
  await putSaw(server.url);
}, 60_000);
afterAll(async () => {
  await server.kill();
  program.remove();
  removeHome(home);
  forgetTemplate();
});

const saw = { op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'saw' } };

function dial(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

const head = (length: number | 'chunked', more = ''): string =>
  `POST /v1/requests HTTP/1.1\r\nhost: x\r\nauthorization: Bearer test\r\n${more}${
    length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`
  }\r\n\r\n`;
const whole = (body: string): string => head(Buffer.byteLength(body)) + body;

/** What comes until the socket ends, or until `enough` says so. */
function heard(socket: Socket, enough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
      if (enough(text)) end();
    });
    socket.on('end', end);
    socket.on('close', end);
    socket.on('error', end);
  });
}

async function expectHealthy(): Promise<void> {
  expect((await clientOf(server.url)({ op: 'catalog' })).status).toBe(200);
}

test.each([
  ['a cut object', '{"op":"validate","document":"PL', 'bad-json'],
  ['deep nesting', `{"op":${'['.repeat(100_000)}`, 'bad-json'],
  ['a name of the prototype', '{"op":"__proto__"}', 'unknown-op'],
  ['a prototype among the arguments', '{"op":"catalog","__proto__":{"polluted":1}}', 'bad-arg'],
  ['two lines', '{"op":"catalog"}\n{"op":"catalog"}', 'bad-json'],
  ['nothing', '', 'bad-json'],
])('%s', async (_name, body, code) => {
  const socket = await dial();
  const answer = heard(socket, (text) => text.endsWith('}}'));
  socket.write(whole(body));
  expect(await answer).toContain(`"code":"${code}"`);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('bytes that are not UTF-8 are bad JSON, and a stream that is none a bad argument', async () => {
  const bytes = await fetch(`${server.url}/v1/requests`, {
    method: 'POST',
    body: Uint8Array.of(0x7b, 0xff, 0x7d),
    headers: { authorization: 'Bearer test' },
  });
  expect([bytes.status, await bytes.text()]).toEqual([400, expect.stringContaining('"code":"bad-json"')]);
  const stream = await fetch(`${server.url}/v1/requests`, {
    method: 'POST',
    body: '{"op":"catalog"}',
    headers: { authorization: 'Bearer test', 'kestrel-stream': 's-x;open;1' },
  });
  expect([stream.status, await stream.text()]).toEqual([400, expect.stringContaining('"path":"kestrel-stream"')]);
});

test.each(['told', 'chunked'] as const)(
  'a body of a hundred megabytes, its length %s, is refused early',
  async (form) => {
    const socket = await dial();
    const answer = heard(socket, (text) => text.includes('too-large'));
    const block = Buffer.alloc(1 << 20, 120);
    socket.write(head(form === 'told' ? 100 * block.length : 'chunked'));
    let sent = 0;
    while (sent < 100 && !socket.destroyed) {
      const chunk = form === 'told' ? block : Buffer.concat([Buffer.from('100000\r\n'), block, Buffer.from('\r\n')]);
      if (!socket.write(chunk)) {
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), answer]);
      }
      sent++;
    }
    expect(await answer).toContain('413');
    await expectHealthy();
  },
);

test('requests that are sent without waiting are answered in order', async () => {
  const socket = await dial();
  const answer = heard(socket, (text) => text.split('HTTP/1.1 ').length === 61 && text.endsWith('}'));
  const bodies = Array.from({ length: 60 }, (_, i) =>
    i % 3 === 0 ? '{"op":"catalog"}' : i % 3 === 1 ? '{"op":"describe"}' : `{"op":"x${i}"}`,
  );
  socket.write(bodies.map(whole).join(''));
  const kinds = [
    ...(await answer).matchAll(/"kind":"(catalog|describe)","value"|"op":null.*?there is no op \\"(x\d+)\\"/g),
  ];
  expect(kinds.map((found) => found[1] ?? found[2])).toEqual(
    bodies.map((_, i) => (i % 3 === 0 ? 'catalog' : i % 3 === 1 ? 'describe' : `x${i}`)),
  );
});

test('clients that vanish before, amid and after their request leave nothing behind', async () => {
  const request = JSON.stringify(saw);
  for (let round = 0; round < 60; round++) {
    const socket = await dial();
    socket.on('error', () => {});
    const text = whole(request);
    socket.write(text.slice(0, [10, text.length - 5, text.length][round % 3]));
    if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
  }
  const watching = await Promise.all(
    Array.from({ length: 20 }, () =>
      fetch(`${server.url}/v1/ops/catalog`, {
        method: 'POST',
        headers: { authorization: 'Bearer test', accept: 'text/event-stream' },
      }),
    ),
  );
  await Promise.all(watching.map((response) => response.body!.cancel()));
  await expectHealthy();
});

test('of many who answer one slot exactly one wins, and the rest are told', async () => {
  const first = clientOf(server.url);
  const { sessionId } = (await first(saw)).value;
  await first({ op: 'start' });
  const again = { op: 'openSession', subject: { kind: 'session', id: sessionId } };
  const racers = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const ask = clientOf(server.url);
      await ask(again);
      await ask({ op: 'start' });
      return ask;
    }),
  );
  const told = await Promise.all(
    racers.map((ask, i) => ask({ op: 'advance', response: { kind: 'stand-down', reason: `racer ${i}` } })),
  );
  expect(told.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status, refusal } of told) if (status !== 200) expect(refusal.code).toBe('slot-mismatch');
  const { events } = (await first({ op: 'resume' })).value;
  const turns = events.filter(({ kind }: { kind: string }) => kind === 'session/turn');
  expect(turns).toHaveLength(1);
  expect(turns[0].value.body.reason).toBe(`racer ${told.findIndex(({ status }) => status === 200)}`);
});

test('an upload that is no tape, a bomb, or cut off is refused, and others are answered meanwhile', async () => {
  const { gzipSync } = await import('node:zlib');
  const put = (body: Uint8Array<ArrayBuffer>, query = '') =>
    // Of a connection that was idle the server may have thought better just now: then another is dialled.
    [0, 1].reduce(
      (told: Promise<Response>) =>
        told.catch(() =>
          fetch(`${server.url}/v1/datasets/x${query}`, {
            method: 'PUT',
            body,
            headers: { authorization: 'Bearer test' },
          }),
        ),
      Promise.reject(new Error('not asked yet')),
    );
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(200 * 1024 * 1024)));
  const told = await Promise.all([
    put(new Uint8Array(Buffer.from('{"v":"kestrel.tape/v1"}\n'))),
    put(bomb),
    put(bomb.slice(0, 1_000)),
    expectHealthy(),
  ]);
  for (const response of told) {
    if (response === undefined) continue;
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('"code":"bad-arg"')]);
  }
  expect((await put(new Uint8Array(0), '?fill=none')).status).toBe(400);
  for (const wait of ['-1', '3600001', '1e3', '']) {
    const answer = await put(new Uint8Array(0), `?thinkMs=${wait}`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('"path":"thinkMs"')]);
  }
  // No wait at all is a wait: what is refused then is the empty tape.
  const none = await put(new Uint8Array(0), '?thinkMs=0&fees=us-options-v1');
  expect([none.status, await none.text()]).toEqual([400, expect.not.stringContaining('thinkMs')]);
  await expectHealthy();
});
