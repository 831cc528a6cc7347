/**
 * A tape from a file: JSON Lines, gzip of it, or the cached columns of either. The cache never changes an answer;
 * a cache that is torn, altered or missing costs time and nothing else.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { sha256 } from 'ground/digest';
import { makeFolder } from 'ground/folder';
import { CACHE_POSSIBLE, CACHE_VERSION, type CachedTape, decodeCache, encodeCache } from './cache.ts';
import { type ParsedTape, type ParseOptions, parseTape } from './parse.ts';
import { TapeRefusal } from './refusal.ts';
import { type FileStamp, readWhole, stampAt, writeWhole } from './source.ts';
import { unpack } from './unpack.ts';

/** Smaller sources are parsed each time: that is as fast, and leaves no folder beside them. */
export const CACHE_SOURCE_BYTES_MIN = 64 * 1024;
/** Most cached tapes of one folder; the oldest go first. */
export const CACHE_FILES_MAX = 64;
/** Largest cache file that is read or written. */
export const CACHE_BYTES_MAX = 2 ** 31 - 1;
/** A tape with more text than this beside its columns is parsed each time. */
export const CACHE_TEXT_LENGTH_MAX = 1 << 27;
export const CACHE_FOLDER = '.kestrel-cache';

/** A stamp is believed only if the file had been still for this long when it was taken, as git does. */
const STILL_MS_MIN = 2_000;

export interface LoadOptions extends Pick<ParseOptions, 'badLines'> {
  /** `off` neither reads nor writes cached columns; `always` caches small tapes too. */
  readonly cache?: 'on' | 'off' | 'always';
  /** Kestrel's own folder, for caches whose source lies where nothing can be written. Else KESTREL_HOME, else ~/.kestrel. */
  readonly home?: string;
}

export interface LoadedTape extends ParsedTape {
  /** SHA-256 of the file's bytes. */
  readonly source: string;
  readonly from: 'source' | 'cache';
  /** Where the cached columns are, if anywhere. */
  readonly cachePath?: string;
}

/** @throws TapeRefusal */
export function loadTape(path: string, options: LoadOptions = {}): LoadedTape {
  const places = placesOf(path, options);
  if (options.cache === 'off' || !CACHE_POSSIBLE) return parsedFrom(readWhole(path).bytes, options).loaded;

  const mode = options.badLines === 'skip' ? '-skip' : '';
  const stamp = stampAt(path);
  if (stamp !== undefined) {
    const known = places.flatMap((place) => stampedSource(place, { path, stamp }) ?? [])[0];
    const warm = known === undefined ? undefined : fromCache(places, { source: known, mode });
    if (warm !== undefined) return warm;
  }
  const file = readWhole(path);
  if (file.stamp === undefined) return parsedFrom(file.bytes, options).loaded;
  const source = sha256(file.bytes);
  const cold = fromCache(places, { source, mode });
  if (cold !== undefined) {
    if (cold.cachePath !== undefined) writeStamp(dirname(cold.cachePath), { path, stamp: file.stamp, source });
    return cold;
  }
  const { loaded, textBytes } = parsedFrom(file.bytes, options);
  if (options.cache !== 'always' && textBytes < CACHE_SOURCE_BYTES_MIN) return loaded;
  const cachePath = toCache(places, { source, mode, tape: loaded });
  if (cachePath === undefined) return loaded;
  writeStamp(dirname(cachePath), { path, stamp: file.stamp, source });
  return { ...loaded, cachePath };
}

function parsedFrom(bytes: Uint8Array, options: LoadOptions): { loaded: LoadedTape; textBytes: number } {
  const text = unpack(bytes);
  const lines = options.badLines === undefined ? {} : { badLines: options.badLines };
  return { loaded: { ...parseTape(text, lines), source: sha256(bytes), from: 'source' }, textBytes: text.length };
}

/** Beside the source first, then Kestrel's own folder. */
function placesOf(path: string, options: LoadOptions): readonly string[] {
  const set = process.env.KESTREL_HOME;
  const home = options.home ?? (set !== undefined && set !== '' ? set : join(homedir(), '.kestrel'));
  return [join(dirname(resolve(path)), CACHE_FOLDER), join(home, 'cache')];
}

