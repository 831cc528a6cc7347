/** RPC: one call from its text, for stdin and for callers in this process. Same methods, same envelope. */

import { Stop } from '../judge/index.ts';
import type { Service } from './context.ts';
import { type ErrorBody, errorBody, WireError } from './errors.ts';
import { handle } from './handlers.ts';
import { JsonBytesError, objectFields, textStart } from './json-bytes.ts';
import type { Method, Params } from './method.ts';
import { METHODS } from './methods/index.ts';

export type RpcAnswer = { readonly result: unknown } | ErrorBody;

const BY_NAME: ReadonlyMap<string, Method> = new Map(METHODS.map((method) => [method.name, method]));

/**
 * Calls a method by its wire name.
 * @param params a value of this process, or the JSON bytes in which they came
 * @returns the seed's envelope; nothing is thrown
 */
export async function callRpc(name: unknown, params: Params, service: Service): Promise<RpcAnswer> {
  const method = typeof name === 'string' ? BY_NAME.get(name) : undefined;
  if (method === undefined) {
    const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : 'none';
    const known = [...BY_NAME.keys()].join(', ');
    return errorBody(new WireError('unknown_method', `there is no method ${shown}; there are ${known}`));
  }
  const outcome = await handle(method, {
    params,
    service,
    precondition: null,
    stop: new Stop(),
    isGone: () => false,
  });
  return outcome.kind === 'result' ? { result: outcome.result.value } : errorBody(outcome.error);
}

/**
 * One line or one stdin.
 * @param name the method, or null where the text is `{"method", "params"}`
 */
export async function dispatchText(name: string | null, text: Buffer, service: Service): Promise<RpcAnswer> {
  try {
    if (name === null) {
      const { method, params } = openEnvelope(text);
      return await callRpc(method, params, service);
    }
    const isEmpty = textStart(text) >= text.length;
    const params: Params = { kind: 'json', bytes: isEmpty ? Buffer.from('{}') : text };
    checkParams(params.bytes);
    return await callRpc(name, params, service);
  } catch (error) {
    if (error instanceof WireError) return errorBody(error);
    if (error instanceof JsonBytesError) return errorBody(new WireError('parse_error', `not JSON: ${error.message}`));
    throw error;
  }
}

/** @throws WireError */
function openEnvelope(text: Buffer): { method: unknown; params: Params } {
  if (textStart(text) >= text.length) throw new WireError('parse_error', '{"method", "params"} is wanted, got nothing');
  const fields = objectFields(text);
  if (fields === null) {
    parsed(text);
    throw new WireError('validation_error', '{"method", "params"} is wanted, got JSON of another kind');
  }
  const name = fields.get('method');
  const params = fields.get('params');
  const method = name === undefined ? undefined : parsed(text.subarray(name.start, name.end));
  if (typeof method !== 'string') throw new WireError('validation_error', '"method" must name a method');
  const bytes = params === undefined ? Buffer.from('{}') : text.subarray(params.start, params.end);
  checkParams(bytes);
  return { method, params: { kind: 'json', bytes } };
}

/**
 * That the text is JSON at all is a fault of its own here. An object's inside is left to its method, which parses it
 * anyway; a short one is parsed at once.
 */
function checkParams(bytes: Buffer): void {
  if (bytes.length <= PARSE_AT_ONCE_BYTES || objectFields(bytes) === null) parsed(bytes);
}

const PARSE_AT_ONCE_BYTES = 4_096;

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new WireError('parse_error', `not JSON: ${(cause as Error).message.slice(0, 200)}`, { cause });
  }
}
