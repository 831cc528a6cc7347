/** docs/guide-options.md in order, by bash and the built program: every command runs, and prints what the page shows. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram, program, root } from '../cli/built.ts';
import { HAS_DATA, LEAN } from '../market/data.ts';

interface Block {
  readonly command: string;
  /** Lines of both streams, `…` for any number of them; absent: only the exit status is looked at. */
  readonly shown?: readonly string[];
}

const page = readFileSync(join(root, 'docs/guide-options.md'), 'utf8');
const blocks: readonly Block[] = [...page.matchAll(/```(sh|text)\n([\s\S]*?)```/g)].map(([, language, body]) => {
  if (language === 'sh') return { command: body! };
  const [first, ...shown] = body!.trimEnd().split('\n');
  return { command: first!.replace(/^\$ /, ''), shown };
});

let folder = '';
beforeAll(() => {
  buildProgram();
  folder = mkdtempSync(join(tmpdir(), 'kestrel-guide-'));
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string): { readonly status: number | null; readonly lines: readonly string[] } {
  const script = `kestrel() { "${process.execPath}" "${program}" "$@"; }\nset -e\nexec 2>&1\n${command}`;
  const env = { ...process.env, LEAN };
  const { status, stdout } = spawnSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
  return {
    status,
    lines: stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd()),
  };
}

/** The first line of `shown` that does not come where it should; undefined where all do. */
function missing(shown: readonly string[], lines: readonly string[]): string | undefined {
  let at = 0;
  let gap = false;
  for (const line of shown) {
    if (line === '…') {
      gap = true;
      continue;
    }
    const found = gap ? lines.indexOf(line, at) : lines[at] === line ? at : -1;
    if (found < 0) return line;
    at = found + 1;
    gap = false;
  }
  return gap || at === lines.length ? undefined : `nothing after ${lines[at - 1]}`;
}

test('the page has commands, and is found out where it shows what is not printed', () => {
  expect(blocks.filter(({ shown }) => shown !== undefined).length).toBeGreaterThanOrEqual(7);
  expect(missing(['…', 'b', '…', 'd'], ['a', 'b', 'c', 'd'])).toBeUndefined();
  expect(missing(['a', 'c', '…'], ['a', 'b', 'c'])).toBe('c');
  expect(missing(['a'], ['a', 'b'])).toBe('nothing after a');
});

test.each(blocks.map((block, i) => [`${i + 1}. ${block.command.split('\n')[0]}`, block] as const))(
  '%s',
  (_name, { command, shown }) => {
    if (command.includes('$LEAN') && !HAS_DATA) {
      console.log('skipped: the archives of LEAN are not here');
      return;
    }
    const { status, lines } = run(command);
    // A document that is refused ends with 2, as the page shows.
    expect(status, lines.join('\n')).toBe(command.includes('validate') ? 2 : 0);
    if (shown !== undefined) expect(missing(shown, lines)).toBeUndefined();
  },
  60_000,
);
