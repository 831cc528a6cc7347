/** The verbs over sessions, as a person calls them. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIP, shortDayText } from '../session/short-day.ts';
import { textOf } from './conversations.ts';
import { bundledProgram, type Ended, forgetTemplate, newHome, removeHome, run } from './program.ts';
import { pass, saw } from './streams.ts';

let program: Awaited<ReturnType<typeof bundledProgram>>;
let home: string;
let sessionId: string;
let tipHash: string;
let pendingId: string;
const kestrel = (...args: string[]): Ended => run(program.path, args, { home });

beforeAll(async () => {
  program = await bundledProgram();
  home = newHome(program.path);
  const day = [saw(DIP), { op: 'start' }, { op: 'advance', response: pass }, { op: 'finalize' }];
  const { out } = run(program.path, ['agent'], { input: textOf([...day, saw(), { op: 'start' }]), home });
  const values = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).value);
  ({ sessionId } = values[0]);
  ({ tipHash } = values[3]);
  pendingId = values[4].sessionId;
});
afterAll(() => {
  program.remove();
  removeHome(home);
  forgetTemplate();
});

test('sessions are listed and shown', () => {
  const rows = JSON.parse(kestrel('sessions', 'list', '--json').out);
  expect(rows.map(({ state }: { state: string }) => state).sort()).toEqual(['finalized', 'pending']);
  const { out } = kestrel('sessions', 'show', sessionId);
  expect(out).toContain('opened, genesis');
  expect(out).toContain(`finalized, tip ${tipHash}`);
  expect(kestrel('sessions', 'show', 's-x')).toMatchObject({
    status: 2,
    err: expect.stringContaining('unknown-session'),
  });
});

test('a session verifies, and so does its proof, signed by a key that stays', () => {
  expect(kestrel('verify', sessionId)).toMatchObject({ status: 0, out: expect.stringMatching(/^verified\n/) });
  const [path, other] = [join(home, 'proof.json'), join(home, 'other.json')];
  const { key } = JSON.parse(kestrel('sessions', 'export', sessionId, '--out', path, '--json').out);
  expect(JSON.parse(kestrel('sessions', 'export', sessionId, '--out', other, '--json').out).key).toBe(key);
  expect(kestrel('verify', path, '--key', key)).toMatchObject({ status: 0, out: expect.stringContaining(tipHash) });
  expect(kestrel('verify', path, '--key', '0'.repeat(64))).toMatchObject({ status: 2, out: '' });

  const text = readFileSync(path, 'utf8');
  // The same value, written by other hands with other spaces, is the same proof.
  writeFileSync(other, JSON.stringify(JSON.parse(text), null, 2));
  expect(kestrel('verify', other).status).toBe(0);
  writeFileSync(other, text.replace('"qty":10', '"qty":11'));
  expect(kestrel('verify', other)).toMatchObject({ status: 2, out: expect.stringMatching(/^differs at /) });
  writeFileSync(other, text.slice(0, -1));
  expect(kestrel('verify', other)).toMatchObject({ status: 2, err: expect.stringContaining('no-proof') });
  const noTape = run(program.path, ['verify', path], { home: join(home, 'elsewhere') });
  expect(noTape).toMatchObject({ status: 2, err: expect.stringContaining('unknown-tape') });
});

test('a session that is not finalized is said to be so, and one that is not there is another thing', () => {
  for (const verb of [
    ['verify', pendingId],
    ['sessions', 'export', pendingId, '--out', join(home, 'none.json')],
  ]) {
    expect(kestrel(...verb)).toMatchObject({ status: 2, out: '', err: expect.stringContaining('not-finalized') });
  }
  expect(kestrel('verify', `s-${'0'.repeat(32)}`).err).toContain('unknown-session');
});

test('a signature beside a proof is checked, every byte of it, and a file that is no JSON says why', () => {
  const path = join(home, 'signed.json');
  const { key } = JSON.parse(kestrel('sessions', 'export', sessionId, '--out', path, '--json').out);
  expect(kestrel('verify', path).out).toContain(`signed by ${key}`);
  expect(JSON.parse(kestrel('verify', path, '--json').out)).toMatchObject({ kind: 'verified', signer: key });
  const signature = readFileSync(`${path}.sig`, 'utf8');
  const spoiled = [
    signature.replace('Ed25519', 'ed25519'),
    signature.replace('kestrel.signature/v1', 'kestrel.signature/v2'),
    signature.replace(/"key":"(.)/, (_, digit: string) => `"key":"${digit === '0' ? '1' : '0'}`),
    signature.replace(/"signature":"(.)/, (_, digit: string) => `"signature":"${digit === '0' ? '1' : '0'}`),
    signature.replace('{', '{"note":1,'),
    '',
  ];
  for (const text of spoiled) {
    writeFileSync(`${path}.sig`, text);
    expect(kestrel('verify', path)).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('signature-bad'),
    });
  }
  writeFileSync(`${path}.sig`, signature);
  const text = readFileSync(path, 'utf8');
  // Other white space is the same value, and it is the value that is signed.
  writeFileSync(path, `${JSON.stringify(JSON.parse(text), null, 1).replaceAll('\n', '\r\n')}\r\n`);
  expect(kestrel('verify', path, '--key', key)).toMatchObject({ status: 0, out: expect.stringContaining('signed by') });
  writeFileSync(path, text.replace('{', `{"seal":"${'0'.repeat(64)}",`));
  expect(kestrel('verify', path)).toMatchObject({ status: 2, err: expect.stringMatching(/no-proof.*each name once/) });
  writeFileSync(path, text.replace('"qty":10', '"qty":11'));
  expect(kestrel('verify', path, '--key', key)).toMatchObject({
    status: 2,
    out: expect.stringContaining('differs at fill 1'),
  });
});

test('what a subject is pinned to is for the catalog to say, whatever a proof and a tape beside it tell', () => {
  const told = JSON.parse(kestrel('sessions', 'play', 'half-day-strict', '--json').out);
  const [path, tape] = [join(home, 'half.json'), join(home, 'half.jsonl')];
  kestrel('sessions', 'export', told.sessionId, '--out', path);
  writeFileSync(tape, kestrel('tape', 'cat', 'bundled:half-day').out);
  expect(kestrel('verify', path, '--tape', tape)).toMatchObject({ status: 0 });
  rmSync(`${path}.sig`);
  const proof = JSON.parse(readFileSync(path, 'utf8'));
  const forge = (more: object) => {
    writeFileSync(path, JSON.stringify({ ...proof, ...more }));
    return kestrel('verify', path, '--tape', tape).out.split('\n')[0];
  };
  expect(forge({ pins: { ...proof.pins, thinkMs: 0 } })).toBe('differs at pins.thinkMs');
  expect(forge({ checkpoints: [] })).toBe('differs at checkpoints');
  expect(forge({ document: null, pins: { ...proof.pins, document: null } })).toBe('differs at document');
  writeFileSync(tape, shortDayText());
  expect(forge({})).toBe('differs at pins.tape');
});

test('a frame is shown as text, as Markdown, under a view, and from a file', () => {
  expect(kestrel('frame', sessionId, '--slot', '1').out).toContain('why: open');
  expect(kestrel('frame', sessionId, '--format', 'markdown').out).toMatch(/^## tape 15m/);
  const view = join(home, 'view.kes');
  writeFileSync(view, 'VIEW small budget 120 tokens tape(5m) plans\n');
  expect(kestrel('frame', sessionId, '--view', view).out).toContain('kernel');
  const file = join(home, 'frame.json');
  const json = kestrel('frame', sessionId, '--format', 'json').out;
  writeFileSync(file, json);
  expect(kestrel('frame', file).out).toBe(kestrel('frame', sessionId).out);
  writeFileSync(file, `{"v":"kestrel.agent/v1","kind":"advance","value":{"delivery":{"frame":${json}}}}`);
  expect(kestrel('frame', file).out).toBe(kestrel('frame', sessionId).out);
  writeFileSync(view, 'VIEW small tape(0m)\n');
  expect(kestrel('frame', file, '--view', view)).toMatchObject({ status: 2, err: expect.stringContaining('K053') });
  expect(kestrel('frame', sessionId, '--slot', '99')).toMatchObject({
    status: 2,
    err: expect.stringContaining('unknown-slot'),
  });
});

test('a file that is no whole frame is refused by where it is not, and moves no cursor', async () => {
  const frame = JSON.parse(kestrel('frame', sessionId, '--format', 'json').out);
  const ESCAPE = '\u001b[2J';
  const shown = async (told: unknown) => {
    const { captured } = await import('../cli/captured.ts');
    return captured(['frame', '-'], { stdin: JSON.stringify(told), env: { KESTREL_HOME: home } });
  };
  for (const { path, value } of placesIn(frame)) {
    for (const put of [null, ESCAPE, [], {}, -1.5]) {
      if (JSON.stringify(put) === JSON.stringify(value)) continue;
      const { status, stdout, stderr } = await shown(withAt(frame, path, put));
      expect([path.join('.'), put, stderr.includes('internal'), stdout.includes('\u001b')]).toEqual([
        path.join('.'),
        put,
        false,
        false,
      ]);
      if (status !== 0) expect([status, stderr]).toEqual([2, expect.stringContaining('no-frame')]);
    }
  }
});

type Path = readonly (string | number)[];

/** Places of a value, of lists the first entry alone. */
function placesIn(value: unknown, path: Path = []): { readonly path: Path; readonly value: unknown }[] {
  const inside: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.slice(0, 1).map((part) => [0, part])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return [{ path, value }, ...inside.flatMap(([key, part]) => placesIn(part, [...path, key]))];
}

