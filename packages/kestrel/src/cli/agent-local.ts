/** The agent's requests answered in this process. */
import { createAgent, Host, type newStream } from '../protocol/index.ts';
import type { Handled, Transport } from './agent-transport.ts';
import { openStore } from './home.ts';

export function localTransport(stream: ReturnType<typeof newStream>): Transport {
  const host = new Host({ store: () => openStore(process.env) });
  const agent = createAgent(host, stream);
  return {
    sync: () => host.sync(),
    handle(line): Handled {
      const outcome = agent.handle(line);
      return outcome.kind === 'response'
        ? { op: outcome.op, line: outcome.line }
        : { op: outcome.op, refusal: outcome.refusal };
    },
  };
}
