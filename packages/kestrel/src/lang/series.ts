// The series a trigger may read: names, arguments, units, and what is known about each. One table for all who ask.
import type { NumberOperand } from './model.ts';

export type SeriesUnit = 'price' | 'bps' | 'shares' | 'ratio' | 'index' | 'percent' | 'count' | 'R';

export interface SeriesRow {
  readonly name: string;
  /** Kinds of the arguments, all required: a count of bars, or a duration. */
  readonly args: readonly ('count' | 'duration')[];
  /** The name with its arguments as an author would write it. */
  readonly form: string;
  readonly unit: SeriesUnit;
  /** `symbol`: computed for a symbol, any trigger may read it. `plan`: a fact of the plan whose trigger reads it. */
  readonly scope: 'symbol' | 'plan';
  /** Whether a tape's header may carry a reference distribution for it, so that `p95` means something. */
  readonly reference: boolean;
  /** Least and greatest value by definition, in the series' unit times 1e4; absent where there is none. */
  readonly leastE4?: number;
  readonly greatestE4?: number;
  readonly meaning: string;
  /** From when on it is known. */
  readonly known: string;
}

const zero = { leastE4: 0 } as const;

const rows: readonly SeriesRow[] = [
  price('spot', 'last trade; before the first one, the mid', 'the first trade or good quote'),
  price('bid', 'best bid of the signal symbol', 'a good quote stands'),
  price('ask', 'best ask of the signal symbol', 'a good quote stands'),
  price('mid', 'half way between bid and ask, rounded down', 'a good quote stands'),
  price('last', 'last trade', 'the first trade'),
  { ...price('spread', 'ask less bid', 'a good quote stands'), reference: true },
  price('open', "today's first trade", 'the first trade'),
  price('prior.close', 'the previous official close', "the header's reference"),
  symbol('gap', [], 'bps', 'open against prior close', 'the first trade'),
  price('HOD', 'session high before the current event, so spot > HOD is a new high', 'the second observation'),
  price('LOD', 'session low before the current event', 'the second observation'),
  { ...price('ORH', 'high of the first d of the session', 'd after the open'), args: ['duration'], form: 'ORH(d)' },
  { ...price('ORL', 'low of the first d of the session', 'd after the open'), args: ['duration'], form: 'ORL(d)' },
  price('VWAP', 'session volume-weighted average of trades', 'the first trade'),
  { ...symbol('volume', [], 'shares', 'session volume', 'the open'), ...zero },
  {
    ...symbol(
      'rvol',
      ['duration'],
      'ratio',
      'volume of the last d over the same window of the reference',
      'd after the open',
    ),
    ...zero,
  },
  symbol('velocity', ['duration'], 'bps', 'signed change over the last d', 'd after the open'),
  { ...symbol('range', ['duration'], 'bps', 'high less low over the last d', 'd after the open'), ...zero },
  { ...bars('ema', 'price', 'exponential mean over n bars of length d'), reference: false },
  { ...bars('sma', 'price', 'simple mean over n bars of length d'), reference: false },
  { ...bars('rsi', 'index', 'relative strength over n bars of length d, 0 to 100'), ...zero, greatestE4: 1_000_000 },
  { ...bars('atr', 'price', 'average true range over n bars of length d'), ...zero },
  {
    ...symbol('rv', ['duration'], 'percent', 'realised volatility of 1-minute returns, annualised', 'd after the open'),
    ...zero,
  },
  {
    ...symbol('iv', [], 'percent', 'at-the-money implied volatility of the nearest expiry', 'a usable chain'),
    ...zero,
  },
  fact('fills.avg_px', 'price', "this plan's average entry price", 'its first fill'),
  { ...fact('fills.qty', 'count', "this plan's entries filled so far", 'always'), ...zero },
  { ...fact('position.qty', 'count', 'what this plan owns', 'always'), ...zero },
  fact('pnl.realized', 'R', "this plan's realised result, fees apart", 'always'),
  fact('budget.left', 'R', "what is left of this plan's budget", 'always'),
];

export const series: ReadonlyMap<string, SeriesRow> = new Map(rows.map((row) => [row.name, row]));
export const seriesNames: readonly string[] = rows.map((row) => row.name);

/** Units a literal may have where it meets a series of this unit; the empty one is the series' own. */
export const literalUnits: Readonly<Record<SeriesUnit, readonly NonNullable<NumberOperand['unit']>[]>> = {
  price: ['$', 'c'],
  bps: ['bps'],
  shares: [],
  ratio: ['x'],
  index: [],
  percent: ['%'],
  count: [],
  R: ['R'],
};

/** What a literal of each unit looks like, for messages. */
export const literalExample: Readonly<Record<SeriesUnit, string>> = {
  price: 'a price such as 5150',
  bps: 'basis points such as 20',
  shares: 'a count such as 10000',
  ratio: 'a ratio such as 1.5',
  index: 'a number from 0 to 100',
  percent: 'annualised per cent such as 18',
  count: 'a count such as 2',
  R: 'R such as 0.5',
};

/**
 * Opinions and marks, which no trigger may read: a plan is fired and ended by what happened, not by what a model or
 * a quote says the position is worth.
 */
export const marks: ReadonlySet<string> = new Set([
  'fair',
  'intrinsic',
  'basis',
  'mark',
  'pnl.open',
  'pnl.unrealized',
  'pnl.unrealised',
]);

/** Whether the name is a mark, under whatever owner it is written (`position.mark`). */
export function isMark(name: string): boolean {
  return marks.has(name) || name.endsWith('.mark');
}

/** Whether the series is an option's own quote: `option.bid`, or `bid[…]` of an option's symbol. */
export function isOptionQuote(name: string, symbol: string | undefined): boolean {
  if (/^(option|contract|leg|position)\.(bid|ask|mid|last|spread)$/.test(name)) return true;
  return symbol !== undefined && /^(bid|ask|mid|last|spread)$/.test(name) && /^[A-Z]{1,6}\d{6}[CP]\d{8}$/.test(symbol);
}

function symbol(name: string, args: SeriesRow['args'], unit: SeriesUnit, meaning: string, known: string): SeriesRow {
  const letters = args.map((arg) => (arg === 'count' ? 'n' : 'd'));
  const form = args.length === 0 ? name : `${name}(${letters.join(', ')})`;
  return { name, args, form, unit, scope: 'symbol', reference: true, meaning, known };
}

function price(name: string, meaning: string, known: string): SeriesRow {
  return { ...symbol(name, [], 'price', meaning, known), reference: false };
}

function bars(name: string, unit: SeriesUnit, meaning: string): SeriesRow {
  return symbol(name, ['count', 'duration'], unit, meaning, 'n completed bars');
}

function fact(name: string, unit: SeriesUnit, meaning: string, known: string): SeriesRow {
  return { name, args: [], form: name, unit, scope: 'plan', reference: false, meaning, known };
}
