/** Streams of rows, each in time order, into one: by time, then rank, then order, then the stream's own order. */
import { type ColumnsBuilder, EVENTS_MAX } from './build.ts';
import { TapeRefusal } from './refusal.ts';

export interface RowStream {
  /** At equal times the lower rank comes first. */
  readonly rank: number;
  /** Then the lower order. */
  readonly order: number;
  /** Time of the present row, microseconds. */
  readonly t: number;
  /** Goes to the next row. @returns false at the end */
  advance(): boolean;
  /** Appends the present row. */
  emit(rows: ColumnsBuilder): void;
}

/** A binary heap of the streams that still have rows. */
export function mergeInto(rows: ColumnsBuilder, streams: readonly RowStream[]): void {
  const heap = streams.filter((stream) => stream.advance()).sort((a, b) => (before(a, b) ? -1 : 1));
  while (heap.length > 0) {
    const first = heap[0]!;
    if (rows.rows >= EVENTS_MAX) {
      throw new TapeRefusal('events-many', { expected: `at most ${EVENTS_MAX} events`, got: 'more' });
    }
    first.emit(rows);
    if (!first.advance()) {
      const last = heap.pop()!;
      if (heap.length === 0) return;
      if (last !== first) heap[0] = last;
    }
    sink(heap);
  }
}

function before(a: RowStream, b: RowStream): boolean {
  if (a.t !== b.t) return a.t < b.t;
  return a.rank !== b.rank ? a.rank < b.rank : a.order < b.order;
}

function sink(heap: RowStream[]): void {
  const moving = heap[0]!;
  let at = 0;
  for (;;) {
    let child = at * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
    if (!before(heap[child]!, moving)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = moving;
}
