/** What a day of quotes and trades looks like, in numbers that a real and a synthetic day can be compared by. */

export interface DayRows {
  /** Milliseconds since the open, in order; prices in ticks; sizes in shares. Rows of the session only. */
  readonly quotes: {
    readonly t: number[];
    readonly bid: number[];
    readonly bidSize: number[];
    readonly ask: number[];
    readonly askSize: number[];
  };
  readonly trades: { readonly t: number[]; readonly price: number[]; readonly size: number[] };
  readonly minutes: number;
}

export interface Measures {
  readonly quotes: number;
  readonly trades: number;
  readonly tradeShare: number;
  readonly spreadMean: number;
  readonly spread: readonly number[];
  readonly locked: number;
  readonly priceChanges: number;
  readonly quoteSize: readonly number[];
  readonly tradeSize: readonly number[];
  readonly tradeSizeMean: number;
  readonly roundLots: number;
  /** Share of events at the time of the one before; quantiles of the other gaps, ms. */
  readonly gapZero: number;
  readonly gap: readonly number[];
  readonly emptySeconds: number;
  /** Shares of each thirteenth of the session. */
  readonly volumeCurve: readonly number[];
  readonly eventCurve: readonly number[];
  /** First and last thirteenth of the volume, over the mean of the rest. */
  readonly uShape: readonly [number, number];
  readonly returnSd: number;
  readonly returnKurtosis: number;
  readonly returnAc: number;
  /** Autocorrelation of absolute 1-minute changes, mean over lags 1–5, 6–15 and 16–30. */
  readonly absAc: readonly [number, number, number];
  /** Mean absolute change of the first thirteenth over that of the middle five. */
  readonly openHeat: number;
  readonly atTouch: number;
  readonly sameSide: number;
  /** Quantiles of the 30-minute efficiency ratio. */
  readonly efficiency: readonly number[];
}

export const GRID = [0.1, 0.25, 0.5, 0.75, 0.9, 0.99] as const;

export function measure(day: DayRows): Measures {
  const { quotes, trades, minutes } = day;
  const spread = quotes.ask.map((ask, i) => ask - quotes.bid[i]!);
  const sizes = quotes.bidSize.concat(quotes.askSize);
  const times = Float64Array.from(quotes.t.concat(trades.t)).sort();
  const gaps: number[] = [];
  for (let i = 1; i < times.length; i++) gaps.push(times[i]! - times[i - 1]!);
  const positive = gaps.filter((gap) => gap > 0);
  const seconds = new Set(Array.from(times, (t) => Math.floor(t / 1_000)));
  const changes = quotes.bid.filter(
    (bid, i) => i > 0 && (bid !== quotes.bid[i - 1] || quotes.ask[i] !== quotes.ask[i - 1]),
  );
  const volumeCurve = curve(trades.t, minutes, (i) => trades.size[i]!);
  const inner = mean(volumeCurve.slice(1, -1));
  const closes = minuteCloses(day);
  const returns = closes.slice(1).map((close, i) => (close / closes[i]! - 1) * 10_000);
  const absolute = returns.map(Math.abs);
  const lags = (from: number, to: number) =>
    mean(Array.from({ length: to - from + 1 }, (_, i) => autocorrelation(absolute, from + i)));
  const side = sidesOf(day);
  const sided = side.filter((x) => x !== 0);
  return {
    quotes: quotes.t.length,
    trades: trades.t.length,
    tradeShare: trades.t.length / times.length,
    spreadMean: mean(spread),
    spread: quantiles(spread),
    locked: spread.filter((x) => x <= 0).length / spread.length,
    priceChanges: changes.length / (spread.length - 1),
    quoteSize: quantiles(sizes),
    tradeSize: quantiles(trades.size),
    tradeSizeMean: mean(trades.size),
    roundLots: trades.size.filter((size) => size % 100 === 0).length / trades.size.length,
    gapZero: 1 - positive.length / gaps.length,
    gap: quantiles(positive),
    emptySeconds: 1 - seconds.size / (minutes * 60),
    volumeCurve,
    eventCurve: curve(Array.from(times), minutes, () => 1),
    uShape: [volumeCurve[0]! / inner, volumeCurve[12]! / inner],
    returnSd: Math.sqrt(mean(returns.map((r) => r * r)) - mean(returns) ** 2),
    returnKurtosis: kurtosis(returns),
    returnAc: autocorrelation(returns, 1),
    absAc: [lags(1, 5), lags(6, 15), lags(16, 30)],
    openHeat:
      mean(absolute.slice(0, Math.floor(minutes / 13))) /
      mean(absolute.slice(Math.floor((minutes * 4) / 13), Math.floor((minutes * 9) / 13))),
    atTouch: sided.length / side.length,
    sameSide: sided.filter((x, i) => i > 0 && x === sided[i - 1]).length / (sided.length - 1),
    efficiency: quantiles(efficiencies(closes)),
  };
}

export function quantiles(values: readonly number[], grid: readonly number[] = GRID): number[] {
  const sorted = Float64Array.from(values).sort();
  return grid.map((p) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]!);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}

export function autocorrelation(values: readonly number[], lag: number): number {
  const middle = mean(values);
  let [over, under] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    under += (values[i]! - middle) ** 2;
    if (i >= lag) over += (values[i]! - middle) * (values[i - lag]! - middle);
  }
  return over / under;
}

function kurtosis(values: readonly number[]): number {
  const middle = mean(values);
  const second = mean(values.map((x) => (x - middle) ** 2));
  return mean(values.map((x) => (x - middle) ** 4)) / second ** 2 - 3;
}

function curve(t: readonly number[], minutes: number, weight: (i: number) => number): number[] {
  const parts = new Array<number>(13).fill(0);
  for (let i = 0; i < t.length; i++) parts[Math.min(12, Math.floor((t[i]! * 13) / (minutes * 60_000)))]! += weight(i);
  const total = parts.reduce((sum, x) => sum + x, 0);
  return parts.map((x) => x / total);
}

function minuteCloses({ trades, minutes }: DayRows): number[] {
  const closes = new Array<number>(minutes).fill(Number.NaN);
  for (let i = 0; i < trades.t.length; i++)
    closes[Math.min(minutes - 1, Math.floor(trades.t[i]! / 60_000))] = trades.price[i]!;
  let last = trades.price[0]!;
  return closes.map((close) => {
    if (!Number.isNaN(close)) last = close;
    return last;
  });
}

/** +1 at the ask or above it, -1 at the bid or below, 0 between, by the quote that stood before the trade. */
function sidesOf({ quotes, trades }: DayRows): number[] {
  let q = -1;
  return trades.t.map((t, i) => {
    while (q + 1 < quotes.t.length && quotes.t[q + 1]! < t) q += 1;
    if (q < 0) return 0;
    return trades.price[i]! >= quotes.ask[q]! ? 1 : trades.price[i]! <= quotes.bid[q]! ? -1 : 0;
  });
}

/** |Σ r| / Σ |r| of each 30 minutes. */
export function efficiencies(closes: readonly number[]): number[] {
  const out: number[] = [];
  for (let end = 30; end < closes.length; end++) {
    let path = 0;
    for (let m = end - 29; m <= end; m++) path += Math.abs(closes[m]! - closes[m - 1]!);
    out.push(path === 0 ? 0 : Math.abs(closes[end]! - closes[end - 30]!) / path);
  }
  return out;
}

export { minuteCloses };
