/** Large bodies are read in turns of the loop: in order, with everything else between them. */
import { expect, test } from 'vitest';
import { LAST, makeTurns } from '../../src/wire/turns.ts';

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

function source(log: string[], name: string, order = 0) {
  return { order, pause: () => log.push(`pause ${name}`), resume: () => log.push(`resume ${name}`) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('who takes more than a turn has is paused, and goes on in order, some each turn', async () => {
  const turns = makeTurns();
  const log: string[] = [];
  turns.took(source(log, 'small'), 1_000);
  expect(log).toEqual([]);
  turns.took(source(log, 'first'), 2 ** 20);
  for (let i = 0; i < 20; i++) turns.took(source(log, String(i)), 1);
  expect(log.filter((line) => line.startsWith('pause'))).toHaveLength(21);
  await turn();
  expect(log.filter((line) => line.startsWith('resume'))).toEqual([
    'resume first',
    ...Array.from({ length: 15 }, (_, i) => `resume ${i}`),
  ]);
  await turn();
  expect(log.filter((line) => line.startsWith('resume'))).toHaveLength(21);
});

test('the bodies that began first go on first', async () => {
  const turns = makeTurns();
  const log: string[] = [];
  for (let i = 0; i < 40; i++) turns.took(source(log, String(i), 100 - i), 2 ** 20);
  turns.took(source(log, 'last', LAST), 1);
  turns.took(source(log, 'last', LAST), 1);
  for (let i = 0; i < 3; i++) await turn();
  expect(log.filter((line) => line.startsWith('resume'))).toEqual([
    ...Array.from({ length: 40 }, (_, i) => `resume ${39 - i}`),
    'resume last',
    'resume last',
  ]);
});

test('while connections come in, work waits for them, and no longer than 50 ms', async () => {
  let ms = 0;
  const turns = makeTurns(() => ms);
  void turns.run(() => {
    ms += 6;
  });
  let isDone = false;
  void turns.run(() => {
    isDone = true;
  });
  const seen: boolean[] = [];
  for (let i = 0; i < 12; i++) {
    turns.arrived();
    await turn();
    seen.push(isDone);
    ms += 8;
  }
  expect(seen.indexOf(true)).toBeGreaterThan(2);
  expect(seen.indexOf(true)).toBeLessThan(8);
});
