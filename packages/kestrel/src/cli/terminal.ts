/** What a terminal is for: colour where a person looks and has not asked for none, and a bar during long work. */
import { SingleBar } from 'cli-progress';
import colours from 'picocolors';
import type { Streams } from './streams.ts';

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly buy: (text: string) => string;
  readonly sell: (text: string) => string;
  readonly gain: (text: string) => string;
  readonly loss: (text: string) => string;
}

/** Plain where stdout is no terminal or NO_COLOR is set to anything; FORCE_COLOR asks for it all the same. */
export function paintFor(streams: Streams): Paint {
  const { NO_COLOR, FORCE_COLOR, TERM } = streams.env;
  const asked = FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0';
  const refused = (NO_COLOR !== undefined && NO_COLOR !== '') || TERM === 'dumb';
  return paintOf(!refused && (asked || streams.watched('answer')) ? 'coloured' : 'plain');
}

export function paintOf(look: 'coloured' | 'plain'): Paint {
  const { bold, dim, cyan, magenta, green, red } = colours.createColors(look === 'coloured');
  return { bold, dim, buy: cyan, sell: magenta, gain: green, loss: red };
}

export interface Progress {
  /** Whether anybody sees it: work need not stop to tell nobody. */
  readonly shown: boolean;
  readonly at: (done: number) => void;
  readonly stop: () => void;
}

/** Work shorter than this shows no bar. */
const PROGRESS_EVENTS_MIN = 500_000;

/** A bar on stderr where a person watches it, nothing elsewhere. */
export function progressFor(streams: Streams, work: { readonly what: string; readonly total: number }): Progress {
  if (!streams.watched('talk') || work.total < PROGRESS_EVENTS_MIN)
    return { shown: false, at: () => {}, stop: () => {} };
  const bar = new SingleBar({
    format: `${work.what} {bar} {percentage}% {value}/{total}`,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    // The work is synchronous: the bar is drawn when it is told, since no timer would run.
    synchronousUpdate: true,
  });
  bar.start(work.total, 0);
  return { shown: true, at: (done) => bar.update(done), stop: () => bar.stop() };
}
