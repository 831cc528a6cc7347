/** Seeded choices for the generators: one seed, one case, on every machine. */

export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
    for (let i = 0; i < 4; i++) this.next();
  }

  /** 32 bits (mulberry32). */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return (z ^ (z >>> 14)) >>> 0;
  }

  /** 0 .. below - 1 */
  below(n: number): number {
    return this.next() % n;
  }

  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  /** A key of the table, as often as its weight says; a weight of 0 is never picked. */
  weighted<K extends string>(table: Readonly<Partial<Record<K, number>>>): K {
    const rows = Object.entries(table) as [K, number][];
    let left = this.below(rows.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [key, weight] of rows) {
      if (left < weight) return key;
      left -= weight;
    }
    throw new Error('no weights');
  }
}
