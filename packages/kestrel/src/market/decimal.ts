/** Decimal text to exact integers: prices to E4, sizes and times to whole numbers, never through a float. */

/** Prices are exact up to this many units of currency, either sign. */
export const PRICE_UNITS_MAX = 1_000_000_000;
export const PRICE_E4_MAX = PRICE_UNITS_MAX * 10_000;

/** `precise`: more decimals than the integer can hold. `range`: too large. `shape`: not a decimal number. */
export type DecimalFault = 'precise' | 'range' | 'shape';

const TENS = [1, 10, 100, 1_000, 10_000] as const;

const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Longer number text than this is refused: a number has no honest use for it, and it costs time. */
export const NUMBER_LENGTH_MAX = 400;

/**
 * @param text a decimal number, as JSON or a spreadsheet writes it
 * @param scale decimals kept: the result is the number times 10^scale, exactly
 */
export function scaledInteger(text: string, scale: number): number | DecimalFault {
  const plain = plainInteger(text, scale);
  if (plain >= 0) return plain;
  if (text.length > NUMBER_LENGTH_MAX) return 'shape';
  const parts = DECIMAL.exec(text);
  if (parts === null) return 'shape';
  const fraction = parts[3] ?? '';
  const digits = (parts[2]! + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0;
  const exponent = Number(parts[4] ?? 0) - fraction.length + (digits.length - significant.length) + scale;
  if (exponent < 0) return 'precise';
  if (significant.length + exponent > 16) return 'range';
  const magnitude = Number(significant + '0'.repeat(exponent));
  if (magnitude > Number.MAX_SAFE_INTEGER) return 'range';
  return parts[1] === '-' ? -magnitude : magnitude;
}

/** Short numbers of digits and a point, without a detour; -1 where the long way must look. */
function plainInteger(text: string, scale: number): number {
  const length = text.length;
  if (length === 0 || length > 15 || scale < 0 || scale > 4) return -1;
  let value = 0;
  let point = -1;
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x30 && c <= 0x39) value = value * 10 + (c - 0x30);
    else if (c === 0x2e && point < 0 && i > 0 && i < length - 1) point = i;
    else return -1;
  }
  const decimals = point < 0 ? 0 : length - 1 - point;
  if (decimals > scale) return -1;
  const scaled = value * TENS[scale - decimals]!;
  return scaled <= Number.MAX_SAFE_INTEGER ? scaled : -1;
}

/** A price in units of currency to E4. */
export function priceE4(text: string): number | DecimalFault {
  const value = scaledInteger(text, 4);
  if (typeof value === 'number' && Math.abs(value) > PRICE_E4_MAX) return 'range';
  return value;
}

/** An E4 integer as the shortest decimal text: 1681100 is `168.11`. The same text as RFC 8785 gives the number. */
export function textOfE4(value: number): string {
  const magnitude = Math.abs(value);
  const whole = Math.floor(magnitude / 10_000);
  const rest = magnitude - whole * 10_000;
  const sign = value < 0 ? '-' : '';
  if (rest === 0) return `${sign}${whole}`;
  return `${sign}${whole}.${String(rest).padStart(4, '0').replace(/0+$/, '')}`;
}

/**
 * As {@link scaledInteger}, but what is over-precise is rounded, half to even, on its decimal digits.
 * Only where a caller has asked for it: prices are otherwise refused.
 */
export function roundedInteger(text: string, scale: number): number | DecimalFault {
  const exact = scaledInteger(text, scale);
  if (exact !== 'precise') return exact;
  const parts = DECIMAL.exec(text)!;
  const fraction = parts[3] ?? '';
  const digits = parts[2]! + fraction;
  // How many of the digits, from the left, stand before the rounding place.
  const kept = digits.length + Number(parts[4] ?? 0) - fraction.length + scale;
  if (kept < 0) return 0;
  const head = Number(digits.slice(0, kept) || '0');
  const rest = digits.slice(kept);
  const half = `5${'0'.repeat(rest.length - 1)}`;
  const up = rest > half || (rest === half && head % 2 === 1);
  const magnitude = head + (up ? 1 : 0);
  if (magnitude > Number.MAX_SAFE_INTEGER) return 'range';
  return parts[1] === '-' && magnitude !== 0 ? -magnitude : magnitude;
}
