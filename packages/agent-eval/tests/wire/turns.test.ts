/** Large bodies are read in turns of the loop: in order, with everything else between them. */
import { expect, test } from 'vitest';
import { makeTurns } from '../../src/wire/turns.ts';

function burn(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('in order, and the loop turns between slices', async () => {
  const turns = makeTurns();
  const order: number[] = [];
  let between = 0;
  let isRunning = true;
  const tick = (): void => {
    between++;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      turns.run(() => {
        burn(4);
        order.push(i);
      }),
    ),
  );
  isRunning = false;
  expect(order).toEqual(Array.from({ length: 30 }, (_, i) => i));
  // 30 × 4 ms in slices of 10 ms, the last piece of which may overrun.
  expect(between).toBeGreaterThanOrEqual(8);
});

test('what fits into a turn is done at once; an error is the caller’s alone', async () => {
  const turns = makeTurns();
  let isDone = false;
  const first = turns.run(() => {
    isDone = true;
    return 5;
  });
  expect(isDone).toBe(true);
  expect(await first).toBe(5);
  burn(0);
  const broken = turns.run(() => {
    burn(11);
    throw new Error('mine');
  });
  const next = turns.run(() => 6);
  await expect(broken).rejects.toThrow('mine');
  expect(await next).toBe(6);
});
