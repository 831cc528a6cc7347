/** Figures as people type them, read exactly or refused. */
import { Failure } from './failure.ts';

/** A positive amount with at most 4 decimals -> integer in units of 1e-4. @throws Failure `usage` */
export function amountE4(flag: string, text: string): number {
  const match = /^(\d{1,9})(?:\.(\d{1,4}))?$/.exec(text);
  const e4 = match === null ? 0 : Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'));
  if (e4 > 0) return e4;
  throw refused(flag, 'digits, at most 9 and 4 decimals, above 0', text);
}

/** @throws Failure `usage` on anything but digits */
export function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw refused(flag, 'a whole number', text);
}

function refused(flag: string, expected: string, got: string): Failure {
  return new Failure({
    code: 'usage',
    message: `--${flag} is not what it takes`,
    expected,
    got,
    next: '--help shows an example',
  });
}
