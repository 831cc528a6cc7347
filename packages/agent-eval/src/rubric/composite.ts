/** The composite: the weighted mean of normalised scores. */
import type { Rubric, RubricDimension } from './rubric.ts';

/**
 * @param scores one raw score a dimension, in its range, keyed by id
 * @returns Σ(weight × normalised) / Σ(weight) in 0..1; 0 where every weight is 0
 */
export function composite(rubric: Rubric, scores: ReadonlyMap<string, number>): number {
  // Weights are taken relative to the largest, so that two of 1e308 do not overflow their sum.
  let heaviest = 0;
  for (const { weight } of rubric.dimensions) heaviest = Math.max(heaviest, weight);
  if (heaviest === 0) return 0;
  let sum = 0;
  let total = 0;
  let low = 1;
  let high = 0;
  for (const dimension of rubric.dimensions) {
    const share = dimension.weight / heaviest;
    const value = normalised(dimension, scores.get(dimension.id)!);
    sum += share * value;
    total += share;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  // A mean lies between its parts; rounding must not carry it outside.
  return Math.min(high, Math.max(low, sum / total));
}

/** (score − min) / (max − min), halved first where the range itself is beyond a double. */
function normalised({ min, max }: RubricDimension, score: number): number {
  const range = max - min;
  const value = Number.isFinite(range) ? (score - min) / range : (score / 2 - min / 2) / (max / 2 - min / 2);
  return Math.min(1, Math.max(0, value));
}
