/** serve: the HTTP server on this machine's store, until a signal ends it. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { GateLimits } from '../judge/gate.ts';
import { isStoreRefusal, type StorePair } from '../store/ports.ts';
import { makeService } from '../wire/context.ts';
import type { WireLimits } from '../wire/limits.ts';
import { isLoopback, type RunningServer, startHttp } from '../wire/server.ts';
import { ownRubrics } from './own-rubrics.ts';
import { type Retention, retainInTurn } from './retention.ts';
import { modelOfEnvironment, openStore } from './surroundings.ts';
import { UsageError } from './usage.ts';

export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly store?: string;
  readonly tokenFile?: string;
  readonly corsOrigins: readonly string[];
  readonly rubrics?: string;
  readonly retain: Retention;
  readonly limits: Partial<WireLimits>;
  readonly gate: Partial<GateLimits>;
}

const TOKEN_BYTES_MAX = 4_096;

/** @returns the exit status, after a signal. @throws UsageError */
export async function serve(flags: ServeFlags): Promise<number> {
  const token = readToken(flags.tokenFile);
  checkOrigins(flags.corsOrigins);
  const model = modelOfEnvironment();
  const rubrics = flags.rubrics === undefined ? [] : ownRubrics(flags.rubrics);
  let store: StorePair | null;
  try {
    store = await openStore(flags.store, 'auto');
  } catch (error) {
    if (!isStoreRefusal(error)) throw error;
    process.stderr.write(`agent-eval: ${error.message}\n`);
    return 1;
  }
  const { limits, gate } = flags;
  const stores = { traceStore: store?.traces ?? null, feedbackStore: store?.feedback ?? null };
  const service = makeService({ model, rubrics, limits, gate, ...stores });
  let server: RunningServer;
  try {
    server = await startHttp({ service, port: flags.port, host: flags.host, token, corsOrigins: flags.corsOrigins });
  } catch (error) {
    await store?.close();
    throw new UsageError(cannotListen(flags, error as NodeJS.ErrnoException));
  }
  if (!isLoopback(flags.host) && token === null) {
    process.stderr.write(
      `agent-eval: warning: ${flags.host} can be reached from other machines and no token is wanted; set --token-file\n`,
    );
  }
  process.stdout.write(`agent-eval listening on ${server.url}\n`);
  const signalled = firstSignal();
  const stopRetaining = await retainInTurn(store, flags.retain, (line) =>
    process.stderr.write(`agent-eval: ${line}\n`),
  );
  const signal = await signalled;
  process.stderr.write(`agent-eval: ${signal}: finishing calls in flight\n`);
  stopRetaining();
  await server.drain();
  await store?.close();
  return 0;
}

/** A second signal does not wait for the calls in flight. */
function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    let isSecond = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isSecond) process.exit(1);
        isSecond = true;
        resolve(signal);
      });
    }
  });
}

function readToken(file: string | undefined): string | null {
  let token: string | null;
  if (file === undefined) token = process.env.AGENT_EVAL_TOKEN ?? null;
  else {
    try {
      token = readFileSync(file, 'utf8');
    } catch (error) {
      throw new UsageError(`--token-file: ${(error as Error).message}`);
    }
  }
  if (token === null) return null;
  token = token.trim();
  const source = file === undefined ? 'AGENT_EVAL_TOKEN' : `--token-file ${file}`;
  // An empty token is a mistake, and the mistake must not open the door.
  if (token === '') throw new UsageError(`${source} is empty; a token is wanted`);
  if (token.length > TOKEN_BYTES_MAX || /\s/.test(token)) {
    throw new UsageError(`${source}: a token is one word of at most ${TOKEN_BYTES_MAX} characters`);
  }
  return token;
}

function checkOrigins(origins: readonly string[]): void {
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new UsageError(`--cors-origin wants an origin such as https://app.example.com, got "${origin}"`);
    }
  }
}

function cannotListen({ host, port }: ServeFlags, error: NodeJS.ErrnoException): string {
  const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${place} is taken; choose another --port, or 0 for a free one`;
    case 'EACCES':
      return `${place} is not allowed to this user; choose a --port above 1023`;
    default:
      return `cannot listen on ${place}: ${error.message}`;
  }
}
