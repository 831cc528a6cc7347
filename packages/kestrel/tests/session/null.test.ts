/** The null of a grade: who fires at random stands anywhere in it, who knows what comes stands at its top. */
import { describe, expect, test } from 'vitest';
import { parseTape, type Tape } from '../../src/market/index.ts';
import { gradeProofs, Play, type Proof, proofOf, type Terms, type TurnBody, whole } from '../../src/session/index.ts';

const OPEN = 1_704_205_800_000_000; // 2024-01-02 09:30 in New York
const STEP_US = 10_000_000;
const MINUTES = 30;

/** Prices in cents, every ten seconds: a walk whose steps come from a fixed congruence. */
const WALK: readonly number[] = (() => {
  let state = 20_240_102;
  const cents = [10_000];
  for (let i = 1; i * STEP_US < MINUTES * 60_000_000; i++) {
    state = (state * 48_271) % 2_147_483_647;
    cents.push(cents.at(-1)! + (state % 41) - 20);
  }
  return cents;
})();

function walked(more: { readonly haltedFrom?: number; readonly haltedTo?: number } = {}): Tape {
  const { haltedFrom = Number.POSITIVE_INFINITY, haltedTo = -1 } = more;
  const lines: unknown[] = [
    {
      v: 'kestrel.tape/v1',
      id: 'walk',
      calendar: 'XNYS',
      date: '2024-01-02',
      session: { open: OPEN, close: OPEN + MINUTES * 60_000_000 },
      instruments: [{ symbol: 'WALK', kind: 'equity', tick: 0.01 }],
      source: 'made by a test',
      licence: 'none',
    },
  ];
  WALK.forEach((cents, i) => {
    const t = OPEN + i * STEP_US;
    if (i === haltedFrom) lines.push({ t, k: 'halt', s: 'WALK', on: true });
    if (i === haltedTo) lines.push({ t, k: 'halt', s: 'WALK', on: false });
    lines.push({ t, k: 'quote', s: 'WALK', b: (cents - 1) / 100, bz: 900, a: (cents + 1) / 100, az: 900 });
    lines.push({ t, k: 'trade', s: 'WALK', p: cents / 100, z: 100 });
  });
  lines.push({ t: OPEN + MINUTES * 60_000_000, k: 'close', s: 'WALK', p: WALK.at(-1)! / 100 });
  return parseTape(Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)).tape;
}

const terms: Terms = {
  tape: walked(),
  fill: 'strict-cross-v1',
  fees: 'none',
  rUsdE4: 100_000_000,
  thinkMs: 0,
  checkpoints: ['09:40', '09:45', '09:50'],
  subject: null,
  blinded: false,
};

const clock = (second: number): string => {
  const at = 9 * 3_600 + 30 * 60 + second;
  return [Math.floor(at / 3_600), Math.floor(at / 60) % 60, at % 60].map((n) => String(n).padStart(2, '0')).join(':');
};

/** Seconds after the open at which the plan's time is over. */
const TTL_S = 1_620;
/** Buys once, at the touch; what it owns at its ttl goes at the market. */
const buyer = (when: string, more = ''): string =>
  `PLAN buyer budget 1R ttl ${clock(TTL_S)}\n  WHEN ${when}\n  DO buy 10 shares @ ask + 5c\n${more}`;

/** Its result in cents a share by hand: in at the ask of the step, out at the bid of the ttl's. */
const resultAt = (second: number): number => WALK[TTL_S / 10]! - 1 - (WALK[Math.floor(second / 10)]! + 1);

/** Share of the seconds with a smaller result than that of `second`. */
function shareBelow(second: number, armed: (at: number) => boolean = () => true): number {
  const seconds = Array.from({ length: TTL_S - 1 }, (_, i) => i + 1).filter(armed);
  return seconds.filter((at) => resultAt(at) < resultAt(second)).length / seconds.length;
}

/** Three standard deviations of a share of a thousand draws, and more. */
const CLOSE = 0.055;

function played(of: Terms, turns: readonly TurnBody[] = []): Proof {
  const play = new Play(of, 's-x');
  if (turns.length > 0) play.start();
  for (const body of turns) whole(play.answer(body, 'runs'));
  whole(play.finish());
  return proofOf(play);
}

function graded(of: Terms, turns: readonly TurnBody[] = []) {
  const proof = played(of, turns);
  const outcome = whole(gradeProofs([{ proof, terms: of, blotter: 'blotter:x' }]));
  return { proof, ...outcome.subjects[0]!, notes: outcome.notes };
}

/** Greatest distance between the shares of the sample and those of a uniform one. */
function distanceFromUniform(sample: readonly number[]): number {
  const sorted = [...sample].sort((a, b) => a - b);
  return Math.max(
    ...sorted.map((x, i) => Math.max(Math.abs(x - i / sorted.length), Math.abs(x - (i + 1) / sorted.length))),
  );
}

