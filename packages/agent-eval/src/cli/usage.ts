/** Bad usage: one clear line on stderr and an exit status. The fast doors read their flags here, without a library. */

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** By name, not by class: a bundle may hold the class twice. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === 'UsageError';
}

export interface Flags {
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, string>;
}

/**
 * @param known flags that take a value each, as `--name value` or `--name=value`
 * @throws UsageError naming the flag that is not known, repeated or without a value
 */
export function readFlags(args: readonly string[], known: readonly string[]): Flags {
  const words: string[] = [];
  const values = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (!arg.startsWith('-')) {
      words.push(arg);
      continue;
    }
    const equals = arg.indexOf('=');
    const name = equals < 0 ? arg : arg.slice(0, equals);
    if (!known.includes(name)) throw new UsageError(`unknown flag ${arg}; there are ${known.join(', ')}`);
    if (values.has(name)) throw new UsageError(`${name} is given twice`);
    const value = equals < 0 ? args[++i] : arg.slice(equals + 1);
    if (value === undefined || value === '') throw new UsageError(`${name} wants a value`);
    values.set(name, value);
  }
  return { words, values };
}

/** @throws UsageError unless it is a whole number within the bounds */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new UsageError(`${name} wants a whole number from ${min} to ${max}, got "${text}"`);
  return value;
}

/** ISO 8601 in UTC, or milliseconds since 1970. @throws UsageError */
export function parseTime(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new UsageError(`${name} wants a time like 2026-08-01T00:00:00Z or milliseconds, got "${text}"`);
  return ms;
}
