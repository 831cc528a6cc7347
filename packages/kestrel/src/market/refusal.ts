/** What is wrong with a tape or with what was to become one: a code, the line, the shape wanted, and what came. */

/** Every code a tape, an importer or the cache refuses with. docs/tape.md explains each; a test holds the two equal. */
export const TAPE_CODES = [
  // the bytes
  'bytes-many',
  'utf8-bad',
  'gzip-bad',
  'file-unreadable',
  // a line
  'line-long',
  'json-bad',
  'json-duplicate',
  'json-deep',
  // the header
  'header-missing',
  'version-unknown',
  'header-field',
  'calendar-unknown',
  'date-bad',
  'date-closed',
  'session-bad',
  'instrument-bad',
  'instrument-twice',
  'instruments-many',
  'reference-bad',
  // an event
  'events-many',
  'skips-many',
  'kind-unknown',
  'field-missing',
  'field-type',
  'time-bad',
  'time-back',
  'number-bad',
  'number-precise',
  'price-range',
  'price-negative',
  'size-bad',
  'instrument-unknown',
  'contract-unknown',
  'bar-length',
  'bar-shape',
  'close-early',
  // importers
  'option-bad',
  'name-unknown',
  'zip-bad',
  'zip-bomb',
  'zip-empty',
  'row-bad',
  'column-missing',
  'zone-unknown',
  'local-time',
  'tape-empty',
  'parquet-bad',
] as const;
export type TapeCode = (typeof TAPE_CODES)[number];

/** Longest piece of the input that a refusal quotes, in UTF-16 units. */
export const GOT_LENGTH_MAX = 200;

export interface TapeFault {
  /** The file, where an import has several. */
  readonly source?: string;
  readonly line?: number;
  readonly expected: string;
  readonly got: string;
  /** What to do next. */
  readonly next?: string;
}

export class TapeRefusal extends Error {
  override readonly name = 'TapeRefusal';
  readonly code: TapeCode;
  /** Line of the source, from 1; 0 where no line is meant. */
  readonly line: number;
  readonly expected: string;
  readonly got: string;

  constructor(code: TapeCode, what: TapeFault) {
    const got = clip(what.got);
    const line = what.line ?? 0;
    const source = what.source === undefined ? '' : `${clip(what.source)}: `;
    const where = line > 0 ? `${source}line ${line}: ` : source;
    const next = what.next === undefined ? '' : `; ${what.next}`;
    super(`${where}${code}: wanted ${what.expected}, got ${got}${next}`);
    this.code = code;
    this.line = line;
    this.expected = what.expected;
    this.got = got;
  }
}

/** Hostile input must not flood a terminal or a log, nor leave half a character behind. */
function clip(text: string): string {
  return (text.length > GOT_LENGTH_MAX ? `${text.slice(0, GOT_LENGTH_MAX)}…` : text).toWellFormed();
}
