/**
 * LEAN's map and factor files: under which names a company traded, and by which factors its prices of old are adjusted.
 * Out of them what took effect up to a day; what came later a tape of that day does not tell.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ActionRecord, type CorporateAction, commonDivisor, type Ratio } from '../actions.ts';
import { CalendarRefusal, nthSessionAfter } from '../calendar.ts';
import { isoDateOf, parseDate } from '../calendar-date.ts';
import { isCivilDate } from '../header.ts';
import type { NamedBytes } from '../imported.ts';
import { TapeRefusal } from '../refusal.ts';
import { readWhole } from '../source.ts';

/** How far back a tape's record reaches. */
export const ACTION_DAYS = 366;
/** Most map files of a folder, and most bytes of one file. */
export const MAP_FILES_MAX = 100_000;
export const ACTION_FILE_BYTES_MAX = 1 << 20;

/** A split whose factor is this near to a ratio of small whole numbers is that ratio: files have seven digits or less. */
const RATIO_APART = 2e-4;
const PLAIN_TERM_MAX = 100;
/** Other splits are told in millionths. */
const MILLION = 1_000_000;

export interface ActionFiles {
  /** Every `map_files/NAME.csv`. */
  readonly maps: readonly NamedBytes[];
  /** @returns `factor_files/NAME.csv` */
  factor(name: string): NamedBytes | undefined;
}

/** @param folder one that has `map_files` and `factor_files`, such as `equity/usa` @throws TapeRefusal */
export function readActionFiles(folder: string): ActionFiles {
  const [maps, factors] = [join(folder, 'map_files'), join(folder, 'factor_files')];
  if (!existsSync(maps) || !existsSync(factors)) {
    const expected = 'a folder that has map_files and factor_files, such as equity/usa of LEAN';
    throw new TapeRefusal('option-bad', { expected, got: folder });
  }
  const names = readdirSync(maps).filter((name) => name.endsWith('.csv'));
  if (names.length > MAP_FILES_MAX) {
    throw new TapeRefusal('option-bad', { expected: `at most ${MAP_FILES_MAX} map files`, got: `${names.length}` });
  }
  const read = (path: string): NamedBytes => ({ name: path, bytes: readWhole(path, ACTION_FILE_BYTES_MAX).bytes });
  return {
    maps: names.sort().map((name) => read(join(maps, name))),
    factor: (name) => {
      const path = join(factors, `${name}.csv`);
      return existsSync(path) ? read(path) : undefined;
    },
  };
}

/**
 * @param date of the tape, `YYYY-MM-DD`
 * @param symbols by their names on that day
 * @returns the header's `actions`; a symbol that the files do not know has no record
 * @throws TapeRefusal `option-bad` where they know none, `row-bad`
 */
export function actionsOn(date: string, symbols: readonly string[], files: ActionFiles): Record<string, ActionRecord> {
  const out: Record<string, ActionRecord> = Object.create(null);
  for (const symbol of symbols) {
    const record = recordOf(symbol, { date, files });
    if (record !== undefined) out[symbol] = record;
  }
  if (Object.keys(out).length > 0) return out;
  const expected = `a map file and a factor file of ${symbols.slice(0, 4).join(', ') || 'a share'} on ${date}`;
  throw new TapeRefusal('option-bad', {
    expected,
    got: 'none',
    next: 'leave the actions out, and the tape tells none',
  });
}

function recordOf(
  symbol: string,
  what: { readonly date: string; readonly files: ActionFiles },
): ActionRecord | undefined {
  const { date, files } = what;
  const map = mapOf(symbol, { date, files });
  const factor = map === undefined ? undefined : files.factor(stemOf(map.name));
  if (map === undefined || factor === undefined) return undefined;
  const from = isoDateOf(parseDate(date) - ACTION_DAYS);
  const list = [...renamesIn(map.rows), ...adjustmentsIn(factor)]
    .filter(({ effective }) => effective >= from && effective <= date)
    .sort((a, b) => (a.effective < b.effective ? -1 : a.effective > b.effective ? 1 : 0));
  return { from, list };
}

interface MapRow {
  /** The last day under the name. */
  readonly date: string;
  readonly name: string;
}

