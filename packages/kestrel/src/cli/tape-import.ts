/** `kestrel tape import`: a tape out of a vendor's files. */
import { type ImportOptions, importLean, type NamedBytes, TAPE_BYTES_MAX } from '../market/index.ts';
import type { Arguments } from './arguments.ts';
import { EXITS } from './exits.ts';
import { Failure } from './failure.ts';
import { counted } from './figures.ts';
import type { Streams } from './streams.ts';
import { leaveTape } from './tape-out.ts';

type Values = Arguments['values'];

export async function tapeImport({ operands, values }: Arguments, streams: Streams): Promise<number> {
  const sources = operands.map((path) => sourceAt(path, streams));
  const { tape, skipped } = importLean(sources, leanOptions(values, streams));
  if (skipped.length > 0) {
    streams.say(`kestrel: ${counted(skipped.length, 'row')} left out, the first: ${skipped[0]!.message}\n`);
  }
  const path = values.get('out')?.[0];
  const form = values.has('json') ? 'json' : 'text';
  await leaveTape(tape, path === undefined ? { form } : { form, path }, streams);
  return EXITS.ok;
}

function sourceAt(path: string, streams: Streams): NamedBytes {
  const { bytes, cut } = streams.read(path, TAPE_BYTES_MAX);
  if (!cut) return { name: path, bytes };
  throw new Failure({
    code: 'too-large',
    message: `${path} is too large`,
    expected: `at most ${TAPE_BYTES_MAX} bytes`,
  });
}

function leanOptions(values: Values, streams: Streams): ImportOptions {
  const text = (flag: string): string | undefined => values.get(flag)?.[0];
  const daily = text('daily');
  return {
    ...given('security', text('security')),
    ...given('resolution', text('resolution')),
    ...given('symbol', text('symbol')),
    ...given('date', text('date')),
    ...given('rows', text('rows')),
    ...given('id', text('id')),
    ...given('calendar', text('calendar')),
    ...given('zone', text('tz')),
    ...given('tick', text('tick')),
    ...given('priorClose', text('prior-close')),
    ...given('licence', text('licence')),
    ...(daily === undefined ? {} : { daily: sourceAt(daily, streams) }),
    ...(values.has('official-close') ? { officialClose: 'daily' } : {}),
    ...(values.has('lenient') ? { badLines: 'skip' } : {}),
  } as ImportOptions;
}

const given = (name: string, value: string | undefined): Record<string, string> =>
  value === undefined ? {} : { [name]: value };
