/** RPC through real processes: one-shot, batch, usage, streaming, and stores. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { builtBin, cleanEnv, finished, run } from '../support/built.ts';
import { until } from '../support/raw.ts';
import { saying, upstream } from '../support/upstream.ts';

const home = mkdtempSync(join(tmpdir(), 'agent-eval-rpc-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = { AGENT_EVAL_HOME: home };

describe('rpc', () => {
  const check = async (args: string[], stdin: string, code: number, said: RegExp): Promise<void> => {
    const ran = await run(['rpc', ...args], stdin, env);
    expect([ran.code, ran.stdout.split('\n').length], ran.stderr + ran.stdout).toEqual([code, 2]);
    expect(ran.stdout).toMatch(said);
  };
  test('without a store nothing touches the disk; with the default one all five methods work', async () => {
    await check(['version'], '', 0, /"wireVersion":"1\.0\.0"/);
    await check(['listRubrics'], '{}', 0, /anti-slop@sha256-rfc8785/);
    await check(['judge'], '{"rubricName":"anti-slop","content":"x"}', 1, /llm_not_configured/);
    await check(
      ['traces.ingest'],
      '{"events":[{"eventId":"e","runId":"r","kind":"log","timestamp":1,"payload":{"n":12345678901234567890}}]}',
      0,
      /"accepted":1/,
    );
    await check(
      ['feedback.ingest'],
      '{"id":"t","task":{"intent":"x"},"createdAt":"2026-08-01T00:00:00Z"}',
      0,
      /"persisted":true/,
    );
    await check(
      [],
      '{"method":"traces.ingest","params":{"events":[{"eventId":"f","runId":"r","kind":"log","timestamp":1,"payload":{}}]}}',
      0,
      /"accepted":1/,
    );
    expect((await run(['traces', 'export'], '', env)).stdout).toContain('12345678901234567890');
    const stats = JSON.parse((await run(['stats', '--json'], '', env)).stdout);
    expect(stats).toMatchObject({ events: 2, feedback: 1 });
    const second = '{"id":"t", "task":{"intent":"y"},"createdAt":"2026-08-01T00:00:00Z"}';
    await check(['feedback.ingest'], second, 0, /"persisted":true/);
    const exported = async (...flags: string[]) => (await run(['feedback', 'export', ...flags], '', env)).stdout;
    expect(await exported()).toBe(`${second}\n`);
    const versions = (await exported('--versions', '--id', 't')).trim().split('\n');
    expect(versions.map((line) => JSON.parse(line))).toMatchObject([
      { version: 1, record: { task: { intent: 'x' } } },
      { version: 2, record: { task: { intent: 'y' } } },
    ]);
    expect(versions[1]).toContain(`"record":${second}}`);
    expect(await exported('--versions', '--id', 'none')).toBe('');
    expect(
      (await run(['feedback', 'list', '--versions', '--limit', '1'], '', env)).stdout.trim().split('\n'),
    ).toHaveLength(2);
    await check(
      ['traces.ingest', '--store', 'none'],
      '{"events":[{"eventId":"f","runId":"r","kind":"log","timestamp":1,"payload":{}}]}',
      1,
      /service_unavailable/,
    );
  });
  test('faults of the caller', async () => {
    await Promise.all([
      check([], '', 1, /parse_error/),
      check([], '[]', 1, /validation_error/),
      check([], '{"method":5}', 1, /validation_error/),
      check([], '{"method":"version"}}', 1, /parse_error/),
    ]);
    await Promise.all([
      check(['__proto__'], '{}', 1, /unknown_method/),
      check(['judge'], '[]', 1, /validation_error/),
      check(['judge'], '{"content":"x","rubricName":"nope"}', 1, /rubric_not_found/),
    ]);
  });
  test('a request that is too large is told so', async () => {
    const ran = await run(['rpc', 'judge'], Buffer.alloc(17 * 1024 * 1024, 0x20), env);
    expect([ran.code, JSON.parse(ran.stdout).error.code]).toEqual([1, 'payload_too_large']);
  });
  test('bad usage: nothing on stdout, one line on stderr, exit 1', async () => {
    for (const args of [
      ['rpc', 'version', 'judge'],
      ['rpc-batch', '--concurrency', '0'],
      ['rpc', '--store'],
    ]) {
      const { code, stdout, stderr } = await run(args, '{}', env);
      expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
    }
  });
  test('other verbs: bad usage is exit 2', async () => {
    for (const args of [['zzz'], ['traces', 'list', '--limit', 'many'], ['backup']]) {
      expect((await run(args, '', env)).code, args.join(' ')).toBe(2);
    }
  });
});

describe('rpc-batch', () => {
  test('answers each line as it is done, without waiting for the end of input', async () => {
    const child = spawn(process.execPath, [await builtBin(), 'rpc-batch', 'version'], { env: cleanEnv(env) });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    const ended = finished(child);
    for (let n = 1; n <= 3; n++) {
      child.stdin.write('{}\n');
      await until(() => out.split('\n').length === n + 1);
    }
    child.stdin.write('{"unfinished');
    child.stdin.end();
    const { code } = await ended;
    expect(code).toBe(1);
    expect(JSON.parse(out.trim().split('\n')[3]!).error.code).toBe('parse_error');
  });

  test('keeps the order of the lines though later ones are done first, --concurrency at once', async () => {
    let now = 0;
    let most = 0;
    const model = await upstream((asked, response, n) => {
      most = Math.max(most, ++now);
      const content = /BEGIN>>>\\nc(\d)/.exec(JSON.stringify(asked.body.messages))?.[1];
      setTimeout(
        () => {
          now--;
          saying(`{"dimensions":{"buyer_quality":1,"voice":1,"signal":1},"rationale":"c${content}"}`)(
            asked,
            response,
            n,
          );
        },
        300 - Number(content) * 20,
      );
    });
    const lines = Array.from({ length: 10 }, (_, i) => JSON.stringify({ rubricName: 'anti-slop', content: `c${i}` }));
    const { code, stdout } = await run(['rpc-batch', 'judge', '--concurrency', '4'], lines.join('\n'), {
      ...env,
      AGENT_EVAL_LLM_BASE_URL: model.url,
    });
    await model.close();
    expect(code).toBe(0);
    const rationales = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).result.rationale);
    expect(rationales).toEqual(lines.map((_, i) => `c${i}`));
    expect(most).toBe(4);
  });

  test('100,000 lines go through in bounded memory and in order', async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) =>
      i % 1_000 === 999 ? '{"method":"nope"}' : '{"method":"version"}',
    );
    const { code, stdout } = await run(['rpc-batch', '--concurrency', '32'], lines.join('\n'), env);
    expect(code).toBe(1);
    const answers = stdout.trimEnd().split('\n');
    expect(answers).toHaveLength(100_000);
    answers.forEach((answer, i) => {
      if (answer.startsWith('{"error"') !== (i % 1_000 === 999)) throw new Error(`line ${i}: ${answer}`);
    });
  });

  test('a line that is too long is one error, and the next is answered', async () => {
    const { stdout } = await run(['rpc-batch', 'version'], `${'x'.repeat(17 * 1024 * 1024)}\n{}\n`, env);
    const [first, second] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first.error.code).toBe('payload_too_large');
    expect(second.result.wireVersion).toBe('1.0.0');
  });

  test('a reader that has seen enough ends it quietly', async () => {
    const child = spawn(process.execPath, [await builtBin(), 'rpc-batch', 'version'], { env: cleanEnv(env) });
    child.stdin.on('error', () => {});
    child.stdout.once('data', () => child.stdout.destroy());
    child.stdin.write('{}\n'.repeat(200_000));
    child.stdin.end();
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect([code, stderr]).toEqual([0, '']);
  });
});
