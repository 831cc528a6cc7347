/**
 * How far synthetic days are from real ones: the same figures of both, each with the distance it may not pass. Without the
 * real days (env KESTREL_DATA, else ../shared/data beside the checkout) only the synthetic ones are looked at elsewhere.
 * KESTREL_SYNTH_TABLE=1 prints the table of docs/synth.md.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { synthTape } from '../../src/market/synth/index.ts';
import { type DayRows, GRID, type Measures, mean, measure } from './measure.ts';
import { rowsOf, secondDay, secondsOf, tickDay } from './rows.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const DATA = process.env.KESTREL_DATA ?? `${ROOT}../shared/data`;
const EQUITY = `${DATA}/lean/equity/usa`;

type Profile = 'ibm' | 'bac' | 'spy';
const DAYS: Readonly<Record<Profile, readonly string[]>> = {
  ibm: ['20131007', '20131008', '20131009'],
  bac: ['20131008'],
  spy: ['20131007', '20131008', '20131009'],
};
/** Ordinary regimes; the real days are none of the violent ones. The busier a share, the fewer of its days are made. */
const REGIMES = { ibm: ['range', 'choppy', 'trend'], bac: ['range'], spy: ['range', 'choppy'] } as const;

function realDays(profile: Profile): DayRows[] {
  const read = profile === 'spy' ? secondDay : tickDay;
  return DAYS[profile].map((date) => read(`${EQUITY}/${profile === 'spy' ? 'second' : 'tick'}/${profile}`, date));
}

function synthDays(profile: Profile): DayRows[] {
  return REGIMES[profile].map((regime, seed) => {
    const order = { seed, regime, profile, date: '2013-10-07', symbol: profile.toUpperCase() };
    return profile === 'spy' ? secondsOf(synthTape({ ...order, detail: 'seconds' })) : rowsOf(synthTape(order));
  });
}

/** Figures of several days: the mean of each. */
function meanOf(days: readonly DayRows[]): Measures {
  const all = days.map(measure);
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(all[0]!) as (keyof Measures)[]) {
    const values = all.map((one) => one[key]);
    out[key] =
      typeof values[0] === 'number'
        ? mean(values as number[])
        : (values[0] as number[]).map((_, i) => mean(values.map((value) => (value as number[])[i]!)));
  }
  return out as unknown as Measures;
}

/** Kolmogorov's distance: the most that two distribution functions differ. */
function kolmogorov(x: readonly number[], y: readonly number[]): number {
  const [a, b] = [Float64Array.from(x).sort(), Float64Array.from(y).sort()];
  let [i, j, most] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i]!, b[j]!);
    while (i < a.length && a[i]! === value) i += 1;
    while (j < b.length && b[j]! === value) j += 1;
    most = Math.max(most, Math.abs(i / a.length - j / b.length));
  }
  return most;
}

/** Most distance, by profile. Curves: mean absolute difference of the thirteenths. */
const BOUNDS: readonly {
  readonly name: string;
  readonly of: (real: Side, synth: Side) => number;
  readonly atMost: Readonly<Record<Profile, number>>;
}[] = [
  { name: 'spread, distribution', of: apart(spreads), atMost: { ibm: 0.1, bac: 0.02, spy: 0.05 } },
  { name: 'quote size, distribution', of: apart(quoteSizes), atMost: { ibm: 0.06, bac: 0.12, spy: 0.12 } },
  { name: 'trade size, distribution', of: apart(tradeSizes), atMost: { ibm: 0.07, bac: 0.05, spy: 0.12 } },
  { name: 'gap between events, distribution', of: apart(gaps), atMost: { ibm: 0.1, bac: 0.1, spy: 0.1 } },
  { name: 'empty seconds', of: difference((m) => m.emptySeconds), atMost: { ibm: 0.1, bac: 0.08, spy: 0.06 } },
  { name: 'share of trades', of: difference((m) => m.tradeShare), atMost: { ibm: 0.03, bac: 0.03, spy: 0.04 } },
  {
    name: 'quotes that change a price',
    of: difference((m) => m.priceChanges),
    atMost: { ibm: 0.08, bac: 0.004, spy: 0.06 },
  },
  { name: 'locked quotes', of: difference((m) => m.locked), atMost: { ibm: 0.004, bac: 0.02, spy: 0.005 } },
  { name: 'trades at the touch', of: difference((m) => m.atTouch), atMost: { ibm: 0.06, bac: 0.01, spy: 0.03 } },
  {
    name: 'trades on the side of the last',
    of: difference((m) => m.sameSide),
    atMost: { ibm: 0.04, bac: 0.03, spy: 0.08 },
  },
  { name: 'volume curve', of: curveApart((m) => m.volumeCurve), atMost: { ibm: 0.012, bac: 0.016, spy: 0.012 } },
  { name: 'event curve', of: curveApart((m) => m.eventCurve), atMost: { ibm: 0.01, bac: 0.012, spy: 0.006 } },
  {
    name: 'first thirteenth over the inner ones',
    of: ratio((m) => m.uShape[0]),
    atMost: { ibm: 1.35, bac: 1.5, spy: 1.35 },
  },
  {
    name: 'last thirteenth over the inner ones',
    of: ratio((m) => m.uShape[1]),
    atMost: { ibm: 1.35, bac: 1.6, spy: 1.35 },
  },
  { name: 'deviation of 1-minute changes', of: ratio((m) => m.returnSd), atMost: { ibm: 1.35, bac: 1.4, spy: 1.35 } },
  {
    name: 'autocorrelation of |change|, lags 1–5',
    of: difference((m) => m.absAc[0]),
    atMost: { ibm: 0.12, bac: 0.12, spy: 0.12 },
  },
  {
    name: 'autocorrelation of |change|, lags 6–15',
    of: difference((m) => m.absAc[1]),
    atMost: { ibm: 0.1, bac: 0.1, spy: 0.1 },
  },
  {
    name: 'autocorrelation of |change|, lags 16–30',
    of: difference((m) => m.absAc[2]),
    atMost: { ibm: 0.1, bac: 0.1, spy: 0.1 },
  },
];

