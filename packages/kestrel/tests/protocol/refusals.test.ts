import { describe, expect, test } from 'vitest';
import { REFUSALS } from '../../src/protocol/index.ts';
import { type Disk, memoryDisk, Store, StoreFault } from '../../src/store/index.ts';
import { NEVER } from '../session/short-day.ts';
import { memoryStore, newHost, saw, sawStore, speak } from './streams.ts';

const onSaw = () => newHost(sawStore());

/** The refusal that a stream ends with, and how many answers came before it. */
function refusal(requests: readonly unknown[], host = onSaw()) {
  const { out, err } = speak(requests, host);
  expect(err).toHaveLength(1);
  const { v, refusal } = JSON.parse(err[0]!);
  expect(v).toBe('kestrel.agent/v1');
  expect(refusal.line).toBe(out.length + 1);
  return refusal;
}

const start = [saw(), { op: 'start' }];
const advance = { op: 'advance', response: { kind: 'pass' } };
const SUBJECT =
  '{ kind: "catalog", id: string } | { kind: "dataset", source: string, dataset: string } | { kind: "session", id: string }';
const RESPONSE = '{ kind: "authored", document: string } | { kind: "pass" } | { kind: "stand-down", reason: string }';

describe('bad-json', () => {
  test.each([
    ['a cut line', '{"op":"cata'],
    ['two objects', '{"op":"catalog"}{}'],
    ['an array', '[]'],
    ['a text', '"catalog"'],
    ['a name twice', '{"op":"catalog","op":"describe"}'],
    ['a lone surrogate', '{"op":"\\ud800"}'],
    ['a number beyond a double', '{"op":"catalog","x":1e999}'],
    ['deep nesting', `{"op":"catalog","x":${'['.repeat(100_000)}`],
    ['NaN', '{"op":"catalog","x":NaN}'],
    ['a control character', '{"op":"cat\u0001alog"}'],
  ])('%s', (_name, line) => {
    expect(refusal([line])).toMatchObject({ code: 'bad-json', op: null, expected: expect.any(String) });
  });

  test('64 levels are read, 65 are not', () => {
    const nested = (levels: number) =>
      `{"op":"validate","document":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(refusal([nested(64)])).toMatchObject({ code: 'bad-arg', path: 'document' });
    expect(refusal([nested(65)])).toMatchObject({ code: 'bad-json' });
  });
});

test.each<[string, unknown[], Record<string, unknown>]>([
  [
    'an op that is not there',
    [{ op: 'desribe' }],
    { code: 'unknown-op', op: null, got: 'desribe', message: expect.stringContaining('describe') },
  ],
  ['an op named like a method of objects', [{ op: '__proto__' }], { code: 'unknown-op' }],
  ['no op', [{}], { code: 'bad-arg', path: 'op', op: null, got: 'nothing' }],
  ['an op that is no text', [{ op: 7 }], { code: 'bad-arg', path: 'op', got: '7' }],
  [
    'a field that is not known',
    [{ op: 'catalog', view: 'wide' }],
    { code: 'bad-arg', path: 'view', got: '"wide"', expected: '{}' },
  ],
  ['a seat', [{ ...(saw() as object), seat: 'trader' }], { code: 'bad-arg', path: 'seat', op: 'openSession' }],
  ['a field named __proto__', ['{"op":"catalog","__proto__":1}'], { code: 'bad-arg', path: '__proto__' }],
  [
    'a document that is missing',
    [{ op: 'validate' }],
    { code: 'bad-arg', path: 'document', expected: 'string', got: 'nothing' },
  ],
  [
    'a bare subject',
    [{ op: 'openSession', subject: 'choppy-1101-strict' }],
    { code: 'bad-arg', path: 'subject', expected: SUBJECT, got: '"choppy-1101-strict"' },
  ],
  [
    'a subject of no kind',
    [{ op: 'openSession', subject: { id: 'x' } }],
    { code: 'bad-arg', path: 'subject.kind', expected: SUBJECT, got: 'nothing' },
  ],
  [
    'a subject of another kind',
    [{ op: 'openSession', subject: { kind: 'tape' } }],
    { code: 'bad-arg', path: 'subject.kind', got: '"tape"' },
  ],
  ['a document beside a dataset', [{ ...(saw() as object), document: '' }], { code: 'bad-arg', path: 'document' }],
  [
    'a source with an error',
    [saw('PLAN x')],
    { code: 'bad-arg', path: 'subject.source', got: expect.stringContaining('K0') },
  ],
  [
    'a subject that is not in the catalog',
    [{ op: 'openSession', subject: { kind: 'catalog', id: 'choppy-1101' } }],
    {
      code: 'unknown-subject',
      path: 'subject.id',
      got: 'choppy-1101',
      message: expect.stringContaining('choppy-1101-strict'),
    },
  ],
  [
    'a session that is not there',
    [{ op: 'openSession', subject: { kind: 'session', id: '../../etc/passwd' } }],
    { code: 'unknown-subject', path: 'subject.id' },
  ],
  [
    'a dataset that is not there',
    [{ op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'sawn' } }],
    {
      code: 'unknown-dataset',
      path: 'subject.dataset',
      got: 'sawn',
      message: expect.stringContaining('nearest is saw'),
    },
  ],
  [
    'a dataset named like a method',
    [{ op: 'openSession', subject: { kind: 'dataset', source: '', dataset: '__proto__' } }],
    { code: 'unknown-dataset' },
  ],
  ['start without a session', [{ op: 'start' }], { code: 'no-session', op: 'start' }],
  ['advance without a session or a response', [{ op: 'advance' }], { code: 'no-session', op: 'advance' }],
  ['two sessions at once', [saw(), saw()], { code: 'session-open', op: 'openSession' }],
  ['advance before start', [saw(), advance], { code: 'not-started', op: 'advance' }],
  ['finalize before start', [saw(), { op: 'finalize' }], { code: 'not-started', op: 'finalize' }],
  ['advance after finalize', [...start, { op: 'finalize' }, advance], { code: 'session-finalized' }],
  ['start after finalize', [...start, { op: 'finalize' }, { op: 'start' }], { code: 'session-finalized' }],
  [
    'a body under another name',
    [...start, { op: 'advance', response: { kind: 'authored', text: 'PLAN' } }],
    { code: 'bad-arg', path: 'response.text', expected: RESPONSE, got: '"PLAN"' },
  ],
  [
    'a response of no kind',
    [...start, { op: 'advance', response: {} }],
    { code: 'bad-arg', path: 'response.kind', expected: RESPONSE },
  ],
  [
    'stand-down without a reason',
    [...start, { op: 'revise', response: { kind: 'stand-down' } }],
    { code: 'bad-arg', path: 'response.reason' },
  ],
  [
    'pass with a document',
    [...start, { op: 'advance', response: { kind: 'pass', document: '' } }],
    { code: 'bad-arg', path: 'response.document' },
  ],
  [
    'a submit whose body is misshapen',
    [
      ...start,
      { op: 'submit', response: { sessionId: '', ordinal: 1, parentHash: '', frameRoot: '', body: { kind: 'x' } } },
    ],
    { code: 'bad-arg', path: 'response.body.kind' },
  ],
  ['a null cursor', [saw(), { op: 'resume', after: null }], { code: 'bad-arg', path: 'after', got: 'null' }],
  [
    'a negative cursor',
    [saw(), { op: 'resume', after: { sequence: -1, token: '' } }],
    { code: 'bad-arg', path: 'after.sequence', got: '-1' },
  ],
  [
    'a fractional cursor',
    [saw(), { op: 'resume', after: { sequence: 0.5, token: '' } }],
    { code: 'bad-arg', path: 'after.sequence' },
  ],
  [
    'a cursor that was never given',
    [saw(), { op: 'resume', after: { sequence: 1, token: '0' } }],
    { code: 'stale-cursor', path: 'after' },
  ],
  ['a cursor past the end', [saw(), { op: 'resume', after: { sequence: 99, token: '0' } }], { code: 'stale-cursor' }],
  [
    'an artifact that is not there',
    [{ op: 'artifact', ref: `blotter:${'0'.repeat(64)}` }],
    { code: 'unknown-ref', path: 'ref' },
  ],
  ['an artifact of no kind', [{ op: 'artifact', ref: '../x' }], { code: 'unknown-ref', path: 'ref', got: '../x' }],
  ['no blotters', [{ op: 'grade', blotters: [] }], { code: 'bad-arg', path: 'blotters' }],
  ['a blotter that is no text', [{ op: 'grade', blotters: [1] }], { code: 'bad-arg', path: 'blotters[0]', got: '1' }],
  [
    'a blotter that is not there',
    [{ op: 'grade', blotters: ['s-1'] }],
    { code: 'unknown-ref', path: 'blotters[0]', got: 's-1' },
  ],
  [
    'an operation that is not there',
    [{ op: 'resumeOperation', operationId: 'x/start' }],
    { code: 'unknown-operation', path: 'operationId' },
  ],
])('%s', (_name, requests, expected) => {
  expect(refusal(requests)).toMatchObject(expected);
});

test('a source that only the engine refuses is a misshapen argument, and in a turn a diagnostic', () => {
  const elsewhere = 'USING signal OIL exec OIL\nVIEW v plans\nWAKE w WHEN spot > 1 DELIVER v\n';
  expect(refusal([saw(elsewhere)])).toMatchObject({ code: 'bad-arg', path: 'subject.source' });
  const { out } = speak([...start, { op: 'advance', response: { kind: 'authored', document: elsewhere } }], onSaw());
  const { turn } = JSON.parse(out[2]!).value;
  expect([turn.verdict, turn.diagnostics.at(-1).code]).toEqual(['refused', 'not-supported']);
});

test('an unfinished session cannot be graded', () => {
  const host = onSaw();
  const { out } = speak(start, host);
  const { sessionId } = JSON.parse(out[0]!).value;
  expect(refusal([{ op: 'grade', blotters: [sessionId] }], host)).toMatchObject({ code: 'unknown-ref' });
});

test('a managed catalog subject needs a document, and pins it in the place of the strategy', () => {
  const managed = newHost(memoryStore(), { mode: 'managed' });
  const subject = { kind: 'catalog', id: 'choppy-1101-strict' };
  expect(refusal([{ op: 'openSession', subject }], managed)).toMatchObject({
    code: 'document-required',
    path: 'document',
  });
  expect(refusal([{ op: 'openSession', subject, document: 'PLAN x' }], managed)).toMatchObject({
    code: 'bad-arg',
    path: 'document',
  });
  const { out } = speak([{ op: 'openSession', subject, document: '' }, { op: 'start' }], managed);
  expect(JSON.parse(out[1]!).value.frame.plans).toEqual([]);
});

test('a local catalog subject carries its strategy and ignores the document', () => {
  const subject = { kind: 'catalog', id: 'choppy-1101-strict' };
  const [a, b] = [
    speak([{ op: 'openSession', subject, document: 'PLAN nonsense' }, { op: 'start' }]),
    speak([{ op: 'openSession', subject }, { op: 'start' }]),
  ];
  expect(a).toEqual(b);
});

test('a quota that is used up opens nothing, and its answer is flat', () => {
  const payment = { kind: 'quota', resource: 'sessions', used: 1, limit: 1, how: 'wait' } as const;
  const host = newHost(sawStore(), { gate: () => payment });
  const { out, err } = speak([saw(), { op: 'start' }], host);
  expect(JSON.parse(out[0]!).value).toEqual({ gated: true, payment });
  expect(JSON.parse(err[0]!).refusal.code).toBe('no-session');
});

describe('a store that cannot be written', () => {
  const full = (): Disk => ({
    ...memoryDisk(),
    append() {
      throw new StoreFault('append', { code: 'ENOSPC' });
    },
  });
  const host = () => newHost(new Store({ disk: full(), root: 'home', writer: 'x' }));

  test('refuses what needs it', () => {
    const subject = { kind: 'dataset', source: '', dataset: 'bundled:quiet-wide' };
    expect(refusal([{ op: 'openSession', subject }], host())).toMatchObject({ code: 'unavailable', got: 'ENOSPC' });
  });

  test('leaves describe, catalog and validate alone', () => {
    const { err } = speak([{ op: 'describe' }, { op: 'catalog' }, { op: 'validate', document: '' }], host());
    expect(err).toEqual([]);
  });
});

test('a refusal lists as many datasets as a line should, and names the nearest of all', () => {
  const store = sawStore();
  for (let i = 0; i < 60; i++) sawStore(store, { name: `day-${String(i).padStart(2, '0')}` });
  const ask = { op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'sawn' } };
  const { expected, message } = refusal([ask], newHost(store));
  expect(message).toContain('nearest is saw');
  expect(expected).toMatch(/^day-00 \| .* \| … \(\d+ more\)$/);
  expect(expected.length).toBeLessThan(600);
});

test('a dataset whose fees do not know its day is refused at its fees, not at the source', () => {
  const store = sawStore(memoryStore(), { fees: 'us-cents-v9' });
  expect(refusal([saw(NEVER)], newHost(store))).toMatchObject({
    code: 'bad-arg',
    op: 'openSession',
    path: 'subject.fees',
    got: 'us-cents-v9',
    expected: expect.stringContaining('us-equity-v1'),
  });
});

test('the codes and their exit statuses are these', () => {
  expect(Object.entries(REFUSALS).map(([code, { exit }]) => `${code} ${exit}`)).toEqual([
    'bad-json 2',
    'unknown-op 2',
    'bad-arg 2',
    'no-session 2',
    'session-open 2',
    'session-finalized 2',
    'not-started 2',
    'unknown-subject 2',
    'unknown-dataset 2',
    'unknown-ref 2',
    'unknown-operation 2',
    'document-required 2',
    'slot-mismatch 2',
    'stale-cursor 2',
    'too-large 2',
    'unavailable 4',
    'internal 1',
  ]);
});
