/** `kestrel mcp`: the tools over standard input and output, or over streamable HTTP. */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import manifest from '../../package.json' with { type: 'json' };
import { Host, Ring, TapeThread } from '../protocol/index.ts';
import type { SessionEvent } from '../session/index.ts';
import { realDisk, Store } from '../store/index.ts';
import { mcpHttp } from './http.ts';
import { mcpServer, type Sharing } from './server.ts';

export async function open(argv: readonly string[]): Promise<number> {
  let values: { port?: string; host?: string };
  try {
    values = parseArgs({
      args: argv.slice(1),
      options: { port: { type: 'string' }, host: { type: 'string' } },
      strict: true,
    }).values;
    if (values.port !== undefined && !/^[0-9]{1,5}$/.test(values.port)) throw new Error('--port wants a whole number');
  } catch (error) {
    process.stderr.write(`kestrel: usage: ${(error as Error).message}; kestrel mcp --help shows the options\n`);
    return 2;
  }
  const { KESTREL_HOME } = process.env;
  const root = KESTREL_HOME !== undefined && KESTREL_HOME !== '' ? KESTREL_HOME : join(homedir(), '.kestrel');
  const store = new Store<SessionEvent>({ disk: realDisk, root, writer: randomUUID() });
  if (values.port === undefined) return overStdio(() => mcpServer(new Host({ store: () => store }), manifest.version));
  const onTheirWay = new Set<Promise<unknown>>();
  const sharing: Sharing = {
    ring: new Ring({ clock: () => performance.now(), inHand: () => onTheirWay.size }),
    hold(answer) {
      onTheirWay.add(answer);
      void answer.finally(() => onTheirWay.delete(answer));
    },
  };
  const tapes = new TapeThread();
  const newServer = () => mcpServer(new Host({ store: () => store, tapes }), manifest.version, sharing);
  const status = await overHttp(newServer, { port: Number(values.port), host: values.host ?? '127.0.0.1' });
  // The thread would keep the process alive.
  await tapes.close();
  return status;
}

function overStdio(newServer: () => ReturnType<typeof mcpServer>): Promise<number> {
  return new Promise((resolve) => {
    const handle = serveStdio(newServer);
    const stop = (): void => void handle.close().finally(() => resolve(0));
    process.stdin.once('end', stop);
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}

function overHttp(
  newServer: () => ReturnType<typeof mcpServer>,
  at: { readonly port: number; readonly host: string },
): Promise<number> {
  const http = mcpHttp(newServer);
  return new Promise((resolve) => {
    const server = serve({ fetch: http.fetch, hostname: at.host, port: at.port }, (info) => {
      process.stderr.write(`kestrel mcp: http://${at.host}:${info.port}/mcp\n`);
    });
    server.on('error', (error: NodeJS.ErrnoException) => {
      process.stderr.write(`kestrel: unavailable: ${at.host}:${at.port} cannot be listened on (${error.code})\n`);
      resolve(4);
    });
    const stop = async (): Promise<void> => {
      await http.close();
      server.close(() => resolve(0));
      if ('closeAllConnections' in server) server.closeAllConnections();
    };
    process.once('SIGINT', () => void stop());
    process.once('SIGTERM', () => void stop());
  });
}
