/** What answers the agent's requests: this process, or a server elsewhere. */
import type { AgentRefusal } from '../protocol/light.ts';

export interface Transport {
  /** @returns the response line, or the refusal */
  readonly handle: (line: string) => Handled | Promise<Handled>;
  /** Everything handled so far survives a crash once this returns. @throws StoreFault */
  readonly sync: () => void;
}

export interface Handled {
  readonly line?: string;
  readonly refusal?: AgentRefusal;
  /** Name of the op, null where it is unknown. */
  readonly op: string | null;
}
