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

/** Columns of tokens and of lines. Offsets are UTF-16 units into the text as given. */
export interface Scan {
  readonly text: string;
  readonly count: number;
  readonly kind: Uint8Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly unit: Uint8Array;
  readonly flags: Uint8Array;
  /** Number: magnitude times 1e4. Sign: its code. Clock: h·10,000 + m·100 + s, plus 1e6 where seconds were written. */
  readonly value: Float64Array;
  readonly lineStart: readonly number[];
  /** Index of the line's first token; the next line's is one past its last. */
  readonly lineToken: readonly number[];
  /** Depth of the line in columns, a tab being two. */
  readonly lineIndent: readonly number[];
  /** Offset of the line's `#`, or -1. */
  readonly lineComment: readonly number[];
  /** Offset after the comment, trailing space cut. */
  readonly lineCommentEnd: readonly number[];
}

const LETTER = 1;
const DIGIT = 2;
const SIGN = 3;
const classOf = new Uint8Array(128);
for (let c = 97; c <= 122; c++) {
  classOf[c] = LETTER;
  classOf[c - 32] = LETTER;
}
for (let c = 48; c <= 57; c++) classOf[c] = DIGIT;
classOf[95] = LETTER;
for (const s of '()[]{},:./@+-<>=!^') classOf[s.charCodeAt(0)] = SIGN;

export function scan(text: string): Scan {
  // Documents as people write them have a token every four or five characters; a hostile one may have one each.
  return scanInto(text, (text.length >> 1) + 16) ?? scanInto(text, text.length + 1)!;
}

