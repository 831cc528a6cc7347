/** The chain of a frame: what is quoted near the money, what the model makes of it, and that looking changes nothing. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { Engine, runDay } from '../../src/engine/index.ts';
import { parse } from '../../src/lang/index.ts';
import { Kind, type Tape } from '../../src/market/index.ts';
import { synthTape } from '../../src/market/synth/index.ts';
import {
  type Delivery,
  type Frame,
  frameOf,
  newSight,
  Play,
  renderFrame,
  type Terms,
  whole,
} from '../../src/session/index.ts';
import { shortDay } from './short-day.ts';

const tape = synthTape({
  seed: 7,
  date: '2024-03-12',
  regime: 'range',
  profile: 'spy',
  events: 12_000,
  chain: '0dte,3dte',
});
const terms: Terms = {
  tape,
  fill: 'strict-cross-v1',
  fees: 'none',
  rUsdE4: 100_000_000,
  thinkMs: 0,
  checkpoints: ['09:31', '10:00', '10:00', '11:00', '12:00', '13:00', '14:00', '15:00', '15:30'],
  subject: null,
  blinded: false,
};

function played(of: Terms, passes = Number.POSITIVE_INFINITY) {
  const play = new Play(of, 's-x');
  const frames: Frame[] = [];
  for (let delivery: Delivery | undefined = play.start(); delivery !== undefined && frames.length < passes; ) {
    frames.push(delivery.frame);
    const answer = whole(play.answer({ kind: 'pass' }, 'runs'));
    delivery = answer.state === 'pending' ? answer.delivery : undefined;
  }
  return { frames, blotter: whole(play.finish()).blotter };
}

/** The last quote of an instrument at or before `t`, by hand. */
function quoteAt(of: Tape, slot: number, t: number): { bidE4: number; askE4: number; t: number } | undefined {
  const { columns } = of;
  let found: { bidE4: number; askE4: number; t: number } | undefined;
  for (let i = 0; i < columns.length && columns.t[i]! <= t; i++) {
    if (columns.inst[i] !== slot || (columns.kind[i] !== Kind.quote && columns.kind[i] !== Kind.oquote)) continue;
    found = { bidE4: columns.a[i]!, askE4: columns.c[i]!, t: columns.t[i]! };
  }
  return found;
}

const { frames } = played(terms);

test('a day without options has no chain', () => {
  for (const frame of played({ ...terms, tape: shortDay() }).frames) expect(frame.chain).toEqual([]);
});

describe('a chain', () => {
  test('is that of the nearest expiry, its strikes in order of nearness, the call before the put', () => {
    for (const { chain, symbols } of frames.slice(1)) {
      expect(chain).toHaveLength(20);
      const spot = symbols[0]!.lastE4!;
      const strikes = chain.map(({ contract }) => Math.round(Number(contract.split(' ')[2]) * 10_000));
      expect(chain.map(({ contract }) => contract.split(' ')[3])).toEqual(
        chain.map((_, i) => (i % 2 === 0 ? 'C' : 'P')),
      );
      const away = strikes.map((strike) => Math.abs(strike - spot));
      expect(away).toEqual([...away].sort((a, b) => a - b));
      expect(new Set(chain.map(({ contract }) => contract.split(' ')[1]))).toEqual(new Set(['2024-03-12']));
      const listed = tape.instruments.flatMap((x) => (x.kind === 'option' ? [Math.abs(x.strikeE4 - spot)] : []));
      expect(away[0]).toBe(Math.min(...listed));
    }
  });

  test('holds the quotes that stand, and says since when', () => {
    let told = 0;
    for (const { chain, t } of frames) {
      for (const { contract, bidE4, askE4, asOf } of chain.slice(0, 8)) {
        if (bidE4 === null) continue;
        const slot = tape.instruments.findIndex(
          (x) => x.kind === 'option' && `${x.root} ${x.expiry} ${x.strikeE4 / 10_000} ${x.right}` === contract,
        );
        expect({ bidE4, askE4, t: asOf }).toEqual(quoteAt(tape, slot, t));
        told++;
      }
    }
    expect(told).toBeGreaterThan(40);
  });

  test('has a value and a volatility where the model has an opinion, by put-call parity too, and a reason elsewhere', () => {
    let opinions = 0;
    for (const { chain } of frames) {
      for (const { fairE4, ivPct, receipt } of chain) {
        expect([receipt === 'ok', fairE4 !== null, ivPct !== null]).toEqual(Array(3).fill(receipt === 'ok'));
        if (fairE4 !== null) {
          opinions++;
          expect(Number.isSafeInteger(fairE4)).toBe(true);
          expect(ivPct).toMatch(/^\d+\.\d\d$/);
        }
      }
      const forwards = chain.flatMap((call, i) => {
        const put = chain[i + 1];
        if (i % 2 !== 0 || call.fairE4 === null || put?.fairE4 == null) return [];
        return [Math.round(Number(call.contract.split(' ')[2]) * 10_000) + call.fairE4 - put.fairE4];
      });
      if (forwards.length > 0) expect(Math.max(...forwards) - Math.min(...forwards)).toBeLessThanOrEqual(2);
    }
    expect(opinions).toBeGreaterThan(60);
    expect(frames[0]!.chain.every(({ receipt }) => receipt === 'no-spot')).toBe(true);
  });

  test('is laid out strike by strike, as many as a view asks for', () => {
    const frame = frames[3]!;
    const view = parse('VIEW v chain(2)\n').document.statements[0] as never;
    const lines = (text: string): string[] => text.split('\n').filter((line) => / 2024-03-12 \S+ [CP] /.test(line));
    expect(lines(renderFrame(frame, { form: 'text' }))).toHaveLength(6);
    const two = lines(renderFrame(frame, { form: 'text', view }));
    expect(two).toHaveLength(4);
    expect(two[0]).toMatch(
      /^\S+ 2024-03-12 \S+ C \d+\.\d\d \/ \d+\.\d\d fair \d+\.\d+ iv \d+\.\d\d% \(ok\) \d\d:\d\d:\d\d$/,
    );
  });
});

