/** A whole day in one call. */

import { sha256 } from 'ground/digest';
import type { KestrelDocument } from '../lang/model.ts';
import { print } from '../lang/print.ts';
import { type Blotter, blotterOf } from './blotter.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { E4 } from './money.ts';
import { EngineRefusal } from './refusal.ts';

export interface RunOptions extends Omit<EngineOptions, 'rE4' | 'sessionR' | 'fill'> {
  /** `strict-cross-v1` or `maker-v1`. */
  readonly fill: string;
  /** In order; imported documents before those that import them. */
  readonly documents: readonly KestrelDocument[];
  /** One R in the currency, at most 4 decimals. */
  readonly rUsd: number | string;
  /** Budget of the session in R, at most 4 decimals; absent: no limit beyond the plans'. */
  readonly sessionR?: number | string;
  /** Called at each progress step with the share of rows done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** Rows between two calls of `onProgress`. */
const PROGRESS_ROWS = 200_000;

/**
 * Runs every plan of `documents` over the tape's session, armed at its open.
 *
 * @returns the blotter, with its determinism hash
 * @throws EngineRefusal before anything runs, when a document or an option asks for what this engine does not do
 */
export function runDay(options: RunOptions): Blotter {
  const { documents, rUsd, sessionR, onProgress, ...rest } = options;
  const engine = new Engine({
    ...rest,
    rE4: decimalE4(rUsd, 'rUsd'),
    ...(sessionR === undefined ? {} : { sessionR: decimalE4(sessionR, 'sessionR') }),
  });
  engine.author(documents);
  if (onProgress !== undefined) {
    const { t, length } = options.tape.columns;
    for (let row = engine.row + PROGRESS_ROWS; row < length; row += PROGRESS_ROWS) {
      // A stop inside one instant would split it; one just before it does not.
      engine.runTo(t[row]! - 1);
      onProgress(row / length);
    }
  }
  engine.finish();
  onProgress?.(1);
  return blotterOf(engine, { document: documentHash(documents), thinkMs: null, subject: null });
}

/** SHA-256 of the canonical text of the documents, in order. */
export function documentHash(documents: readonly KestrelDocument[]): string {
  return sha256(documents.map((d) => print(d)).join(''));
}

/** A decimal of at most 4 places as an integer in 1e-4. */
export function decimalE4(value: number | string, name: string): number {
  const text = typeof value === 'number' ? String(value) : value.trim();
  const match = /^(\d{1,12})(?:\.(\d{1,4}))?$/.exec(text);
  if (match === null) {
    throw new EngineRefusal('bad-arg', `${name}: a positive decimal with at most 4 places is wanted, got ${text}`, {
      expected: 'such as 10000 or 0.5',
      got: text,
    });
  }
  return Number(match[1]) * E4 + Number((match[2] ?? '').padEnd(4, '0'));
}
