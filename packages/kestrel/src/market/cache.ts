/**
 * The binary form of a parsed tape: columns as they lie in memory, between a JSON preface and a SHA-256 of it all.
 * Decoding copies nothing: the columns are views of the bytes read.
 */
import { sha256 } from 'ground/digest';
import { jcs } from 'ground/jcs';
import type { Columns, PriceColumn, SizeColumn, Tape } from './columns.ts';
import { headOf } from './header.ts';
import { parseExact } from './json.ts';
import type { Skip } from './skips.ts';
import { tapeOf } from './tape.ts';

/** A change of what parsing yields, or of this layout, is a new number: old files are then rebuilt. */
export const CACHE_VERSION = 1;
const MAGIC = 'kestrel.columns/';
const CHECKSUM_BYTES = 64;
/** Columns begin at multiples of this, as typed arrays must. */
const ALIGN = 8;

export interface CachedTape {
  readonly tape: Tape;
  readonly skipped: readonly Skip[];
}

type Column = PriceColumn | SizeColumn | Uint8Array | Int16Array;
const TYPES = { f64: Float64Array, i32: Int32Array, i16: Int16Array, u8: Uint8Array } as const;
type TypeName = keyof typeof TYPES;

interface Preface {
  readonly version: number;
  readonly source: string;
  readonly identity: string;
  readonly header: string;
  readonly length: number;
  readonly columns: readonly (readonly [name: string, type: TypeName, length: number])[];
  readonly texts: readonly string[];
  readonly extras: readonly (readonly [row: number, text: string])[];
  readonly skipped: readonly Skip[];
}

/** Whether this machine's memory has the order of bytes that the files have. */
export const CACHE_POSSIBLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** @param source SHA-256 of the source's bytes, which the file is found by */
export function encodeCache(cached: CachedTape, source: string): Uint8Array {
  const { tape } = cached;
  const named = namedColumns(tape.columns);
  const preface: Preface = {
    version: CACHE_VERSION,
    source,
    identity: tape.identity,
    header: jcs(tape.header),
    length: tape.columns.length,
    columns: named.map(([name, column]) => [name, typeOf(column), column.length]),
    texts: tape.columns.texts,
    extras: [...tape.columns.extras],
    skipped: cached.skipped,
  };
  const text = Buffer.from(JSON.stringify(preface), 'utf8');
  const lead = Buffer.from(`${MAGIC}${String(text.length).padStart(12, '0')}\n`, 'latin1');
  let size = aligned(lead.length + text.length);
  for (const [, column] of named) size += aligned(column.byteLength);
  const out = new Uint8Array(size + CHECKSUM_BYTES);
  out.set(lead, 0);
  out.set(text, lead.length);
  let at = aligned(lead.length + text.length);
  for (const [, column] of named) {
    out.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += aligned(column.byteLength);
  }
  out.set(Buffer.from(sha256(out.subarray(0, size)), 'latin1'), size);
  return out;
}

/**
 * @param bytes a whole cache file, at the start of its own buffer
 * @param checksum `verified` where the bytes never left this process since they were encoded
 * @returns undefined where the file is torn, altered, of another version or of another source: rebuild it
 */
export function decodeCache(
  bytes: Uint8Array,
  source: string,
  checksum: 'to-verify' | 'verified' = 'to-verify',
): CachedTape | undefined {
  const size = bytes.length - CHECKSUM_BYTES;
  const leadBytes = MAGIC.length + 13;
  if (size < leadBytes || size % ALIGN !== 0 || bytes.byteOffset % ALIGN !== 0) return undefined;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const lead = /^kestrel\.columns\/([0-9]{12})\n$/.exec(file.toString('latin1', 0, leadBytes));
  if (lead === null) return undefined;
  if (checksum === 'to-verify' && file.toString('latin1', size) !== sha256(bytes.subarray(0, size))) return undefined;
  const prefaceEnd = leadBytes + Number(lead[1]);
  if (prefaceEnd > size) return undefined;
  const preface = JSON.parse(file.toString('utf8', leadBytes, prefaceEnd)) as Preface;
  if (preface.version !== CACHE_VERSION || preface.source !== source) return undefined;
  const columns = new Map<string, Column>();
  let at = aligned(prefaceEnd);
  for (const [name, type, length] of preface.columns) {
    const column = new TYPES[type](bytes.buffer as ArrayBuffer, bytes.byteOffset + at, length);
    columns.set(name, column);
    at += aligned(column.byteLength);
  }
  if (at !== size) return undefined;
  const head = headOf(parseExact(preface.header), 1);
  const get = <T extends Column>(name: string) => columns.get(name) as T;
  const tape = tapeOf(
    head,
    {
      length: preface.length,
      t: get('t'),
      kind: get('kind'),
      flags: get('flags'),
      inst: get('inst'),
      a: get('a'),
      b: get('b'),
      c: get('c'),
      d: get('d'),
      bars: { o: get('bo'), h: get('bh'), l: get('bl'), c: get('bc'), z: get('bz'), d: get('bd') },
      texts: preface.texts,
      extras: new Map(preface.extras),
    },
    preface.identity,
  );
  return { tape, skipped: preface.skipped };
}

function namedColumns(columns: Columns): readonly (readonly [string, Column])[] {
  const { bars } = columns;
  return [
    ['t', columns.t],
    ['a', columns.a],
    ['b', columns.b],
    ['c', columns.c],
    ['d', columns.d],
    ['inst', columns.inst],
    ['kind', columns.kind],
    ['flags', columns.flags],
    ['bo', bars.o],
    ['bh', bars.h],
    ['bl', bars.l],
    ['bc', bars.c],
    ['bz', bars.z],
    ['bd', bars.d],
  ];
}

function typeOf(column: Column): TypeName {
  if (column instanceof Float64Array) return 'f64';
  if (column instanceof Int32Array) return 'i32';
  return column instanceof Int16Array ? 'i16' : 'u8';
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGN) * ALIGN;
}
