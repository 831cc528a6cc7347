/** The verbs over text: answers on stdout, one coded line on stderr, the exit status. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { captured } from './captured.ts';

const PLAN = 'PLAN fade budget 0.4R ttl 15:30\n  WHEN spot < 150\n  DO buy 1 shares @ bid\n  EXIT T-10 @ bid\n';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kestrel-text-'));
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'plan.kes'), PLAN);
  writeFileSync(
    join(folder, 'importer.kes'),
    `IMPORT fade FROM ./plan.kes\n${PLAN.replace('fade', 'after')}  ARM fade\n`,
  );
  writeFileSync(
    join(folder, 'sub/outside.kes'),
    `IMPORT fade FROM ../plan.kes\n${PLAN.replace('fade', 'after')}  ARM fade\n`,
  );
  symlinkSync(join(folder, 'plan.kes'), join(folder, 'sub/linked.kes'));
  writeFileSync(
    join(folder, 'sub/through.kes'),
    `IMPORT fade FROM ./linked.kes\n${PLAN.replace('fade', 'after')}  ARM fade\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('parse', () => {
  test('shows an outline', async () => {
    expect(await captured(['parse'], { stdin: PLAN })).toEqual({
      status: 0,
      stdout: '    1  PLAN   fade: 3 clauses, budget 0.4R\n',
      stderr: '',
    });
  });

  test('an empty document is one', async () => {
    expect(await captured(['parse', '-'])).toMatchObject({ status: 0, stdout: 'an empty document\n' });
  });

  test('--json is canonical: keys in order, no space, one line', async () => {
    const { stdout, status } = await captured(['parse', '--json'], { stdin: 'USING signal SPX exec SPY\n' });
    expect(status).toBe(0);
    expect(stdout).toBe(
      '{"diagnostics":[],"document":{"statements":[{"blank":false,"exec":"SPY","kind":"using","signal":"SPX"}]}}\n',
    );
  });

  test('text that does not parse ends with 2, and its diagnostics are in the answer', async () => {
    const { stdout, stderr, status } = await captured(['parse', '--json'], { stdin: 'USING signal\n' });
    expect(status).toBe(2);
    expect(JSON.parse(stdout).diagnostics[0]).toMatchObject({ code: 'K001', severity: 'error', span: { line: 1 } });
    expect(stderr).toBe('');
  });

  test('the deepest document that the language takes still has its JSON', async () => {
    const open = '(spot > 1 AND NOT '.repeat(64);
    const close = ') held 1s'.repeat(64);
    const text = `PLAN deep budget 1R ttl 15:30\n  WHEN ${open}spot > 1${close}\n  DO buy 1 shares @ bid\n`;
    const { status, stdout } = await captured(['parse', '--json'], { stdin: text });
    expect(status).toBe(0);
    expect(JSON.parse(stdout).diagnostics).toEqual([]);
  });
});

describe('print', () => {
  test('prints the canonical spelling', async () => {
    const { stdout, status } = await captured(['print'], {
      stdin: PLAN.replace('ttl', ' TTL ')
        .replace('  WHEN', '\tWHEN')
        .replace('  DO', '\tDO')
        .replace('  EXIT', '\tEXIT'),
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: PLAN });
  });

  test('refuses what does not parse, and prints nothing', async () => {
    const { stdout, stderr, status } = await captured(['print'], { stdin: `${PLAN}USING signal\n` });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^-:5:\d+: error K001: .*\nkestrel: document-refused: standard input has 1 error; wanted .*; got K001 .*\n$/,
    );
  });

  test('--json holds the text', async () => {
    expect((await captured(['print', '--json'], { stdin: PLAN })).stdout).toBe(`${JSON.stringify({ text: PLAN })}\n`);
  });
});

describe('validate', () => {
  test('a sound document is ok', async () => {
    expect(await captured(['validate', join(folder, 'plan.kes')])).toEqual({
      status: 0,
      stdout: 'ok: 0 errors, 0 warnings\n',
      stderr: '',
    });
  });

  test('every problem is told, in order, and the status says refused', async () => {
    const text = 'PLAN a budget 0.4R ttl 15:30\n  WHEN spott < 150\n  DO buy 1 shares @ mid\n  EXIT T-10 @ bid\n';
    const { stdout, status } = await captured(['validate', '--json'], { stdin: text });
    expect(status).toBe(2);
    const { ok, diagnostics } = JSON.parse(stdout);
    expect(ok).toBe(false);
    expect(diagnostics.map((one: { code: string }) => one.code)).toEqual(['K051', 'K040']);
  });

  test('warnings alone are ok', async () => {
    const { stdout, status } = await captured(['validate'], { stdin: PLAN.replace(/ {2}EXIT.*\n/, '') });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^-:1:\d+: warning K070: .*\nok: 0 errors, 1 warning\n$/);
  });

  test.each([
    ['importer.kes', 0, /^ok/],
    ['sub/outside.kes', 2, /K013/],
    ['sub/through.kes', 2, /K011/],
  ])('imports of %s are looked up under its own folder', async (file, status, said) => {
    const result = await captured(['validate', join(folder, file)]);
    expect(result.stdout).toMatch(said);
    expect(result.status).toBe(status);
  });

  test('standard input has no folder to import from', async () => {
    const { stdout, status } = await captured(['validate', '--json'], { stdin: 'IMPORT fade FROM ./plan.kes\n' });
    expect(status).toBe(2);
    expect(JSON.parse(stdout).diagnostics.map((one: { code: string }) => one.code)).toContain('K011');
  });
});

describe('card', () => {
  test('the page, as text and as JSON', async () => {
    const page = await captured(['card']);
    expect(page).toMatchObject({ status: 0, stderr: '' });
    expect(page.stdout).toContain('INVALIDATE');
    expect(JSON.parse((await captured(['card', '--json'])).stdout).text).toBe(page.stdout);
  });
});

describe('what cannot be read is refused with a code', () => {
  const cases: readonly (readonly [string, readonly string[], string | Uint8Array, string])[] = [
    ['a file that is not there', ['parse', '/nowhere/plan.kes'], '', 'unreadable'],
    ['a folder', ['parse', tmpdir()], '', 'unreadable'],
    ['bytes that are not UTF-8', ['validate'], Uint8Array.of(0x50, 0xff), 'not-utf8'],
    ['an unknown option', ['parse', '--jsn'], '', 'usage'],
    ['a value for a switch', ['parse', '--json=yes'], '', 'usage'],
    ['an option twice', ['parse', '--json', '--json'], '', 'usage'],
    ['a second operand', ['parse', 'a', 'b'], '', 'usage'],
    ['an operand where none is taken', ['card', 'x'], '', 'usage'],
    ['no such verb', ['pares'], '', 'usage'],
    ['half a verb', ['tape'], '', 'usage'],
    ['a verb of Object.prototype', ['__proto__'], '', 'usage'],
  ];
  test.each(cases)('%s', async (_what, argv, stdin, code) => {
    const plain = await captured(argv, { stdin });
    expect(plain).toMatchObject({ status: 2, stdout: '' });
    if (!argv.includes('--json')) expect(plain.stderr).toMatch(new RegExp(`^kestrel: ${code}: .*\\n$`));
    const json = await captured(
      [
        ...argv.filter((arg) => arg !== '--json'),
        ...(argv.includes('--json') ? argv.filter((arg) => arg === '--json') : ['--json']),
      ],
      { stdin },
    );
    expect(json.stdout).toBe('');
    expect(JSON.parse(json.stderr)).toMatchObject({ code });
  });

  test('a huge file is cut where the language refuses it', async () => {
    const { stdout, status } = await captured(['validate', '--json'], { stdin: '# é\n'.repeat(400_000) });
    expect(status).toBe(2);
    expect(JSON.parse(stdout).diagnostics[0].code).toBe('K002');
  });

  test('a name with a line end and an escape stays one harmless line', async () => {
    const { stderr } = await captured(['parse', 'a\n\u001b[2Jb\u202e']);
    expect(stderr).toMatch(/^[^\n\u001b\u202e]*\n$/);
    expect(stderr).toContain('a\\u000a\\u001b[2Jb\\u202e');
  });
});

test('a reader that goes away ends a verb quietly', async () => {
  expect(await captured(['card'], { breaks: { after: 10, as: 'closed' } })).toMatchObject({ status: 0, stderr: '' });
});

test('a full disk is unavailable', async () => {
  const { status, stderr } = await captured(['card'], { breaks: { after: 10, as: 'full' } });
  expect(status).toBe(4);
  expect(stderr).toMatch(/^kestrel: unavailable: /);
});

test('no bytes on stdin make a verb over text crash', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('parse', 'print', 'validate'),
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ maxLength: 300 }).map((text) => Buffer.from(PLAN + text)),
      ),
      async (verb, stdin) => {
        const { status, stderr } = await captured([verb], { stdin });
        expect([0, 2]).toContain(status);
        if (status === 0) expect(stderr).toBe('');
      },
    ),
    { numRuns: 300 },
  );
});
