/**
 * `kestrel sessions play`: a day of the catalog from briefing to `verified`, as an author who passes at every slot sees
 * it. The subject's own strategy is armed at the open, and its fills wake the author.
 */
import { jcs } from 'ground/jcs';
import { createAgent, entries, Host, type Outcome } from '../protocol/index.ts';
import {
  DEFAULT_SUBJECT,
  type Delivery,
  type Finished,
  renderFrame,
  type SessionEvent,
  type SessionResponse,
  verifyProof,
  whole,
} from '../session/index.ts';
import { memoryDisk, Store, StoreFault } from '../store/index.ts';
import type { Arguments } from './arguments.ts';
import { EXITS, REFUSED } from './exits.ts';
import { Failure } from './failure.ts';
import { openStore } from './home.ts';
import type { Streams } from './streams.ts';
import { termsOfSession } from './verify.ts';

export function sessionsPlay({ operands, values }: Arguments, streams: Streams): number {
  const subject = operands[0] ?? DEFAULT_SUBJECT;
  const store = storeOrMemory(streams);
  const host = new Host({ store: () => store });
  const agent = createAgent(host);
  const ask = <T>(request: unknown): T => {
    const outcome: Outcome = agent.handle(JSON.stringify(request));
    if (outcome.kind === 'refusal') {
      const { code, message, shape } = outcome.refusal;
      throw new Failure({ code, message, ...shape });
    }
    host.sync();
    return outcome.value as T;
  };
  const say = (text: string): void => {
    if (!values.has('json')) streams.write(text);
  };
  const { sessionId } = ask<{ sessionId: string }>({ op: 'openSession', subject: { kind: 'catalog', id: subject } });
  const entry = entries.find(({ id }) => id === subject)!;
  say(`${entry.title}\n${entry.briefing}\n\n${entry.strategy}\nsession ${sessionId}\n`);
  let delivery: Delivery | undefined = ask<Delivery>({ op: 'start' });
  while (delivery !== undefined) {
    say(`\n${renderFrame(delivery.frame, { form: 'text', view: { panes: panesOf(delivery) } })}`);
    const answer: SessionResponse = ask<SessionResponse>({ op: 'advance', response: { kind: 'pass' } });
    delivery = answer.state === 'pending' ? answer.delivery : undefined;
  }
  const { blotter, tipHash, conformanceRoot } = ask<Finished>({ op: 'finalize' });
  const { events } = ask<{ events: readonly SessionEvent[] }>({ op: 'resume' });
  const log = host.sessions.known(sessionId);
  const verdict = whole(verifyProof(host.sessions.proof(log)!, termsOfSession(log, store)));
  const { fills, netR, netE4 } = blotter.totals;
  const told = {
    sessionId,
    subject,
    slots: slotsIn(events),
    fills,
    netR,
    netE4,
    tipHash,
    conformanceRoot,
    verdict: verdict.kind,
  };
  if (values.has('json')) streams.write(`${jcs(told)}\n`);
  else {
    say(
      `\n${told.slots} slots, ${fills} fills, net ${netR} R\ntip ${tipHash}\nconformance root ${conformanceRoot}\n${verdict.kind}\n`,
    );
  }
  return verdict.kind === 'verified' ? EXITS.ok : REFUSED;
}

const slotsIn = (events: readonly SessionEvent[]): number =>
  events.filter(({ kind }) => kind === 'session/frame').length;

/** The open shows everything; later slots what changes. */
function panesOf({ why }: Delivery) {
  const words = why === 'open' ? ['symbols', 'levels', 'plans', 'news'] : ['tape', 'symbols', 'plans', 'news'];
  return words.map((word) => ({ word, args: [] }));
}

/** Where no folder takes the session, it lives in memory, and that is said. */
function storeOrMemory(streams: Streams): Store<SessionEvent> {
  const store = openStore(streams.env);
  try {
    store.note('probe', 'writable', true);
    return store;
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    streams.say(`kestrel: ${error.message}; this session lives in memory\n`);
    return new Store<SessionEvent>({ disk: memoryDisk(), root: 'memory', writer: 'memory' });
  }
}
