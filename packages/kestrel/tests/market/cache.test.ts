/** Loading from disk: gzip, caches beside the source and in Kestrel's own folder, torn ones, changed sources. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LoadedTape, type LoadOptions, loadTape, parseTape } from '../../src/market/index.ts';
import { HEADER, OPEN, textOf } from './lines.ts';

let folder = '';
let home = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tape-'));
  home = join(folder, 'home');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A day long enough to be cached. */
function day(events = 1_000, price = 168): string {
  const rows = Array.from({ length: events }, (_, i) => ({
    t: OPEN + i * 1_000,
    k: 'quote',
    s: 'SPY',
    b: price,
    bz: i,
    a: price + 0.01,
    az: 5,
  }));
  const odd = { t: OPEN + events * 1_000, k: 'news', text: 'hear, hear', from: 'wire' };
  const bar = { t: OPEN + events * 1_000, k: 'bar', s: 'VIX', d: '1m', o: 1, h: 2, l: 1, c: 2, z: 3 };
  return [HEADER, ...rows, bar, odd].map((each) => JSON.stringify(each)).join('\n');
}

function load(path: string, options: LoadOptions = {}): LoadedTape {
  return loadTape(path, { home, ...options });
}

function cacheFiles(at = join(folder, '.kestrel-cache')): string[] {
  return existsSync(at) ? readdirSync(at).filter((name) => name.endsWith('.kcols')) : [];
}

/** The very same tape, whatever way it came. */
function check(loaded: LoadedTape, text: string, from: 'source' | 'cache'): void {
  const parsed = parseTape(text).tape;
  expect(loaded.from).toBe(from);
  const { columns, ...rest } = loaded.tape;
  const { columns: wanted, ...wantedRest } = parsed;
  expect(rest).toEqual(wantedRest);
  for (const name of ['t', 'kind', 'flags', 'inst', 'a', 'b', 'c', 'd'] as const) {
    expect(columns[name].constructor).toBe(wanted[name].constructor);
    expect(
      Buffer.from(columns[name].buffer, columns[name].byteOffset, columns[name].byteLength).equals(
        Buffer.from(wanted[name].buffer, wanted[name].byteOffset, wanted[name].byteLength),
      ),
    ).toBe(true);
  }
  expect([columns.length, columns.bars, columns.texts, columns.extras]).toEqual([
    wanted.length,
    wanted.bars,
    wanted.texts,
    wanted.extras,
  ]);
  expect(textOf(loaded.tape) === textOf(parsed)).toBe(true);
}

