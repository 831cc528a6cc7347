/** A server as its own process, and clients of it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { environment, lineReader } from '../protocol/program.ts';
import { shortDayText } from '../session/short-day.ts';

export interface Served {
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
  readonly gone: Promise<number | null>;
  /** Ends it at once. */
  readonly kill: () => Promise<void>;
}

/** @param limit.fileKiB largest file that it may write, as the system enforces it */
export async function startServer(
  program: string,
  home: string,
  limit: { readonly fileKiB?: number } = {},
): Promise<Served> {
  const command = [process.execPath, program, 'serve', '--port', '0', '--quota-sessions', '100000'];
  const env = environment(home, { KESTREL_TOKENS: 'test' });
  const child =
    limit.fileKiB === undefined
      ? spawn(command[0]!, command.slice(1), { env })
      : spawn('sh', ['-c', `ulimit -f ${limit.fileKiB * 2}; exec "$@"`, 'sh', ...command], { env });
  const gone = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const line = await lineReader(child.stdout)();
  if (line === undefined) throw new Error(`no server: ${await lineReader(child.stderr)()}`);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
  };
  return { child, url: line.replace('kestrel serve: ', ''), gone, kill };
}

const SAW = 'rUsdE4=100000000&thinkMs=1000&checkpoint=10:00&checkpoint=10:30&checkpoint=11:00';

export async function putSaw(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/datasets/saw?${SAW}`, {
    method: 'PUT',
    body: shortDayText(),
    headers: { authorization: 'Bearer test' },
  });
  if (response.status !== 201) throw new Error(await response.text());
}

export interface Told {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read deep into answers of every shape
  readonly value: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly refusal: any;
}

/** One stream of requests; what it throws is that nobody answered. */
export function clientOf(url: string): (request: unknown) => Promise<Told> {
  let stream = '-';
  return async (request) => {
    const response = await fetch(`${url}/v1/requests`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { authorization: 'Bearer test', 'kestrel-stream': stream, 'content-type': 'application/json' },
    });
    const text = await response.text();
    stream = response.headers.get('kestrel-stream') ?? stream;
    const { value, refusal } = JSON.parse(text) as { value?: unknown; refusal?: unknown };
    return { status: response.status, value, refusal };
  };
}
