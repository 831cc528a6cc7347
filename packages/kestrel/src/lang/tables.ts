// Tables of the language as Markdown: what the documentation shows between its markers, from what the code uses.
import { codes } from './codes.ts';
import { series } from './series.ts';
import { anchorNames, anchors, dimensions, fillModels, panes, phases, planStates, regimes } from './vocabulary.ts';

/** Tables by the name that a marker gives: `<!-- table: series -->` … `<!-- end -->`. */
export function languageTables(): ReadonlyMap<string, string> {
  return new Map([
    [
      'codes',
      table(
        ['code', 'refused'],
        [...codes.values()].map((row) => [
          `\`${row.code}\``,
          row.severity === 'warning' ? `(warning) ${row.refused}` : row.refused,
        ]),
      ),
    ],
    [
      'series',
      table(
        ['series', 'unit', 'percentiles', 'meaning', 'known from'],
        [...series.values()].map((row) => [
          `\`${row.form}\``,
          row.unit,
          row.reference ? 'yes' : '',
          row.meaning,
          row.known,
        ]),
      ),
    ],
    [
      'panes',
      table(
        ['pane', 'shows'],
        [...panes.values()].map((row) => [`\`${row.form}\``, row.meaning]),
      ),
    ],
    [
      'anchors',
      table(
        ['anchor', 'family', 'meaning'],
        anchorNames.map((name) => [`\`${name}\``, anchors[name].family, anchors[name].meaning]),
      ),
    ],
    [
      'words',
      table(
        ['list', 'words'],
        [
          ['phases', list(phases)],
          ['plan states', list(planStates)],
          ...[...regimes].map(([tag, values]): [string, string] => [`regime tag \`${tag}\``, list(values)]),
          ['dimensions', list(dimensions)],
          ...[...fillModels].map(([name, meaning]): [string, string] => [`fill model \`${name}\``, meaning]),
        ],
      ),
    ],
  ]);
}

/** The text with each table between its markers made anew. */
export function fillTables(text: string): string {
  const tables = languageTables();
  return text.replace(/<!-- table: (\w+) -->\n[\s\S]*?<!-- end -->/g, (whole, name: string) => {
    const made = tables.get(name);
    return made === undefined ? whole : `<!-- table: ${name} -->\n${made}<!-- end -->`;
  });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + `|${'---|'.repeat(head.length)}\n` + rows.map(line).join('');
}

function list(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(' ');
}
