/** The least step of an option's price: by class, day, price and kind of order, as the exchanges' rules have it. */
import { CalendarRefusal, parseDate } from './calendar-date.ts';

/** Steps below and from 3.00 on; both divide it, so that 3.00 itself is a price of either. */
export interface OptionGrid {
  readonly lowE4: number;
  readonly highE4: number;
}

export interface TickArgs {
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

const CENT: OptionGrid = { lowE4: 100, highE4: 100 };
const PENNY: OptionGrid = { lowE4: 100, highE4: 500 };
const NICKEL: OptionGrid = { lowE4: 500, highE4: 1_000 };
const NICKEL_THROUGHOUT: OptionGrid = { lowE4: 500, highE4: 500 };

/** Classes that trade in cents at every price, and from which day. */
const CENT_FROM: ReadonlyMap<string, string> = new Map([
  ['QQQQ', '2007-01-26'],
  ['QQQ', '2011-03-23'],
  ['SPY', '2010-02-01'],
  ['IWM', '2010-02-01'],
]);

/** Classes whose complex orders step by a nickel. */
const COMPLEX_NICKEL: ReadonlySet<string> = new Set(['SPX', 'SPXW']);

/**
 * The grid that limits of a class stand on, on one day.
 *
 * @throws CalendarRefusal `bad-date`, `date-out-of-range`
 */
export function optionGrid(args: TickArgs): OptionGrid {
  parseDate(args.date);
  if (args.date < FIRST_TICK_DATE) {
    throw new CalendarRefusal('date-out-of-range', {
      expected: `a day from ${FIRST_TICK_DATE} on, for the steps of option prices`,
      got: args.date,
      next: 'options traded in fractions before',
    });
  }
  if (args.complex) return COMPLEX_NICKEL.has(args.root) ? NICKEL_THROUGHOUT : CENT;
  const cents = CENT_FROM.get(args.root);
  const throughout = cents !== undefined && cents <= args.date;
  switch (args.headerTickE4) {
    case undefined:
      return throughout ? CENT : NICKEL;
    case 100:
      return throughout ? CENT : PENNY;
    case 500:
      return NICKEL;
    default:
      return { lowE4: args.headerTickE4, highE4: args.headerTickE4 };
  }
}

/** The step at a price, 1e-4 of the currency. */
export function gridTickE4(grid: OptionGrid, priceE4: number): number {
  return priceE4 < PIVOT_E4 ? grid.lowE4 : grid.highE4;
}

/** A value this close to a multiple of the step is that multiple (E4). */
const ON_TICK = 1e-6;

/** The price on the grid for a computed one: buys round down, sells up; NaN below one step. */
export function onGrid(grid: OptionGrid, valueE4: number, side: 'buy' | 'sell'): number {
  const tickE4 = gridTickE4(grid, valueE4);
  const steps = valueE4 / tickE4;
  const nearest = Math.round(steps) * tickE4;
  if (Math.abs(valueE4 - nearest) <= ON_TICK) return nearest >= grid.lowE4 ? nearest : Number.NaN;
  const price = (side === 'buy' ? Math.floor(steps) : Math.ceil(steps)) * tickE4;
  return price >= grid.lowE4 ? price : Number.NaN;
}

/** The tick that applies to a limit at a price. @throws CalendarRefusal as {@link optionGrid} */
export function optionTickE4(args: TickArgs & { readonly priceE4: number }): number {
  return gridTickE4(optionGrid(args), args.priceE4);
}

/**
 * The tick price of a computed one: a buy's goes down, a sell's up, to a price the class trades at.
 *
 * @returns E4 integer, or NaN below one tick
 * @throws CalendarRefusal as {@link optionGrid}
 */
export function onOptionTick(valueE4: number, args: TickArgs, side: 'buy' | 'sell'): number {
  return onGrid(optionGrid(args), valueE4, side);
}
