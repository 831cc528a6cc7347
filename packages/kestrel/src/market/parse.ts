/** JSON Lines of `kestrel.tape/v1` to a tape in columns, with its identity. */
import { jcs } from 'ground/jcs';
import { ColumnsBuilder, EVENTS_MAX } from './build.ts';
import { IdentityWriter, identityOf, piecesOf } from './canon.ts';
import { ABSENT, Flag, Kind, type Tape } from './columns.ts';
import { StrictReader } from './event.ts';
import { bitOf, Slot } from './fields.ts';
import { headOf, type TapeHead } from './header.ts';
import { type ExactObject, type ExactValue, JsonFault, parseExact, plainObject } from './json.ts';
import { TapeRefusal } from './refusal.ts';
import { FastScanner, LINE_BYTES_MAX } from './scan.ts';
import { type Skip, SkipLog } from './skips.ts';
import { tapeOf } from './tape.ts';

/** Longest header, in bytes: a chain's strikes make it longer than any event. */
export const HEADER_BYTES_MAX = 1 << 24;
/** Most bytes of one tape as text. */
export const TAPE_BYTES_MAX = 2 ** 31 - 1;

export interface ParseOptions {
  /** `lenient` skips bad lines and records how many and why in the header's `skipped`. The header is never skipped. */
  readonly badLines?: 'refuse' | 'skip';
  /** `strict` turns the fast reader off: the same tape, slower. For tests that hold the two to one result. */
  readonly reader?: 'fast' | 'strict';
}

export interface ParsedTape {
  readonly tape: Tape;
  /** The first lines skipped, SKIPS_TOLD_MAX of them. */
  readonly skipped: readonly Skip[];
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

/** What both readers hold of an event. */
interface Fields {
  readonly slots: Float64Array;
  readonly mask: number;
  readonly kind: number;
  readonly inst: number;
  readonly flags: number;
}

type DayFault = 'time-back' | 'close-early' | 'price-negative' | 'bar-shape' | 'bar-length' | 'events-many';

/** The day so far: the rules that look beyond one line, and the columns. */
class Day {
  private readonly head: TapeHead;
  private readonly rows: ColumnsBuilder;
  private readonly barLengthUs = new Map<number, number>();
  private readonly identity: IdentityWriter;
  private readonly bytes: Uint8Array;
  private lastT = 0;
  private runFrom = 0;
  private runTo = 0;
  private readonly barAt = (i: number) => this.rows.bars[i]!;

  constructor(head: TapeHead, bytes: Uint8Array, capacity: number) {
    this.head = head;
    this.bytes = bytes;
    this.rows = new ColumnsBuilder({ capacity, instruments: head.instruments.length });
    this.identity = new IdentityWriter(piecesOf(head.instruments));
    this.identity.line(head.canonical);
  }

  fault(event: Fields): DayFault | undefined {
    const { slots, kind } = event;
    if (slots[Slot.t]! < this.lastT) return 'time-back';
    if (this.rows.rows >= EVENTS_MAX) return 'events-many';
    switch (kind) {
      case Kind.trade:
      case Kind.otrade:
        return slots[Slot.p]! < 0 ? 'price-negative' : undefined;
      case Kind.close:
        if (slots[Slot.t]! < this.head.session.close) return 'close-early';
        return slots[Slot.p]! < 0 ? 'price-negative' : undefined;
      case Kind.bar:
        return this.barFault(event);
      default:
        return undefined;
    }
  }

  private barFault(event: Fields): DayFault | undefined {
    const { slots } = event;
    const low = slots[Slot.l]!;
    const high = slots[Slot.h]!;
    const open = slots[Slot.o]!;
    const close = slots[Slot.c]!;
    if (low < 0) return 'price-negative';
    if (low > open || low > close || high < open || high < close) return 'bar-shape';
    const length = this.barLengthUs.get(event.inst);
    return length !== undefined && length !== slots[Slot.d] ? 'bar-length' : undefined;
  }

  refusalOf(code: DayFault, event: Fields, line: number): TapeRefusal {
    const { slots } = event;
    const said = (expected: string, got: string | number, next?: string) =>
      new TapeRefusal(code, { line, expected, got: String(got), ...(next === undefined ? {} : { next }) });
    switch (code) {
      case 'time-back':
        return said(`"t" at or after ${this.lastT}, the line before`, slots[Slot.t]!, 'sort the events by time');
      case 'events-many':
        return said(`at most ${EVENTS_MAX} events`, 'more');
      case 'close-early':
        return said(`a close at or after the session's, ${this.head.session.close}`, slots[Slot.t]!);
      case 'price-negative':
        return said('a print at 0 or above', 'a negative price');
      case 'bar-shape':
        return said('"l" at or below "o" and "c", "h" at or above them', 'another order');
      case 'bar-length':
        return said('one length "d" for all bars of a symbol', 'another');
      default:
        return never(code);
    }
  }

