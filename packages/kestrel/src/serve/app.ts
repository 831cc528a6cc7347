/**
 * The protocol over HTTP. A request line posted to `/v1/requests` is answered with the bytes that `kestrel agent` would
 * print; each op also has a route of its own. Events stream as server-sent events, datasets are put by name.
 */
import { Hono } from 'hono';
import { AgentRefusal, OPS, Ring, refusalOf } from '../protocol/index.ts';
import { putDataset } from './datasets.ts';
import { followOperation, followSession } from './events.ts';
import { openApi } from './openapi.ts';
import type { Owners } from './owners.ts';
import { refused } from './replies.ts';
import { admitted, type Hands, requested } from './requests.ts';

export interface AppOptions {
  readonly owners: Owners;
  readonly version: string;
  readonly trials: 'minted' | 'refused';
}

export function appOf({ owners, version, trials }: AppOptions): Hono {
  const app = new Hono();
  const hands: Hands = {
    inHand: 0,
    ring: new Ring({ clock: () => performance.now(), inHand: () => hands.inHand }),
    owners,
  };
  let document: string | undefined;

  app.get('/health', (c) => c.json({ status: 'ok', protocol: 'kestrel.agent/v1', version }));
  app.get('/openapi.json', (c) => {
    document ??= JSON.stringify(openApi(version));
    return c.body(document, 200, { 'content-type': 'application/json' });
  });

  app.post('/v1/trials', (c) => {
    const token = trials === 'minted' ? owners.mint() : undefined;
    if (token !== undefined) return c.json({ token }, 201);
    return refused(c, new AgentRefusal('unavailable', 'this server mints no trials'), { op: null, status: 403 });
  });

  app.post('/v1/requests', (c) => admitted(c, hands, (host) => requested(c, host, { hands, op: null })));
  for (const { name } of OPS) {
    app.post(`/v1/ops/${name}`, (c) => admitted(c, hands, (host) => requested(c, host, { hands, op: name })));
  }
  app.get('/v1/sessions/:id/events', (c) => admitted(c, hands, (host) => followSession(c, host, c.req.param('id'))));
  app.get('/v1/operations/:subject/:key/events', (c) =>
    admitted(c, hands, (host) => {
      const operationId = `${c.req.param('subject')}/${c.req.param('key')}`;
      return followOperation(c, host, { operationId, after: undefined });
    }),
  );
  app.put('/v1/datasets/:name', (c) => admitted(c, hands, (host) => putDataset(c, host, c.req.param('name'))));

  app.notFound((c) =>
    refused(c, new AgentRefusal('unknown-op', 'there is no such route; GET /openapi.json lists them'), { op: null }),
  );
  app.onError((error, c) => refused(c, refusalOf(error), { op: null }));
  return app;
}
