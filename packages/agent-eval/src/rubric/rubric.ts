/** A rubric: what text is judged by. Its shape after defaults, and the rules that a schema cannot say. */

export interface RubricDimension {
  readonly id: string;
  readonly description: string;
  /** Share of the composite, relative to the other weights; >= 0. */
  readonly weight: number;
  /** The scale a judge scores on, `min` < `max`. */
  readonly min: number;
  readonly max: number;
}

export interface RubricTag {
  readonly id: string;
  readonly description: string;
}

export interface Rubric {
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly dimensions: readonly RubricDimension[];
  readonly failureModes: readonly RubricTag[];
  readonly wins: readonly RubricTag[];
}

export const DIMENSIONS_MAX = 64;
export const TAGS_MAX = 256;

/** A fault in a rubric: where it is and what would be right. */
export interface RubricProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * The faults that are known before a model is paid.
 * @returns an empty list for a rubric that can be judged by
 */
export function rubricProblems(rubric: Rubric): RubricProblem[] {
  const problems: RubricProblem[] = [];
  if (rubric.name.trim() === '') problems.push({ path: 'name', message: 'a rubric has a name that is not blank' });
  if (rubric.dimensions.length > DIMENSIONS_MAX) {
    const got = rubric.dimensions.length;
    return [...problems, { path: 'dimensions', message: `at most ${DIMENSIONS_MAX} dimensions, got ${got}` }];
  }
  rubric.dimensions.forEach((dimension, i) => {
    if (!(dimension.min < dimension.max)) {
      const message = `min must be less than max, got min ${dimension.min} and max ${dimension.max}`;
      problems.push({ path: `dimensions[${i}]`, message });
    }
  });
  for (const list of ['dimensions', 'failureModes', 'wins'] as const) {
    const entries: readonly RubricTag[] = rubric[list];
    if (list !== 'dimensions' && entries.length > TAGS_MAX) {
      problems.push({ path: list, message: `at most ${TAGS_MAX} entries, got ${entries.length}` });
      continue;
    }
    const seen = new Set<string>();
    entries.forEach(({ id }, i) => {
      const path = `${list}[${i}].id`;
      if (isPrototypeName(id))
        problems.push({ path, message: `"${id}" is a name of the language's own; take another` });
      if (seen.has(id))
        problems.push({ path, message: `ids are unique in a rubric, "${id.slice(0, 80)}" comes twice` });
      seen.add(id);
    });
  }
  for (const path of illFormedTexts(rubric)) {
    problems.push({ path, message: 'a text without lone surrogates is wanted, since the rubric is hashed' });
  }
  return problems;
}

/** Names that objects inherit: as keys of a client's dictionary they are traps. */
function isPrototypeName(id: string): boolean {
  return id === '__proto__' || id in Object.prototype || id === 'prototype';
}

function illFormedTexts(rubric: Rubric): string[] {
  const paths: string[] = [];
  const look = (path: string, text: string): void => {
    if (!text.isWellFormed()) paths.push(path);
  };
  look('name', rubric.name);
  look('description', rubric.description);
  look('systemPrompt', rubric.systemPrompt);
  for (const list of ['dimensions', 'failureModes', 'wins'] as const) {
    rubric[list].forEach((entry, i) => {
      look(`${list}[${i}].id`, entry.id);
      look(`${list}[${i}].description`, entry.description);
    });
  }
  return paths;
}
