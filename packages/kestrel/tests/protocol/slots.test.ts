import { hashOf } from 'ground/digest';
import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/protocol/index.ts';
import { DIP, NEVER } from '../session/short-day.ts';
import { ask, newHost, pass, saw, sawStore } from './streams.ts';

const hostOnSaw = (more = {}) => newHost(sawStore(undefined, more));
const started = (source = '', more = {}) => {
  const agent = createAgent(hostOnSaw(more));
  const { sessionId } = ask(agent, saw(source));
  return { agent, sessionId, delivery: ask(agent, { op: 'start' }) };
};
const authored = (document: string) => ({ kind: 'authored', document });

describe('deliveries', () => {
  test('come at the open, at checkpoints and before the close, then the session ends', () => {
    const { agent, delivery } = started();
    const seen = [[delivery.why, delivery.frame.clock]];
    let answer = ask(agent, { op: 'advance', response: pass });
    while (answer.state === 'pending') {
      seen.push([answer.delivery.why, answer.delivery.frame.clock]);
      answer = ask(agent, { op: 'advance', response: pass });
    }
    expect(seen).toEqual([
      ['open', '09:30:00'],
      ['checkpoint', '10:00:00'],
      ['checkpoint', '10:30:00'],
      ['checkpoint', '11:00:00'],
      ['close', '11:20:00'],
    ]);
    expect(answer).toMatchObject({ state: 'ended', reason: 'close', turn: { ordinal: 5, verdict: 'passed' } });
    expect(() => ask(agent, { op: 'advance', response: pass })).toThrow(/close/);
    const finalized = ask(agent, { op: 'finalize' });
    expect(finalized).toEqual(ask(agent, { op: 'finalize' }));
  });

  test('a fill and a plan that ends wake the author', () => {
    const { agent } = started();
    const whys: string[] = [];
    let answer = ask(agent, { op: 'advance', response: authored(DIP) });
    expect(answer.turn).toMatchObject({ verdict: 'armed', plans: ['dip'], diagnostics: [] });
    while (answer.state === 'pending') {
      whys.push(answer.delivery.why);
      answer = ask(agent, { op: 'advance', response: pass });
    }
    expect(whys).toContain('fill');
    const { blotter } = ask(agent, { op: 'finalize' });
    expect(blotter.plans[0]).toMatchObject({ name: 'dip', state: 'done', reason: 'closed' });
    const { events } = ask(agent, { op: 'resume' });
    const fills = events.filter((e: { kind: string }) => e.kind === 'session/fill');
    expect(fills.map((e: { value: { plan: string; side: string } }) => [e.value.plan, e.value.side])).toEqual([
      ['dip', 'buy'],
      ['dip', 'sell'],
    ]);
    expect(events.map((e: { sequence: number }) => e.sequence)).toEqual(events.map((_: unknown, i: number) => i + 1));
  });

  test('a WAKE delivers by its name', () => {
    const { agent } = started();
    const document = 'VIEW v tape(5m)\nWAKE low WHEN spot < 99.85 DELIVER v budget 2 wakes/day cooldown 10m\n';
    const answer = ask(agent, { op: 'advance', response: authored(document) });
    expect(answer.turn).toMatchObject({ verdict: 'armed', plans: [], diagnostics: [] });
    expect(answer.delivery).toMatchObject({ why: 'wake', wake: 'low', frame: { why: 'wake', wake: 'low' } });
    expect(answer.delivery.frame.kernel.wakesLeft).toEqual({ low: 1 });
  });
});

