/** What an embedding program calls by other names than the inside does: a server in one call, RPC on plain values. */
import type { StorePair } from '../store/index.ts';
import { makeService, type ServiceOptions } from './context.ts';
import { callRpc, type RpcAnswer } from './rpc.ts';
import { type ClientPatience, type RunningServer, startHttp } from './server.ts';

export interface StartOptions extends ServiceOptions {
  /** Default 5005; 0 takes a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Wanted from every caller when set. */
  readonly token?: string | null;
  /** Origins of web pages that may call. */
  readonly corsOrigins?: readonly string[];
  /** How long a client may take for its request. */
  readonly patience?: ClientPatience;
  /** Both stores at once, closed by whoever opened them. */
  readonly store?: StorePair | null;
}

/** Starts the HTTP server in this process. @throws the platform's error when the port cannot be had */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  const { port = 5005, host = '127.0.0.1', token = null, corsOrigins = [], store = null, patience, ...rest } = options;
  const service = makeService({ traceStore: store?.traces ?? null, feedbackStore: store?.feedback ?? null, ...rest });
  return startHttp({ service, port, host, token, corsOrigins, ...(patience === undefined ? {} : { patience }) });
}

/** Calls a wire method in this process: the same handlers, the same envelope. */
export async function dispatchRpc(method: string, params: unknown, options: ServiceOptions = {}): Promise<RpcAnswer> {
  return callRpc(method, { kind: 'value', value: params }, makeService(options));
}