  /** @param canonicalFrom where the line begins, if its bytes up to `to` are its canonical text; else -1 */
  append(event: Fields, canonicalFrom: number, to: number): void {
    this.appendRow(event);
    if (canonicalFrom < 0) {
      this.write(this.rows.rows - 1);
      return;
    }
    if (canonicalFrom !== this.runTo) {
      this.closeRun();
      this.runFrom = canonicalFrom;
    }
    this.runTo = to;
  }

  private write(row: number): void {
    this.closeRun();
    this.identity.row(this.rows, row, this.barAt);
  }

  /** Lines in a row that are canonical as they stand are hashed as they stand. */
  private closeRun(): void {
    if (this.runTo > this.runFrom) this.identity.bytes(this.bytes.subarray(this.runFrom, this.runTo));
    this.runFrom = 0;
    this.runTo = 0;
  }

  private appendRow(event: Fields): void {
    const { slots, kind, inst, flags, mask } = event;
    const t = slots[Slot.t]!;
    const { rows } = this;
    switch (kind) {
      case Kind.quote:
      case Kind.oquote:
        rows.append(
          t,
          kind,
          inst,
          flags,
          (mask & BIT_B) !== 0 ? slots[Slot.b]! : ABSENT,
          (mask & BIT_BZ) !== 0 ? slots[Slot.bz]! : ABSENT,
          (mask & BIT_A) !== 0 ? slots[Slot.a]! : ABSENT,
          (mask & BIT_AZ) !== 0 ? slots[Slot.az]! : ABSENT,
        );
        break;
      case Kind.trade:
      case Kind.otrade:
        rows.append(t, kind, inst, flags, slots[Slot.p]!, slots[Slot.z]!, 0, 0);
        break;
      case Kind.bar:
        this.barLengthUs.set(inst, slots[Slot.d]!);
        rows.bar(
          { t, inst },
          {
            o: slots[Slot.o]!,
            h: slots[Slot.h]!,
            l: slots[Slot.l]!,
            c: slots[Slot.c]!,
            z: slots[Slot.z]!,
            d: slots[Slot.d]!,
          },
        );
        break;
      case Kind.halt:
        rows.halt({ t, inst }, (flags & Flag.on) !== 0 ? 'on' : 'off');
        break;
      case Kind.close:
        rows.close({ t, inst }, { priceE4: slots[Slot.p]! });
        break;
      default:
        throw new RangeError(`no row of numbers for kind ${kind}`);
    }
    this.lastT = t;
  }

  /** Appends what the strict reader took; where the columns do not say it all, its canonical text is kept beside. */
  appendExact(event: StrictReader, source: ExactObject): void {
    const { rows } = this;
    const t = event.slots[Slot.t]!;
    switch (event.kind) {
      case Kind.other:
        rows.text({ t, kind: Kind.other }, jcs(plainObject(source)));
        break;
      case Kind.news:
        rows.text({ t, kind: Kind.news }, event.text);
        if (!event.isPlain) rows.extras.set(rows.rows - 1, jcs(plainObject(source)));
        break;
      default:
        this.appendRow(event);
        if (!event.isPlain) rows.extras.set(rows.rows - 1, jcs(plainObject(source)));
    }
    this.lastT = t;
    this.write(rows.rows - 1);
  }

  finish(skips: SkipLog): ParsedTape {
    this.closeRun();
    const columns = this.rows.columns();
    if (skips.count === 0) return { tape: tapeOf(this.head, columns, this.identity.identity()), skipped: [] };
    const head = skips.recordedIn(this.head);
    const identity = identityOf({ headerText: head.canonical, instruments: head.instruments, columns });
    return { tape: tapeOf(head, columns, identity), skipped: skips.told };
  }
}

const BIT_A = bitOf('a');
const BIT_AZ = bitOf('az');
const BIT_B = bitOf('b');
const BIT_BZ = bitOf('bz');

function never(value: never): never {
  throw new RangeError(`unreachable: ${String(value)}`);
}
