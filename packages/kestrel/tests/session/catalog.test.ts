import { describe, expect, test } from 'vitest';
import { validate } from '../../src/lang/index.ts';
import { Kind, parseTape, writeTape } from '../../src/market/index.ts';
import { BUNDLED_DAYS, bundledDay, synthTape } from '../../src/market/synth/index.ts';
import {
  BUNDLED_IDENTITIES,
  CATALOG,
  entryOf,
  judgingOf,
  Play,
  RECIPES,
  tapeOfRecipe,
  termsOfRecipe,
  whole,
} from '../../src/session/index.ts';

test('the catalog holds these subjects, in order of id', () => {
  expect(CATALOG.map(({ id }) => id)).toEqual([
    'choppy-1101-strict',
    'choppy-low-maker',
    'gap-down-strict',
    'gap-up-strict',
    'half-day-strict',
    'halt-strict',
    'masked-range',
    'masked-shock',
    'masked-trend',
    'quiet-maker',
    'range-strict',
    'shock-strict',
    'trend-down-strict',
    'trend-up-strict',
  ]);
  expect(CATALOG.filter(({ blinded }) => blinded)).toHaveLength(3);
});

describe.each(RECIPES.map((recipe) => [recipe.id, recipe] as const))('%s', (id, recipe) => {
  const tape = tapeOfRecipe(recipe);

  test('its recipe makes what the catalog pins', () => {
    expect(CATALOG.find((entry) => entry.id === id)).toEqual(JSON.parse(JSON.stringify(entryOf(recipe, tape))));
  });

  test('its strategy is a document without a finding, and plays the day', () => {
    const judged = judgingOf(tape);
    expect(validate(recipe.strategy, { imports: 'refuse', ...judged, rUsdE4: recipe.rUsdE4 }).diagnostics).toEqual([]);
    const play = new Play(termsOfRecipe(recipe, tape), 's-x');
    const frames = [play.start().frame];
    for (;;) {
      const answer = whole(play.answer({ kind: 'pass' }, 'runs'));
      if (answer.state === 'ended') break;
      frames.push(answer.delivery.frame);
    }
    expect(frames.at(-1)!.minutesToClose).toBeLessThanOrEqual(10);
    const { blotter } = whole(play.finish());
    expect(blotter.plans.every(({ reason }) => reason === null || !/^(disarmed|refused)/.test(reason))).toBe(true);
    if (recipe.mask === undefined) return;
    // Nothing that leaves a masked session names its day, its symbol or its prices.
    const shown = JSON.stringify([frames, play.takeEvents(), blotter]);
    const hidden = synthTape(recipe.day);
    for (const secret of [hidden.date, hidden.id, hidden.identity, '"SYN"']) {
      expect([secret, shown.includes(secret)]).toEqual([secret, false]);
    }
    expect(frames.every(({ date }) => date === null)).toBe(true);
  });
});

test('a masked tape is a tape like any other', () => {
  const recipe = RECIPES.find(({ id }) => id === 'masked-range')!;
  const tape = tapeOfRecipe(recipe);
  const { tape: again } = parseTape(writeTape(tape));
  expect(again.identity).toBe(tape.identity);
  const { kind, a, c, length } = tape.columns;
  const source = synthTape(recipe.day).columns;
  for (let i = 1; i < length; i++) {
    if (kind[i] !== Kind.quote) continue;
    // Order between prices is kept: what was crossed is crossed, what was not is not.
    expect(Math.sign(c[i]! - a[i]!)).toBe(Math.sign(source.c[i]! - source.a[i]!));
  }
});

test('every bundled day has the identity that a subject relies on', () => {
  expect(Object.keys(BUNDLED_IDENTITIES)).toEqual([...BUNDLED_DAYS.keys()].map((name) => `bundled:${name}`));
  for (const name of ['quiet-wide', 'half-day']) {
    expect(BUNDLED_IDENTITIES[`bundled:${name}`]).toBe(bundledDay(name).identity);
  }
});
