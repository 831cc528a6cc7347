import { describe, expect, test } from 'vitest';
import { Kind, type Tape } from '../../src/market/index.ts';
import { bundledDay } from '../../src/market/synth/index.ts';
import { type Delivery, type Frame, Play, renderFrame, type Terms, whole } from '../../src/session/index.ts';
import { NEVER, shortDay } from './short-day.ts';

const CLOCKS = ['09:45', '10:00', '10:15', '10:40', '11:00', '11:30', '12:30', '13:30', '14:30', '15:30'];

function framesOf(tape: Tape, document?: string, more: Partial<Terms> = {}): Frame[] {
  const play = new Play(
    {
      tape,
      fill: 'strict-cross-v1',
      fees: 'none',
      rUsdE4: 100_000_000,
      thinkMs: 0,
      checkpoints: CLOCKS,
      subject: null,
      blinded: false,
      ...(document === undefined ? {} : { document }),
      ...more,
    },
    's-x',
  );
  const frames: Frame[] = [];
  for (let delivery: Delivery | undefined = play.start(); delivery !== undefined; ) {
    frames.push(delivery.frame);
    const answer = whole(play.answer({ kind: 'pass' }, 'runs'));
    delivery = answer.state === 'pending' ? answer.delivery : undefined;
  }
  return frames;
}

/** Prints of the session up to `t`, E4, with their times. */
function printsUntil(tape: Tape, t: number): { readonly t: number; readonly e4: number }[] {
  const { columns, session } = tape;
  const prints = [];
  for (let i = 0; i < columns.length; i++) {
    if (columns.kind[i] !== Kind.trade || columns.t[i]! < session.open || columns.t[i]! > t) continue;
    prints.push({ t: columns.t[i]!, e4: columns.a[i]! });
  }
  return prints;
}

describe('how near an armed plan has come', () => {
  const tape = bundledDay('trend');
  const shown = (frames: readonly Frame[], name: string) =>
    frames.map((frame) => ({ frame, plan: frame.plans.find((p) => p.name === name)! }));

  test('is the distance of the best print so far from the price it waits for', () => {
    const frames = framesOf(tape, NEVER.replace('11:20', '15:55'));
    let told = 0;
    for (const { frame, plan } of shown(frames, 'never').filter(({ plan }) => plan.state === 'armed')) {
      const prints = printsUntil(tape, frame.t);
      const best = Math.max(...prints.map(({ e4 }) => e4));
      if (prints.length === 0) {
        expect(plan.nearest).toEqual({ clause: 'WHEN', t: null, distance: null, unit: 'E4', blockedBy: 'spot > 200' });
        continue;
      }
      const at = prints.filter(({ e4 }) => e4 === best).map(({ t }) => t);
      expect(plan.nearest).toMatchObject({
        clause: 'WHEN',
        unit: 'E4',
        distance: 2_000_000 - best,
        blockedBy: 'spot > 200',
      });
      expect(at).toContain(plan.nearest!.t);
      told++;
    }
    expect(told).toBeGreaterThan(8);
  });

  test('counts from the arming, and is null before it and after the end', () => {
    const play = new Play(
      {
        tape,
        fill: 'strict-cross-v1',
        fees: 'none',
        rUsdE4: 100_000_000,
        thinkMs: 60_000,
        checkpoints: ['10:00', '12:00', '14:00'],
        subject: null,
        blinded: false,
      },
      's-x',
    );
    play.start();
    whole(play.answer({ kind: 'pass' }, 'runs'));
    const low = 'PLAN low budget 0.1R ttl 13:00\n  WHEN spot < 1\n  DO buy 1 shares @ ask\n';
    const arming = whole(play.answer({ kind: 'authored', document: low }, 'stands'));
    const planIn = (answer: typeof arming) =>
      answer.state === 'pending' ? answer.delivery.frame.plans.find((p) => p.name === 'low') : undefined;
    expect(planIn(arming)).toMatchObject({ arming: true, nearest: null });
    const atTen = arming.state === 'pending' ? arming.delivery.frame.t : 0;
    const armed = whole(play.answer({ kind: 'pass' }, 'runs'));
    const noon = armed.state === 'pending' ? armed.delivery.frame.t : 0;
    const after = printsUntil(tape, noon).filter(({ t }) => t > atTen + 60_000_000);
    expect(planIn(armed)!.nearest!.distance).toBe(Math.min(...after.map(({ e4 }) => e4)) - 10_000);
    const over = whole(play.answer({ kind: 'pass' }, 'runs'));
    expect(planIn(over)).toMatchObject({ state: 'done', reason: 'expired', nearest: null });
  });

  test('is told in renderings with what it waits for and when', () => {
    const frame = framesOf(tape, NEVER.replace('11:20', '15:55')).findLast(({ plans }) => plans[0]!.nearest !== null)!;
    const { distance } = frame.plans[0]!.nearest!;
    expect(renderFrame(frame, { form: 'text' })).toMatch(
      new RegExp(
        `^never armed, waits for spot > 200: nearest ${(distance! / 10_000).toFixed(2)} away at \\d\\d:\\d\\d:\\d\\d$`,
        'm',
      ),
    );
  });
});

describe('levels', () => {
  const frames = [...framesOf(bundledDay('range')), ...framesOf(bundledDay('shock')), ...framesOf(shortDay())];

  test('say how they are known, none later than the frame', () => {
    const sources = new Map<string, string>();
    for (const { levels, t } of frames) {
      for (const { name, source, asOf, valueE4 } of levels) {
        sources.set(name, source);
        expect(asOf).toBeLessThanOrEqual(t);
        expect(Number.isSafeInteger(valueE4)).toBe(true);
      }
    }
    expect(Object.fromEntries(sources)).toEqual({
      'prior.close': 'observed',
      open: 'observed',
      HOD: 'observed',
      LOD: 'observed',
      VWAP: 'calculated',
      'ORH(30m)': 'calculated',
      'ORL(30m)': 'calculated',
      'swing.high': 'detected',
      'swing.low': 'detected',
      fair: 'modelled',
    });
  });

  test('a swing stands above or below two candles on each side, and is known two candles later', () => {
    let found = 0;
    for (const { levels, tape } of frames) {
      const { candles } = tape[0]!;
      const around = (i: number) => [-2, -1, 1, 2].map((k) => candles[i + k]);
      const turns = (of: (c: (typeof candles)[number]) => number) =>
        candles.flatMap((c, i) => {
          const others = around(i);
          return others.every((other) => other !== undefined && of(other) < of(c))
            ? [{ valueE4: Math.abs(of(c)), asOf: candles[i + 2]!.t }]
            : [];
        });
      for (const [name, of] of [
        ['swing.high', (c: { h: number }) => c.h],
        ['swing.low', (c: { l: number }) => -c.l],
      ] as const) {
        const level = levels.find((l) => l.name === name);
        const last = turns(of as never).at(-1);
        expect(level === undefined ? undefined : { valueE4: level.valueE4, asOf: level.asOf }).toEqual(last);
        if (level !== undefined) found++;
      }
    }
    expect(found).toBeGreaterThan(30);
  });

  test('the opening range is that of the prints of the first half hour', () => {
    const tape = bundledDay('range');
    const frame = framesOf(tape).at(-1)!;
    const first = printsUntil(tape, tape.session.open + 1_800_000_000 - 1).map(({ e4 }) => e4);
    const value = (name: string) => frame.levels.find((l) => l.name === name)?.valueE4;
    expect(value('ORH(30m)')).toBe(Math.max(...first));
    expect(value('ORL(30m)')).toBe(Math.min(...first));
  });
});
