/**
 * Canonical JSON (RFC 8785), stricter than the RFC: plain JSON values only. Anything else is refused, never guessed
 * at, because what is hashed must be what was meant.
 */

export class JcsError extends Error {
  override readonly name = 'JcsError';
}

/** Deeper input than this is refused, so that hostile nesting never meets the stack. */
export const JCS_DEPTH_MAX = 256;

/** Canonical text of objects that never change, so that what is written again and again is written out once. */
export type KnownTexts = WeakMap<object, string>;

/**
 * @param value plain JSON: null, booleans, finite numbers, well-formed strings, arrays, plain objects
 * @param known texts of objects within it, as this function gave them
 * @returns its RFC 8785 text
 * @throws JcsError on a lone surrogate, a non-finite number, `undefined`, a class instance, or too deep nesting
 */
export function jcs(value: unknown, known?: KnownTexts): string {
  return write(value, 0, known);
}

function write(value: unknown, depth: number, known: KnownTexts | undefined): string {
  switch (typeof value) {
    case 'string':
      return text(value);
    case 'number':
      if (!Number.isFinite(value)) throw new JcsError(`a finite number is wanted, got ${value}`);
      // The number's own text is what JSON.stringify writes, negative zero included, and is had for less.
      return `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      break;
    default:
      throw new JcsError(`a JSON value is wanted, got ${typeof value}`);
  }
  if (value === null) return 'null';
  const there = known?.get(value as object);
  if (there !== undefined) return there;
  if (depth >= JCS_DEPTH_MAX) throw new JcsError(`at most ${JCS_DEPTH_MAX} levels of nesting`);
  if (Array.isArray(value)) {
    let out = '[';
    for (let i = 0; i < value.length; i++) out += (i === 0 ? '' : ',') + write(value[i], depth + 1, known);
    return out + ']';
  }
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) {
    throw new JcsError(`a plain object is wanted, got ${value.constructor?.name ?? 'an instance'}`);
  }
  const record = value as Record<string, unknown>;
  const keys = sorted(Object.keys(record));
  let out = '{';
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    out += `${i === 0 ? '' : ','}${named(key)}${write(record[key], depth + 1, known)}`;
  }
  return out + '}';
}

/** By UTF-16 code unit, as the RFC asks: that is how strings compare. Few are short of order, and few are many. */
function sorted(keys: string[]): string[] {
  if (keys.length > INSERTED_KEYS_MAX) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    let at = i;
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}

const INSERTED_KEYS_MAX = 16;

/** A name with its colon. Records share their names, so those that came first and are short are kept. */
function named(key: string): string {
  const kept = names.get(key);
  if (kept !== undefined) return kept;
  const name = `${text(key)}:`;
  if (names.size < NAMES_KEPT_MAX && key.length <= NAME_CHARS_MAX) names.set(key, name);
  return name;
}

const names = new Map<string, string>();
const NAMES_KEPT_MAX = 1_024;
const NAME_CHARS_MAX = 32;

/** Short texts without a character that JSON escapes or that could be half of a pair. */
const PLAIN = /^[ !#-[\]-~]{0,64}$/;

function text(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new JcsError('a well-formed string is wanted, got a lone surrogate');
  return JSON.stringify(value);
}
