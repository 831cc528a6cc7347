/**
 * `npm run bench [-- name…] [-- --write]`: runs the benchmarks of this folder and prints one table. Each file exports
 * `bench()`, which returns rows `{ measure, value, unit, target?, ratio? }`; `--write` puts the table into
 * docs/benchmarks.md, between its marks, with the machine and the date.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../scripts/build.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, '../docs/benchmarks.md');
const MARKS = { begin: '<!-- measured: begin -->', end: '<!-- measured: end -->' };

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
const write = args.includes('--write');
const present = readdirSync(here)
  .filter((file) => file.endsWith('.mjs') && !['run.mjs', 'clock.mjs'].includes(file))
  .map((file) => file.slice(0, -'.mjs'.length))
  .sort();
const unknown = names.filter((name) => !present.includes(name));
if (unknown.length > 0) {
  console.error(`bench: there is no ${unknown.join(', ')}; there are: ${present.join(', ')}`);
  process.exit(2);
}

await build({ types: false });
const chosen = names.length > 0 ? names : present;
const tables = [];
let broken = 0;
for (const name of chosen) {
  const module = await import(`./${name}.mjs`);
  if (typeof module.bench !== 'function') continue;
  process.stderr.write(`bench: ${name} …\n`);
  try {
    const rows = await module.bench();
    tables.push({ name, rows });
    console.log(`\n${name}\n${tableOf(rows)}`);
  } catch (error) {
    broken++;
    console.error(`bench: ${name} broke: ${error instanceof Error ? error.stack : error}`);
  }
}
console.log(`\n${machine()}`);
if (write) writePage();
process.exitCode = broken === 0 ? 0 : 1;

function tableOf(rows) {
  const head = ['measure', 'value', 'unit', 'wanted', 'ratio'];
  const cells = rows.map((row) => [
    row.measure,
    figure(row.value),
    row.unit ?? '',
    String(row.target ?? ''),
    ratio(row),
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((cell) => cell[i].length)));
  const line = (cell) =>
    `| ${cell.map((text, i) => (i === 1 ? text.padStart(widths[i]) : text.padEnd(widths[i]))).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...cells.map(line)].join('\n');
}

function ratio(row) {
  return typeof row.ratio === 'number' ? `${row.ratio.toFixed(2)}x` : String(row.ratio ?? '');
}

/** Three significant digits: more would claim what a noisy machine cannot know. */
function figure(value) {
  if (typeof value !== 'number') return String(value);
  if (Math.abs(value) >= 1_000) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
  return String(Number(value.toPrecision(3)));
}

function machine() {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

/** The tables that were run are replaced, the others and the prose around them stay. */
function writePage() {
  const before = existsSync(page) ? readFileSync(page, 'utf8') : `# Benchmarks\n\n${MARKS.begin}\n${MARKS.end}\n`;
  const begin = before.indexOf(MARKS.begin);
  const end = before.indexOf(MARKS.end);
  if (begin < 0 || end < begin) throw new Error(`docs/benchmarks.md misses its marks ${MARKS.begin} … ${MARKS.end}`);
  const kept = new Map(
    [...before.slice(begin, end).matchAll(/^### (\S+)\n\n([\s\S]*?)(?=^### |(?![\s\S]))/gm)].map((match) => [
      match[1],
      match[2].trim(),
    ]),
  );
  for (const { name, rows } of tables) kept.set(name, `${machine()}\n\n${tableOf(rows)}`);
  const body = [...kept.keys()].sort().map((name) => `### ${name}\n\n${kept.get(name)}\n`);
  writeFileSync(page, `${before.slice(0, begin)}${MARKS.begin}\n${body.join('\n')}${before.slice(end)}`);
}
