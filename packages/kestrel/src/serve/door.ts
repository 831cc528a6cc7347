/** `kestrel serve`: the managed side that anyone can host. */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import manifest from '../../package.json' with { type: 'json' };
import { TapeThread } from '../protocol/index.ts';
import { journaledDisk, realDisk, recoverJournals } from '../store/index.ts';
import { appOf } from './app.ts';
import { Owners } from './owners.ts';

const OPTIONS = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8787' },
  managed: { type: 'boolean', default: false },
  'quota-sessions': { type: 'string', default: '1000' },
  'quota-grades': { type: 'string', default: '1000' },
  'quota-datasets': { type: 'string', default: '16' },
  'no-trials': { type: 'boolean', default: false },
} as const;

/** Longest that running requests are waited for at the end. */
const DRAIN_MS_MAX = 30_000;

export async function open(argv: readonly string[]): Promise<number> {
  let values: ReturnType<typeof valuesOf>;
  try {
    values = valuesOf(argv);
  } catch (error) {
    process.stderr.write(`kestrel: usage: ${(error as Error).message}; kestrel serve --help shows the options\n`);
    return 2;
  }
  const { KESTREL_HOME, KESTREL_TOKENS } = process.env;
  const root = KESTREL_HOME !== undefined && KESTREL_HOME !== '' ? KESTREL_HOME : join(homedir(), '.kestrel');
  const folder = `${root}/journal`;
  const disk = journaledDisk(realDisk, { folder, name: `${process.pid}-${randomUUID()}` });
  try {
    recoverJournals(realDisk, folder, isAlive);
  } catch (error) {
    process.stderr.write(`kestrel: unavailable: ${(error as Error).message}\n`);
    return 4;
  }
  const tapes = new TapeThread();
  const owners = new Owners({
    disk,
    root,
    writer: randomUUID(),
    mode: values.managed ? 'managed' : 'local',
    quotas: values.quotas,
    tapes,
    tokens: (KESTREL_TOKENS ?? '').split(',').filter((token) => token !== ''),
  });
  const app = appOf({ owners, version: manifest.version, trials: values.trials });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: values.host, port: values.port }, (info) => {
      process.stdout.write(`kestrel serve: http://${values.host}:${info.port}\n`);
    });
    server.on('error', (error: NodeJS.ErrnoException) => {
      process.stderr.write(
        `kestrel: unavailable: ${values.host}:${values.port} cannot be listened on (${error.code})\n`,
      );
      resolve(4);
    });
    const stop = (): void => {
      // What is running is answered first; a client that holds its connection open is not waited for.
      server.close(() => {
        Promise.all([tapes.close(), disk.settle()]).then(
          () => resolve(0),
          (error: unknown) => {
            // The journal stays where it is, and the next start plays it back.
            process.stderr.write(`kestrel: unavailable: ${(error as Error).message}\n`);
            resolve(4);
          },
        );
      });
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      setTimeout(() => {
        if ('closeAllConnections' in server) server.closeAllConnections();
      }, DRAIN_MS_MAX).unref();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}

/** Whether the process that a journal is named after still runs. */
function isAlive(name: string): boolean {
  const pid = Number(name.split('-')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

function valuesOf(argv: readonly string[]) {
  const { values } = parseArgs({ args: argv.slice(1), options: OPTIONS, strict: true });
  const whole = (flag: 'port' | 'quota-sessions' | 'quota-grades' | 'quota-datasets'): number => {
    const text = values[flag];
    if (/^[0-9]{1,9}$/.test(text) && (flag !== 'port' || Number(text) <= 65_535)) return Number(text);
    throw new Error(`--${flag} wants a whole number, got ${text}`);
  };
  return {
    host: values.host,
    port: whole('port'),
    managed: values.managed,
    trials: values['no-trials'] ? 'refused' : 'minted',
    quotas: {
      sessions: whole('quota-sessions'),
      grades: whole('quota-grades'),
      datasets: whole('quota-datasets'),
    },
  } as const;
}
