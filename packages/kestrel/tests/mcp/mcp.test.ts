/** The tools, driven by the official clients of both major versions, in one process, over stdio and over HTTP. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OP_NAMES } from '../../src/protocol/index.ts';
import {
  bundledProgram,
  environment,
  forgetTemplate,
  lineReader,
  newHome,
  removeHome,
  start,
} from '../protocol/program.ts';

interface Driven {
  listTools(): Promise<{ tools: { name: string; inputSchema: unknown }[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(of: { uri: string }): Promise<{ contents: unknown[] }>;
  getPrompt(of: { name: string }): Promise<{ messages: unknown[] }>;
  close(): Promise<void>;
}

let program: Awaited<ReturnType<typeof bundledProgram>>;
let home: string;
let url: string;
let server: ReturnType<typeof start>;
beforeAll(async () => {
  program = await bundledProgram();
  home = newHome(program.path);
  server = start(program.path, ['mcp', '--port', '0'], home);
  url = (await lineReader(server.stderr)())!.replace('kestrel mcp: ', '');
});
afterAll(() => {
  server.kill('SIGKILL');
  program.remove();
  removeHome(home);
  forgetTemplate();
});

const info = { name: 'test', version: '0' };
const stdio = () => ({ command: process.execPath, args: [program.path, 'mcp'], env: environment(home) });
const clients: Record<string, () => Promise<Driven>> = {
  'client 2 over stdio': async () => {
    const client = new ClientV2(info);
    await client.connect(new StdioV2(stdio()));
    return client as unknown as Driven;
  },
  'client 1 over stdio': async () => {
    const client = new ClientV1(info);
    await client.connect(new StdioV1(stdio()));
    return client as unknown as Driven;
  },
  'client 2 over HTTP': async () => {
    const client = new ClientV2(info);
    await client.connect(new HttpV2(new URL(url)));
    return client as unknown as Driven;
  },
  'client 1 over HTTP': async () => {
    const client = new ClientV1(info);
    await client.connect(new HttpV1(new URL(url)) as never);
    return client as unknown as Driven;
  },
};

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Record<string, never>;
}

test('what came before the end of the input is answered', async () => {
  const child = start(program.path, ['mcp'], home);
  const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  child.stdin!.end(
    line({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info },
    }) +
      line({ method: 'notifications/initialized' }) +
      line({ id: 2, method: 'tools/call', params: { name: 'catalog', arguments: {} } }),
  );
  const read = lineReader(child.stdout!);
  const ids: unknown[] = [];
  for (let text = await read(); text !== undefined; text = await read()) ids.push(JSON.parse(text).id);
  expect(ids).toEqual([1, 2]);
});

describe.each(Object.keys(clients))('%s', (name) => {
  test('plays a day, tool by tool', async () => {
    const client = await clients[name]!();
    const call = async (tool: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name: tool, arguments: args })) as Answer;
    try {
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name).sort()).toEqual([...OP_NAMES].sort());
      expect(tools.find((tool) => tool.name === 'artifact')!.inputSchema).toMatchObject({ required: ['ref'] });

      const refused = await call('start');
      expect(refused.isError).toBe(true);
      expect(refused.structuredContent).toMatchObject({ refusal: { code: 'no-session' } });
      const bad = await call('openSession', { subject: 'choppy-1101-strict' });
      expect(bad.structuredContent).toMatchObject({ refusal: { code: 'bad-arg', path: 'subject' } });

      // What no line may hold no tool takes either, and nothing is taken for another thing than it is.
      let deep: unknown = 1;
      for (let level = 0; level < 80; level++) deep = [deep];
      for (const [tool, args, refusal] of [
        ['catalog', { op: 'finalize' }, { code: 'bad-arg', path: 'op' }],
        ['catalog', { view: 'wide' }, { code: 'bad-arg', path: 'view' }],
        ['artifact', { ref: '\ud800' }, { code: 'bad-json' }],
        ['validate', { document: deep }, { code: 'bad-json' }],
        ['validate', { document: 7 }, { code: 'bad-arg', path: 'document', got: '7' }],
        ['resume', { after: null }, { code: 'no-session' }],
        ['grade', { blotters: [] }, { code: 'bad-arg', path: 'blotters' }],
        ['artifact', { ref: '../../etc/passwd' }, { code: 'unknown-ref' }],
      ] as const) {
        const answer = await call(tool, args);
        expect([tool, answer.isError, answer.structuredContent]).toMatchObject([tool, true, { refusal }]);
      }

      const subject = { kind: 'dataset', source: '', dataset: 'saw' };
      expect((await call('openSession', { subject })).structuredContent).toMatchObject({ value: { gated: false } });
      const slot = await call('start');
      expect(slot.structuredContent).toMatchObject({ kind: 'start', value: { why: 'open' } });
      expect(slot.content[0]!.text).toContain('kernel');
      const next = await call('advance', { response: { kind: 'pass' } });
      expect(next.content[0]!.text).toMatch(/09:45 [+=-] /);
      expect((await call('finalize')).structuredContent).toMatchObject({ kind: 'finalize' });

      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('kestrel://card');
      expect(resources.map(({ uri }) => uri).sort()).toEqual(
        ['card', 'catalog', 'example', 'strategies'].map((resource) => `kestrel://${resource}`),
      );
      for (const { uri } of resources) {
        const [content] = (await client.readResource({ uri })).contents as { text: string }[];
        expect([uri, content!.text.length > 100]).toEqual([uri, true]);
      }
      expect(JSON.stringify(await client.readResource({ uri: 'kestrel://card' }))).toContain('PLAN');
      await expect(client.readResource({ uri: 'kestrel://secret' })).rejects.toThrow();
      await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow();
      expect(JSON.stringify(await client.getPrompt({ name: 'trade-a-day' }))).toContain('openSession');
    } finally {
      await client.close();
    }
  });
});
