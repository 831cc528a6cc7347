// The cursor: one clause's tokens under a reading head, and the refusals met there.

import { foldCase, lookUp, optionAt, wordAt } from './lexicon.ts';
import { decimalsMax, diagnosticsMax, documentBytesMax, numberMax, parensMax } from './limits.ts';
import type { Diagnostic, Duration } from './model.ts';
import { nearest } from './nearest.ts';
import {
  BAD,
  CLOCK,
  END,
  MALFORMED,
  MINUS,
  NONE,
  NUMBER,
  PLUS,
  POINT,
  PUNCT,
  type Scan,
  TOO_FINE,
  TOO_LARGE,
  UNKNOWN_UNIT,
  units,
  WORD,
} from './scan.ts';
import type { Spans } from './spans.ts';
import { reserved } from './vocabulary.ts';

/** Thrown, once, to leave a clause that does not parse; caught where the next clause begins. */
export const stop = { kind: 'stop' } as const;

/** A model node while it is being built. */
export type Draftable<T> = { -readonly [K in keyof T]: T[K] };

const durationForms = ['a duration such as 120s, 5m or 1h'];
const signText = ['', '->', '>=', '<=', '==', '!=', '..'];

export class Cursor {
  /** Index of the next token, and one past the clause's last. */
  i = 0;
  end = 0;
  /** Whether the clause, and whether the statement, has had an error. */
  clauseFlawed = false;
  statementFlawed = false;
  /** Whether as many problems have been met as one document is told of. */
  full = false;
  readonly diagnostics: Diagnostic[] = [];
  readonly scan: Scan;
  readonly spans: Spans;
  #parens = 0;
  #option: string | undefined;
  #textAt = -1;
  #text = '';

  constructor(scan: Scan, spans: Spans) {
    this.scan = scan;
    this.spans = spans;
  }

  /** Stands at the first token of `[from, to)`. */
  enter(from: number, to: number): void {
    this.i = from;
    this.end = to;
    this.clauseFlawed = false;
    this.#parens = 0;
    this.#textAt = -1;
  }

  get kind(): number {
    return this.i < this.end ? this.scan.kind[this.i]! : END;
  }

  get start(): number {
    return this.i < this.end ? this.scan.start[this.i]! : this.previousEnd;
  }

  get previousEnd(): number {
    return this.i > 0 ? this.scan.end[this.i - 1]! : 0;
  }

  get unit(): number {
    return this.scan.unit[this.i]!;
  }

  get flags(): number {
    return this.scan.flags[this.i]!;
  }

