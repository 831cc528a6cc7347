/** One door for what people have: LEAN archives, delimited text, chain snapshots, Parquet; told apart by their bytes. */

import { isSnapshots } from './csv/chain.ts';
import { importCsv } from './csv/import.ts';
import type { CsvOptions } from './csv/options.ts';
import type { Imported, NamedBytes } from './imported.ts';
import { importLean, type LeanOptions } from './lean/import.ts';
import { TapeRefusal } from './refusal.ts';
import { isGzip, unpack } from './unpack.ts';
import { isZip, readZip } from './zip.ts';

export const IMPORT_FORMATS = ['lean', 'csv', 'chain-csv', 'databento', 'parquet'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** What `lean` and what `csv` may be told; each takes its own. */
export interface ImportOptions extends LeanOptions, CsvOptions {
  /** Absent: a header with expiries, rights and strikes is of chain snapshots, zips are LEAN's, `PAR1` is Parquet, a bare file of numbers without a header is LEAN's, the rest CSV. */
  readonly format?: ImportFormat;
}

/** @throws TapeRefusal */
export async function importTape(files: readonly NamedBytes[], options: ImportOptions = {}): Promise<Imported> {
  const [first] = files;
  if (first === undefined) throw new TapeRefusal('option-bad', { expected: 'at least one file', got: 'none' });
  const format =
    options.format ?? (files.some(({ bytes }) => isSnapshots(bytes)) ? 'chain-csv' : formatOf(first.bytes));
  switch (format) {
    case 'lean':
      return importLean(files, options);
    case 'chain-csv': {
      // LEAN's archives may stand beside: those of the share or index, of prints, of open interest.
      const plain = files.map(({ name, bytes }) => ({ name, bytes: isGzip(bytes) ? unpack(bytes) : bytes }));
      const other = plain.find(({ bytes }) => !isZip(bytes) && !isSnapshots(bytes));
      if (other !== undefined) {
        const expected = 'a header line with an expiry, a right and a strike';
        throw new TapeRefusal('column-missing', { source: other.name, line: 1, expected, got: 'another' });
      }
      return importLean(plain, options);
    }
    case 'csv':
      return importCsv(unzipped(files), options);
    case 'databento': {
      const { importDatabento } = await import('./csv/databento.ts');
      return importDatabento(unzipped(files), options);
    }
    case 'parquet': {
      const { importParquet } = await import('./parquet.ts');
      return importParquet(files, options);
    }
    default:
      throw new TapeRefusal('option-bad', {
        expected: `a format: ${IMPORT_FORMATS.join(', ')}`,
        got: `${format satisfies never}`,
      });
  }
}

function formatOf(bytes: Uint8Array): ImportFormat {
  if (isZip(bytes)) return 'lean';
  if (isGzip(bytes)) return 'csv';
  if (bytes[0] === 0x50 && bytes[1] === 0x41 && bytes[2] === 0x52 && bytes[3] === 0x31) return 'parquet';
  // LEAN's rows begin with milliseconds or a date and have no header.
  return /^[0-9]+(\.[0-9]+)?( [0-9:]+)?,/.test(new TextDecoder('latin1').decode(bytes.subarray(0, 64)))
    ? 'lean'
    : 'csv';
}

function unzipped(files: readonly NamedBytes[]): NamedBytes[] {
  return files.flatMap((file) =>
    isZip(file.bytes)
      ? readZip(file.bytes, file.name).map((entry) => ({ name: `${file.name}:${entry.name}`, bytes: entry.bytes }))
      : [file],
  );
}
