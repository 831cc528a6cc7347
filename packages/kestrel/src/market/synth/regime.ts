/**
 * Regimes: what a day does, minute by minute, before any event is made: how many events, how far the value wanders, where
 * it is pushed and pulled, where it jumps, and when trading halts.
 */
import exp from '@stdlib/math-base-special-exp';
import type { Dice } from './dice.ts';
import { at, type Profile } from './profile.ts';

export const REGIMES = ['trend', 'range', 'choppy', 'shock', 'gap', 'quiet', 'halt'] as const;
export type Regime = (typeof REGIMES)[number];
export type Direction = 'up' | 'down';

/** Everything is in ticks and minutes; arrays have one entry a minute of the session. */
export interface Course {
  readonly minutes: number;
  /** Value at the open. */
  readonly open: number;
  /** Relative number of events. */
  readonly activity: Float64Array;
  /** Standard deviation of the minute's change, without drift. */
  readonly sigma: Float64Array;
  /** Mean of the minute's change. */
  readonly drift: Float64Array;
  /** Share of the way to the anchor that the value is pulled back. */
  readonly pull: Float64Array;
  readonly anchor: number;
  /** Multiplies the spread. */
  readonly width: Float64Array;
  /** Sudden changes, at a second of the session. */
  readonly jumps: readonly { readonly second: number; readonly ticks: number }[];
  /** Trading stands still for `from <= second < to`. */
  readonly halt: { readonly from: number; readonly to: number } | undefined;
  readonly news: { readonly second: number; readonly text: string } | undefined;
}

export interface CourseOrder {
  readonly profile: Profile;
  readonly regime: Regime;
  /** Absent: the dice say. */
  readonly direction: Direction | undefined;
  readonly minutes: number;
  /** In ticks. */
  readonly priorClose: number;
}

/** Logarithms of volatility follow an AR(1) of this memory and spread; activity follows them, with noise of its own. */
const VOLATILITY_MEMORY = 0.9;
const VOLATILITY_SPREAD = 0.28;
const ACTIVITY_FOLLOWS = 0.6;
const ACTIVITY_NOISE = 0.36;
/** A minute of an ordinary day jumps this often, by this many of its standard deviations. */
const JUMP_CHANCE = 0.012;
const JUMP_SIGMAS = [1.5, 3.5] as const;

/** The minutes of a day under a regime. */
export function courseOf(order: CourseOrder, dice: Dice): Course {
  const { profile, minutes, priorClose } = order;
  const scale = regimeScale(order.regime);
  const direction = order.direction === undefined ? dice.sign() : order.direction === 'up' ? 1 : -1;
  const gap = (scale.gapBps[0] + (scale.gapBps[1] - scale.gapBps[0]) * dice.unit()) * direction;
  const open = Math.max(2, priorClose + (priorClose * gap) / 10_000 + dice.normal() * sigmaTicks(order, 1));
  const column = () => new Float64Array(minutes);
  const course = {
    minutes,
    open,
    anchor: open,
    activity: column(),
    sigma: column(),
    drift: column(),
    pull: column(),
    width: column(),
  };
  const jumps: { second: number; ticks: number }[] = [];
  let wave = 0;
  for (let m = 0; m < minutes; m++) {
    const share = (m + 0.5) / minutes;
    const fresh = Math.sqrt(1 - VOLATILITY_MEMORY * VOLATILITY_MEMORY);
    wave = VOLATILITY_MEMORY * wave + fresh * VOLATILITY_SPREAD * dice.normal();
    const noise = ACTIVITY_NOISE * dice.normal();
    course.activity[m] = at(profile.activity, share) * exp(ACTIVITY_FOLLOWS * wave + noise);
    course.sigma[m] = sigmaTicks(order, scale.volatility * at(profile.volatility, share) * exp(wave));
    course.width[m] = at(profile.spreadCurve, share);
    if (dice.chance(JUMP_CHANCE)) {
      const size = dice.between(...JUMP_SIGMAS) * course.sigma[m]!;
      jumps.push({ second: m * 60 + dice.below(60), ticks: dice.sign() * size });
    }
  }
  const event = steer(order, { course, direction, typical: sigmaTicks(order, scale.volatility), jumps }, dice);
  jumps.sort((x, y) => x.second - y.second);
  return { ...course, jumps, halt: event?.halt, news: event?.news };
}

function sigmaTicks({ profile, priorClose }: CourseOrder, factor: number): number {
  return (priorClose * profile.sigmaBps * factor) / 10_000;
}

interface Scale {
  /** Over an ordinary day's. */
  readonly volatility: number;
  /** Least and most distance of the open from the prior close. */
  readonly gapBps: readonly [number, number];
}

function regimeScale(regime: Regime): Scale {
  switch (regime) {
    case 'trend':
      return { volatility: 0.55, gapBps: [5, 30] };
    case 'range':
      return { volatility: 0.85, gapBps: [-15, 15] };
    case 'choppy':
      return { volatility: 1.2, gapBps: [-25, 25] };
    case 'shock':
    case 'halt':
      return { volatility: 0.8, gapBps: [-15, 15] };
    case 'gap':
      return { volatility: 0.95, gapBps: [120, 300] };
    case 'quiet':
      return { volatility: 0.4, gapBps: [-5, 5] };
    default:
      return never(regime);
  }
}

