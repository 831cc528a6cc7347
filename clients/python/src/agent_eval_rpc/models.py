"""The wire's shapes. Generated from openapi.json by scripts/gen_models.py; do not edit."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel


class RubricDimension(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    id: Annotated[
        str, Field(description='Key of the score. Unique in the rubric.', min_length=1)
    ]
    description: Annotated[
        str, Field(description='The question that the score answers.', min_length=1)
    ]
    weight: Annotated[
        float,
        Field(
            description='Share of the composite, relative to the other weights.', ge=0.0
        ),
    ] = 1
    min: Annotated[float, Field(description='Lowest score; less than max.')] = 0
    max: Annotated[float, Field(description='Highest score.')] = 1


class RubricTag(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    id: Annotated[str, Field(description='What a verdict names it by.', min_length=1)]
    description: Annotated[str, Field(description='When it applies.', min_length=1)]


class Task(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    intent: Annotated[str, Field(description='What was to be done.', min_length=1)]
    context: Annotated[
        Any | None, Field(description='What was known; any JSON value.')
    ] = None


class ProposedAction(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    type: Annotated[str, Field(description='What would be done.', min_length=1)]
    risk: Annotated[
        Literal['low', 'medium', 'high'] | None, Field(description='How risky it is.')
    ] = None
    cost_usd: Annotated[
        float | None,
        Field(alias='costUsd', description='What it would cost, in dollars.'),
    ] = None
    external_side_effect: Annotated[
        bool | None,
        Field(
            alias='externalSideEffect',
            description='Whether the world outside would change.',
        ),
    ] = None
    requires_approval: Annotated[
        bool | None,
        Field(
            alias='requiresApproval', description='Whether someone has to agree first.'
        ),
    ] = None
    metadata: Annotated[
        dict[str, Any] | None, Field(description='Free-form, kept as it came.')
    ] = None


class FeedbackLabel(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: Annotated[str | None, Field(description='Name of the label.')] = None
    source: Annotated[
        Literal['user', 'judge', 'environment', 'metric', 'policy', 'system'],
        Field(description='Who says so.'),
    ]
    kind: Annotated[
        Literal['approve', 'reject', 'select', 'edit', 'rank', 'rate', 'comment', 'metric_outcome', 'policy_block', 'revision_request'],
        Field(description='What is said.'),
    ]
    value: Annotated[Any, Field(description='What it is worth; any JSON value.')]
    reason: Annotated[str | None, Field(description='Why.')] = None
    severity: Annotated[
        Literal['info', 'warning', 'error', 'critical'] | None,
        Field(description='How bad.'),
    ] = None
    created_at: Annotated[
        str,
        Field(
            alias='createdAt',
            description='When it was given. ISO 8601 in UTC.',
            pattern='^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-]00:00)$',
        ),
    ]
    metadata: Annotated[
        dict[str, Any] | None, Field(description='Free-form, kept as it came.')
    ] = None


class FeedbackOutcome(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    success: Annotated[bool | None, Field(description='Whether it worked.')] = None
    score: Annotated[float | None, Field(description='How well.')] = None
    metrics: Annotated[dict[str, float] | None, Field(description='Named figures.')] = (
        None
    )
    cost_usd: Annotated[
        float | None, Field(alias='costUsd', description='What it cost, in dollars.')
    ] = None
    detail: Annotated[
        Any | None, Field(description='More about it; any JSON value.')
    ] = None
    observed_at: Annotated[
        str | None,
        Field(
            alias='observedAt',
            description='When it was seen. ISO 8601 in UTC.',
            pattern='^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-]00:00)$',
        ),
    ] = None
    metadata: Annotated[
        dict[str, Any] | None, Field(description='Free-form, kept as it came.')
    ] = None


class JudgeResult(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    composite: Annotated[
        float,
        Field(description='Σ(weight × normalised score) / Σ(weight).', ge=0.0, le=1.0),
    ]
    dimensions: Annotated[
        dict[str, float], Field(description='One raw score a dimension.')
    ]
    failure_modes: Annotated[
        list[str],
        Field(
            alias='failureModes',
            description='Ids of the failure modes that the judge found.',
        ),
    ]
    wins: Annotated[
        list[str], Field(description='Ids of the wins that the judge found.')
    ]
    rationale: Annotated[str, Field(description='Why, in the words of the judge.')]
    rubric_version: Annotated[
        str,
        Field(
            alias='rubricVersion',
            description='Identity of the rubric; scores compare only where it is equal.',
        ),
    ]
    model: Annotated[str, Field(description='The model that judged.')]
    duration_ms: Annotated[
        int,
        Field(
            alias='durationMs',
            description='The whole judgement, in milliseconds.',
            ge=0,
            le=9007199254740991,
        ),
    ]


class Error(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    code: Annotated[str, Field(description='What went wrong, for programs.')]
    message: Annotated[
        str, Field(description='What went wrong and what to do, for people.')
    ]
    details: Annotated[Any, Field(description='More, where there is more; else null.')]


class ErrorResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    error: Annotated[Error, Field(description='The one shape of every error.')]


class ListedDimension(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    id: Annotated[str, Field(description='Key of the score.')]
    description: Annotated[
        str, Field(description='The question that the score answers.')
    ]
    weight: Annotated[float, Field(description='Share of the composite.')]


class VersionResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    package: Annotated[str, Field(description='Always @tangle-network/agent-eval.')]
    version: Annotated[str, Field(description='Version of the package.')]
    wire_version: Annotated[
        str,
        Field(
            alias='wireVersion',
            description='Version of the protocol; clients compare this one.',
        ),
    ]
    api_surface: Annotated[
        list[str],
        Field(alias='apiSurface', description='The methods that this server has.'),
    ]


class FeedbackResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    id: Annotated[str, Field(description='The id posted.')]
    persisted: Annotated[Literal[True], Field(description='It is on disk now.')]


class RejectedEvent(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    event_id: Annotated[
        str,
        Field(
            alias='eventId',
            description='Its eventId, or #index, or line N, where it has none.',
        ),
    ]
    message: Annotated[str, Field(description='Why it was rejected.')]


class HealthResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    status: Annotated[Literal['ok'], Field(description='It is up.')]
    uptime_sec: Annotated[
        float,
        Field(
            alias='uptimeSec',
            description='Since the server started, in seconds.',
            ge=0.0,
        ),
    ]


class OpenApiDocument(RootModel[dict[str, Any]]):
    root: dict[str, Any]


class Rubric(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    name: Annotated[
        str,
        Field(
            description='Name of the rubric; the first part of its version.',
            min_length=1,
        ),
    ]
    description: Annotated[
        str, Field(description='What it judges, in a sentence.', min_length=1)
    ]
    system_prompt: Annotated[
        str,
        Field(
            alias='systemPrompt', description='Instructions to the judge.', min_length=1
        ),
    ]
    dimensions: Annotated[
        list[RubricDimension],
        Field(description='What is scored; at least one.', max_length=64, min_length=1),
    ]
    failure_modes: Annotated[
        list[RubricTag],
        Field(
            alias='failureModes',
            description='Faults that a verdict can name.',
            validate_default=True,
        ),
    ] = []
    wins: Annotated[
        list[RubricTag],
        Field(description='Merits that a verdict can name.', validate_default=True),
    ] = []


class FeedbackAttempt(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: Annotated[str, Field(description='Name of the attempt.', min_length=1)]
    step_index: Annotated[
        int,
        Field(
            alias='stepIndex',
            description='Its place, from 0.',
            ge=0,
            le=9007199254740991,
        ),
    ]
    artifact_type: Annotated[
        Literal['text', 'code', 'plan', 'research', 'action', 'ui', 'decision', 'data', 'other'],
        Field(alias='artifactType', description='What it made.'),
    ]
    artifact: Annotated[Any, Field(description='The thing made; any JSON value.')]
    options: Annotated[
        Any | None, Field(description='What there was to choose from; any JSON value.')
    ] = None
    proposed_action: Annotated[
        ProposedAction | None,
        Field(alias='proposedAction', description='What it would do.'),
    ] = None
    feedback: Annotated[
        list[FeedbackLabel] | None, Field(description='Labels of this attempt alone.')
    ] = None
    created_at: Annotated[
        str,
        Field(
            alias='createdAt',
            description='When it was made. ISO 8601 in UTC.',
            pattern='^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-]00:00)$',
        ),
    ]
    metadata: Annotated[
        dict[str, Any] | None, Field(description='Free-form, kept as it came.')
    ] = None


class TraceEvent(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: Annotated[
        str,
        Field(
            alias='eventId',
            description='What repeats of this event are told by.',
            min_length=1,
        ),
    ]
    run_id: Annotated[
        str,
        Field(alias='runId', description='The run that it belongs to.', min_length=1),
    ]
    span_id: Annotated[
        str | None, Field(alias='spanId', description='The span that it belongs to.')
    ] = None
    kind: Annotated[
        Literal['log', 'error', 'budget_decrement', 'budget_breach', 'state_mutation', 'policy_violation', 'redaction_applied', 'custom'],
        Field(description='What happened.'),
    ]
    timestamp: Annotated[
        int,
        Field(
            description='When, in milliseconds since 1970.', ge=0, le=9007199254740991
        ),
    ]
    payload: Annotated[
        dict[str, Any], Field(description='Free-form; kept byte for byte.')
    ]


class ListedRubric(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    name: Annotated[str, Field(description='What rubricName takes.')]
    description: Annotated[str, Field(description='What it judges.')]
    dimensions: Annotated[list[ListedDimension], Field(description='What is scored.')]
    failure_modes: Annotated[
        list[str],
        Field(
            alias='failureModes',
            description='Ids of the faults that a verdict can name.',
        ),
    ]
    rubric_version: Annotated[
        str, Field(alias='rubricVersion', description='Identity of the rubric.')
    ]


class TracesIngestResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    accepted: Annotated[
        int,
        Field(description='Events that are on disk now.', ge=0, le=9007199254740991),
    ]
    rejected: Annotated[
        int, Field(description='Events that are not kept.', ge=0, le=9007199254740991)
    ]
    errors: Annotated[
        list[RejectedEvent], Field(description='One for each rejected event.')
    ]


class JudgeRequest(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    rubric_name: Annotated[
        str | None,
        Field(
            alias='rubricName',
            description='A rubric that the server knows. Either this or rubric, not both.',
        ),
    ] = None
    rubric: Annotated[
        Rubric | None,
        Field(description='An inline rubric. Either this or rubricName, not both.'),
    ] = None
    content: Annotated[str, Field(description='The text to judge.', min_length=1)]
    context: Annotated[
        dict[str, Any] | None,
        Field(description='What the judge should know about the content.'),
    ] = None
    model: Annotated[
        str | None,
        Field(description='Overrides the model that the server uses.', min_length=1),
    ] = None


class FeedbackTrajectory(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: Annotated[
        str,
        Field(
            description='Name of the trajectory; the same id replaces the record.',
            min_length=1,
        ),
    ]
    project_id: Annotated[
        str | None, Field(alias='projectId', description='The project.')
    ] = None
    scenario_id: Annotated[
        str | None, Field(alias='scenarioId', description='The scenario.')
    ] = None
    task: Annotated[Task, Field(description='The task.')]
    attempts: Annotated[
        list[FeedbackAttempt],
        Field(description='What was tried.', validate_default=True),
    ] = []
    labels: Annotated[
        list[FeedbackLabel],
        Field(description='What was said of it.', validate_default=True),
    ] = []
    outcome: Annotated[FeedbackOutcome | None, Field(description='How it ended.')] = (
        None
    )
    split: Annotated[
        Literal['train', 'dev', 'test', 'holdout'] | None,
        Field(description='Which part of a data set it is in.'),
    ] = None
    tags: Annotated[dict[str, str] | None, Field(description='Names and values.')] = (
        None
    )
    created_at: Annotated[
        str,
        Field(
            alias='createdAt',
            description='When it began. ISO 8601 in UTC.',
            pattern='^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-]00:00)$',
        ),
    ]
    updated_at: Annotated[
        str | None,
        Field(
            alias='updatedAt',
            description='When it was last changed. ISO 8601 in UTC.',
            pattern='^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-]00:00)$',
        ),
    ] = None
    metadata: Annotated[
        dict[str, Any] | None, Field(description='Free-form, kept as it came.')
    ] = None


class TracesIngestRequest(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    events: Annotated[
        list[TraceEvent],
        Field(description='1 to 10,000 events.', max_length=10000, min_length=1),
    ]


class ListRubricsResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    rubrics: Annotated[
        list[ListedRubric], Field(description='Every rubric that the server knows.')
    ]
