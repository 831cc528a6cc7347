/** Parquet files to a tape: the columns that delimited text would have, under the same map and options. */
import { gunzipSync } from 'node:zlib';
import { type FileMetaData, parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { EVENTS_MAX } from './build.ts';
import { isoDateOf } from './calendar-date.ts';
import { type CsvOptions, importTables } from './csv/import.ts';
import type { TextTable } from './csv/table.ts';
import type { Imported, NamedBytes } from './imported.ts';
import { TapeRefusal } from './refusal.ts';
import { inflateMax } from './unpack.ts';

/** Rows decoded at a time. */
const WINDOW_ROWS = 65_536;
/** Codecs that are read; others need a library that is not here. */
const CODECS = ['UNCOMPRESSED', 'SNAPPY', 'GZIP'];

/** @throws TapeRefusal `parquet-bad` and those of delimited text; rows are numbered from 1 */
export async function importParquet(files: readonly NamedBytes[], options: CsvOptions = {}): Promise<Imported> {
  const tables: ParquetTable[] = [];
  for (const file of files) tables.push(await readTable(file));
  return importTables(tables, options, 'Parquet');
}

async function readTable(file: NamedBytes): Promise<ParquetTable> {
  const { bytes, name } = file;
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  try {
    const metadata = parquetMetadata(buffer);
    const naive = checked(metadata, file);
    const rows: Record<string, unknown>[] = [];
    const count = Number(metadata.num_rows);
    const stamp = (us: bigint, below: bigint) => new Stamp(us, below);
    for (let rowStart = 0; rowStart < count; rowStart += WINDOW_ROWS) {
      const window = await parquetReadObjects({
        file: { byteLength: buffer.byteLength, slice: (from, to) => buffer.slice(from, to) },
        metadata,
        rowStart,
        rowEnd: Math.min(count, rowStart + WINDOW_ROWS),
        compressors: { GZIP: (input, length) => gunzipSync(input, { maxOutputLength: Math.max(1, length) }) },
        parsers: {
          timestampFromMilliseconds: (ms) => stamp(ms * 1_000n, 0n),
          timestampFromMicroseconds: (us) => stamp(us, 0n),
          timestampFromNanoseconds: (ns) => stamp(ns / 1_000n, ns % 1_000n),
          dateFromDays: (days) => isoDateOf(days),
        },
      });
      for (const row of window) rows.push(row);
    }
    return new ParquetTable(name, {
      header: parquetSchema(metadata).children.map((each) => each.element.name),
      rows,
      naive,
    });
  } catch (error) {
    if (error instanceof TapeRefusal) throw error;
    throw new TapeRefusal('parquet-bad', {
      source: name,
      expected: 'a whole Parquet file of plain columns',
      got: error instanceof Error ? error.message : String(error),
    });
  }
}

/** @returns the columns whose timestamps say no zone: they are local times */
function checked(metadata: FileMetaData, file: NamedBytes): ReadonlySet<string> {
  const bad = (expected: string, got: string) => new TapeRefusal('parquet-bad', { source: file.name, expected, got });
  const most = inflateMax(file.bytes.length);
  let size = 0;
  for (const group of metadata.row_groups) {
    for (const { meta_data: column } of group.columns) {
      if (column === undefined) throw bad('columns inside the file', 'one elsewhere');
      if (!CODECS.includes(column.codec)) throw bad(`a codec of ${CODECS.join(', ')}`, column.codec);
      size += Number(column.total_uncompressed_size);
    }
  }
  if (size > most) throw bad(`at most ${most} bytes inside`, `${size}`);
  if (metadata.num_rows > BigInt(EVENTS_MAX)) throw bad(`at most ${EVENTS_MAX} rows`, `${metadata.num_rows}`);
  const naive = new Set<string>();
  for (const { element, children } of parquetSchema(metadata).children) {
    if (children.length > 0) continue;
    const type = element.logical_type;
    if (type?.type === 'TIMESTAMP' && !type.isAdjustedToUTC) naive.add(element.name);
  }
  return naive;
}

/** A timestamp in microseconds, and the nanoseconds below them. */
class Stamp {
  readonly us: bigint;
  readonly below: bigint;
  constructor(us: bigint, below: bigint) {
    this.us = us;
    this.below = below;
  }

  utcText(): string {
    return this.below === 0n ? `${this.us}` : `${this.us}.${String(this.below).padStart(3, '0')}`;
  }

  localText(): string {
    const day = this.us / US_PER_DAY;
    const us = this.us % US_PER_DAY;
    const two = (value: bigint) => String(value).padStart(2, '0');
    const seconds = us / 1_000_000n;
    const fraction = `${String(us % 1_000_000n).padStart(6, '0')}${String(this.below).padStart(3, '0')}`;
    return `${isoDateOf(Number(day))} ${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}.${fraction}`;
  }
}

const US_PER_DAY = 86_400_000_000n;

class ParquetTable implements TextTable {
  readonly source: string;
  readonly header: readonly string[];
  line = 0;
  private readonly rows: readonly Record<string, unknown>[];
  private readonly naive: ReadonlySet<string>;

  constructor(
    source: string,
    what: { header: readonly string[]; rows: readonly Record<string, unknown>[]; naive: ReadonlySet<string> },
  ) {
    this.source = source;
    this.header = what.header;
    this.rows = what.rows;
    this.naive = what.naive;
  }

  next(): boolean {
    if (this.line >= this.rows.length) return false;
    this.line++;
    return true;
  }

  field(column: number): string {
    const name = this.header[column]!;
    const value = this.rows[this.line - 1]![name];
    if (value === null || value === undefined) return '';
    if (value instanceof Stamp) return this.naive.has(name) ? value.localText() : value.utcText();
    // The shortest text of a double is the decimal that was meant; one of a 32-bit float is not, and will be refused.
    return String(value).trim();
  }
}
