/**
 * `kestrel agent`: the machine's door. One request a line on standard input, one response a line on standard output, a
 * refusal on standard error. `describe` is answered before anything else is loaded.
 */
import {
  AgentRefusal,
  DESCRIBED,
  LINE_BYTES_MAX,
  newStream,
  REFUSALS,
  readRequest,
  refusalLine,
  refusalOf,
  responseLine,
} from '../protocol/light.ts';
import type { Handled, Transport } from './agent-transport.ts';
import { LineInput } from './line-input.ts';
import { Closed, quietStreams, type Streams } from './streams.ts';

/** Requests that are answered together, behind one sync of the disk, while more of them are waiting. */
const GROUP_LINES_MAX = 256;
const GROUP_CHARS_MAX = 1 << 20;
/** Longest that an answer waits for others to go out with, ms. */
const GROUP_MS_MAX = 20;

export async function open(argv: readonly string[]): Promise<number> {
  const streams = quietStreams();
  if (argv.includes('--help') || argv.includes('-h')) {
    const { agentPage } = await import('./agent-help.ts');
    streams.write(agentPage());
    return 0;
  }
  try {
    return await converse(apiOf(argv, streams.env), streams);
  } catch (error) {
    if (error instanceof Closed) return 0;
    const refusal = error instanceof AgentRefusal ? error : refusalOf(error);
    streams.say(`${refusalLine(refusal, { op: null, line: 0 })}\n`);
    return REFUSALS[refusal.code].exit;
  }
}

async function converse(api: string | undefined, streams: Streams): Promise<number> {
  const input = new LineInput(0, LINE_BYTES_MAX);
  const stream = newStream();
  let transport: Transport | undefined;
  let held: string[] = [];
  let heldChars = 0;
  let line = 0;
  let firstHeld = 1;
  let heldSince = 0;
  const flush = (): void => {
    if (held.length === 0) return;
    transport?.sync();
    streams.write(`${held.join('\n')}\n`);
    held = [];
    heldChars = 0;
  };
  const refuse = (refusal: AgentRefusal, op: string | null, at: number): number => {
    streams.say(`${refusalLine(refusal, { op, line: at })}\n`);
    return REFUSALS[refusal.code].exit;
  };
  for (;;) {
    const waited = held.length > 0 && performance.now() - heldSince >= GROUP_MS_MAX;
    if (!input.ready || waited || held.length >= GROUP_LINES_MAX || heldChars >= GROUP_CHARS_MAX) {
      try {
        flush();
      } catch (error) {
        if (error instanceof Closed) throw error;
        return refuse(refusalOf(error), null, firstHeld);
      }
    }
    const next = input.next();
    if (next === undefined) return 0;
    line++;
    if (next.kind === 'text' && next.text.trim() === '') continue;
    let handled: Handled;
    if (next.kind !== 'text') handled = { op: null, refusal: unreadable(next.kind) };
    else if (api === undefined && transport === undefined && isDescribe(next.text)) {
      handled = { op: 'describe', line: responseLine('describe', DESCRIBED) };
    } else {
      transport ??= await transportOf(api, stream);
      handled = await transport.handle(next.text);
    }
    if (handled.line === undefined) {
      try {
        flush();
      } catch (error) {
        if (error instanceof Closed) throw error;
        return refuse(refusalOf(error), null, firstHeld);
      }
      return refuse(handled.refusal!, handled.op, line);
    }
    if (held.length === 0) {
      firstHeld = line;
      heldSince = performance.now();
    }
    held.push(handled.line);
    heldChars += handled.line.length;
  }
}

async function transportOf(api: string | undefined, stream: ReturnType<typeof newStream>): Promise<Transport> {
  if (api === undefined) return (await import('./agent-local.ts')).localTransport(stream);
  return (await import('./agent-remote.ts')).remoteTransport(api, stream);
}

/** Only the plain request is answered early; whatever else says `describe` is checked like any other. */
function isDescribe(text: string): boolean {
  if (text.length > 64) return false;
  try {
    const request = readRequest(text);
    return request.op === 'describe' && Object.keys(request).length === 1;
  } catch {
    return false;
  }
}

function unreadable(kind: 'too-long' | 'not-utf8'): AgentRefusal {
  return kind === 'too-long'
    ? new AgentRefusal('too-large', `a request line has at most ${LINE_BYTES_MAX} bytes`, {
        expected: `at most ${LINE_BYTES_MAX} bytes and a line end`,
        got: `more than ${LINE_BYTES_MAX} bytes`,
      })
    : new AgentRefusal('bad-json', 'the line is not UTF-8', { expected: 'UTF-8', got: 'other bytes' });
}

/** Where the requests go: undefined for this process. `--api` wins over KESTREL_API; an empty one is unset. */
function apiOf(argv: readonly string[], env: Streams['env']): string | undefined {
  let api: string | undefined;
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--api' && i + 1 < argv.length) api = argv[++i]!;
    else if (word.startsWith('--api=')) api = word.slice('--api='.length);
    else {
      throw new AgentRefusal('bad-arg', 'kestrel agent takes its requests on standard input', {
        path: 'argv',
        expected: 'kestrel agent [--api URL|default]',
        got: word,
      });
    }
  }
  const chosen = api ?? env.KESTREL_API;
  return chosen === undefined || chosen === '' ? undefined : chosen;
}
