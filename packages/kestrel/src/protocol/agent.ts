/**
 * The handler of the protocol: a request line in, a response line or a refusal out. Every transport goes through here,
 * so none of them can answer differently.
 */
import { jcs } from 'ground/jcs';
import type { z } from 'zod';
import { frameTexts, type Sliced, whole } from '../session/index.ts';
import { schemaOf } from './describing.ts';
import type { Host } from './host.ts';
import { nearestName } from './nearest-name.ts';
import type { Op } from './op.ts';
import { OP_NAMES, OPS } from './op-list.ts';
import { AgentRefusal, gotOf, quoted } from './refusal.ts';
import { refusalOf } from './refusing.ts';
import { type JsonObject, readRequest } from './request-line.ts';
import { inlineText } from './shape-text.ts';
import { newStream, type StreamState } from './stream.ts';
import { responseLine } from './wire.ts';

export type Outcome =
  | { readonly kind: 'response'; readonly op: string; readonly line: string; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly op: string | null; readonly refusal: AgentRefusal };

const byName: ReadonlyMap<string, Op> = new Map(OPS.map((op) => [op.name, op]));

export interface Agent {
  /** Handles one request line, start to end. The host must sync before the answer is given out. */
  readonly handle: (line: string) => Outcome;
  readonly stream: StreamState;
}

/** One stream of requests on a host. */
export function createAgent(host: Host, stream: StreamState = newStream()): Agent {
  return { stream, handle: (line) => whole(handleLine(host, stream, line)) };
}

export function* handleLine(host: Host, stream: StreamState, line: string): Sliced<Outcome> {
  let request: JsonObject;
  try {
    request = readRequest(line);
  } catch (error) {
    return { kind: 'refusal', op: null, refusal: refusalOf(error) };
  }
  return yield* handleRequest(host, stream, request);
}

/** Handles one request that is an object already. */
export function* handleRequest(host: Host, stream: StreamState, request: JsonObject): Sliced<Outcome> {
  let name: string | null = null;
  try {
    const { op: asked, ...args } = request;
    if (typeof asked !== 'string') {
      throw new AgentRefusal('bad-arg', 'a request has a field `op`, the name of what is asked for', {
        path: 'op',
        expected: OP_NAMES.join(' | '),
        got: gotOf(asked),
      });
    }
    name = byName.has(asked) ? asked : null;
    const op = byName.get(asked);
    if (op === undefined) throw unknownOp(asked);
    if (op.session && stream.sessionId === null) {
      throw new AgentRefusal('no-session', `${op.name} needs a session: send openSession first in this stream`, {
        expected: 'openSession',
      });
    }
    const ran = op.run({ host, stream }, checked(op, args));
    const value = 'value' in ran ? ran.value : yield* ran;
    return { kind: 'response', op: op.name, line: responseLine(op.name, jcs(value, frameTexts)), value };
  } catch (error) {
    return { kind: 'refusal', op: name, refusal: refusalOf(error) };
  }
}

function unknownOp(name: string): AgentRefusal {
  const near = nearestName(name, OP_NAMES);
  const hint = near === undefined ? '' : `; the nearest is ${near}`;
  return new AgentRefusal('unknown-op', `there is no op ${JSON.stringify(quoted(name))}${hint}`, {
    path: 'op',
    expected: OP_NAMES.join(' | '),
    got: name,
  });
}

/** @throws AgentRefusal `bad-arg` */
export function checked(op: Op, args: Readonly<Record<string, unknown>>): unknown {
  const result = op.args.safeParse(plainObject(args));
  if (result.success) return result.data;
  throw badArg(op, args, result.error.issues);
}

/** zod takes an object without a prototype for a foreign one. */
function plainObject(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...args };
}

type Issue = z.core.$ZodIssue;

function badArg(op: Op, args: Readonly<Record<string, unknown>>, issues: readonly Issue[]): AgentRefusal {
  // What is not known is named before what is missing: it is what the client sent in its place.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  const keys = issue.code === 'unrecognized_keys' ? [issue.keys[0]!] : [];
  const path = [...issue.path, ...keys];
  const shape = inlineText(schemaOf(op.args, 'input'));
  const first = path[0];
  const got = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    args,
  );
  const text = pathText(path);
  const what =
    issue.code === 'unrecognized_keys' ? 'is not a field here' : got === undefined ? 'is missing' : 'has another shape';
  return new AgentRefusal('bad-arg', `${op.name}: ${text} ${what}`, {
    path: text,
    expected: first === undefined ? shape : (fieldShape(op, String(first)) ?? shape),
    got: gotOf(got),
  });
}

/** The shape of one argument, or undefined where the op has none of that name. */
function fieldShape(op: Op, field: string): string | undefined {
  const schema = schemaOf(op.args, 'input');
  const properties = schema.properties as Record<string, Record<string, unknown>> | undefined;
  if (properties === undefined || !Object.hasOwn(properties, field)) return undefined;
  return inlineText({ ...properties[field], $defs: schema.$defs });
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  );
}
