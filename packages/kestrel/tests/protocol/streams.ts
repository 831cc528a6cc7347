/** One stream of requests against a host in this process, as its two outputs would show it. */

import { parseTape } from '../../src/market/index.ts';
import { type Agent, createAgent, Host, type Outcome, refusalLine } from '../../src/protocol/index.ts';
import type { SessionEvent } from '../../src/session/index.ts';
import { type DatasetEntry, memoryDisk, Store } from '../../src/store/index.ts';
import { shortDayText } from '../session/short-day.ts';

export function memoryStore(writer = 'test'): Store<SessionEvent> {
  return new Store<SessionEvent>({ disk: memoryDisk(), root: 'home', writer });
}

export function newHost(store = memoryStore(), more: Partial<ConstructorParameters<typeof Host>[0]> = {}): Host {
  return new Host({ store: () => store, ...more });
}

export interface Spoken {
  readonly out: string[];
  readonly err: string[];
}

/** Sends lines until the first refusal, as the process would. */
export function speak(requests: readonly unknown[], host = newHost()): Spoken {
  const agent = createAgent(host);
  const out: string[] = [];
  const err: string[] = [];
  let line = 0;
  for (const request of requests) {
    line++;
    const outcome = agent.handle(typeof request === 'string' ? request : JSON.stringify(request));
    if (outcome.kind === 'refusal') {
      err.push(refusalLine(outcome.refusal, { op: outcome.op, line }));
      break;
    }
    out.push(outcome.line);
  }
  host.sync();
  return { out, err };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read deep into answers of every shape
type Value = any;

/** The value of the answer. @throws where it was refused */
export function ask<T = Value>(agent: Agent, request: unknown): T {
  const outcome: Outcome = agent.handle(JSON.stringify(request));
  if (outcome.kind === 'refusal') throw outcome.refusal;
  return JSON.parse(outcome.line).value as T;
}

export function agentOn(host = newHost()): Agent {
  return createAgent(host);
}

export const pass = { kind: 'pass' } as const;

/** A store that knows the short day as the dataset `saw`. */
export function sawStore(store = memoryStore(), more: Partial<DatasetEntry> = {}): Store<SessionEvent> {
  const text = shortDayText(more.name === undefined ? {} : { id: more.name });
  const { tape } = parseTape(Buffer.from(text));
  store.addDataset(
    {
      name: 'saw',
      tape: tape.identity,
      fill: 'strict-cross-v1',
      fees: 'none',
      rUsdE4: 100_000_000,
      thinkMs: 1_000,
      checkpoints: ['10:00', '10:30', '11:00'],
      ...more,
    },
    Buffer.from(text),
  );
  return store;
}

export const saw = (source = ''): unknown => ({
  op: 'openSession',
  subject: { kind: 'dataset', source, dataset: 'saw' },
});
