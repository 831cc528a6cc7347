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
