/** `kestrel serve`: the managed side that anyone can host. */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import manifest from '../../package.json' with { type: 'json' };
import { AgentRefusal, REFUSALS, refusalLine, refusalOf, TapeThread } from '../protocol/index.ts';
import { journaledDisk, realDisk, recoverJournals } from '../store/index.ts';
import { appOf } from './app.ts';
import { type HomeLock, lockHome } from './home-lock.ts';
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
  let lock: HomeLock;
  try {
    lock = lockHome(root, Date.now);
    // Whoever wrote these journals is gone, or else it would hold the lock.
    recoverJournals(realDisk, folder, () => false);
  } catch (error) {
    return unavailable(error);
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
      lock.release();
      resolve(4);
    });
    const stop = (): void => {
      // What is running is answered first; a client that holds its connection open is not waited for.
      server.close(() => {
        Promise.all([tapes.close(), disk.settle()])
          .then(
            () => 0,
            // The journal stays where it is, and the next start plays it back.
            unavailable,
          )
          .then((status) => {
            lock.release();
            resolve(status);
          });
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

/** Says why on standard error, as any refusal. @returns the exit status */
function unavailable(error: unknown): number {
  const { code } = error as { code?: unknown };
  const refusal = typeof code === 'string' && code !== 'unavailable' ? notWritable(code, error) : refusalOf(error);
  process.stderr.write(`${refusalLine(refusal, { op: null, line: 0 })}\n`);
  return REFUSALS[refusal.code].exit;
}

function notWritable(code: string, error: unknown): AgentRefusal {
  return new AgentRefusal('unavailable', `KESTREL_HOME cannot be written: ${(error as Error).message}`, {
    path: 'KESTREL_HOME',
    expected: 'a folder that may be written',
    got: code,
  });
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
