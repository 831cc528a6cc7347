/** Operations told as they run: progress, what is recorded, the answer; and on after a connection that was lost. */
import { sha256 } from 'ground/digest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundledProgram, forgetTemplate, newHome, removeHome, run } from '../protocol/program.ts';
import { clientOf, type Served, startServer } from './served.ts';

let program: Awaited<ReturnType<typeof bundledProgram>>;
let home: string;
let server: Served;
beforeAll(async () => {
  program = await bundledProgram();
  home = newHome(program.path);
  // A day that takes long enough to be watched, under plans that fill on the way.
  const tape = `${home}/long.jsonl`;
  run(
    program.path,
    [
      'tape',
      'synth',
      '--seed',
      'events',
      '--date',
      '2024-03-13',
      '--regime',
      'range',
      '--events',
      '600000',
      '--out',
      tape,
    ],
    { home },
  );
  server = await startServer(program.path, home);
  const owner = `${home}/owners/${sha256('kestrel.capability/1:test').slice(0, 40)}`;
  const added = run(program.path, ['dataset', 'add', 'long', tape, '--r-usd', '10000'], { home: owner });
  expect(added.status).toBe(0);
}, 60_000);
afterAll(async () => {
  await server?.kill();
  program.remove();
  removeHome(home);
  forgetTemplate();
});

const headers = { authorization: 'Bearer test', accept: 'text/event-stream', 'content-type': 'application/json' };
const PLANS = Array.from(
  { length: 40 },
  (_, i) =>
    `PLAN p${i} budget 0.02R ttl 15:50\n  WHEN range(5m) >= ${i % 20}\n  DO buy 1 shares @ ask + 5c\n  TP 1.0005x @ bid\n  EXIT T-10 @ bid - 5c\n`,
).join('\n');

interface Sent {
  readonly event: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read deep into answers of every shape
  readonly data: any;
}

/** Events of a response until it ends, or until `enough` says so, which cuts the connection. */
async function read(response: Response, enough: (sent: Sent) => boolean = () => false): Promise<Sent[]> {
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const all: Sent[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body!) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
      const data = field('data');
      if (data === undefined) continue;
      const event = field('event')!;
      const id = field('id');
      const sent = {
        event,
        ...(id === undefined ? {} : { id }),
        data: event === 'kestrel-stream' ? data : JSON.parse(data),
      };
      all.push(sent);
      if (enough(sent)) return all;
    }
  }
  return all;
}

const post = (stream: string, request: unknown, more: Record<string, string> = {}) =>
  fetch(`${server.url}/v1/requests`, {
    method: 'POST',
    body: JSON.stringify(request),
    headers: { ...headers, 'kestrel-stream': stream, ...more },
  });

async function opened(): Promise<{ id: string; stream: string }> {
  const subject = { kind: 'dataset', source: PLANS, dataset: 'long' };
  const sent = await read(await post('-', { op: 'openSession', subject }));
  expect(sent.map(({ event }) => event)).toEqual(['kestrel-stream', 'done']);
  const started = await read(await post(sent[0]!.data, { op: 'start' }));
  const id = sent[1]!.data.value.sessionId as string;
  const armed = PLANS.match(/^PLAN/gm)!.map(() => 'session/plan');
  expect(started.map(({ event }) => event)).toEqual(['kestrel-stream', 'operation', ...armed, 'session/frame', 'done']);
  return { id, stream: started[0]!.data };
}

test('a run is told while it is at work, then what it recorded, then its answer', async () => {
  const { id, stream } = await opened();
  const sent = await read(await post(stream, { op: 'finalize' }));
  expect(sent[0]).toMatchObject({ event: 'operation', data: { operationId: `${id}/finalize` } });
  const progress = sent.filter(({ event }) => event === 'progress');
  expect(progress.length).toBeGreaterThan(0);
  const times = progress.map(({ data }) => data.t as number);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const recorded = sent.filter(({ event }) => event.startsWith('session/'));
  const { value } = await clientOf(server.url)({ op: 'resumeOperation', operationId: `${id}/finalize` });
  expect(recorded.map(({ data }) => data)).toEqual(value.events);
  expect(sent.at(-1)).toEqual({ event: 'done', data: { v: 'kestrel.agent/v1', kind: 'finalize', value: value.value } });
  // Whatever was told on the way is in the record.
  const told = progress.flatMap(({ data }) => data.news.map((news: { value: unknown }) => JSON.stringify(news.value)));
  const kept = new Set(value.events.map((event: { value: unknown }) => JSON.stringify(event.value)));
  expect(told.length).toBeGreaterThan(0);
  for (const news of told) expect(kept.has(news)).toBe(true);
}, 60_000);

test('a run goes on without the client that began it, and is followed from where it was left', async () => {
  const { id, stream } = await opened();
  const cut = await read(await post(stream, { op: 'finalize' }), ({ event }) => event === 'progress');
  expect(cut.at(-1)!.event).toBe('progress');
  const again = await read(await fetch(`${server.url}/v1/operations/${id}/finalize/events`, { headers }));
  expect(again.at(-1)).toMatchObject({ event: 'done', data: { kind: 'finalize', value: { sessionId: id } } });
  const recorded = again.filter((sent) => sent.id !== undefined);
  const after = recorded[Math.floor(recorded.length / 2)]!;
  const rest = await read(
    await post('-', { op: 'resumeOperation', operationId: `${id}/finalize` }, { 'last-event-id': after.id! }),
  );
  expect(rest.filter((sent) => sent.id !== undefined)).toEqual(recorded.slice(recorded.indexOf(after) + 1));
  const session = await read(await fetch(`${server.url}/v1/sessions/${id}/events`, { headers }));
  expect(session.slice(-recorded.length)).toEqual(recorded);
}, 60_000);

test('what is refused is refused in the stream, or before it', async () => {
  const sent = await read(await post('-', { op: 'start' }));
  expect(sent.map(({ event }) => event)).toEqual(['kestrel-stream', 'refusal']);
  expect(sent[1]!.data.refusal.code).toBe('no-session');
  const { id } = await opened();
  const at = (path: string, more: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, { headers: { ...headers, ...more } }).then((response) => response.status);
  expect(await at(`/v1/operations/${id}/7/events`)).toBe(404);
  expect(await at(`/v1/operations/${id}/start/events`, { 'last-event-id': 'x' })).toBe(400);
  expect(await at(`/v1/operations/${id}/start/events`, { 'last-event-id': `1.${'0'.repeat(32)}` })).toBe(410);
  expect(await at(`/v1/sessions/${id}x/events`)).toBe(404);
}, 60_000);

test('while a long day runs, others are answered', async () => {
  const { stream } = await opened();
  let isRunning = true;
  const long = post(stream, { op: 'finalize' })
    .then((response) => read(response))
    .then(() => {
      isRunning = false;
    });
  let between = 0;
  const ask = clientOf(server.url);
  while (isRunning) {
    expect((await ask({ op: 'catalog' })).status).toBe(200);
    if (isRunning) between++;
  }
  await long;
  expect(between).toBeGreaterThan(5);
}, 60_000);
