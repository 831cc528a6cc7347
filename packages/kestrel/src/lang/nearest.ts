// The nearest known word to a misspelt one, by edit distance.
import { nearestCharsMax } from './limits.ts';

/** The candidate closest to `word` (case aside), or undefined where none is close enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > nearestCharsMax) return undefined;
  const probe = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate.length > nearestCharsMax) continue;
    const limit = Math.max(1, Math.floor(Math.max(probe.length, candidate.length) / 3));
    if (Math.abs(candidate.length - probe.length) > limit) continue;
    const distance = editDistance(probe, candidate.toLowerCase());
    if (distance <= limit && distance < bestDistance && distance < candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The candidate closest to `word` (case aside), however far: of several, the first. */
export function nearestOfAll(word: string, candidates: Iterable<string>): string | undefined {
  const probe = word.slice(0, nearestCharsMax).toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(probe, candidate.slice(0, nearestCharsMax).toLowerCase());
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours that lead from `a` to `b`. */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let least = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      const swapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) least = Math.min(least, beforePrevious[j - 2]! + 1);
      row.push(least);
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length]!;
}
