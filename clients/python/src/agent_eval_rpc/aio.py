"""The client for asyncio: the same calls, to await."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
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


class AsyncClient:
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
        self._http = httpx.AsyncClient(base_url=self.base_url, headers=protocol.headers_of(token), timeout=timeout_s)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def transport(self) -> Literal["http", "subprocess"]:
        """What calls go over; with ``auto`` this is where it is found out."""
        if self._chosen is None:
            self._chosen = "http" if await self._answers() else "subprocess"
        return self._chosen

    async def judge(
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
        return protocol.received(JudgeResult, (await self._call(request)).value)

    async def list_rubrics(self) -> ListRubricsResponse:
        return protocol.received(ListRubricsResponse, (await self._call(protocol.LIST_RUBRICS)).value)

    async def version(self) -> VersionResponse:
        return protocol.received(VersionResponse, (await self._call(protocol.VERSION)).value)

    async def ingest_traces(
        self,
        events: Iterable[protocol.Event] | AsyncIterable[protocol.Event],
        *,
        chunk_events: int = protocol.CHUNK_EVENTS,
        compress: Literal["gzip", "none"] = "gzip",
    ) -> protocol.IngestResult:
        """Sends events in chunks as they come. Accepted ones are on the server's disk when this returns."""
        accepted = rejected = 0
        errors: list[RejectedEvent] = []
        transport = await self.transport()

        async def send(lines: Sequence[bytes]) -> None:
            nonlocal accepted, rejected
            request = protocol.ingest_request(lines, compress, transport)
            answer = protocol.received(TracesIngestResponse, (await self._call(request)).value)
            accepted += answer.accepted
            rejected += answer.rejected
            errors.extend(answer.errors)

        if isinstance(events, AsyncIterable):
            held: list[protocol.Event] = []
            async for event in events:
                held.append(event)
                if len(held) >= chunk_events:
                    for lines in protocol.chunks_of(held, chunk_events):
                        await send(lines)
                    held = []
            events = held
        for lines in protocol.chunks_of(events, chunk_events):
            await send(lines)
        return protocol.IngestResult(accepted, rejected, errors)

    async def send_feedback(
        self, trajectory: FeedbackTrajectory | Mapping[str, Any], *, if_match: str | None = None
    ) -> protocol.FeedbackReceipt:
        """Keeps a record under its id. ``if_match`` takes the version of an earlier receipt."""
        answer = await self._call(protocol.feedback_request(trajectory, if_match))
        body = protocol.received(FeedbackResponse, answer.value)
        return protocol.FeedbackReceipt(body.id, body.persisted, answer.etag)

    async def _answers(self) -> bool:
        try:
            answer = protocol.answer_of(await self._http.get(protocol.VERSION.path, timeout=min(2.0, self._timeout_s)))
            return protocol.fits(protocol.received(VersionResponse, answer.value))
        except (httpx.HTTPError, AgentEvalError):
            return False

    async def _call(self, request: protocol.Request) -> protocol.Answer:
        if await self.transport() == "http":
            return await self._over_http(request)
        return await self._over_process(request)

    async def _over_http(self, request: protocol.Request) -> protocol.Answer:
        headers = {**request.headers, **({"content-type": request.media} if request.verb == "POST" else {})}
        ends_at = time.monotonic() + self._timeout_s
        attempt = 0
        while True:
            attempt += 1
            fault: httpx.Response | httpx.TransportError
            left = max(0.001, ends_at - time.monotonic())
            try:
                response = await self._http.request(
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
            await asyncio.sleep(wait)

    async def _over_process(self, request: protocol.Request) -> protocol.Answer:
        if "if-match" in request.headers:
            raise TransportError("if_match needs the http transport")
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                "rpc",
                request.method,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise protocol.transport_fault(error) from error
        try:
            work = process.communicate(request.body or b"{}")
            stdout, stderr = await asyncio.wait_for(work, self._timeout_s)
        except BaseException as error:
            # A call that is given up, by time or by its caller, leaves no process behind.
            if process.returncode is None:
                process.kill()
                await process.wait()
            if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
                raise TransportError(f"no answer within {self._timeout_s} s") from error
            raise
        return protocol.answer_of_output(stdout, stderr, process.returncode or 0)
