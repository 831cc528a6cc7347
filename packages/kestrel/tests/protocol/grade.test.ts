import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/protocol/index.ts';
import type { LogRecord, SessionLog } from '../../src/store/index.ts';
import { DIP, NEVER } from '../session/short-day.ts';
import { ask, newHost, pass, saw, sawStore } from './streams.ts';

function playedOn(host: ReturnType<typeof newHost>, source: string, passes = 1) {
  const agent = createAgent(host);
  const { sessionId } = ask(agent, saw(source));
  ask(agent, { op: 'start' });
  for (let i = 0; i < passes; i++) ask(agent, { op: 'advance', response: pass });
  const { blotter, artifacts } = ask(agent, { op: 'finalize' });
  return { agent, sessionId, blotter, ref: artifacts[0] as string };
}

describe('a grade', () => {
  const host = newHost(sawStore());
  const traded = playedOn(host, DIP);
  const idle = playedOn(host, NEVER);

  test('of one session makes no claim and says so', () => {
    const { gated, value } = ask(traded.agent, { op: 'grade', blotters: [traded.sessionId] });
    expect(gated).toBe(false);
    expect(value).toMatchObject({ n: 1, interval: null, claim: 'none', totalR: traded.blotter.totals.netR });
    expect(value.notes.join()).toContain('one session');
    const [subject] = value.subjects;
    expect(subject).toMatchObject({ blotter: traded.ref, trades: 1, vsNull: { draws: 1_000 } });
    expect(subject.hitRate.lo).toBeLessThan(subject.hitRate.value + 1e-9);
    expect(subject.vsNull.p).toBeGreaterThan(0);
    expect(subject.vsNull.percentile).toBeLessThanOrEqual(1);
  });

  test('is the same again, can be read back, and takes ids and blotters alike, each once', () => {
    const both = [traded.sessionId, traded.ref, idle.sessionId];
    const first = ask(traded.agent, { op: 'grade', blotters: both });
    expect(ask(traded.agent, { op: 'grade', blotters: both })).toEqual(first);
    expect(first.value).toMatchObject({ n: 2, claim: 'none', interval: { level: 0.95 } });
    expect(first.value.subjects[1]).toMatchObject({ trades: 0, hitRate: null, vsNull: { draws: 0, p: 1 } });
  });
});

test('a blotter that does not replay is refused with the first leaf that differs', () => {
  const store = sawStore();
  const { sessionId } = playedOn(newHost(store), DIP);
  // A log whose proof was changed by other hands, and whose line was made to look whole again.
  const real = store.session.bind(store);
  store.session = (id: string) => {
    const log = real(id);
    if (log === undefined) return undefined;
    const find = log.find.bind(log);
    const changed = (key: string) => {
      const record = find(key);
      if (key !== 'finalize' || record === undefined) return record;
      const kept = JSON.parse(JSON.stringify(record.kept)) as Record<
        string,
        { blotter?: { plans: { fills: { qty: number }[] }[] } }
      >;
      for (const value of Object.values(kept))
        if (value.blotter !== undefined) value.blotter.plans[0]!.fills[0]!.qty = 11;
      return { ...record, kept } as LogRecord<never>;
    };
    return Object.create(log, { find: { value: changed }, id: { value: log.id } }) as SessionLog<never>;
  };
  const outcome = createAgent(newHost(store)).handle(JSON.stringify({ op: 'grade', blotters: [sessionId] }));
  expect(outcome).toMatchObject({
    kind: 'refusal',
    refusal: { code: 'unknown-ref', message: expect.stringContaining('fill 1'), shape: { path: 'blotters[0]' } },
  });
});
