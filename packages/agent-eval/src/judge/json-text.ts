/**
 * A strict reader of JSON text for answers that must not be ambiguous: duplicate keys are faults, objects become Maps
 * (so no key is special), and nothing may follow the value.
 */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject extends ReadonlyMap<string, JsonValue> {}

export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/** Deeper text is refused, so that hostile nesting never meets the stack. */
export const JSON_TEXT_DEPTH_MAX = 64;

/**
 * @param text exactly one JSON value with optional white space around it
 * @throws JsonTextError naming what is wrong and the offset in UTF-16 units
 */
export function readJsonText(text: string): JsonValue {
  const reader: Reader = { text, at: 0 };
  const value = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at < text.length) fail(reader, 'something follows the JSON value');
  return value;
}

interface Reader {
  readonly text: string;
  at: number;
}

function fail({ at }: Reader, what: string): never {
  throw new JsonTextError(`${what} (at offset ${at})`);
}

function readValue(reader: Reader, depth: number): JsonValue {
  skipSpace(reader);
  if (depth > JSON_TEXT_DEPTH_MAX) fail(reader, `more than ${JSON_TEXT_DEPTH_MAX} levels of nesting`);
  const char = reader.text[reader.at];
  switch (char) {
    case undefined:
      return fail(reader, 'the text ends where a value is wanted');
    case '{':
      return readObject(reader, depth);
    case '[':
      return readArray(reader, depth);
    case '"':
      return readString(reader);
    case 't':
      return readWord(reader, 'true', true);
    case 'f':
      return readWord(reader, 'false', false);
    case 'n':
      return readWord(reader, 'null', null);
    default:
      return readNumber(reader);
  }
}

function readObject(reader: Reader, depth: number): JsonObject {
  const entries = new Map<string, JsonValue>();
  reader.at++;
  skipSpace(reader);
  if (taken(reader, '}')) return entries;
  do {
    skipSpace(reader);
    if (reader.text[reader.at] !== '"') fail(reader, 'a key in double quotes is wanted');
    const key = readString(reader);
    if (entries.has(key)) fail(reader, `the key ${JSON.stringify(key.slice(0, 80))} comes twice in one object`);
    skipSpace(reader);
    if (!taken(reader, ':')) fail(reader, 'a colon is wanted after a key');
    entries.set(key, readValue(reader, depth + 1));
    skipSpace(reader);
  } while (taken(reader, ','));
  if (!taken(reader, '}')) fail(reader, 'a comma or a closing brace is wanted');
  return entries;
}

function readArray(reader: Reader, depth: number): readonly JsonValue[] {
  const items: JsonValue[] = [];
  reader.at++;
  skipSpace(reader);
  if (taken(reader, ']')) return items;
  do {
    items.push(readValue(reader, depth + 1));
    skipSpace(reader);
  } while (taken(reader, ','));
  if (!taken(reader, ']')) fail(reader, 'a comma or a closing bracket is wanted');
  return items;
}

/** The platform decodes the escapes; only the end of the string is found here, and whether there are any. */
function readString(reader: Reader): string {
  const { text } = reader;
  const start = reader.at;
  let isPlain = true;
  let end = start + 1;
  for (; ; end++) {
    const code = text.charCodeAt(end);
    if (Number.isNaN(code)) fail(reader, 'a string is not closed');
    if (code === 0x22) break;
    if (code === 0x5c) end++;
    if (code === 0x5c || code < 0x20) isPlain = false;
  }
  reader.at = end + 1;
  if (isPlain) return text.slice(start + 1, end);
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    reader.at = start;
    return fail(reader, 'a string holds a control character or a bad escape');
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

function readNumber(reader: Reader): number {
  NUMBER.lastIndex = reader.at;
  const lexeme = NUMBER.exec(reader.text)?.[0];
  if (lexeme === undefined) return fail(reader, 'a JSON value is wanted');
  reader.at += lexeme.length;
  return Number(lexeme);
}

function readWord<T>(reader: Reader, word: string, value: T): T {
  if (!reader.text.startsWith(word, reader.at)) fail(reader, 'a JSON value is wanted');
  reader.at += word.length;
  return value;
}

function skipSpace(reader: Reader): void {
  for (; ; reader.at++) {
    const code = reader.text.charCodeAt(reader.at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
  }
}

function taken(reader: Reader, char: string): boolean {
  if (reader.text[reader.at] !== char) return false;
  reader.at++;
  return true;
}
