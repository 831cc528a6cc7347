/**
 * The log of one session: JSON Lines, one line an operation, only ever appended to. The order of lines is the order of
 * events, so whoever's line comes first has won the slot; a line that is torn, or comes too late, is as if it were not
 * there. No lock is needed, and none can be left behind by a process that was killed.
 */
import { sha256 } from 'ground/digest';
import { jcs, type KnownTexts } from 'ground/jcs';
import { type Appender, type Disk, StoreFault } from './disk.ts';

/** An event as the log sees it. */
export interface LoggedEvent {
  readonly sequence: number;
  readonly t: number;
  readonly kind: string;
  readonly value: unknown;
}

/** What one operation adds, whole or not at all. */
export interface LogRecord<E extends LoggedEvent = LoggedEvent> {
  /** Name of the operation. */
  readonly op: string;
  /** What the operation is found by: `open`, `start`, an ordinal, `finalize`. */
  readonly key: string;
  readonly events: readonly E[];
  /** References of what can be read back from this line. */
  readonly refs: readonly string[];
  /** Values of references that no event holds, by reference. */
  readonly kept?: Readonly<Record<string, unknown>>;
  /** What the operation was given beside what its events tell. */
  readonly given?: unknown;
}

interface Line {
  readonly offset: number;
  readonly length: number;
  readonly key: string;
  readonly op: string;
  readonly first: number;
  readonly last: number;
  /** Kind of its last event. */
  readonly ends: string;
}

