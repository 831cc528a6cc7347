/** A verb that cannot answer: one coded line on stderr that names the shape wanted, what came, and the next step. */
import { jcs } from 'ground/jcs';
import { exitOf } from './exits.ts';

/** Longer quotations of what came are cut, so that one line stays one line. */
const GOT_CHARS_MAX = 200;

export interface FailureDetails {
  readonly code: string;
  readonly message: string;
  /** The shape wanted. */
  readonly expected?: string;
  /** What came. */
  readonly got?: string;
  /** What to do next. */
  readonly next?: string;
  /** Every problem of the document that was refused, as the language reports them. */
  readonly diagnostics?: readonly object[];
}

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly details: FailureDetails;
  constructor(details: FailureDetails) {
    super(details.message);
    this.details = details;
  }
}

/** Whatever was thrown, as a failure: a refusal of a lower floor keeps its code, anything else is our own mistake. */
export function failureOf(thrown: unknown): FailureDetails {
  if (thrown instanceof Failure) return thrown.details;
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && isRefusalCode(thrown.code)) {
    const { expected, got } = thrown as { expected?: unknown; got?: unknown };
    return {
      code: thrown.code,
      // The code stands in front already.
      message: thrown.message.replace(`${thrown.code}: `, ''),
      ...(typeof expected === 'string' ? { expected } : {}),
      ...(typeof got === 'string' ? { got } : {}),
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    code: 'internal',
    message,
    next: 'this is a mistake of ours: please report it with the command that shows it',
  };
}

/** Our codes are lower case with dashes or `K` and digits; those of the system (`ENOENT`) and of Node are neither. */
function isRefusalCode(code: string): boolean {
  return /^([a-z][a-z0-9]*(-[a-z0-9]+)*|K[0-9]{3})$/.test(code);
}

/** @returns the line to write on stderr, and the exit status that goes with it */
export function failureLine(failure: FailureDetails, form: 'text' | 'json'): { line: string; exit: number } {
  const got = failure.got === undefined ? undefined : cut(failure.got);
  const exit = exitOf(failure.code);
  if (form === 'json') return { line: `${json(failure, got)}\n`, exit };
  const parts = [`kestrel: ${failure.code}: ${oneLine(failure.message)}`];
  const told = (piece: string): boolean => failure.message.includes(piece);
  if (failure.expected !== undefined && !told(failure.expected)) parts.push(`wanted ${oneLine(failure.expected)}`);
  if (got !== undefined && !told(got)) parts.push(`got ${oneLine(got)}`);
  if (failure.next !== undefined) parts.push(oneLine(failure.next));
  return { line: `${parts.join('; ')}\n`, exit };
}

/** Canonical where the parts allow it; a part that does not is left out, since a refusal must never fail itself. */
function json(failure: FailureDetails, got: string | undefined): string {
  const message = wellFormed(failure.message);
  try {
    return jcs({ ...failure, message, ...(got === undefined ? {} : { got }) });
  } catch {
    return jcs({ code: failure.code, message });
  }
}

function cut(text: string): string {
  const whole = wellFormed(text);
  return whole.length <= GOT_CHARS_MAX ? whole : `${whole.slice(0, GOT_CHARS_MAX).toWellFormed()}…`;
}

const wellFormed = (text: string): string => text.toWellFormed();

/**
 * Text from outside as it may stand on a terminal: control characters (escape sequences, line ends, direction
 * marks) are shown as their code points and do nothing.
 */
export function oneLine(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu,
    (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}
