/**
 * Seeded randomness whose every draw is the same on every machine: xoroshiro128+ started from a SHA-256 of names, and
 * distributions made of `+ - * /` over its 32-bit words.
 */
import { sha256 } from 'ground/digest';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** A distribution by its quantiles: at share `p[i]` its value is `x[i]`; linear between. `p` rises from 0 to 1. */
export interface Quantiles {
  readonly p: readonly number[];
  readonly x: readonly number[];
}

const TO_UNIT = 1 / 4_294_967_296;

export class Dice {
  readonly #words: { next(): number };

  /** @param names what the stream is for; other names give an unrelated stream */
  constructor(...names: readonly string[]) {
    const digest = sha256(names.map((name) => `${name.length}:${name}`).join('|'));
    const state = [0, 8, 16, 24].map((at) => Number.parseInt(digest.slice(at, at + 8), 16) | 0);
    this.#words = xoroshiro128plusFromState(state);
  }

  /** In [0, 1), a multiple of 2^-32. */
  unit(): number {
    return (this.#words.next() >>> 0) * TO_UNIT;
  }

  /** A whole number in [0, n). */
  below(n: number): number {
    return Math.floor((this.#words.next() >>> 0) * TO_UNIT * n);
  }

  /** True with probability `p`. */
  chance(p: number): boolean {
    return (this.#words.next() >>> 0) * TO_UNIT < p;
  }

  /** +1 or -1. */
  sign(): 1 | -1 {
    return (this.#words.next() & 0x8000) === 0 ? 1 : -1;
  }

  /** In [from, to). */
  between(from: number, to: number): number {
    return from + (to - from) * this.unit();
  }

  /** Mean 0, variance 1, within ±6: twelve uniforms, so that no transcendental function is asked. */
  normal(): number {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += this.unit();
    return sum;
  }

  /** Mean 0, variance 1, uniform: one draw, for steps of which many are summed. */
  step(): number {
    return ((this.#words.next() >>> 0) * TO_UNIT - 0.5) * ROOT_12;
  }

  draw(table: Quantiles): number {
    const { p, x } = table;
    const u = this.unit();
    let i = 1;
    while (i < p.length - 1 && u >= p[i]!) i++;
    const from = p[i - 1]!;
    const low = x[i - 1]!;
    return low + ((x[i]! - low) * (u - from)) / (p[i]! - from);
  }
}

const ROOT_12 = Math.sqrt(12);
