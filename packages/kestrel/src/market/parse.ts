/** JSON Lines of `kestrel.tape/v1` to a tape in columns, with its identity. */
import { EVENTS_MAX } from './build.ts';
import { Day, type ParsedTape } from './day.ts';
import { StrictReader } from './event.ts';
import { headOf, type TapeHead } from './header.ts';
import { type ExactObject, type ExactValue, JsonFault, parseExact } from './json.ts';
import { TapeRefusal } from './refusal.ts';
import { FastScanner, LINE_BYTES_MAX } from './scan.ts';
import { SkipLog } from './skips.ts';

export type { ParsedTape } from './day.ts';

/** Longest header, in bytes: a chain's strikes make it longer than any event. */
export const HEADER_BYTES_MAX = 1 << 24;
/** Most bytes of one tape as text. */
export const TAPE_BYTES_MAX = 2 ** 31 - 1;

export interface ParseOptions {
  /** `skip` leaves bad lines out, and records how many and why in the header's `skipped`. The header is never skipped. */
  readonly badLines?: 'refuse' | 'skip';
  /** `strict` turns the fast reader off: the same tape, slower. For tests that hold the two to one result. */
  readonly reader?: 'fast' | 'strict';
}

/**
 * @param source UTF-8 bytes or text; a byte order mark, CR before LF and empty lines are let pass
 * @throws TapeRefusal with the line, from 1, at which the source is no tape
 */
export function parseTape(source: Uint8Array | string, options: ParseOptions = {}): ParsedTape {
  return new TapeReader(bytesOf(source), options).read();
}

function bytesOf(source: Uint8Array | string): Uint8Array {
  const size = source.length;
  if (size > TAPE_BYTES_MAX) {
    throw new TapeRefusal('bytes-many', { expected: `at most ${TAPE_BYTES_MAX} bytes`, got: `${size}` });
  }
  if (typeof source !== 'string') return source;
  if (!source.isWellFormed()) {
    throw new TapeRefusal('utf8-bad', { expected: 'well-formed text', got: 'a lone surrogate' });
  }
  return new TextEncoder().encode(source);
}

const LF = 0x0a;
const BRACE = 0x7b;
/** `{"t":0,"k":"halt",…}` and `{"k":"quote","s":"A","t":0}` are longer than this. */
const EVENT_BYTES_MIN = 20;

class TapeReader {
  private readonly bytes: Uint8Array;
  private readonly options: ParseOptions;
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private readonly skips = new SkipLog();
  private line = 0;
  private at = 0;

  constructor(bytes: Uint8Array, options: ParseOptions) {
    this.bytes = bytes;
    this.options = options;
  }

  read(): ParsedTape {
    const { bytes } = this;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
    const head = this.header();
    const day = new Day(head, bytes, eventsAtMost(bytes, this.at));
    const fast = this.options.reader === 'strict' ? undefined : new FastScanner(bytes, head);
    const strict = new StrictReader(head);
    while (this.at < bytes.length) {
      if (bytes[this.at] !== BRACE && this.skipBlank()) continue;
      this.line++;
      if (fast !== undefined) {
        const next = fast.scan(this.at);
        if (next > 0 && day.fault(fast) === undefined) {
          day.append(fast, fast.canonical ? this.at : -1, next);
          this.at = next;
          continue;
        }
      }
      this.strictLine(strict, day);
    }
    return day.finish(this.skips);
  }

  private header(): TapeHead {
    while (this.at < this.bytes.length) {
      if (this.skipBlank()) continue;
      this.line++;
      const text = this.lineText(HEADER_BYTES_MAX);
      return headOf(this.json(text), this.line);
    }
    throw new TapeRefusal('header-missing', { line: 1, expected: 'a header line', got: 'an empty source' });
  }

  private strictLine(strict: StrictReader, day: Day): void {
    try {
      const text = this.lineText(LINE_BYTES_MAX);
      const event = this.json(text);
      strict.read(event, this.line);
      const fault = day.fault(strict);
      if (fault !== undefined) throw day.refusalOf(fault, strict, this.line);
      day.appendExact(strict, event as ExactObject);
    } catch (error) {
      // A full tape stays full: what lenient reading forgives is a line, not the bound.
      if (!(error instanceof TapeRefusal) || this.options.badLines !== 'skip' || error.code === 'events-many')
        throw error;
      this.skips.add(error);
    }
  }

  /** Passes a line that is empty or blank. @returns whether there was one */
  private skipBlank(): boolean {
    const { bytes } = this;
    let at = this.at;
    while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d) at++;
    if (at < bytes.length && bytes[at] !== LF) return false;
    this.line++;
    this.at = at + 1;
    return true;
  }

  /** The next line's text; `at` is then at the line after it, whatever this line is. */
  private lineText(bytesMax: number): string {
    const from = this.at;
    const found = this.bytes.indexOf(LF, from);
    const to = found < 0 ? this.bytes.length : found;
    this.at = to + 1;
    if (to - from > bytesMax) {
      throw new TapeRefusal('line-long', {
        line: this.line,
        expected: `at most ${bytesMax} bytes`,
        got: `${to - from}`,
      });
    }
    try {
      return this.utf8.decode(this.bytes.subarray(from, to));
    } catch {
      throw new TapeRefusal('utf8-bad', { line: this.line, expected: 'UTF-8', got: 'bytes that are not' });
    }
  }

  private json(text: string): ExactValue {
    try {
      return parseExact(text);
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      throw new TapeRefusal(error.code, { line: this.line, expected: error.expected, got: error.got });
    }
  }
}

/** Upper bound of the events from an offset on: one a line, and none shorter than the shortest. */
function eventsAtMost(bytes: Uint8Array, from: number): number {
  let lines = 1;
  for (let at = from; at < bytes.length; at++) if (bytes[at] === LF) lines++;
  return Math.min(lines, Math.ceil((bytes.length - from) / EVENT_BYTES_MIN), EVENTS_MAX);
}
