/** Retention trusts no clock that was just set: what it drops does not come back. */
import { expect, test, vi } from 'vitest';
import { AgeTrust, retainInTurn, SETTLE_MS_MAX } from '../../src/cli/retention.ts';
import { batchOf } from '../../src/store/conformance.ts';
import { memoryStore } from '../../src/store/index.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 30);

function clocks(wallMs = NOW) {
  const at = { wallMs, steadyMs: 0 };
  return {
    at,
    wallMs: () => at.wallMs,
    steadyMs: () => at.steadyMs,
    pass(ms: number) {
      at.wallMs += ms;
      at.steadyMs += ms;
    },
  };
}

test('a clock that runs steadily is trusted at once', () => {
  const time = clocks();
  const trust = new AgeTrust(30 * DAY, NOW - DAY, time);
  expect(trust.look()).toBe('now');
  time.pass(60_000);
  expect(trust.look()).toBe('now');
});

test.each([10 * 365 * DAY, -10 * 365 * DAY])('a clock set by %d ms is not trusted for an hour', (jumpMs) => {
  const time = clocks();
  const trust = new AgeTrust(30 * DAY, NOW, time);
  expect(trust.look()).toBe('now');
  time.pass(60_000);
  time.at.wallMs += jumpMs;
  expect(trust.look()).toBe('jumped');
  time.pass(SETTLE_MS_MAX - 1);
  expect(trust.look()).toBe('waits');
  // Set right again: once more an hour.
  time.at.wallMs -= jumpMs;
  expect(trust.look()).toBe('jumped');
  time.pass(SETTLE_MS_MAX);
  expect(trust.look()).toBe('now');
});

test('where even the newest is too old, the clock must run for a while first', () => {
  const time = clocks(NOW + 3_650 * DAY);
  const trust = new AgeTrust(30 * DAY, NOW, time);
  expect(trust.look()).toBe('waits');
  time.pass(SETTLE_MS_MAX);
  expect(trust.look()).toBe('now');
  const short = new AgeTrust(1_000, NOW, time);
  time.pass(1_000);
  expect(short.look()).toBe('now');
});

test('a clock that leaps ten years ahead and back drops nothing by age, and by size still drops', async () => {
  vi.useFakeTimers();
  try {
    const time = clocks();
    const store = memoryStore({ nowMs: time.wallMs });
    const event = (id: string) => JSON.stringify({ eventId: id, runId: 'r', kind: 'log', timestamp: 1, payload: {} });
    for (const id of ['a', 'b', 'c']) await store.traces.append(batchOf([event(id)]));
    await store.feedback.put({ id: 'f', bytes: Buffer.from('{}'), precondition: null });
    const said: string[] = [];
    const policy = {
      traces: { ageMsMax: 30 * DAY, bytesMax: 2 * event('a').length },
      feedback: { ageMsMax: 30 * DAY },
    };
    const turn = async (ms: number) => {
      time.pass(ms);
      await vi.advanceTimersByTimeAsync(60_000);
    };
    time.pass(1_000);
    const stop = await retainInTurn(store, policy, (line) => said.push(line), time);
    await turn(60_000);
    expect(said).toEqual(['retention dropped 1 events']);
    time.at.wallMs += 3_650 * DAY;
    for (let minutes = 0; minutes < 50; minutes++) await turn(60_000);
    time.at.wallMs -= 3_650 * DAY;
    for (let minutes = 0; minutes < 100; minutes++) await turn(60_000);
    expect((await store.traces.stats()).events).toBe(2);
    expect(await store.feedback.get('f')).not.toBeNull();
    expect(said.filter((line) => line.includes('the clock was set'))).toHaveLength(2);
    await turn(31 * DAY);
    expect((await store.traces.stats()).events).toBe(0);
    expect(await store.feedback.get('f')).toBeNull();
    stop();
  } finally {
    vi.useRealTimers();
  }
});