test('a whole day with levels, an armed plan and a chain is told in 1,200 tokens', () => {
  const document =
    'PLAN waits budget 0.1R ttl 15:59\n  WHEN spot > 100000\n  DO buy 1 shares @ ask\n  EXIT T-1 @ bid\n';
  const last = played({ ...terms, document }).frames.findLast(({ plans }) => plans[0]!.nearest !== null)!;
  expect(last.minutesToClose).toBe(10);
  const text = renderFrame(last, { form: 'text' });
  expect(text).toContain('waits armed, waits for spot > 100000: nearest');
  expect(encode(text).length).toBeLessThanOrEqual(1_200);
  expect(encode(renderFrame(last, { form: 'markdown' })).length).toBeLessThanOrEqual(1_200);
});

test('who looks changes nothing: a fit that a plan reads is made when the plan reads it', () => {
  const { open } = tape.session;
  const engines = [1, 2].map(() => new Engine({ tape, fill: terms.fill, fees: 'none', rE4: terms.rUsdE4 }));
  const [looked, alone] = engines as [Engine, Engine];
  const sight = newSight(tape);
  let moved = 0;
  for (let s = 3_600; s < 3_720; s++) {
    const t = open + s * 1_000_000;
    for (const engine of engines) engine.runTo(t);
    const { chain } = frameOf(looked, { why: 'checkpoint', wake: null, blinded: false, t, sight });
    for (const engine of engines) engine.runTo(t + 900_000);
    const row = rowOf(chain[0]!.contract);
    const [mine, other] = engines.map(({ chains }) => chains.of('SYN')[0]!.fairValue.valueE4('C', row));
    expect(mine).toBe(other);
    if (chain[0]!.fairE4 !== Math.round(other!)) moved++;
  }
  expect(alone.row).toBe(looked.row);
  // Had the look been a reading, these would have been told apart.
  expect(moved).toBeGreaterThan(5);
});

function rowOf(contract: string): number {
  const [, expiry, strike] = contract.split(' ');
  const strikes = tape.instruments.flatMap((x) => (x.kind === 'option' && x.expiry === expiry ? [x.strikeE4] : []));
  return [...new Set(strikes)].sort((a, b) => a - b).indexOf(Math.round(Number(strike) * 10_000));
}

test('a plan that reads fair does the same in a session as in a run', () => {
  const document = `PLAN at-worth budget 0.5R ttl 15:45
  WHEN time >= 10:00:00
  DO buy 1 ATM C 0dte @ fair + 1c peg
  TP 1.2x @ fair peg
  EXIT T-20 @ bid
`;
  const { statements } = parse(document).document;
  const alone = runDay({ tape, documents: [{ statements }], fill: terms.fill, fees: 'none', rUsd: '10000' });
  expect(played({ ...terms, document }).blotter.plans).toEqual(alone.plans);
  expect(alone.totals.fired).toBe(1);
});
