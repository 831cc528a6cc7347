/** A server that is killed, meets a full disk, or finds its home taken: what was answered is there. */
import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundledProgram, forgetTemplate, newHome, removeHome, run } from '../protocol/program.ts';
import { DIP } from '../session/short-day.ts';
import { clientOf, putSaw, type Served, startServer, type Told } from './served.ts';

let program: Awaited<ReturnType<typeof bundledProgram>>;
const homes: string[] = [];
const servers: Served[] = [];
beforeAll(async () => {
  program = await bundledProgram();
});
afterAll(async () => {
  for (const server of servers) await server.kill();
  program.remove();
  for (const home of homes) removeHome(home);
  forgetTemplate();
});

const freshHome = (): string => {
  const home = newHome(program.path);
  homes.push(home);
  return home;
};
const serve = async (home: string, limit: { fileKiB?: number } = {}): Promise<Served> => {
  const server = await startServer(program.path, home, limit);
  servers.push(server);
  return server;
};
const saw = { op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'saw' } };
const pass = { op: 'advance', response: { kind: 'pass' } };
const author = { op: 'revise', response: { kind: 'authored', document: DIP } };

/** What a client was told, by operation. */
type Answers = Map<string, unknown>;

/** Plays days until nobody answers any more. */
async function playOn(url: string, answers: Answers, alive: () => boolean): Promise<void> {
  try {
    while (alive()) {
      const ask = clientOf(url);
      const { value } = await ask(saw);
      const id = value.sessionId as string;
      answers.set(`${id}/open`, value);
      const started = await ask({ op: 'start' });
      answers.set(`${id}/start`, started.value);
      for (let n = 1; alive(); n++) {
        const turn = await ask(n === 1 ? author : pass);
        if (turn.status !== 200) throw new Error(JSON.stringify(turn.refusal));
        answers.set(`${id}/${n}`, turn.value);
        if (turn.value.state === 'ended') break;
      }
      answers.set(`${id}/finalize`, (await ask({ op: 'finalize' })).value);
    }
  } catch (error) {
    if (alive()) throw error;
  }
}

async function expectAll(url: string, answers: Answers): Promise<void> {
  const ask = clientOf(url);
  for (const [operationId, value] of answers) {
    if (operationId.endsWith('/open')) {
      const subject = { kind: 'session', id: operationId.slice(0, -'/open'.length) };
      expect(await clientOf(url)({ op: 'openSession', subject })).toMatchObject({ status: 200, value });
      continue;
    }
    const found: Told = await ask({ op: 'resumeOperation', operationId });
    expect([operationId, found.value]).toMatchObject([operationId, { state: 'done', value }]);
  }
}

test('killed at random instants under ten clients, a server that starts again has all that was answered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 5, max: 700 }), { minLength: 3, maxLength: 3 }), async (delays) => {
      const home = freshHome();
      const answers: Answers = new Map();
      let server = await serve(home);
      await putSaw(server.url);
      for (const delayMs of delays) {
        let isAlive = true;
        const clients = Array.from({ length: 10 }, () => playOn(server.url, answers, () => isAlive));
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        isAlive = false;
        await server.kill();
        await Promise.all(clients);
        server = await serve(home);
        await expectAll(server.url, answers);
      }
      await server.kill();
    }),
    { numRuns: 1 },
  );
}, 60_000);

test('a full disk refuses by name, and what was answered before is there once there is room', async () => {
  const home = freshHome();
  const before = await serve(home);
  await putSaw(before.url);
  await before.kill();
  const full = await serve(home, { fileKiB: 96 });
  const answers: Answers = new Map();
  const refusals: Told[] = [];
  for (let day = 0; day < 40 && refusals.length < 5; day++) {
    const ask = clientOf(full.url);
    const told = async (request: unknown, key: (value: Told['value']) => string): Promise<Told> => {
      const answer = await ask(request);
      if (answer.status === 200) answers.set(key(answer.value), answer.value);
      else refusals.push(answer);
      return answer;
    };
    const opened = await told(saw, ({ sessionId }) => `${sessionId}/open`);
    if (opened.status !== 200) continue;
    const id = opened.value.sessionId;
    if ((await told({ op: 'start' }, () => `${id}/start`)).status !== 200) continue;
    for (let n = 1; n < 4; n++) if ((await told(pass, () => `${id}/${n}`)).status !== 200) break;
  }
  expect(refusals.length).toBeGreaterThan(0);
  for (const { status, refusal } of refusals) expect([status, refusal.code]).toEqual([503, 'unavailable']);
  expect(await (await fetch(`${full.url}/health`)).json()).toMatchObject({ status: 'ok' });
  await full.kill();
  const roomy = await serve(home);
  await expectAll(roomy.url, answers);
  await roomy.kill();
}, 60_000);

test('a second server on one home is refused by name, and takes it over when the first is gone', async () => {
  const home = freshHome();
  const first = await serve(home);
  const { status, err } = run(program.path, ['serve', '--port', '0'], { home });
  expect([status, JSON.parse(err).refusal]).toEqual([
    4,
    expect.objectContaining({
      code: 'unavailable',
      path: 'KESTREL_HOME',
      got: `process ${first.child.pid} on ${hostname()}`,
    }),
  ]);
  await first.kill();
  const next = await serve(home);
  next.child.kill('SIGTERM');
  expect(await next.gone).toBe(0);
  const third = await serve(home);
  await third.kill();
});

test.each([
  ['torn', '{"host":'],
  ['of a process that is gone', JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, began: '1', id: 'x' })],
  [
    'of a process whose number another has now',
    JSON.stringify({ host: hostname(), pid: process.pid, began: '1', id: 'x' }),
  ],
])('a lock %s is taken over', async (_name, text) => {
  const home = freshHome();
  writeFileSync(join(home, 'serve.lock'), text);
  await (await serve(home)).kill();
});

test('a lock of another host holds while that host touches it', () => {
  const home = freshHome();
  writeFileSync(join(home, 'serve.lock'), JSON.stringify({ host: 'elsewhere', pid: 7, began: '1', id: 'x' }));
  const { status, err } = run(program.path, ['serve', '--port', '0'], { home });
  expect([status, JSON.parse(err).refusal.got]).toEqual([4, 'process 7 on elsewhere']);
  rmSync(join(home, 'serve.lock'));
});

test('a home that cannot be made is refused at once', () => {
  for (const home of ['/proc/kestrel-none/deep', '/dev/null/kestrel']) {
    const { status, err } = run(program.path, ['serve', '--port', '0'], { home });
    expect([status, JSON.parse(err).refusal.code]).toEqual([4, 'unavailable']);
  }
});
