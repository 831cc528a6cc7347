/** The verbs that people type, with their help. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { PACKAGE_VERSION } from '../wire/version.ts';
import type { ServeFlags } from './serve.ts';
import { isUsageError, wholeNumber } from './usage.ts';

const MIB = 1024 * 1024;

/** @returns the exit status */
export async function peopleDoor(args: readonly string[]): Promise<number> {
  let status = 0;
  const program = makeProgram(async (work) => {
    status = await work();
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { name, message } = error as Error;
    if (!isUsageError(error) && name !== 'ModelSettingError' && name !== 'StoreRefusal') throw error;
    process.stderr.write(`agent-eval: ${message}\n`);
    return name === 'StoreRefusal' ? 1 : 2;
  }
}

type Run = (work: () => Promise<number>) => Promise<void>;

/** @param run takes the verb's work, so that a description of the verbs runs none */
export function makeProgram(run: Run): Command {
  const program = new Command('agent-eval')
    .description('Judges text against rubrics, ingests traces and feedback.')
    .version(PACKAGE_VERSION, '-V, --version')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`agent-eval: ${text.replace(/^error: /, '')}`) })
    .addHelpText(
      'beforeAll',
      'Example: agent-eval serve --port 5005\n         echo \'{"rubricName":"anti-slop","content":"…"}\' | agent-eval rpc judge\n',
    )
    .addHelpText(
      'after',
      [
        '',
        'Fast doors, without help of their own:',
        '  rpc [method]        one call: parameters on stdin, one line of JSON out',
        '  rpc-batch [method]  one call a line, answers in order; --concurrency N (8)',
        '  both take --store DIR|memory|none and --rubrics DIR',
      ].join('\n'),
    );
  addServe(program, run);
  addReading(program, run);
  return program;
}

