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
      return JSON.stringify(value);
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
  // Array.prototype.sort without a comparator orders by UTF-16 code unit, which is what the RFC asks for.
  const keys = Object.keys(record).sort();
  let out = '{';
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    out += `${i === 0 ? '' : ','}${text(key)}:${write(record[key], depth + 1, known)}`;
  }
  return out + '}';
}

function text(value: string): string {
  if (!value.isWellFormed()) throw new JcsError('a well-formed string is wanted, got a lone surrogate');
  return JSON.stringify(value);
}
