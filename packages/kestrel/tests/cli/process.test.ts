/** What only a process of its own shows: pipes that break, disks that fill, large answers, what a door loads. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram, kestrel, program, root } from './built.ts';

const PLAN = 'PLAN p budget 10R ttl +1m\n  WHEN spot > 100\n  DO buy 2 shares @ ask\n  EXIT T-10 @ bid\n';

let folder = '';
beforeAll(() => {
  buildProgram();
  folder = mkdtempSync(join(tmpdir(), 'kestrel-process-'));
  writeFileSync(join(folder, 'plan.kes'), PLAN);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shell = (script: string): { status: number | null; stdout: string; stderr: string } =>
  spawnSync('bash', ['-o', 'pipefail', '-c', script], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, KESTREL: `${process.execPath} ${program}` },
  });

test('standard input, output, and the exit status', () => {
  expect(
    kestrel(['print', '-'], {
      input: PLAN.replace('  WHEN', '      WHEN').replace('  DO', '      DO').replace('  EXIT', '      EXIT'),
    }),
  ).toEqual({
    status: 0,
    stdout: PLAN,
    stderr: '',
  });
  expect(kestrel(['validate'], { input: 'PLAN' })).toMatchObject({ status: 2 });
  expect(kestrel(['parse', '--nope'])).toMatchObject({ status: 2, stdout: '' });
});

describe('a reader that goes away', () => {
  test.each(['$KESTREL tape cat bundled:quiet | head -n 1', '$KESTREL card | head -c 1', '$KESTREL demo | head -n 2'])(
    '%s ends quietly',
    (script) => {
      const { status, stderr, stdout } = shell(script);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout.length).toBeGreaterThan(0);
    },
  );

  test('one that reads slowly gets everything', async () => {
    const child = spawn(process.execPath, [program, 'tape', 'cat', 'bundled:quiet-wide'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) {
      chunks.push(chunk);
      if (chunks.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const whole = kestrel(['tape', 'cat', 'bundled:quiet-wide']).stdout;
    expect(Buffer.concat(chunks).toString()).toBe(whole);
    expect(whole.length).toBeGreaterThan(500_000);
  });
});

describe.runIf(existsSync('/dev/full'))('a full disk', () => {
  test.each(['card', 'print plan.kes', 'parse plan.kes --json', 'demo'])(
    'kestrel %s > /dev/full is unavailable',
    (verb) => {
      const { status, stderr } = shell(`$KESTREL ${verb} > /dev/full`);
      expect(status).toBe(4);
      expect(stderr).toMatch(/unavailable/);
    },
  );

  test('a file that may not grow is not left half written', () => {
    const { status, stderr } = shell(
      'ulimit -f 8; $KESTREL tape synth --seed 1 --date 2024-03-12 --regime range --events 5000 --out capped.jsonl',
    );
    expect({ status, stderr }).toMatchObject({
      status: 4,
      stderr: expect.stringMatching(/^kestrel: unavailable: capped\.jsonl/),
    });
    expect(existsSync(join(folder, 'capped.jsonl'))).toBe(false);
    expect(shell('ls -A').stdout).toBe('plan.kes\n');
  });
});

test('a tape may come from standard input', () => {
  const { status, stdout } = shell('$KESTREL tape cat bundled:quiet-wide | $KESTREL tape cat - --limit 3');
  expect(status).toBe(0);
  expect(stdout.split('\n')).toHaveLength(5);
});

test('the same answer under another zone, locale and Node option', () => {
  const argv = [
    'run',
    '--tape',
    'bundled:quiet-wide',
    '--plans',
    join(root, 'examples/last-hour.kes'),
    '--fill',
    'maker-v1',
    '--r-usd',
    '10000',
  ];
  const here = kestrel(argv);
  expect(here.status, here.stderr).toBe(0);
  const there = kestrel(argv, { env: { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' } });
  expect(there).toEqual(here);
  expect(kestrel(argv, { env: { NODE_OPTIONS: '--jitless' } }).stdout).toBe(here.stdout);
});

test('a door over text loads nothing that it does not need', () => {
  const bin = dirname(program);
  const text = ['parse', 'print', 'validate', 'card'].map((verb) =>
    readFileSync(join(bin, `cli-${verb}.code.js`), 'utf8'),
  );
  for (const source of text) {
    expect(source).not.toMatch(/require\("(?:node:)?(?:tty|zlib|crypto|child_process|http|net|stream)/);
    expect(source).not.toContain('commander');
  }
  expect(statSync(join(bin, 'cli-parse.code.js')).size).toBeLessThan(80_000);
  expect(statSync(program).size).toBeLessThan(4_000);
});

test('a door whose compiled code is missing, torn or of another engine answers all the same', () => {
  const copy = mkdtempSync(join(tmpdir(), 'kestrel-bin-'));
  try {
    cpSync(dirname(program), copy, { recursive: true });
    const parse = (...flags: string[]): string =>
      execFileSync(process.execPath, [...flags, join(copy, 'kestrel.js'), 'parse', '--json'], {
        input: PLAN,
        encoding: 'utf8',
      });
    const wanted = kestrel(['parse', '--json'], { input: PLAN }).stdout;
    expect(parse('--no-opt')).toBe(wanted);
    const cache = join(copy, readdirSync(copy).find((file) => file.startsWith('cli-parse.code.js.'))!);
    writeFileSync(cache, readFileSync(cache).subarray(0, 1_000));
    expect(parse()).toBe(wanted);
    writeFileSync(cache, '');
    expect(parse()).toBe(wanted);
    rmSync(cache);
    expect(parse()).toBe(wanted);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test('what is generated is fresh', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/gen.mjs'), '--check'], {
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/everything is fresh/);
  expect(status).toBe(0);
});

test('a second build finds nothing to do', () => {
  const said = execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), 'kestrel', '--no-types'], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(said).toBe('');
});
