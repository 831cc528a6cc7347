/**
 * Whole real days, every expiry fitted at every minute: how often there is a value, why not, and how well it agrees with the
 * quotes it was made of. Prints the table that docs/fair-value.md cites.
 */
import { describe, expect, test } from 'vitest';
import { FairFit, type FairInput, type FairWhy } from '../../src/engine/fair-fit.ts';
import { importLean, Kind, sessionOf, type Tape } from '../../src/market/index.ts';
import { HAS_DATA, leanFile, WHY_SKIPPED } from '../market/data.ts';
import { addWings, held, settlement, type Wings } from './held.ts';

const MINUTE = 60_000_000;

class Expiry {
  readonly date: string;
  readonly fit = new FairFit();
  readonly why = new Map<FairWhy, number>();
  readonly misses: number[] = [];
  readonly wings: Wings = { n: 0, tangent: 0, parabola: 0, level: 0 };
  used = 0;
  inside = 0;
  readonly #settlesAt: number;
  readonly #strikes: readonly number[];
  readonly #quotes: Omit<FairInput, 'spotE4' | 't' | 'settlesAt'>;

  constructor(date: string, strikes: readonly number[]) {
    const column = () => new Float64Array(strikes.length).fill(Number.NaN);
    this.date = date;
    this.#settlesAt = settlement(date);
    this.#strikes = strikes;
    this.#quotes = {
      strikesE4: Float64Array.from(strikes),
      callBid: column(),
      callAsk: column(),
      callT: column(),
      putBid: column(),
      putAsk: column(),
      putT: column(),
    };
  }

  quote(option: { right: 'C' | 'P'; strikeE4: number }, row: { bid: number; ask: number; good: boolean; t: number }) {
    const i = this.#strikes.indexOf(option.strikeE4);
    const q = this.#quotes;
    const [bid, ask, t] = option.right === 'C' ? [q.callBid, q.callAsk, q.callT] : [q.putBid, q.putAsk, q.putT];
    bid[i] = row.good ? row.bid : Number.NaN;
    ask[i] = row.good ? row.ask : Number.NaN;
    t[i] = row.t;
  }

  read(t: number, spotE4: number): void {
    const input = { ...this.#quotes, spotE4, t, settlesAt: this.#settlesAt };
    const receipt = this.fit.fit(input);
    this.why.set(receipt.why, (this.why.get(receipt.why) ?? 0) + 1);
    if (!receipt.ok) return;
    this.misses.push(receipt.rmsVol);
    const { used, inside } = held(this.fit, receipt, input);
    expect(used).toBe(receipt.strikes);
    addWings(this.wings, this.fit, receipt, input);
    this.used += used;
    this.inside += inside;
  }
}

/** Every expiry of the tape, read at each minute of the session, after what has happened by then. */
function readDay(tape: Tape, date: string): Expiry[] {
  const { columns: c, instruments } = tape;
  const options = instruments.flatMap((one) => (one.kind === 'option' ? [one] : []));
  const dates = [...new Set(options.map(({ expiry }) => expiry))].sort();
  const expiries = dates.map((expiry) => {
    const strikes = options.filter((one) => one.expiry === expiry).map(({ strikeE4 }) => strikeE4);
    return new Expiry(
      expiry,
      [...new Set(strikes)].sort((a, b) => a - b),
    );
  });
  const byDate = new Map(expiries.map((one) => [one.date, one]));
  const { open, close } = sessionOf('XNYS', date)!;
  let spot = Number.NaN;
  let next = open + MINUTE;
  for (let i = 0; i <= c.length; i++) {
    const t = i < c.length ? c.t[i]! : Number.POSITIVE_INFINITY;
    for (; next < t && next <= close; next += MINUTE) for (const expiry of expiries) expiry.read(next, spot);
    if (i === c.length) break;
    const [bid, bidSize, ask, askSize] = [c.a[i]!, c.b[i]!, c.c[i]!, c.d[i]!];
    if (c.kind[i] === Kind.bar) spot = c.bars.c[bid]!;
    const of = instruments[c.inst[i]!];
    if (c.kind[i] !== Kind.oquote || of?.kind !== 'option') continue;
    const good = bid > 0 && ask > bid && bidSize > 0 && askSize > 0;
    byDate.get(of.expiry)!.quote(of, { bid, ask, good, t });
  }
  return expiries;
}

const DAYS = [
  { symbol: 'goog', date: '2015-12-23', ok: 262 },
  { symbol: 'twx', date: '2014-06-05', ok: 645 },
  { symbol: 'twx', date: '2014-06-06', ok: 370 },
] as const;

describe.skipIf(!HAS_DATA)(HAS_DATA ? 'real days' : `real days are skipped: ${WHY_SKIPPED}`, () => {
  test.each(DAYS)('$symbol $date', ({ symbol, date, ok }) => {
    const day = date.replaceAll('-', '');
    const { tape } = importLean([
      leanFile(`equity/usa/minute/${symbol}/${day}_trade.zip`),
      leanFile(`option/usa/minute/${symbol}/${day}_quote_american.zip`),
    ]);
    const expiries = readDay(tape, date);
    const lines = expiries.map(({ date: expiry, why, misses, used, inside }) => {
      const median = misses.sort((a, b) => a - b)[misses.length >> 1]!;
      const told = [...why].map(([name, n]) => `${name} ${n}`).join(', ');
      return `${symbol} ${date} ${expiry}: ${told}; rms ${(median * 100).toFixed(2)} points; ${inside} of ${used} quotes hold their value`;
    });
    console.log(lines.join('\n'));
    expect(expiries.reduce((sum, { why }) => sum + (why.get('ok') ?? 0), 0)).toBe(ok);
    for (const { why } of expiries) expect([...why.values()].reduce((sum, n) => sum + n, 0)).toBe(390);
    const [used, inside] = [expiries.map((one) => one.used), expiries.map((one) => one.inside)].map((list) =>
      list.reduce((sum, n) => sum + n, 0),
    );
    expect(inside! / used!).toBeGreaterThan(0.95);
    const pooled = (name: keyof Wings) => expiries.reduce((sum, { wings }) => sum + wings[name], 0);
    const [tangent, parabola, level] = (['tangent', 'parabola', 'level'] as const).map(
      (name) => Math.sqrt(pooled(name) / pooled('n')) * 100,
    );
    console.log(
      `${symbol} ${date}: ${pooled('n')} quotes beyond the fitted strikes; rms of the tangent ${tangent!.toFixed(2)}, the parabola ${parabola!.toFixed(2)}, a level ${level!.toFixed(2)} points`,
    );
    expect(pooled('n')).toBeGreaterThan(500);
    expect(tangent).toBeLessThan(Math.min(parabola!, level!));
  });
});