describe('answers', () => {
  test('revise arms and leaves the clock; the fresh slot shows what is arming', () => {
    const { agent, delivery } = started();
    const answer = ask(agent, { op: 'revise', response: authored(NEVER) });
    expect(answer.delivery).toMatchObject({
      why: 'open',
      repairsLeft: 2,
      slot: { ordinal: 2, parentHash: answer.turn.hash },
    });
    expect(answer.delivery.frame.t).toBe(delivery.frame.t);
    expect(answer.delivery.frame.plans).toMatchObject([{ name: 'never', state: 'dormant', arming: true }]);
    expect(answer.delivery.slot.frameRoot).toBe(hashOf(answer.delivery.frame));
  });

  test('a refused document arms nothing, may be repaired twice, then stands down and the clock runs', () => {
    const { agent, delivery } = started(NEVER);
    const bad = authored('PLAN x budget 0.1R ttl 11:00\n  DO buy 1 shares @ mid\n');
    const first = ask(agent, { op: 'revise', response: bad });
    expect(first.turn.verdict).toBe('refused');
    expect(first.turn.diagnostics.map((d: { code: string }) => d.code)).toContain('K040');
    expect(first.delivery).toMatchObject({ repairsLeft: 1, why: 'open', slot: { ordinal: 2 } });
    expect(first.delivery.slot.frameRoot).toBe(delivery.slot.frameRoot);
    const second = ask(agent, { op: 'advance', response: bad });
    expect(second.delivery).toMatchObject({ repairsLeft: 0, slot: { ordinal: 3 } });
    const third = ask(agent, { op: 'revise', response: bad });
    expect(third.turn.verdict).toBe('refused');
    expect(third.delivery.frame.t).toBeGreaterThan(delivery.frame.t);
    expect(third.delivery.repairsLeft).toBe(2);
    expect(third.delivery.frame.plans).toMatchObject([{ name: 'never', state: 'done' }]);
  });

  test('the sixteenth turn of an instant runs the clock', () => {
    const { agent, delivery } = started();
    const at: number[] = [];
    for (let i = 0; i < 16; i++) at.push(ask(agent, { op: 'revise', response: pass }).delivery.frame.t);
    expect(new Set(at.slice(0, 15))).toEqual(new Set([delivery.frame.t]));
    expect(at[15]).toBeGreaterThan(delivery.frame.t);
  });

  test('stand-down disarms what has not fired, after the thinking time', () => {
    const { agent } = started(NEVER);
    const answer = ask(agent, { op: 'advance', response: { kind: 'stand-down', reason: 'nothing to do' } });
    expect(answer.turn.verdict).toBe('stood-down');
    expect(answer.delivery.frame.plans).toMatchObject([{ name: 'never', state: 'done' }]);
  });

  test('a later document replaces a plan that has not fired, and may not take the name of one that has', () => {
    const { agent } = started(NEVER);
    const again = ask(agent, { op: 'revise', response: authored(NEVER.replace('200', '300')) });
    expect(again.turn).toMatchObject({ verdict: 'armed', plans: ['never'] });
    expect(again.delivery.frame.plans).toMatchObject([{ name: 'never', state: 'dormant', arming: true }]);
    let answer = ask(agent, { op: 'advance', response: authored(DIP) });
    while (
      !answer.delivery.frame.plans.some(
        (p: { name: string; state: string }) => p.name === 'dip' && p.state !== 'armed' && p.state !== 'dormant',
      )
    ) {
      answer = ask(agent, { op: 'advance', response: pass });
    }
    const refused = ask(agent, { op: 'revise', response: authored(DIP) });
    expect(refused.turn.verdict).toBe('refused');
    expect(refused.turn.diagnostics.map((d: { code: string }) => d.code)).toEqual(['K010']);
  });

  test('an empty document is armed and holds no plans', () => {
    const { agent } = started();
    expect(ask(agent, { op: 'advance', response: authored('') }).turn).toMatchObject({ verdict: 'armed', plans: [] });
  });
});

