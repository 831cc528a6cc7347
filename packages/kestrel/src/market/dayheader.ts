/** The header that importers write: one date, its instruments, the prior close, where it came from. */
import { priceE4, textOfE4 } from './decimal.ts';
import { TAPE_VERSION } from './header.ts';
import { type ActionFiles, actionsOn } from './lean/actions.ts';
import { TapeRefusal } from './refusal.ts';

/** What every importer may be told. */
export interface DayOptions {
  readonly id?: string;
  /** Default `XNYS`. */
  readonly calendar?: string;
  /** Least step of the price, as text; default 0.01. */
  readonly tick?: string;
  /** Official close of the session before, as text, of the only share or index. */
  readonly priorClose?: string;
  /** Pins the session, microseconds; for a day that the calendar has closed, or otherwise. */
  readonly session?: { readonly open: number; readonly close: number };
  /** Map and factor files as LEAN has them, for the header's `actions`. */
  readonly actions?: ActionFiles;
  /** What the header's `licence` says. */
  readonly licence?: string;
  /** `skip` leaves bad rows out and records how many and why in the header. */
  readonly badLines?: 'refuse' | 'skip';
}

export function dayHeader(
  day: { readonly id: string; readonly date: string; readonly source: string },
  instruments: readonly Record<string, unknown>[],
  options: DayOptions,
): Record<string, unknown> {
  const reference = priorCloseOf(instruments, options);
  const actions =
    options.actions === undefined ? {} : { actions: actionsOn(day.date, sharesOf(instruments), options.actions) };
  return {
    v: TAPE_VERSION,
    id: options.id ?? day.id,
    calendar: options.calendar ?? 'XNYS',
    date: day.date,
    ...(options.session === undefined ? {} : { session: { open: options.session.open, close: options.session.close } }),
    instruments,
    ...(reference === undefined ? {} : { reference }),
    ...actions,
    source: day.source,
    ...(options.licence === undefined ? {} : { licence: options.licence }),
  };
}

/** The step of prices as a number for the header. @throws TapeRefusal `option-bad` */
export function tickOf(options: DayOptions): number {
  return headerPrice(options.tick ?? '0.01', 'tick');
}

/** Shares that are listed, or that options of this tape are of. */
function sharesOf(instruments: readonly Record<string, unknown>[]): string[] {
  const indices = new Set(instruments.filter((each) => each.kind === 'index').map((each) => each.symbol));
  const names = instruments.map((each) => (each.kind === 'option' ? each.root : each.symbol) as string);
  return [...new Set(names)].filter((name) => !indices.has(name));
}

function priorCloseOf(
  instruments: readonly Record<string, unknown>[],
  options: DayOptions,
): Record<string, unknown> | undefined {
  if (options.priorClose === undefined) return undefined;
  const shares = instruments.filter((each) => typeof each.symbol === 'string');
  const [only] = shares;
  if (only === undefined || shares.length > 1) {
    const got = shares.map((each) => each.symbol).join(', ') || 'none';
    throw new TapeRefusal('option-bad', { expected: 'one share or index for the prior close', got });
  }
  return { [only.symbol as string]: { priorClose: headerPrice(options.priorClose, 'priorClose') } };
}

function headerPrice(text: string, option: string): number {
  const value = priceE4(text);
  if (typeof value !== 'number' || value <= 0) {
    const expected = `${option}, a price above 0 with at most 4 decimals`;
    throw new TapeRefusal('option-bad', { expected, got: JSON.stringify(text) });
  }
  return Number(textOfE4(value));
}
