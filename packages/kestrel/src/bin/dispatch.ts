/** Which door answers: decided by the first word, before anything else loads. */

export interface Door {
  /** Runs the verb over this process's streams. @returns the exit status */
  readonly open: (argv: readonly string[]) => number | Promise<number>;
}

export async function doorOf(argv: readonly string[]): Promise<Door> {
  // Its help is made from the protocol's own list.
  if (argv[0] === 'agent') return import('../cli/agent.ts');
  if (!argv.includes('--help') && !argv.includes('-h')) {
    switch (argv[0]) {
      case 'parse':
        return import('../cli/parse.ts');
      case 'print':
        return import('../cli/print.ts');
      case 'validate':
        return import('../cli/validate.ts');
      case 'card':
        return import('../cli/card.ts');
      case 'mcp':
        return import('../mcp/door.ts');
      case 'serve':
        return import('../serve/door.ts');
      case 'verify':
      case 'sessions':
      case 'frame':
      case 'dataset':
        return import('../cli/session-door.ts');
    }
  }
  return import('../cli/people.ts');
}
