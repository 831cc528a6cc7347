/** Bodies out of the pool: what arrives is what is read, and buffers are used again without mixing. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivingBody, BodyPool } from '../../src/wire/body.ts';

test('in pieces of any size, declared or not, beside others on one pool', () => {
  const pieces = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.tuple(pieces, fc.boolean()), { minLength: 1, maxLength: 6 }), (bodies) => {
      const pool = new BodyPool();
      for (let round = 0; round < 2; round++) {
        const arriving = bodies.map(([sizes, isDeclared], n) => {
          const sent = sizes.map((size, i) => Buffer.alloc(size, 1 + ((n * 31 + i * 7 + round) % 250)));
          const whole = Buffer.concat(sent);
          return { sent, whole, body: new ArrivingBody(isDeclared ? whole.length : 0, pool) };
        });
        for (let i = 0; i < 12; i++) {
          for (const { sent, body } of arriving) {
            const piece = sent[i];
            if (piece !== undefined) body.add(piece);
          }
        }
        for (const { whole, body } of arriving) {
          expect(body.length).toBe(whole.length);
          expect(body.bytes.equals(whole)).toBe(true);
        }
        for (const { body } of arriving) body.done();
      }
    }),
    { numRuns: 60 },
  );
});

test('a buffer given back is taken again, small ones are not kept, and only so many bytes are', () => {
  const pool = new BodyPool();
  const first = pool.take(1_000_000);
  expect(first.length).toBeGreaterThanOrEqual(1_000_000);
  expect(first.length).toBeLessThanOrEqual(1_250_000);
  pool.give(first);
  expect(pool.take(1_000_000)).toBe(first);
  expect(pool.take(1_000_000)).not.toBe(first);
  const small = pool.take(100);
  pool.give(small);
  expect(pool.take(100)).not.toBe(small);
  const many = Array.from({ length: 40 }, () => pool.take(1024 * 1024));
  for (const buffer of many) pool.give(buffer);
  const again = new Set(Array.from({ length: 40 }, () => pool.take(1024 * 1024)));
  expect(many.filter((buffer) => again.has(buffer))).toHaveLength(32);
});

test('a length that is promised and not sent takes no more than 128 KiB', () => {
  const pool = new BodyPool();
  const body = new ArrivingBody(16 * 1024 * 1024, pool);
  body.add(Buffer.from('x'));
  expect(body.bytes.buffer.byteLength).toBeLessThanOrEqual(128 * 1024);
});

test('done twice gives back once', () => {
  const pool = new BodyPool();
  const body = new ArrivingBody(200_000, pool);
  body.add(Buffer.alloc(100_000, 1));
  body.add(Buffer.alloc(100_000, 2));
  body.done();
  body.done();
  expect(body.bytes).toHaveLength(0);
  expect(pool.take(200_000)).not.toBe(pool.take(200_000));
});
