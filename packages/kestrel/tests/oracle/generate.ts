/** One seed, one case: a small tape, a document, a fill model and the risk unit. */
import { Dice } from './dice.ts';
import { type DocumentWeights, documentWeights, generateDocument } from './generate-document.ts';
import { generateOptionDocument } from './generate-option-document.ts';
import { generateOptionTape } from './generate-option-tape.ts';
import { generateTape, type TapeWeights, tapeWeights } from './generate-tape.ts';
import type { Fill } from './orders.ts';

export interface Case {
  readonly lines: readonly string[];
  readonly text: string;
  readonly fill: Fill;
  readonly rUsd: number;
  /** In R; absent: no limit. */
  readonly sessionR?: number;
  /** Absent: none. */
  readonly fees?: string;
}

export interface Weights {
  readonly tape?: Partial<TapeWeights>;
  readonly document?: Partial<DocumentWeights>;
}

export function generate(seed: number, weights: Weights = {}): Case {
  const dice = new Dice(seed);
  const tape = generateTape(dice, { ...tapeWeights, ...weights.tape });
  const text = generateDocument(dice, tape, { ...documentWeights, ...weights.document });
  return { lines: tape.lines, text, ...terms(dice) };
}

/** A case of options; its seeds have nothing to do with those of shares. */
export function generateOptions(seed: number): Case {
  const dice = new Dice(seed ^ 0x0b710e5);
  const tape = generateOptionTape(dice);
  const text = generateOptionDocument(dice, tape);
  const { fill, ...rest } = terms(dice);
  const fees = dice.chance(40) ? { fees: 'us-options-v1' } : {};
  return { lines: tape.lines, text, fill, ...rest, ...fees };
}

function terms(dice: Dice): Omit<Case, 'lines' | 'text'> {
  const fill = dice.chance(50) ? 'strict-cross-v1' : 'maker-v1';
  const sessionR = dice.chance(15) ? dice.pick([0.5, 1, 2]) : undefined;
  return { fill, rUsd: 1000, ...(sessionR === undefined ? {} : { sessionR }) };
}
