// Literals as text: the one spelling each value has.
import type { Clock, Duration, Expiry, NumberOperand, Offset, Series, SeriesArg, Strike } from './model.ts';

/** `51500000` is `5150`, `18500` is `1.85`: no trailing zeros, no leading one save one before the point. */
export function decimalText(e4: number): string {
  const magnitude = Math.abs(e4);
  const whole = Math.floor(magnitude / 10_000);
  const part = magnitude - whole * 10_000;
  const sign = e4 < 0 ? '-' : '';
  if (part === 0) return `${sign}${whole}`;
  return `${sign}${whole}.${String(part).padStart(4, '0').replace(/0+$/, '')}`;
}

/** Money has two decimals, or three or four where it needs them. */
export function moneyText(e4: number): string {
  const magnitude = Math.abs(e4);
  const whole = Math.floor(magnitude / 10_000);
  const part = String(magnitude - whole * 10_000).padStart(4, '0');
  const shown = part.endsWith('00') ? part.slice(0, 2) : part.endsWith('0') ? part.slice(0, 3) : part;
  return `${e4 < 0 ? '-' : ''}$${whole}.${shown}`;
}

export function amountText(unit: NumberOperand['unit'] | undefined, e4: number): string {
  return unit === '$' ? moneyText(e4) : `${decimalText(e4)}${unit ?? ''}`;
}

export function offsetText(offset: Offset): string {
  return amountText(offset.unit, offset.e4);
}

export function durationText(duration: Duration): string {
  return `${duration.n}${duration.unit}`;
}

/** Seconds of a duration. */
export function durationS(duration: Duration): number {
  switch (duration.unit) {
    case 's':
      return duration.n;
    case 'm':
      return duration.n * 60;
    case 'h':
      return duration.n * 3_600;
    default:
      return duration.unit satisfies never;
  }
}

export function clockText(clock: Clock): string {
  const text = `${two(clock.h)}:${two(clock.m)}`;
  return clock.s === undefined ? text : `${text}:${two(clock.s)}`;
}

/** Seconds since local midnight. */
export function clockS(clock: Clock): number {
  return clock.h * 3_600 + clock.m * 60 + (clock.s ?? 0);
}

export function expiryText(expiry: Expiry): string {
  return expiry.kind === 'dte' ? `${expiry.n}dte` : expiry.date;
}

export function strikeText(strike: Strike): string {
  switch (strike.kind) {
    case 'absolute':
      return decimalText(strike.e4);
    case 'atm':
      return 'ATM';
    case 'relative':
      return strike.n > 0 ? `+${strike.n}` : String(strike.n);
    default:
      return strike satisfies never;
  }
}

export function argText(arg: SeriesArg): string {
  switch (arg.kind) {
    case 'int':
      return String(arg.n);
    case 'duration':
      return durationText(arg.duration);
    case 'word':
      return arg.word;
    default:
      return arg satisfies never;
  }
}

export function callText(word: string, args: readonly SeriesArg[]): string {
  return args.length === 0 ? word : `${word}(${args.map(argText).join(', ')})`;
}

/** The series without its offset: `velocity(5m)[SPX]`. */
export function seriesText(series: Series): string {
  const dot = series.name.indexOf('.');
  const text =
    series.args.length === 0
      ? series.name
      : dot < 0
        ? callText(series.name, series.args)
        : callText(series.name.slice(0, dot), series.args) + series.name.slice(dot);
  return series.symbol === undefined ? text : `${text}[${series.symbol}]`;
}

function two(n: number): string {
  return n < 10 ? `0${n}` : String(n);
}
