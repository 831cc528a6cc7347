/** Runs a verb: its answer, or one coded line on stderr; a reader that went away ends it quietly. */
import { EXITS } from './exits.ts';
import { failureLine, failureOf } from './failure.ts';
import { Closed, type Streams } from './streams.ts';

export type Run = (argv: readonly string[], streams: Streams) => number | Promise<number>;

/** @returns the exit status; never throws */
export async function answer(run: Run, argv: readonly string[], streams: Streams): Promise<number> {
  try {
    return await run(argv, streams);
  } catch (thrown) {
    if (thrown instanceof Closed) return EXITS.ok;
    const { line, exit } = failureLine(failureOf(thrown), argv.includes('--json') ? 'json' : 'text');
    streams.say(line);
    if (exit === EXITS.internal && streams.env.KESTREL_DEBUG) streams.say(`${(thrown as Error)?.stack}\n`);
    return exit;
  }
}
