"""The client for ordinary code."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal

import httpx

from . import protocol
from .errors import AgentEvalError, TransportError
from .models import (
    FeedbackResponse,
    FeedbackTrajectory,
    JudgeResult,
    ListRubricsResponse,
    RejectedEvent,
    Rubric,
    TracesIngestResponse,
    VersionResponse,
)


class Client:
    """Talks to ``agent-eval serve``, or runs ``agent-eval rpc`` where no server answers."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        cli_path: str | Sequence[str] | None = None,
        transport: protocol.Transport = "auto",
        timeout_s: float = 200.0,
        token: str | None = None,
    ) -> None:
        if transport not in ("auto", "http", "subprocess"):
            raise ValueError(f'transport is "auto", "http" or "subprocess", got {transport!r}')
        self.base_url = protocol.base_url_of(base_url)
        self._command = protocol.command_of(cli_path)
        self._chosen: Literal["http", "subprocess"] | None = None if transport == "auto" else transport
        self._timeout_s = timeout_s
        self._http = httpx.Client(base_url=self.base_url, headers=protocol.headers_of(token), timeout=timeout_s)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def transport(self) -> Literal["http", "subprocess"]:
        """What calls go over; with ``auto`` this is where it is found out."""
        if self._chosen is None:
            self._chosen = "http" if self._answers() else "subprocess"
        return self._chosen

    def judge(
        self,
        *,
        content: str,
        rubric_name: str | None = None,
        rubric: Rubric | Mapping[str, Any] | None = None,
        context: Mapping[str, Any] | None = None,
        model: str | None = None,
    ) -> JudgeResult:
        """Scores ``content`` against a rubric that the server knows, or an inline one."""
        request = protocol.judge_request(
            content=content, rubric_name=rubric_name, rubric=rubric, context=context, model=model
        )
        return protocol.received(JudgeResult, self._call(request).value)

    def list_rubrics(self) -> ListRubricsResponse:
        return protocol.received(ListRubricsResponse, self._call(protocol.LIST_RUBRICS).value)

    def version(self) -> VersionResponse:
        return protocol.received(VersionResponse, self._call(protocol.VERSION).value)

    def ingest_traces(
        self,
        events: Iterable[protocol.Event],
        *,
        chunk_events: int = protocol.CHUNK_EVENTS,
        compress: Literal["gzip", "none"] = "gzip",
    ) -> protocol.IngestResult:
        """Sends events in chunks as they come. Accepted ones are on the server's disk when this returns."""
        accepted = rejected = 0
        errors: list[RejectedEvent] = []
        for lines in protocol.chunks_of(events, chunk_events):
            request = protocol.ingest_request(lines, compress, self.transport)
            answer = protocol.received(TracesIngestResponse, self._call(request).value)
            accepted += answer.accepted
            rejected += answer.rejected
            errors.extend(answer.errors)
        return protocol.IngestResult(accepted, rejected, errors)

    def send_feedback(
        self, trajectory: FeedbackTrajectory | Mapping[str, Any], *, if_match: str | None = None
    ) -> protocol.FeedbackReceipt:
        """Keeps a record under its id. ``if_match`` takes the version of an earlier receipt."""
        answer = self._call(protocol.feedback_request(trajectory, if_match))
        body = protocol.received(FeedbackResponse, answer.value)
        return protocol.FeedbackReceipt(body.id, body.persisted, answer.etag)

    def _answers(self) -> bool:
        try:
            answer = protocol.answer_of(self._http.get(protocol.VERSION.path, timeout=min(2.0, self._timeout_s)))
            return protocol.fits(protocol.received(VersionResponse, answer.value))
        except (httpx.HTTPError, AgentEvalError):
            return False

    def _call(self, request: protocol.Request) -> protocol.Answer:
        return self._over_http(request) if self.transport == "http" else self._over_process(request)

    def _over_http(self, request: protocol.Request) -> protocol.Answer:
        headers = {**request.headers, **({"content-type": request.media} if request.verb == "POST" else {})}
        ends_at = time.monotonic() + self._timeout_s
        attempt = 0
        while True:
            attempt += 1
            fault: httpx.Response | httpx.TransportError
            left = max(0.001, ends_at - time.monotonic())
            try:
                response = self._http.request(
                    request.verb, request.path, content=request.body or None, headers=headers, timeout=left
                )
                if response.status_code == 200:
                    return protocol.answer_of(response)
                fault = response
            except httpx.TransportError as error:
                fault = error
            wait = protocol.wait_before_retry(request, fault, attempt)
            if wait is None or time.monotonic() + wait >= ends_at:
                if isinstance(fault, httpx.Response):
                    return protocol.answer_of(fault)
                raise protocol.transport_fault(fault) from fault
            time.sleep(wait)

    def _over_process(self, request: protocol.Request) -> protocol.Answer:
        if "if-match" in request.headers:
            raise TransportError("if_match needs the http transport")
        try:
            done = subprocess.run(
                [*self._command, "rpc", request.method],
                input=request.body or b"{}",
                capture_output=True,
                timeout=self._timeout_s,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise protocol.transport_fault(error) from error
        return protocol.answer_of_output(done.stdout, done.stderr, done.returncode)
