/**
 * The conformance suite: streams of requests that every transport answers with the same bytes. A request that needs what
 * an earlier answer gave is a function of the answers so far.
 */
import { createAgent } from '../../src/protocol/index.ts';
import { DIP, NEVER } from '../session/short-day.ts';
import { newHost, saw, sawStore } from './streams.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read deep into answers of every shape
type Answers = any[];
type Asked = (answers: Answers) => unknown;

const pass = { kind: 'pass' };
const authored = (document: string) => ({ kind: 'authored', document });
const advance = (response: unknown = pass) => ({ op: 'advance', response });
const revise = (response: unknown = pass) => ({ op: 'revise', response });
const opened = [saw() as object, { op: 'start' }];
const ID = 's-00000000000000000000000000000000';

/** The binding of the slot that an answer shows. */
const slotIn = (answer: { slot?: object; delivery?: { slot: object } }): object => answer.slot ?? answer.delivery!.slot;
const submit = (answer: number, body: unknown, more: object = {}): Asked => {
  return (answers) => ({ op: 'submit', response: { ...slotIn(answers[answer]), body, ...more } });
};
const artifact = (answer: number, kind: string): Asked => {
  return (answers) => ({ op: 'artifact', ref: answers[answer].artifacts.find((ref: string) => ref.startsWith(kind)) });
};
const operation = (key: string, more: object = {}): Asked => {
  return (answers) => ({ op: 'resumeOperation', operationId: `${answers[0].sessionId}/${key}`, ...more });
};