/** How many events a regime has, over an ordinary day's, where the recipe gives no count. */
export function activityOf(regime: Regime): number {
  switch (regime) {
    case 'trend':
    case 'range':
      return 1;
    case 'choppy':
      return 1.2;
    case 'gap':
      return 1.4;
    case 'shock':
    case 'halt':
      return 1.5;
    case 'quiet':
      return 0.4;
    default:
      return never(regime);
  }
}

interface Steering {
  readonly course: Pick<Course, 'minutes' | 'activity' | 'sigma' | 'drift' | 'pull' | 'width'>;
  readonly direction: 1 | -1;
  /** Deviation of an ordinary minute under the regime. */
  readonly typical: number;
  readonly jumps: { second: number; ticks: number }[];
}

function steer(order: CourseOrder, way: Steering, dice: Dice): Pick<Course, 'halt' | 'news'> | undefined {
  switch (order.regime) {
    case 'trend':
      legs(way, dice, {
        lengths: [25, 55],
        pauses: [6, 16],
        push: 0.55,
        turns: 0,
      });
      return undefined;
    case 'range':
      way.course.pull.fill(0.11);
      return undefined;
    case 'choppy':
      legs(way, dice, { lengths: [3, 9], pauses: [0, 4], push: 0.4, turns: 0.95 });
      way.course.pull.fill(0.02);
      return undefined;
    case 'gap':
      openGap(way, dice);
      return undefined;
    case 'quiet':
      way.course.pull.fill(0.05);
      return undefined;
    case 'shock':
    case 'halt':
      return shock(order.regime, way, dice);
    default:
      return never(order.regime);
  }
}

/** Pushes one way for a while, then pauses; each next leg turns round with a chance. `push` is in deviations. */
function legs(
  way: Steering,
  dice: Dice,
  shape: {
    readonly lengths: readonly [number, number];
    readonly pauses: readonly [number, number];
    readonly push: number;
    readonly turns: number;
  },
): void {
  const { course } = way;
  let direction = way.direction;
  for (let m = 0; m < course.minutes; ) {
    const until = Math.min(course.minutes, m + Math.floor(dice.between(...shape.lengths)));
    for (; m < until; m++) course.drift[m] = direction * shape.push * course.sigma[m]!;
    m += Math.floor(dice.between(...shape.pauses));
    if (dice.chance(shape.turns)) direction = direction === 1 ? -1 : 1;
  }
}

/** A violent first hour that calms down, and goes on or fills the gap. */
function openGap(way: Steering, dice: Dice): void {
  const { course, direction } = way;
  const goes = dice.chance(0.5) ? direction : -direction;
  const drifts = Math.min(course.minutes, Math.floor(dice.between(50, 100)));
  for (let m = 0; m < course.minutes; m++) {
    const heat = 1.2 * exp(-m / 35);
    course.sigma[m] = course.sigma[m]! * (1 + heat);
    course.activity[m] = course.activity[m]! * (1 + heat);
    course.width[m] = course.width[m]! * (1 + heat / 3);
    if (m < drifts) course.drift[m] = goes * 0.18 * course.sigma[m]!;
  }
}

const HALT_SECONDS = [300, 600] as const;

/** Calm, then news and a jump, through a halt if that is the regime; then heat that dies down, and a drift or a return. */
function shock(regime: 'shock' | 'halt', way: Steering, dice: Dice): Pick<Course, 'halt' | 'news'> {
  const { course, direction, jumps } = way;
  const minute = Math.floor(course.minutes * dice.between(0.25, 0.6));
  const second = minute * 60 + dice.below(30);
  const size = dice.between(18, 32) * way.typical;
  const after = dice.chance(0.5) ? direction : -direction;
  course.pull.fill(0.06, 0, minute);
  for (let m = minute; m < course.minutes; m++) {
    const heat = exp((minute - m) / 18);
    course.sigma[m] = course.sigma[m]! * (1 + 2.6 * heat);
    course.activity[m] = course.activity[m]! * (1 + 4 * heat);
    course.width[m] = course.width[m]! * (1 + heat);
    if (m > minute && m < minute + 45) course.drift[m] = after * 0.12 * course.sigma[m]!;
  }
  const news = { second: Math.max(0, second - 1 - dice.below(3)), text: headline(direction) };
  if (regime === 'shock') {
    // Three steps within seconds: the first prints are not yet the whole move.
    for (const [delay, part] of [0.5, 0.3, 0.2].entries()) {
      jumps.push({ second: second + delay * (1 + dice.below(4)), ticks: direction * size * part });
    }
    return { halt: undefined, news };
  }
  // The move trips the halt; what is known meanwhile is paid when trading resumes.
  const to = second + 5 + Math.floor(dice.between(...HALT_SECONDS));
  jumps.push({ second, ticks: direction * size * 0.4 }, { second: to, ticks: direction * size * 0.8 });
  return { halt: { from: second + 5, to }, news };
}

function headline(direction: 1 | -1): string {
  return direction === 1 ? 'Synthetic news: better than expected' : 'Synthetic news: worse than expected';
}

function never(value: never): never {
  throw new Error(`not a regime: ${String(value)}`);
}
