/** One stream of requests against a host in this process, as its two outputs would show it. */
import { type Agent, createAgent, Host, type Outcome, refusalLine } from '../../src/protocol/index.ts';
import type { SessionEvent } from '../../src/session/index.ts';
import { memoryDisk, Store } from '../../src/store/index.ts';

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

/** The value of the answer. @throws where it was refused */
export function ask<T = any>(agent: Agent, request: unknown): T {
  const outcome: Outcome = agent.handle(JSON.stringify(request));
  if (outcome.kind === 'refusal') throw outcome.refusal;
  return JSON.parse(outcome.line).value as T;
}

export function agentOn(host = newHost()): Agent {
  return createAgent(host);
}

export const pass = { kind: 'pass' } as const;
