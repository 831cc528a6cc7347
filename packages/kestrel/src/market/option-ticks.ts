/** The least step of an option's price: by class, day, price and kind of order, as the exchanges' rules have it. */
import { CalendarRefusal, parseDate } from './calendar-date.ts';
import { PRICE_E4_MAX } from './decimal.ts';
import { TapeRefusal } from './refusal.ts';

/** Steps below and from 3.00 on, 1e-4 of the currency. Where they differ both divide 3.00: it is a price of either. */
export interface OptionGrid {
  readonly lowE4: number;
  readonly highE4: number;
}

export interface TickArgs {
  /** `SPY`, `SPXW` */
  readonly root: string;
  /** The day traded, `YYYY-MM-DD`. */
  readonly date: string;
  /** One order for several legs, priced by their difference. */
  readonly complex: boolean;
  /** The tape's own step of a single leg, where it states one. */
  readonly headerTickE4?: number;
}

/** The first day on which every option traded in decimals. */
export const FIRST_TICK_DATE = '2001-04-09';

/** Where the step changes. */
const PIVOT_E4 = 30_000;

const CENTS: OptionGrid = { lowE4: 100, highE4: 100 };
const PENNY: OptionGrid = { lowE4: 100, highE4: 500 };
const NICKEL: OptionGrid = { lowE4: 500, highE4: 1_000 };
const NICKELS: OptionGrid = { lowE4: 500, highE4: 500 };

interface GridFrom {
  readonly from: string;
  readonly grid: OptionGrid;
}

const PILOT_1: readonly GridFrom[] = [{ from: '2007-02-09', grid: PENNY }];

/**
 * Classes whose own steps are known by the day: before the first row, and where there is none, a nickel and a dime.
 * docs/options-rules.md names the source of each.
 */
const CLASSES: ReadonlyMap<string, readonly GridFrom[]> = new Map<string, readonly GridFrom[]>([
  [
    'SPY',
    [
      { from: '2007-09-28', grid: PENNY },
      { from: '2010-02-01', grid: CENTS },
    ],
  ],
  [
    'IWM',
    [
      { from: '2007-02-09', grid: PENNY },
      { from: '2010-02-01', grid: CENTS },
    ],
  ],
  ['QQQQ', [{ from: '2007-02-09', grid: CENTS }]],
  ['QQQ', [{ from: '2011-03-23', grid: CENTS }]],
  ['WFMI', [{ from: '2007-01-26', grid: PENNY }]],
  ['GE', [{ from: '2007-02-02', grid: PENNY }]],
  ['MSFT', [{ from: '2007-02-02', grid: PENNY }]],
  ['SMH', PILOT_1],
  ['AMD', PILOT_1],
  ['INTC', PILOT_1],
  ['CAT', PILOT_1],
  ['TXN', PILOT_1],
  ['FLEX', PILOT_1],
  ['SUNW', PILOT_1],
  ['A', PILOT_1],
  ['XSP', [{ from: '2015-02-15', grid: CENTS }]],
  ['XSPW', [{ from: '2015-02-15', grid: CENTS }]],
  ['VIXW', [{ from: '2015-10-08', grid: CENTS }]],
  ['SPX', []],
  ['SPXW', []],
  ['SPXQ', []],
  ['SPXPM', []],
  ['OEX', []],
  ['XEO', []],
  ['VIX', []],
]);

/** Classes whose complex orders step by a nickel; all others' step by a cent. */
const COMPLEX_NICKELS: ReadonlySet<string> = new Set(['SPX', 'SPXW', 'SPXQ', 'SPXPM', 'OEX', 'XEO']);

/**
 * The grid that limits of a class stand on, on one day. A tape's own step is the step below 3.00, and says of a class
 * of shares whether it is in the penny programme that day: a cent goes with a nickel from 3.00 on, a nickel with a
 * dime; a class of the table keeps its own step from 3.00 on. Any other step of a tape goes for every price.
 *
 * @throws CalendarRefusal `bad-date`, `date-out-of-range`
 * @throws TapeRefusal `instrument-bad` on a step that is no whole number of E4 above 0
 */
export function optionGrid(args: TickArgs): OptionGrid {
  const { root, date, headerTickE4 } = args;
  parseDate(date);
  if (date < FIRST_TICK_DATE) {
    throw new CalendarRefusal('date-out-of-range', {
      expected: `a day from ${FIRST_TICK_DATE} on, for the steps of option prices`,
      got: date,
      next: 'options traded in fractions before',
    });
  }
  if (headerTickE4 !== undefined && !(Number.isSafeInteger(headerTickE4) && headerTickE4 > 0)) {
    throw new TapeRefusal('instrument-bad', { expected: "an option's tick, whole E4 above 0", got: `${headerTickE4}` });
  }
  if (args.complex) return COMPLEX_NICKELS.has(root) ? NICKELS : CENTS;
  const rows = CLASSES.get(root);
  const own = rows?.findLast((row) => row.from <= date)?.grid ?? NICKEL;
  if (headerTickE4 === undefined || (rows !== undefined && headerTickE4 === own.lowE4)) return own;
  const programme = headerTickE4 === 100 ? PENNY : headerTickE4 === 500 ? NICKEL : undefined;
  if (programme === undefined) return { lowE4: headerTickE4, highE4: headerTickE4 };
  return rows === undefined ? programme : { lowE4: headerTickE4, highE4: Math.max(own.highE4, programme.highE4) };
}

/** The step at a price, 1e-4 of the currency. */
export function gridTickE4(grid: OptionGrid, priceE4: number): number {
  return priceE4 < PIVOT_E4 ? grid.lowE4 : grid.highE4;
}

/** A value this close to a multiple of the step is that multiple (E4). */
const ON_TICK = 1e-6;

/**
 * The price of the grid for a computed one: a buy's goes down, a sell's up. No step crosses 3.00, since it is on both.
 *
 * @returns E4 integer, or NaN below one step, beyond the largest price, or for NaN
 */
export function onGrid(grid: OptionGrid, valueE4: number, side: 'buy' | 'sell'): number {
  const tickE4 = gridTickE4(grid, valueE4);
  const steps = valueE4 / tickE4;
  let price = Math.round(steps) * tickE4;
  if (Math.abs(valueE4 - price) > ON_TICK) price = (side === 'buy' ? Math.floor(steps) : Math.ceil(steps)) * tickE4;
  return price >= grid.lowE4 && price <= PRICE_E4_MAX ? price : Number.NaN;
}

/** The tick that applies to a limit at a price, E4. @throws as {@link optionGrid} */
export function optionTickE4(args: TickArgs & { readonly priceE4: number }): number {
  return gridTickE4(optionGrid(args), args.priceE4);
}

/**
 * The tick price of a computed one, as {@link onGrid}; who prices many limits of one class asks for its grid once.
 *
 * @throws as {@link optionGrid}
 */
export function onOptionTick(valueE4: number, args: TickArgs, side: 'buy' | 'sell'): number {
  return onGrid(optionGrid(args), valueE4, side);
}
