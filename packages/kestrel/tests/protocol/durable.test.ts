/** Sessions in real processes: killed at random instants, raced for a slot, taken up again. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIP } from '../session/short-day.ts';
import { bundledProgram, forgetTemplate, lineReader, newHome, removeHome, run, start } from './program.ts';
import { newHost, saw, sawStore, speak } from './streams.ts';

let program: Awaited<ReturnType<typeof bundledProgram>>;
const homes: string[] = [];
beforeAll(async () => {
  program = await bundledProgram();
});
afterAll(() => {
  program.remove();
  for (const home of homes) removeHome(home);
  forgetTemplate();
});

const fresh = (): string => {
  const home = newHome(program.path);
  homes.push(home);
  return home;
};
const text = (requests: readonly unknown[]) => `${requests.map((r) => JSON.stringify(r)).join('\n')}\n`;
const pass = { op: 'advance', response: { kind: 'pass' } };
const author = { op: 'revise', response: { kind: 'authored', document: DIP } };
const DAY = [saw(), { op: 'start' }, author, ...Array.from({ length: 12 }, () => pass)];

/** The answers of the day without any interruption. */
const { out: uninterrupted } = speak(DAY, newHost(sawStore()));

test('a kill at any instant loses nothing that was answered, and the play goes on to the same tip', async () => {
  const play = speak([...DAY.slice(0, uninterrupted.length), { op: 'finalize' }], newHost(sawStore()));
  const { tipHash } = JSON.parse(play.out.at(-1)!).value;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: uninterrupted.length }), fc.nat(40), async (answers, delayMs) => {
      const home = fresh();
      const child = start(program.path, ['agent'], home);
      const next = lineReader(child.stdout);
      const told: string[] = [];
      const gone = new Promise((resolve) => child.on('exit', resolve));
      child.stdin.on('error', () => {});
      // A slot at a time up to the last answer waited for; the next request is in flight when the kill comes.
      for (let i = 0; i < answers; i++) {
        child.stdin.write(text([DAY[i]]));
        told.push((await next())!);
      }
      if (answers < uninterrupted.length) child.stdin.write(text([DAY[answers]]));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      child.kill('SIGKILL');
      await gone;
      expect(told).toEqual(uninterrupted.slice(0, answers));

      const { sessionId } = JSON.parse(told[0]!).value;
      const again = { op: 'openSession', subject: { kind: 'session', id: sessionId } };
      const operations = Array.from({ length: answers - 2 }, (_, i) => ({
        op: 'resumeOperation',
        operationId: `${sessionId}/${i + 1}`,
      }));
      const found = run(program.path, ['agent'], { input: text([...operations, again, { op: 'start' }]), home });
      const values = found.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).value);
      for (const [i, value] of values.slice(0, operations.length).entries()) {
        expect(value).toMatchObject({ state: 'done', value: JSON.parse(told[i + 2]!).value });
      }
      // Whether the request in flight was recorded or not, the slot says where to go on.
      const pending = values.at(-1)?.slot?.ordinal ?? uninterrupted.length - 1;
      expect([answers - 1, answers]).toContain(pending);
      const rest = [again, { op: 'start' }, ...DAY.slice(pending + 1, uninterrupted.length), { op: 'finalize' }];
      const ended = run(program.path, ['agent'], {
        input: text(found.status === 0 ? rest : [again, { op: 'finalize' }]),
        home,
      });
      expect(ended.err).toBe('');
      expect(JSON.parse(ended.out.trimEnd().split('\n').at(-1)!).value.tipHash).toBe(tipHash);
    }),
    // The example has the request in flight that ends the session.
    { numRuns: 5, examples: [[uninterrupted.length - 1, 40]] },
  );
});

