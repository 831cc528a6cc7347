/** Parameters as values: parsed once, with bounds, and with their problems listed. */
import { isUtf8 } from 'node:buffer';
import { WireError } from './errors.ts';
import { deepest, isDeeper } from './json-bytes.ts';
import { PROBLEMS_MAX, REJECT_TEXT_MAX, type WireLimits } from './limits.ts';
import type { Params } from './method.ts';
import type { Turns } from './turns.ts';

export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Runs a dynamic import once, when it is first needed. */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** @throws WireError validation_error where the bytes are not JSON or nest too deep */
export function valueOfParams(params: Params, limits: WireLimits): unknown {
  switch (params.kind) {
    case 'none':
      return {};
    case 'value':
      if (isDeeper(params.value, limits.depthMax)) throw tooDeep(limits);
      return params.value;
    case 'json':
    case 'ndjson':
      break;
    default:
      return params satisfies never;
  }
  const { bytes } = params;
  if (!isUtf8(bytes)) throw new WireError('validation_error', 'the body is not JSON: it is not UTF-8');
  // Before parsing: a parser's own stack of levels is memory too.
  if (deepest(bytes, limits.depthMax) > limits.depthMax) throw tooDeep(limits);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new WireError('validation_error', `the body is not JSON: ${shortened((cause as Error).message)}`, { cause });
  }
}

/** Bodies beyond this many bytes are read in turns. */
const LARGE_BYTES = 16_384;

/** Reads parameters: short ones at once, long ones in their turn, so that health checks and others come between. */
export function inTurn<T>(params: Params, { turns }: { readonly turns: Turns }, read: () => T): T | Promise<T> {
  const isLarge = (params.kind === 'json' || params.kind === 'ndjson') && params.bytes.length > LARGE_BYTES;
  return isLarge ? turns.run(read) : read();
}

/** The record's own text: as it came, or written from a value of this process. */
export function bytesOfParams(params: Params, value: unknown): Buffer {
  return params.kind === 'json' || params.kind === 'ndjson' ? params.bytes : Buffer.from(JSON.stringify(value));
}

/** A validation answer: how many problems there are, and the first of them. */
export function listProblems(what: string, problems: readonly Problem[]): WireError {
  const listed = problems.slice(0, PROBLEMS_MAX).map(({ path, message }) => ({
    path: shortened(path),
    message: shortened(message),
  }));
  const first = listed[0];
  const said = first === undefined ? what : `${what}: ${first.path === '' ? '' : `${first.path}: `}${first.message}`;
  return new WireError('validation_error', said, { details: { problems: listed, total: problems.length } });
}

export function shortened(text: string): string {
  const cut = text.length <= REJECT_TEXT_MAX ? text : `${text.slice(0, REJECT_TEXT_MAX - 1)}…`;
  return cut.toWellFormed();
}

function tooDeep({ depthMax }: WireLimits): WireError {
  return new WireError('validation_error', `the body nests deeper than ${depthMax} levels`);
}
