/** A strict program that depends on the built packages compiles against their declarations, and runs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesUnder, root } from './sources.ts';

let folder = '';
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build.mjs', 'kestrel'], { cwd: root, stdio: 'pipe' });
  folder = mkdtempSync(join(tmpdir(), 'kestrel-consumer-'));
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(root, 'packages/kestrel'), join(folder, 'node_modules/kestrel.markets'));
  symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  const compilerOptions = {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    // The declarations themselves are checked: a consumer must not need to look away.
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'main.ts'),
    [
      "import { type KestrelDocument, parse, print, validate } from 'kestrel.markets/lang';",
      "import { parseTape, type Tape } from 'kestrel.markets/market';",
      "import { type Blotter, runDay } from 'kestrel.markets/engine';",
      '',
      "const text: string = 'PLAN p budget 1R ttl 15:30\\n  DO buy 1 shares @ ask\\n';",
      'const document: KestrelDocument = parse(text).document;',
      'const printed: string = print(document);',
      'const ok: boolean = validate(text).ok;',
      'const header = { v: "kestrel.tape/v1", id: "one", calendar: "XNYS", date: "2024-03-11",',
      '  instruments: [{ symbol: "SPY", kind: "equity", tick: 0.01 }] };',
      "const tape: Tape = parseTape(JSON.stringify(header) + '\\n').tape;",
      "const blotter: Blotter = runDay({ tape, documents: [document], fill: 'strict-cross-v1', fees: 'none', rUsd: 100 });",
      'const hash: string = blotter.determinismHash;',
      '// @ts-expect-error a document is no text',
      'print(text);',
      'console.log(JSON.stringify({ printed, ok, hash, plans: blotter.plans.length }));',
      '',
    ].join('\n'),
  );
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('it compiles under strict settings', () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

test('it runs', () => {
  const script = readFileSync(join(folder, 'main.ts'), 'utf8')
    .replace(/^(import .*)$/gm, (line) => line.replace(/\btype \w+,? ?/g, '').replace(', }', ' }'))
    .replace(/^(const \w+): \w+/gm, '$1')
    .replace(/^\/\/ @ts-expect-error.*\n.*\n/m, '');
  writeFileSync(join(folder, 'main.js'), script);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['main.js'], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, plans: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('what is published names no private package and no source', () => {
  const published = filesUnderDist();
  expect(published.length).toBeGreaterThan(3);
  const leaks = published.filter((path) =>
    /(?:from|import)\s*\(?['"](?:ground\/|[^'"]*\.ts['"])/.test(readFileSync(path, 'utf8')),
  );
  expect(leaks).toEqual([]);
});

function filesUnderDist(): string[] {
  const types = join(root, 'packages/kestrel/dist/types');
  if (!existsSync(types)) return [];
  return execFileSync('find', [join(root, 'packages/kestrel/dist'), '-name', '*.d.ts', '-o', '-name', '*.js'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean);
}

test('the tidy scan looks past what is built', () => {
  expect(filesUnder('packages/kestrel').filter((path) => path.includes('/dist/'))).toEqual([]);
});
