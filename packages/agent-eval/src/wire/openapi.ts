/** The OpenAPI document, made from the list of methods. Served from memory, and what clients are generated from. */
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { statusOf, WIRE_CODES, type WireCode } from './errors.ts';
import type { HeaderWords, Method } from './method.ts';
import { METHODS } from './methods/index.ts';
import * as schemas from './schemas.ts';
import { PACKAGE_NAME, PACKAGE_VERSION, WIRE_VERSION } from './version.ts';

/** What any call can end with, and what one with a body can. */
const EVERY_CALL: readonly WireCode[] = ['forbidden_host', 'internal_error', 'service_unavailable'];
const WITH_BODY: readonly WireCode[] = [
  'validation_error',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
];

/** By the names that methods give. */
const SHAPES: Readonly<Record<Extract<Method['request'] | Method['response'], string>, z.ZodType>> = schemas;

export function openapiDocument(): unknown {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const method of METHODS) paths[method.path] = { [method.verb.toLowerCase()]: operation(method) };
  paths['/healthz'] = { get: healthz() };
  paths['/openapi.json'] = { get: ownDocument() };
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'agent-eval',
        version: PACKAGE_VERSION,
        description: `Wire protocol ${WIRE_VERSION} of ${PACKAGE_NAME}: judges text against rubrics, ingests traces and feedback. Responses may gain optional fields within a wire version.`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: 'http://127.0.0.1:5005', description: 'What `agent-eval serve` listens on by default.' }],
      paths: paths as ZodOpenApiPathsObject,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'Wanted when the server was started with a token.' },
        },
      },
    },
    {
      // A closed schema would make every new optional field a breaking change for generated clients.
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    },
  );
}

export function openapiText(): string {
  return `${JSON.stringify(openapiDocument(), null, 2)}\n`;
}

function operation(method: Method): ZodOpenApiOperationObject {
  const codes: WireCode[] = [
    ...(method.access === 'guarded' ? (['unauthorized'] as const) : []),
    ...(method.verb === 'POST' ? WITH_BODY : []),
    ...EVERY_CALL,
    ...WIRE_CODES.filter((code) => method.codes.includes(code)),
  ];
  return {
    operationId: operationId(method.name),
    summary: method.summary,
    description: method.description,
    // An empty requirement beside it says that a server without a token asks for none.
    security: method.access === 'guarded' ? [{ bearer: [] }, {}] : [],
    ...(method.headers?.request === undefined ? {} : { requestParams: { header: headers(method.headers.request) } }),
    ...(method.request === null ? {} : { requestBody: { required: true, content: contents(method, method.request) } }),
    responses: {
      '200': {
        description: 'Done.',
        content: { 'application/json': { schema: SHAPES[method.response], example: method.example } },
        ...(method.headers?.response === undefined ? {} : { headers: headers(method.headers.response) }),
      },
      ...errors(codes),
    },
  };
}

/** `traces.ingest` is `tracesIngest`, since many generators make a function's name of it. */
export function operationId(name: string): string {
  return name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function contents(method: Method, request: NonNullable<Method['request']>) {
  const json = { 'application/json': { schema: SHAPES[request] } };
  if (!method.media.includes('ndjson')) return json;
  const lines = z.string().meta({
    description: 'One TraceEvent a line.',
    examples: ['{"eventId":"evt_1","runId":"run_1","kind":"log","timestamp":1732556400000,"payload":{}}\n'],
  });
  return { ...json, 'application/x-ndjson': { schema: lines } };
}

function headers(described: Readonly<Record<string, HeaderWords>>) {
  const shape = Object.entries(described).map(([name, { text, pattern }]) => {
    const value = pattern === undefined ? z.string() : z.string().regex(pattern);
    return [name, value.optional().describe(text)] as const;
  });
  return z.object(Object.fromEntries(shape));
}

/** One response a status, which names the codes that it can bear. */
function errors(codes: readonly WireCode[]): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, WireCode[]>();
  for (const code of new Set(codes)) byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  const responses = [...byStatus].map(([status, named]) => [
    String(status),
    {
      description: named.join(' or '),
      content: {
        'application/json': {
          schema: schemas.ErrorResponseSchema,
          example: { error: { code: named[0], message: 'What went wrong and what to do.', details: null } },
        },
      },
    },
  ]);
  return Object.fromEntries(responses);
}

function healthz(): ZodOpenApiOperationObject {
  return {
    operationId: 'healthz',
    summary: 'Liveness',
    description: 'Whether the server is up. Needs no token.',
    security: [],
    responses: {
      '200': {
        description: 'It is up.',
        content: {
          'application/json': { schema: schemas.HealthResponseSchema, example: { status: 'ok', uptimeSec: 12.5 } },
        },
      },
      ...errors(EVERY_CALL),
    },
  };
}

function ownDocument(): ZodOpenApiOperationObject {
  return {
    operationId: 'openapi',
    summary: 'This document',
    description: 'What code generators make clients from. Needs no token.',
    security: [],
    responses: {
      '200': {
        description: 'OpenAPI 3.1.',
        content: { 'application/json': { schema: z.looseObject({}).meta({ id: 'OpenApiDocument' }) } },
      },
      ...errors(EVERY_CALL),
    },
  };
}