  /** Text of the next token, empty at the end of the clause. */
  get text(): string {
    if (this.i >= this.end) return '';
    if (this.#textAt !== this.i) this.#read();
    return this.#text;
  }

  /** The next word as an option word: lower case, where it was written all in one case; else empty. */
  get option(): string {
    if (this.kind !== WORD) return '';
    if (this.#textAt !== this.i) this.#read();
    return this.#option ?? foldCase(this.#text);
  }

  #read(): void {
    const { i } = this;
    const start = this.scan.start[i]!;
    const end = this.scan.end[i]!;
    const known = this.scan.kind[i] === WORD ? lookUp(this.scan.text, start, end) : -1;
    this.#textAt = i;
    this.#text = known < 0 ? this.scan.text.slice(start, end) : wordAt(known);
    this.#option = known < 0 ? undefined : optionAt(known);
  }

  textOf(i: number): string {
    return this.scan.text.slice(this.scan.start[i], this.scan.end[i]);
  }

  isHead(word: string): boolean {
    return this.kind === WORD && this.text === word;
  }

  isPunct(code: number): boolean {
    return this.i < this.end && this.scan.kind[this.i] === PUNCT && this.scan.value[this.i] === code;
  }

  /** The code of the next sign, or 0. */
  get punct(): number {
    return this.kind === PUNCT ? this.scan.value[this.i]! : 0;
  }

  takeHead(word: string, expected?: readonly string[]): void {
    if (!this.isHead(word)) this.fail(expected ?? [word]);
    this.i++;
  }

  takeOption(word: string, expected?: readonly string[]): void {
    if (this.option !== word) this.fail(expected ?? [word]);
    this.i++;
  }

  tryOption(word: string): boolean {
    if (this.option !== word) return false;
    this.i++;
    return true;
  }

  takePunct(code: number, expected?: readonly string[]): void {
    if (!this.isPunct(code)) this.fail(expected ?? [punctText(code)]);
    this.i++;
  }

  tryPunct(code: number): boolean {
    if (!this.isPunct(code)) return false;
    this.i++;
    return true;
  }

  openParen(): void {
    if (this.#parens >= parensMax) {
      this.report('K002', this.i, this.i + 1, `parentheses nest deeper than ${parensMax} levels`, {
        hint: 'split the expression',
      });
      throw stop;
    }
    this.#parens++;
    this.takePunct(40);
  }

  closeParen(expected: readonly string[]): void {
    this.takePunct(41, expected);
    this.#parens--;
  }

  /** Whether white space, a comment or a new line stands before the next token. */
  get spaced(): boolean {
    return this.i === 0 || this.scan.start[this.i]! > this.scan.end[this.i - 1]!;
  }

  /** A number of unit `unit` without a sign, in 1e-4; refuses anything else with `expected`. */
  takeNumber(unit: number, expected: readonly string[]): number {
    if (this.kind !== NUMBER || this.unit !== unit || (this.flags & (PLUS | MINUS)) !== 0) this.fail(expected);
    this.requireFit(expected);
    return this.scan.value[this.i++]!;
  }

  /** Refuses a number with too many decimals, too large, or of no known unit. */
  requireFit(expected: readonly string[]): void {
    if ((this.flags & (TOO_FINE | TOO_LARGE)) !== 0 || this.unit === UNKNOWN_UNIT) this.fail(expected);
  }

  /** Whether the next token is a whole number without unit, sign or point. */
  get isInt(): boolean {
    return this.kind === NUMBER && this.unit === NONE && (this.flags & (PLUS | MINUS | POINT | TOO_LARGE)) === 0;
  }

  takeInt(expected: readonly string[]): number {
    if (!this.isInt) this.fail(expected);
    return this.scan.value[this.i++]! / 10_000;
  }

  /** Whether the next token is a duration: a whole number of `s`, `m` or `h`, sign aside. */
  get isDuration(): boolean {
    return this.kind === NUMBER && this.unit >= 8 && this.unit <= 10 && (this.flags & (POINT | TOO_LARGE)) === 0;
  }

  takeDuration(expected: readonly string[] = durationForms): Duration {
    if (!this.isDuration || (this.flags & (PLUS | MINUS)) !== 0) this.fail(expected);
    return this.duration();
  }

  /** The duration at the cursor, whatever its sign. */
  duration(): Duration {
    const i = this.i++;
    const duration: Duration = { n: this.scan.value[i]! / 10_000, unit: units[this.scan.unit[i]!] as 's' | 'm' | 'h' };
    this.spans.node(duration, this.scan.start[i]!, this.scan.end[i]!);
    return duration;
  }

  /** Ends the clause, or refuses what is left of it. */
  finish(expected: readonly string[]): void {
    if (this.i < this.end) this.fail([...expected, 'the end of the line']);
  }

  /** Records the span from token `from` to the last token read. */
  mark<const T extends object>(node: T, from: number): T {
    this.spans.node(node, this.scan.start[from]!, this.scan.end[Math.max(from, this.i - 1)]!);
    return node;
  }

  /** Records the span of one token as a named part of a node. */
  part(node: object, name: string, token: number): void {
    this.spans.part(node, name, this.scan.start[token]!, this.scan.end[token]!);
  }

  /** Reports an error over the tokens `[from, to)` and goes on. */
  report(
    code: string,
    from: number,
    to: number,
    message: string,
    more: { readonly expected?: readonly string[] | undefined; readonly hint?: string | undefined } = {},
  ): void {
    const start = from < this.end ? this.scan.start[from]! : this.previousEnd;
    const end = to > from && from < this.end ? this.scan.end[to - 1]! : start;
    this.clauseFlawed = true;
    this.statementFlawed = true;
    if (this.full) return;
    if (this.diagnostics.length >= diagnosticsMax) {
      this.full = true;
      this.diagnostics.push({
        code: 'K002',
        severity: 'error',
        message: `more than ${diagnosticsMax} problems: what follows is not read`,
        span: this.spans.at(start, end),
        hint: 'mend these first',
      });
      return;
    }
    this.diagnostics.push({
      code,
      severity: 'error',
      message,
      span: this.spans.at(start, end),
      ...(more.expected === undefined ? {} : { expected: more.expected }),
      ...(more.hint === undefined ? {} : { hint: more.hint }),
    });
  }

  /** Refuses the next token (K001, or K060 for the reserved word) and leaves the clause. */
  fail(expected: readonly string[], hint?: string): never {
    // What follows an error in one clause is mostly its echo: one K001 a clause.
    if (this.clauseFlawed) throw stop;
    const found = this.found();
    if (this.kind === WORD && this.text === reserved) {
      this.report('K060', this.i, this.i + 1, `\`${reserved}\` is a reserved word`, {
        expected,
        hint: 'leave it out: each order stands alone',
      });
      throw stop;
    }
    const why = this.literalFault();
    this.report('K001', this.i, this.i + 1, why ?? `expected ${anyOf(expected)}, found ${found}`, {
      expected,
      hint: hint ?? this.guess(expected),
    });
    throw stop;
  }

  found(): string {
    switch (this.kind) {
      case END:
        return 'the end of the line';
      case BAD:
        return 'characters that the language does not use';
      default:
        return quote(this.text);
    }
  }

  /** What is wrong with a literal in itself, whatever was expected. */
  literalFault(): string | undefined {
    if (this.kind === CLOCK && (this.flags & MALFORMED) !== 0)
      return `${quote(this.text)} is not a clock: HH:MM or HH:MM:SS`;
    if (this.kind !== NUMBER) return undefined;
    if ((this.flags & TOO_FINE) !== 0) return `${quote(this.text)} has more than ${decimalsMax} decimals`;
    if ((this.flags & TOO_LARGE) !== 0) return `${quote(this.text)} is larger than ${numberMax}`;
    if (this.unit === UNKNOWN_UNIT) {
      return `${quote(this.text)} has no unit that is known: $ c % bps t x R s m h dte`;
    }
    return undefined;
  }

  guess(expected: readonly string[]): string | undefined {
    if (this.kind !== WORD) return undefined;
    const text = this.text;
    const words = expected.filter((e) => /^[A-Za-z-]+$/.test(e));
    const near = nearest(text, words);
    if (near !== undefined && near !== text) return `did you mean ${quote(near)}?`;
    const dash = text.indexOf('-');
    if (dash > 0 && /^[0-9$]/.test(text.slice(dash + 1))) return 'put a space before the sign';
    return undefined;
  }
}

export function punctText(code: number): string {
  return code < 32 ? signText[code]! : String.fromCharCode(code);
}

export function quote(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return `\`${shown}\``;
}

export function anyOf(list: readonly string[]): string {
  // A sign by itself is quoted, or it would be read as punctuation of the sentence.
  const shown = list.map((item) => (/[a-z0-9]/i.test(item) ? item : `\`${item}\``));
  if (shown.length <= 1) return shown[0] ?? 'nothing';
  return `${shown.slice(0, -1).join(', ')} or ${shown[shown.length - 1]}`;
}

/** Bytes of the text in UTF-8, a lone surrogate counting as the three of its replacement. */
export function exceedsBytes(text: string): boolean {
  if (text.length > documentBytesMax) return true;
  if (text.length * 3 <= documentBytesMax) return false;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) bytes += 1;
    else if (c < 0x800) bytes += 2;
    else if (c >= 0xd800 && c < 0xdc00 && i + 1 < text.length && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes > documentBytesMax;
}
