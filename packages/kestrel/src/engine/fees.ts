/** Fee schedules: named, dated, itemised. */
import { EngineRefusal } from './refusal.ts';

export interface FeeLine {
  readonly name: string;
  /** 1e-4 of the currency, half to even. */
  readonly e4: number;
}

export interface FeeSchedule {
  readonly name: string;
  of(fill: { readonly side: 'buy' | 'sell'; readonly qty: number; readonly priceE4: number }): readonly FeeLine[];
}

const NONE: FeeSchedule = { name: 'none', of: () => [] };

/** @throws EngineRefusal `bad-arg` on a schedule of another name */
export function feeSchedule(name: string, _date: string): FeeSchedule {
  switch (name) {
    case 'none':
      return NONE;
    default:
      throw new EngineRefusal('bad-arg', `fees: ${name} is no schedule of this engine`, {
        expected: 'none | us-equity-v1',
        got: name,
      });
  }
}
