/** `kestrel tape cat`: a tape as canonical JSON Lines, whole or the rows that are asked for. */
import { Kind, localToUtc, type Tape, tapeChunks } from '../market/index.ts';
import { wholeNumber } from './amounts.ts';
import type { Arguments } from './arguments.ts';
import { EXITS } from './exits.ts';
import { Failure } from './failure.ts';
import type { Streams } from './streams.ts';
import { openTape } from './tape-source.ts';

/** Bytes gathered before they are written: a row alone would cost a call to the system each. */
const WRITE_BYTES = 1 << 16;
const LF = 0x0a;

export function tapeCat({ operands, values }: Arguments, streams: Streams): number {
  const tape = openTape(operands[0]!, streams, values.has('lenient') ? { badLines: 'skip' } : {});
  const wanted = wantedOf(tape, values);
  let line = -1;
  let left = wanted.limit;
  let rest: Uint8Array = new Uint8Array(0);
  let out: Uint8Array[] = [];
  let size = 0;
  const flush = (): void => {
    if (size > 0) streams.write(Buffer.concat(out));
    out = [];
    size = 0;
  };
  for (const chunk of tapeChunks(tape)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      // The header stands first and always: without it the rows are no tape.
      if (line < 0 || (left > 0 && wanted.row(line))) {
        if (line >= 0) left--;
        out.push(bytes.subarray(start, end + 1));
        size += end + 1 - start;
        if (size >= WRITE_BYTES) flush();
      }
      line++;
      start = end + 1;
    }
    if (left <= 0) break;
    rest = bytes.slice(start);
  }
  flush();
  return EXITS.ok;
}

interface Wanted {
  readonly row: (row: number) => boolean;
  /** Rows at most. */
  readonly limit: number;
}

function wantedOf(tape: Tape, values: Arguments['values']): Wanted {
  const { t, kind } = tape.columns;
  const kinds = values.get('kind')?.map((name) => (name === 'oi' ? Kind.other : Kind[name as keyof typeof Kind]));
  const from = clockOf(tape, 'from', values) ?? Number.NEGATIVE_INFINITY;
  const to = clockOf(tape, 'to', values) ?? Number.POSITIVE_INFINITY;
  const limit = values.get('limit')?.[0];
  return {
    row: (row) => t[row]! >= from && t[row]! <= to && (kinds === undefined || kinds.includes(kind[row]! as never)),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber('limit', limit),
  };
}

/** A clock local to the exchange, on the tape's date, in microseconds. */
function clockOf(tape: Tape, flag: 'from' | 'to', values: Arguments['values']): number | undefined {
  const text = values.get(flag)?.[0];
  if (text === undefined) return undefined;
  const match = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (match === null) throw badValue(flag, 'HH:MM or HH:MM:SS, local to the exchange', text);
  const [h, m, s] = [match[1], match[2], match[3] ?? '0'].map(Number) as [number, number, number];
  const at = localToUtc(tape.zone, { date: tape.date, h, m, s });
  if (at.kind !== 'exact') throw badValue(flag, `a clock that ${tape.date} has once`, text);
  return at.t;
}

function badValue(flag: string, expected: string, got: string): Failure {
  const next = 'kestrel tape cat --help shows an example';
  return new Failure({ code: 'usage', message: `--${flag} is not what it takes`, expected, got, next });
}
