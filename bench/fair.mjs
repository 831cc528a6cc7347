/**
 * Benchmarks of option values: a chain of forty strikes fitted anew, as the engine does once a market second for each expiry
 * that a plan reads, and single prices and volatilities. Times are of the processor, since the figure is read beside other work;
 * the baseline in the same rounds is what no fit can do without: one call of the library's erfc and exp a strike.
 */
import erfc from '@stdlib/math-base-special-erfc';
import exp from '@stdlib/math-base-special-exp';
import { FairFit, impliedVol, priceOf } from '../packages/kestrel/dist/engine.js';
import { median } from './clock.mjs';

const STRIKES = 40;
const FITS = 2_000;
const ROUNDS = 21;
const WARMUPS = 10;
const NOW = 1_450_882_800_000_000;
const DAYS = 12;

/** Forty usable strikes of an index-like smile, in whole cents and a nickel wide or more, so that no quote meets the smile. */
function chain() {
  const tYears = DAYS / 365;
  const strikesE4 = Float64Array.from({ length: STRIKES }, (_, i) => 1_600_000 + 5_000 * (i - 22));
  const side = (right, sign) =>
    strikesE4.map((k) => {
      const x = Math.log(k / 1_603_100);
      const price = priceOf(right, 1_603_100, k, (0.21 - 0.5 * x + 2 * x * x) * Math.sqrt(tYears));
      return Math.round((price + sign * Math.max(250, price * 0.015)) / 100) * 100;
    });
  const quotedAt = new Float64Array(STRIKES).fill(NOW - 1_000_000);
  return {
    strikesE4,
    callBid: side('C', -1),
    callAsk: side('C', 1),
    putBid: side('P', -1),
    putAsk: side('P', 1),
    callT: quotedAt,
    putT: quotedAt,
    spotE4: 1_603_000,
    t: NOW,
    settlesAt: NOW + DAYS * 86_400_000_000,
  };
}

/** Median microseconds of the processor for one call of each job, round after round. */
function processorTimes(jobs) {
  const times = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  for (let round = -WARMUPS; round < ROUNDS; round++) {
    for (const [name, { calls, work }] of Object.entries(jobs)) {
      const begun = process.cpuUsage();
      for (let i = 0; i < calls; i++) work(i);
      const { user, system } = process.cpuUsage(begun);
      if (round >= 0) times[name].push((user + system) / calls);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

export function bench() {
  const input = chain();
  const fit = new FairFit();
  const receipt = fit.fit(input);
  if (!receipt.ok || receipt.strikes !== STRIKES) {
    throw new Error(`the benchmark's chain does not fit: ${receipt.why}, ${receipt.strikes} of ${STRIKES} strikes`);
  }
  let sink = 0;
  const us = processorTimes({
    bare: {
      calls: FITS,
      work: (i) => {
        for (let k = 0; k < STRIKES; k++) sink += erfc(k / 20 + i * 1e-9) + exp(-k / 20 - i * 1e-9);
      },
    },
    fit: { calls: FITS, work: () => (sink += fit.fit(input).atmVol) },
    value: { calls: 50_000, work: (i) => (sink += fit.valueE4('C', 1_500_000 + 4 * i)) },
    price: { calls: 50_000, work: (i) => (sink += priceOf('P', 1_603_100, 1_500_000 + 4 * i, 0.05)) },
    implied: { calls: 20_000, work: (i) => (sink += impliedVol('C', 1_603_100, 1_620_000, 12 / 365, 20_000 + i)) },
  });
  if (!(sink > 0)) throw new Error('a job answered nothing');
  return [
    {
      measure: `fit of a chain of ${STRIKES} strikes`,
      value: us.fit,
      unit: 'µs of CPU',
      target: '<= 30',
      ratio: `${(us.fit / us.bare).toFixed(1)} x an erfc and an exp a strike`,
    },
    { measure: `an erfc and an exp, ${STRIKES} times`, value: us.bare, unit: 'µs of CPU' },
    { measure: 'value of one option by a fit', value: us.value * 1_000, unit: 'ns of CPU' },
    { measure: 'price of one option', value: us.price * 1_000, unit: 'ns of CPU' },
    { measure: 'implied volatility without a guess', value: us.implied * 1_000, unit: 'ns of CPU' },
  ];
}
