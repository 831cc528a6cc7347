/** The wire's shapes, once: types, validation, OpenAPI and the Python models all come from here. */
import { z } from 'zod';

const text = (description: string) => z.string().min(1).describe(description);
/** Days that the month has, leap years included; UTC as Z or as an offset of nothing. */
const UTC_TIME =
  /^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]00:00)$/;
const utcTime = (description: string) =>
  z
    .string()
    .regex(UTC_TIME, 'an ISO 8601 time in UTC is wanted, like 2026-08-01T00:00:00Z')
    .describe(`${description} ISO 8601 in UTC.`);
const anything = (description: string) =>
  z
    .unknown()
    .refine((value) => value !== undefined, 'a value is required')
    .describe(description);
const metadata = z.looseObject({}).optional().describe('Free-form, kept as it came.');

export const RubricDimensionSchema = z
  .object({
    id: text('Key of the score. Unique in the rubric.'),
    description: text('The question that the score answers.'),
    weight: z.number().min(0).default(1).describe('Share of the composite, relative to the other weights.'),
    min: z.number().default(0).describe('Lowest score; less than max.'),
    max: z.number().default(1).describe('Highest score.'),
  })
  .meta({ id: 'RubricDimension', description: 'One thing that is scored.' });

export const RubricTagSchema = z
  .object({ id: text('What a verdict names it by.'), description: text('When it applies.') })
  .meta({ id: 'RubricTag', description: 'A failure mode or a win that a verdict can name.' });

export const RubricSchema = z
  .object({
    name: text('Name of the rubric; the first part of its version.'),
    description: text('What it judges, in a sentence.'),
    systemPrompt: text('Instructions to the judge.'),
    dimensions: z.array(RubricDimensionSchema).min(1).max(64).describe('What is scored; at least one.'),
    failureModes: z.array(RubricTagSchema).default([]).describe('Faults that a verdict can name.'),
    wins: z.array(RubricTagSchema).default([]).describe('Merits that a verdict can name.'),
  })
  .meta({ id: 'Rubric', description: 'An inline rubric.' });

export const JudgeRequestSchema = z
  .object({
    rubricName: z.string().optional().describe('A rubric that the server knows. Either this or rubric, not both.'),
    rubric: RubricSchema.optional().describe('An inline rubric. Either this or rubricName, not both.'),
    content: text('The text to judge.'),
    context: z.looseObject({}).optional().describe('What the judge should know about the content.'),
    model: text('Overrides the model that the server uses.').optional(),
  })
  .meta({
    id: 'JudgeRequest',
    // One of the two and not both, in words that generators of clients pass over: most make bad types of a oneOf.
    if: { required: ['rubric'] },
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
    then: { not: { required: ['rubricName'] } },
    else: { required: ['rubricName'] },
    examples: [{ rubricName: 'anti-slop', content: 'We just shipped zero-copy IO between sandboxes' }],
  });

export const JudgeResultSchema = z
  .object({
    composite: z.number().min(0).max(1).describe('Σ(weight × normalised score) / Σ(weight).'),
    dimensions: z.record(z.string(), z.number()).describe('One raw score a dimension.'),
    failureModes: z.array(z.string()).describe('Ids of the failure modes that the judge found.'),
    wins: z.array(z.string()).describe('Ids of the wins that the judge found.'),
    rationale: z.string().describe('Why, in the words of the judge.'),
    rubricVersion: z.string().describe('Identity of the rubric; scores compare only where it is equal.'),
    model: z.string().describe('The model that judged.'),
    durationMs: z.int().min(0).describe('The whole judgement, in milliseconds.'),
  })
  .meta({ id: 'JudgeResult' });

export const ListedRubricSchema = z
  .object({
    name: z.string().describe('What rubricName takes.'),
    description: z.string().describe('What it judges.'),
    dimensions: z
      .array(
        z
          .object({
            id: z.string().describe('Key of the score.'),
            description: z.string().describe('The question that the score answers.'),
            weight: z.number().describe('Share of the composite.'),
          })
          .meta({ id: 'ListedDimension' }),
      )
      .describe('What is scored.'),
    failureModes: z.array(z.string()).describe('Ids of the faults that a verdict can name.'),
    rubricVersion: z.string().describe('Identity of the rubric.'),
  })
  .meta({ id: 'ListedRubric' });

export const ListRubricsResponseSchema = z
  .object({ rubrics: z.array(ListedRubricSchema).describe('Every rubric that the server knows.') })
  .meta({ id: 'ListRubricsResponse' });

export const VersionResponseSchema = z
  .object({
    package: z.string().describe('Always @tangle-network/agent-eval.'),
    version: z.string().describe('Version of the package.'),
    wireVersion: z.string().describe('Version of the protocol; clients compare this one.'),
    apiSurface: z.array(z.string()).describe('The methods that this server has.'),
  })
  .meta({ id: 'VersionResponse' });

export const EventKindSchema = z
  .enum([
    'log',
    'error',
    'budget_decrement',
    'budget_breach',
    'state_mutation',
    'policy_violation',
    'redaction_applied',
    'custom',
  ])
  .meta({ id: 'EventKind' });

/** No transforms and no refinements: the validator of the ingest path is generated from this. */
export const TraceEventSchema = z
  .looseObject({
    eventId: text('What repeats of this event are told by.'),
    runId: text('The run that it belongs to.'),
    spanId: z.string().optional().describe('The span that it belongs to.'),
    kind: EventKindSchema.describe('What happened.'),
    timestamp: z.int().min(0).describe('When, in milliseconds since 1970.'),
    payload: z.looseObject({}).describe('Free-form; kept byte for byte.'),
  })
  .meta({ id: 'TraceEvent', description: 'An event. Fields beyond these are kept.' });