interface CacheKey {
  readonly source: string;
  readonly mode: string;
}

function cacheFile(place: string, key: CacheKey): string {
  return join(place, `${key.source}${key.mode}.v${CACHE_VERSION}.kcols`);
}

function fromCache(places: readonly string[], key: CacheKey): LoadedTape | undefined {
  for (const place of places) {
    const cachePath = cacheFile(place, key);
    let bytes: Uint8Array;
    try {
      bytes = readWhole(cachePath, CACHE_BYTES_MAX).bytes;
    } catch (error) {
      if (error instanceof TapeRefusal) continue;
      throw error;
    }
    const cached = decoded(bytes, key.source);
    if (cached !== undefined) return { ...cached, source: key.source, from: 'cache', cachePath };
    rmSync(cachePath, { force: true });
  }
  return undefined;
}

/** A file that passes its checksum and still cannot be read was written by other hands: it is rebuilt like a torn one. */
function decoded(bytes: Uint8Array, source: string): CachedTape | undefined {
  try {
    return decodeCache(bytes, source);
  } catch {
    return undefined;
  }
}

/** @returns where it was written, or undefined where no folder took it: a full disk must not stop a reader */
function toCache(places: readonly string[], what: CacheKey & { readonly tape: CachedTape }): string | undefined {
  if (textsOf(what.tape) > CACHE_TEXT_LENGTH_MAX) return undefined;
  const bytes = encodeCache(what.tape, what.source);
  if (bytes.length > CACHE_BYTES_MAX) return undefined;
  for (const place of places) {
    const path = cacheFile(place, what);
    if (
      !tries(() => {
        makeFolder(place);
        writeWhole(path, bytes);
      })
    ) {
      continue;
    }
    tries(() => prune(place));
    return path;
  }
  return undefined;
}

/** UTF-16 units that lie beside the columns. */
function textsOf({ tape }: CachedTape): number {
  let length = 0;
  for (const text of tape.columns.texts) length += text.length;
  for (const text of tape.columns.extras.values()) length += text.length;
  return length;
}

function prune(place: string): void {
  const files = readdirSync(place)
    .filter((name) => name.endsWith('.kcols') || name.endsWith('.stamp') || name.endsWith('.tmp'))
    .map((name) => ({ path: join(place, name), t: statSync(join(place, name)).mtimeMs }))
    .sort((a, b) => b.t - a.t);
  for (const { path } of files.slice(CACHE_FILES_MAX * 2)) rmSync(path, { force: true });
}

/** A stamp says that the file of this name, in this state, has these bytes: then they need not be read to find the cache. */
interface Stamped {
  readonly path: string;
  readonly stamp: FileStamp;
  readonly source: string;
}

function stampFile(place: string, path: string): string {
  return join(place, `${sha256(resolve(path)).slice(0, 32)}.stamp`);
}

function stampedSource(place: string, file: Omit<Stamped, 'source'>): string | undefined {
  try {
    const bytes = readWhole(stampFile(place, file.path), 4_096).bytes;
    const told = JSON.parse(Buffer.from(bytes).toString('utf8')) as { stamp: FileStamp; source: string };
    const same = (Object.keys(file.stamp) as (keyof FileStamp)[]).every((key) => told.stamp[key] === file.stamp[key]);
    return same && /^[0-9a-f]{64}$/.test(told.source) ? told.source : undefined;
  } catch {
    return undefined;
  }
}

function writeStamp(place: string, what: Stamped): void {
  const changedMs = Number(BigInt(what.stamp.ctimeNs) / 1_000_000n);
  const writtenMs = Number(BigInt(what.stamp.mtimeNs) / 1_000_000n);
  // A file changed this very moment may change again within one tick of the file system's clock.
  const stillMs = Date.now() - Math.max(changedMs, writtenMs);
  if (stillMs < STILL_MS_MIN) return;
  const text = JSON.stringify({ stamp: what.stamp, source: what.source });
  tries(() => writeWhole(stampFile(place, what.path), Buffer.from(text, 'utf8')));
}

/** Whether a write to the cache went through. Only the system's own refusals are let pass. */
function tries(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === 'string') return false;
    throw error;
  }
}
