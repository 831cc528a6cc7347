/** The verbs over text. */
import { json, type Operand, type Verb } from './verb.ts';

const document: Operand = { name: 'FILE', about: 'a document, or - for standard input (the default)', optional: true };

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
