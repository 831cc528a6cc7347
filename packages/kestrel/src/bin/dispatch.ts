/** Which door answers: decided by the first word, before anything else loads. */

export interface Door {
  /** Runs the verb over this process's streams. @returns the exit status */
  readonly open: (argv: readonly string[]) => number | Promise<number>;
}

const TEXT = ['parse', 'print', 'validate', 'card'];

export async function doorOf(argv: readonly string[]): Promise<Door> {
  const wantsHelp = argv.includes('--help') || argv.includes('-h');
  if (TEXT.includes(argv[0] ?? '') && !wantsHelp) return import('../cli/text.ts');
  return import('../cli/people.ts');
}
