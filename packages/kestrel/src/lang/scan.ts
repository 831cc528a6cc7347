// The scanner: text to columns of tokens and lines, over char codes, without an object per token.
import { decimalsMax, numberMax } from './limits.ts';

/** Token kinds. `END` stands for whatever comes after the last token of a clause. */
export const END = 0;
export const WORD = 1;
export const NUMBER = 2;
export const DATE = 3;
export const MONTH = 4;
export const CLOCK = 5;
export const PUNCT = 6;
export const BAD = 7;

/** Codes of the signs that have two characters; a sign of one character has its char code. */
export const ARROW = 1;
export const GE = 2;
export const LE = 3;
export const EQ = 4;
export const NE = 5;
export const DOTDOT = 6;

/** Units, as codes in the `unit` column. */
export const NONE = 0;
export const units = ['', '$', 'c', '%', 'bps', 't', 'x', 'R', 's', 'm', 'h', 'dte'] as const;
export type UnitText = (typeof units)[number];
export const UNKNOWN_UNIT = 255;

/** Bits of the `flags` column. */
export const PLUS = 1;
export const MINUS = 2;
export const TOO_FINE = 4;
export const TOO_LARGE = 8;
export const MALFORMED = 16;
export const POINT = 32;

/** Columns of tokens and of lines. They grow, and may be filled again for another text. */
export class Tokens {
  kind: Uint8Array;
  start: Int32Array;
  end: Int32Array;
  unit: Uint8Array;
  flags: Uint8Array;
  /** Number: magnitude times 1e4. Sign: its code. Clock: h·10,000 + m·100 + s, plus 1e6 where seconds were written. */
  value: Float64Array;
  lines: Lines;

  constructor(capacity: number) {
    this.lines = newLines((capacity >> 2) + 4);
    this.kind = new Uint8Array(capacity);
    this.start = new Int32Array(capacity);
    this.end = new Int32Array(capacity);
    this.unit = new Uint8Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.value = new Float64Array(capacity);
  }

  growLines(): void {
    const old = this.lines;
    this.lines = newLines(old.start.length * 2);
    this.lines.start.set(old.start);
    this.lines.token.set(old.token);
    this.lines.indent.set(old.indent);
    this.lines.comment.set(old.comment);
    this.lines.commentEnd.set(old.commentEnd);
  }

  /** Makes room for twice as many. */
  grow(): void {
    const wider = new Tokens(this.kind.length * 2);
    wider.kind.set(this.kind);
    wider.start.set(this.start);
    wider.end.set(this.end);
    wider.unit.set(this.unit);
    wider.flags.set(this.flags);
    wider.value.set(this.value);
    this.kind = wider.kind;
    this.start = wider.start;
    this.end = wider.end;
    this.unit = wider.unit;
    this.flags = wider.flags;
    this.value = wider.value;
  }
}

/** Columns of lines. */
interface Lines {
  readonly start: Int32Array;
  readonly token: Int32Array;
  readonly indent: Int32Array;
  readonly comment: Int32Array;
  readonly commentEnd: Int32Array;
}

function newLines(capacity: number): Lines {
  return {
    start: new Int32Array(capacity),
    token: new Int32Array(capacity),
    indent: new Int32Array(capacity),
    comment: new Int32Array(capacity),
    commentEnd: new Int32Array(capacity),
  };
}

/** Tokens and lines of a text. Offsets are UTF-16 units into the text as given. */
export interface Scan {
  readonly text: string;
  readonly tokens: Tokens;
  readonly count: number;
  readonly kind: Uint8Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly unit: Uint8Array;
  readonly flags: Uint8Array;
  readonly value: Float64Array;
  readonly lineCount: number;
  readonly lineStart: Int32Array;
  /** Index of the line's first token; the next line's is one past its last. */
  readonly lineToken: Int32Array;
  /** Depth of the line in columns, a tab being two. */
  readonly lineIndent: Int32Array;
  /** Offset of the line's `#`, or -1. */
  readonly lineComment: Int32Array;
  /** Offset after the comment, trailing space cut. */
  readonly lineCommentEnd: Int32Array;
}

const LETTER = 1;
const DIGIT = 2;
const SIGN = 3;
const SPACE = 4;
const BREAK = 5;
const classOf = new Uint8Array(128);
for (let c = 97; c <= 122; c++) {
  classOf[c] = LETTER;
  classOf[c - 32] = LETTER;
}
for (let c = 48; c <= 57; c++) classOf[c] = DIGIT;
classOf[95] = LETTER;
classOf[32] = SPACE;
classOf[9] = SPACE;
classOf[10] = BREAK;
classOf[13] = BREAK;
classOf[35] = BREAK;
for (const s of '()[]{},:./@+-<>=!^') classOf[s.charCodeAt(0)] = SIGN;

