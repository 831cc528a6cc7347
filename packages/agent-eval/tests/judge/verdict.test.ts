/** Verdicts are read strictly: a golden list, and what must hold of any text. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JSON_TEXT_DEPTH_MAX, readJsonText } from '../../src/judge/json-text.ts';
import { readVerdict } from '../../src/judge/verdict.ts';
import type { Rubric } from '../../src/rubric/index.ts';

const rubric: Rubric = {
  name: 'r',
  description: 'd',
  systemPrompt: 's',
  dimensions: [
    { id: 'a', description: 'x', weight: 1, min: 0, max: 1 },
    { id: 'b', description: 'y', weight: 1, min: 1, max: 5 },
  ],
  failureModes: [
    { id: 'f1', description: 'x' },
    { id: 'f2', description: 'x' },
  ],
  wins: [{ id: 'w1', description: 'x' }],
};

const golden: { cases: { name: string; text: string; is: string }[] } = JSON.parse(
  readFileSync(new URL('./verdicts.json', import.meta.url), 'utf8'),
);

function check(text: string, expected: string): void {
  const reading = readVerdict(rubric, text);
  expect(reading.kind === 'verdict' ? 'verdict' : reading.fault).toBe(expected);
}

describe('golden verdicts', () => {
  for (const { name, text, is } of golden.cases) test(name, () => check(text, is));

  test('a verdict has the rubric’s dimensions alone, in its order', () => {
    const reading = readVerdict(
      rubric,
      '{"dimensions":{"zzz":1,"b":2,"a":1},"failureModes":["f2","f1","f2"],"rationale":"x"}',
    );
    expect(reading.kind).toBe('verdict');
    if (reading.kind !== 'verdict') return;
    expect([...reading.verdict.scores]).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    expect(reading.verdict.failureModes).toEqual(['f2', 'f1']);
    expect(reading.verdict.wins).toEqual([]);
  });
});

/** The platform's value with Maps for objects, as the strict reader gives it. */
function mapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapped);
  if (value === null || typeof value !== 'object') return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, mapped(item)]));
}

describe('the strict reader of JSON', () => {
  test('agrees with the platform on what has no repeated keys', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        expect(readJsonText(space + text + space)).toEqual(mapped(JSON.parse(text)));
      }),
    );
  });

  test('takes nothing that the platform refuses, whatever is cut out or put in', () => {
    const mutated = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ maxLength: 3 }))
      .map(([text, at, cut, put]) => {
        const where = at % (text.length + 1);
        return text.slice(0, where) + put + text.slice(where + cut);
      });
    fc.assert(
      fc.property(mutated, (text) => {
        let strict: unknown;
        try {
          strict = readJsonText(text);
        } catch {
          return;
        }
        expect(strict).toEqual(mapped(JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('refuses depth before it meets the stack', () => {
    expect(() => readJsonText('['.repeat(1_000_000))).toThrow(/nesting/);
    expect(() => readJsonText('{"a":'.repeat(1_000_000))).toThrow(/nesting/);
    const legal = '['.repeat(JSON_TEXT_DEPTH_MAX) + ']'.repeat(JSON_TEXT_DEPTH_MAX);
    expect(readJsonText(legal)).toEqual(JSON.parse(legal));
  });

  test('a long answer is read in good time', () => {
    const long = `{"dimensions":{"a":1,"b":2},"rationale":"${'\\"x'.repeat(500_000)}"}`;
    const startedMs = performance.now();
    check(long, 'verdict');
    check('`'.repeat(500_000), 'not-json');
    check(' '.repeat(2_000_000), 'empty-answer');
    expect(performance.now() - startedMs).toBeLessThan(3_000);
  });
});

test('no text makes a score that is not there, in range and a number', () => {
  const score = fc.oneof(fc.double(), fc.string(), fc.constant(null), fc.boolean());
  const answer = fc.record(
    { dimensions: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), score), rationale: fc.string() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(answer, (value) => {
      const reading = readVerdict(rubric, JSON.stringify(value));
      if (reading.kind !== 'verdict') return;
      for (const { id, min, max } of rubric.dimensions) {
        const got = reading.verdict.scores.get(id);
        expect(got).toBe(value.dimensions![id]);
        expect(got).toBeGreaterThanOrEqual(min);
        expect(got).toBeLessThanOrEqual(max);
      }
    }),
    { numRuns: 1_000 },
  );
});
