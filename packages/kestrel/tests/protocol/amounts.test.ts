/** A day whose amounts outgrow what is exact: the run is refused, the slot stays, and the session can be ended. */
import { expect, test } from 'vitest';
import { parseTape } from '../../src/market/index.ts';
import { createAgent, termsIn } from '../../src/protocol/index.ts';
import { verifyProof, whole } from '../../src/session/index.ts';
import { ask, memoryStore, newHost, pass, speak } from './streams.ts';

const OPEN = 1_710_163_800_000_000;
const header = {
  v: 'kestrel.tape/v1',
  id: 'amounts',
  calendar: 'XNYS',
  date: '2024-03-11',
  instruments: [{ symbol: 'SPY', kind: 'equity', tick: 0.01 }],
  session: { open: OPEN, close: OPEN + 3_600_000_000 },
};
const quote = { k: 'quote', b: 100, bz: 9_000_000, a: 100.01, az: 9_000_000 };
const dear = { k: 'quote', b: 999_999_998, bz: 9_000_000, a: 999_999_999, az: 9_000_000 };
const EVENTS = [quote, { k: 'trade', p: 100, z: 1 }, quote, quote, dear, { k: 'trade', p: 999_999_999, z: 1 }, dear];
const BUY = 'PLAN p budget 10000R ttl +20m\n  WHEN spot > 0\n  DO buy 999999 shares @ ask\n';

function dearStore() {
  const lines = [header, ...EVENTS.map((event, i) => ({ t: OPEN + i * 1_000_000, s: 'SPY', ...event }))];
  const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
  const store = memoryStore();
  const { identity } = parseTape(bytes).tape;
  store.addDataset(
    {
      name: 'dear',
      tape: identity,
      fill: 'strict-cross-v1',
      fees: 'none',
      rUsdE4: 10_000_000_000,
      thinkMs: 0,
      checkpoints: [],
    },
    bytes,
  );
  return store;
}

const subject = { kind: 'dataset', source: '', dataset: 'dear' };

test('a turn that cannot be run exactly is refused and leaves its slot; finalize ends the day there, and it verifies', () => {
  const store = dearStore();
  const host = newHost(store);
  const agent = createAgent(host);
  const { sessionId } = ask(agent, { op: 'openSession', subject });
  ask(agent, { op: 'start' });
  const bought = ask(agent, { op: 'advance', response: { kind: 'authored', document: BUY } });
  expect(bought.delivery.frame.kernel.positions).toHaveLength(1);
  const refused = expect.objectContaining({ code: 'too-large' });
  expect(() => ask(agent, { op: 'advance', response: pass })).toThrow(refused);
  expect(() => ask(agent, { op: 'advance', response: { kind: 'stand-down', reason: 'enough' } })).toThrow(refused);
  expect(ask(agent, { op: 'start' })).toEqual(bought.delivery);
  const finalized = ask(agent, { op: 'finalize' });
  expect(finalized.blotter.plans[0]).toMatchObject({ name: 'p', state: 'managing', openQty: 999_999, markedE4: 0 });
  expect(ask(agent, { op: 'finalize' })).toEqual(finalized);
  const log = host.sessions.known(sessionId);
  const verdict = whole(
    verifyProof(
      host.sessions.proof(log)!,
      termsIn(log, () => store),
    ),
  );
  expect(verdict).toMatchObject({ kind: 'verified', tipHash: finalized.tipHash });
  // Another process takes the session up from its log and answers alike.
  const again = { op: 'openSession', subject: { kind: 'session', id: sessionId } };
  const { out } = speak([again, { op: 'finalize' }], newHost(store));
  expect(JSON.parse(out[1]!).value).toEqual(finalized);
});

test('where only the sum at the end is too large, the day ends at its last slot as well', () => {
  const host = newHost(dearStore());
  const two = `${BUY}\n${BUY.replace('PLAN p', 'PLAN q')}`;
  const agent = createAgent(host);
  ask(agent, { op: 'openSession', subject });
  ask(agent, { op: 'start' });
  ask(agent, { op: 'advance', response: { kind: 'authored', document: two } });
  const { blotter } = ask(agent, { op: 'finalize' });
  expect(blotter.plans.map(({ state }: { state: string }) => state)).not.toContain('done');
});
