/** What a verb of the command line is, as data: `--help`, the reader and docs/cli.md come from it. */

export interface Operand {
  /** As it stands in the usage line. */
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  readonly many?: true;
}

export interface Option {
  /** Without its dashes. */
  readonly flag: string;
  /** Name of the value it takes; absent: a switch. */
  readonly value?: string;
  readonly about: string;
  /** May be given several times. */
  readonly many?: true;
  readonly required?: true;
  /** What it means when it is left out, as the help says it. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
}

export interface Verb {
  /** One or two words: `run`, `tape import`. */
  readonly name: string;
  readonly summary: string;
  /** A command that works, shown first. */
  readonly example: string;
  readonly about?: string;
  readonly operands: readonly Operand[];
  readonly options: readonly Option[];
}

/** Shared by every verb that has an answer for programs. */
export const json: Option = { flag: 'json', about: 'canonical JSON on stdout; an error is JSON on stderr' };
