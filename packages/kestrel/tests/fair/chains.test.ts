/**
 * Real chains: GOOG the day before an expiry, TWX over a year and a half. The fit is held to the market's own quotes: where
 * they are narrow enough to be used, the value lies between bid and ask or next to them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FairFit, type FairInput } from '../../src/engine/fair-fit.ts';
import { importLean, sessionOf } from '../../src/market/index.ts';
import { DERIVED, HAS_DATA, leanFile, WHY_SKIPPED } from '../market/data.ts';
import { held, outside, settlement, usable } from './held.ts';

interface Snapshot {
  readonly clock: string;
  readonly expiry: string;
  readonly input: FairInput;
}

const numbers = (n: number) => new Float64Array(n).fill(Number.NaN);

/** Microseconds at which a clock of New York stands at `HH:MM`, counted from the open at half past nine. */
function at(date: string, clock: string): number {
  const [hour, minute] = clock.split(':').map(Number);
  return sessionOf('XNYS', date)!.open + (hour! * 60 + minute! - 570) * 60_000_000;
}

/** The last price that a bar of the shares had shown by then. */
function spots(path: string): (t: number) => number {
  const { columns } = importLean([leanFile(path)]).tape;
  return (t) => {
    let spot = Number.NaN;
    for (let i = 0; i < columns.length && columns.t[i]! <= t; i++) spot = columns.bars.c[columns.a[i]!]!;
    return spot;
  };
}

function snapshots(file: string, date: string, spot: (t: number) => number): Snapshot[] {
  const rows = readFileSync(join(DERIVED, file), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(','));
  const names = [...new Set(rows.map(([clock, expiry]) => `${clock} ${expiry}`))];
  return names.map((name) => {
    const [clock = '', day = ''] = name.split(' ');
    const group = rows.filter((row) => row[0] === clock && row[1] === day);
    const expiry = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
    const strikes = [...new Set(group.map((row) => Math.round(Number(row[3]) * 1e4)))].sort((a, b) => a - b);
    const n = strikes.length;
    const t = at(date, clock);
    const input: FairInput = {
      strikesE4: Float64Array.from(strikes),
      callBid: numbers(n),
      callAsk: numbers(n),
      putBid: numbers(n),
      putAsk: numbers(n),
      callT: numbers(n),
      putT: numbers(n),
      spotE4: spot(t),
      t,
      settlesAt: settlement(expiry),
    };
    for (const [, , right, strike, bid, bidSize, ask, askSize, quoted] of group) {
      const i = strikes.indexOf(Math.round(Number(strike) * 1e4));
      const [toBid, toAsk, toT] =
        right === 'C' ? [input.callBid, input.callAsk, input.callT] : [input.putBid, input.putAsk, input.putT];
      toT[i] = at(date, quoted!);
      if (!(Number(bidSize) > 0 && Number(askSize) > 0 && Number(bid) > 0 && Number(ask) > Number(bid))) continue;
      toBid[i] = Math.round(Number(bid) * 1e4);
      toAsk[i] = Math.round(Number(ask) * 1e4);
    }
    return { clock, expiry, input };
  });
}

const DAYS = [
  {
    name: 'GOOG 2015-12-23',
    date: '2015-12-23',
    chain: 'goog_20151223_chain_snapshots.csv',
    shares: 'equity/usa/minute/goog/20151223_trade.zip',
    fits: 1,
  },
  {
    name: 'TWX 2014-06-05',
    date: '2014-06-05',
    chain: 'twx_20140605_chain_snapshots.csv',
    shares: 'equity/usa/minute/twx/20140605_trade.zip',
    fits: 6,
  },
] as const;

describe.skipIf(!HAS_DATA)(HAS_DATA ? 'real chains' : `real chains are skipped: ${WHY_SKIPPED}`, () => {
  for (const day of DAYS) {
    test(day.name, () => {
      const fit = new FairFit();
      let ok = 0;
      const lines: string[] = [];
      for (const { clock, expiry, input } of snapshots(day.chain, day.date, spots(day.shares))) {
        const receipt = fit.fit(input);
        const forward = receipt.forwardE4 / 1e4;
        const { used, inside, worst } = held(fit, receipt, input);
        const told = receipt.ok
          ? `${(receipt.atmVol * 100).toFixed(2)} % at ${forward.toFixed(3)}, rms ${(receipt.rmsVol * 100).toFixed(2)} points, ${inside} of ${used} inside, worst ${worst.toFixed(2)} spreads off the mid`
          : '';
        lines.push(`${day.name} ${clock} ${expiry}: ${receipt.why}, ${receipt.strikes} strikes ${told}`);
        if (!Number.isNaN(receipt.forwardE4))
          expect(Math.abs(receipt.forwardE4 / input.spotE4 - 1)).toBeLessThan(0.025);
        if (!receipt.ok) continue;
        ok++;
        expect(receipt.strikes).toBe(used);
        expect(inside).toBeGreaterThanOrEqual(Math.ceil(used * 0.8));
        expect(worst).toBeLessThan(1);
      }
      console.log(lines.join('\n'));
      expect(ok).toBe(day.fits);
    });
  }

  test('a strike left out is foretold by the others', () => {
    const [whole, without] = [new FairFit(), new FairFit()];
    let tried = 0;
    let inside = 0;
    for (const { input } of DAYS.flatMap((day) => snapshots(day.chain, day.date, spots(day.shares)))) {
      const receipt = whole.fit(input);
      if (!receipt.ok) continue;
      input.strikesE4.forEach((k, i) => {
        const { right, bid, ask, t: quotedAt, times } = outside(input, receipt.forwardE4, i);
        if (!usable(bid, ask, input.t - quotedAt)) return;
        times[i] = Number.NEGATIVE_INFINITY;
        const again = without.fit(input);
        times[i] = quotedAt;
        if (!again.ok) return;
        tried++;
        const value = without.valueE4(right, k);
        if (value >= bid && value <= ask) inside++;
      });
    }
    console.log(`${inside} of ${tried} strikes that were left out lie between bid and ask`);
    expect(tried).toBeGreaterThan(30);
    expect(inside / tried).toBeGreaterThan(0.8);
  });
});
