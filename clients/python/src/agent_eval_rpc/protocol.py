"""What both clients share: requests out, answers in, and which faults are worth another try. Nothing here waits."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, Union

import httpx
import pydantic

from .errors import AgentEvalError, TransportError, ValidationError, error_of
from .models import FeedbackTrajectory, JudgeRequest, RejectedEvent, Rubric, TraceEvent, VersionResponse

PACKAGE = "@tangle-network/agent-eval"
WIRE_VERSION = "1.0.0"
DEFAULT_URL = "http://127.0.0.1:5005"
RETRIES_MAX = 2
BACKOFF_FIRST_S = 0.25
#: Events of one request, unless a caller says otherwise; the server takes 10,000.
CHUNK_EVENTS = 1_000
#: Bytes of one request before they are compressed; the server takes 64 MiB.
CHUNK_BYTES_MAX = 8 * 1024 * 1024

Transport = Literal["auto", "http", "subprocess"]
Event = Union[TraceEvent, Mapping[str, Any]]
Model = TypeVar("Model", bound=pydantic.BaseModel)


@dataclass(frozen=True)
class Request:
    """One call, for either transport."""

    method: str
    verb: Literal["GET", "POST"]
    path: str
    body: bytes = b""
    media: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    #: ``always`` may be sent twice without harm; ``unsent`` only where it surely was not taken on.
    again: Literal["always", "unsent"] = "always"


@dataclass(frozen=True)
class Answer:
    value: Any
    etag: str | None = None


@dataclass(frozen=True)
class IngestResult:
    """Of all chunks together."""

    accepted: int
    rejected: int
    errors: list[RejectedEvent]


@dataclass(frozen=True)
class FeedbackReceipt:
    id: str
    persisted: bool
    #: For ``if_match`` of the next write; None over the subprocess transport, which has no versions.
    version: str | None


def base_url_of(given: str | None) -> str:
    return (given or os.environ.get("AGENT_EVAL_URL") or DEFAULT_URL).rstrip("/")


def headers_of(token: str | None) -> dict[str, str]:
    token = token or os.environ.get("AGENT_EVAL_TOKEN")
    return {"authorization": f"Bearer {token}"} if token else {}


def command_of(cli_path: str | Sequence[str] | None) -> list[str]:
    if cli_path is None:
        return ["agent-eval"]
    return [cli_path] if isinstance(cli_path, str) else list(cli_path)


def dumped(value: Any) -> bytes:
    """JSON text. A lone surrogate goes as its escape, which UTF-8 itself cannot carry."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def plain(value: Any) -> Any:
    """A model as the wire wants it; anything else as it is."""
    if isinstance(value, pydantic.BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return value


def judge_request(
    *,
    content: str,
    rubric_name: str | None,
    rubric: Rubric | Mapping[str, Any] | None,
    context: Mapping[str, Any] | None,
    model: str | None,
) -> Request:
    fields = {
        "rubricName": rubric_name,
        "rubric": plain(rubric),
        "content": content,
        "context": context,
        "model": model,
    }
    body = {name: value for name, value in fields.items() if value is not None}
    checked(JudgeRequest, body)
    return Request("judge", "POST", "/v1/judge", dumped(body), again="unsent")


def feedback_request(trajectory: FeedbackTrajectory | Mapping[str, Any], if_match: str | None) -> Request:
    body = plain(trajectory)
    checked(FeedbackTrajectory, body)
    headers = {} if if_match is None else {"if-match": if_match}
    # With a precondition a second sending could meet the first one's write and be refused for it.
    again: Literal["always", "unsent"] = "always" if if_match is None else "unsent"
    return Request("feedback.ingest", "POST", "/v1/feedback", dumped(body), headers=headers, again=again)


LIST_RUBRICS = Request("listRubrics", "GET", "/v1/rubrics")
VERSION = Request("version", "GET", "/v1/version")


def checked(model: type[Model], value: Any) -> Model:
    """What the server would refuse is refused before it is sent."""
    try:
        return model.model_validate(value)
    except pydantic.ValidationError as error:
        problems = [{"path": ".".join(map(str, e["loc"])), "message": e["msg"]} for e in error.errors()[:20]]
        said = "; ".join(f"{p['path']}: {p['message']}" for p in problems[:3])
        raise ValidationError("validation_error", said, {"problems": problems, "total": error.error_count()}) from None


def received(model: type[Model], value: Any) -> Model:
    try:
        return model.model_validate(value)
    except pydantic.ValidationError as error:
        raise TransportError(f"the answer is not of this protocol: {error}", value) from None


def event_bytes(event: Event) -> bytes:
    return dumped(plain(event))


def chunks_of(events: Iterable[Event], chunk_events: int) -> Iterator[list[bytes]]:
    """Lines of one request each: so many events, or so many bytes, whichever is first."""
    if chunk_events < 1:
        raise ValueError("chunk_events is at least 1")
    lines: list[bytes] = []
    size = 0
    for event in events:
        line = event_bytes(event)
        if lines and (len(lines) >= chunk_events or size + len(line) > CHUNK_BYTES_MAX):
            yield lines
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    if lines:
        yield lines


def ingest_request(lines: Sequence[bytes], compress: Literal["gzip", "none"], transport: str) -> Request:
    if transport == "subprocess":
        return Request("traces.ingest", "POST", "", b'{"events":[' + b",".join(lines) + b"]}")
    body = b"\n".join(lines)
    headers: dict[str, str] = {}
    if compress == "gzip":
        body = gzip.compress(body, compresslevel=1)
        headers["content-encoding"] = "gzip"
    return Request("traces.ingest", "POST", "/v1/traces/ingest", body, "application/x-ndjson", headers)


def answer_of(response: httpx.Response) -> Answer:
    try:
        body = response.json()
    except ValueError:
        raise TransportError(
            f"status {response.status_code} without JSON", response.text[:500], response.status_code
        ) from None
    if response.status_code != 200:
        raise error_of(body, response.status_code)
    return Answer(body, response.headers.get("etag"))


def answer_of_output(stdout: bytes, stderr: bytes, code: int) -> Answer:
    """The last line that the program printed."""
    lines = stdout.decode("utf-8", "replace").strip().splitlines()
    try:
        envelope = json.loads(lines[-1]) if lines else None
    except ValueError:
        envelope = None
    if not isinstance(envelope, dict):
        raise TransportError(f"agent-eval ended with {code}: {stderr.decode('utf-8', 'replace').strip()[:500]}")
    if "result" in envelope:
        return Answer(envelope["result"])
    raise error_of(envelope, None)


def wait_before_retry(request: Request, fault: httpx.Response | httpx.TransportError, attempt: int) -> float | None:
    """Seconds to wait before the next try, or None where there is none."""
    if attempt > RETRIES_MAX:
        return None
    wait = BACKOFF_FIRST_S * float(2 ** (attempt - 1))
    if isinstance(fault, httpx.Response):
        if fault.status_code not in (429, 503) or (request.again == "unsent" and fault.status_code != 429):
            return None
        asked = fault.headers.get("retry-after", "")
        return max(wait, float(asked)) if asked.isdigit() else wait
    unsent = isinstance(fault, (httpx.ConnectError, httpx.ConnectTimeout))
    return wait if unsent or request.again == "always" else None


def fits(version: VersionResponse) -> bool:
    """Whether a server that says this can be talked to."""
    return version.package == PACKAGE and version.wire_version.split(".")[0] == WIRE_VERSION.split(".")[0]


def transport_fault(error: Exception) -> AgentEvalError:
    return TransportError(f"{type(error).__name__}: {error}")
