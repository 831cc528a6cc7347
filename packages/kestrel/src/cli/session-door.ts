/** The door of the verbs over sessions: verify, sessions, frame, dataset. */
import { isatty } from 'node:tty';
import { answer } from './answer.ts';
import { readArguments } from './arguments.ts';
import { datasetAdd } from './dataset.ts';
import { Failure } from './failure.ts';
import { frame } from './frame.ts';
import { sessionsPlay } from './session-play.ts';
import { SESSION_VERBS } from './session-verbs.ts';
import { sessionsExport, sessionsList, sessionsShow } from './sessions.ts';
import { processStreams, type Streams } from './streams.ts';
import { verify } from './verify.ts';

export const open = (argv: readonly string[]): Promise<number> => answer(runSessions, argv, processStreams(isatty));

/** @returns the exit status @throws Failure on what the verb cannot answer */
export function runSessions(argv: readonly string[], streams: Streams): number | Promise<number> {
  const two = argv.slice(0, 2).join(' ');
  const verb = SESSION_VERBS.find(({ name }) => name === two) ?? SESSION_VERBS.find(({ name }) => name === argv[0]);
  if (verb === undefined) {
    const family = SESSION_VERBS.filter(({ name }) => name.startsWith(`${argv[0]} `)).map(({ name }) => name);
    throw new Failure({
      code: 'usage',
      message: `kestrel ${argv[0]} misses its verb`,
      expected: family.join(', '),
      got: two,
      next: 'kestrel --help says what each does',
    });
  }
  const given = readArguments(verb, argv.slice(verb.name.split(' ').length));
  switch (verb.name) {
    case 'verify':
      return verify(given, streams);
    case 'sessions play':
      return sessionsPlay(given, streams);
    case 'sessions list':
      return sessionsList(given, streams);
    case 'sessions show':
      return sessionsShow(given, streams);
    case 'sessions export':
      return sessionsExport(given, streams);
    case 'frame':
      return frame(given, streams);
    case 'dataset add':
      return datasetAdd(given, streams);
    default:
      throw new Error(`the table lists ${verb.name}, and no door opens it`);
  }
}
