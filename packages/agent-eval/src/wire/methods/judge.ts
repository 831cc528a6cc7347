/** judge: scores content against a rubric. */
import { JudgeRefusal, type JudgeTools, judge as judgeContent } from '../../judge/index.ts';
import { type CatalogEntry, rubricProblems, rubricVersion } from '../../rubric/index.ts';
import type { Service } from '../context.ts';
import { retryAfterSeconds, WireError } from '../errors.ts';
import type { Method } from '../method.ts';
import { inTurn, lazily, listProblems, type Problem, valueOfParams } from '../params.ts';

const schemas = lazily(() => import('../schemas.ts'));

export const judge: Method = {
  name: 'judge',
  verb: 'POST',
  path: '/v1/judge',
  summary: 'Score content against a rubric',
  description: 'Takes rubricName (a rubric that the server knows) or rubric (an inline definition), not both.',
  media: [],
  access: 'guarded',
  codes: ['rubric_not_found', 'rate_limited', 'judge_error', 'llm_not_configured', 'llm_unavailable'],
  request: 'JudgeRequestSchema',
  response: 'JudgeResultSchema',
  example: {
    composite: 0.805,
    dimensions: { buyer_quality: 0.85, voice: 0.7, signal: 0.85 },
    failureModes: [],
    wins: ['specific-component', 'earned-detail'],
    rationale: 'Names the mechanism and what it cost.',
    rubricVersion: 'anti-slop@sha256-rfc8785:0581cba4523ccaa2abf044a3a5c7688988abdd4aef9194f4befce16ba3a2e8d0',
    model: 'claude-sonnet-4-6',
    durationMs: 1840,
  },
  async call({ params, service, stop }) {
    const { JudgeRequestSchema } = await schemas();
    const value = await inTurn(params, service, () => valueOfParams(params, service.limits));
    const parsed = JudgeRequestSchema.safeParse(value);
    if (!parsed.success) throw listProblems('the request does not fit its schema', problemsOf(parsed.error.issues));
    const { rubricName, rubric, content, context, model } = parsed.data;
    const { rubric: chosen, version } = chooseRubric(service, rubricName, rubric);
    const tools = await toolsOf(service);
    try {
      const verdict = await judgeContent({ rubric: chosen, version, content, context, model }, tools, stop);
      return {
        value: {
          composite: verdict.composite,
          dimensions: recordOf(verdict.scores),
          failureModes: verdict.failureModes,
          wins: verdict.wins,
          rationale: verdict.rationale,
          rubricVersion: version,
          model: verdict.model,
          durationMs: verdict.durationMs,
        },
      };
    } catch (error) {
      throw error instanceof JudgeRefusal ? refusalToWire(error) : error;
    }
  },
};

/** Ids that an object inherits are refused with the rubric, so that these are fields like any other. */
function recordOf(scores: ReadonlyMap<string, number>): Record<string, number> {
  const record: Record<string, number> = {};
  for (const [id, score] of scores) record[id] = score;
  return record;
}

function problemsOf(issues: readonly { path: PropertyKey[]; message: string }[]): Problem[] {
  return issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
}

type InlineRubric = Parameters<typeof rubricProblems>[0];

function chooseRubric(service: Service, name: string | undefined, rubric: InlineRubric | undefined): CatalogEntry {
  if ((name === undefined) === (rubric === undefined)) {
    const got = name === undefined ? 'neither' : 'both';
    throw new WireError('validation_error', `one of rubricName and rubric is wanted, got ${got}`);
  }
  if (rubric !== undefined) {
    const problems = rubricProblems(rubric);
    if (problems.length > 0) {
      throw listProblems(
        'the rubric cannot be judged by',
        problems.map(({ path, message }) => ({ path: `rubric.${path}`, message })),
      );
    }
    return { rubric, version: rubricVersion(rubric) };
  }
  const found = service.rubrics.get(name!);
  if (found === undefined) {
    const shown = JSON.stringify(name!.slice(0, 100));
    throw new WireError('rubric_not_found', `No built-in rubric named ${shown}. GET /v1/rubrics lists them.`);
  }
  return found;
}

async function toolsOf({ judgeTools }: Service): Promise<JudgeTools> {
  if (judgeTools === null) {
    throw new WireError(
      'llm_not_configured',
      'no model is configured to judge with; set AGENT_EVAL_LLM_API_KEY (and AGENT_EVAL_LLM_BASE_URL), OPENAI_API_KEY or ANTHROPIC_API_KEY',
    );
  }
  try {
    return await judgeTools();
  } catch (cause) {
    throw new WireError('llm_unavailable', `the model cannot be opened: ${(cause as Error).message}`, { cause });
  }
}

function refusalToWire(refusal: JudgeRefusal): WireError {
  const { message, details, retryAfterMs } = refusal;
  const wait = retryAfterMs === null ? {} : { headers: { 'retry-after': retryAfterSeconds(retryAfterMs) } };
  switch (refusal.kind) {
    case 'no-verdict':
      return new WireError('judge_error', message, { details, cause: refusal });
    case 'unavailable':
      return new WireError('llm_unavailable', message, { details, ...wait, cause: refusal });
    case 'full':
      return new WireError('rate_limited', message, { ...wait, cause: refusal });
    default:
      return refusal.kind satisfies never;
  }
}
