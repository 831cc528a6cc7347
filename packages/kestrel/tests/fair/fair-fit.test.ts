/** The fit of a chain and its receipt: what it recovers, what each rule lets in, and every reason for which there is none. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { greeks, impliedVol, priceOf } from '../../src/engine/black-scholes.ts';
import { FairFit, type FairInput, type FairWhy } from '../../src/engine/fair-fit.ts';
import { type Bend, type ChainSpec, chainOf, DAY, quote, SMILE, STRIKES } from './chain.ts';

const F = 1_000_000;
const YEARS = 30 / 365;

function fitted(spec: ChainSpec = {}, bends: readonly Bend[] = []) {
  const fit = new FairFit();
  return { fit, receipt: fit.fit(chainOf(spec, bends)) };
}

/** The out-of-the-money side of a strike. */
const outside = (kE4: number) => (kE4 < F ? 'P' : 'C');

/** The model's price of the out-of-the-money option. */
const priceAt = (kE4: number, smile = SMILE) =>
  priceOf(outside(kE4), F, kE4, smile(Math.log(kE4 / F)) * Math.sqrt(YEARS));

/** Takes the out-of-the-money quote of every other strike away. */
const only = (kept: readonly number[]): Bend[] =>
  STRIKES.filter((k) => !kept.includes(k)).map((kE4) => ({ right: outside(kE4), kE4, bid: Number.NaN }));

/** What the forward is made of. */
const NEAR = [980_000, 1_000_000, 1_020_000];

describe('a smile that is a parabola is recovered', () => {
  test('to many digits', () => {
    const { fit, receipt } = fitted();
    expect(receipt).toMatchObject({ ok: true, why: 'ok', strikes: 19, tYears: YEARS });
    expect(receipt.forwardE4).toBeCloseTo(F, 6);
    expect(receipt.rmsVol).toBeLessThan(1e-10);
    expect(receipt.atmVol).toBeCloseTo(0.22, 10);
    for (const [i, want] of [0.22, -0.35, 1.4].entries()) expect(receipt.coefficients[i]).toBeCloseTo(want, 8);
    for (const k of STRIKES) {
      expect(fit.vol(k)).toBeCloseTo(SMILE(Math.log(k / F)), 9);
      for (const right of ['C', 'P'] as const) {
        expect(fit.valueE4(right, k)).toBeCloseTo(priceOf(right, F, k, SMILE(Math.log(k / F)) * Math.sqrt(YEARS)), 3);
      }
    }
  });

  test('whatever the smile, the time left and the price of the underlying', () => {
    const shape = fc.record({
      forward: fc.integer({ min: 50_000, max: 60_000_000 }),
      atm: fc.double({ min: 0.08, max: 1.2, noNaN: true }),
      skew: fc.double({ min: -0.8, max: 0.8, noNaN: true }),
      bow: fc.double({ min: -0.2, max: 0.6, noNaN: true }),
      left: fc.integer({ min: 60_000_000, max: 900 * 86_400_000_000 }),
      above: fc.integer({ min: 4, max: 30 }),
      below: fc.integer({ min: 4, max: 30 }),
    });
    fc.assert(
      fc.property(shape, ({ forward, atm, skew, bow, left, above, below }) => {
        // Strikes a twentieth of a deviation apart: the smile is told in deviations too, so that it stays positive.
        const deviation = atm * Math.sqrt(left / (365 * DAY));
        const smile = (x: number) => atm * (1 + (skew * x) / (8 * deviation) + bow * (x / (4 * deviation)) ** 2);
        const strikesE4 = Array.from(
          { length: above + below + 1 },
          (_, i) => forward * Math.exp((i - below) * 0.05 * deviation),
        );
        const fit = new FairFit();
        const receipt = fit.fit(chainOf({ forwardE4: forward, strikesE4, left, smile, half: (price) => price * 0.02 }));
        expect(receipt.why).toBe('ok');
        expect(receipt.strikes).toBe(strikesE4.length);
        expect(Math.abs(receipt.forwardE4 / forward - 1)).toBeLessThan(1e-13);
        for (const k of strikesE4) expect(Math.abs(fit.vol(k) / smile(Math.log(k / forward)) - 1)).toBeLessThan(1e-8);
      }),
      { numRuns: 120 },
    );
  });

  test('with one minute left', () => {
    const left = 60_000_000;
    const strikesE4 = Array.from({ length: 15 }, (_, i) => 51_500_000 + 5_000 * (i - 7));
    const spec: ChainSpec = { forwardE4: 51_500_500, strikesE4, left, smile: () => 0.3, half: () => 5 };
    const { receipt } = fitted(spec);
    expect(receipt).toMatchObject({ ok: true, strikes: 15 });
    expect(receipt.atmVol).toBeCloseTo(0.3, 8);
  });
});

