/** Where a tape comes from: a file, standard input, or the days that are bundled. */
import { loadTape, type Tape } from '../market/index.ts';
import { bundledDay } from '../market/synth/index.ts';
import { counted } from './figures.ts';
import type { Streams } from './streams.ts';

const BUNDLED = 'bundled:';

export interface TapeOptions {
  /** `skip` leaves out what cannot be read and says how much; `refuse`, the default, reads all or nothing. */
  readonly badLines?: 'refuse' | 'skip';
}

/** @throws TapeRefusal on what is no tape; SynthRefusal on a name that is none of the bundled days */
export function openTape(source: string, streams: Streams, options: TapeOptions = {}): Tape {
  if (source.startsWith(BUNDLED)) return bundledDay(source.slice(BUNDLED.length));
  const { tape, skipped } = loadTape(source === '-' ? '/dev/stdin' : source, options);
  if (skipped.length > 0) {
    streams.say(`kestrel: ${counted(skipped.length, 'line')} skipped, the first: ${skipped[0]!.message}\n`);
  }
  return tape;
}
