/** Long runs share the thread: nobody starves, nobody is lost, and what waits for another thread stands aside. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../../src/protocol/index.ts';
import type { Sliced } from '../../src/session/index.ts';

const clock = () => performance.now();
/** Others always wait. */
const never = { clock, inHand: () => 1_000 };

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

/** Slices that each take a fifth of a millisecond. */
function* slow(n: number): Sliced<number> {
  for (let i = 0; i < n; i++) {
    for (const begun = clock(); clock() - begun < 0.2; );
    yield undefined;
  }
  return n;
}

test.each([
  ['while others wait, long runs leave most of the time to them', 1_000, 0.5],
  ['alone, a long run still lets the loop go round', 0, 1],
])('%s', async (_name, inHand, share) => {
  const ring = new Ring({ clock, inHand: () => inHand });
  let looks = 0;
  let isRunning = true;
  const look = (): void => {
    looks++;
    if (isRunning) setImmediate(look);
  };
  setImmediate(look);
  const begun = clock();
  await ring.drive(slow(100));
  isRunning = false;
  const took = clock() - begun;
  expect(looks).toBeGreaterThan(5);
  // 100 slices are 20 ms of work; a machine that is busy elsewhere only makes it longer.
  expect(took).toBeGreaterThanOrEqual(20 / share);
});

test('every run ends with its own outcome, however runs wait, fail and are kept waiting', async () => {
  const act = fc.constantFrom('slice' as const, 'promise' as const, 'rejected' as const);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(act, { maxLength: 6 }), { maxLength: 6 }), fc.boolean(), async (runs, alone) => {
      const ring = new Ring(alone ? { clock, inHand: () => 0 } : never);
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
