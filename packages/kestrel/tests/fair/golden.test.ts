/**
 * The bits of prices, greeks, volatilities and fits, which hold on every Node and machine. A pin that moves is a change of
 * meaning of `fair-v1`. `KESTREL_PIN=1` writes golden.json anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { greeks, impliedVol, priceOf } from '../../src/engine/black-scholes.ts';
import { FairFit } from '../../src/engine/fair-fit.ts';
import { type ChainSpec, chainOf, DAY, STRIKES } from './chain.ts';
import { roll } from './dice.ts';

const PINS = new URL('golden.json', import.meta.url);
const pinning = process.env.KESTREL_PIN === '1';
const pins: Record<string, readonly string[]> = pinning ? {} : JSON.parse(readFileSync(PINS, 'utf8'));
const seen: Record<string, readonly string[]> = {};

/** The sixteen hexadecimal digits of each double; NaN by name, since its bits are the host's own. */
function bits(values: readonly number[]): string[] {
  const view = new DataView(new ArrayBuffer(8));
  return values.map((value) => {
    if (Number.isNaN(value)) return 'NaN';
    view.setFloat64(0, value);
    return view.getBigUint64(0).toString(16).padStart(16, '0');
  });
}

function check(name: string, values: readonly number[]): void {
  seen[name] = bits(values);
  if (!pinning) expect(seen[name]).toEqual(pins[name]);
}

afterAll(() => {
  if (pinning) writeFileSync(PINS, `${JSON.stringify(seen, null, 2)}\n`);
});

const YEARS = { 'one minute': 1 / 525_600, 'half a day': 0.5 / 365, 'a month': 30 / 365, 'two years': 2 };
const PARTS = [0.5, 0.9, 0.99, 0.9999, 1, 1.0001, 1.003, 1.05, 1.4, 3];

describe('options', () => {
  for (const [name, tYears] of Object.entries(YEARS)) {
    for (const sigma of [0.07, 0.31, 1.9]) {
      test(`${name} at ${sigma}`, () => {
        const f = 1_873_250;
        const figures = PARTS.flatMap((part) => {
          const k = Math.round(f * part);
          const call = priceOf('C', f, k, sigma * Math.sqrt(tYears));
          const put = priceOf('P', f, k, sigma * Math.sqrt(tYears));
          const g = greeks('P', f, k, sigma, tYears);
          return [
            call,
            put,
            g.delta,
            g.gamma,
            g.vega,
            g.thetaDay,
            impliedVol('C', f, k, tYears, call),
            impliedVol('P', f, k, tYears, put),
          ];
        });
        check(`${name} at ${sigma}`, figures);
      });
    }
  }
});

describe('fits', () => {
  const rough: Record<string, ChainSpec> = {
    'a month': {},
    'one minute': {
      forwardE4: 51_500_500,
      strikesE4: Array.from({ length: 21 }, (_, i) => 51_450_000 + 5_000 * i),
      left: 60_000_000,
      smile: (x) => 0.3 - 2 * x,
      half: (price) => Math.max(50, price * 0.05),
    },
    'two years': { left: 730 * DAY, half: (price) => Math.max(100, price * 0.03) },
    'a poor fit': { smile: (x) => (x < 0 ? 0.45 : 0.3) },
  };
  for (const [name, spec] of Object.entries(rough)) {
    test(name, () => {
      const chain = chainOf(spec);
      // Whole cents around the model's price, as a market would show; so the host's exp and log, which made them, leave no trace.
      for (const side of ['callBid', 'callAsk', 'putBid', 'putAsk'] as const) {
        const dice = roll(`${name} ${side}`);
        const outward = side.endsWith('Bid') ? -100 : 100;
        chain[side].forEach((value, i) => {
          chain[side][i] = Math.round(value / 100) * 100 + (dice() < 0.3 ? outward : 0);
        });
      }
      const fit = new FairFit();
      const { forwardE4, tYears, atmVol, rmsVol, coefficients, strikes } = fit.fit(chain);
      const strikesE4 = spec.strikesE4 ?? STRIKES;
      const read = [strikesE4[0]! - 123_400, ...strikesE4, strikesE4.at(-1)! + 123_400];
      check(`fit of ${name}`, [
        ...[strikes, forwardE4, tYears, atmVol, rmsVol, ...coefficients],
        ...read.flatMap((k) => [fit.vol(k), fit.valueE4('C', k), fit.valueE4('P', k)]),
      ]);
    });
  }
});

test.skipIf(pinning)('every pin is of a case that is run', () => {
  expect(Object.keys(seen).sort()).toEqual(Object.keys(pins).sort());
});
