/**
 * One request line to one JSON object, strictly: no name twice, no lone surrogate, no number beyond a double, no deep
 * nesting. Objects have no prototype, so that no name in them means anything to the host.
 */
import { AgentRefusal } from './refusal.ts';

/** Levels of nesting. */
export const NESTING_MAX = 64;

export type JsonObject = Record<string, unknown>;

/** @throws AgentRefusal `bad-json` */
export function readRequest(line: string): JsonObject {
  const reader = new Reader(line);
  reader.space();
  if (line[reader.at] !== '{') reader.fail('one JSON object');
  const value = reader.object(1);
  reader.space();
  if (reader.at < line.length) reader.fail('the end of the line after one JSON object');
  return value;
}

/** Any JSON value, as strictly. @returns undefined where the bytes are none */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return wholeJson(bytes);
  } catch {
    return undefined;
  }
}

/** What keeps the bytes from being JSON, or undefined. */
export function jsonFault(bytes: Uint8Array): string | undefined {
  try {
    wholeJson(bytes);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function wholeJson(bytes: Uint8Array): unknown {
  return new Reader(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).whole();
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SHOWN_CHARS = 24;

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

  whole(): unknown {
    this.space();
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.fail('the end');
    return value;
  }

  private value(depth: number): unknown {
    switch (this.text[this.at]) {
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

  object(depth: number): JsonObject {
    this.bound(depth);
    this.at++;
    const out: JsonObject = Object.create(null);
    this.space();
    if (this.text[this.at] === '}') {
      this.at++;
      return out;
    }
    for (;;) {
      if (this.text[this.at] !== '"') this.fail('a name in double quotes');
      const begun = this.at;
      const key = this.string();
      if (key in out) {
        this.at = begun;
        this.fail('each name once');
      }
      this.space();
      this.expect(':');
      this.space();
      out[key] = this.value(depth);
      this.space();
      if (this.text[this.at] === '}') {
        this.at++;
        return out;
      }
      this.expect(',');
      this.space();
    }
  }

  private array(depth: number): unknown[] {
    this.bound(depth);
    this.at++;
    const out: unknown[] = [];
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
    const begun = this.at++;
    let out = '';
    for (;;) {
      PLAIN.lastIndex = this.at;
      PLAIN.test(this.text);
      const end = PLAIN.lastIndex;
      out += this.text.slice(this.at, end);
      this.at = end;
      const c = this.text[this.at];
      if (c === '"') {
        this.at++;
        if (out.isWellFormed()) return out;
        this.at = begun;
        this.fail('well-formed text (a lone surrogate is none)');
      }
      if (c !== '\\') this.fail('the end of a string');
      out += this.escape();
    }
  }

  private escape(): string {
    const c = this.text[this.at + 1] ?? '';
    const known = '"\\/bfnrt'.indexOf(c);
    if (c !== '' && known >= 0) {
      this.at += 2;
      return '"\\/\b\f\n\r\t'[known]!;
    }
    const hex = this.text.slice(this.at + 2, this.at + 6);
    if (c !== 'u' || !/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('an escape of JSON');
    this.at += 6;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  private number(): number {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text)?.[0];
    if (found === undefined) this.fail('a JSON value');
    const value = Number(found);
    if (!Number.isFinite(value)) this.fail('a number within a double');
    this.at += found.length;
    return value;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('a JSON value');
    this.at += word.length;
    return value;
  }

  private bound(depth: number): void {
    if (depth > NESTING_MAX) this.fail(`at most ${NESTING_MAX} levels of nesting`);
  }

  private expect(mark: string): void {
    if (this.text[this.at] !== mark) this.fail(`"${mark}"`);
    this.at++;
  }

  fail(wanted: string): never {
    const rest = this.text.slice(this.at, this.at + SHOWN_CHARS).toWellFormed();
    const got = rest === '' ? 'the end of the line' : rest;
    throw new AgentRefusal('bad-json', `column ${this.at + 1}: wanted ${wanted}, got ${got}`, {
      expected: wanted,
      got,
    });
  }
}
