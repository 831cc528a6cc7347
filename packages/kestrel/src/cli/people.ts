/** The door of the verbs for people at a terminal: run, demo, tape, and every help page. */
import { isatty } from 'node:tty';
import manifest from '../../package.json' with { type: 'json' };
import { nearest } from '../lang/index.ts';
import { answer } from './answer.ts';
import { readArguments } from './arguments.ts';
import { demo } from './demo.ts';
import { EXITS } from './exits.ts';
import { Failure } from './failure.ts';
import { familyPage, programPage, verbPage } from './help.ts';
import { run } from './run.ts';
import { processStreams, type Streams } from './streams.ts';
import { tapeCat } from './tape-cat.ts';
import { tapeImport } from './tape-import.ts';
import { showInfo } from './tape-info.ts';
import { tapeSynth } from './tape-synth.ts';
import type { Verb } from './verb.ts';
import { VERBS } from './verbs.ts';

export const open = (argv: readonly string[]): Promise<number> => answer(runPeople, argv, processStreams(isatty));

/** @returns the exit status @throws Failure on what the verb cannot answer */
export function runPeople(argv: readonly string[], streams: Streams): number | Promise<number> {
  const words = argv[0] === 'help' ? argv.slice(1) : argv;
  const asked = argv[0] === 'help' || argv.length === 0 || words.includes('--help') || words.includes('-h');
  const verb = verbOf(words);
  if (asked && (verb !== undefined || words.length === 0 || words[0]!.startsWith('-'))) {
    streams.write(verb === undefined ? programPage(VERBS) : verbPage(verb));
    return EXITS.ok;
  }
  if (asked && verb === undefined && (words[1] ?? '-').startsWith('-') && familyOf(words[0]!).length > 0) {
    streams.write(familyPage(words[0]!, familyOf(words[0]!)));
    return EXITS.ok;
  }
  if (words[0] === '--version') {
    streams.write(`${manifest.version}\n`);
    return EXITS.ok;
  }
  if (verb === undefined) throw unknownVerb(words, asked);
  const given = readArguments(verb, words.slice(verb.name.split(' ').length));
  switch (verb.name) {
    case 'run':
      return run(given, streams);
    case 'demo':
      return demo(streams);
    case 'tape import':
      return tapeImport(given, streams);
    case 'tape info':
      return showInfo(given, streams);
    case 'tape synth':
      return tapeSynth(given, streams);
    case 'tape cat':
      return tapeCat(given, streams);
    default:
      throw new Error(`the table lists ${verb.name}, and no door opens it`);
  }
}

function verbOf(words: readonly string[]): Verb | undefined {
  const two = words.slice(0, 2).join(' ');
  return VERBS.find((verb) => verb.name === two) ?? VERBS.find((verb) => verb.name === words[0]);
}

/** The verbs of two words that begin with this one. */
function familyOf(word: string): readonly Verb[] {
  return VERBS.filter((verb) => verb.name.startsWith(`${word} `));
}

/** Names of verbs, and the first words of those that have two. */
function firstAndWhole(verbs: readonly Verb[]): readonly string[] {
  return verbs.flatMap(({ name }) => [name, ...(name.includes(' ') ? [name.split(' ')[0]!] : [])]);
}

function unknownVerb(words: readonly string[], asked: boolean): Failure {
  const family = familyOf(words[0]!);
  const verbs = family.length > 0 ? family : VERBS;
  const meant = nearest(family.length > 0 ? words.slice(0, 2).join(' ') : words[0]!, firstAndWhole(verbs));
  const hint = meant === undefined ? '' : `; the nearest is ${meant}`;
  return new Failure({
    code: 'usage',
    message: `${family.length > 0 ? `kestrel ${words[0]} misses its verb` : 'there is no such verb'}${hint}`,
    expected: verbs.map((verb) => verb.name).join(', '),
    got: words.slice(0, family.length > 0 ? 2 : 1).join(' '),
    next: asked ? 'kestrel --help lists them' : 'kestrel --help says what each does',
  });
}
