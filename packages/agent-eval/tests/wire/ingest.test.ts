/** Ingest: each event on its own, kept as it came; the generated validator and the schema agree; hostile bodies. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryStore, type StorePair } from '../../src/store/index.ts';
import { validateEvent } from '../../src/wire/generated/validate-event.ts';
import { createApp, TraceEventSchema, WIRE_LIMITS } from '../../src/wire/index.ts';

interface Response_ {
  readonly status: number;
  readonly body: {
    readonly accepted?: number;
    readonly rejected?: number;
    readonly errors?: { eventId: string; message: string }[];
    readonly error?: { code: string; message: string; details: { problems: unknown[]; total: number } | null };
  };
}

function door(store: StorePair = memoryStore(), limits = {}) {
  const app = createApp({ traceStore: store.traces, feedbackStore: store.feedback, limits });
  const send = async (
    body: string | Buffer,
    type = 'application/x-ndjson',
    headers: Record<string, string> = {},
  ): Promise<Response_> => {
    const response = await app.request('/v1/traces/ingest', {
      method: 'POST',
      headers: { 'content-type': type, ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    return { status: response.status, body: (await response.json()) as Response_['body'] };
  };
  const kept = async (): Promise<string[]> => {
    const texts: string[] = [];
    for await (const { bytes } of store.traces.read({ view: 'all' })) texts.push(Buffer.from(bytes).toString('utf8'));
    return texts;
  };
  return { app, send, kept };
}

const event = (more: Record<string, unknown> = {}) => ({
  eventId: 'e',
  runId: 'r',
  kind: 'log',
  timestamp: 1,
  payload: {},
  ...more,
});

describe('the generated validator and the schema', () => {
  const wild = fc.oneof(
    fc.jsonValue(),
    fc.double(),
    fc.constant(undefined),
    fc.constant(''),
    fc.integer(),
    fc.constant(9007199254740992),
  );
  const kinds = fc.oneof(fc.constantFrom('log', 'error', 'custom', 'zzz', 'budget_breach'), wild);
  const shaped = fc.record(
    {
      eventId: fc.oneof(fc.string(), wild),
      runId: fc.oneof(fc.string(), wild),
      spanId: fc.oneof(fc.string(), wild),
      kind: kinds,
      timestamp: fc.oneof(fc.nat(), fc.maxSafeInteger(), wild),
      payload: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), wild),
      extra: wild,
    },
    { requiredKeys: [] },
  );
  test('give one verdict on anything that JSON can say', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 5, arbitrary: shaped }, wild), (value) => {
        const text = JSON.stringify(value);
        if (text === undefined) return;
        const parsed = JSON.parse(text);
        expect(validateEvent(parsed)).toBe(TraceEventSchema.safeParse(parsed).success);
      }),
      { numRuns: 3_000 },
    );
  });

  test('agree on the good and the nearly good', () => {
    for (const [value, good] of [
      [event(), true],
      [event({ spanId: 's', more: [1] }), true],
      [event({ timestamp: 1.5 }), false],
      [event({ timestamp: -1 }), false],
      [event({ timestamp: 1e20 }), false],
      [event({ timestamp: '1' }), false],
      [event({ eventId: '' }), false],
      [event({ spanId: null }), false],
      [event({ payload: [] }), false],
      [event({ payload: null }), false],
      [event({ kind: 'LOG' }), false],
      [[], false],
      [null, false],
    ] as const) {
      expect(validateEvent(value), JSON.stringify(value)).toBe(good);
      expect(TraceEventSchema.safeParse(value).success, JSON.stringify(value)).toBe(good);
    }
  });

  test('the checked-in file is what the schema gives', async () => {
    const { z } = await import('zod');
    const { $defs } = z.toJSONSchema(TraceEventSchema, { io: 'input' }) as unknown as {
      $defs: { TraceEvent: { properties: Record<string, unknown> }; EventKind: unknown };
    };
    const schema = { ...$defs.TraceEvent, properties: { ...$defs.TraceEvent.properties, kind: $defs.EventKind } };
    const text = readFileSync(new URL('../../src/wire/generated/validate-event.ts', import.meta.url), 'utf8');
    expect(text).toContain(JSON.stringify(schema));
  });
});

describe('what is kept', () => {
  const strange = [
    String.raw`{"eventId":"s1","runId":"r","kind":"log","timestamp":1,"payload":{"lone":"\ud800","n":123456789012345678901234567890}}`,
    '{"eventId":"s2","runId":"r","kind":"log","timestamp":2,"payload":{"__proto__":{"polluted":true},"a":1,"a":2}}',
    '{ "timestamp" : 3e0, "kind":"log" , "payload":{ "x" : 1.10 }, "runId":"r","eventId":"s3", "unknown": [null] }',
    '{"eventId":"ü–😀","runId":"r","kind":"log","timestamp":4,"payload":{"t":"é😀"}}',
    String.raw`{"eventId":"\u0000","runId":"r","kind":"log","timestamp":5,"payload":{}}`,
  ];

  test('NDJSON lines, byte for byte and in order', async () => {
    const { send, kept } = door();
    expect((await send(`${strange.join('\r\n')}\r\n\r\n`)).body).toEqual({ accepted: 5, rejected: 0, errors: [] });
    expect(await kept()).toEqual(strange);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('elements of a JSON body, byte for byte and in order', async () => {
    const { send, kept } = door();
    const body = `\ufeff {"zzz":[1,{"events":[]}],"events" : [\n${strange.join(' ,\n')}\n] , "more":"\\"]}"} `;
    expect((await send(body, 'application/json')).body).toEqual({ accepted: 5, rejected: 0, errors: [] });
    expect(await kept()).toEqual(strange);
  });

  test('any mixture of good and bad: the good are kept as they came, each bad one is named', async () => {
    const good = fc.record({
      id: fc.string({ minLength: 1, unit: 'binary' }),
      payload: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    const bad = fc.constantFrom('{', 'null', '[]', '{}', '{"eventId":"b"}', '1 2', '{"a":1}{"b":2}', 'tr');
    const line = fc.oneof(
      good.map(({ id, payload }) => ({ good: true, text: JSON.stringify(event({ eventId: id, payload })) })),
      bad.map((text) => ({ good: false, text })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 30 }),
        fc.constantFrom('\n', '\r\n', '\n\n'),
        async (lines, end) => {
          const { send, kept } = door();
          const { status, body } = await send(lines.map(({ text }) => text).join(end));
          const wanted = lines.filter((one) => one.good).map(({ text }) => text);
          expect(status).toBe(wanted.length > 0 ? 200 : 400);
          expect(await kept()).toEqual(wanted);
          if (status !== 200) return;
          expect([body.accepted, body.rejected]).toEqual([wanted.length, lines.length - wanted.length]);
          expect(body.errors).toHaveLength(body.rejected!);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('rejects', () => {
  test('are keyed by eventId, or by place where there is none', async () => {
    const { send } = door();
    const lines = [
      JSON.stringify(event()),
      '',
      JSON.stringify(event({ eventId: 'bad', kind: 'zzz' })),
      '{"no":"id"}',
      '{"a":1}{"b":2}',
    ];
    const { body } = await send(lines.join('\n'));
    expect(body.errors!.map(({ eventId }) => eventId)).toEqual(['bad', 'line 4', 'line 5']);
    expect(body.errors![0]!.message).toMatch(/^kind must be one of log, .*, got "zzz"$/);
    const array = await send(
      JSON.stringify({ events: [event(), { no: 'id' }, event({ eventId: 'x', timestamp: -1 })] }),
      'application/json',
    );
    expect(array.body.errors!.map(({ eventId }) => eventId)).toEqual(['#1', 'x']);
  });

  test('10,000 bad ones make a bounded answer', async () => {
    const { send } = door();
    const long = 'x'.repeat(100_000);
    const lines = [JSON.stringify(event()), JSON.stringify({ eventId: long, kind: long })];
    for (let i = 2; i < 10_000; i++) lines.push(JSON.stringify({ eventId: `b${i}`, kind: 'y'.repeat(500) }));
    const { status, body } = await send(lines.join('\n'));
    expect([status, body.accepted, body.rejected]).toEqual([200, 1, 9_999]);
    expect(JSON.stringify(body).length).toBeLessThan(6_000_000);
    expect(Math.max(...body.errors!.map((one) => one.eventId.length + one.message.length))).toBeLessThan(600);
  });

  test('an answer without one valid event lists at most 20 problems and their number', async () => {
    const { status, body } = await door().send(Array.from({ length: 500 }, () => '{}').join('\n'));
    expect([status, body.error?.code, body.error?.details?.problems.length, body.error?.details?.total]).toEqual([
      400,
      'validation_error',
      20,
      500,
    ]);
  });
});

describe('bodies that are no list of events', () => {
  const check = (body: string | Buffer, type: string): void => {
    const shown = body.toString().slice(0, 40);
    test(`${type} ${shown}`, async () => {
      const { send, kept } = door();
      const { status, body: answer } = await send(body, type);
      expect([status, answer.error?.code]).toEqual([400, 'validation_error']);
      expect(await kept()).toEqual([]);
    });
  };
  for (const body of [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '{}',
    '{"events":{}}',
    '{"events":[]}',
    '{"events":[1,]}',
    '{"events":[{}}',
    `{"events":[${JSON.stringify(event())}]`,
    `{"events":[${JSON.stringify(event())}]}x`,
    `{"events":[${JSON.stringify(event())}],"x":tru}`,
    `{"events":[${JSON.stringify(event())} ${JSON.stringify(event())}]}`,
    `{"events":[${JSON.stringify(event())}] "x":1}`,
    `{"events":[{"eventId":"e","runId":"r","kind":"log","timestamp":1,"payload":{]}}]}`,
  ]) {
    check(body, 'application/json');
  }
  check(Buffer.from([0x7b, 0xff, 0x7d]), 'application/json');
  check('\n\r\n \n', 'application/x-ndjson');
  check('', 'application/x-ndjson');
});

describe('bounds', () => {
  test('10,000 events, and not one more', async () => {
    const { send } = door();
    const line = JSON.stringify(event());
    expect((await send(`${line}\n`.repeat(10_000))).body.accepted).toBe(10_000);
    expect((await send(`${line}\n`.repeat(10_001))).status).toBe(400);
    const list = (count: number) => `{"events":[${Array.from({ length: count }, () => line).join(',')}]}`;
    expect((await send(list(10_000), 'application/json')).body.accepted).toBe(10_000);
    expect((await send(list(10_001), 'application/json')).status).toBe(400);
  });

  test('nesting: 100 levels, in events of any length, and no stack is met', async () => {
    const { send } = door();
    // The event and its payload are two levels.
    const nested = (levels: number, filler = '') =>
      `{"eventId":"n","runId":"r","kind":"log","timestamp":1,"payload":{"f":"${filler}","x":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`;
    for (const filler of ['', 'y'.repeat(100_000)]) {
      expect((await send(nested(100, filler))).body.accepted).toBe(1);
      expect((await send(nested(101, filler))).status).toBe(400);
      expect((await send(`${nested(101, filler)}\n${JSON.stringify(event())}`)).body).toMatchObject({
        accepted: 1,
        rejected: 1,
      });
    }
    const bomb = '['.repeat(5_000_000);
    expect((await send(bomb)).status).toBe(400);
    expect((await send(`{"events":${bomb}`, 'application/json')).status).toBe(400);
    expect(
      (await send(`{"x":${bomb}${']'.repeat(5_000_000)},"events":[${JSON.stringify(event())}]}`, 'application/json'))
        .status,
    ).toBe(400);
  });

  test('a line that is not UTF-8 is one rejected event', async () => {
    const { send, kept } = door();
    const bad = Buffer.from(JSON.stringify(event({ payload: { x: '@' } })));
    bad[bad.indexOf('@')] = 0xff;
    const { body } = await send(Buffer.concat([bad, Buffer.from('\n'), Buffer.from(JSON.stringify(event()))]));
    expect(body).toEqual({
      accepted: 1,
      rejected: 1,
      errors: [{ eventId: 'line 1', message: 'the line is not UTF-8' }],
    });
    expect(await kept()).toEqual([JSON.stringify(event())]);
  });

  test('gzip is understood, and a bomb is refused early', async () => {
    const { send, kept } = door();
    const line = JSON.stringify(event());
    expect(
      (await send(gzipSync(`${line}\n${line}`), 'application/x-ndjson', { 'content-encoding': 'GZIP' })).body.accepted,
    ).toBe(2);
    const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024, 0x20), { level: 9 });
    const startedMs = performance.now();
    const { status, body } = await send(bomb, 'application/x-ndjson', { 'content-encoding': 'gzip' });
    expect([status, body.error?.code]).toEqual([413, 'payload_too_large']);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect((await send('no gzip', 'application/x-ndjson', { 'content-encoding': 'gzip' })).status).toBe(400);
    expect(
      (await send(gzipSync(line).subarray(0, 20), 'application/x-ndjson', { 'content-encoding': 'gzip' })).status,
    ).toBe(400);
    expect((await send(line, 'application/x-ndjson', { 'content-encoding': 'br' })).status).toBe(415);
    expect(await kept()).toHaveLength(2);
  });

  test('16 MiB as sent', async () => {
    const { send } = door();
    const { status, body } = await send(Buffer.alloc(WIRE_LIMITS.bodyBytesMax + 1, 0x20));
    expect([status, body.error?.code]).toEqual([413, 'payload_too_large']);
  });

  test('bodies in flight share one budget, which is given back', async () => {
    const { send } = door(memoryStore(), { inFlightBytesMax: 1_000 });
    const line = JSON.stringify(event({ payload: { x: 'y'.repeat(300) } }));
    expect((await send(`${line}\n${line}\n${line}`)).status).toBe(503);
    for (let i = 0; i < 20; i++) expect((await send(line)).status).toBe(200);
    expect(
      (await send(gzipSync(' '.repeat(100_000)), 'application/x-ndjson', { 'content-encoding': 'gzip' })).status,
    ).toBe(503);
    expect((await send(line)).status).toBe(200);
  });
});