describe('submit', () => {
  const bound = (sessionId: string, { slot }: { slot: Record<string, unknown> }, body: unknown = pass) => ({
    op: 'submit',
    response: { sessionId, ordinal: slot.ordinal, parentHash: slot.parentHash, frameRoot: slot.frameRoot, body },
  });

  test('is advance with its binding, and the same turn again gets the same answer', () => {
    const host = hostOnSaw();
    const agent = createAgent(host);
    const { sessionId } = ask(agent, saw());
    const delivery = ask(agent, { op: 'start' });
    const request = bound(sessionId, delivery);
    const first = agent.handle(JSON.stringify(request));
    expect(agent.handle(JSON.stringify(request))).toEqual(first);
    ask(agent, { op: 'finalize' });
    expect(agent.handle(JSON.stringify(request))).toEqual(first);
    const other = createAgent(newHost(host.store()));
    ask(other, { op: 'openSession', subject: { kind: 'session', id: sessionId } });
    expect(other.handle(JSON.stringify(request))).toEqual(first);
  });

  test.each([
    ['ordinal', 7],
    ['parentHash', 'f'.repeat(64)],
    ['frameRoot', 'f'.repeat(64)],
    ['sessionId', 's-0'],
  ])('a wrong %s is a slot mismatch that says so', (field, value) => {
    const { agent, sessionId, delivery } = started();
    const request = bound(sessionId, delivery);
    const outcome = agent.handle(JSON.stringify({ ...request, response: { ...request.response, [field]: value } }));
    expect(outcome).toMatchObject({
      kind: 'refusal',
      refusal: { code: 'slot-mismatch', shape: { path: `response.${field}` } },
    });
  });

  test('a different turn for a recorded ordinal is a slot mismatch', () => {
    const { agent, sessionId, delivery } = started();
    ask(agent, bound(sessionId, delivery));
    const outcome = agent.handle(JSON.stringify(bound(sessionId, delivery, { kind: 'stand-down', reason: 'x' })));
    expect(outcome).toMatchObject({ refusal: { code: 'slot-mismatch', shape: { path: 'response.body' } } });
  });
});

test('the same play has the same tip in two stores, and a session id that does not tell', () => {
  const play = (host = hostOnSaw()) => {
    const agent = createAgent(host);
    const ids = [ask(agent, saw(DIP)).sessionId];
    ask(agent, { op: 'start' });
    ask(agent, { op: 'advance', response: pass });
    return { id: ids[0], ...ask(agent, { op: 'finalize' }) };
  };
  const host = hostOnSaw();
  const [a, b, c] = [play(host), play(host), play()];
  expect(a.tipHash).toBe(b.tipHash);
  expect(a.conformanceRoot).toBe(c.conformanceRoot);
  expect(a.id).not.toBe(b.id);
  expect(a.id).toBe(c.id);
});

test('artifacts come back by reference, and hash to it', () => {
  const { agent } = started();
  // Text that looks like the log's own, which must not be taken for it.
  ask(agent, { op: 'advance', response: authored(`# ],"given":{} ],"key":"x" {"events":[\n${DIP}`) });
  const { artifacts } = ask(agent, { op: 'finalize' });
  const kinds = artifacts.map((ref: string) => ref.split(':')[0]);
  expect(kinds.slice(0, 4)).toEqual(['blotter', 'proof', 'transcript', 'document']);
  expect(new Set(kinds.slice(4))).toEqual(new Set(['frame']));
  for (const ref of artifacts) {
    const { value, kind } = ask(agent, { op: 'artifact', ref });
    expect(`${kind}:${hashOf(value)}`).toBe(ref);
  }
});

test('operations are found by id, with their value', () => {
  const { agent, sessionId, delivery } = started();
  const answer = ask(agent, { op: 'advance', response: pass });
  const finalized = ask(agent, { op: 'finalize' });
  const of = (key: string) => ask(agent, { op: 'resumeOperation', operationId: `${sessionId}/${key}` });
  expect(of('start')).toMatchObject({ op: 'start', state: 'done', value: delivery });
  expect(of('1')).toMatchObject({ op: 'advance', state: 'done', value: answer });
  expect(of('finalize')).toMatchObject({ op: 'finalize', state: 'done', value: finalized });
  expect(() => of('2')).toThrow(/operation/);
});

test('cursors page through the log, and another log knows none of them', () => {
  const { agent } = started();
  const all = ask(agent, { op: 'resume' });
  expect(ask(agent, { op: 'resume', after: all.cursor })).toEqual({ ...all, events: [], cursor: all.cursor });
  ask(agent, { op: 'advance', response: pass });
  const more = ask(agent, { op: 'resume', after: all.cursor });
  expect(more.events[0].sequence).toBe(all.cursor.sequence + 1);
  const stale = agent.handle(JSON.stringify({ op: 'resume', after: { ...all.cursor, token: '0'.repeat(32) } }));
  expect(stale).toMatchObject({ refusal: { code: 'stale-cursor' } });
});
