/** The agent's requests answered by a server: `--api URL`, or `default` for the configured one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from 'ground/folder';
import { AgentRefusal, Remote, type StreamState } from '../protocol/light.ts';
import type { Transport } from './agent-transport.ts';

type Env = Readonly<Record<string, string | undefined>>;

export function remoteTransport(api: string, stream: StreamState): Transport {
  const url = api === 'default' ? configured(process.env) : api;
  if (url === undefined || !/^https?:\/\/[^/]/.test(url)) {
    const refusal = new AgentRefusal(
      'unavailable',
      url === undefined ? 'no default server is configured' : 'the server is named by a URL',
      {
        expected: 'http://HOST:PORT in --api, or {"api": URL} in config.json under KESTREL_HOME',
        got: url ?? 'default',
      },
    );
    return { sync() {}, handle: () => ({ op: null, refusal }) };
  }
  const kept = tokenFile(process.env, url);
  const token = process.env.KESTREL_TOKEN;
  const trial = readToken(kept);
  const remote = new Remote({
    url,
    ...(token === undefined || token === '' ? {} : { token }),
    ...(trial === undefined || trial === '' ? {} : { trial }),
    onMint: (minted) => writeToken(kept, minted),
  });
  return { sync() {}, handle: (line) => remote.handle(line, stream) };
}

function home(env: Env): string {
  return env.KESTREL_HOME !== undefined && env.KESTREL_HOME !== '' ? env.KESTREL_HOME : join(homedir(), '.kestrel');
}

function configured(env: Env): string | undefined {
  try {
    const { api } = JSON.parse(readFileSync(join(home(env), 'config.json'), 'utf8')) as { api?: unknown };
    return typeof api === 'string' ? api : undefined;
  } catch {
    return undefined;
  }
}

/** A minted trial is kept, so that the next stream finds the sessions of this one. */
function tokenFile(env: Env, url: string): string {
  return join(home(env), 'trials', `${url.replace(/[^A-Za-z0-9.]+/g, '-')}.token`);
}

function readToken(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function writeToken(path: string, token: string): void {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, token, { mode: 0o600 });
  } catch {
    // The trial then lasts as long as this process.
  }
}
