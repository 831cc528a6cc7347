/**
 * The catalog: pinned subjects over synthetic days. A recipe says everything; the list with its identities is generated
 * from the recipes and checked in (`generated/catalog.ts`), so that showing it makes no day.
 */
import type { Pins } from '../engine/index.ts';
import type { Tape } from '../market/index.ts';
import { BUNDLED_DAYS, type SynthOrder, synthTape } from '../market/synth/index.ts';
import { type Mask, masked } from './blinding.ts';
import { canonicalText, pinsOf, type Terms } from './play.ts';

export interface CatalogEntry {
  readonly id: string;
  readonly title: string;
  readonly briefing: string;
  readonly pins: Pins;
  /** Microseconds. */
  readonly session: { readonly open: number; readonly close: number };
  readonly instruments: readonly { readonly symbol: string; readonly kind: string; readonly tickE4: number }[];
  /** Exchange-local clocks, `HH:MM`. */
  readonly checkpoints: readonly string[];
  /** Text of the strategy that a local session arms at its open. */
  readonly strategy: string;
  readonly blinded: boolean;
}

export interface Recipe {
  readonly id: string;
  readonly title: string;
  readonly briefing: string;
  readonly day: SynthOrder;
  readonly mask?: Mask;
  readonly fill: 'strict-cross-v1' | 'maker-v1';
  readonly fees: 'none' | 'us-equity-v1' | 'us-options-v1';
  readonly rUsdE4: number;
  readonly thinkMs: number;
  readonly checkpoints: readonly string[];
  readonly strategy: string;
}

const FADE = `# Buys a stretch below the day's average price and sells the way back.
PLAN fade-stretch budget 0.5R ttl 15:40
  WHEN spot < VWAP - 12bps held 60s AND time >= 10:00
  DO buy 20 shares @ ask cap ask + 2c cancel-if spot > VWAP
  TP 1.0015x @ bid
  EXIT spot < VWAP - 60bps held 30s @ bid - 3c
  INVALIDATE T-20 -> flat
`;

const BREAKOUT = `# Follows a break of the first half hour, and leaves when it fails.
PLAN break-high budget 0.6R ttl 15:50
  WHEN spot crosses above ORH(30m) AND time < 14:30
  DO buy 24 shares @ ask + 1c
  TP 1.004x frac 0.5 @ bid
  EXIT spot < VWAP held 120s @ bid - 3c
  INVALIDATE T-10 -> flat
`;

const SHORT_DAY = `# The same break on a day that ends at 13:00.
PLAN break-high budget 0.6R ttl 12:50
  WHEN spot crosses above ORH(15m) AND time < 12:00
  DO buy 24 shares @ ask + 1c
  TP 1.002x frac 0.5 @ bid
  EXIT spot < VWAP held 120s @ bid - 3c
  INVALIDATE T-10 -> flat
`;

const SHOCK = `# Waits for a violent fall, then for the first calm minute after it.
VIEW alarm budget 600 tokens tape(5m) levels plans news
WAKE shock WHEN velocity(1m) <= -20 DELIVER alarm priority 1 budget 6 wakes/day cooldown 10m

PLAN after-shock budget 0.5R ttl +90m
  WHEN range(5m) >= 40 AND velocity(1m) > 0 held 60s
  DO buy 20 shares @ ask + 2c
  RELOAD every 40c down, up to 1
  TP 1.003x @ bid
  INVALIDATE T-15 -> flat
`;

const PATIENT = `# Rests at the bid when the day is quiet, and asks little.
PLAN patient budget 0.4R ttl 15:45
  WHEN time >= 10:30 AND range(5m) < 30
  DO buy 15 shares @ join peg
  TP 1.0008x @ bid
  EXIT T-20 @ bid - 2c
`;

const GAP = `# Buys the first stretch back above the average after a gap.
PLAN gap-and-go budget 0.5R ttl 13:00
  WHEN spot crosses above VWAP AND time >= 09:45
  DO buy 20 shares @ ask + 1c
  ARM gap-second on filled
  TP 1.002x @ bid
  EXIT spot < VWAP - 30bps held 60s @ bid - 3c

PLAN gap-second budget 0.3R ttl 15:30
  WHEN spot > HOD
  DO buy 10 shares @ ask + 1c
  TP 1.003x @ bid
  INVALIDATE spot < VWAP held 120s -> flat
`;

/** Masked prices are higher, so the same budget buys fewer shares. */
const fewer = (strategy: string): string => strategy.replace(/buy \d+ shares/g, 'buy 12 shares');

const HOURLY = ['10:30', '11:30', '12:30', '13:30', '14:30', '15:30'] as const;
const SPARSE = ['11:00', '14:00'] as const;
const MORNING = ['10:00', '11:00', '12:00'] as const;

const usual = { fill: 'strict-cross-v1', fees: 'none', rUsdE4: 100_000_000, thinkMs: 2_000 } as const;

function bundled(name: string): SynthOrder {
  const order = BUNDLED_DAYS.get(name);
  if (order === undefined) throw new Error(`no bundled day is called ${name}`);
  return order;
}

