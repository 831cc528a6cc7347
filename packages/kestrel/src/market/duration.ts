/** A bar's length as text (`1m`, `30s`, `1h`) and in microseconds. */

/** Largest unit first: a length prints in the first that divides it. */
const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000_000],
  ['h', 3_600_000_000],
  ['m', 60_000_000],
  ['s', 1_000_000],
  ['ms', 1_000],
];

/** No bar of a day's tape is longer than this. */
export const BAR_LENGTH_US_MAX = 7 * 86_400_000_000;

/** @returns microseconds, or undefined where the text is no length above zero */
export function lengthUs(text: string): number | undefined {
  const parts = /^([1-9][0-9]{0,8})(ms|s|m|h|d)$/.exec(text);
  if (parts === null) return undefined;
  const unit = UNITS.find(([name]) => name === parts[2])!;
  const length = Number(parts[1]) * unit[1];
  return length <= BAR_LENGTH_US_MAX ? length : undefined;
}

export function textOfLength(us: number): string {
  for (const [name, unit] of UNITS) if (us % unit === 0) return `${us / unit}${name}`;
  throw new RangeError(`a length is a multiple of a millisecond, got ${us} us`);
}
