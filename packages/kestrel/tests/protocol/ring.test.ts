/** Long runs share the thread: nobody starves, nobody is lost, and what waits for another thread stands aside. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../../src/protocol/index.ts';
import type { Sliced } from '../../src/session/index.ts';

const never = { clock: () => 0, inHand: () => 1_000 };

function* steps(name: string, n: number, told: string[]): Sliced<string> {
  for (let i = 0; i < n; i++) {
    told.push(name);
    yield undefined;
  }
  return name;
}

test('what ends in its first slice never waits', () => {
  expect(new Ring(never).drive(steps('a', 0, []))).toBe('a');
});

test('runs take turns, slice by slice', async () => {
  const told: string[] = [];
  const ring = new Ring(never);
  await Promise.all(['a', 'b', 'c'].map((name) => ring.drive(steps(name, 4, told))));
  expect(told.join('')).toBe('abcabcabcabc');
});

test('between two slices the loop is free for others', async () => {
  const ring = new Ring(never);
  let looked = 0;
  const told: string[] = [];
  const look = (): void => {
    looked++;
    if (told.length < 50) setImmediate(look);
  };
  setImmediate(look);
  await ring.drive(steps('a', 50, told));
  expect(looked).toBeGreaterThanOrEqual(49);
});

test('every run ends with its own outcome, however runs wait, fail and are kept waiting', async () => {
  const act = fc.constantFrom('slice' as const, 'promise' as const, 'rejected' as const);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(act, { maxLength: 6 }), { maxLength: 6 }), fc.boolean(), async (runs, alone) => {
      const ring = new Ring(alone ? { clock: () => performance.now(), inHand: () => 0 } : never);
      function* run(acts: readonly string[], n: number): Sliced<number> {
        for (const kind of acts) {
          if (kind === 'slice') yield undefined;
          else if (kind === 'promise') yield new Promise((resolve) => setTimeout(resolve, 1));
          else yield Promise.reject(new Error(`run ${n}`));
        }
        return n;
      }
      const outcomes = await Promise.allSettled(runs.map(async (acts, n) => ring.drive(run(acts, n))));
      expect(outcomes.map((o) => (o.status === 'fulfilled' ? o.value : (o.reason as Error).message))).toEqual(
        runs.map((acts, n) => (acts.includes('rejected') ? `run ${n}` : n)),
      );
    }),
    { numRuns: 100 },
  );
});
