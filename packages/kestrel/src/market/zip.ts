/**
 * Zip files in bounds: every entry inflated to its declared size and no further, its CRC checked. Names are looked at
 * and never used as paths.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import { TAPE_BYTES_MAX } from './parse.ts';
import { TapeRefusal } from './refusal.ts';
import { INFLATE_FLOOR_BYTES, INFLATE_RATIO_MAX } from './unpack.ts';

export const ZIP_ENTRIES_MAX = 20_000;
/** Longest name of an entry, in bytes. */
export const ZIP_NAME_BYTES_MAX = 512;

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Listed {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const ZIP64_EXTRA = 1;
/** Stands for a number that did not fit. */
const WIDE = 0xffffffff;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const ENCRYPTED = 1;

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/**
 * @param source a name for refusals
 * @returns the files of the archive in its own order; folders left out
 * @throws TapeRefusal `zip-bad`, `zip-bomb`
 */
export function readZip(bytes: Uint8Array, source: string): readonly ZipEntry[] {
  const listed = listing(bytes, source);
  const total = listed.reduce((sum, entry) => sum + entry.size, 0);
  const most = Math.min(TAPE_BYTES_MAX, Math.max(INFLATE_FLOOR_BYTES, bytes.length * INFLATE_RATIO_MAX));
  if (total > most) {
    throw new TapeRefusal('zip-bomb', { source, expected: `at most ${most} bytes inside`, got: `${total}` });
  }
  return listed.filter(({ name }) => !name.endsWith('/')).map((entry) => inflated(bytes, entry, source));
}

function listing(bytes: Uint8Array, source: string): Listed[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const directory = directoryOf(view, source);
  const { count, end } = directory;
  let { at } = directory;
  if (count > ZIP_ENTRIES_MAX) throw bad(source, `at most ${ZIP_ENTRIES_MAX} files`, `${count}`);
  const out: Listed[] = [];
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== CENTRAL) throw bad(source, `${count} entries`, `${i}`);
    const nameBytes = view.getUint16(at + 28, true);
    const extraAt = at + 46 + nameBytes;
    const extraBytes = view.getUint16(at + 30, true);
    const next = extraAt + extraBytes + view.getUint16(at + 32, true);
    if (nameBytes > ZIP_NAME_BYTES_MAX || next > end) throw bad(source, 'an entry with a plain name', 'another');
    const name = new TextDecoder('latin1').decode(bytes.subarray(at + 46, extraAt));
    if ((view.getUint16(at + 8, true) & ENCRYPTED) !== 0) throw bad(source, 'files that are not encrypted', name);
    const wide = new WideFields(view, { from: extraAt, to: extraAt + extraBytes }, source);
    const size = wide.or(view.getUint32(at + 24, true));
    const packed = wide.or(view.getUint32(at + 20, true));
    const local = wide.or(view.getUint32(at + 42, true));
    const method = view.getUint16(at + 10, true);
    out.push({ name, method, crc: view.getUint32(at + 16, true), packed, size, at: local });
    at = next;
  }
  return out;
}

/** The zip64 extra field holds, in order, those of an entry's numbers that did not fit 32 bits. */
class WideFields {
  private readonly view: DataView;
  private readonly source: string;
  private at = 0;
  private end = 0;

  constructor(view: DataView, extra: { readonly from: number; readonly to: number }, source: string) {
    this.view = view;
    this.source = source;
    for (let at = extra.from; at + 4 <= extra.to; ) {
      const end = at + 4 + view.getUint16(at + 2, true);
      if (view.getUint16(at, true) === ZIP64_EXTRA && end <= extra.to) {
        this.at = at + 4;
        this.end = end;
        return;
      }
      at = end;
    }
  }

  or(narrow: number): number {
    if (narrow !== WIDE) return narrow;
    if (this.at + 8 > this.end) throw bad(this.source, 'the numbers of an entry', 'a zip64 field too short');
    const value = Number(this.view.getBigUint64(this.at, true));
    this.at += 8;
    return value;
  }
}

interface Directory {
  readonly count: number;
  readonly at: number;
  readonly end: number;
}

function directoryOf(view: DataView, source: string): Directory {
  const end = endOf(view, source);
  if (view.getUint16(end + 4, true) !== 0 && view.getUint16(end + 4, true) !== 0xffff) {
    throw bad(source, 'an archive in one part', 'several');
  }
  let count = view.getUint16(end + 10, true);
  let size = view.getUint32(end + 12, true);
  let at = view.getUint32(end + 16, true);
  let limit = end;
  const locator = end - 20;
  if (locator >= 0 && view.getUint32(locator, true) === LOCATOR64) {
    const wide = Number(view.getBigUint64(locator + 8, true));
    if (wide + 56 > locator || view.getUint32(wide, true) !== END64) throw bad(source, 'a zip64 end record', 'none');
    count = Number(view.getBigUint64(wide + 32, true));
    size = Number(view.getBigUint64(wide + 40, true));
    at = Number(view.getBigUint64(wide + 48, true));
    limit = wide;
  }
  if (at + size > limit) throw bad(source, 'a directory inside the file', 'one beyond it');
  return { count, at, end: limit };
}

/** The end record is at the end, but for a comment. */
function endOf(view: DataView, source: string): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= 0 && at >= last - COMMENT_BYTES_MAX; at--) {
    if (view.getUint32(at, true) === END && at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength)
      return at;
  }
  throw bad(source, 'a whole zip file', view.byteLength === 0 ? 'an empty file' : 'one without its directory');
}

function inflated(bytes: Uint8Array, entry: Listed, source: string): ZipEntry {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { name, at } = entry;
  if (at + 30 > bytes.length || view.getUint32(at, true) !== LOCAL)
    throw bad(source, `${name} in its place`, 'nothing');
  const from = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const to = from + entry.packed;
  if (to > bytes.length) throw bad(source, `${entry.packed} bytes of ${name}`, `${Math.max(0, bytes.length - from)}`);
  const packed = bytes.subarray(from, to);
  const out = unpacked(packed, entry, source);
  if (out.length !== entry.size) throw bad(source, `${entry.size} bytes in ${name}`, `${out.length}`);
  if (crc32(out) !== entry.crc) throw bad(source, `${name} with its checksum`, 'altered bytes');
  return { name, bytes: out };
}

function unpacked(packed: Uint8Array, entry: Listed, source: string): Uint8Array {
  if (entry.method === 0) return packed;
  if (entry.method !== 8) throw bad(source, 'files stored or deflated', `method ${entry.method} in ${entry.name}`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) });
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      const expected = `${entry.size} bytes in ${entry.name}, as declared`;
      throw new TapeRefusal('zip-bomb', { source, expected, got: 'more' });
    }
    if (typeof code !== 'string' || !code.startsWith('Z_')) throw error;
    throw bad(source, `${entry.name} whole`, (error as Error).message);
  }
}

function bad(source: string, expected: string, got: string): TapeRefusal {
  return new TapeRefusal('zip-bad', { source, expected, got });
}