export const TracesIngestRequestSchema = z
  .object({ events: z.array(TraceEventSchema).min(1).max(10_000).describe('1 to 10,000 events.') })
  .meta({
    id: 'TracesIngestRequest',
    examples: [{ events: [{ eventId: 'evt_1', runId: 'run_1', kind: 'log', timestamp: 1732556400000, payload: {} }] }],
  });

export const TracesIngestResponseSchema = z
  .object({
    accepted: z.int().min(0).describe('Events that are on disk now.'),
    rejected: z.int().min(0).describe('Events that are not kept.'),
    errors: z
      .array(
        z
          .object({
            eventId: z.string().describe('Its eventId, or #index, or line N, where it has none.'),
            message: z.string().describe('Why it was rejected.'),
          })
          .meta({ id: 'RejectedEvent' }),
      )
      .describe('One for each rejected event.'),
  })
  .meta({ id: 'TracesIngestResponse' });

export const FeedbackLabelSchema = z
  .looseObject({
    id: z.string().optional().describe('Name of the label.'),
    source: z.enum(['user', 'judge', 'environment', 'metric', 'policy', 'system']).describe('Who says so.'),
    kind: z
      .enum([
        'approve',
        'reject',
        'select',
        'edit',
        'rank',
        'rate',
        'comment',
        'metric_outcome',
        'policy_block',
        'revision_request',
      ])
      .describe('What is said.'),
    value: anything('What it is worth; any JSON value.'),
    reason: z.string().optional().describe('Why.'),
    severity: z.enum(['info', 'warning', 'error', 'critical']).optional().describe('How bad.'),
    createdAt: utcTime('When it was given.'),
    metadata,
  })
  .meta({ id: 'FeedbackLabel' });

export const ProposedActionSchema = z
  .looseObject({
    type: text('What would be done.'),
    risk: z.enum(['low', 'medium', 'high']).optional().describe('How risky it is.'),
    costUsd: z.number().optional().describe('What it would cost, in dollars.'),
    externalSideEffect: z.boolean().optional().describe('Whether the world outside would change.'),
    requiresApproval: z.boolean().optional().describe('Whether someone has to agree first.'),
    metadata,
  })
  .meta({ id: 'ProposedAction' });

export const FeedbackAttemptSchema = z
  .looseObject({
    id: text('Name of the attempt.'),
    stepIndex: z.int().min(0).describe('Its place, from 0.'),
    artifactType: z
      .enum(['text', 'code', 'plan', 'research', 'action', 'ui', 'decision', 'data', 'other'])
      .describe('What it made.'),
    artifact: anything('The thing made; any JSON value.'),
    options: z.unknown().optional().describe('What there was to choose from; any JSON value.'),
    proposedAction: ProposedActionSchema.optional().describe('What it would do.'),
    feedback: z.array(FeedbackLabelSchema).optional().describe('Labels of this attempt alone.'),
    createdAt: utcTime('When it was made.'),
    metadata,
  })
  .meta({ id: 'FeedbackAttempt' });

export const FeedbackOutcomeSchema = z
  .looseObject({
    success: z.boolean().optional().describe('Whether it worked.'),
    score: z.number().optional().describe('How well.'),
    metrics: z.record(z.string(), z.number()).optional().describe('Named figures.'),
    costUsd: z.number().optional().describe('What it cost, in dollars.'),
    detail: z.unknown().optional().describe('More about it; any JSON value.'),
    observedAt: utcTime('When it was seen.').optional(),
    metadata,
  })
  .meta({ id: 'FeedbackOutcome' });

export const FeedbackTrajectorySchema = z
  .looseObject({
    id: text('Name of the trajectory; the same id replaces the record.'),
    projectId: z.string().optional().describe('The project.'),
    scenarioId: z.string().optional().describe('The scenario.'),
    task: z
      .looseObject({
        intent: text('What was to be done.'),
        context: z.unknown().optional().describe('What was known; any JSON value.'),
      })
      .describe('The task.'),
    attempts: z.array(FeedbackAttemptSchema).default([]).describe('What was tried.'),
    labels: z.array(FeedbackLabelSchema).default([]).describe('What was said of it.'),
    outcome: FeedbackOutcomeSchema.optional().describe('How it ended.'),
    split: z.enum(['train', 'dev', 'test', 'holdout']).optional().describe('Which part of a data set it is in.'),
    tags: z.record(z.string(), z.string()).optional().describe('Names and values.'),
    createdAt: utcTime('When it began.'),
    updatedAt: utcTime('When it was last changed.').optional(),
    metadata,
  })
  .meta({
    id: 'FeedbackTrajectory',
    description: 'A review of what was tried. Fields beyond these are kept.',
    examples: [{ id: 'traj_1', task: { intent: 'Summarize the incident report.' }, createdAt: '2026-08-01T00:00:00Z' }],
  });

export const FeedbackResponseSchema = z
  .object({ id: z.string().describe('The id posted.'), persisted: z.literal(true).describe('It is on disk now.') })
  .meta({ id: 'FeedbackResponse' });

export const HealthResponseSchema = z
  .object({
    status: z.literal('ok').describe('It is up.'),
    uptimeSec: z.number().min(0).describe('Since the server started, in seconds.'),
  })
  .meta({ id: 'HealthResponse' });

export const ErrorResponseSchema = z
  .object({
    error: z
      .object({
        code: z.string().describe('What went wrong, for programs.'),
        message: z.string().describe('What went wrong and what to do, for people.'),
        details: z.unknown().describe('More, where there is more; else null.'),
      })
      .describe('The one shape of every error.'),
  })
  .meta({ id: 'ErrorResponse' });
