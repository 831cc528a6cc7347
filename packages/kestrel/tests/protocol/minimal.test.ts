import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { described, OP_NAMES } from '../../src/protocol/index.ts';
import { DESCRIBED } from '../../src/protocol/light.ts';
import { speak } from './streams.ts';

const MINIMAL = [
  { op: 'describe' },
  { op: 'catalog' },
  { op: 'openSession', subject: { kind: 'catalog', id: 'choppy-1101-strict' } },
  { op: 'start' },
  { op: 'advance', response: { kind: 'pass' } },
  { op: 'finalize' },
];

test('the minimal session runs as it is printed, and every value has the shape that describe gives', () => {
  const { out, err } = speak(MINIMAL);
  expect(err).toEqual([]);
  const answers = out.map((line) => JSON.parse(line));
  expect(answers.map(({ v, kind }) => `${v} ${kind}`)).toEqual(MINIMAL.map(({ op }) => `kestrel.agent/v1 ${op}`));
  const ajv = new Ajv2020({ strict: false });
  const { ops } = answers[0].value;
  for (const { kind, value } of answers) {
    const { emitsSchema } = ops.find(({ op }: { op: string }) => op === kind);
    expect([kind, ajv.validate(emitsSchema, value), ajv.errorsText()]).toEqual([kind, true, 'No errors']);
  }
});

test('the ops are these, in this order', () => {
  expect(OP_NAMES).toEqual([
    'describe',
    'catalog',
    'validate',
    'openSession',
    'start',
    'advance',
    'revise',
    'submit',
    'resume',
    'finalize',
    'grade',
    'artifact',
    'resumeOperation',
  ]);
});

test('what describe answers is what the ops accept', () => {
  expect(JSON.parse(DESCRIBED)).toEqual(JSON.parse(JSON.stringify(described())));
});

test('the handler of the early answer loads no schema', () => {
  const source = new URL('../../src/protocol/light.ts', import.meta.url);
  const seen = new Set<string>();
  const visit = (url: URL): void => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    for (const [, path] of readFileSync(url, 'utf8').matchAll(/from '(\.[^']+)'/g)) visit(new URL(path!, url));
  };
  visit(source);
  expect([...seen].filter((href) => /from 'zod'/.test(readFileSync(new URL(href), 'utf8')))).toEqual([]);
});