describe('weights', () => {
  /** The same least squares by the three equations, eliminated with a pivot, in x scaled to [-1, 1]. */
  function equations(input: FairInput, forwardE4: number, tYears: number) {
    const points = [...input.strikesE4].flatMap((k, i) => {
      const [bid, ask] = k < forwardE4 ? [input.putBid[i]!, input.putAsk[i]!] : [input.callBid[i]!, input.callAsk[i]!];
      const vol = impliedVol(k < forwardE4 ? 'P' : 'C', forwardE4, k, tYears, (bid + ask) / 2);
      return bid > 0 ? [{ k, x: Math.log(k / forwardE4), vol, w: 1 / (ask - bid) ** 2 }] : [];
    });
    const scale = Math.max(...points.map(({ x }) => Math.abs(x)));
    const row = (power: number) => [
      ...[0, 1, 2].map((other) => points.reduce((sum, { x, w }) => sum + w * (x / scale) ** (power + other), 0)),
      points.reduce((sum, { x, vol, w }) => sum + w * vol * (x / scale) ** power, 0),
    ];
    const m = [row(0), row(1), row(2)];
    for (let c = 0; c < 3; c++) {
      const pivot = m.slice(c).reduce((best, r, i) => (Math.abs(r[c]!) > Math.abs(m[best]![c]!) ? c + i : best), c);
      [m[c], m[pivot]] = [m[pivot]!, m[c]!];
      for (let r = 0; r < 3; r++) {
        if (r === c) continue;
        const factor = m[r]![c]! / m[c]![c]!;
        m[r] = m[r]!.map((value, i) => value - factor * m[c]![i]!);
      }
    }
    const vol = (x: number) => m.reduce((sum, r, power) => sum + (r[3]! / r[power]!) * (x / scale) ** power, 0);
    const total = points.reduce((sum, { w }) => sum + w, 0);
    const rms = Math.sqrt(points.reduce((sum, one) => sum + one.w * (one.vol - vol(one.x)) ** 2, 0) / total);
    return { points, vol, rms };
  }

  test('are the inverse squared spread: the three equations give the same parabola and the same miss', () => {
    const noise = fc.array(fc.tuple(fc.integer({ min: -15, max: 15 }), fc.integer({ min: 5, max: 400 })), {
      minLength: 19,
      maxLength: 19,
    });
    fc.assert(
      fc.property(noise, (quotes) => {
        const bends = STRIKES.map((kE4, i): Bend => {
          const price = priceAt(kE4);
          const [shift, half] = quotes[i]!;
          const mid = Math.max(40, price + shift);
          return quote(outside(kE4), kE4, mid, 2 * Math.min(half, mid - 1));
        });
        const input = chainOf({}, bends);
        const fit = new FairFit();
        const receipt = fit.fit(input);
        expect(receipt.strikes).toBe(19);
        const want = equations(input, receipt.forwardE4, receipt.tYears);
        expect(receipt.rmsVol).toBeCloseTo(want.rms, 10);
        const [c0, c1, c2] = receipt.coefficients;
        for (const { x } of want.points) expect(c0 + x * (c1 + x * c2)).toBeCloseTo(want.vol(x), 9);
      }),
      { numRuns: 120 },
    );
  });

  test('a wild quote twenty times as wide as the others moves nothing by a twentieth of what it would', () => {
    const kE4 = 900_000;
    const price = priceAt(kE4);
    const narrow = fitted({ half: () => 20 }, [quote('P', kE4, price + 500, 40)]).fit.vol(kE4);
    const wide = fitted({ half: () => 20 }, [quote('P', kE4, price + 500, 800)]).fit.vol(kE4);
    const truth = SMILE(Math.log(kE4 / F));
    expect(narrow - truth).toBeGreaterThan(0.001);
    expect(wide - truth).toBeGreaterThan(0);
    expect(wide - truth).toBeLessThan((narrow - truth) / 20);
  });
});

