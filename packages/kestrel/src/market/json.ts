/**
 * A strict JSON reader that keeps what JSON.parse loses: the text of every number, and the fact that a name came
 * twice. The tape's slow path and header go through it.
 */

/** Deeper nesting is refused, so that hostile input never meets the stack. */
export const JSON_DEPTH_MAX = 64;

/** A number as written and as the IEEE double nearest to it. */
export class ExactNumber {
  readonly text: string;
  readonly value: number;
  constructor(text: string) {
    this.text = text;
    this.value = Number(text);
  }
}

export type ExactObject = ReadonlyMap<string, ExactValue>;
export type ExactValue = null | boolean | string | ExactNumber | readonly ExactValue[] | ExactObject;

export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly code: 'json-bad' | 'json-duplicate' | 'json-deep' | 'number-bad';
  readonly expected: string;
  readonly got: string;
  constructor(code: JsonFault['code'], expected: string, got: string) {
    super(`wanted ${expected}, got ${got}`);
    this.code = code;
    this.expected = expected;
    this.got = got;
  }
}

/** @throws JsonFault on anything RFC 8259 forbids, twice the same name, lone surrogates, or a number beyond a double */
export function parseExact(text: string): ExactValue {
  const reader = new Reader(text);
  reader.space();
  const value = reader.value(0);
  reader.space();
  if (reader.at < text.length) reader.fail('the end of the line');
  return value;
}

/** The value as plain JSON: numbers as doubles, objects without a prototype. */
export function plain(value: ExactValue): unknown {
  if (value instanceof ExactNumber) return value.value;
  if (value instanceof Map) return plainObject(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
}

export function plainObject(value: ExactObject): Record<string, unknown> {
  const out: Record<string, unknown> = Object.create(null);
  for (const [key, member] of value) out[key] = plain(member);
  return out;
}

/** A short name for what a value is, for refusals. */
export function shapeOf(value: ExactValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Map) return 'an object';
  return JSON.stringify(value);
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
const NON_FINITE = /-?(?:NaN|Infinity)/y;

class Reader {
  at = 0;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  space(): void {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x09 && c !== 0x0d && c !== 0x0a) return;
      this.at++;
    }
  }

  value(depth: number): ExactValue {
    const c = this.text[this.at];
    switch (c) {
      case '{':
        return this.object(depth + 1);
      case '[':
        return this.array(depth + 1);
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(depth: number): ExactObject {
    this.bound(depth);
    this.at++;
    const out = new Map<string, ExactValue>();
    this.space();
    if (this.text[this.at] === '}') {
      this.at++;
      return out;
    }
    for (;;) {
      if (this.text[this.at] !== '"') this.fail('a name in double quotes');
      const key = this.string();
      if (out.has(key)) throw new JsonFault('json-duplicate', 'each name once', JSON.stringify(key));
      this.space();
      this.expect(':');
      this.space();
      out.set(key, this.value(depth));
      this.space();
      if (this.text[this.at] === '}') {
        this.at++;
        return out;
      }
      this.expect(',');
      this.space();
    }
  }

  private array(depth: number): ExactValue[] {
    this.bound(depth);
    this.at++;
    const out: ExactValue[] = [];
    this.space();
    if (this.text[this.at] === ']') {
      this.at++;
      return out;
    }
    for (;;) {
      out.push(this.value(depth));
      this.space();
      if (this.text[this.at] === ']') {
        this.at++;
        return out;
      }
      this.expect(',');
      this.space();
    }
  }

  private string(): string {
    this.at++;
    let out = '';
    for (;;) {
      PLAIN_TEXT.lastIndex = this.at;
      PLAIN_TEXT.test(this.text);
      const end = PLAIN_TEXT.lastIndex;
      out += this.text.slice(this.at, end);
      this.at = end;
      const c = this.text[this.at];
      if (c === '"') {
        this.at++;
        if (!out.isWellFormed()) throw new JsonFault('json-bad', 'well-formed text', 'a lone surrogate');
        return out;
      }
      if (c !== '\\') this.fail('the end of a string');
      out += this.escape();
    }
  }

  private escape(): string {
    const c = this.text[this.at + 1] ?? '';
    const at = '"\\/bfnrt'.indexOf(c);
    if (c !== '' && at >= 0) {
      this.at += 2;
      return '"\\/\b\f\n\r\t'[at]!;
    }
    const hex = this.text.slice(this.at + 2, this.at + 6);
    if (c !== 'u' || !/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('an escape of JSON');
    this.at += 6;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  private number(): ExactNumber {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text)?.[0];
    if (found === undefined) {
      NON_FINITE.lastIndex = this.at;
      const word = NON_FINITE.exec(this.text)?.[0];
      if (word !== undefined) throw new JsonFault('number-bad', 'a finite number', word);
      this.fail('a JSON value');
    }
    this.at += found.length;
    const number = new ExactNumber(found);
    if (!Number.isFinite(number.value)) throw new JsonFault('number-bad', 'a finite number', found);
    return number;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('a JSON value');
    this.at += word.length;
    return value;
  }

  private bound(depth: number): void {
    if (depth > JSON_DEPTH_MAX) throw new JsonFault('json-deep', `at most ${JSON_DEPTH_MAX} levels`, 'more');
  }

  private expect(mark: string): void {
    if (this.text[this.at] !== mark) this.fail(`"${mark}"`);
    this.at++;
  }

  fail(wanted: string): never {
    const rest = this.text.slice(this.at, this.at + 24);
    const got = rest === '' ? 'the end of the line' : JSON.stringify(rest);
    throw new JsonFault('json-bad', `${wanted} at column ${this.at + 1}`, got);
  }
}