test('percentiles of a plan that fires at random are spread evenly', { timeout: 60_000 }, () => {
  const SESSIONS = 20;
  const seconds = Array.from({ length: SESSIONS }, (_, i) => Math.floor(((i + 0.5) * TTL_S) / SESSIONS));
  const percentiles = seconds.map(
    (s) => graded({ ...terms, document: buyer(`time >= ${clock(s)}`) }).vsNull.percentile,
  );
  // An even sample lies this close; one that is drawn from half of the window does not.
  expect(distanceFromUniform(percentiles)).toBeLessThan(0.13);
  expect(distanceFromUniform(percentiles.slice(0, SESSIONS / 2))).toBeGreaterThan(0.13);
});

test('the percentile is the share of armed seconds with a smaller result', () => {
  for (const second of [333, 1_234]) {
    const { vsNull, proof } = graded({ ...terms, document: buyer(`time >= ${clock(second)}`) });
    expect(proof.blotter.totals.netE4).toBe(resultAt(second) * 10 * 100);
    expect(Math.abs(vsNull.percentile - shareBelow(second))).toBeLessThan(CLOSE);
    expect(vsNull.draws).toBe(1_000);
  }
});

test('a plan that knows the best second stands at the top, and its p is small', () => {
  const best = WALK.slice(0, 150).indexOf(Math.min(...WALK.slice(0, 150)));
  const { vsNull } = graded({ ...terms, document: buyer(`time >= ${clock(best * 10 + 1)}`) });
  expect(vsNull.percentile).toBeGreaterThan(0.97);
  expect(vsNull.p).toBeLessThan(0.05);
});

describe('instants are drawn among those', () => {
  test('at which the price was known: none of a halt', () => {
    // Halted in most of the window; who draws in it would be refused, and a refusal earns nothing.
    const [from, to] = [30, 130];
    const tape = walked({ haltedFrom: from, haltedTo: to });
    const { vsNull } = graded({ ...terms, tape, document: buyer(`time >= ${clock(155)}`) });
    const open = (at: number): boolean => at < from * 10 || at >= to * 10;
    expect(vsNull.draws).toBe(1_000);
    expect(Math.abs(vsNull.percentile - shareBelow(155, open))).toBeLessThan(CLOSE);
    expect(Math.abs(shareBelow(155) - shareBelow(155, open))).toBeGreaterThan(2 * CLOSE);
  });

  test('at which it was armed: not before it was authored', () => {
    const authored = { kind: 'authored', document: buyer(`time >= ${clock(1_500)}`) } as const;
    const { vsNull, proof } = graded(terms, [{ kind: 'pass' }, authored]);
    expect(proof.blotter.plans[0]).toMatchObject({ armedAt: OPEN + 600_000_000, firedAt: OPEN + 1_500_000_000 });
    const armed = (at: number): boolean => at > 600;
    expect(Math.abs(vsNull.percentile - shareBelow(1_500, armed))).toBeLessThan(CLOSE);
    expect(Math.abs(shareBelow(1_500) - shareBelow(1_500, armed))).toBeGreaterThan(2 * CLOSE);
  });

  test('at which it was not yet invalidated', () => {
    const until = 600;
    const document = buyer(`time >= ${clock(260)}`, `  INVALIDATE time >= ${clock(until)}\n`);
    const { vsNull } = graded({ ...terms, document });
    const armed = (at: number): boolean => at < until;
    expect(Math.abs(vsNull.percentile - shareBelow(260, armed))).toBeLessThan(CLOSE);
    expect(Math.abs(shareBelow(260) - shareBelow(260, armed))).toBeGreaterThan(2 * CLOSE);
  });
});

test('a document that was refused arms nothing, in the null neither', () => {
  const document = buyer(`time >= ${clock(333)}`);
  const refused = { kind: 'authored', document: buyer('spot > 1').replace('buy 10', 'buy 1000000000') } as const;
  const authored = { kind: 'authored', document } as const;
  const first = graded(terms, [authored]);
  const again = graded(terms, [authored, refused, { kind: 'pass' }]);
  expect(again.proof.turns).toHaveLength(3);
  expect(again.vsNull.draws).toBe(1_000);
  // Another tip seeds other draws, so that only their spread is the same.
  expect(Math.abs(again.vsNull.percentile - first.vsNull.percentile)).toBeLessThan(2 * CLOSE);
});

test('a plan that reads and arms others is drawn without them', () => {
  const document = `${buyer(`time >= ${clock(333)}`).replace('ask + 5c', 'ask + 5c cancel-if plan(other).done')}  ARM other on filled

PLAN other budget 0.1R ttl 09:58
  WHEN plan(buyer).filled AND spot > 1
  DO buy 1 shares @ ask + 5c
  EXIT plan(buyer).done @ bid - 5c
`;
  const { vsNull, proof } = graded({ ...terms, document });
  expect(proof.blotter.totals.fired).toBe(2);
  expect(vsNull.draws).toBe(1_000);
});

test('where no second can be found it says so', () => {
  // Fires at the tape's first event, and its time is over before a whole second has passed.
  const once = 'PLAN buyer budget 1R ttl +1s\n  DO buy 10 shares @ ask + 5c\n';
  const { vsNull, notes, proof } = graded({ ...terms, document: once });
  expect(proof.blotter.plans[0]).toMatchObject({ firedAt: OPEN, reason: 'expired' });
  expect(vsNull).toEqual({ draws: 0, percentile: 0, p: 1 });
  expect(notes.join()).toContain('too few instants');
});
