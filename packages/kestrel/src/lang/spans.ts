// Where each node of a model stands in its text: kept beside the model, by identity, and indexed when first asked for.
import type { Span } from './model.ts';

/** Offsets of a node or of a named part of it (`name`, `budget`, `qty` …). */
export type SpanOf = (node: object, part?: string) => Span | undefined;

interface Run {
  readonly nodes: object[];
  /** Start and end of each node, in turn. */
  readonly offsets: number[];
  count: number;
}

const runLengthMax = 4_096;

function newRun(length: number): Run {
  return { nodes: new Array<object>(length), offsets: new Array<number>(2 * length), count: 0 };
}

export class Spans {
  readonly #lineStart: ArrayLike<number>;
  /** Nodes in the order in which they were finished, in runs: one long array would outlive the collector's nursery. */
  readonly #runs: Run[] = [];
  #run: Run;
  readonly #partNodes: object[] = [];
  readonly #partNames: string[] = [];
  readonly #partOffsets: number[] = [];
  #index: Map<object, { readonly start: number; readonly end: number }> | undefined;
  #partIndex: Map<object, Map<string, number>> | undefined;

  /**
   * @param lineStart offset of each line, in order
   * @param expected how many nodes there may be; more are taken as well
   */
  constructor(lineStart: ArrayLike<number>, expected: number) {
    this.#lineStart = lineStart;
    this.#run = newRun(Math.min(runLengthMax, expected + 8));
    this.#runs.push(this.#run);
  }

  node(node: object, start: number, end: number): void {
    let run = this.#run;
    if (run.count >= run.nodes.length) {
      // What one small document needs beyond its guess is a few more, not a whole nursery.
      run = newRun(Math.min(runLengthMax, 2 * run.nodes.length));
      this.#run = run;
      this.#runs.push(run);
    }
    const k = run.count++;
    run.nodes[k] = node;
    run.offsets[2 * k] = start;
    run.offsets[2 * k + 1] = end;
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
    const found = this.#nodeIndex().get(node);
    return found === undefined ? undefined : this.at(found.start, found.end);
  };

  /** Every node with its offsets, in the order in which the parser finished them. */
  *entries(): IterableIterator<{ readonly node: object; readonly start: number; readonly end: number }> {
    for (const { nodes, offsets, count } of this.#runs) {
      for (let i = 0; i < count; i++) {
        yield { node: nodes[i]!, start: offsets[2 * i]!, end: offsets[2 * i + 1]! };
      }
    }
  }

  #nodeIndex(): Map<object, { readonly start: number; readonly end: number }> {
    if (this.#index === undefined) {
      this.#index = new Map();
      for (const entry of this.entries()) this.#index.set(entry.node, entry);
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