/** Scans a text into `tokens`, whose columns the scan then shares: they hold until they are filled again. */
export function scan(text: string, tokens: Tokens = new Tokens((text.length >> 2) + 16)): Scan {
  const n = text.length;
  let { lines } = tokens;
  let line = 0;
  let { kind, start, end, value } = tokens;
  let capacity = kind.length;
  let count = 0;
  let i = charAt(text, 0) === 0xfeff ? 1 : 0;
  let lineFrom = 0;
  for (;;) {
    // One more than the last line is wanted for the index after the last token.
    if (line + 2 > lines.start.length) {
      tokens.growLines();
      lines = tokens.lines;
    }
    lines.start[line] = lineFrom;
    lines.token[line] = count;
    let indent = 0;
    let c = charAt(text, i);
    while (c === 32 || c === 9) {
      indent += c === 32 ? 1 : 2;
      c = charAt(text, ++i);
    }
    lines.indent[line] = indent;
    let commentFrom = -1;
    let commentTo = -1;
    let ended = true;
    while (i < n) {
      c = text.charCodeAt(i);
      const k = c < 128 ? classOf[c]! : 0;
      if (k === SPACE) {
        i++;
        continue;
      }
      if (k === BREAK) {
        if (c === 10) {
          i++;
          ended = false;
          break;
        }
        if (c === 13 && charAt(text, i + 1) === 10) {
          i += 2;
          ended = false;
          break;
        }
        if (c === 35) {
          commentFrom = i;
          const lf = text.indexOf('\n', i);
          ended = lf < 0;
          commentTo = ended ? n : lf;
          i = ended ? n : lf + 1;
          while (commentTo > commentFrom && isBlankEnd(text.charCodeAt(commentTo - 1))) commentTo--;
          break;
        }
      }
      if (count >= capacity) {
        tokens.grow();
        ({ kind, start, end, value } = tokens);
        capacity = kind.length;
      }
      start[count] = i;
      if (k === LETTER) {
        i = wordEnd(text, i);
        kind[count] = WORD;
      } else if (k === DIGIT || ((c === 43 || c === 45 || c === 36) && startsNumber(text, i))) {
        i = scanNumber(text, i, tokens, count);
      } else if (k === SIGN) {
        const code = signCode(c, charAt(text, i + 1));
        i += code < 32 ? 2 : 1;
        kind[count] = PUNCT;
        value[count] = code;
      } else {
        // A run of what the language does not know is one token, so that it is reported once.
        i++;
        while (i < n && isBad(text.charCodeAt(i))) i++;
        kind[count] = BAD;
      }
      end[count] = i;
      count++;
    }
    lines.comment[line] = commentFrom;
    lines.commentEnd[line] = commentTo;
    line++;
    if (ended) break;
    lineFrom = i;
  }
  lines.token[line] = count;
  const { unit, flags } = tokens;
  return {
    text,
    tokens,
    count,
    kind,
    start,
    end,
    unit,
    flags,
    value,
    lineCount: line,
    lineStart: lines.start,
    lineToken: lines.token,
    lineIndent: lines.indent,
    lineComment: lines.comment,
    lineCommentEnd: lines.commentEnd,
  };
}

function charAt(text: string, i: number): number {
  return i < text.length ? text.charCodeAt(i) : -1;
}

function isDigitAt(text: string, i: number): boolean {
  if (i >= text.length) return false;
  const c = text.charCodeAt(i);
  return c >= 48 && c <= 57;
}

function wordEnd(text: string, from: number): number {
  const n = text.length;
  let i = from + 1;
  for (; i < n; i++) {
    const c = text.charCodeAt(i);
    if (c < 128 && (classOf[c] === LETTER || classOf[c] === DIGIT)) continue;
    // A `-` joined to letters belongs to the word, but `->` is read before `-`.
    if (c === 45 && charAt(text, i + 1) !== 62) continue;
    break;
  }
  // A percentile with a decimal, `p99.9`, is one word.
  if (
    charAt(text, i) === 46 &&
    text.charCodeAt(from) === 112 &&
    isDigitAt(text, i + 1) &&
    allDigits(text, from + 1, i)
  ) {
    i++;
    while (isDigitAt(text, i)) i++;
  }
  return i;
}

/** A sign or `$` that is joined to a digit begins a number. */
function startsNumber(text: string, i: number): boolean {
  if (isDigitAt(text, i + 1)) return true;
  return text.charCodeAt(i) !== 36 && charAt(text, i + 1) === 36 && isDigitAt(text, i + 2);
}

function signCode(c: number, next: number): number {
  if (next === 61) {
    if (c === 62) return GE;
    if (c === 60) return LE;
    if (c === 61) return EQ;
    if (c === 33) return NE;
  }
  if (c === 45 && next === 62) return ARROW;
  if (c === 46 && next === 46) return DOTDOT;
  return c;
}

