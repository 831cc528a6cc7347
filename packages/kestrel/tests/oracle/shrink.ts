/** Makes a failing case small: fewer events, fewer clauses, simpler lines, as long as it still fails. */
import { parse } from '../../src/lang/index.ts';
import type { Case } from './generate.ts';

/** Most tries of one shrink, so that a slow case ends too. */
const TRIES_MAX = 3000;

/** Ways to write a line of a document more simply. */
const SIMPLER: readonly (readonly [RegExp, string])[] = [
  [/ (AND|OR) .*$/, ''],
  [/WHEN .*? (AND|OR) /, 'WHEN '],
  [/ (held|within) [0-9]+[smh]/, ''],
  [/ (peg|fix)\b/, ''],
  [/ (cap|floor|esc|cancel-if) .*$/, ''],
  [/ in (core|side)\b/, ''],
  [/ priority [0-9]+/, ''],
  [/ regime \{.*\}/, ''],
  [/ttl \S+/, 'ttl 10:30'],
  [/budget \S+R ttl/, 'budget 10R ttl'],
  [/NOT /, ''],
  [/@ .*$/, '@ 100'],
  [/ [+-] [0-9.$]+(c|t|bps|%)?/, ''],
];

export function shrink(one: Case, fails: (candidate: Case) => boolean): Case {
  let tries = 0;
  let best = one;
  const attempt = (candidate: Case): boolean => {
    tries += 1;
    if (tries > TRIES_MAX || parse(candidate.text).diagnostics.length > 0) return false;
    let failed = false;
    try {
      failed = fails(candidate);
    } catch {
      // A case that breaks a runner is another case than the one that is being made smaller.
    }
    if (failed) best = candidate;
    return failed;
  };
  for (let before = ''; before !== JSON.stringify(best) && tries < TRIES_MAX; ) {
    before = JSON.stringify(best);
    shrinkText(() => best, attempt);
    shrinkLines(() => best, attempt);
    const { sessionR: _, ...without } = best;
    if (best.sessionR !== undefined) attempt(without);
  }
  return best;
}

function shrinkLines(best: () => Case, attempt: (candidate: Case) => boolean): void {
  for (let size = Math.ceil(best().lines.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 1; at < best().lines.length; ) {
      const lines = best().lines.filter((_, i) => i < at || i >= at + size);
      if (!attempt({ ...best(), lines })) at += size;
    }
  }
}

function shrinkText(best: () => Case, attempt: (candidate: Case) => boolean): void {
  const rows = (): string[] => best().text.trimEnd().split('\n');
  const without = (from: number, to: number): Case => ({
    ...best(),
    text: `${rows()
      .filter((_, i) => i < from || i >= to)
      .join('\n')}\n`,
  });
  for (let at = 0; at < rows().length; ) {
    let end = at + 1;
    if (!rows()[at]!.startsWith(' ')) while (end < rows().length && rows()[end]!.startsWith(' ')) end += 1;
    if (!attempt(without(at, end))) at += 1;
  }
  for (let at = 0; at < rows().length; at++) {
    for (const [pattern, by] of SIMPLER) {
      const text = rows();
      const simpler = text[at]!.replace(pattern, by);
      if (simpler === text[at]) continue;
      text[at] = simpler;
      attempt({ ...best(), text: `${text.join('\n')}\n` });
    }
  }
}

/** The case as text that can be pasted into a test. */
export function describeCase(one: Case): string {
  const { lines, text, ...rest } = one;
  return `${JSON.stringify(rest)}\n${lines.join('\n')}\n---\n${text}`;
}
