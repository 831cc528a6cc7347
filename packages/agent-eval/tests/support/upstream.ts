/** A fake of an OpenAI-compatible service: says what a test tells it to, and remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly model: string; readonly messages: readonly { role: string; content: unknown }[] } & Record<
    string,
    unknown
  >;
  /** Resolves when the connection closes before an answer has been written. */
  readonly gone: Promise<void>;
}

export type Say = (asked: Asked, response: ServerResponse, n: number) => void;

export interface Upstream {
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** Answers every call with a completion of this text. */
export function saying(text: string, finish = 'stop'): Say {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(completion(text, finish));
  };
}

export function completion(text: string, finish = 'stop'): string {
  return JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}

export async function upstream(say: Say): Promise<Upstream> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const gone = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    const text = Buffer.concat(chunks).toString('utf8');
    const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text || '{}'), gone };
    asked.push(one);
    say(one, response, asked.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
