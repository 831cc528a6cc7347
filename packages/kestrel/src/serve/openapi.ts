/** The OpenAPI document of the server, from the same schemas as `describe`. */
import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import { OPS, PROTOCOL, REFUSALS } from '../protocol/index.ts';

const Refusal = z
  .object({
    v: z.literal(PROTOCOL),
    refusal: z.object({
      code: z.string(),
      op: z.string().nullable(),
      line: z.int(),
      message: z.string(),
      path: z.string().optional(),
      expected: z.string().optional(),
      got: z.string().optional(),
    }),
  })
  .meta({ id: 'Refusal' });

const Events = {
  description: 'Server-sent events, until there is nothing more to come; see docs/serve.md.',
  content: { 'text/event-stream': { schema: z.string() } },
} as const;

const after = {
  name: 'last-event-id',
  in: 'header',
  description: 'The id of the last event that the client had: SEQUENCE.TOKEN.',
  schema: { type: 'string' },
} as const;

const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } }) as const;

const stream = {
  name: 'kestrel-stream',
  in: 'header',
  description: 'Where the stream stands: what the last answer gave in this header, or - at its start.',
  schema: { type: 'string' },
} as const;

export function openApi(version: string): unknown {
  const statuses = [...new Set(Object.values(REFUSALS).map(({ http }) => http))].sort();
  const refusals = Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: Object.entries(REFUSALS)
          .filter(([, row]) => row.http === status)
          .map(([code]) => code)
          .join(', '),
        content: { 'application/json': { schema: Refusal } },
      },
    ]),
  );
  const paths = Object.fromEntries(
    OPS.map((op) => [
      `/v1/ops/${op.name}`,
      {
        post: {
          operationId: op.name,
          summary: op.about,
          security: [{ capability: [] }],
          parameters: [stream],
          requestBody: { required: true, content: { 'application/json': { schema: op.args } } },
          responses: {
            '200': {
              description: 'The response line.',
              content: {
                'application/json': {
                  schema: z.object({ v: z.literal(PROTOCOL), kind: z.literal(op.name), value: op.emits }),
                },
              },
            },
            ...refusals,
          },
        },
      },
    ]),
  );
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'kestrel.agent/v1', version },
    paths: {
      ...paths,
      '/v1/requests': {
        post: {
          operationId: 'request',
          summary: 'one request line as it stands; the answer is the response line, byte for byte',
          security: [{ capability: [] }],
          parameters: [stream],
          requestBody: { required: true, content: { 'application/json': { schema: z.object({ op: z.string() }) } } },
          responses: { '200': { description: 'The response line.' }, ...refusals },
        },
      },
      '/v1/sessions/{id}/events': {
        get: {
          operationId: 'followSession',
          summary: 'the events of a session, and on as they come, until it is finalized',
          security: [{ capability: [] }],
          parameters: [inPath('id'), after],
          responses: { '200': Events, ...refusals },
        },
      },
      '/v1/operations/{subject}/{key}/events': {
        get: {
          operationId: 'followOperation',
          summary: 'progress of an operation while it runs, then its events, then its answer',
          security: [{ capability: [] }],
          parameters: [inPath('subject'), inPath('key'), after],
          responses: { '200': Events, ...refusals },
        },
      },
      '/v1/datasets/{name}': {
        put: {
          operationId: 'putDataset',
          summary: 'registers the tape of the body under the name; gzip is read as well',
          security: [{ capability: [] }],
          parameters: [inPath('name')],
          requestBody: { required: true, content: { 'application/octet-stream': { schema: z.string() } } },
          responses: { '201': { description: 'The dataset as it is registered.' }, ...refusals },
        },
      },
      '/v1/trials': {
        post: {
          operationId: 'mintTrial',
          summary: 'an anonymous capability',
          responses: {
            '201': {
              description: 'A bearer capability.',
              content: { 'application/json': { schema: z.object({ token: z.string() }) } },
            },
          },
        },
      },
    },
    components: { securitySchemes: { capability: { type: 'http', scheme: 'bearer' } } },
  } as never);
}