function scanInto(text: string, capacity: number): Scan | undefined {
  const n = text.length;
  const kind = new Uint8Array(capacity);
  const start = new Int32Array(capacity);
  const end = new Int32Array(capacity);
  const unit = new Uint8Array(capacity);
  const flags = new Uint8Array(capacity);
  const value = new Float64Array(capacity);
  const lineStart: number[] = [];
  const lineToken: number[] = [];
  const lineIndent: number[] = [];
  const lineComment: number[] = [];
  const lineCommentEnd: number[] = [];
  const at = (i: number): number => (i < n ? text.charCodeAt(i) : -1);
  const isClass = (c: number, k: number): boolean => c >= 0 && c < 128 && classOf[c] === k;
  const isDigit = (i: number): boolean => isClass(at(i), DIGIT);
  let count = 0;
  let i = 0;
  let lineFrom = 0;
  if (at(0) === 0xfeff) i = 1;
  for (;;) {
    lineStart.push(lineFrom);
    lineToken.push(count);
    let indent = 0;
    for (; i < n; i++) {
      const c = text.charCodeAt(i);
      if (c === 32) indent += 1;
      else if (c === 9) indent += 2;
      else break;
    }
    lineIndent.push(indent);
    let commentFrom = -1;
    let commentTo = -1;
    let ended = true;
    while (i < n) {
      const c = text.charCodeAt(i);
      if (c === 32 || c === 9) {
        i++;
        continue;
      }
      if (c === 10) {
        i++;
        ended = false;
        break;
      }
      if (c === 13 && at(i + 1) === 10) {
        i += 2;
        ended = false;
        break;
      }
      if (c === 35) {
        commentFrom = i;
        const lf = text.indexOf('\n', i);
        i = lf < 0 ? n : lf + 1;
        ended = lf < 0;
        commentTo = lf < 0 ? n : lf;
        while (commentTo > commentFrom && isBlankEnd(text.charCodeAt(commentTo - 1))) commentTo--;
        break;
      }
      if (count >= capacity) return undefined;
      const from = i;
      start[count] = from;
      const k = c < 128 ? classOf[c] : 0;
      if (k === LETTER) {
        i++;
        for (; i < n; i++) {
          const d = text.charCodeAt(i);
          if (d < 128 && (classOf[d] === LETTER || classOf[d] === DIGIT)) continue;
          // A `-` joined to letters belongs to the word, but `->` is read before `-`.
          if (d === 45 && at(i + 1) !== 62) continue;
          break;
        }
        // A percentile with a decimal, `p99.9`, is one word.
        if (c === 112 && at(i) === 46 && isDigit(i + 1) && allDigits(text, from + 1, i)) {
          i++;
          while (isDigit(i)) i++;
        }
        kind[count] = WORD;
      } else if (k === DIGIT || startsNumber(c, i)) {
        i = number(i);
      } else if (k === SIGN) {
        const d = at(i + 1);
        let code = c;
        if (c === 45 && d === 62) code = ARROW;
        else if (c === 62 && d === 61) code = GE;
        else if (c === 60 && d === 61) code = LE;
        else if (c === 61 && d === 61) code = EQ;
        else if (c === 33 && d === 61) code = NE;
        else if (c === 46 && d === 46) code = DOTDOT;
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
    lineComment.push(commentFrom);
    lineCommentEnd.push(commentTo);
    if (ended) break;
    lineFrom = i;
  }
  lineToken.push(count);
  return {
    text,
    count,
    kind,
    start,
    end,
    unit,
    flags,
    value,
    lineStart,
    lineToken,
    lineIndent,
    lineComment,
    lineCommentEnd,
  };

  /** A sign or `$` that is joined to a digit begins a number. */
  function startsNumber(c: number, i: number): boolean {
    if (c === 36) return isDigit(i + 1);
    if (c !== 43 && c !== 45) return false;
    return isDigit(i + 1) || (at(i + 1) === 36 && isDigit(i + 2));
  }

  /** Reads the number, date, month or clock at `i` into the token `count`; answers the offset after it. */
  function number(i: number): number {
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
    const from = i;
    let whole = 0;
    for (; isDigit(i); i++) if (whole <= numberMax) whole = whole * 10 + (text.charCodeAt(i) - 48);
    const plain = bits === 0 && code === NONE;
    if (plain && i - from === 4 && at(i) === 45 && isDigit(i + 1) && isDigit(i + 2) && !isDigit(i + 3)) {
      i += 3;
      kind[count] = MONTH;
      if (at(i) === 45 && isDigit(i + 1) && isDigit(i + 2) && !isDigit(i + 3)) {
        i += 3;
        kind[count] = DATE;
      }
      return i;
    }
    if (plain && at(i) === 58 && isDigit(i + 1)) return clock(from, i);
    let e4 = whole * 10_000;
    if (at(i) === 46 && isDigit(i + 1)) {
      bits |= POINT;
      i++;
      let scale = 1_000;
      let decimals = 0;
      for (; isDigit(i); i++) {
        if (++decimals <= decimalsMax) e4 += (text.charCodeAt(i) - 48) * scale;
        scale /= 10;
      }
      if (decimals > decimalsMax) bits |= TOO_FINE;
    }
    if (e4 > numberMax * 10_000) bits |= TOO_LARGE;
    if (at(i) === 37) {
      code = code === NONE ? 3 : UNKNOWN_UNIT;
      i++;
    }
    const suffix = i;
    while (isClass(at(i), LETTER) || isDigit(i)) i++;
    if (i > suffix) code = code === NONE ? unitCode(text, suffix, i) : UNKNOWN_UNIT;
    kind[count] = NUMBER;
    unit[count] = code;
    flags[count] = bits;
    value[count] = e4;
    return i;
  }

  /** `HH:MM` or `HH:MM:SS`; anything else of colons and digits is a malformed clock. */
  function clock(from: number, colon: number): number {
    let i = colon;
    let parts = 1;
    let bad = colon - from !== 2;
    let packed = Number(text.slice(from, Math.min(colon, from + 2)));
    while (at(i) === 58 && isDigit(i + 1)) {
      const digits = i + 1;
      i = digits;
      while (isDigit(i)) i++;
      parts++;
      bad ||= i - digits !== 2 || parts > 3;
      if (!bad) packed = packed * 100 + Number(text.slice(digits, i));
    }
    const suffix = i;
    while (isClass(at(i), LETTER) || isDigit(i)) i++;
    bad ||= i > suffix;
    kind[count] = CLOCK;
    flags[count] = bad ? MALFORMED : 0;
    value[count] = parts === 3 ? packed + 1_000_000 : packed * 100;
    return i;
  }
}

function isBlankEnd(c: number): boolean {
  return c === 32 || c === 9 || c === 13;
}

function isBad(c: number): boolean {
  if (c >= 128) return true;
  return c !== 32 && c !== 9 && c !== 10 && c !== 13 && c !== 35 && c !== 36 && classOf[c] === 0;
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
