/** One judgement: prompt, model, strict reading, one repair, composite. */
import { composite, type Rubric, type RubricVersion } from '../rubric/index.ts';
import { type Patience, patiently } from './attempts.ts';
import { type Gate, GateFull } from './gate.ts';
import { isModelFailure, type JudgeModel, type ModelAnswer, type ModelCall, type ModelTurn } from './model.ts';
import { judgePrompt, repairRequest } from './prompt.ts';
import type { Stop } from './stop.ts';
import { readVerdict, type Verdict, type VerdictFault, type VerdictReading } from './verdict.ts';

/** The whole judgement, with its waits, attempts, repair and the reading of every body. */
export const JUDGE_DEADLINE_MS = 60_000;
/** How much of an unusable answer is shown to the model again and told to the caller, in characters. */
export const ANSWER_SHOWN_MAX = 2_000;

export interface JudgeInput {
  readonly rubric: Rubric;
  readonly version: RubricVersion;
  readonly content: string;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly model?: string | undefined;
}

export interface JudgeTools {
  readonly model: JudgeModel;
  readonly gate: Gate;
  readonly patience: Patience;
  /** Fresh random text, at least 16 hexadecimal digits. */
  readonly nonce: () => string;
  readonly deadlineMs: number;
}

export interface Judgement extends Verdict {
  readonly composite: number;
  readonly model: string;
  readonly durationMs: number;
}

export type JudgeRefusalKind = 'no-verdict' | 'unavailable' | 'full';

export class JudgeRefusal extends Error {
  override readonly name = 'JudgeRefusal';
  readonly kind: JudgeRefusalKind;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly retryAfterMs: number | null;
  constructor(
    kind: JudgeRefusalKind,
    message: string,
    more: { details?: Readonly<Record<string, unknown>>; retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.kind = kind;
    this.details = more.details ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
  }
}

/**
 * @param stop of this call alone: its owner aborts it when the caller has gone, the deadline when it has passed; the
 *   reason is then thrown. One stop for both ends, since signals derived from others have been seen to be collected
 *   before they fire
 * @throws JudgeRefusal when no verdict can be had
 */
export async function judge(input: JudgeInput, tools: JudgeTools, stop: Stop): Promise<Judgement> {
  const startedMs = tools.patience.nowMs();
  stop.throwIfAborted();
  const timer = setTimeout(() => {
    stop.abort(new JudgeRefusal('unavailable', `the model gave no verdict within ${tools.deadlineMs} ms`));
  }, tools.deadlineMs);
  const deadlineMs = startedMs + tools.deadlineMs;
  try {
    const verdict = await tools.gate.pass(stop, () => verdictOf(input, tools, stop, deadlineMs));
    return {
      scores: verdict.scores,
      failureModes: verdict.failureModes,
      wins: verdict.wins,
      rationale: verdict.rationale,
      composite: composite(input.rubric, verdict.scores),
      model: input.model ?? tools.model.defaultModel,
      durationMs: Math.max(0, Math.round(tools.patience.nowMs() - startedMs)),
    };
  } catch (error) {
    // Whatever a provider makes of an abort, the reason that was given is the one that counts.
    if (stop.aborted) throw stop.reason;
    if (error instanceof GateFull) {
      throw new JudgeRefusal('full', `too many judgements at once: ${error.message}; try again shortly`, {
        retryAfterMs: 1_000,
      });
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function verdictOf(input: JudgeInput, tools: JudgeTools, stop: Stop, deadlineMs: number): Promise<Verdict> {
  const { rubric, content, context } = input;
  const { system, user, schema } = judgePrompt({ rubric, content, context, nonce: tools.nonce() });
  const model = input.model ?? tools.model.defaultModel;
  const subject = { rubricVersion: input.version, content };
  const turns: ModelTurn[] = [{ role: 'user', text: user }];
  const ask = async (): Promise<Asked> => {
    try {
      const call = new Question({ model, system, turns, schema, subject }, stop);
      return readAnswer(rubric, await patiently(() => tools.model.answer(call), tools.patience, stop, deadlineMs));
    } catch (error) {
      if (!isModelFailure(error) || stop.aborted) throw error;
      if (error.kind === 'malformed') return { text: '', ...fault('upstream-malformed', error.message) };
      const details = error.status === null ? {} : { details: { upstreamStatus: error.status } };
      throw new JudgeRefusal('unavailable', error.message, {
        ...details,
        retryAfterMs: error.retryAfterMs,
        cause: error,
      });
    }
  };
  const first = await ask();
  if (first.kind === 'verdict') return first.verdict;
  if (first.text !== '') turns.push({ role: 'assistant', text: first.text.slice(0, ANSWER_SHOWN_MAX) });
  turns.push({ role: 'user', text: repairRequest(first.message) });
  const second = await ask();
  if (second.kind === 'verdict') return second.verdict;
  throw new JudgeRefusal('no-verdict', `the model gave no usable verdict, twice: ${second.message}`, {
    details: { reason: second.fault, attempts: 2, answer: shownAnswer(second.text) },
  });
}

/** A model call whose signal is made when the model first looks at it; a copy by spreading has it too. */
class Question implements ModelCall {
  readonly model: string;
  readonly system: string;
  readonly turns: readonly ModelTurn[];
  readonly schema: Record<string, unknown>;
  readonly subject: ModelCall['subject'];
  declare readonly signal: AbortSignal;
  readonly #stop: Stop;

  // One getter for all questions: a getter of each would make the engine a hidden class for each.
  static readonly #signal: PropertyDescriptor & ThisType<Question> = {
    enumerable: true,
    get() {
      return this.#stop.signal;
    },
  };

  constructor({ model, system, turns, schema, subject }: Omit<ModelCall, 'signal'>, stop: Stop) {
    this.model = model;
    this.system = system;
    this.turns = turns;
    this.schema = schema;
    this.subject = subject;
    this.#stop = stop;
    Object.defineProperty(this, 'signal', Question.#signal);
  }
}

type Asked = VerdictReading & { readonly text: string };

function fault(kind: VerdictFault, message: string): Extract<VerdictReading, { kind: 'fault' }> {
  return { kind: 'fault', fault: kind, message };
}

function readAnswer(rubric: Rubric, { text, finish }: ModelAnswer): Asked {
  switch (finish) {
    case 'length':
      return { text, ...fault('truncated', 'the answer was cut off at the token limit') };
    case 'refusal':
      return { text, ...fault('refused', 'the model refused to answer') };
    case 'stop':
    case 'other':
      return { text, ...readVerdict(rubric, text) };
  }
}

/** Lone surrogates would make the error itself unreadable for strict clients. */
function shownAnswer(text: string): string {
  return text.slice(0, ANSWER_SHOWN_MAX).toWellFormed();
}
