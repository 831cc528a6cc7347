/**
 * JSON as bytes: where the fields of an object and the elements of an array lie, found without parsing what is in
 * them, so that each can be kept as it came. What is skipped is not checked here: whoever uses a span parses it.
 */

export interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The bytes are not JSON. */
export class JsonBytesError extends Error {
  override readonly name = 'JsonBytesError';
}

function fail(what: string, at: number): never {
  throw new JsonBytesError(`${what} at byte ${at}`);
}

/** Past a byte order mark and white space. */
export function textStart(bytes: Uint8Array): number {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return skipSpace(bytes, marked ? 3 : 0);
}

/**
 * The fields of the one object that the bytes are. A repeated name counts where it comes last, as everywhere in
 * JavaScript.
 * @returns null when the bytes hold a value of another kind
 * @throws JsonBytesError
 */
export function objectFields(bytes: Buffer): Map<string, Span> | null {
  let at = textStart(bytes);
  if (bytes[at] !== OPEN_BRACE) return null;
  const fields = new Map<string, Span>();
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_BRACE) at++;
  else {
    for (;;) {
      at = skipSpace(bytes, at);
      if (bytes[at] !== QUOTE) fail('a key in double quotes is wanted', at);
      const keyEnd = skipString(bytes, at);
      const key = parseKey(bytes, at, keyEnd);
      at = skipSpace(bytes, keyEnd);
      if (bytes[at] !== COLON) fail('a colon is wanted', at);
      const start = skipSpace(bytes, at + 1);
      const end = skipValue(bytes, start);
      fields.set(key, { start, end });
      at = skipSpace(bytes, end);
      if (bytes[at] === COMMA) at++;
      else if (bytes[at] === CLOSE_BRACE) {
        at++;
        break;
      } else fail('a comma or a closing brace is wanted', at);
    }
  }
  at = skipSpace(bytes, at);
  if (at < bytes.length) fail('something follows the object', at);
  return fields;
}

/**
 * The elements of the array that lies in `span`, as starts and ends in turn; one more than `max` at most, so that a
 * longer one shows without being walked to its end.
 * @returns null when it is no array
 * @throws JsonBytesError
 */
export function arrayElements(bytes: Uint8Array, span: Span, max: number): number[] | null {
  let at = span.start;
  if (bytes[at] !== OPEN_BRACKET) return null;
  const ends: number[] = [];
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_BRACKET) return ends;
  for (;;) {
    at = skipSpace(bytes, at);
    const end = skipValue(bytes, at);
    ends.push(at, end);
    if (ends.length > 2 * max) return ends;
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACKET) return ends;
    if (bytes[at] !== COMMA) fail('a comma or a closing bracket is wanted', at);
    at++;
  }
}

/** How deep the brackets of the bytes go; not read on once deeper than `max`. */
export function deepest(bytes: Uint8Array, max: number): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = skipString(bytes, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > most) most = depth;
      if (most > max) return most;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
  }
  return most;
}

/** Whether a value nests deeper than `max` levels; the walk itself goes no deeper. */
export function isDeeper(value: unknown, max: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (max === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && isDeeper(item, max - 1)) return true;
    return false;
  }
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object' && isDeeper(item, max - 1)) return true;
  }
  return false;
}

function parseKey(bytes: Buffer, start: number, end: number): string {
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch {
    return fail('a key is not a JSON string', start);
  }
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
  }
}

/** @returns one past the closing quote, or past the end where there is none */
function skipString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) return at + 1;
  }
  return bytes.length;
}

function skipValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from];
  if (first === undefined) fail('a value is wanted', from);
  if (first === QUOTE) return skipString(bytes, from);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return skipWord(bytes, from);
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = skipString(bytes, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
  return fail('a bracket is not closed', from);
}

function skipWord(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= 0x20) break;
  }
  if (at === from) fail('a value is wanted', at);
  return at;
}
