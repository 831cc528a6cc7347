/** Reads the arguments of a verb by its row in the table, with Node's own reader. */
import { parseArgs } from 'node:util';
import { Failure } from './failure.ts';
import type { Option, Verb } from './verb.ts';

export interface Arguments {
  readonly operands: readonly string[];
  /** Values by flag, in the order given; a switch that is on has an empty list. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** @throws Failure `usage` on an argument that the verb does not take, or one it misses */
export function readArguments(verb: Verb, argv: readonly string[]): Arguments {
  const options = Object.fromEntries(verb.options.map((option) => [option.flag, { type: typeOf(option) }]));
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const operands: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const option = verb.options.find((known) => known.flag === token.name);
    if (option === undefined)
      throw usage(verb, `${token.rawName} is not an option of kestrel ${verb.name}`, flagsOf(verb));
    const before = values.get(option.flag);
    if (before !== undefined && option.many === undefined)
      throw usage(verb, `--${option.flag} was given twice`, 'it once');
    const value = token.value;
    if (option.value === undefined && value !== undefined) {
      throw usage(verb, `--${option.flag} takes no value`, `--${option.flag} alone`, value);
    }
    if (option.value !== undefined && (value === undefined || value === '')) {
      throw usage(verb, `--${option.flag} misses its value`, `--${option.flag} ${option.value}`);
    }
    if (option.choices !== undefined && !option.choices.includes(value!)) {
      throw usage(verb, `--${option.flag} knows no such ${option.value}`, option.choices.join(' or '), value);
    }
    values.set(option.flag, [...(before ?? []), ...(value === undefined ? [] : [value])]);
  }
  const missing = verb.options.filter((option) => option.required && !values.has(option.flag));
  if (missing.length > 0) {
    const wanted = missing.map((option) => `--${option.flag} ${option.value}`).join(' ');
    throw usage(verb, `kestrel ${verb.name} misses ${missing.length === 1 ? 'an option' : 'options'}`, wanted);
  }
  const last = verb.operands.at(-1);
  const countMax = last?.many ? Number.POSITIVE_INFINITY : verb.operands.length;
  const countMin = verb.operands.filter((operand) => !operand.optional).length;
  if (operands.length > countMax) throw usage(verb, 'one operand too many', usageLine(verb), operands[countMax]);
  if (operands.length < countMin) throw usage(verb, `kestrel ${verb.name} misses an operand`, usageLine(verb));
  return { operands, values };
}

const typeOf = (option: Option): 'boolean' | 'string' => (option.value === undefined ? 'boolean' : 'string');

const flagsOf = (verb: Verb): string =>
  verb.options.length === 0 ? 'no options' : verb.options.map((option) => `--${option.flag}`).join(', ');

/** `kestrel tape cat TAPE [--json]` */
export function usageLine(verb: Verb): string {
  const operands = verb.operands.map(({ name, many, optional }) => {
    const shape = many ? `${name}…` : name;
    return optional ? `[${shape}]` : shape;
  });
  const options = verb.options.map((option) => {
    const shape = option.value === undefined ? `--${option.flag}` : `--${option.flag} ${option.value}`;
    const repeated = option.many ? `${shape}…` : shape;
    return option.required ? repeated : `[${repeated}]`;
  });
  return ['kestrel', verb.name, ...operands, ...options].join(' ');
}

function usage(verb: Verb, message: string, expected: string, got?: string): Failure {
  const next = `kestrel ${verb.name} --help shows an example`;
  return new Failure({ code: 'usage', message, expected, ...(got === undefined ? {} : { got }), next });
}
