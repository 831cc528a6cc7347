/** The conformance suite: streams of requests that every transport answers with the same bytes. */
import { DIP, NEVER } from '../session/short-day.ts';
import { saw } from './streams.ts';

const pass = { kind: 'pass' };
const authored = (document: string) => ({ kind: 'authored', document });
const advance = (response: unknown = pass) => ({ op: 'advance', response });
const revise = (response: unknown = pass) => ({ op: 'revise', response });
const opened = [saw(), { op: 'start' }];
const ID = 's-00000000000000000000000000000000';

export const CONVERSATIONS: Readonly<Record<string, readonly unknown[]>> = {
  'a whole day by hand': [
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
    saw(NEVER),
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
  'a broken line': [{ op: 'catalog' }, '{"op":"start"', { op: 'catalog' }],
  'an unknown op': [{ op: 'open' }],
  'no op': [{}],
  'a view that is asked for': [...opened, { op: 'advance', response: pass, view: 'wide' }],
  'no session': [{ op: 'finalize' }],
  'a session too many': [...opened, saw()],
  'before start': [saw(), advance()],
  'after finalize': [...opened, { op: 'finalize' }, advance()],
  'a slot that is not there': [
    ...opened,
    { op: 'submit', response: { sessionId: ID, ordinal: 1, parentHash: '', frameRoot: '', body: pass } },
  ],
  'a subject that is not there': [{ op: 'openSession', subject: { kind: 'catalog', id: 'trend-up' } }],
  'a dataset that is not there': [{ op: 'openSession', subject: { kind: 'dataset', source: '', dataset: 'sow' } }],
  'a reference that is not there': [{ op: 'artifact', ref: 'frame:0' }],
  'an operation that is not there': [{ op: 'resumeOperation', operationId: `${ID}/start` }],
  'a cursor of nobody': [saw(), { op: 'resume', after: { sequence: 1, token: 'x' } }],
  'blotters of nobody': [{ op: 'grade', blotters: [ID] }],
};

export const textOf = (requests: readonly unknown[]): string =>
  `${requests.map((request) => (typeof request === 'string' ? request : JSON.stringify(request))).join('\n')}\n`;
