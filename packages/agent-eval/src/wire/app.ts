/** The service as an app to embed: a Hono app, for `app.request()` in tests and for mounting in another server. */
import { Hono } from 'hono';
import { Stop } from '../judge/index.ts';
import type { Body } from './body.ts';
import type { Budget } from './budget.ts';
import { makeService, type ServiceOptions } from './context.ts';
import { type DoorRequest, makeDoor } from './door.ts';
import { WireError } from './errors.ts';
import type { GuardOptions } from './guard.ts';
import type { WireLimits } from './limits.ts';

export interface AppOptions extends ServiceOptions, Partial<GuardOptions> {}

/**
 * @param options stores, model, rubrics and limits; `hosts: 'loopback'` adds the check of the Host header that a server
 *   on loopback makes
 */
export function createApp(options: AppOptions = {}): Hono {
  const { token = null, hosts = 'any', corsOrigins = [] } = options;
  const door = makeDoor({ service: makeService(options), token, hosts, corsOrigins });
  const app = new Hono();
  app.all('*', async (context) => {
    const { status, headers, body } = await door(new FetchRequest(context.req.raw, context.req.path));
    const bodyless = status === 204 || context.req.method === 'HEAD';
    return new Response(bodyless ? null : body, { status, headers });
  });
  return app;
}

function ownBody(bytes: Buffer): Body {
  return { bytes, done() {} };
}

class FetchRequest implements DoorRequest {
  readonly verb: string;
  readonly path: string;
  readonly stop = new Stop();
  readonly #request: Request;

  constructor(request: Request, path: string) {
    this.#request = request;
    this.verb = request.method;
    this.path = path;
    request.signal.addEventListener('abort', () => this.stop.abort(request.signal.reason), { once: true });
  }

  isGone(): boolean {
    return this.#request.signal.aborted;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async body({ bodyBytesMax }: WireLimits, budget: Budget): Promise<Body> {
    const { body } = this.#request;
    if (body === null) return ownBody(Buffer.alloc(0));
    const reader = body.getReader();
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return ownBody(Buffer.concat(chunks));
        if (bytes + value.length > bodyBytesMax) {
          throw new WireError('payload_too_large', `a body has at most ${bodyBytesMax} bytes as sent`);
        }
        budget.claim(value.length);
        bytes += value.length;
        chunks.push(value);
      }
    } catch (error) {
      budget.release(bytes);
      void reader.cancel().catch(() => {});
      throw error;
    }
  }
}
