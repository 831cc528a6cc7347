/** The client library over its three carriers, and the agents of `examples/` that use it. */
import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { playWith, responseOf } from '../../../../examples/agents/model.ts';
import { play } from '../../../../examples/agents/scripted.ts';
import { inProcess, type KestrelClient, KestrelRefusal, overHttp, overStdio } from '../../src/client/index.ts';
import {
  bundledProgram,
  environment,
  forgetTemplate,
  lineReader,
  newHome,
  removeHome,
  start,
} from '../protocol/program.ts';

let program: Awaited<ReturnType<typeof bundledProgram>>;
let home: string;
let server: ReturnType<typeof start>;
let url: string;
beforeAll(async () => {
  program = await bundledProgram();
  home = newHome(program.path);
  server = start(program.path, ['serve', '--port', '0'], home);
  url = (await lineReader(server.stdout)())!.replace('kestrel serve: ', '');
});
afterAll(() => {
  server.kill('SIGKILL');
  program.remove();
  removeHome(home);
  forgetTemplate();
});

const SUBJECT = 'half-day-strict';
const carriers: Record<string, () => Promise<KestrelClient>> = {
  'in process': () => inProcess(),
  'over stdio': async () =>
    overStdio({ command: [process.execPath, program.path, 'agent'], env: environment(home) as Record<string, string> }),
  'over HTTP': async () => overHttp({ url }),
};

const tips = new Set<string>();
describe.each(Object.keys(carriers))('%s', (name) => {
  test('the scripted agent plays a day to the same tip', async () => {
    const client = await carriers[name]!();
    const outcome = await play(client, SUBJECT);
    expect(outcome.slots).toBeGreaterThan(3);
    tips.add(outcome.tipHash);
    expect(tips.size).toBe(1);
    await client.close();
  });

  test('a refusal is an error with its code, path and expected shape', async () => {
    const client = await carriers[name]!();
    const error = await client.openSession({ kind: 'catalog', id: 'half-day' }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(KestrelRefusal);
    expect((error as KestrelRefusal).refusal).toMatchObject({ code: 'unknown-subject', path: 'subject.id', line: 1 });
    await client.close();
  });
});

test('requests that are sent without waiting are answered in order', async () => {
  const client = await carriers['over HTTP']!();
  const [opened, delivery] = await Promise.all([client.openSession({ kind: 'catalog', id: SUBJECT }), client.start()]);
  expect([opened.gated, delivery.why]).toEqual([false, 'open']);
});

test('an agent in the Python standard library plays a day', () => {
  const script = fileURLToPath(new URL('../../../../examples/agents/agent.py', import.meta.url));
  const { stdout, stderr, status, error } = spawnSync('python3', [script, process.execPath, program.path, 'agent'], {
    env: environment(home),
    encoding: 'utf8',
  });
  if (error !== undefined) {
    console.log(`skipped: python3 is not here (${error.message})`);
    return;
  }
  expect([stderr, status]).toEqual(['', 0]);
  const outcome = JSON.parse(stdout);
  expect(outcome.slots[0]).toBe('09:30:00 open');
  expect(outcome.tipHash).toMatch(/^[0-9a-f]{64}$/);
});

describe('an agent that asks a model', () => {
  /** A local server that answers what was recorded, in order. */
  const recorded = [
    '```kestrel\nPLAN dip budget 0.3R ttl 12:30\n  WHEN spot < VWAP - 5bps\n  DO buy 5 shares @ mid\n```',
    'PLAN dip budget 0.3R ttl 12:30\n  WHEN spot < VWAP - 5bps\n  DO buy 5 shares @ ask\n  INVALIDATE T-20 -> flat',
    'PASS',
    'STAND DOWN: the day is over',
  ];
  let model: Server;
  const asked: { messages: { role: string; content: string }[] }[] = [];
  beforeAll(async () => {
    model = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.push(JSON.parse(body));
        const content = recorded[Math.min(asked.length, recorded.length) - 1];
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
      });
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => model.close());

  test('shows it the frames and what was refused, and takes its answers', async () => {
    const client = await inProcess();
    const at = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
    const tip = await playWith({ url: at, model: 'recorded' }, client, SUBJECT);
    expect(tip).toMatch(/^[0-9a-f]{64}$/);
    const texts = asked.map(({ messages }) => messages.map(({ content }) => content).join('\n'));
    expect(texts[0]).toContain('why: open');
    expect(texts[1]).toContain('K040');
    const { events } = await client.resume();
    const verdicts = events.flatMap((e) => (e.kind === 'session/turn' ? [e.value.receipt.verdict] : []));
    expect(verdicts.slice(0, 3)).toEqual(['refused', 'armed', 'passed']);
    expect(verdicts.at(-1)).toBe('stood-down');
  });

  test('reads a bare word, a reason and a fenced document', () => {
    expect(responseOf(' pass. ')).toEqual({ kind: 'pass' });
    expect(responseOf('Stand down: too wild')).toEqual({ kind: 'stand-down', reason: 'too wild' });
    expect(responseOf('```\nPLAN x\n```')).toEqual({ kind: 'authored', document: 'PLAN x\n' });
  });
});
