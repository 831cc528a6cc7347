// Where each node of a model stands in its text: kept beside the model, by identity, and indexed when first asked for.
import type { Span } from './model.ts';

/** Offsets of a node or of a named part of it (`name`, `budget`, `qty` …). */
export type SpanOf = (node: object, part?: string) => Span | undefined;

export class Spans {
  readonly #lineStart: readonly number[];
  readonly #nodes: object[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #partNodes: object[] = [];
  readonly #partNames: string[] = [];
  readonly #partStarts: number[] = [];
  readonly #partEnds: number[] = [];
  #index: Map<object, number> | undefined;
  #partIndex: Map<object, Map<string, number>> | undefined;

  constructor(lineStart: readonly number[]) {
    this.#lineStart = lineStart;
  }

  node(node: object, start: number, end: number): void {
    this.#nodes.push(node);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  part(node: object, name: string, start: number, end: number): void {
    this.#partNodes.push(node);
    this.#partNames.push(name);
    this.#partStarts.push(start);
    this.#partEnds.push(end);
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
      if (k !== undefined) return this.at(this.#partStarts[k]!, this.#partEnds[k]!);
    }
    const i = this.#nodeIndex().get(node);
    return i === undefined ? undefined : this.at(this.#starts[i]!, this.#ends[i]!);
  };

  /** Every node with its offsets, in the order in which the parser finished them. */
  *entries(): IterableIterator<{ readonly node: object; readonly start: number; readonly end: number }> {
    for (let i = 0; i < this.#nodes.length; i++) {
      yield { node: this.#nodes[i]!, start: this.#starts[i]!, end: this.#ends[i]! };
    }
  }

  #nodeIndex(): Map<object, number> {
    if (this.#index === undefined) {
      this.#index = new Map();
      for (let i = 0; i < this.#nodes.length; i++) this.#index.set(this.#nodes[i]!, i);
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
