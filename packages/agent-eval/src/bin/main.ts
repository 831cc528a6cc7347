/** The bin: looks at the verb before anything loads. */

async function main(args: readonly string[]): Promise<number> {
  const [verb, ...rest] = args;
  switch (verb) {
    case 'rpc':
      return (await import('../cli/rpc.ts')).rpcDoor(rest);
    case 'rpc-batch':
      return (await import('../cli/rpc.ts')).rpcBatchDoor(rest);
    default:
      return (await import('../cli/people.ts')).peopleDoor(args.length === 0 ? ['--help'] : args);
  }
}

// A reader that has seen enough closes the pipe; that is no fault of ours.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  console.error('agent-eval: internal error:', error);
  process.exit(1);
});

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: Error) => {
    console.error('agent-eval: internal error:', error);
    process.exitCode = 1;
  },
);
