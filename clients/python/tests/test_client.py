"""Both clients over both transports, against the real server and the real program."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from agent_eval_rpc import (
    AgentEvalError,
    AsyncClient,
    Client,
    FeedbackTrajectory,
    JudgeError,
    RubricNotFoundError,
    TraceEvent,
    TransportError,
    ValidationError,
)

INLINE = {"name": "r", "description": "d", "systemPrompt": "s", "dimensions": [{"id": "buyer_quality", "description": "x"}]}
FEEDBACK = {"id": "t", "task": {"intent": "x"}, "createdAt": "2026-08-01T00:00:00Z"}


def event(n: int, **more: Any) -> dict[str, Any]:
    return {"eventId": f"e{n}", "runId": "r", "kind": "log", "timestamp": n, "payload": {}, **more}


@pytest.fixture(params=["http", "subprocess"])
def client(request: pytest.FixtureRequest, cli: list[str], server: str) -> Iterator[Client]:
    with Client(server, cli_path=cli, transport=request.param) as one:
        yield one


class Sync:
    """The async client, called as the other one is, so that one suite serves both."""

    def __init__(self, client: AsyncClient) -> None:
        self.client = client
        self.loop = asyncio.new_event_loop()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)
        return lambda *args, **more: self.loop.run_until_complete(method(*args, **more))


@pytest.fixture(params=["http", "subprocess", "async http", "async subprocess"])
def any_client(request: pytest.FixtureRequest, cli: list[str], server: str) -> Iterator[Any]:
    kind, _, transport = request.param.rpartition(" ")
    if kind == "":
        with Client(server, cli_path=cli, transport=transport) as one:
            yield one
        return
    other = Sync(AsyncClient(server, cli_path=cli, transport=transport))
    yield other
    other.aclose()
    other.loop.close()


def test_judge(any_client: Any) -> None:
    result = any_client.judge(rubric_name="anti-slop", content="x", context={"platform": "x"})
    assert result.composite == pytest.approx(0.6)
    assert result.dimensions == {"buyer_quality": 1, "voice": 0, "signal": 0.5}
    assert result.failure_modes == ["ai-cadence"]
    listed = {rubric.name: rubric.rubric_version for rubric in any_client.list_rubrics().rubrics}
    assert result.rubric_version == listed["anti-slop"]


def test_judge_with_an_inline_rubric_and_errors(any_client: Any) -> None:
    with pytest.raises(JudgeError) as caught:
        any_client.judge(rubric=INLINE, content="bad")
    assert caught.value.code == "judge_error"
    assert caught.value.details["attempts"] == 2
    with pytest.raises(RubricNotFoundError):
        any_client.judge(rubric_name="__proto__", content="x")
    with pytest.raises(ValidationError):
        any_client.judge(rubric_name="anti-slop", rubric=INLINE, content="x")
    with pytest.raises(ValidationError):
        any_client.judge(rubric_name="anti-slop", content="")
    for error in (JudgeError, RubricNotFoundError, ValidationError, TransportError):
        assert issubclass(error, AgentEvalError)


def test_version(any_client: Any) -> None:
    version = any_client.version()
    assert version.package == "@tangle-network/agent-eval"
    assert version.wire_version == "1.0.0"
    assert version.api_surface == ["judge", "listRubrics", "version", "feedback.ingest", "traces.ingest"]


def test_ingest_and_feedback(any_client: Any) -> None:
    model = TraceEvent(eventId="m", runId="r", kind="log", timestamp=1, payload={"n": 2**70})
    events = [model, *(event(n) for n in range(10)), event(99, kind="zzz")]
    result = any_client.ingest_traces(iter(events), chunk_events=4)
    assert (result.accepted, result.rejected) == (11, 1)
    assert result.errors[0].event_id == "e99"
    assert any_client.ingest_traces([]).accepted == 0
    receipt = any_client.send_feedback(FeedbackTrajectory.model_validate(FEEDBACK))
    assert (receipt.id, receipt.persisted) == ("t", True)
    with pytest.raises(ValidationError):
        any_client.send_feedback({**FEEDBACK, "createdAt": "yesterday"})


def test_events_arrive_as_they_were_given(server: str, cli: list[str], tmp_path: Any) -> None:
    strange = [
        event(1, payload={"big": 2**70, "text": "é😀", "__proto__": {"x": 1}}),
        event(2, payload={"lone": "\ud800"}),
        event(3, unknown=[None, True, 1.5]),
    ]
    with Client(server) as one:
        assert one.ingest_traces(strange).accepted == 3
    command = [*cli, "traces", "export", "--store", str(tmp_path / "store")]
    out = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert [json.loads(line) for line in out.splitlines()] == strange


def test_chunks_stay_below_the_servers_bounds(server: str) -> None:
    with Client(server) as one:
        many = one.ingest_traces((event(n) for n in range(25_000)), chunk_events=10_000)
        assert many.accepted == 25_000
        large = one.ingest_traces((event(n, payload={"x": "y" * 1_000_000}) for n in range(30)), compress="none")
        assert large.accepted == 30


def test_async_iterables(server: str) -> None:
    async def stream() -> AsyncIterator[dict[str, Any]]:
        for n in range(7):
            yield event(n)

    async def work() -> int:
        async with AsyncClient(server) as one:
            return (await one.ingest_traces(stream(), chunk_events=3)).accepted

    assert asyncio.run(work()) == 7


def test_two_reviewers(server: str) -> None:
    with Client(server, transport="http") as one:
        first = one.send_feedback(FEEDBACK)
        assert first.version == '"1"'
        assert one.send_feedback(FEEDBACK, if_match=first.version).version == '"2"'
        with pytest.raises(AgentEvalError) as caught:
            one.send_feedback(FEEDBACK, if_match=first.version)
        assert (caught.value.code, caught.value.status) == ("precondition_failed", 412)


def test_auto_takes_http_where_a_server_answers(server: str, cli: list[str]) -> None:
    with Client(server, cli_path=cli) as one:
        assert one.transport == "http"
        assert one.version().wire_version == "1.0.0"
    with Client("http://127.0.0.1:1", cli_path=cli) as other:
        assert other.transport == "subprocess"
        assert other.version().wire_version == "1.0.0"


def test_tokens(closed_server: str) -> None:
    with Client(closed_server, transport="http") as one, pytest.raises(AgentEvalError) as caught:
        one.list_rubrics()
    assert (caught.value.code, caught.value.status) == ("unauthorized", 401)
    with Client(closed_server, token="secret") as other:
        assert other.transport == "http"
        assert len(other.list_rubrics().rubrics) == 3


def test_transport_errors(cli: list[str]) -> None:
    with Client("http://127.0.0.1:1", transport="http", timeout_s=2) as one, pytest.raises(TransportError):
        one.version()
    with Client(cli_path="/no/such/program", transport="subprocess") as two, pytest.raises(TransportError):
        two.version()
    with Client(cli_path=["node", "-e", "console.log('x')"], transport="subprocess") as three, pytest.raises(TransportError):
        three.version()
    slow = ["node", "-e", "setTimeout(() => {}, 60000)"]
    with Client(cli_path=slow, transport="subprocess", timeout_s=0.5) as four, pytest.raises(TransportError):
        four.version()
    with pytest.raises(ValueError, match="transport is"):
        Client(transport="carrier pigeon")  # type: ignore[arg-type]

    async def hangs() -> None:
        async with AsyncClient(cli_path=slow, transport="subprocess", timeout_s=0.5) as five:
            await five.version()

    with pytest.raises(TransportError):
        asyncio.run(hangs())


class Script:
    """A server that answers by script: one status a call, then 200."""

    def __init__(self, *statuses: int, body: bytes = b'{"id":"t","persisted":true}') -> None:
        self.calls = 0
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                status = statuses[script.calls] if script.calls < len(statuses) else 200
                script.calls += 1
                answer = body if status == 200 else b'{"error":{"code":"c","message":"m","details":null}}'
                self.send_response(status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


def test_retries_where_they_are_safe() -> None:
    mends = Script(503, 429)
    with Client(mends.url, transport="http") as one:
        assert one.send_feedback(FEEDBACK).persisted
    assert mends.calls == 3
    stays = Script(503, 503, 503, 503)
    with Client(stays.url, transport="http") as two, pytest.raises(AgentEvalError):
        two.send_feedback(FEEDBACK)
    assert stays.calls == 3
    final = Script(500)
    with Client(final.url, transport="http") as three, pytest.raises(AgentEvalError):
        three.send_feedback(FEEDBACK)
    assert final.calls == 1


def test_a_judgement_that_may_have_been_paid_is_not_repeated() -> None:
    paid = Script(503)
    with Client(paid.url, transport="http") as one, pytest.raises(AgentEvalError):
        one.judge(rubric_name="r", content="x")
    assert paid.calls == 1
    precondition = Script(503)
    with Client(precondition.url, transport="http") as two, pytest.raises(AgentEvalError):
        two.send_feedback(FEEDBACK, if_match='"1"')
    assert precondition.calls == 1


def test_an_answer_that_is_not_of_this_protocol() -> None:
    for body in (b"<html>", b"{}", b"[]"):
        odd = Script(body=body)
        with Client(odd.url, transport="http") as one, pytest.raises(TransportError):
            one.send_feedback(FEEDBACK)