function withAt(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put;
  if (Array.isArray(value)) return value.map((part, i) => (i === key ? withAt(part, rest, put) : part));
  const of = value as Record<string, unknown>;
  return { ...of, [key]: withAt(of[key], rest, put) };
}

test('a dataset is registered under a name that is one', () => {
  expect(kestrel('dataset', 'add', 'UPPER', 'bundled:quiet-wide')).toMatchObject({ status: 2 });
  expect(kestrel('dataset', 'add', 'x', 'bundled:quiet-wide', '--checkpoint', '25:00')).toMatchObject({ status: 2 });
});

test('a day of the catalog is played from its briefing to verified', () => {
  const { out, status, err } = kestrel('sessions', 'play', 'half-day-strict');
  expect([err, status]).toEqual(['', 0]);
  for (const part of ['The short session after a holiday', 'why: open', 'minutes to the close', 'conformance root']) {
    expect(out).toContain(part);
  }
  expect(out.trimEnd().endsWith('verified')).toBe(true);
  const told = JSON.parse(kestrel('sessions', 'play', 'half-day-strict', '--json').out);
  expect(out).toContain(told.tipHash);
  expect(kestrel('sessions', 'play', 'half-day')).toMatchObject({ status: 2, err: expect.stringContaining('nearest') });
});
