// Where each node of a model stands in its text: kept beside the model, by identity, and indexed when first asked for.
import type { Span } from './model.ts';

/** Offsets of a node or of a named part of it (`name`, `budget`, `qty` …). */
export type SpanOf = (node: object, part?: string) => Span | undefined;

export class Spans {
  readonly #lineStart: ArrayLike<number>;
  readonly #nodes: object[];
  #count = 0;
  /** Start and end of each node, in turn. */
  #offsets: Int32Array;
  readonly #partNodes: object[] = [];
  readonly #partNames: string[] = [];
  readonly #partOffsets: number[] = [];
  #index: Map<object, number> | undefined;
  #partIndex: Map<object, Map<string, number>> | undefined;

  /**
   * @param lineStart offset of each line, in order
   * @param expected how many nodes there may be; more are taken as well
   */
  constructor(lineStart: ArrayLike<number>, expected: number) {
    this.#lineStart = lineStart;
    this.#nodes = new Array<object>(expected);
    this.#offsets = new Int32Array(2 * expected + 2);
  }

  node(node: object, start: number, end: number): void {
    const k = this.#count++;
    if (2 * k + 2 > this.#offsets.length) {
      const wider = new Int32Array(this.#offsets.length * 2);
      wider.set(this.#offsets);
      this.#offsets = wider;
    }
    this.#nodes[k] = node;
    this.#offsets[2 * k] = start;
    this.#offsets[2 * k + 1] = end;
  }

  part(node: object, name: string, start: number, end: number): void {
    this.#partNodes.push(node);
    this.#partNames.push(name);
    this.#partOffsets.push(start, end);
  }

  /** Span of two offsets, with line and column. */
  at(start: number, end: number): Span {
    const lines = this.#lineStart;
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lines[middle]! <= start) low = middle;
      else high = middle - 1;
    }
    return { start, end, line: low + 1, column: start - lines[low]! + 1 };
  }

  readonly of: SpanOf = (node, part) => {
    if (part !== undefined) {
      const k = this.#parts().get(node)?.get(part);
      if (k !== undefined) return this.at(this.#partOffsets[2 * k]!, this.#partOffsets[2 * k + 1]!);
    }
    const i = this.#nodeIndex().get(node);
    return i === undefined ? undefined : this.at(this.#offsets[2 * i]!, this.#offsets[2 * i + 1]!);
  };

  /** Every node with its offsets, in the order in which the parser finished them. */
  *entries(): IterableIterator<{ readonly node: object; readonly start: number; readonly end: number }> {
    for (let i = 0; i < this.#count; i++) {
      yield { node: this.#nodes[i]!, start: this.#offsets[2 * i]!, end: this.#offsets[2 * i + 1]! };
    }
  }

  #nodeIndex(): Map<object, number> {
    if (this.#index === undefined) {
      this.#index = new Map();
      for (let i = 0; i < this.#count; i++) this.#index.set(this.#nodes[i]!, i);
    }
    return this.#index;
  }

  #parts(): Map<object, Map<string, number>> {
    if (this.#partIndex === undefined) {
      this.#partIndex = new Map();
      for (let i = 0; i < this.#partNodes.length; i++) {
        let names = this.#partIndex.get(this.#partNodes[i]!);
        if (names === undefined) {
          names = new Map();
          this.#partIndex.set(this.#partNodes[i]!, names);
        }
        names.set(this.#partNames[i]!, i);
      }
    }
    return this.#partIndex;
  }
}
