/** What carries a client's requests: this process, a child process, or HTTP. Each loads only what it needs. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { newStream, Remote } from '../protocol/light.ts';
import { type Carrier, KestrelClient, KestrelRefusal, type RefusalInfo } from './client.ts';

/** Requests that may wait for their answers at a time. */
export const WAITING_MAX = 10_000;
/** Characters of a child's complaints that are kept. */
const COMPLAINT_CHARS_MAX = 65_536;

/** A client of the ops in this process. @param options.home folder of the store; absent: sessions live in memory */
export async function inProcess(options: { readonly home?: string } = {}): Promise<KestrelClient> {
  const { createAgent, Host, refusalLine } = await import('../protocol/index.ts');
  const { memoryDisk, realDisk, Store } = await import('../store/index.ts');
  const disk = options.home === undefined ? memoryDisk() : realDisk;
  const store = new Store({ disk, root: options.home ?? 'memory', writer: randomUUID() });
  const host = new Host({ store: () => store as never });
  const agent = createAgent(host);
  let line = 0;
  return new KestrelClient({
    async send(request) {
      line++;
      const outcome = agent.handle(request);
      if (outcome.kind === 'refusal') throw refusalIn(refusalLine(outcome.refusal, { op: outcome.op, line }));
      host.sync();
      return outcome.line;
    },
    close: async () => store.close(),
  });
}

/** A client of `kestrel agent` as a child process. @param options.command the program and its arguments */
export function overStdio(options: {
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}): KestrelClient {
  const [program, ...args] = options.command;
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  const waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void }[] = [];
  let complaint = '';
  let rest: Buffer[] = [];
  let over: Error | undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    let at = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      const line = Buffer.concat([...rest, chunk.subarray(at, end)]).toString('utf8');
      rest = [];
      at = end + 1;
      waiting.shift()?.resolve(line);
    }
    rest.push(chunk.subarray(at));
  });
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (chunk: string) => {
    if (complaint.length < COMPLAINT_CHARS_MAX) complaint += chunk;
  });
  const end = (error: Error): void => {
    over ??= error;
    for (const { reject } of waiting.splice(0)) reject(over);
  };
  child.on('error', end);
  child.on('close', (status) => end(refusalOrEnd(complaint, status)));
  child.stdin.on('error', () => {});
  return new KestrelClient({
    send: (line) =>
      new Promise((resolve, reject) => {
        if (over !== undefined) reject(over);
        else if (waiting.length >= WAITING_MAX) reject(new Error(`more than ${WAITING_MAX} requests are waiting`));
        else {
          waiting.push({ resolve, reject });
          child.stdin.write(`${line}\n`);
        }
      }),
    close: () =>
      new Promise((resolve) => {
        if (over !== undefined) resolve();
        else {
          child.once('close', () => resolve());
          child.stdin.end();
        }
      }),
  });
}

/** A client of `kestrel serve`. @param options.token a capability; absent: a trial is minted */
export function overHttp(options: { readonly url: string; readonly token?: string }): KestrelClient {
  const remote = new Remote(options);
  const stream = newStream();
  let line = 0;
  // A stream is answered in order, so its requests go one after another.
  let last: Promise<unknown> = Promise.resolve();
  const carrier: Carrier = {
    send(request) {
      const answer = last.then(async () => {
        line++;
        const { line: text, refusal, op } = await remote.handle(request, stream);
        if (text !== undefined) return text;
        const { message, code, shape } = refusal!;
        throw new KestrelRefusal({ code, op, line, message, ...shape });
      });
      last = answer.catch(() => {});
      return answer;
    },
    close: async () => {},
  };
  return new KestrelClient(carrier);
}

function refusalIn(line: string): KestrelRefusal {
  return new KestrelRefusal((JSON.parse(line) as { refusal: RefusalInfo }).refusal);
}

function refusalOrEnd(complaint: string, status: number | null): Error {
  const line = complaint.trimEnd().split('\n').at(-1) ?? '';
  try {
    return refusalIn(line);
  } catch {
    return new Error(`the agent ended with ${status ?? 'a signal'}${line === '' ? '' : `: ${line}`}`);
  }
}
