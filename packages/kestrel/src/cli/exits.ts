/** Exit status by code: the one table. What a lower floor refuses with a code of its own ends with {@link REFUSED}. */

/** The input was refused: a document, a tape, an argument. */
export const REFUSED = 2;

export const EXITS = {
  /** The answer is on stdout. */
  ok: 0,
  /** A mistake of ours. */
  internal: 1,
  /** Arguments that the verb does not take. */
  usage: REFUSED,
  /** A document with at least one error. */
  'document-refused': REFUSED,
  /** A file that is not there, is a folder, or may not be read. */
  unreadable: REFUSED,
  /** Bytes that are not UTF-8 where text is wanted. */
  'not-utf8': REFUSED,
  /** Input beyond a named bound. */
  'too-large': REFUSED,
  /** What a verb needs is out of reach: a full disk, a folder that may not be written, a server that is down. */
  unavailable: 4,
} as const satisfies Record<string, number>;

export type ExitCode = keyof typeof EXITS;

/** @returns the exit status of a refusal's code, whoever refused */
export function exitOf(code: string): number {
  return Object.hasOwn(EXITS, code) ? EXITS[code as ExitCode] : REFUSED;
}
