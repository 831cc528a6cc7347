/** Rubrics: identity by its vector, the composite's arithmetic, and what is refused before a model is paid. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BUILTIN_RUBRICS,
  composite,
  type Rubric,
  rubricCatalog,
  rubricProblems,
  rubricVersion,
} from '../../src/rubric/index.ts';
import { RubricSchema } from '../../src/wire/schemas.ts';

const minimal = { name: 'r', description: 'd', systemPrompt: 's', dimensions: [{ id: 'd1', description: 'x' }] };
const VECTOR = 'r@sha256-rfc8785:0581cba4523ccaa2abf044a3a5c7688988abdd4aef9194f4befce16ba3a2e8d0';

describe('identity', () => {
  test('the vector', () => expect(rubricVersion(RubricSchema.parse(minimal))).toBe(VECTOR));

  test('defaults said outright, unknown keys and another order change nothing', () => {
    const spelled = {
      wins: [],
      zzz: { deep: 1 },
      failureModes: [],
      dimensions: [{ max: 1, extra: 'x', min: -0, weight: 1, description: 'x', id: 'd1' }],
      systemPrompt: 's',
      description: 'd',
      name: 'r',
    };
    expect(rubricVersion(RubricSchema.parse(spelled))).toBe(VECTOR);
  });

  test('every word of a rubric is part of it', () => {
    const base = RubricSchema.parse({ ...minimal, wins: [{ id: 'w', description: 'x' }] });
    const changed: Rubric[] = [
      { ...base, name: 'q' },
      { ...base, description: 'e' },
      { ...base, systemPrompt: 't' },
      { ...base, dimensions: [{ ...base.dimensions[0]!, weight: 2 }] },
      { ...base, dimensions: [{ ...base.dimensions[0]!, max: 2 }] },
      { ...base, wins: [{ id: 'w', description: 'y' }] },
      { ...base, failureModes: base.wins, wins: [] },
    ];
    expect(new Set([base, ...changed].map(rubricVersion)).size).toBe(changed.length + 1);
  });
});

const of = (weights: number[], range: { min: number; max: number } = { min: 0, max: 1 }): Rubric => ({
  ...RubricSchema.parse(minimal),
  dimensions: weights.map((weight, i) => ({ id: `d${i}`, description: 'x', weight, ...range })),
});
const scored = (...scores: number[]) => new Map(scores.map((score, i) => [`d${i}`, score]));

describe('composite', () => {
  test('is the weighted mean', () => expect(composite(of([0.5, 0.3, 0.2]), scored(1, 0, 0.5))).toBeCloseTo(0.6, 12));
  test('normalises by range', () => expect(composite(of([1], { min: 1, max: 5 }), scored(4))).toBe(0.75));
  test('two weights of 1e308', () => expect(composite(of([1e308, 1e308]), scored(1, 0))).toBe(0.5));
  test('weights too small to add', () => expect(composite(of([5e-324, 5e-324]), scored(1, 0))).toBe(0.5));
  test('all weights zero', () => expect(composite(of([0, 0]), scored(1, 1))).toBe(0));
  test('a weight of zero counts nothing', () => expect(composite(of([0, 1]), scored(1, 0.25))).toBe(0.25));
  test('a range beyond a double', () => {
    expect(composite(of([1], { min: -1.7e308, max: 1.7e308 }), scored(0))).toBeCloseTo(0.5, 12);
    expect(composite(of([1], { min: -1.7e308, max: 1.7e308 }), scored(1.7e308))).toBe(1);
  });

  test('lies between its parts, whatever the weights', () => {
    const part = fc.record({
      weight: fc.double({ min: 0, max: 1.7e308, noNaN: true }),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const got = composite(of(parts.map(({ weight }) => weight)), scored(...parts.map(({ score }) => score)));
        const counted = parts.filter(({ weight }) => weight > 0).map(({ score }) => score);
        if (counted.length === 0) {
          expect(got).toBe(0);
          return;
        }
        expect(Number.isFinite(got)).toBe(true);
        expect(got).toBeGreaterThanOrEqual(Math.min(...parts.map(({ score }) => score)));
        expect(got).toBeLessThanOrEqual(Math.max(...parts.map(({ score }) => score)));
      }),
    );
  });
});

describe('problems', () => {
  const check = (change: Partial<Rubric>, path: string): void => {
    const problems = rubricProblems({ ...RubricSchema.parse(minimal), ...change });
    expect(problems.map((problem) => problem.path)).toContain(path);
  };
  const dimension = { id: 'a', description: 'x', weight: 1, min: 0, max: 1 };
  test('a good one has none', () => expect(rubricProblems(RubricSchema.parse(minimal))).toEqual([]));
  test('inverted range', () => check({ dimensions: [{ ...dimension, min: 1, max: 0 }] }, 'dimensions[0]'));
  test('empty range', () => check({ dimensions: [{ ...dimension, min: 1, max: 1 }] }, 'dimensions[0]'));
  test('duplicate dimensions', () => check({ dimensions: [dimension, dimension] }, 'dimensions[1].id'));
  test('duplicate wins', () => check({ wins: [dimension, dimension] }, 'wins[1].id'));
  for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']) {
    test(`a dimension called ${id}`, () => check({ dimensions: [{ ...dimension, id }] }, 'dimensions[0].id'));
  }
  test('65 dimensions', () =>
    check({ dimensions: Array.from({ length: 65 }, (_, i) => ({ ...dimension, id: `d${i}` })) }, 'dimensions'));
  test('a blank name', () => check({ name: ' ' }, 'name'));
  test('a lone surrogate', () => check({ systemPrompt: '\ud800' }, 'systemPrompt'));
});

describe('built-in rubrics', () => {
  test('names', () =>
    expect(BUILTIN_RUBRICS.map(({ name }) => name)).toEqual(['anti-slop', 'plan-discipline', 'thesis-honesty']));
  test('each can be judged by and fits its own schema', () => {
    for (const rubric of BUILTIN_RUBRICS) {
      expect(rubricProblems(rubric)).toEqual([]);
      expect(RubricSchema.parse(rubric)).toEqual(rubric);
    }
  });
  test('anti-slop has the seed’s dimensions, weights and failure modes', () => {
    const rubric = BUILTIN_RUBRICS[0]!;
    expect(rubric.dimensions.map(({ id, weight, description }) => [id, weight, description])).toEqual([
      ['buyer_quality', 0.5, 'Would the target buyer care?'],
      ['voice', 0.3, 'Builder voice, not AI/marketing?'],
      ['signal', 0.2, 'Non-obvious detail or constraint?'],
    ]);
    expect(rubric.failureModes.map(({ id }) => id)).toEqual([
      'ai-cadence',
      'marketing-tone',
      'vague-claim',
      'no-hook',
      'engagement-bait',
      'off-icp',
      'stale-claim',
    ]);
    expect(rubric.wins.map(({ id }) => id)).toEqual(expect.arrayContaining(['specific-component', 'earned-detail']));
  });
  test('a name cannot be taken twice', () => {
    expect(() => rubricCatalog([BUILTIN_RUBRICS[0]!])).toThrow(/two rubrics are named "anti-slop"/);
    expect(rubricCatalog().get('__proto__')).toBeUndefined();
  });
});
