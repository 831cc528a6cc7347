/** The verbs for people: run, demo, tape, help; what they answer, leave behind and refuse. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Verb } from '../../src/cli/verb.ts';
import {
  FEE_SCHEDULES,
  FILL_MODELS,
  RESOLUTIONS,
  ROW_KINDS,
  SECURITIES,
  SYNTH_PROFILES,
  TAPE_KINDS,
  TIME_FORMATS,
  VERBS,
} from '../../src/cli/verbs.ts';
import * as times from '../../src/market/csv/time.ts';
import { Kind } from '../../src/market/index.ts';
import * as names from '../../src/market/lean/name.ts';
import { PROFILES } from '../../src/market/synth/profile.ts';
import { captured } from './captured.ts';

const OPEN = 1_710_163_800_000_000;
const header = {
  v: 'kestrel.tape/v1',
  id: 'small',
  calendar: 'XNYS',
  date: '2024-03-11',
  instruments: [{ symbol: 'SPY', kind: 'equity', tick: 0.01 }],
  session: { open: OPEN, close: OPEN + 3_600_000_000 },
};
const events = [
  { t: OPEN, k: 'quote', s: 'SPY', b: 99.99, bz: 5, a: 100.01, az: 5 },
  { t: OPEN + 1_000_000, k: 'trade', s: 'SPY', p: 100.01, z: 1 },
  { t: OPEN + 2_000_000, k: 'quote', s: 'SPY', b: 99.95, bz: 5, a: 99.97, az: 9 },
  { t: OPEN + 3_000_000, k: 'news', text: 'evil \u001b[2J\nnews' },
];
const TAPE = `${[header, ...events].map((line) => JSON.stringify(line)).join('\n')}\n`;
const PLAN = 'PLAN p budget 10R ttl +1m\n  WHEN spot > 100\n  DO buy 2 shares @ ask\n';
const NEVER =
  'PLAN never budget 10R ttl +1m\n  WHEN spot > 100.5 AND volume > 1000000\n  DO buy 2 shares @ ask\n  EXIT T-10 @ bid\n';

let folder = '';
const at = (name: string): string => join(folder, name);
const arguments_ = (...more: readonly string[]): string[] => [
  'run',
  ...['--tape', at('small.jsonl'), '--plans', at('plan.kes'), '--fill', 'strict-cross-v1', '--r-usd', '1000'],
  ...more,
];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kestrel-people-'));
  writeFileSync(at('small.jsonl'), TAPE);
  writeFileSync(at('plan.kes'), PLAN);
  writeFileSync(at('never.kes'), NEVER);
  writeFileSync(at('bad.kes'), 'PLAN q budget 1R ttl +1m\n  WHEN spott > 100\n  DO buy 1 shares @ mid\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('run', () => {
  test('--json prints the blotter, canonical, and nothing else', async () => {
    const { status, stdout, stderr } = await captured(arguments_('--json'));
    expect({ status, stderr: stderr.replace(/.*warning K070.*\n/, '') }).toEqual({ status: 0, stderr: '' });
    const blotter = JSON.parse(stdout);
    expect(blotter).toMatchObject({ v: 'kestrel.blotter/v1', totals: { fired: 1, fills: 2 } });
    expect(Object.keys(blotter)).toEqual(Object.keys(blotter).sort());
    expect(stdout.endsWith('}\n')).toBe(true);
    expect((await captured(arguments_('--json'))).stdout).toBe(stdout);
  });

  test('the report tells amounts of a refusal in money', async () => {
    writeFileSync(at('large.kes'), PLAN.replace('buy 2', 'buy 200'));
    const argv = arguments_().map((word) => (word === at('plan.kes') ? at('large.kes') : word));
    const { stdout } = await captured(argv);
    expect(stdout).toMatch(/budget-exceeded +worst loss \$20,002\.00 does not fit: \$0\.00 of \$10,000\.00 are used/);
  });

  test('the report shows plans, orders, fills with their cause, totals and the hash', async () => {
    const { status, stdout } = await captured(arguments_());
    expect(status).toBe(0);
    for (const piece of [
      'Plans',
      'Orders',
      'Fills',
      'Totals',
      'arrival',
      'market',
      '09:30:01.050',
      '1 of 1 plan fired',
    ]) {
      expect(stdout).toContain(piece);
    }
    const hash = JSON.parse((await captured(arguments_('--json'))).stdout).determinismHash;
    expect(stdout.endsWith(`determinismHash ${hash}\n`)).toBe(true);
    expect(stdout).not.toContain('\u001b');
  });

  test('what never fired says how near it came and what stood in the way', async () => {
    const { stdout } = await captured(arguments_('--plans', at('never.kes')));
    expect(stdout).toMatch(
      /Never fired\n.*\n\s+never\s+WHEN\s+09:30:01\.000\s+0\.49\d*\s+.*(spot > 100\.5|volume > 1000000)/,
    );
  });

  test('colour is for a terminal that has not asked for none', async () => {
    const coloured = /\u001b\[/;
    expect((await captured(arguments_(), { watched: ['answer'] })).stdout).toMatch(coloured);
    expect((await captured(arguments_(), { watched: ['answer'], env: { NO_COLOR: '1' } })).stdout).not.toMatch(
      coloured,
    );
    expect((await captured(arguments_(), { watched: ['answer'], env: { TERM: 'dumb' } })).stdout).not.toMatch(coloured);
    expect((await captured(arguments_(), { env: { FORCE_COLOR: '1' } })).stdout).toMatch(coloured);
    expect((await captured(arguments_('--json'), { watched: ['answer'] })).stdout).not.toMatch(coloured);
  });

  test('--out leaves both files, the same bytes as the answers', async () => {
    const out = at('out/deep');
    const { status, stdout } = await captured(arguments_('--out', out, '--json'));
    expect(status).toBe(0);
    expect(readdirSync(out).sort()).toEqual(['blotter.json', 'report.txt']);
    expect(readFileSync(join(out, 'blotter.json'), 'utf8')).toBe(stdout);
    expect(readFileSync(join(out, 'report.txt'), 'utf8')).toBe((await captured(arguments_())).stdout);
  });

  test.runIf(existsSync('/dev/full'))('--out onto what is no folder is unavailable, and leaves nothing', async () => {
    const { status, stdout, stderr } = await captured(arguments_('--out', '/dev/full/x', '--json'));
    expect({ status, stdout }).toEqual({ status: 4, stdout: '' });
    expect(JSON.parse(stderr.split('\n').at(-2)!)).toMatchObject({ code: 'unavailable' });
  });

  test.skipIf(process.getuid?.() === 0)('--out into a folder that may not be written is unavailable', async () => {
    const locked = mkdtempSync(join(folder, 'locked-'));
    chmodSync(locked, 0o500);
    expect((await captured(arguments_('--out', join(locked, 'x')))).status).toBe(4);
  });

  test('a document with one error runs nothing, and every problem is told', async () => {
    const { status, stdout, stderr } = await captured(arguments_('--plans', at('bad.kes')));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('bad.kes:2:8: error K051');
    expect(stderr).toContain('bad.kes:3:21: error K040');
    expect(stderr).toMatch(/\nkestrel: document-refused: .*bad\.kes has 2 errors; .*\n$/);
  });

  test('for programs a refused document is one object, its diagnostics inside', async () => {
    const { status, stdout, stderr } = await captured(arguments_('--plans', at('bad.kes'), '--json'));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    const { code, diagnostics } = JSON.parse(stderr);
    expect(code).toBe('document-refused');
    expect(diagnostics.map((one: { code: string }) => one.code)).toEqual(expect.arrayContaining(['K051', 'K040']));
  });

  test('one name in two documents is refused', async () => {
    const { status, stderr } = await captured(arguments_('--plans', at('plan.kes')));
    expect(status).toBe(2);
    expect(stderr).toMatch(/kestrel: K010: /);
  });

  test('a document may name the plans of another', async () => {
    writeFileSync(
      at('chain.kes'),
      'PLAN first budget 1R ttl +1m\n  DO buy 1 shares @ bid\n  EXIT T-10 @ bid\n  ARM never\n',
    );
    const { status, stdout, stderr } = await captured([
      ...arguments_('--plans', at('never.kes'), '--plans', at('chain.kes'), '--json'),
    ]);
    expect(status, stderr).toBe(0);
    const never = JSON.parse(stdout).plans.find((plan: { name: string }) => plan.name === 'never');
    expect(never.armedAt).toBe(OPEN);
  });

  const swapped = (from: string, to: string) => () =>
    arguments_().map((arg) => (arg === at(from) || arg === from ? to : arg));
  test.each([
    ['no tape', () => ['run', '--plans', 'p', '--fill', 'maker-v1', '--r-usd', '1'], /^kestrel: usage: .*--tape TAPE/],
    [
      'an unknown fill model',
      swapped('strict-cross-v1', 'strict'),
      /usage: .*strict-cross-v1 or maker-v1 or bracket; got strict/,
    ],
    ['R of nothing', swapped('1000', '0'), /usage: --r-usd/],
    ['R with five decimals', swapped('1000', '1.00001'), /usage: --r-usd.*got 1\.00001/],
    [
      'a tape that is not there',
      swapped('small.jsonl', '/nowhere.jsonl'),
      /^kestrel: file-unreadable: wanted a file that can be read, got \/nowhere\.jsonl \(ENOENT\)\n$/,
    ],
    ['a bundled day that is not there', swapped('small.jsonl', 'bundled:tren'), /day-unknown/],
  ])('%s is refused', async (_what, argv, said) => {
    const { status, stdout, stderr } = await captured((argv as () => string[])());
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said as RegExp);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('a bad line names its line; --lenient leaves it out and says so', async () => {
    const lines = TAPE.split('\n');
    lines.splice(2, 0, '{"t":1710163799999999,"k":"trade","s":"SPY","p":1,"z":1}');
    writeFileSync(at('torn.jsonl'), lines.join('\n'));
    const argv = arguments_().map((arg) => (arg.endsWith('small.jsonl') ? at('torn.jsonl') : arg));
    const refused = await captured(argv);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(/^kestrel: time-back: line 3: wanted .*, got (?!.*time-back).*\n$/);
    const lenient = await captured([...argv, '--lenient']);
    expect(lenient.status).toBe(0);
    expect(lenient.stderr).toContain('1 line skipped');
  });
});

describe('demo', () => {
  test('tells a day from briefing to the next command', async () => {
    const { status, stdout, stderr } = await captured(['demo']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const parts = [
      'Briefing',
      'Plan',
      'Day',
      'fired',
      '+ bought',
      '- sold',
      'Plans',
      'Fills',
      'Totals',
      'determinismHash',
      'kestrel run --tape',
    ];
    let from = 0;
    for (const part of parts) {
      const found = stdout.indexOf(part, from);
      expect(found, `${part} after ${from}`).toBeGreaterThanOrEqual(0);
      from = found;
    }
    expect((await captured(['demo'])).stdout).toBe(stdout);
  });
});

describe('tape', () => {
  test('synth is a tape that says what it is, the same bytes each time', async () => {
    const argv = [
      'tape',
      'synth',
      '--seed',
      '7',
      '--date',
      '2024-03-12',
      '--regime',
      'range',
      '--events',
      '2000',
      '--symbol',
      'ABC',
    ];
    const first = await captured(argv);
    expect(first.status, first.stderr).toBe(0);
    expect(JSON.parse(first.stdout.split('\n')[0]!)).toMatchObject({
      v: 'kestrel.tape/v1',
      source: expect.stringContaining('synthetic'),
    });
    expect((await captured(argv)).stdout).toBe(first.stdout);
    const saved = await captured([...argv, '--out', at('day.jsonl.gz'), '--json']);
    expect(saved.status, saved.stderr).toBe(0);
    expect(gunzipSync(readFileSync(at('day.jsonl.gz'))).toString()).toBe(first.stdout);
    expect(JSON.parse(saved.stdout)).toMatchObject({
      path: at('day.jsonl.gz'),
      identity: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(readdirSync(folder).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  test('cat prints what was read, canonical', async () => {
    const { status, stdout } = await captured(['tape', 'cat', at('small.jsonl')]);
    expect(status).toBe(0);
    expect(
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual([header, ...events]);
  });

  test.each([
    [['--kind', 'trade'], [1]],
    [
      ['--kind', 'trade', '--kind', 'news'],
      [1, 3],
    ],
    [
      ['--from', '09:30:01', '--to', '09:30:02'],
      [1, 2],
    ],
    [
      ['--limit', '2'],
      [0, 1],
    ],
    [['--limit', '0'], []],
    [['--kind', 'bar'], []],
  ])('cat %j leaves out the rest, never the header', async (more, kept) => {
    const { status, stdout } = await captured(['tape', 'cat', at('small.jsonl'), ...(more as string[])]);
    expect(status).toBe(0);
    const lines = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([header, ...(kept as number[]).map((i) => events[i])]);
  });

  test.each([
    [['--from', '25:00'], /usage: --from/],
    [['--limit', '-1'], /usage/],
    [['--kind', 'quotes'], /usage: --kind/],
  ])('cat %j is refused', async (more, said) => {
    const { status, stderr } = await captured(['tape', 'cat', at('small.jsonl'), ...(more as string[])]);
    expect(status).toBe(2);
    expect(stderr).toMatch(said as RegExp);
  });

  test('import reads bars as a person has them', async () => {
    const rows = [
      'Time,Open,High,Low,Close,Volume',
      '2024-03-11 09:30:00,100,100.5,99.9,100.2,1200',
      '2024-03-11 09:31:00,100.2,100.3,100.1,100.25,800',
    ];
    writeFileSync(at('bars.csv'), `${rows.join('\r\n')}\r\n`);
    const argv = ['tape', 'import', at('bars.csv'), '--symbol', 'ABC', '--bar', '1m', '--tz', 'America/New_York'];
    const mapped = await captured([...argv, '--map', 't=Time,o=Open,h=High,l=Low,c=Close,v=Volume']);
    expect(mapped.status, mapped.stderr).toBe(0);
    const [head, first, second] = mapped.stdout.split('\n').map((line) => (line === '' ? undefined : JSON.parse(line)));
    expect(head).toMatchObject({ date: '2024-03-11', instruments: [{ symbol: 'ABC', kind: 'equity' }] });
    // Stamped at its start in the file, known at its end in the tape.
    expect(first).toEqual({
      t: OPEN + 60_000_000,
      k: 'bar',
      s: 'ABC',
      d: '1m',
      o: 100,
      h: 100.5,
      l: 99.9,
      c: 100.2,
      z: 1200,
    });
    expect(second).toMatchObject({ t: OPEN + 120_000_000, c: 100.25 });
    const bad = await captured([
      ...argv.slice(0, 3),
      '--symbol',
      'ABC',
      '--tz',
      'America/New_York',
      '--price-scale',
      '3',
      '--bar',
      '1m',
    ]);
    expect(bad).toMatchObject({ status: 2, stdout: '' });
    expect(bad.stderr).toMatch(/^kestrel: option-bad: .*price scale/);
  });

  test('info counts what is there', async () => {
    const { status, stdout } = await captured(['tape', 'info', at('small.jsonl'), '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'small', date: '2024-03-11' });
    const people = await captured(['tape', 'info', at('small.jsonl')]);
    expect(people.stdout).toContain('SPY');
  });
});

describe('help', () => {
  test.each([[['--help']], [['help']], [[]], [['-h']]])(
    '%j is the page of the program, an example first',
    async (argv) => {
      const { status, stdout } = await captured(argv as string[]);
      expect(status).toBe(0);
      expect(stdout.startsWith('Example:\n')).toBe(true);
      for (const verb of VERBS) expect(stdout).toContain(`  ${verb.name} `);
    },
  );

  test.each(['tape', 'sessions', 'dataset'])(
    '%s --help, without its verb, lists the verbs of that name',
    async (word) => {
      const { status, stdout, stderr } = await captured([word, '--help']);
      expect([status, stderr]).toEqual([0, '']);
      const family = VERBS.filter(({ name }) => name.startsWith(`${word} `));
      expect(stdout.startsWith(`Example:\n  ${family[0]!.example}\n`)).toBe(true);
      for (const { name, summary } of family) {
        expect(stdout.replace(/\s+/g, ' ')).toContain(`${name.slice(word.length + 1)} ${summary}`);
      }
      for (const argv of [
        ['help', word],
        [word, '-h'],
      ])
        expect((await captured(argv)).stdout).toBe(stdout);
      expect((await captured([word])).status).toBe(2);
      expect(await captured([word, 'nothing', '--help'])).toMatchObject({ status: 2, stdout: '' });
    },
  );

  // `agent` prints a page of its own, made from the protocol's ops.
  test.each(VERBS.filter(({ name }) => name !== 'agent').map((verb): readonly [string, Verb] => [verb.name, verb]))(
    '%s --help begins with an example that its reader takes',
    async (name, verb) => {
      const { status, stdout } = await captured([...name.split(' '), '--help']);
      expect(status).toBe(0);
      expect(stdout.startsWith(`Example:\n  ${verb.example}\n`)).toBe(true);
      expect((await captured(['help', ...name.split(' ')])).stdout).toBe(stdout);
      for (const option of verb.options) expect(stdout).toContain(`--${option.flag}`);
      const { readArguments } = await import('../../src/cli/arguments.ts');
      const words = verb.example
        .split(/ [>|] /)[0]!
        .split(' ')
        .slice(1 + name.split(' ').length);
      expect(() => readArguments(verb, words)).not.toThrow();
    },
  );

  test.each([
    ['agnt', 'agent'],
    ['tap', 'tape'],
    ['verfy', 'verify'],
  ])('of a verb that is not there the nearest is named: %s', async (word, meant) => {
    expect(await captured([word])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`the nearest is ${meant};`),
    });
  });

  test('--version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(await captured(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });
});

test('the choices of the command line are those of the floors below', () => {
  expect(TIME_FORMATS).toEqual(times.TIME_FORMATS);
  expect([SECURITIES, RESOLUTIONS, ROW_KINDS]).toEqual([names.SECURITIES, names.RESOLUTIONS, names.ROW_KINDS]);
  expect([...TAPE_KINDS].sort()).toEqual([...Object.keys(Kind).filter((kind) => kind !== 'other'), 'oi'].sort());
  expect(FILL_MODELS).toEqual(['strict-cross-v1', 'maker-v1', 'bracket']);
  expect(FEE_SCHEDULES).toEqual(['none', 'us-equity-v1', 'us-options-v1']);
  expect(SYNTH_PROFILES).toEqual([...PROFILES.keys()]);
});