/** The company that bore a name on a day: a file is named after the last name of its company. */
function mapOf(
  symbol: string,
  what: { readonly date: string; readonly files: ActionFiles },
): { readonly name: string; readonly rows: readonly MapRow[] } | undefined {
  const { date, files } = what;
  const wanted = `,${symbol.toLowerCase()}`;
  for (const file of files.maps) {
    const text = new TextDecoder('latin1').decode(file.bytes).toLowerCase();
    if (!text.includes(wanted)) continue;
    const rows = fieldsOf(file).map(({ fields, line }) => {
      const [day = '', name = ''] = fields;
      if (name === '') throw bad(file, line, 'YYYYMMDD,name', fields.join(','));
      return { date: isoOf(day, file, line), name: name.toUpperCase() };
    });
    const [first] = rows;
    if (first === undefined || first.date > date) continue;
    if (rows.find((row) => row.date >= date)?.name === symbol) return { name: file.name, rows };
  }
  return undefined;
}

function renamesIn(rows: readonly MapRow[]): CorporateAction[] {
  return rows.slice(1).flatMap(({ name }, i) => {
    const before = rows[i]!;
    const effective = before.name === name ? undefined : sessionAfter(before.date);
    return effective === undefined ? [] : [{ kind: 'rename', effective, from: before.name, to: name }];
  });
}

/** Rows are factors up to and at their days: where the next row has others, something took effect on the session after. */
function adjustmentsIn(file: NamedBytes): CorporateAction[] {
  const rows = fieldsOf(file).map(({ fields, line }) => {
    const [day = '', ...numbers] = fields;
    const [price = Number.NaN, split = Number.NaN, close = Number.NaN] = numbers.map((text) =>
      /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : Number.NaN,
    );
    if (!(price > 0) || !(split > 0) || !(close >= 0)) {
      throw bad(file, line, 'YYYYMMDD, price factor, split factor, close', fields.join(','));
    }
    return { date: isoOf(day, file, line), price, split, close };
  });
  return rows.slice(1).flatMap((after, i): CorporateAction[] => {
    const before = rows[i]!;
    const effective = sessionAfter(before.date);
    if (effective === undefined) return [];
    const { close } = before;
    const amount = Math.round(close * (1 - before.price / after.price) * 10_000) / 10_000;
    const split = before.split === after.split ? undefined : ratioOf(after.split / before.split);
    return [
      ...(amount > 0 ? [{ kind: 'distribution', effective, amount, close } as const] : []),
      ...(split === undefined ? [] : [{ kind: 'split', effective, ratio: split } as const]),
    ];
  });
}

function ratioOf(value: number): Ratio {
  for (let before = 1; before <= PLAIN_TERM_MAX; before++) {
    const after = Math.round(value * before);
    const isNear = Math.abs(after / before / value - 1) <= RATIO_APART;
    if (after >= 1 && after <= PLAIN_TERM_MAX && isNear) return [after, before];
  }
  // Neither term may be 0, nor past what a record holds.
  const after = Math.max(1, Math.min(1_000 * MILLION, Math.round(value * MILLION)));
  const divisor = commonDivisor(after, MILLION);
  return [after / divisor, MILLION / divisor];
}

/** The first session after a day; none where the calendar ends before it, as for the day that means "still". */
function sessionAfter(date: string): string | undefined {
  try {
    return nthSessionAfter('XNYS', date, 1);
  } catch (error) {
    if (error instanceof CalendarRefusal) return undefined;
    throw error;
  }
}

function fieldsOf(file: NamedBytes): { readonly fields: readonly string[]; readonly line: number }[] {
  const lines = new TextDecoder('latin1').decode(file.bytes).split('\n');
  return lines.flatMap((text, i) => (text.trim() === '' ? [] : [{ fields: text.trim().split(','), line: i + 1 }]));
}

function isoOf(compact: string, file: NamedBytes, line: number): string {
  const iso = `${compact.slice(0, 4)}-${compact.slice(4, 6)}-${compact.slice(6)}`;
  if (/^[0-9]{8}$/.test(compact) && isCivilDate(iso)) return iso;
  throw bad(file, line, 'a day, YYYYMMDD', compact);
}

function stemOf(path: string): string {
  return (path.split(/[\\/]/).pop() ?? '').replace(/\.csv$/i, '');
}

function bad(file: NamedBytes, line: number, expected: string, got: string): TapeRefusal {
  return new TapeRefusal('row-bad', { source: file.name, line, expected, got });
}
