/** A verdict as a model wrote it: read strictly, or refused with a reason. A score is never invented. */
import type { Rubric } from '../rubric/index.ts';
import { type JsonObject, JsonTextError, type JsonValue, readJsonText } from './json-text.ts';

export interface Verdict {
  /** One raw score for each of the rubric's dimensions, in its range, in the rubric's order. */
  readonly scores: ReadonlyMap<string, number>;
  readonly failureModes: readonly string[];
  readonly wins: readonly string[];
  readonly rationale: string;
}

export type VerdictFault =
  | 'not-json'
  | 'not-an-object'
  | 'missing-dimensions'
  | 'missing-score'
  | 'score-not-a-number'
  | 'score-out-of-range'
  | 'unknown-id'
  | 'bad-list'
  | 'empty-rationale'
  | 'empty-answer'
  | 'truncated'
  | 'refused'
  | 'upstream-malformed';

export type VerdictReading =
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'fault'; readonly fault: VerdictFault; readonly message: string };

/**
 * @param text the model's whole answer: one JSON object, or the same inside one code fence
 */
export function readVerdict(rubric: Rubric, text: string): VerdictReading {
  const body = unfenced(text.trim());
  if (body === '') return fault('empty-answer', 'the answer is empty');
  let value: JsonValue;
  try {
    value = readJsonText(body);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return fault('not-json', `the answer is not one JSON object alone: ${error.message}`);
  }
  if (!isObject(value)) return fault('not-an-object', 'the answer is JSON but not an object');
  const scores = readScores(rubric, value.get('dimensions'));
  if ('kind' in scores) return scores;
  const failureModes = readTags(rubric, 'failureModes', value.get('failureModes'));
  if ('kind' in failureModes) return failureModes;
  const wins = readTags(rubric, 'wins', value.get('wins'));
  if ('kind' in wins) return wins;
  const rationale = value.get('rationale');
  if (typeof rationale !== 'string' || rationale.trim() === '') {
    return fault('empty-rationale', 'rationale must be a text that is not blank');
  }
  return { kind: 'verdict', verdict: { scores, failureModes, wins, rationale } };
}

type Fault = Extract<VerdictReading, { kind: 'fault' }>;

function fault(kind: VerdictFault, message: string): Fault {
  return { kind: 'fault', fault: kind, message };
}

function readScores(rubric: Rubric, given: JsonValue | undefined): Map<string, number> | Fault {
  if (given === undefined || !isObject(given)) {
    return fault('missing-dimensions', 'dimensions must be an object of one score a dimension');
  }
  const scores = new Map<string, number>();
  for (const { id, min, max } of rubric.dimensions) {
    const score = given.get(id);
    if (score === undefined) return fault('missing-score', `dimensions.${id} has no score`);
    if (typeof score !== 'number' || !Number.isFinite(score)) {
      return fault('score-not-a-number', `dimensions.${id} must be a finite number, got ${shown(score)}`);
    }
    if (score < min || score > max) {
      return fault('score-out-of-range', `dimensions.${id} must be from ${min} to ${max}, got ${score}`);
    }
    scores.set(id, score);
  }
  return scores;
}

function readTags(
  rubric: Rubric,
  list: 'failureModes' | 'wins',
  given: JsonValue | undefined,
): readonly string[] | Fault {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return fault('bad-list', `${list} must be a list of ids`);
  const known = new Set(rubric[list].map(({ id }) => id));
  const tags = new Set<string>();
  for (const id of given as readonly JsonValue[]) {
    if (typeof id !== 'string') return fault('bad-list', `${list} must hold ids, got ${shown(id)}`);
    if (!known.has(id)) return fault('unknown-id', `${list} names ${shown(id)}, which the rubric does not have`);
    tags.add(id);
  }
  return [...tags];
}

/** Takes one code fence off a text that is wholly inside it. */
function unfenced(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  const lineEnd = text.indexOf('\n');
  if (lineEnd < 0) return text;
  const label = text.slice(3, lineEnd).trim().toLowerCase();
  return label === '' || label === 'json' ? text.slice(lineEnd + 1, -3).trim() : text;
}

function isObject(value: JsonValue): value is JsonObject {
  return value instanceof Map;
}

function shown(value: JsonValue): string {
  if (value === null) return 'null';
  if (isObject(value)) return 'an object';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value);
}
