/** Figures as people read them: money, R, clocks. Exact integers in, text out; the host's locale has no say. */

/** Integer in units of 1e-4 -> `1,234.50`; four decimals only where the last two say something. */
export function decimal(e4: number): string {
  const whole = Math.abs(e4);
  const cents = Math.floor(whole / 100);
  const rest = whole - cents * 100;
  const units = grouped(Math.floor(cents / 100));
  const text = `${units}.${String(cents % 100).padStart(2, '0')}${rest === 0 ? '' : String(rest).padStart(2, '0')}`;
  return e4 < 0 ? `-${text}` : text;
}

/** `+1,234.50`, `-0.50`, `0.00` */
export const signed = (e4: number): string => (e4 > 0 ? `+${decimal(e4)}` : decimal(e4));

/** A result in R as the blotter has it (`0.123400`), shortened where nothing is lost: `+0.1234R`. */
export function inR(text: string): string {
  const short = text.includes('.') ? text.replace(/0{1,4}$/, '') : text;
  return `${/^-|^0\.0+$/.test(text) ? '' : '+'}${short}R`;
}

/** `1234567` -> `1,234,567` */
export function grouped(n: number): string {
  const digits = String(Math.abs(n));
  const text = digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return n < 0 ? `-${text}` : text;
}

export interface ClockTime {
  readonly h: number;
  readonly m: number;
  readonly s: number;
  readonly us?: number;
}

/** `10:32:01.050`, with six decimals where the microseconds say something. */
export function clockText({ h, m, s, us = 0 }: ClockTime): string {
  const pad = (n: number, width: number): string => String(n).padStart(width, '0');
  const fraction = us % 1_000 === 0 ? pad(us / 1_000, 3) : pad(us, 6);
  return `${pad(h, 2)}:${pad(m, 2)}:${pad(s, 2)}.${fraction}`;
}

/** `HH:MM` of a clock. */
export const minuteText = ({ h, m }: ClockTime): string =>
  `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`;

export const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
