/** `kestrel tape import`: a tape out of a vendor's files. */
import { type ImportOptions, importTape, readActionFiles, readNamed } from '../market/index.ts';
import { wholeNumber } from './amounts.ts';
import type { Arguments } from './arguments.ts';
import { EXITS } from './exits.ts';
import { counted } from './figures.ts';
import type { Streams } from './streams.ts';
import { leaveTape } from './tape-out.ts';

type Values = Arguments['values'];

export async function tapeImport({ operands, values }: Arguments, streams: Streams): Promise<number> {
  const { tape, skipped } = await importTape(readNamed(operands), optionsOf(values));
  if (skipped.length > 0) {
    streams.say(`kestrel: ${counted(skipped.length, 'row')} left out, the first: ${skipped[0]!.message}\n`);
  }
  const path = values.get('out')?.[0];
  const form = values.has('json') ? 'json' : 'text';
  await leaveTape(tape, path === undefined ? { form } : { form, path }, streams);
  return EXITS.ok;
}

/** Flags whose text an importer takes as it is, by the importer's name for it. */
const TEXTS = {
  format: 'format',
  map: 'map',
  symbol: 'symbol',
  date: 'date',
  tz: 'zone',
  'time-format': 'timeFormat',
  bar: 'bar',
  stamp: 'stamp',
  delimiter: 'delimiter',
  kind: 'kind',
  security: 'security',
  resolution: 'resolution',
  rows: 'rows',
  id: 'id',
  calendar: 'calendar',
  tick: 'tick',
  'prior-close': 'priorClose',
  licence: 'licence',
} as const satisfies Record<string, keyof ImportOptions>;

/** Switches, by the importer's name for what they turn on. */
const SWITCHES = {
  round: { overPrecise: 'half-even' },
  sort: { order: 'sort' },
  'cut-nanoseconds': { belowUs: 'floor' },
  'official-close': { officialClose: 'daily' },
  lenient: { badLines: 'skip' },
} as const satisfies Record<string, Partial<ImportOptions>>;

/** The reader of arguments has held the choices; what else a text must be, the importer says. */
function optionsOf(values: Values): ImportOptions {
  const options: Record<string, unknown> = {};
  for (const [flag, name] of Object.entries(TEXTS)) {
    const text = values.get(flag)?.[0];
    if (text !== undefined) options[name] = text;
  }
  for (const [flag, meaning] of Object.entries(SWITCHES)) if (values.has(flag)) Object.assign(options, meaning);
  const scale = values.get('price-scale')?.[0];
  if (scale !== undefined) options.priceScale = wholeNumber('price-scale', scale);
  const daily = values.get('daily')?.[0];
  if (daily !== undefined) options.daily = readNamed([daily])[0];
  const actions = values.get('actions')?.[0];
  if (actions !== undefined) options.actions = readActionFiles(actions);
  return options;
}