function addServe(program: Command, run: Run): void {
  const count = (min: number, max: number) => (text: string) => {
    try {
      return wholeNumber('this flag', text, min, max);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
  program
    .command('serve')
    .description('serve the wire protocol over HTTP')
    .addOption(new Option('--port <n>', 'port; 0 takes a free one').default(5005).argParser(count(0, 65_535)))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--store <dir>', 'folder, memory, or none (default: $AGENT_EVAL_HOME or ~/.agent-eval)')
    .option('--token-file <file>', 'bearer token that callers must send (or AGENT_EVAL_TOKEN)')
    .option('--cors-origin <origin>', 'a web origin that may call; repeat for more', collect, [])
    .option('--rubrics <dir>', 'rubrics of your own, YAML or JSON, one a file')
    .addOption(new Option('--retain <age>', 'drop events older than this: 12h, 30d').argParser(parseAge))
    .addOption(
      new Option('--retain-size <size>', 'drop the oldest events beyond this: 500MB, 20GB').argParser(parseSize),
    )
    .addOption(
      new Option('--retain-feedback <age>', 'drop versions of feedback older than this: 365d').argParser(parseAge),
    )
    .addOption(new Option('--events-max <n>', 'events a request (10000)').argParser(count(1, 1_000_000)))
    .addOption(new Option('--body-mib <n>', 'a request as sent (16)').argParser(count(1, 1_024)))
    .addOption(new Option('--inflated-mib <n>', 'a request after inflating (64)').argParser(count(1, 1_024)))
    .addOption(new Option('--depth-max <n>', 'levels of nesting in JSON (100)').argParser(count(1, 1_000)))
    .addOption(new Option('--in-flight-mib <n>', 'all bodies in flight (128)').argParser(count(1, 16_384)))
    .addOption(new Option('--judge-calls <n>', 'model calls at once (16)').argParser(count(1, 10_000)))
    .addOption(new Option('--judge-queue <n>', 'judgements that may wait (256)').argParser(count(0, 100_000)))
    .action((flags: Record<string, never>) => run(async () => (await import('./serve.ts')).serve(serveFlags(flags))));
}

interface ServeOptionValues {
  readonly port: number;
  readonly host: string;
  readonly store?: string;
  readonly tokenFile?: string;
  readonly corsOrigin: readonly string[];
  readonly rubrics?: string;
  readonly retain?: number;
  readonly retainSize?: number;
  readonly retainFeedback?: number;
  readonly eventsMax?: number;
  readonly bodyMib?: number;
  readonly inflatedMib?: number;
  readonly depthMax?: number;
  readonly inFlightMib?: number;
  readonly judgeCalls?: number;
  readonly judgeQueue?: number;
}

function serveFlags(values: Record<string, never>): ServeFlags {
  const flags = values as unknown as ServeOptionValues;
  const mib = (n: number | undefined): number | undefined => (n === undefined ? undefined : n * MIB);
  return {
    port: flags.port,
    host: flags.host,
    corsOrigins: flags.corsOrigin,
    ...given({ store: flags.store, tokenFile: flags.tokenFile, rubrics: flags.rubrics }),
    retain: {
      traces: given({ ageMsMax: flags.retain, bytesMax: flags.retainSize }),
      feedback: flags.retainFeedback === undefined ? null : { ageMsMax: flags.retainFeedback },
    },
    limits: given({
      eventsMax: flags.eventsMax,
      bodyBytesMax: mib(flags.bodyMib),
      inflatedBytesMax: mib(flags.inflatedMib),
      depthMax: flags.depthMax,
      inFlightBytesMax: mib(flags.inFlightMib),
    }),
    gate: given({ callsMax: flags.judgeCalls, waitingMax: flags.judgeQueue }),
  };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that were said. */
function given<T extends Record<string, unknown>>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

function addReading(program: Command, run: Run): void {
  const store = () => new Option('--store <dir>', 'the store to read (default: $AGENT_EVAL_HOME or ~/.agent-eval)');
  const verbs = () => import('./reading.ts');
  program
    .command('version')
    .description('versions of the package and of the wire protocol')
    .option('--json', 'as the wire answers')
    .action((flags) => run(async () => (await verbs()).version(flags)));
  program
    .command('rubrics')
    .description('the rubrics a judge can use, with their identity')
    .option('--rubrics <dir>', 'with those of a folder')
    .option('--json', 'as the wire answers')
    .action((flags) => run(async () => (await verbs()).rubrics(flags)));
  program
    .command('openapi')
    .description('the OpenAPI 3.1 document')
    .option('--out <file>', 'write it to a file')
    .action((flags) => run(async () => (await verbs()).openapi(flags)));
  const traces = program.command('traces').description('stored events');
  for (const [name, what] of [
    ['list', 'as a table, the first 50 unless --limit says otherwise'],
    ['export', 'as JSON Lines, each event as it came'],
  ] as const) {
    traces
      .command(name)
      .description(what)
      .addOption(store())
      .option('--run <id>', 'of this run alone')
      .option('--kind <kind>', 'of this kind alone')
      .option('--since <time>', 'from this timestamp on: ISO 8601 UTC or milliseconds')
      .option('--until <time>', 'before this timestamp')
      .option('--limit <n>', 'at most so many')
      .option('--distinct', 'the first of each eventId; conflicting repeats are named on stderr')
      .action((flags) => run(async () => (await verbs()).traces(name, flags)));
  }
  const feedback = program.command('feedback').description('stored feedback');
  for (const [name, what] of [
    ['list', 'as a table, the first 50 unless --limit says otherwise'],
    ['export', 'as JSON Lines, each record as it came'],
  ] as const) {
    feedback
      .command(name)
      .description(what)
      .addOption(store())
      .option('--id <id>', 'of this id alone')
      .option('--versions', 'also what was replaced; an export then wraps each record with its version')
      .option('--limit <n>', 'at most so many')
      .action((flags) => run(async () => (await verbs()).feedback(name, flags)));
  }
  program
    .command('stats')
    .description('how much is stored')
    .addOption(store())
    .option('--json', 'as JSON')
    .action((flags) => run(async () => (await verbs()).stats(flags)));
  program
    .command('check')
    .description('whether the store is whole; also while it is served')
    .addOption(store())
    .action((flags) => run(async () => (await verbs()).check(flags)));
  program
    .command('backup <file>')
    .description('write a consistent copy of the store; also while it is served')
    .addOption(store())
    .action((file: string, flags) => run(async () => (await verbs()).backup(file, flags)));
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

const AGES: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** @returns milliseconds */
export function parseAge(text: string): number {
  const [, number, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (number === undefined || unit === undefined) throw new InvalidArgumentError('An age is like 12h or 30d.');
  return Number(number) * AGES[unit]!;
}

const SIZES: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** @returns bytes */
export function parseSize(text: string): number {
  const [, number, unit] = /^(\d{1,9})(KB|MB|GB|TB)$/i.exec(text) ?? [];
  if (number === undefined || unit === undefined) throw new InvalidArgumentError('A size is like 500MB or 20GB.');
  return Number(number) * SIZES[unit.toUpperCase()]!;
}
