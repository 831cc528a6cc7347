/** How a session's events fall in its seconds: by the course's activity, most seconds empty and a few very full. */
import type { Dice } from './dice.ts';
import type { Profile } from './profile.ts';
import type { Course } from './regime.ts';

/** A session's events by second and by minute. */
export interface Spread {
  readonly seconds: Int32Array;
  readonly minutes: Int32Array;
  /** Most of any second. */
  readonly most: number;
}

/** What is shared out, and for what kind of share. */
interface Order {
  readonly course: Course;
  readonly profile: Profile;
}

/** The lowest draws make a crowd: this many times an ordinary second. */
const CROWD_CHANCE = 0.004;
const CROWD_TIMES = 15;

/**
 * Shares `n` events out. A minute at a time, in functions of their own: short loops that run often are compiled once, a
 * long loop that runs once is not.
 */
export function spread(order: Order, n: number, dice: Dice): Spread {
  const { course, profile } = order;
  const weights = new Float64Array(course.minutes * 60);
  for (let m = 0; m < course.minutes; m++) weigh(weights, { minute: m, busy: course.activity[m]!, profile }, dice);
  if (course.halt !== undefined) weights.fill(0, course.halt.from, course.halt.to);
  let total = 0;
  const sums = new Float64Array(course.minutes);
  for (let m = 0; m < course.minutes; m++) {
    total += sumOf(weights, m);
    sums[m] = total;
  }
  const [seconds, minutes] = [new Int32Array(weights.length), new Int32Array(course.minutes)];
  let [given, most] = [0, 0];
  for (let m = 0; m < course.minutes; m++) {
    const due = m === course.minutes - 1 ? n : Math.min(n, Math.floor((sums[m]! / total) * n));
    minutes[m] = due - given;
    given = due;
    most = Math.max(most, deal({ weights, seconds, minute: m, n: minutes[m]! }));
  }
  return { seconds, minutes, most };
}

function weigh(
  weights: Float64Array,
  at: { readonly minute: number; readonly busy: number; readonly profile: Profile },
  dice: Dice,
): void {
  const { minute, busy } = at;
  const { calm, k } = at.profile;
  const rest = (1 - calm) * (2 * k + 1);
  for (let s = minute * 60; s < minute * 60 + 60; s++) {
    const u = dice.unit();
    const fourth = u * u * u * u;
    weights[s] = busy * (u < CROWD_CHANCE ? CROWD_TIMES : calm + rest * (k === 2 ? fourth : fourth * u * u));
  }
}

function sumOf(weights: Float64Array, minute: number): number {
  let sum = 0;
  for (let s = minute * 60; s < minute * 60 + 60; s++) sum += weights[s]!;
  return sum;
}

/** Deals a minute's events to its seconds by weight. @returns the most that one second got */
function deal(hand: {
  readonly weights: Float64Array;
  readonly seconds: Int32Array;
  readonly minute: number;
  readonly n: number;
}): number {
  const { weights, seconds, minute, n } = hand;
  if (n === 0) return 0;
  const total = sumOf(weights, minute);
  let sum = 0;
  let given = 0;
  let most = 0;
  for (let s = minute * 60; s < minute * 60 + 60; s++) {
    sum += weights[s]!;
    // Half is added so that a lone event does not wait for the last second.
    const due = total > 0 ? Math.min(n, Math.floor((sum / total) * n + 0.5)) : n;
    seconds[s] = due - given;
    given = due;
    if (seconds[s]! > most) most = seconds[s]!;
  }
  return most;
}
