/** Days as plain rows: out of a tape, and out of the zips of a vendor's ticks. */
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { Kind, type Tape } from '../../src/market/columns.ts';
import type { DayRows } from './measure.ts';

const TICK_E4 = 100;

export function rowsOf({ columns, session }: Tape): DayRows {
  const day = emptyDay((session.close - session.open) / 60_000_000);
  for (let i = 0; i < columns.length; i++) {
    if (columns.t[i]! < session.open || columns.t[i]! >= session.close) continue;
    const t = (columns.t[i]! - session.open) / 1_000;
    if (columns.kind[i] === Kind.quote) {
      day.quotes.t.push(t);
      day.quotes.bid.push(columns.a[i]! / TICK_E4);
      day.quotes.bidSize.push(columns.b[i]!);
      day.quotes.ask.push(columns.c[i]! / TICK_E4);
      day.quotes.askSize.push(columns.d[i]!);
    } else if (columns.kind[i] === Kind.trade) {
      day.trades.t.push(t);
      day.trades.price.push(columns.a[i]! / TICK_E4);
      day.trades.size.push(columns.b[i]!);
    }
  }
  return day;
}

const OPEN_MS = 34_200_000;
const CLOSE_MS = 57_600_000;

/** A vendor's tick day: quote rows come in pairs, the best bid, then the best ask; a zero leaves a side as it was. */
export function tickDay(folder: string, date: string): DayRows {
  const day = emptyDay(390);
  let [bid, bidSize, ask, askSize] = [0, 0, 0, 0];
  for (const [t, b, bz, a, az] of csv(`${folder}/${date}_quote.zip`)) {
    if (b! > 0) [bid, bidSize] = [b!, bz!];
    if (a! > 0) [ask, askSize] = [a!, az!];
    if (a! === 0 || bid === 0 || t! < OPEN_MS || t! >= CLOSE_MS) continue;
    day.quotes.t.push(t! - OPEN_MS);
    day.quotes.bid.push(bid / TICK_E4);
    day.quotes.bidSize.push(bidSize);
    day.quotes.ask.push(ask / TICK_E4);
    day.quotes.askSize.push(askSize);
  }
  for (const [t, price, size, , , suspicious] of csv(`${folder}/${date}_trade.zip`)) {
    if (suspicious !== 0 || t! < OPEN_MS || t! >= CLOSE_MS) continue;
    day.trades.t.push(t! - OPEN_MS);
    day.trades.price.push(price! / TICK_E4);
    day.trades.size.push(size!);
  }
  return day;
}

/** A vendor's day of seconds: closing quotes, and trade bars taken as one trade each at their close. */
export function secondDay(folder: string, date: string): DayRows {
  const day = emptyDay(390);
  for (const row of csv(`${folder}/${date}_quote.zip`)) {
    const t = row[0]!;
    if (t < OPEN_MS || t >= CLOSE_MS) continue;
    day.quotes.t.push(t - OPEN_MS);
    day.quotes.bid.push(row[4]! / TICK_E4);
    day.quotes.bidSize.push(row[5]!);
    day.quotes.ask.push(row[9]! / TICK_E4);
    day.quotes.askSize.push(row[10]!);
  }
  for (const row of csv(`${folder}/${date}_trade.zip`)) {
    if (row[0]! < OPEN_MS || row[0]! >= CLOSE_MS) continue;
    day.trades.t.push(row[0]! - OPEN_MS);
    day.trades.price.push(row[4]! / TICK_E4);
    day.trades.size.push(row[5]!);
  }
  return day;
}

/** A synthetic day as a vendor of seconds would have kept it, stamped at the start of each second as theirs are. */
export function secondsOf({ columns, session }: Tape): DayRows {
  const day = emptyDay((session.close - session.open) / 60_000_000);
  for (let i = 0; i < columns.length; i++) {
    const t = (columns.t[i]! - session.open) / 1_000 - 1_000;
    if (t < 0 || columns.t[i]! > session.close) continue;
    if (columns.kind[i] === Kind.quote) {
      day.quotes.t.push(t);
      day.quotes.bid.push(columns.a[i]! / TICK_E4);
      day.quotes.bidSize.push(columns.b[i]!);
      day.quotes.ask.push(columns.c[i]! / TICK_E4);
      day.quotes.askSize.push(columns.d[i]!);
    } else if (columns.kind[i] === Kind.bar) {
      const bar = columns.a[i]!;
      day.trades.t.push(t);
      day.trades.price.push(columns.bars.c[bar]! / TICK_E4);
      day.trades.size.push(columns.bars.z[bar]!);
    }
  }
  return day;
}

/** Rows of a zipped file of whole numbers; a field that is none is NaN. The array given is used again. */
function* csv(path: string): Generator<readonly number[]> {
  const bytes = Object.values(unzipSync(readFileSync(path)))[0]!;
  const row: number[] = [];
  let value = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte >= 48 && byte <= 57) value = value * 10 + byte - 48;
    else if (byte === 44) {
      row.push(value);
      value = 0;
    } else if (byte === 10) {
      row.push(value);
      yield row;
      row.length = 0;
      value = 0;
    } else if (byte !== 13) value = Number.NaN;
  }
  if (row.length > 0) {
    row.push(value);
    yield row;
  }
}

function emptyDay(minutes: number): DayRows {
  return {
    quotes: { t: [], bid: [], bidSize: [], ask: [], askSize: [] },
    trades: { t: [], price: [], size: [] },
    minutes,
  };
}
