import { expect, test } from 'vitest';
import { speak } from './streams.ts';

test('the minimal session runs as it is printed', () => {
  const { out, err } = speak([
    { op: 'describe' },
    { op: 'catalog' },
    { op: 'openSession', subject: { kind: 'catalog', id: 'choppy-1101-strict' } },
    { op: 'start' },
    { op: 'advance', response: { kind: 'pass' } },
    { op: 'finalize' },
  ]);
  expect(err).toEqual([]);
  const answers = out.map((line) => JSON.parse(line));
  expect(answers.map(({ v, kind }) => [v, kind])).toEqual(
    ['describe', 'catalog', 'openSession', 'start', 'advance', 'finalize'].map((kind) => ['kestrel.agent/v1', kind]),
  );
  console.log(
    out
      .slice(2)
      .map((x) => x.slice(0, 1500))
      .join('\n\n'),
  );
});
