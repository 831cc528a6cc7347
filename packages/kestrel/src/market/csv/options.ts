/** What an importer of delimited text, or of any table, may be told. */
import type { DayOptions } from '../dayheader.ts';
import type { TimeFormat } from './time.ts';

export interface CsvOptions extends DayOptions {
  /** `t=Time,o=Open,h=High,l=Low,c=Close,v=Volume`, `b bz a az` for quotes, `p z` for trades; absent: the usual names. */
  readonly map?: string;
  /** The symbol, where no column `s` has it. */
  readonly symbol?: string;
  /** Default `equity`. */
  readonly kind?: 'equity' | 'index';
  /** IANA zone of local times; wanted where the times say no offset of their own. */
  readonly zone?: string;
  readonly timeFormat?: TimeFormat;
  /** The day, `YYYY-MM-DD`: rows of other days are left out. Absent: all rows must be of one. */
  readonly date?: string;
  /** Length of bars, such as `1m`. */
  readonly bar?: string;
  /** What a bar's time marks in the file; default `start`. */
  readonly stamp?: 'start' | 'end';
  /** Prices are in units of 1/priceScale: `10000` reads 1815200 as 181.52. A power of ten; default 1. */
  readonly priceScale?: number;
  /** `half-even` rounds prices of more than 4 decimals, and the header says so. Default `refuse`. */
  readonly overPrecise?: 'refuse' | 'half-even';
  /** `sort` puts rows in the order of their times, equal ones as they came. Default `refuse`: time never goes back. */
  readonly order?: 'refuse' | 'sort';
  /** `floor` cuts nanoseconds to microseconds. Default `refuse`. */
  readonly belowUs?: 'refuse' | 'floor';
  readonly delimiter?: string;
}