describe('why there is no value', () => {
  const aged = (ageUs: number, but: readonly number[] = []) =>
    STRIKES.filter((k) => !but.includes(k)).map((kE4): Bend => ({ right: outside(kE4), kE4, ageUs }));
  const cases: readonly {
    readonly name: string;
    readonly why: FairWhy;
    readonly strikes: number;
    readonly spec?: ChainSpec;
    readonly bends?: readonly Bend[];
  }[] = [
    { name: 'at settlement', why: 'expired', strikes: 0, spec: { left: 0 } },
    { name: 'after it', why: 'expired', strikes: 0, spec: { left: -1 } },
    { name: 'spot is UNKNOWN', why: 'no-spot', strikes: 0, spec: { spotE4: Number.NaN } },
    {
      name: 'two strikes with a good call and a good put',
      why: 'no-forward',
      strikes: 0,
      bends: STRIKES.filter((k) => k !== 980_000 && k !== 1_020_000).map((kE4) => ({ right: 'C', kE4, ask: 5 })),
    },
    { name: 'four good quotes', why: 'few-strikes', strikes: 4, bends: only([900_000, ...NEAR]) },
    { name: 'every quote a microsecond too old', why: 'stale', strikes: 0, bends: aged(60_000_001) },
    { name: 'all but four too old', why: 'stale', strikes: 4, bends: aged(60_000_001, [900_000, ...NEAR]) },
    {
      name: 'every spread above a dime and a quarter of the mid',
      why: 'wide',
      strikes: 0,
      spec: { half: (price) => Math.max(501, price * 0.126), smile: () => 0.9 },
    },
    {
      name: 'a smile with a step that no parabola has',
      why: 'poor-fit',
      strikes: 19,
      spec: { smile: (x) => (x < 0 ? 0.5 : 0.3) },
    },
  ];

  test.each(cases)('$name: $why', ({ why, strikes, spec, bends }) => {
    const { fit, receipt } = fitted(spec, bends);
    expect(receipt).toMatchObject({ ok: false, why, strikes });
    expect(fit.valueE4('C', F)).toBeNaN();
    expect(fit.vol(F)).toBeNaN();
    expect(fit.greeks('C', F).delta).toBeNaN();
  });
});

