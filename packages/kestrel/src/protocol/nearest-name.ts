/** The nearest known name to one that is not: close by edit distance, else one that begins or ends alike. */
import { nearest } from '../lang/index.ts';

export function nearestName(name: string, names: readonly string[]): string | undefined {
  const close = nearest(name, names);
  if (close !== undefined) return close;
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length >= 3);
  return names.find((other) => words.some((word) => other.includes(word)));
}