describe('a cached tape', () => {
  test('is the parsed one, from plain text and from gzip', () => {
    const text = day();
    for (const [name, bytes] of [
      ['day.jsonl', Buffer.from(text)],
      ['day.jsonl.gz', gzipSync(text)],
    ] as const) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      check(load(path), text, 'source');
      check(load(path), text, 'cache');
    }
    expect(cacheFiles()).toHaveLength(2);
  });

  test('is rebuilt where it is torn, altered or empty', () => {
    const text = day();
    const path = join(folder, 'day.jsonl');
    writeFileSync(path, text);
    const cachePath = load(path).cachePath!;
    const whole = readFileSync(cachePath);
    const harms: ((bytes: Buffer) => Buffer)[] = [
      (bytes) => bytes.subarray(0, bytes.length - 1),
      (bytes) => bytes.subarray(0, bytes.length >> 1),
      () => Buffer.alloc(0),
      (bytes) => Buffer.concat([bytes, Buffer.alloc(8)]),
      ...[20, 100, 5_000, whole.length - 100, whole.length - 1].map((at) => (bytes: Buffer) => {
        const out = Buffer.from(bytes);
        out[at]! ^= 1;
        return out;
      }),
    ];
    for (const harm of harms) {
      writeFileSync(cachePath, harm(whole));
      check(load(path), text, 'source');
      expect(readFileSync(cachePath).equals(whole)).toBe(true);
      check(load(path), text, 'cache');
    }
  });

  test('is not used for a source that changed, also in the same second and at the same size', () => {
    const path = join(folder, 'day.jsonl');
    const texts = [day(1_000, 168), day(1_000, 169), day(1_000, 168), day(1_100, 167)];
    for (const text of texts) {
      writeFileSync(path, text);
      expect(load(path).tape.identity).toBe(parseTape(text).tape.identity);
    }
  });

  test('is found without reading the source once it has been still, and not after a touch of its bytes', () => {
    const text = day();
    const path = join(folder, 'day.jsonl');
    writeFileSync(path, text);
    const stamps = () => readdirSync(join(folder, '.kestrel-cache')).filter((name) => name.endsWith('.stamp'));
    load(path);
    expect(stamps()).toEqual([]);
    const until = Date.now() + 2_100;
    while (Date.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    check(load(path), text, 'cache');
    expect(stamps()).toHaveLength(1);
    check(load(path), text, 'cache');
    const { atime, mtime } = statSync(path);
    const changed = text.replace('168.01', '168.02');
    writeFileSync(path, changed);
    utimesSync(path, atime, mtime);
    expect(load(path).tape.identity).toBe(parseTape(changed).tape.identity);
  });

  test('of lenient reading is another one, and remembers what was skipped', () => {
    const path = join(folder, 'day.jsonl');
    writeFileSync(path, `${day()}\nnot a line`);
    expect(() => load(path)).toThrowError(/line 1004: json-bad/);
    const first = load(path, { badLines: 'skip' });
    const second = load(path, { badLines: 'skip' });
    expect(second.from).toBe('cache');
    expect(second.skipped).toEqual(first.skipped);
    expect(second.skipped).toMatchObject([{ line: 1_004, code: 'json-bad' }]);
    expect(second.tape.identity).toEqual(first.tape.identity);
    expect(() => load(path)).toThrowError(/line 1004: json-bad/);
  });

  test('is not made for a small tape unless asked for, nor with the cache off', () => {
    const path = join(folder, 'day.jsonl');
    writeFileSync(path, day(3));
    load(path);
    expect(cacheFiles()).toEqual([]);
    load(path, { cache: 'off' });
    expect(cacheFiles()).toEqual([]);
    load(path, { cache: 'always' });
    expect(cacheFiles()).toHaveLength(1);
    expect(load(path, { cache: 'off' }).from).toBe('source');
  });

  test('leaves no half-written file, and only so many files', () => {
    for (let i = 0; i < 70; i++) {
      const path = join(folder, `${i}.jsonl`);
      writeFileSync(path, day(2, 100 + i));
      load(path, { cache: 'always' });
    }
    const files = readdirSync(join(folder, '.kestrel-cache'));
    expect(files.length).toBeLessThanOrEqual(128);
    expect(files.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('a folder that takes no file', () => {
  test('sends the cache to the home of Kestrel', () => {
    const text = day();
    const path = join(folder, 'day.jsonl');
    writeFileSync(path, text);
    // A file where the folder should be refuses every user, root too.
    writeFileSync(join(folder, '.kestrel-cache'), '');
    check(load(path), text, 'source');
    expect(cacheFiles(join(home, 'cache'))).toHaveLength(1);
    check(load(path), text, 'cache');
  });

  test('and a home that takes none either only cost time', () => {
    const text = day();
    const path = join(folder, 'day.jsonl');
    writeFileSync(path, text);
    writeFileSync(join(folder, '.kestrel-cache'), '');
    writeFileSync(home, '');
    check(load(path), text, 'source');
    check(load(path), text, 'source');
  });

  test.skipIf(process.getuid?.() === 0)('by its rights is treated alike', () => {
    const text = day();
    const inner = join(folder, 'read-only');
    mkdirSync(inner);
    const path = join(inner, 'day.jsonl');
    writeFileSync(path, text);
    chmodSync(inner, 0o500);
    check(load(path), text, 'source');
    check(load(path), text, 'cache');
    chmodSync(inner, 0o700);
  });

  test('KESTREL_HOME is where home is not said', () => {
    const before = process.env.KESTREL_HOME;
    process.env.KESTREL_HOME = home;
    try {
      const path = join(folder, 'day.jsonl');
      writeFileSync(path, day());
      writeFileSync(join(folder, '.kestrel-cache'), '');
      loadTape(path);
      expect(cacheFiles(join(home, 'cache'))).toHaveLength(1);
    } finally {
      if (before === undefined) delete process.env.KESTREL_HOME;
      else process.env.KESTREL_HOME = before;
    }
  });
});

describe('standard input', () => {
  // A program's pipe cannot always be opened by its name, and may have nothing yet.
  test('is read to its end from a pipe, late or torn into pieces, and leaves no cache', async () => {
    const text = day();
    const built = join(folder, 'load.mjs');
    const source = fileURLToPath(new URL('../../src/market/load.ts', import.meta.url));
    await build({
      entryPoints: [source],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: built,
      logLevel: 'error',
    });
    const script = `import { loadTape } from ${JSON.stringify(built)};
      const { tape, from } = loadTape('/dev/stdin', { home: ${JSON.stringify(home)} });
      console.log(from, tape.identity);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    for (let at = 0; at < text.length; at += 40_000) {
      child.stdin.write(text.slice(at, at + 40_000));
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    child.stdin.end();
    await ended;
    expect(out.trim()).toBe(`source ${parseTape(text).tape.identity}`);
    expect(existsSync(home)).toBe(false);
  });
});

describe('a file that is none', () => {
  test.each([
    ['absent', () => join(folder, 'absent')],
    ['a folder', () => folder],
    ['a device', () => '/dev/zero'],
  ])('%s is refused', (_, path) => {
    expect(() => load(path())).toThrowError(/file-unreadable/);
  });

  test('a torn gzip is refused, and so is one with more after it', () => {
    const path = join(folder, 'day.jsonl.gz');
    const packed = gzipSync(day());
    writeFileSync(path, packed);
    truncateSync(path, packed.length - 3);
    expect(() => load(path)).toThrowError(/gzip-bad/);
    writeFileSync(path, Buffer.concat([packed, Buffer.from('more')]));
    expect(() => load(path)).toThrowError(/gzip-bad/);
  });

  test('gzip files one after the other are one', () => {
    const text = day();
    const path = join(folder, 'day.jsonl.gz');
    writeFileSync(path, Buffer.concat([gzipSync(text.slice(0, 999)), gzipSync(text.slice(999))]));
    check(load(path), text, 'source');
  });
});