describe('which quotes are usable', () => {
  /** Five strikes, the first as bent: `ok` with it, `few-strikes`, `stale` or `wide` without. */
  const five = [900_000, 920_000, ...NEAR];
  const strikes = (bend: Bend, spec: ChainSpec = {}) => fitted(spec, [...only(five), bend]).receipt.strikes;
  const kE4 = 900_000;

  test('sixty seconds old, and no more', () => {
    expect(strikes({ right: 'P', kE4, ageUs: 60_000_000 })).toBe(5);
    expect(strikes({ right: 'P', kE4, ageUs: 60_000_001 })).toBe(4);
  });

  test('a spread of a dime whatever the mid, and no more where that is above a quarter of it', () => {
    expect(strikes({ right: 'P', kE4, bid: 100, ask: 1_100 })).toBe(5);
    expect(strikes({ right: 'P', kE4, bid: 100, ask: 1_101 })).toBe(4);
  });

  test('a spread of a quarter of the mid, and no more', () => {
    expect(strikes({ right: 'P', kE4, bid: 7_000, ask: 9_000 })).toBe(5);
    expect(strikes({ right: 'P', kE4, bid: 7_000, ask: 9_001 })).toBe(4);
    expect(strikes({ right: 'P', kE4, bid: 6_999, ask: 9_000 })).toBe(4);
  });

  test('both sides, and not crossed or locked', () => {
    expect(strikes({ right: 'P', kE4, bid: 0, ask: 1_000 })).toBe(4);
    expect(strikes({ right: 'P', kE4, bid: 2_000, ask: 2_000 })).toBe(4);
    expect(strikes({ right: 'P', kE4, bid: 2_000, ask: 1_900 })).toBe(4);
    expect(strikes({ right: 'P', kE4, ask: 1_900 })).toBe(4);
    expect(strikes({ right: 'P', kE4, bid: 1_900 })).toBe(4);
  });

  test('the other side of the strike counts for nothing', () => {
    expect(strikes({ right: 'C', kE4, bid: 0, ask: 0, ageUs: 1e12 })).toBe(5);
  });

  test('five strikes are enough', () => {
    expect(fitted({}, only(five)).receipt).toMatchObject({ ok: true, strikes: 5 });
    expect(fitted({}, only(five.slice(1))).receipt).toMatchObject({ ok: false, strikes: 4 });
  });

  test('at the forward itself the call is read', () => {
    const lone = fitted({}, [{ right: 'P', kE4: F, ageUs: 1e12 }]);
    expect(lone.receipt.strikes).toBe(19);
    expect(fitted({}, [{ right: 'C', kE4: F, ageUs: 1e12 }]).receipt.strikes).toBe(18);
  });
});

describe('two volatility points', () => {
  /** Alternating misses of one size are orthogonal enough to any parabola that the miss is nearly that size. */
  const zigzag = (points: number) => (x: number) =>
    0.5 + (Math.round((Math.exp(x) * F - 820_000) / 20_000) % 2 === 0 ? points : -points);

  test('are let through, a hundredth of a point more is not', () => {
    // What is missed is in proportion to the zigzag, so that one fit tells how large a zigzag misses by two points.
    const { rmsVol, ok } = fitted({ smile: zigzag(0.01), half: () => 50 }).receipt;
    expect(ok).toBe(true);
    expect(rmsVol).toBeGreaterThan(0.009);
    const size = (0.01 / rmsVol) * 0.02;
    const just = fitted({ smile: zigzag(size * 0.999), half: () => 50 }).receipt;
    const over = fitted({ smile: zigzag(size * 1.005), half: () => 50 }).receipt;
    expect(just.rmsVol).toBeCloseTo(0.02 * 0.999, 4);
    expect(just).toMatchObject({ ok: true, why: 'ok' });
    expect(over.rmsVol).toBeCloseTo(0.02 * 1.005, 4);
    expect(over).toMatchObject({ ok: false, why: 'poor-fit', strikes: 19 });
    expect(over.atmVol).toBeCloseTo(0.5, 1);
  });
});