interface Side {
  readonly days: readonly DayRows[];
  readonly mean: Measures;
}

function apart(of: (day: DayRows) => number[]) {
  return (real: Side, synth: Side) => kolmogorov(real.days.flatMap(of), synth.days.flatMap(of));
}
function difference(of: (m: Measures) => number) {
  return (real: Side, synth: Side) => Math.abs(of(real.mean) - of(synth.mean));
}
function ratio(of: (m: Measures) => number) {
  return (real: Side, synth: Side) => Math.exp(Math.abs(Math.log(of(real.mean) / of(synth.mean))));
}
function curveApart(of: (m: Measures) => readonly number[]) {
  return (real: Side, synth: Side) => mean(of(real.mean).map((x, i) => Math.abs(x - of(synth.mean)[i]!)));
}
function spreads({ quotes }: DayRows): number[] {
  return quotes.ask.map((ask, i) => ask - quotes.bid[i]!);
}
function quoteSizes({ quotes }: DayRows): number[] {
  return quotes.bidSize.concat(quotes.askSize);
}
function tradeSizes({ trades }: DayRows): number[] {
  return trades.size;
}
function gaps({ quotes, trades }: DayRows): number[] {
  const times = Float64Array.from(quotes.t.concat(trades.t)).sort();
  return Array.from(times.subarray(1), (t, i) => t - times[i]!);
}

describe.each(['ibm', 'bac', 'spy'] as const)('%s', (profile) => {
  const missing = DAYS[profile].some(
    (date) => !existsSync(`${EQUITY}/${profile === 'spy' ? 'second' : 'tick'}/${profile}/${date}_quote.zip`),
  );
  if (missing) console.log(`skipped: no real days of ${profile} (set KESTREL_DATA to the folder that holds lean/)`);
  test.skipIf(missing)('synthetic days are within bounds of real ones', () => {
    const side = (days: readonly DayRows[]): Side => ({ days, mean: meanOf(days) });
    const days = realDays(profile);
    const [real, synth] = [side(days), side(synthDays(profile))];
    const found = BOUNDS.map(({ name, of, atMost }) => ({ name, distance: of(real, synth), atMost: atMost[profile] }));
    if (process.env.KESTREL_SYNTH_TABLE !== undefined) {
      console.log(table(profile, real.mean, synth.mean));
      // How far one real day is from the others says what a distance is worth.
      const among = BOUNDS.map(({ of }) =>
        days.length < 2 ? Number.NaN : of(side(days.slice(0, 1)), side(days.slice(1))),
      );
      const line = ({ name, distance, atMost }: (typeof found)[number], i: number) =>
        `| ${name} | ${distance.toFixed(4)} | ${among[i]!.toFixed(4)} | ${atMost} |`;
      console.log(found.map(line).join('\n'));
    }
    expect(found.filter(({ distance, atMost }) => !(distance <= atMost))).toEqual([]);
  });
});

test('a flat, gapless, even day is out of every bound that matters', () => {
  // What a naive generator makes: an event a second, the same size and spread, changes that do not cluster.
  const n = 23_400;
  const flat: DayRows = {
    minutes: 390,
    quotes: {
      t: Array.from({ length: n }, (_, i) => i * 1_000),
      bid: new Array<number>(n).fill(10_000),
      bidSize: new Array<number>(n).fill(100),
      ask: new Array<number>(n).fill(10_001),
      askSize: new Array<number>(n).fill(100),
    },
    trades: {
      t: Array.from({ length: n }, (_, i) => i * 1_000),
      price: Array.from({ length: n }, (_, i) => 10_000 + (i % 2)),
      size: new Array<number>(n).fill(150),
    },
  };
  const side = (days: DayRows[]): Side => ({ days, mean: meanOf(days) });
  const [synth, naive] = [side(synthDays('ibm')), side([flat])];
  const out = BOUNDS.filter(({ of, atMost }) => !(of(synth, naive) <= atMost.ibm)).map(({ name }) => name);
  for (const name of ['spread', 'quote size', 'trade size', 'gap between events'])
    expect(out).toContain(`${name}, distribution`);
  expect(out.length).toBeGreaterThanOrEqual(12);
});

function table(profile: Profile, real: Measures, synth: Measures): string {
  const text = (x: number | readonly number[]): string =>
    typeof x === 'number' ? (Math.abs(x) >= 100 ? x.toFixed(0) : x.toFixed(3)) : x.map(text).join(' ');
  const rows = (Object.keys(real) as (keyof Measures)[]).map(
    (key) => `| ${key} | ${text(real[key])} | ${text(synth[key])} |`,
  );
  return [
    `${profile} (quantiles at ${GRID.join(' ')})`,
    '| figure | real | synthetic |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}
