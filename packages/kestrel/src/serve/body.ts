/** Bodies of requests, read whole under a bound. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { AgentRefusal } from '../protocol/index.ts';

/** The body as text. @throws AgentRefusal `too-large`, `bad-json` */
export async function textOf(c: Context, bytesMax: number): Promise<string> {
  const bytes = await bytesOf(c, bytesMax);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new AgentRefusal('bad-json', 'the body is not UTF-8', { expected: 'UTF-8', got: 'other bytes' });
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The body; beyond the bound the rest is not kept. @throws AgentRefusal `too-large`, `unavailable` */
export function bytesOf(c: Context, bytesMax: number): Promise<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  // Node's own stream is read as it is: a web stream around it costs as much as all the rest of a short request.
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  return incoming === undefined ? ofWebStream(c.req.raw.body, bytesMax) : ofIncoming(incoming, bytesMax);
}

function ofIncoming(incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let total = 0;
    const end = (finish: () => void): void => {
      incoming.off('data', take).off('end', whole).off('error', broken).off('close', broken);
      finish();
    };
    const take = (chunk: Uint8Array): void => {
      total += chunk.length;
      if (total > bytesMax) end(() => reject(tooLarge(bytesMax)));
      else chunks.push(chunk);
    };
    const whole = (): void => end(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const broken = (): void => end(() => reject(new AgentRefusal('unavailable', 'the body broke off')));
    incoming.on('data', take).on('end', whole).on('error', broken).on('close', broken);
  });
}

async function ofWebStream(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body ?? []) {
    total += chunk.length;
    if (total > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(bytesMax: number): AgentRefusal {
  return new AgentRefusal('too-large', `a body has at most ${bytesMax} bytes here`, {
    expected: `at most ${bytesMax} bytes`,
  });
}
