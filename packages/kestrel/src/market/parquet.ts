/** Parquet files to a tape: the columns that delimited text would have, under the same map and options. */
import { gunzipSync } from 'node:zlib';
import { type FileMetaData, parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { isoDateOf } from './calendar-date.ts';
import { importTables } from './csv/import.ts';
import { columnsOf } from './csv/map.ts';
import type { CsvOptions } from './csv/options.ts';
import type { TextTable } from './csv/table.ts';
import type { Imported, NamedBytes } from './imported.ts';
import { TapeRefusal } from './refusal.ts';
import { inflateMax } from './unpack.ts';

/** Most rows of a file, and of one of its groups: a few bytes can stand for any number of equal rows. */
const ROWS_MAX = 20_000_000;
const GROUP_ROWS_MAX = 1 << 22;
/** Codecs that are read; others need a library that is not here. */
const CODECS = ['UNCOMPRESSED', 'SNAPPY', 'GZIP'];

/** @throws TapeRefusal `parquet-bad` and those of delimited text; rows are numbered from 1 */
export async function importParquet(files: readonly NamedBytes[], options: CsvOptions = {}): Promise<Imported> {
  const tables: ParquetTable[] = [];
  for (const file of files) tables.push(await readTable(file, options.map));
  return importTables(tables, options, 'Parquet');
}

async function readTable(file: NamedBytes, map: string | undefined): Promise<ParquetTable> {
  const { bytes, name } = file;
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  try {
    const metadata = parquetMetadata(buffer);
    const naive = checked(metadata, file);
    const header = parquetSchema(metadata).children.map((each) => each.element.name);
    const wanted = columnsOf(header, map, name);
    const columns: unknown[][] = header.map(() => []);
    for (const at of new Set([...wanted.t, ...wanted.field.values()])) {
      await readColumn({ buffer, metadata, column: header[at]! }, columns[at]!);
    }
    return new ParquetTable(name, { header, columns, rows: Number(metadata.num_rows), naive });
  } catch (error) {
    if (error instanceof TapeRefusal) throw error;
    throw new TapeRefusal('parquet-bad', {
      source: name,
      expected: 'a whole Parquet file of plain columns',
      got: error instanceof Error ? error.message : String(error),
    });
  }
}

/**
 * One column of one row group at a time: the library lets the failures of others go by unheard, which would end the
 * process.
 */
async function readColumn(
  from: { readonly buffer: ArrayBuffer; readonly metadata: FileMetaData; readonly column: string },
  to: unknown[],
): Promise<void> {
  const { buffer, metadata, column } = from;
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const rows = await parquetReadObjects({
      file: { byteLength: buffer.byteLength, slice: (start, end) => buffer.slice(start, end) },
      metadata,
      columns: [column],
      rowStart,
      rowEnd,
      compressors: { GZIP: (input, length) => gunzipSync(input, { maxOutputLength: Math.max(1, length) }) },
      parsers: {
        timestampFromMilliseconds: (ms) => new Stamp(ms * 1_000n, 0n),
        timestampFromMicroseconds: (us) => new Stamp(us, 0n),
        timestampFromNanoseconds: (ns) => new Stamp(ns / 1_000n, ns % 1_000n),
        dateFromDays: (days) => isoDateOf(days),
      },
    });
    if (rows.length !== rowEnd - rowStart)
      throw new RangeError(`${rows.length} rows in a group of ${rowEnd - rowStart}`);
    for (const row of rows) to.push(row[column]);
    rowStart = rowEnd;
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
  const rows = metadata.row_groups.reduce((sum, group) => sum + group.num_rows, 0n);
  if (rows !== metadata.num_rows)
    throw bad('as many rows in its groups as the file says', `${rows} and ${metadata.num_rows}`);
  if (metadata.row_groups.some((group) => group.num_rows < 0n || group.num_rows > BigInt(GROUP_ROWS_MAX))) {
    throw bad(`groups of 0 to ${GROUP_ROWS_MAX} rows`, 'another');
  }
  if (metadata.num_rows > BigInt(ROWS_MAX)) throw bad(`at most ${ROWS_MAX} rows`, `${metadata.num_rows}`);
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
  private readonly columns: readonly (readonly unknown[])[];
  private readonly rows: number;
  private readonly naive: ReadonlySet<string>;

  constructor(
    source: string,
    what: {
      readonly header: readonly string[];
      readonly columns: readonly (readonly unknown[])[];
      readonly rows: number;
      readonly naive: ReadonlySet<string>;
    },
  ) {
    this.source = source;
    this.header = what.header;
    this.columns = what.columns;
    this.rows = what.rows;
    this.naive = what.naive;
  }

  next(): boolean {
    if (this.line >= this.rows) return false;
    this.line++;
    return true;
  }

  field(column: number): string {
    const name = this.header[column]!;
    const value = this.columns[column]![this.line - 1];
    if (value === null || value === undefined) return '';
    if (value instanceof Stamp) return this.naive.has(name) ? value.localText() : value.utcText();
    // The shortest text of a double is the decimal that was meant; one of a 32-bit float is not, and will be refused.
    return String(value).trim();
  }
}