describe('the forward', () => {
  const bent = (bends: readonly Bend[], spec: ChainSpec = {}) => fitted(spec, bends).receipt.forwardE4;

  test('is the median: one wild quote moves nothing', () => {
    expect(bent([{ right: 'C', kE4: 980_000, shiftE4: 5_000 }])).toBeCloseTo(F, 6);
    expect(bent([{ right: 'P', kE4: 1_020_000, shiftE4: 5_000 }])).toBeCloseTo(F, 6);
  });

  test('is of the three nearest: two that agree outvote the third, a fourth has no vote', () => {
    const two: Bend[] = [
      { right: 'C', kE4: 980_000, shiftE4: 300 },
      { right: 'C', kE4: 1_020_000, shiftE4: 200 },
    ];
    expect(bent(two)).toBeCloseTo(F + 200, 6);
    expect(bent([...two, { right: 'C', kE4: 960_000, shiftE4: 100 }])).toBeCloseTo(F + 200, 6);
  });

  test('takes the lower of two strikes equally near', () => {
    // Between 990,000's neighbours: 980 and 1,000 first, then 960 and 1,020 are equally near.
    const spec: ChainSpec = { spotE4: 990_000 };
    const shifts: Bend[] = [
      { right: 'C', kE4: 980_000, shiftE4: 900 },
      { right: 'C', kE4: 1_000_000, shiftE4: -900 },
      { right: 'C', kE4: 960_000, shiftE4: 100 },
      { right: 'C', kE4: 1_020_000, shiftE4: 50 },
    ];
    expect(bent(shifts, spec)).toBeCloseTo(F + 100, 6);
  });

  test('skips a strike whose call or put is not two-sided, and goes on outwards', () => {
    const gone: Bend[] = [
      { right: 'C', kE4: 1_000_000, bid: 5 },
      { right: 'P', kE4: 980_000, ask: 5 },
    ];
    const shifts: Bend[] = [
      { right: 'C', kE4: 1_020_000, shiftE4: 10 },
      { right: 'C', kE4: 960_000, shiftE4: 20 },
      { right: 'C', kE4: 1_040_000, shiftE4: 30 },
      { right: 'C', kE4: 940_000, shiftE4: 99 },
    ];
    expect(bent([...gone, ...shifts])).toBeCloseTo(F + 20, 6);
  });

  test('stands on standing quotes, old or wide as they may be', () => {
    const old = STRIKES.flatMap((kE4): Bend[] => [
      { right: 'C', kE4, ageUs: 3_600_000_000 },
      { right: 'P', kE4, ageUs: 3_600_000_000 },
    ]);
    expect(fitted({}, old).receipt.forwardE4).toBeCloseTo(F, 6);
    expect(fitted({ half: () => 600 }).receipt.forwardE4).toBeCloseTo(F, 6);
  });

  test('is found at either end of the list of strikes', () => {
    expect(bent([], { spotE4: 1 })).toBeCloseTo(F, 3);
    expect(bent([], { spotE4: 1e12 })).toBeCloseTo(F, 3);
  });
});

describe('beyond the outermost fitted strikes', () => {
  /** The smile turns at x = 0.125, so that it rises outwards below and, up to 1.13 times the forward, falls above. */
  const { fit } = fitted({ strikesE4: STRIKES.filter((k) => k <= 1_080_000) });
  const at = (kE4: number) => Math.log(kE4 / F);

  test('a wing that rises goes on as its tangent', () => {
    const edge = at(820_000);
    const slope = -0.35 + 2 * 1.4 * edge;
    for (const k of [810_000, 700_000, 400_000]) {
      expect(fit.vol(k)).toBeCloseTo(SMILE(edge) + slope * (at(k) - edge), 8);
    }
  });

  test('a wing that would fall stays level', () => {
    for (const k of [1_081_000, 1_300_000, 9_000_000]) expect(fit.vol(k)).toBeCloseTo(SMILE(at(1_080_000)), 8);
  });

  test('between them it is the parabola, listed strike or not', () => {
    for (const k of [820_001, 905_000, 1_033_333, 1_079_999]) expect(fit.vol(k)).toBeCloseTo(SMILE(at(k)), 8);
  });

  test('no value is below 0, below the intrinsic value on the forward, or above its bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40_000_000 }), (k) => {
        const [call, put] = [fit.valueE4('C', k), fit.valueE4('P', k)];
        expect(call).toBeGreaterThanOrEqual(Math.max(0, F - k) - 1e-6);
        expect(put).toBeGreaterThanOrEqual(Math.max(0, k - F) - 1e-6);
        expect(call).toBeLessThanOrEqual(F + 1e-6);
        expect(put).toBeLessThanOrEqual(k);
        expect(Math.abs(call - put - (F - k))).toBeLessThan(1e-6 + 1e-12 * k);
      }),
    );
  });

  test('a strike that is none has no value', () => {
    for (const k of [0, -1, Number.NaN]) expect(fit.valueE4('C', k)).toBeNaN();
  });
});

