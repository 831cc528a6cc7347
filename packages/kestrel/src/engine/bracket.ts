/**
 * One day under three fill models at once: what a plan is sure of, what a patient order may get, what it may hope for.
 * The pessimistic book is the headline; the others stand beside it and never in its place.
 */
import type { KestrelDocument } from '../lang/model.ts';
import { type Blotter, blotterOf } from './blotter.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { TOUCH } from './matching.ts';

export const BRACKET = {
  pessimistic: 'strict-cross-v1',
  maker: 'maker-v1',
  touch: 'touch-v1',
} as const;

export type BracketBook = keyof typeof BRACKET;

export const BRACKET_BOOKS = Object.keys(BRACKET) as readonly BracketBook[];

export interface Bracket {
  readonly v: 'kestrel.bracket/v1';
  readonly headline: 'pessimistic';
  readonly pessimistic: Blotter;
  readonly maker: Blotter;
  /** A touch fills: an upper bound, under no model that a single run may name. */
  readonly touch: Blotter;
}

export interface BracketOptions extends Omit<EngineOptions, 'fill' | 'onFill'> {
  readonly documents: readonly KestrelDocument[];
  /** What the pin says the documents are. */
  readonly document: string | null;
  readonly onProgress?: (row: number) => void;
}

/** Rows after which the next book takes its turn: the tape's rows are read once from memory and thrice from cache. */
const TURN_ROWS = 16_384;

/** @throws EngineRefusal as a run under one model */
export function runBracket({ documents, document, onProgress, ...options }: BracketOptions): Bracket {
  const books = BRACKET_BOOKS.map((book) => {
    const engine = new Engine({ ...options, fill: book === 'touch' ? TOUCH : BRACKET[book] });
    engine.author(documents);
    return engine;
  });
  const { t, length } = options.tape.columns;
  for (let row = TURN_ROWS; row < length; row += TURN_ROWS) {
    // A stop inside one instant would split it; one just before it does not.
    for (const engine of books) engine.runTo(t[row]! - 1);
    onProgress?.(row);
  }
  const blotters = books.map((engine) => {
    engine.finish();
    return blotterOf(engine, { document, thinkMs: null, subject: null });
  });
  const [pessimistic, maker, touch] = blotters as [Blotter, Blotter, Blotter];
  return { v: 'kestrel.bracket/v1', headline: 'pessimistic', pessimistic, maker, touch };
}
