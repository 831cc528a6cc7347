/** The run that README.md shows: lines of the real demo, cut to the part in which the plan acts. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const readme = join(dirname(fileURLToPath(import.meta.url)), '../../README.md');
const MARKS = { begin: '<!-- run: begin -->', end: '<!-- run: end -->' };

export async function generate({ load }) {
  const { demo } = await load('packages/kestrel/src/cli/demo.ts');
  let said = '';
  const streams = { write: (text) => (said += text), say: () => {}, env: {}, watched: () => false };
  demo(streams);
  const lines = said.split('\n');
  const plans = lines.indexOf('Plans');
  const acts = lines
    .slice(0, plans)
    .flatMap((line, i) => (/fired|\+ bought|- sold/.test(line) && /^ {2}\d\d:\d\d:/.test(line) ? [i] : []));
  const ruler = lines.findIndex((line) => line.includes('in basis points'));
  const report = lines.indexOf('Fills');
  const happened = lines.indexOf('What happened');
  const totals = lines.indexOf('Totals');
  const shown = [
    ...lines.slice(ruler, ruler + 2),
    '  …',
    ...lines.slice(acts[0] - 4, acts.at(-1) + 4),
    '  …',
    '',
    ...lines.slice(report, happened < 0 ? totals : happened),
    ...lines.slice(totals, lines.findIndex((line) => line.startsWith('determinismHash')) + 1),
  ];
  const text = readFileSync(readme, 'utf8');
  const begin = text.indexOf(MARKS.begin) + MARKS.begin.length;
  const block = `\n\n\`\`\`text\n${shown.map((line) => line.trimEnd()).join('\n')}\n\`\`\`\n\n`;
  return [{ path: 'README.md', text: text.slice(0, begin) + block + text.slice(text.indexOf(MARKS.end)) }];
}
