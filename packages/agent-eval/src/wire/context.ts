/** What the handlers of a service work with: rubrics, a judge and stores, each of which may be absent. */
import {
  GATE_LIMITS,
  type GateLimits,
  JUDGE_DEADLINE_MS,
  type JudgeModel,
  type JudgeTools,
  makeGate,
  REAL_PATIENCE,
} from '../judge/index.ts';
import { type Rubric, type RubricCatalog, rubricCatalog } from '../rubric/index.ts';
import type { FeedbackStore, TraceStore } from '../store/index.ts';
import { WIRE_LIMITS, type WireLimits } from './limits.ts';
import { makeTurns, type Turns } from './turns.ts';

export interface ServiceOptions {
  /** Opened at the first judgement, so that a service which never judges loads no model's SDK. */
  readonly model?: JudgeModel | (() => Promise<JudgeModel>) | null;
  readonly traceStore?: TraceStore | null;
  readonly feedbackStore?: FeedbackStore | null;
  /** Rubrics beyond the built-in ones, already checked. */
  readonly rubrics?: readonly Rubric[];
  readonly limits?: Partial<WireLimits>;
  readonly gate?: Partial<GateLimits>;
  readonly judgeDeadlineMs?: number;
}

export interface Service {
  readonly rubrics: RubricCatalog;
  readonly judgeTools: (() => Promise<JudgeTools>) | null;
  readonly traces: TraceStore | null;
  readonly feedback: FeedbackStore | null;
  readonly limits: WireLimits;
  /** For work on bodies so large that others would notice. */
  readonly turns: Turns;
  readonly nowMs: () => number;
}

/** @throws Error when two rubrics bear one name */
export function makeService(options: ServiceOptions = {}): Service {
  const { model = null } = options;
  const gate = makeGate({ ...GATE_LIMITS, ...options.gate });
  let tools: Promise<JudgeTools> | null = null;
  const open = async (source: NonNullable<typeof model>): Promise<JudgeTools> => ({
    model: typeof source === 'function' ? await source() : source,
    gate,
    patience: REAL_PATIENCE,
    nonce: () => crypto.randomUUID().replaceAll('-', ''),
    deadlineMs: options.judgeDeadlineMs ?? JUDGE_DEADLINE_MS,
  });
  return {
    rubrics: rubricCatalog(options.rubrics),
    judgeTools:
      model === null
        ? null
        : () => {
            tools ??= open(model);
            return tools;
          },
    traces: options.traceStore ?? null,
    feedback: options.feedbackStore ?? null,
    limits: { ...WIRE_LIMITS, ...options.limits },
    turns: makeTurns(),
    nowMs: Date.now,
  };
}
