/** The judge: prompt, model port, strict verdicts. */
export { ATTEMPTS_MAX, type Patience, REAL_PATIENCE } from './attempts.ts';
export { chooseModel, type ModelChoice, ModelSettingError, openModel } from './configure.ts';
export { GATE_LIMITS, type Gate, type GateLimits, makeGate } from './gate.ts';
export { JUDGE_DEADLINE_MS, type Judgement, JudgeRefusal, type JudgeTools, judge } from './judge.ts';
export { type JudgeModel, type ModelAnswer, type ModelCall, ModelFailure, type ModelTurn } from './model.ts';
export { judgePrompt, type Prompt } from './prompt.ts';
export { Stop } from './stop.ts';
export { readVerdict, type Verdict, type VerdictFault, type VerdictReading } from './verdict.ts';