/** In order of id. */
export const RECIPES: readonly Recipe[] = (
  [
    {
      ...usual,
      id: 'choppy-1101-strict',
      title: 'A choppy session, strict fills',
      briefing:
        'Prices cross the average price over and over. A touch is no fill here: what rests at the bid stays there until the market goes through it.',
      day: { seed: 1101, date: '2024-11-01', regime: 'choppy', profile: 'spy', events: 30_000 },
      checkpoints: HOURLY,
      strategy: FADE,
    },
    {
      ...usual,
      id: 'choppy-low-maker',
      title: 'A choppy session in a low-priced share, maker fills',
      briefing: 'A tick is a large part of the price, so where an order stands in the queue decides what it earns.',
      day: bundled('choppy-low'),
      fill: 'maker-v1',
      checkpoints: SPARSE,
      strategy: PATIENT,
    },
    {
      ...usual,
      id: 'gap-down-strict',
      title: 'An open far below the prior close',
      briefing: 'The day opens well below the last close. Does it come back, or is the gap the news?',
      day: bundled('gap-down'),
      checkpoints: HOURLY,
      strategy: GAP,
    },
    {
      ...usual,
      id: 'gap-up-strict',
      title: 'An open far above the prior close',
      briefing: 'The day opens well above the last close; the first pullback tells who is in charge.',
      day: bundled('gap'),
      checkpoints: HOURLY,
      strategy: GAP,
    },
    {
      ...usual,
      id: 'half-day-strict',
      title: 'The short session after a holiday',
      briefing: 'The exchange closes at 13:00. Everything that ends by the clock ends three hours sooner.',
      day: bundled('half-day'),
      checkpoints: MORNING,
      strategy: SHORT_DAY,
    },
    {
      ...usual,
      id: 'halt-strict',
      title: 'A day with a trading halt',
      briefing:
        'Trading stops in mid-session and starts again elsewhere. During a halt nothing fills and nothing can be seen.',
      day: bundled('halt'),
      checkpoints: HOURLY,
      strategy: SHOCK,
    },
    {
      ...usual,
      id: 'masked-range',
      title: 'A masked day',
      briefing: 'Date, symbol and price level are hidden; the clock and the sizes are real.',
      day: bundled('range-wide'),
      mask: { id: 'masked-range', factorPermille: 1_370 },
      checkpoints: HOURLY,
      strategy: fewer(FADE),
    },
    {
      ...usual,
      id: 'masked-shock',
      title: 'Another masked day',
      briefing: 'Date, symbol and price level are hidden. Something happens.',
      day: bundled('shock-up'),
      mask: { id: 'masked-shock', factorPermille: 1_230 },
      checkpoints: SPARSE,
      strategy: fewer(SHOCK),
    },
    {
      ...usual,
      id: 'masked-trend',
      title: 'A third masked day',
      briefing: 'Date, symbol and price level are hidden; judge the tape alone.',
      day: { seed: 2207, date: '2023-10-19', regime: 'trend', profile: 'ibm', events: 30_000 },
      mask: { id: 'masked-trend', factorPermille: 1_610 },
      checkpoints: HOURLY,
      strategy: fewer(BREAKOUT),
    },
    {
      ...usual,
      id: 'quiet-maker',
      title: 'A quiet session, maker fills',
      briefing: 'Little happens. The spread is the only edge there is, and patience the only way to it.',
      day: bundled('quiet'),
      fill: 'maker-v1',
      checkpoints: SPARSE,
      strategy: PATIENT,
    },
    {
      ...usual,
      id: 'range-strict',
      title: 'A session within its range',
      briefing: 'The day turns at both ends of a range. Buying low works until the day on which it does not.',
      day: bundled('range'),
      checkpoints: HOURLY,
      strategy: FADE,
    },
    {
      ...usual,
      id: 'shock-strict',
      title: 'A sudden fall',
      briefing: 'A violent move comes without a warning. Decide beforehand what you will do, and what you will not.',
      day: bundled('shock'),
      checkpoints: HOURLY,
      strategy: SHOCK,
    },
    {
      ...usual,
      id: 'trend-down-strict',
      title: 'A session that falls all day',
      briefing: 'The day goes one way, and it is not the way of the buyer.',
      day: bundled('trend-down'),
      checkpoints: HOURLY,
      strategy: FADE,
    },
    {
      ...usual,
      id: 'trend-up-strict',
      title: 'A session that rises all day',
      briefing: 'The day goes one way. The first half hour sets the level that matters.',
      day: bundled('trend'),
      thinkMs: 5_000,
      checkpoints: HOURLY,
      strategy: BREAKOUT,
    },
  ] satisfies Recipe[]
).sort((a, b) => (a.id < b.id ? -1 : 1));

/** The subject of `npm run prove` and of examples. */
export const DEFAULT_SUBJECT = 'trend-up-strict';

export function recipeOf(id: string): Recipe | undefined {
  return RECIPES.find((recipe) => recipe.id === id);
}

/** Makes the recipe's day; it takes about as long as running it a hundred times, so its columns are worth keeping. */
export function tapeOfRecipe(recipe: Recipe): Tape {
  const tape = synthTape(recipe.day);
  return recipe.mask === undefined ? tape : masked(tape, recipe.mask);
}

export function termsOfRecipe(recipe: Recipe, tape: Tape): Terms {
  return {
    tape,
    fill: recipe.fill,
    fees: recipe.fees,
    rUsdE4: recipe.rUsdE4,
    thinkMs: recipe.thinkMs,
    checkpoints: recipe.checkpoints,
    document: recipe.strategy,
    subject: recipe.id,
    blinded: recipe.mask !== undefined,
  };
}

/** What the catalog shows of a recipe. */
export function entryOf(recipe: Recipe, tape: Tape): CatalogEntry {
  return {
    id: recipe.id,
    title: recipe.title,
    briefing: recipe.briefing,
    pins: pinsOf(termsOfRecipe(recipe, tape)),
    session: tape.session,
    instruments: tape.instruments.map((x) => ({
      symbol: x.kind === 'option' ? x.root : x.symbol,
      kind: x.kind,
      tickE4: x.tickE4,
    })),
    checkpoints: recipe.checkpoints,
    strategy: canonicalText(recipe.strategy),
    blinded: recipe.mask !== undefined,
  };
}