test('a parabola that dips to nothing between the strikes is a poor fit', () => {
  const smile = (x: number) => Math.abs(-0.01 + 6 * x * x);
  const near = STRIKES.filter((k) => Math.abs(k - F) < 100_000);
  const silent = near.map((kE4): Bend => ({ right: outside(kE4), kE4, ageUs: 1e12 }));
  const { receipt } = fitted({ smile, left: 900 * DAY, half: () => 3 }, silent);
  expect(receipt).toMatchObject({ ok: false, why: 'poor-fit', strikes: STRIKES.length - near.length });
  expect(receipt.rmsVol).toBeLessThan(1e-9);
  expect(receipt.atmVol).toBeCloseTo(-0.01, 9);
});

describe('fitting again', () => {
  test('gives the same bits whatever was fitted before', () => {
    const fresh = new FairFit();
    const used = new FairFit();
    const input = chainOf();
    used.fit(chainOf({ strikesE4: Array.from({ length: 200 }, (_, i) => 500_000 + 5_000 * i), smile: () => 0.7 }));
    used.fit(chainOf({ left: 0 }));
    expect(used.fit(input)).toEqual(fresh.fit(input));
    for (const k of STRIKES) expect(used.valueE4('P', k)).toBe(fresh.valueE4('P', k));
  });

  test.each<[FairWhy, ChainSpec, readonly Bend[]]>([
    ['expired', { left: 0 }, []],
    ['no-spot', { spotE4: Number.NaN }, []],
    ['few-strikes', {}, only([900_000, ...NEAR])],
    ['poor-fit', { smile: (x) => (x < 0 ? 0.5 : 0.3) }, []],
  ])('to no avail takes the old answers away: %s', (why, spec, bends) => {
    const fit = new FairFit();
    expect(fit.fit(chainOf()).ok).toBe(true);
    expect(fit.valueE4('C', F)).toBeGreaterThan(0);
    expect(fit.fit(chainOf(spec, bends)).why).toBe(why);
    expect(fit.valueE4('C', F)).toBeNaN();
    expect(fit.vol(F)).toBeNaN();
  });
});

test('whatever stands in the quotes, a fit ends, and is ok only with finite answers', () => {
  const number = fc.oneof(
    fc.double(),
    fc.constantFrom(Number.NaN, 0, -1, 1e-300, 1e300, Number.POSITIVE_INFINITY),
    fc.integer({ min: 1, max: 2_000_000 }),
  );
  const column = fc.array(number, { minLength: 0, maxLength: 24 }).map((list) => Float64Array.from(list));
  const input = fc.record({
    strikesE4: column.map((list) => list.sort()),
    callBid: column,
    callAsk: column,
    putBid: column,
    putAsk: column,
    callT: column,
    putT: column,
    spotE4: number,
    t: number,
    settlesAt: number,
  });
  const bent = fc
    .tuple(fc.array(fc.tuple(fc.constantFrom('callBid', 'callAsk', 'putBid', 'putAsk'), fc.nat(18), number)), number)
    .map(([changes, spotE4]) => {
      const chain = chainOf();
      for (const [field, i, value] of changes) chain[field][i] = value;
      return { ...chain, spotE4: changes.length % 2 === 0 ? spotE4 : chain.spotE4 };
    });
  const fit = new FairFit();
  fc.assert(
    fc.property(fc.oneof(input, bent), (chain) => {
      const receipt = fit.fit(chain);
      expect(receipt.ok).toBe(receipt.why === 'ok');
      if (!receipt.ok) return;
      expect(receipt.strikes).toBeGreaterThanOrEqual(5);
      expect(Number.isFinite(receipt.atmVol) && receipt.atmVol > 0).toBe(true);
      for (const k of chain.strikesE4) if (k > 0 && k < 1e15) expect(fit.valueE4('C', k)).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 800 },
  );
});

test("the volatility of the receipt is that at the forward, and greeks are at the smile's volatility", () => {
  const { fit, receipt } = fitted();
  expect(receipt.atmVol).toBe(fit.vol(receipt.forwardE4));
  const k = 900_000;
  expect(fit.greeks('P', k)).toEqual(greeks('P', receipt.forwardE4, k, fit.vol(k), receipt.tYears));
});
