"""Client of the agent-eval wire protocol."""

from .aio import AsyncClient
from .client import Client
from .errors import AgentEvalError, JudgeError, RubricNotFoundError, TransportError, ValidationError
from .models import (
    FeedbackTrajectory,
    JudgeRequest,
    JudgeResult,
    ListRubricsResponse,
    Rubric,
    TraceEvent,
    VersionResponse,
)
from .protocol import WIRE_VERSION, FeedbackReceipt, IngestResult
from .version import __version__

__all__ = [
    "WIRE_VERSION",
    "AgentEvalError",
    "AsyncClient",
    "Client",
    "FeedbackReceipt",
    "FeedbackTrajectory",
    "IngestResult",
    "JudgeError",
    "JudgeRequest",
    "JudgeResult",
    "ListRubricsResponse",
    "Rubric",
    "RubricNotFoundError",
    "TraceEvent",
    "TransportError",
    "ValidationError",
    "VersionResponse",
    "__version__",
]
