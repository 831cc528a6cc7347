/** Refusals of the protocol: a code, where, the shape wanted, what came. One table maps a code to its exit and HTTP status. */
import { jcs } from 'ground/jcs';
import { PROTOCOL } from './wire.ts';

/** Every code, with the exit status of the stream that it ends and its status over HTTP. */
export const REFUSALS = {
  'bad-json': { exit: 2, http: 400, when: 'a line that is not one JSON object (the message shows where)' },
  'unknown-op': { exit: 2, http: 404, when: 'lists the valid ops, and the nearest one' },
  'bad-arg': {
    exit: 2,
    http: 400,
    when: 'a missing, unknown or misshapen argument; `path` and `expected` name it',
  },
  'no-session': { exit: 2, http: 409, when: 'a session verb before `openSession`' },
  'session-open': { exit: 2, http: 409, when: '`openSession` while a session of this stream is open' },
  'session-finalized': { exit: 2, http: 409, when: 'a verb that answers slots, after the end or `finalize`' },
  'not-started': { exit: 2, http: 409, when: 'a verb that needs a slot which this stream was shown' },
  'unknown-subject': { exit: 2, http: 404, when: 'no catalog entry or session of that id; the nearest is named' },
  'unknown-dataset': { exit: 2, http: 404, when: 'no dataset of that name; the nearest is named' },
  'unknown-ref': { exit: 2, http: 404, when: 'no artifact, or no finished session, of that reference' },
  'unknown-operation': { exit: 2, http: 404, when: 'no operation of that id' },
  'document-required': { exit: 2, http: 400, when: 'a managed catalog subject without `document`' },
  'slot-mismatch': {
    exit: 2,
    http: 409,
    when: "a turn whose header is not the pending slot's and is not a recorded turn's",
  },
  'stale-cursor': { exit: 2, http: 410, when: 'a well-formed cursor that this log never issued' },
  'too-large': { exit: 2, http: 413, when: 'a line beyond the limit' },
  unavailable: { exit: 4, http: 503, when: 'a store that cannot be written, a server that cannot be reached' },
  internal: { exit: 1, http: 500, when: 'a fault of ours' },
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** Characters of `got` that a refusal quotes. */
export const GOT_CHARS_MAX = 200;

export interface RefusalShape {
  /** Where in the arguments, as `response.kind` or `blotters[0]`. */
  readonly path?: string;
  readonly expected?: string;
  readonly got?: string;
}

export class AgentRefusal extends Error {
  override readonly name = 'AgentRefusal';
  readonly code: RefusalCode;
  readonly shape: RefusalShape;
  constructor(code: RefusalCode, message: string, shape: RefusalShape = {}) {
    super(message);
    this.code = code;
    this.shape = shape;
  }
}

export interface RefusalPlace {
  /** Name of the op, null where it is unknown. */
  readonly op: string | null;
  /** Line of the stream, from 1. */
  readonly line: number;
}

/** The line on stderr, without its LF. */
export function refusalLine(refusal: AgentRefusal, place: RefusalPlace): string {
  const { path, expected, got } = refusal.shape;
  return jcsOrdered(PROTOCOL, {
    code: refusal.code,
    op: place.op,
    line: place.line,
    message: refusal.message.toWellFormed(),
    ...(path === undefined ? {} : { path: path.toWellFormed() }),
    ...(expected === undefined ? {} : { expected: expected.toWellFormed() }),
    ...(got === undefined ? {} : { got: quoted(got) }),
  });
}

function jcsOrdered(v: string, refusal: Record<string, unknown>): string {
  const fields = Object.entries(refusal).map(([name, value]) => `${jcs(name)}:${jcs(value)}`);
  return `{"v":${jcs(v)},"refusal":{${fields.join(',')}}}`;
}

/** What came, cut so that one line stays one line. */
export function quoted(text: string): string {
  const whole = text.toWellFormed();
  return whole.length <= GOT_CHARS_MAX ? whole : whole.slice(0, GOT_CHARS_MAX).toWellFormed();
}

/** A value as a refusal shows it. */
export function gotOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  try {
    return quoted(jcs(value));
  } catch {
    return quoted(typeof value);
  }
}
