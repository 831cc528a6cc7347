/** Seeded draws for grades: xoroshiro128+ started from a SHA-256 of names, the same on every machine. */
import { sha256 } from 'ground/digest';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

const TO_UNIT = 1 / 4_294_967_296;

export class Draws {
  readonly #words: { next(): number };

  constructor(...names: readonly string[]) {
    const digest = sha256(names.map((name) => `${name.length}:${name}`).join('|'));
    this.#words = xoroshiro128plusFromState(
      [0, 8, 16, 24].map((at) => Number.parseInt(digest.slice(at, at + 8), 16) | 0),
    );
  }

  /** A whole number in [0, n). */
  below(n: number): number {
    return Math.floor((this.#words.next() >>> 0) * TO_UNIT * n);
  }

  /** True with probability `p`. */
  chance(p: number): boolean {
    return (this.#words.next() >>> 0) * TO_UNIT < p;
  }
}