/** Longest line that is read. */
export const LOG_LINE_BYTES_MAX = 1 << 28;
const LF = 10;
/** Tries of an append that another's torn line spoilt. */
const TRIES_MAX = 5;
const CHECK_CHARS = 32;
const EVENTS_BEGIN = /^\{"check":"[0-9a-f]{32}","events":\[/;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export class SessionLog<E extends LoggedEvent = LoggedEvent> {
  readonly id: string;
  readonly #disk: Disk;
  readonly #path: string;
  readonly #writer: string;
  #appender: Appender | undefined;
  #lines: Line[] = [];
  #byKey = new Map<string, Line>();
  /** Bytes in whole lines that have been looked at. */
  #seen = 0;
  /** Bytes that have been looked at; more than `#seen` where the last line has no end. */
  #size = 0;
  #unsynced = false;
  #syncing: Promise<void> | undefined;

  constructor(place: { readonly disk: Disk; readonly path: string; readonly id: string; readonly writer: string }) {
    this.#disk = place.disk;
    this.#path = place.path;
    this.id = place.id;
    this.#writer = place.writer;
  }

  /** Sequence of the last event; 0 where there is none. */
  get last(): number {
    return this.#lines.at(-1)?.last ?? 0;
  }

  get lastKey(): string | undefined {
    return this.#lines.at(-1)?.key;
  }

  /** Kind of the last event. */
  get lastEnds(): string | undefined {
    return this.#lines.at(-1)?.ends;
  }

  get keys(): readonly string[] {
    return this.#lines.map((line) => line.key);
  }

  /** Whether something read or written here may not have reached the disk yet. */
  get unsynced(): boolean {
    return this.#unsynced || this.#syncing !== undefined;
  }

  /**
   * Takes in what others appended.
   * @returns whether there was anything new
   */
  refresh(): boolean {
    const appender = this.#open('existing');
    if (appender === undefined) return false;
    if (!appender.reaches(this.#size)) return false;
    const size = appender.size();
    const before = this.#lines.length;
    this.#take(appender.read(this.#seen, size - this.#seen));
    if (this.#lines.length === before) return false;
    this.#unsynced = true;
    return true;
  }

  /**
   * Appends the record if nothing else has come since the last look.
   *
   * @param known canonical texts of objects within it
   * @returns `lost` where another's line came first; look again then
   * @throws StoreFault
   */
  append(record: LogRecord<E>, known?: KnownTexts): 'won' | 'lost' {
    const appender = this.#open('make')!;
    const first = record.events[0]!.sequence;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      this.refresh();
      if (this.last + 1 !== first) return 'lost';
      // A torn rest gets an end of its own first, so that nothing is glued to it. It may turn out to have been a
      // whole line that missed only its end: then it was first.
      const lead = this.#size > this.#seen ? 1 : 0;
      const bytes = encoder.encode(`${lead === 1 ? '\n' : ''}${this.#lineOf(record, known)}\n`);
      const before = this.#size;
      this.#unsynced = true;
      appender.write(bytes);
      const after = before + bytes.length;
      // With these bytes the file ends where it would have ended without anybody else's.
      if (lead === 0 && !appender.reaches(after)) {
        this.#accept(before, bytes.length - 1, record);
        this.#seen = after;
        this.#size = after;
        return 'won';
      }
      const size = appender.size();
      const mark = this.#lines.length;
      this.#take(appender.read(this.#seen, size - this.#seen));
      const line = this.#lines[mark];
      if (line !== undefined) return this.#writerOf(line) === this.#writer ? 'won' : 'lost';
    }
    throw new StoreFault(`append to ${this.#path}`, 'torn lines');
  }

  sync(): void {
    if (!this.#unsynced) return;
    this.#open('existing')?.sync();
    this.#unsynced = false;
  }

  /**
   * As {@link sync}, without holding anybody else up. It waits for what was written before this call and for nothing
   * that comes later, or else whoever asks would wait as long as others write.
   */
  async syncLater(): Promise<void> {
    if (!this.#unsynced) return this.#syncing;
    this.#unsynced = false;
    // Two syncs may be on their way at once; the later one answers for all that came before it, so it is the last to end.
    const mine = Promise.all([this.#open('existing')?.syncLater(), this.#syncing]).then(() => undefined);
    this.#syncing = mine;
    try {
      await mine;
    } catch (error) {
      this.#unsynced = true;
      throw error;
    } finally {
      if (this.#syncing === mine) this.#syncing = undefined;
    }
  }

  /** The record of an operation. */
  find(key: string): LogRecord<E> | undefined {
    const line = this.#byKey.get(key);
    return line === undefined ? undefined : this.#read(line);
  }

  /** Records in order, from the one that holds the event `sequence` on. */
  *records(sequence = 1): Generator<LogRecord<E>> {
    let lo = 0;
    let hi = this.#lines.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (this.#lines[mid]!.last < sequence) lo = mid + 1;
      else hi = mid;
    }
    for (let i = lo; i < this.#lines.length; i++) yield this.#read(this.#lines[i]!);
  }

  /**
   * The canonical text of all events so far, with commas between them, as the lines hold it: nothing is parsed. Asked
   * for while no line keeps values beside its events.
   */
  eventsText(): string {
    const parts: string[] = [];
    for (const line of this.#lines) {
      const bytes = this.#open('existing')?.read(line.offset, line.length);
      const text = bytes === undefined ? '' : decoder.decode(bytes);
      const begin = EVENTS_BEGIN.exec(text)?.[0].length ?? -1;
      // Names come in order, so what was given, or else the key, follows the events; no event has a field so named.
      const given = text.lastIndexOf('],"given":');
      const end = given >= 0 ? given : text.lastIndexOf('],"key":');
      if (begin < 0 || end < begin) throw new StoreFault(`read ${this.#path}`, 'a line that was there is gone');
      parts.push(text.slice(begin, end));
    }
    return parts.join(',');
  }

  close(): void {
    this.#appender?.close();
    this.#appender = undefined;
  }

  #open(mode: 'make' | 'existing'): Appender | undefined {
    this.#appender ??= this.#disk.append(this.#path, mode);
    return this.#appender;
  }

  #lineOf(record: LogRecord<E>, known: KnownTexts | undefined): string {
    const body = jcs({ ...record, writer: this.#writer }, known);
    return `{"check":"${sha256(body).slice(0, CHECK_CHARS)}",${body.slice(1)}`;
  }

  #accept(offset: number, length: number, record: Pick<LogRecord, 'key' | 'op' | 'events'>): void {
    const line: Line = {
      offset,
      length,
      key: record.key,
      op: record.op,
      first: record.events[0]!.sequence,
      last: record.events.at(-1)!.sequence,
      ends: record.events.at(-1)!.kind,
    };
    this.#lines.push(line);
    this.#byKey.set(line.key, line);
  }

  /** Reads whole lines out of the bytes that follow those seen; what is left without an end stays unseen. */
  #take(bytes: Uint8Array): void {
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(LF, at);
      if (end < 0) break;
      const record = recordIn(bytes.subarray(at, end));
      if (record !== undefined && record.events[0]!.sequence === this.last + 1) {
        this.#accept(this.#seen + at, end - at, record);
      }
      at = end + 1;
    }
    this.#size = this.#seen + bytes.length;
    this.#seen += at;
  }

  #read(line: Line): LogRecord<E> {
    const bytes = this.#open('existing')?.read(line.offset, line.length);
    const record = bytes === undefined ? undefined : recordIn(bytes);
    if (record === undefined) throw new StoreFault(`read ${this.#path}`, 'a line that was there is gone');
    return record as unknown as LogRecord<E>;
  }

  #writerOf(line: Line): unknown {
    return (this.#read(line) as unknown as { writer?: unknown }).writer;
  }
}

/** The record of a line, or undefined where the line is torn, altered or foreign. */
function recordIn(bytes: Uint8Array): LogRecord | undefined {
  if (bytes.length === 0 || bytes.length > LOG_LINE_BYTES_MAX) return undefined;
  try {
    const text = decoder.decode(bytes);
    const head = /^\{"check":"([0-9a-f]{32})",/.exec(text);
    if (head === null) return undefined;
    const body = `{${text.slice(head[0].length)}`;
    if (sha256(body).slice(0, CHECK_CHARS) !== head[1]) return undefined;
    const record = JSON.parse(body) as LogRecord;
    return Array.isArray(record.events) && record.events.length > 0 ? record : undefined;
  } catch {
    return undefined;
  }
}
