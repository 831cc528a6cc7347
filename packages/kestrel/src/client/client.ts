/** A typed client of the protocol, whatever carries it: one method an op, refusals as errors. */
import type { z } from 'zod';
import type { OPS_BY_NAME } from '../protocol/index.ts';

type Ops = typeof OPS_BY_NAME;
export type OpName = keyof Ops;
export type OpArgs<N extends OpName> = z.output<Ops[N]['args']>;
export type OpValue<N extends OpName> = z.output<Ops[N]['emits']>;

export type Response = OpValue<'advance'>;
export type Delivery = OpValue<'start'>;
export type AuthoredResponse = OpArgs<'advance'>['response'];

/** What one refusal said. */
export interface RefusalInfo {
  readonly code: string;
  readonly op: string | null;
  readonly line: number;
  readonly message: string;
  readonly path?: string;
  readonly expected?: string;
  readonly got?: string;
}

export class KestrelRefusal extends Error {
  override readonly name = 'KestrelRefusal';
  readonly code: string;
  readonly refusal: RefusalInfo;
  constructor(refusal: RefusalInfo) {
    super(`${refusal.code}: ${refusal.message}`);
    this.code = refusal.code;
    this.refusal = refusal;
  }
}

/** Carries request lines to whatever answers them. */
export interface Carrier {
  /** @returns the response line @throws KestrelRefusal */
  readonly send: (line: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** One stream of requests; the first refusal of a child process ends it, as it ends the process. */
export class KestrelClient {
  readonly #carrier: Carrier;
  constructor(carrier: Carrier) {
    this.#carrier = carrier;
  }

  async request<N extends OpName>(op: N, args: OpArgs<N>): Promise<OpValue<N>> {
    const line = await this.#carrier.send(JSON.stringify({ op, ...(args as object) }));
    return (JSON.parse(line) as { value: OpValue<N> }).value;
  }

  readonly describe = () => this.request('describe', {});
  readonly catalog = () => this.request('catalog', {});
  readonly validate = (document: string) => this.request('validate', { document });
  readonly openSession = (subject: OpArgs<'openSession'>['subject'], document?: string) =>
    this.request('openSession', document === undefined ? { subject } : { subject, document });
  readonly start = () => this.request('start', {});
  readonly advance = (response: AuthoredResponse) => this.request('advance', { response });
  readonly revise = (response: AuthoredResponse) => this.request('revise', { response });
  readonly submit = (response: OpArgs<'submit'>['response']) => this.request('submit', { response });
  readonly resume = (after?: OpArgs<'resume'>['after']) => this.request('resume', after === undefined ? {} : { after });
  readonly finalize = () => this.request('finalize', {});
  readonly grade = (blotters: string[]) => this.request('grade', { blotters });
  readonly artifact = (ref: string) => this.request('artifact', { ref });
  readonly resumeOperation = (operationId: string, after?: OpArgs<'resume'>['after']) =>
    this.request('resumeOperation', after === undefined ? { operationId } : { operationId, after });

  close(): Promise<void> {
    return this.#carrier.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
