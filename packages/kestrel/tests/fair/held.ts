/** Holding a fit to the quotes it was made of: the rules of use told a second time, in floating point. */
import { impliedVol } from '../../src/engine/black-scholes.ts';
import type { FairFit, FairInput, FairReceipt } from '../../src/engine/fair-fit.ts';
import { nthSessionBefore, sessionOf } from '../../src/market/index.ts';

/** A good quote, a minute old at most, with a spread of at most a dime or a quarter of its mid. */
export function usable(bid: number, ask: number, ageUs: number): boolean {
  return bid > 0 && ask > bid && ask - bid <= Math.max(1_000, 0.25 * ((ask + bid) / 2)) && ageUs <= 60_000_000;
}

/** The out-of-the-money quote of a strike. */
export function outside(input: FairInput, forwardE4: number, i: number) {
  const put = input.strikesE4[i]! < forwardE4;
  const side = put ? [input.putBid, input.putAsk, input.putT] : [input.callBid, input.callAsk, input.callT];
  const [bid, ask, t] = side.map((column) => column[i]!) as [number, number, number];
  return { right: put ? 'P' : 'C', bid, ask, t, times: side[2]! } as const;
}

/** How many quotes the fit may use, how many hold its value between bid and ask, and the farthest from a mid, in spreads. */
export function held(fit: FairFit, receipt: FairReceipt, input: FairInput) {
  let used = 0;
  let inside = 0;
  let worst = 0;
  input.strikesE4.forEach((k, i) => {
    const { right, bid, ask, t } = outside(input, receipt.forwardE4, i);
    if (!usable(bid, ask, input.t - t)) return;
    used++;
    const value = fit.valueE4(right, k);
    if (value >= bid && value <= ask) inside++;
    worst = Math.max(worst, Math.abs(value - (bid + ask) / 2) / (ask - bid));
  });
  return { used, inside, worst };
}

/** Squared misses, in volatility, of what may be said of a strike beyond the outermost fitted ones, and their number. */
export interface Wings {
  n: number;
  tangent: number;
  parabola: number;
  level: number;
}

/** Adds the good quotes beyond the fitted strikes, which the fit has not used: too wide, too old, and quoted all the same. */
export function addWings(wings: Wings, fit: FairFit, receipt: FairReceipt, input: FairInput): void {
  const { forwardE4, tYears, coefficients } = receipt;
  const [c0, c1, c2] = coefficients;
  const quotes = [...input.strikesE4].flatMap((k, i) => {
    const { right, bid, ask, t } = outside(input, forwardE4, i);
    const vol = impliedVol(right, forwardE4, k, tYears, (bid + ask) / 2);
    return bid > 0 ? [{ k, x: Math.log(k / forwardE4), vol, used: usable(bid, ask, input.t - t) }] : [];
  });
  const used = quotes.filter((one) => one.used).map(({ x }) => x);
  const [low, high] = [Math.min(...used), Math.max(...used)];
  for (const { k, x, vol } of quotes) {
    if (x >= low && x <= high) continue;
    const edge = x < low ? low : high;
    wings.n++;
    wings.tangent += (fit.vol(k) - vol) ** 2;
    wings.parabola += (c0 + x * (c1 + x * c2) - vol) ** 2;
    wings.level += (c0 + edge * (c1 + edge * c2) - vol) ** 2;
  }
}

/** The close of an expiry's last session: one that falls on a Saturday settles the day before. */
export function settlement(date: string): number {
  const session = sessionOf('XNYS', date) ?? sessionOf('XNYS', nthSessionBefore('XNYS', date, 1));
  return session!.close;
}
