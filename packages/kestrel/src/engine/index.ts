// The public list of the engine.
export { type Greeks, greeks, impliedVol, priceOf } from './black-scholes.ts';
export {
  type Blotter,
  type BlotterFill,
  type BlotterOrder,
  type BlotterPlan,
  blotterOf,
  type Nearest,
  nearestOf,
  type Pins,
  type Totals,
} from './blotter.ts';
export {
  BRACKET,
  BRACKET_BOOKS,
  type Bracket,
  type BracketBook,
  type BracketOptions,
  runBracket,
} from './bracket.ts';
export type { CarryStep } from './carry.ts';
export type { ChainRun as OptionChain } from './chains.ts';
export { type CarriedPosition, DAYS_MAX, type Days, type DaysOptions, runDays } from './days.ts';
export { ENGINE_VERSION, Engine, type EngineOptions, type Stop, type WakeRun } from './engine.ts';
export { FairFit, type FairInput, type FairReceipt, type FairWhy } from './fair-fit.ts';
export { FairValue } from './fair-value.ts';
export { type FeeFill, type FeeInstrument, type FeeLine, type FeeSchedule, feeSchedule } from './fees.ts';
export { budgetOf, inR, mulDivFloor, onTick } from './money.ts';
export type { PlanEvent, PlanRun, Refusal } from './plan-run.ts';
export { type EngineCode, EngineRefusal } from './refusal.ts';
export { decimalE4, documentHash, type RunOptions, runDay } from './run.ts';
