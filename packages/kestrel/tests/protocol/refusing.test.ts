import { expect, test } from 'vitest';
import { EngineRefusal } from '../../src/engine/index.ts';
import { refusalOf } from '../../src/protocol/index.ts';

test.each([
  ['an amount beyond what is exact', new EngineRefusal('amount-range', 'too large', { got: '1e17' }), 'too-large'],
  ['a store that cannot be written', Object.assign(new Error('full'), { code: 'unavailable' }), 'unavailable'],
  ['anything else', new Error('boom'), 'internal'],
  ['what is no error at all', undefined, 'internal'],
])('%s', (_name, thrown, code) => {
  expect(refusalOf(thrown).code).toBe(code);
});