test('of two processes at one slot exactly one wins it', async () => {
  const home = fresh();
  const opened = run(program.path, ['agent'], { input: text([saw(), { op: 'start' }]), home });
  const { sessionId } = JSON.parse(opened.out.split('\n')[0]!).value;
  const again = { op: 'openSession', subject: { kind: 'session', id: sessionId } };
  const racers = await Promise.all(
    ['left', 'right'].map(async (reason) => {
      const child = start(program.path, ['agent'], home);
      const [out, err] = [lineReader(child.stdout), lineReader(child.stderr)];
      child.stdin.on('error', () => {});
      child.stdin.write(text([again, { op: 'start' }]));
      await out();
      await out();
      return { child, out, err, reason };
    }),
  );
  for (const { child, reason } of racers) {
    child.stdin.write(text([{ op: 'advance', response: { kind: 'stand-down', reason } }]));
  }
  const outcomes = await Promise.all(
    racers.map(async ({ child, out, err, reason }) => {
      const answer = await out();
      const refusal = answer === undefined ? JSON.parse((await err())!).refusal.code : undefined;
      child.stdin.end();
      return answer === undefined ? refusal : reason;
    }),
  );
  expect(outcomes).toContain('slot-mismatch');
  const winner = outcomes.find((outcome) => outcome !== 'slot-mismatch');
  expect(['left', 'right']).toContain(winner);
  const log = run(program.path, ['agent'], { input: text([again, { op: 'resume' }]), home });
  const { events } = JSON.parse(log.out.trimEnd().split('\n')[1]!).value;
  const turns = events.filter((event: { kind: string }) => event.kind === 'session/turn');
  expect(turns.map((turn: { value: { body: { reason: string } } }) => turn.value.body.reason)).toEqual([winner]);
});

test('two processes that open at once have a session each', async () => {
  const home = fresh();
  const ids = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = start(program.path, ['agent'], home);
      child.stdin.end(text([saw()]));
      return JSON.parse((await lineReader(child.stdout)())!).value.sessionId;
    }),
  );
  expect(new Set(ids).size).toBe(4);
});

test('a closed pipe ends quietly', async () => {
  const child = start(program.path, ['agent'], fresh());
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdout.destroy();
  child.stdin.on('error', () => {});
  child.stdin.end('{"op":"describe"}\n'.repeat(50));
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
  expect(err).toBe('');
});

test('a line of a hundred megabytes is refused without being read', () => {
  const input = Buffer.concat([Buffer.from('{"op":"catalog"}\n'), Buffer.alloc(100_000_000, 120)]);
  const { out, err, status } = run(program.path, ['agent'], { input, home: fresh() });
  expect([out.split('\n').length, status, JSON.parse(err).refusal]).toEqual([
    2,
    2,
    expect.objectContaining({ code: 'too-large', line: 2, op: null }),
  ]);
});

test('a byte order mark, CRLF, blank lines and a last line without an end are read; bytes that are not UTF-8 are not', () => {
  const home = fresh();
  const odd = Buffer.from('\ufeff{"op":"describe"}\r\n\r\n   \n{"op":"catalog"}');
  expect(run(program.path, ['agent'], { input: odd, home })).toMatchObject({ err: '', status: 0 });
  const bad = run(program.path, ['agent'], { input: Buffer.of(0x7b, 0xff, 0x7d, 0x0a), home });
  expect([JSON.parse(bad.err).refusal.code, bad.status]).toEqual(['bad-json', 2]);
});

test('a home that cannot be written is unavailable, and catalog does without one', () => {
  const home = '/dev/null/kestrel';
  expect(run(program.path, ['agent'], { input: text([{ op: 'catalog' }, { op: 'describe' }]), home }).status).toBe(0);
  const subject = { kind: 'dataset', source: '', dataset: 'bundled:quiet-wide' };
  const refused = run(program.path, ['agent'], { input: text([{ op: 'openSession', subject }]), home });
  expect([JSON.parse(refused.err).refusal.code, refused.status]).toEqual(['unavailable', 4]);
});

test('the help shows every op', () => {
  const { out, status } = run(program.path, ['agent', '--help'], { home: fresh() });
  expect(status).toBe(0);
  for (const op of ['describe', 'resumeOperation', 'AuthoredResponse']) expect(out).toContain(op);
});
