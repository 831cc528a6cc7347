/** Help pages, made from the table of verbs and laid out by commander; docs/cli.md is these pages. */
import { Command, Help } from 'commander';
import { usageLine } from './arguments.ts';
import { EXITS } from './exits.ts';
import type { Option, Verb } from './verb.ts';

const WIDTH = 100;

const WHAT = 'A language in which judgment is written in advance, and the engine that runs it over a market day.';

/** @returns the page of one verb, its example first */
export function verbPage(verb: Verb): string {
  const command = new Command(verb.name).helpOption('--help', 'this page');
  for (const operand of verb.operands) {
    const shape = operand.many ? `${operand.name}...` : operand.name;
    command.argument(operand.optional ? `[${shape}]` : `<${shape}>`, operand.about);
  }
  for (const option of verb.options) command.option(flagsOf(option), aboutOf(option));
  const parts = [
    `Example:\n  ${verb.example}`,
    `Usage:\n  ${usageLine(verb)}`,
    `${capital(verb.summary)}.${verb.about === undefined ? '' : ` ${verb.about}`}`,
  ];
  return `${parts.join('\n\n')}\n\n${tail(command)}`;
}

/** @returns the page of verbs that share their first word, an example first */
export function familyPage(word: string, verbs: readonly Verb[]): string {
  const command = new Command(word).helpOption('--help', 'this page, or that of the verb before it').helpCommand(false);
  for (const verb of verbs) {
    command.addCommand(new Command(verb.name.slice(word.length + 1)).description(verb.summary).helpOption(false));
  }
  const parts = [`Example:\n  ${verbs[0]!.example}`, `Usage:\n  kestrel ${word} VERB [operands] [options]`];
  return `${parts.join('\n\n')}\n\n${tail(command)}`;
}

/** @returns the page of the whole program */
export function programPage(verbs: readonly Verb[]): string {
  const command = new Command('kestrel').helpOption('--help', 'this page, or that of the verb before it');
  command.option('--version', 'print the version').helpCommand(false);
  for (const verb of verbs) command.addCommand(new Command(verb.name).description(verb.summary).helpOption(false));
  const parts = [`Example:\n  kestrel demo`, `Usage:\n  kestrel VERB [operands] [options]`, WHAT];
  const exits = `Exit status: ${EXITS.ok} answered, ${EXITS.usage} refused (arguments or input), ${EXITS.unavailable} out of reach, ${EXITS.internal} a mistake of ours.`;
  return `${parts.join('\n\n')}\n\n${tail(command)}\n${exits}\n`;
}

/** commander's page without its head: the lists of operands, options and commands. */
function tail(command: Command): string {
  const help = new Help();
  help.helpWidth = WIDTH;
  const page = help.formatHelp(command, help);
  return page.slice(page.search(/^(Arguments|Options|Commands):/m));
}

const flagsOf = (option: Option): string =>
  option.value === undefined ? `--${option.flag}` : `--${option.flag} <${option.value}>`;

function aboutOf(option: Option): string {
  const notes = [
    ...(option.required ? ['required'] : []),
    ...(option.choices ? [option.choices.join(' | ')] : []),
    ...(option.fallback ? [`default: ${option.fallback}`] : []),
  ];
  return notes.length === 0 ? option.about : `${option.about} (${notes.join('; ')})`;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
