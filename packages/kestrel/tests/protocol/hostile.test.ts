/** Seeded noise on the wire: whatever comes, a stream answers or refuses with a code of the table, and is never at fault. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAgent, GOT_CHARS_MAX, OP_NAMES, REFUSALS, refusalLine } from '../../src/protocol/index.ts';
import { DIP } from '../session/short-day.ts';
import { newHost, pass, saw, sawStore } from './streams.ts';

const store = sawStore();

const good = fc.constantFrom<unknown>(
  { op: 'describe' },
  { op: 'validate', document: DIP },
  saw(),
  saw(DIP),
  { op: 'start' },
  { op: 'advance', response: pass },
  { op: 'revise', response: { kind: 'authored', document: DIP } },
  { op: 'advance', response: { kind: 'stand-down', reason: 'x' } },
  { op: 'resume' },
  { op: 'finalize' },
);

/** A request with one of its values, or one of its bytes, replaced. */
const spoilt = fc.oneof(
  fc.tuple(good, fc.anything({ maxDepth: 3 })).map(([request, value]) => {
    const { op } = request as { op: string };
    return JSON.stringify({ op, response: value, subject: value, document: value, after: value, ref: value });
  }),
  fc
    .tuple(
      fc.constantFrom(...OP_NAMES, '__proto__', 'constructor'),
      fc.dictionary(fc.string(), fc.anything({ maxDepth: 2 })),
    )
    .map(([op, args]) => JSON.stringify({ ...args, op })),
  fc.tuple(good, fc.nat(400), fc.string({ maxLength: 3, unit: 'binary' })).map(([request, at, text]) => {
    const line = JSON.stringify(request);
    return line.slice(0, at % line.length) + text + line.slice((at % line.length) + text.length);
  }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

test('a stream of noise and sense', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ arbitrary: good, weight: 3 }, { arbitrary: spoilt, weight: 1 }), { maxLength: 8 }),
      (requests) => {
        const agent = createAgent(newHost(store));
        for (const request of requests) {
          const line = typeof request === 'string' ? request : JSON.stringify(request);
          if (line === undefined) return;
          const outcome = agent.handle(line);
          if (outcome.kind === 'response') {
            expect(JSON.parse(outcome.line)).toMatchObject({ v: 'kestrel.agent/v1', kind: outcome.op });
            continue;
          }
          const { refusal } = JSON.parse(refusalLine(outcome.refusal, { op: outcome.op, line: 1 }));
          expect(Object.keys(REFUSALS)).toContain(refusal.code);
          expect([refusal.code, refusal.message]).not.toEqual(['internal', expect.anything()]);
          expect((refusal.got ?? '').length).toBeLessThanOrEqual(GOT_CHARS_MAX);
          return;
        }
      },
    ),
    { numRuns: 120 },
  );
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
