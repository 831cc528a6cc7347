/** Budgets: what is at stake in a plan, its book and the session, and the halt of a pod. */

/** One budget and what uses it. All money in E4. */
export class Purse {
  readonly limitE4: number;
  /** Unfilled entries at their limits, with scheduled fees. */
  entriesE4 = 0;
  /** Positions at cost. */
  costE4 = 0;
  /** Realised result less fees paid. */
  netE4 = 0;

  constructor(limitE4: number) {
    this.limitE4 = limitE4;
  }
  /** Gains do not widen a budget, so only a net loss counts. */
  get usedE4(): number {
    return this.entriesE4 + this.costE4 + Math.max(0, -this.netE4);
  }
  fits(moreE4: number): boolean {
    return this.usedE4 + moreE4 <= this.limitE4;
  }
}

export interface Book {
  readonly name: string;
  readonly purse: Purse;
  readonly coverage: readonly string[];
  readonly pod: Pod;
}

export interface Pod {
  readonly name: string;
  readonly dayLossE4: number;
  netE4: number;
  halted: boolean;
}
