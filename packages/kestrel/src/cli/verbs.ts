/** The command line as data: every verb, its operands and options. `--help`, the readers and docs/cli.md come from here. */

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

const json: Option = { flag: 'json', about: 'canonical JSON on stdout; an error is JSON on stderr' };
const document: Operand = { name: 'FILE', about: 'a document, or - for standard input (the default)', optional: true };

export const FILL_MODELS = ['strict-cross-v1', 'maker-v1'] as const;
export const FEE_SCHEDULES = ['none', 'us-equity-v1'] as const;
export const TAPE_KINDS = ['quote', 'trade', 'oquote', 'otrade', 'bar', 'halt', 'news', 'close', 'oi'] as const;

/** Verbs over text. They answer within 20 ms of an empty script: each loads the part of the language it needs. */
export const TEXT_VERBS = {
  parse: {
    name: 'parse',
    summary: 'read a document and show what was understood',
    example: 'kestrel parse plan.kes --json',
    about: 'Prints an outline, or with --json { document, diagnostics }. Ends with 2 where the text does not parse.',
    operands: [document],
    options: [json],
  },
  print: {
    name: 'print',
    summary: 'print a document in its one canonical spelling',
    example: 'kestrel print draft.kes > plan.kes',
    about: 'Comments and order are kept. A document that does not parse is refused: printing it would lose text.',
    operands: [document],
    options: [json],
  },
  validate: {
    name: 'validate',
    summary: 'report every problem of a document at once',
    example: 'kestrel validate plan.kes',
    about:
      'Prints the problems in order, or with --json { ok, diagnostics }. Ends with 2 where one of them is an error.',
    operands: [document],
    options: [json],
  },
  card: {
    name: 'card',
    summary: 'the whole language on one page',
    example: 'kestrel card',
    operands: [],
    options: [json],
  },
} as const satisfies Record<string, Verb>;

export type TextVerb = keyof typeof TEXT_VERBS;

const tape: Operand = { name: 'TAPE', about: 'a tape (.jsonl, .jsonl.gz), or bundled:NAME for a bundled day' };

/** Verbs for people at a terminal. */
export const PEOPLE_VERBS: readonly Verb[] = [
  {
    name: 'run',
    summary: 'run plans over a market day and print the blotter',
    example: 'kestrel run --tape day.jsonl --plans plan.kes --fill strict-cross-v1 --r-usd 10000',
    about:
      'The same tape, plans, fill model, fees and R give the same bytes on every machine; the last line is their hash.',
    operands: [],
    options: [
      { flag: 'tape', value: 'TAPE', about: 'the day: a tape file, or bundled:NAME', required: true },
      { flag: 'plans', value: 'FILE', about: 'a document; repeat it for several', many: true, required: true },
      { flag: 'fill', value: 'MODEL', about: 'the fill model', choices: FILL_MODELS, required: true },
      { flag: 'r-usd', value: 'DOLLARS', about: 'what 1R is worth, at most 4 decimals', required: true },
      { flag: 'fees', value: 'SCHEDULE', about: 'the fee schedule', choices: FEE_SCHEDULES, fallback: 'none' },
      { flag: 'session-r', value: 'R', about: "the session's budget in R", fallback: "no limit beyond the plans'" },
      { flag: 'out', value: 'DIR', about: 'also write blotter.json and report.txt there, whole or not at all' },
      { flag: 'follow', about: 'before the report, the day as a text tape with each fire and fill in its place' },
      json,
    ],
  },
  {
    name: 'demo',
    summary: 'a bundled day and a starter plan, from briefing to blotter',
    example: 'kestrel demo',
    operands: [],
    options: [],
  },
  {
    name: 'tape import',
    summary: "make a tape out of a vendor's files",
    example: 'kestrel tape import ibm/20131007_quote.zip ibm/20131007_trade.zip --out ibm.jsonl.gz',
    operands: [{ name: 'SOURCE', about: 'files of one symbol and one day', many: true }],
    options: [],
  },
  {
    name: 'tape info',
    summary: "a tape's identity, counts, spreads and oddities",
    example: 'kestrel tape info day.jsonl',
    operands: [tape],
    options: [json],
  },
  {
    name: 'tape synth',
    summary: 'make a seeded synthetic day',
    example: 'kestrel tape synth --seed 7 --regime range --out day.jsonl.gz',
    operands: [],
    options: [],
  },
  {
    name: 'tape cat',
    summary: 'print a tape as canonical JSON Lines',
    example: 'kestrel tape cat day.jsonl.gz --kind trade',
    operands: [tape],
    options: [],
  },
];

export const VERBS: readonly Verb[] = [...Object.values(TEXT_VERBS), ...PEOPLE_VERBS];
