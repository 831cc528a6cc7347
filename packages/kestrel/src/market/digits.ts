/** Numbers and pieces of text into bytes, each from an offset to the offset after it. The innermost loop of the writer. */

/** `00` to `99` as bytes. */
const PAIRS = Uint8Array.from({ length: 200 }, (_, i) => 0x30 + (i % 2 === 0 ? Math.floor(i / 20) : (i >> 1) % 10));

export function putBytes(buffer: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) buffer[at + i] = bytes[i]!;
  return at + bytes.length;
}

/** An E4 integer as the shortest decimal. */
export function putE4(buffer: Uint8Array, from: number, value: number): number {
  let at = from;
  let magnitude = value;
  if (magnitude < 0) {
    buffer[at++] = 0x2d;
    magnitude = -magnitude;
  }
  let rest: number;
  // Nearly all prices fit 32 bits, where division is cheapest.
  if (magnitude <= 0x7fffffff) {
    const small = magnitude | 0;
    const whole = (small / 10_000) | 0;
    rest = (small - whole * 10_000) | 0;
    at = putSmall(buffer, at, whole);
  } else {
    const whole = Math.floor(magnitude / 10_000);
    rest = (magnitude - whole * 10_000) | 0;
    at = putInteger(buffer, at, whole);
  }
  if (rest === 0) return at;
  const high = (rest / 100) | 0;
  const low = (rest - high * 100) | 0;
  buffer[at] = 0x2e;
  buffer[at + 1] = PAIRS[high * 2]!;
  buffer[at + 2] = PAIRS[high * 2 + 1]!;
  if (low === 0) {
    // `168.10` is written `168.1`.
    return buffer[at + 2] === 0x30 ? at + 2 : at + 3;
  }
  buffer[at + 3] = PAIRS[low * 2]!;
  buffer[at + 4] = PAIRS[low * 2 + 1]!;
  return buffer[at + 4] === 0x30 ? at + 4 : at + 5;
}

/** A whole number from 0 on. */
export function putInteger(buffer: Uint8Array, at: number, value: number): number {
  if (value <= 999_999_999) return putSmall(buffer, at, value | 0);
  const high = Math.floor(value / 100_000_000);
  return putEight(buffer, putInteger(buffer, at, high), (value - high * 100_000_000) | 0);
}

/** At most nine digits. */
function putSmall(buffer: Uint8Array, at: number, value: number): number {
  const after = at + digitsOf(value);
  let end = after;
  let left = value | 0;
  while (left >= 100) {
    const high = (left / 100) | 0;
    const pair = ((left - high * 100) | 0) * 2;
    buffer[end - 1] = PAIRS[pair + 1]!;
    buffer[end - 2] = PAIRS[pair]!;
    end -= 2;
    left = high;
  }
  if (left >= 10) {
    buffer[end - 1] = PAIRS[left * 2 + 1]!;
    buffer[end - 2] = PAIRS[left * 2]!;
  } else buffer[end - 1] = 0x30 + left;
  return after;
}

/** Exactly eight digits, zeros in front. */
function putEight(buffer: Uint8Array, at: number, value: number): number {
  let left = value | 0;
  for (let end = at + 8; end > at; end -= 2) {
    const high = (left / 100) | 0;
    const pair = ((left - high * 100) | 0) * 2;
    buffer[end - 1] = PAIRS[pair + 1]!;
    buffer[end - 2] = PAIRS[pair]!;
    left = high;
  }
  return at + 8;
}

function digitsOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1_000 ? 3 : 4;
  if (value < 1_000_000) return value < 100_000 ? 5 : 6;
  return value < 10_000_000 ? 7 : value < 100_000_000 ? 8 : 9;
}