const DESCRIBED: Readonly<Record<string, readonly (Asked | object | string)[]>> = {
  'a whole day by hand': [
    { op: 'describe' },
    { op: 'catalog' },
    { op: 'validate', document: DIP },
    ...opened,
    revise(authored(NEVER)),
    advance(authored(DIP)),
    ...Array.from({ length: 3 }, () => advance()),
    { op: 'resume' },
    { op: 'finalize' },
    { op: 'finalize' },
    { op: 'resume', after: undefined },
  ],
  'repairs and a stand-down': [
    saw(NEVER) as object,
    { op: 'start' },
    { op: 'start' },
    advance(authored('PLAN x')),
    advance(authored('PLAN y')),
    advance(authored('PLAN z')),
    advance({ kind: 'stand-down', reason: 'enough' }),
    { op: 'finalize' },
  ],
  'a wake': [
    ...opened,
    advance(authored('VIEW v tape(5m)\nWAKE low WHEN spot < 99.85 DELIVER v budget 2 wakes/day\n')),
    advance(),
    advance(),
    { op: 'finalize' },
  ],
  'the bundled quiet day': [
    { op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'bundled:quiet-wide' } },
    { op: 'start' },
    advance(),
    { op: 'finalize' },
  ],
  'two sessions of the same pins': [
    ...opened,
    { op: 'finalize' },
    ...opened,
    advance(),
    { op: 'finalize' },
    { op: 'openSession', subject: { kind: 'session', id: ID } },
  ],
  'what references lead to': [
    saw(DIP) as object,
    { op: 'start' },
    submit(1, authored(NEVER)),
    submit(1, authored(NEVER)),
    revise(),
    submit(4, { kind: 'stand-down', reason: 'enough' }),
    { op: 'resume' },
    (answers) => ({ op: 'resume', after: answers[6].cursor }),
    advance(),
    (answers) => ({ op: 'resume', after: answers[6].cursor }),
    { op: 'finalize' },
    submit(1, authored(NEVER)),
    ...['blotter', 'proof', 'transcript', 'document', 'frame'].map((kind) => artifact(10, kind)),
    (answers) => ({ op: 'grade', blotters: [answers[0].sessionId, answers[10].artifacts[0]] }),
    operation('start'),
    operation('1'),
    operation('finalize'),
    (answers) => ({ op: 'resumeOperation', operationId: `${answers[0].sessionId}/finalize`, after: answers[6].cursor }),
    (answers) => ({ op: 'openSession', subject: { kind: 'session', id: answers[0].sessionId } }),
    { op: 'resume' },
    { op: 'finalize' },
    { op: 'start' },
  ],
  'a session taken up at its pending slot': [
    saw() as object,
    { op: 'start' },
    advance(authored(DIP)),
    { op: 'finalize' },
    saw(NEVER) as object,
    (answers) => ({ op: 'submit', response: { ...answers[1].slot, body: pass } }),
  ],
  'a different turn for a recorded slot': [
    saw() as object,
    { op: 'start' },
    advance(),
    submit(1, { kind: 'stand-down', reason: 'no' }),
  ],
  'a parent that is not the slot’s': [
    saw() as object,
    { op: 'start' },
    submit(1, pass, { parentHash: '0'.repeat(64) }),
  ],
  'a frame that is not the slot’s': [saw() as object, { op: 'start' }, submit(1, pass, { frameRoot: '0'.repeat(64) })],
  'an ordinal that is not the slot’s': [saw() as object, { op: 'start' }, submit(1, pass, { ordinal: 2 })],
  'the cursor of another session': [
    saw() as object,
    { op: 'start' },
    { op: 'resume' },
    { op: 'finalize' },
    saw() as object,
    (answers) => ({ op: 'resume', after: answers[2].cursor }),
  ],
  'an unfinished session that is to be graded': [
    saw() as object,
    { op: 'start' },
    (answers) => ({ op: 'grade', blotters: [answers[0].sessionId] }),
  ],
  'a document of another name': [...opened, { op: 'advance', response: { kind: 'authored', text: DIP } }],
  'a bare subject': [{ op: 'openSession', subject: 'choppy-1101-strict' }],
  'a source with an error': [saw('PLAN x') as object],
  'a document beside a dataset': [{ ...(saw() as object), document: '' }],
  'a local catalog subject with a document that it ignores': [
    { op: 'openSession', subject: { kind: 'catalog', id: 'half-day-strict' }, document: 'PLAN' },
    { op: 'start' },
  ],
  'a null cursor': [saw() as object, { op: 'resume', after: null }],
  'sixteen turns at one instant': [...opened, ...Array.from({ length: 16 }, () => revise()), { op: 'finalize' }],
  'after the close': [...opened, ...Array.from({ length: 12 }, () => advance())],
  'a broken line': [{ op: 'catalog' }, '{"op":"start"', { op: 'catalog' }],
  'an unknown op': [{ op: 'open' }],
  'no op': [{}],
  'a view that is asked for': [...opened, { op: 'advance', response: pass, view: 'wide' }],
  'no session': [{ op: 'finalize' }],
  'a session too many': [...opened, saw() as object],
  'before start': [saw() as object, advance()],
  'after finalize': [...opened, { op: 'finalize' }, advance()],
  'a slot that is not there': [
    ...opened,
    { op: 'submit', response: { sessionId: ID, ordinal: 1, parentHash: '', frameRoot: '', body: pass } },
  ],
  'a subject that is not there': [{ op: 'openSession', subject: { kind: 'catalog', id: 'trend-up' } }],
  'a dataset that is not there': [{ op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'sow' } }],
  'a reference that is not there': [{ op: 'artifact', ref: 'frame:0' }],
  'an operation that is not there': [{ op: 'resumeOperation', operationId: `${ID}/start` }],
  'a cursor of nobody': [saw() as object, { op: 'resume', after: { sequence: 1, token: 'x' } }],
  'blotters of nobody': [{ op: 'grade', blotters: [ID] }],
};

export const CONVERSATIONS: readonly string[] = Object.keys(DESCRIBED);

const resolved = new Map<string, readonly unknown[]>();

/** The requests of a conversation, with what a handler in this process answered in their places. */
export function requestsOf(name: string): readonly unknown[] {
  let requests = resolved.get(name);
  if (requests === undefined) {
    const agent = createAgent(newHost(sawStore()));
    const answers: Answers = [];
    requests = DESCRIBED[name]!.map((asked) => {
      const request = typeof asked === 'function' ? asked(answers) : asked;
      const outcome = agent.handle(typeof request === 'string' ? request : JSON.stringify(request));
      answers.push(outcome.kind === 'response' ? JSON.parse(outcome.line).value : undefined);
      return request;
    });
    resolved.set(name, requests);
  }
  return requests;
}

export const textOf = (requests: readonly unknown[]): string =>
  `${requests.map((request) => (typeof request === 'string' ? request : JSON.stringify(request))).join('\n')}\n`;
