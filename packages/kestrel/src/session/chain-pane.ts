/** The chain of a frame: the contracts of a day's options with what is quoted and what a model makes of it. */
import type { Engine } from '../engine/index.ts';

export interface FrameContract {
  /** Root, expiry, strike and right. */
  readonly contract: string;
  readonly bidE4: number | null;
  readonly askE4: number | null;
  /** The model's opinion, null unless its receipt is `ok`. */
  readonly fairE4: number | null;
  /** `ok`, or why the model has no opinion. */
  readonly receipt: string;
  readonly ivPct: string | null;
  readonly asOf: number | null;
}

/**
 * What the engine knows of contracts. It trades shares and keeps no books of options, so there is nothing that it could
 * show as known; once it prices contracts, this is the one place that reads them.
 */
export function chainOf(_engine: Engine): readonly FrameContract[] {
  return [];
}