/** Reads the number, date, month or clock at `i` into the token `at`; answers the offset after it. */
function scanNumber(text: string, from: number, tokens: Tokens, at: number): number {
  const n = text.length;
  let i = from;
  let bits = 0;
  let code = NONE;
  const first = text.charCodeAt(i);
  if (first === 43 || first === 45) {
    bits = first === 43 ? PLUS : MINUS;
    i++;
  }
  if (text.charCodeAt(i) === 36) {
    code = 1;
    i++;
  }
  const digits = i;
  let whole = 0;
  let c = text.charCodeAt(i);
  while (c >= 48 && c <= 57) {
    if (whole <= numberMax) whole = whole * 10 + (c - 48);
    i++;
    c = i < n ? text.charCodeAt(i) : -1;
  }
  if (i === from + 4 && c === 45 && digits === from) {
    const day = dateEnd(text, i);
    if (day > 0) {
      tokens.kind[at] = day - from === 7 ? MONTH : DATE;
      return day;
    }
  }
  if (c === 58 && digits === from && isDigitAt(text, i + 1)) return scanClock(text, { from, colon: i }, tokens, at);
  let e4 = whole * 10_000;
  if (c === 46 && isDigitAt(text, i + 1)) {
    bits |= POINT;
    i++;
    c = text.charCodeAt(i);
    let scale = 1_000;
    let decimals = 0;
    while (c >= 48 && c <= 57) {
      if (++decimals <= decimalsMax) e4 += (c - 48) * scale;
      scale /= 10;
      i++;
      c = i < n ? text.charCodeAt(i) : -1;
    }
    if (decimals > decimalsMax) bits |= TOO_FINE;
  }
  if (e4 > numberMax * 10_000) bits |= TOO_LARGE;
  if (c === 37) {
    code = code === NONE ? 3 : UNKNOWN_UNIT;
    i++;
    c = charAt(text, i);
  }
  const suffix = i;
  while (c >= 0 && c < 128 && (classOf[c] === LETTER || classOf[c] === DIGIT)) c = charAt(text, ++i);
  if (i > suffix) code = code === NONE ? unitCode(text, suffix, i) : UNKNOWN_UNIT;
  tokens.kind[at] = NUMBER;
  tokens.unit[at] = code;
  tokens.flags[at] = bits;
  tokens.value[at] = e4;
  return i;
}

/** The end of `-MM` or `-MM-DD` at `i`, or 0 where neither stands there. */
function dateEnd(text: string, i: number): number {
  if (!isDigitAt(text, i + 1) || !isDigitAt(text, i + 2) || isDigitAt(text, i + 3)) return 0;
  const month = i + 3;
  if (charAt(text, month) !== 45) return month;
  const isDay = isDigitAt(text, month + 1) && isDigitAt(text, month + 2) && !isDigitAt(text, month + 3);
  return isDay ? month + 3 : month;
}

/** `HH:MM` or `HH:MM:SS`; anything else of colons and digits is a malformed clock. */
function scanClock(
  text: string,
  { from, colon }: { readonly from: number; readonly colon: number },
  tokens: Tokens,
  at: number,
): number {
  let i = colon;
  let parts = 1;
  let bad = colon - from !== 2;
  let packed = Number(text.slice(from, Math.min(colon, from + 2)));
  while (charAt(text, i) === 58 && isDigitAt(text, i + 1)) {
    const digits = i + 1;
    i = digits;
    while (isDigitAt(text, i)) i++;
    parts++;
    bad ||= i - digits !== 2 || parts > 3;
    if (!bad) packed = packed * 100 + Number(text.slice(digits, i));
  }
  const suffix = i;
  for (let c = charAt(text, i); c >= 0 && c < 128 && (classOf[c] === LETTER || classOf[c] === DIGIT); )
    c = charAt(text, ++i);
  bad ||= i > suffix;
  tokens.kind[at] = CLOCK;
  tokens.flags[at] = bad ? MALFORMED : 0;
  tokens.value[at] = parts === 3 ? packed + 1_000_000 : packed * 100;
  return i;
}

function isBlankEnd(c: number): boolean {
  return c === 32 || c === 9 || c === 13;
}

function isBad(c: number): boolean {
  return c >= 128 || (c !== 36 && classOf[c] === 0);
}

function allDigits(text: string, from: number, to: number): boolean {
  if (from >= to) return false;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    if (c < 48 || c > 57) return false;
  }
  return true;
}

function unitCode(text: string, from: number, to: number): number {
  const c = text.charCodeAt(from);
  if (to - from === 1) {
    switch (c) {
      case 99:
        return 2;
      case 116:
        return 5;
      case 120:
        return 6;
      case 82:
        return 7;
      case 115:
        return 8;
      case 109:
        return 9;
      case 104:
        return 10;
      default:
        return UNKNOWN_UNIT;
    }
  }
  if (to - from === 3) {
    if (text.startsWith('bps', from)) return 4;
    if (text.startsWith('dte', from)) return 11;
  }
  return UNKNOWN_UNIT;
}
