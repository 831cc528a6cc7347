"""A real server, and the real program, for every test."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "packages/agent-eval/dist/bin/agent-eval.js"
VERDICT = {"dimensions": {"buyer_quality": 1, "voice": 0, "signal": 0.5}, "failureModes": ["ai-cadence"], "rationale": "x"}


def pytest_sessionstart(session: pytest.Session) -> None:
    if not PROGRAM.exists():
        raise pytest.UsageError("the program is not built; npm run build makes it")


@pytest.fixture(scope="session")
def cli() -> list[str]:
    return ["node", str(PROGRAM)]


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("record") / "answers.jsonl"
    lines = [
        {"answer": "prose", "match": {"content": "bad"}},
        {"answer": "prose", "match": {"content": "bad"}},
        {"answer": json.dumps(VERDICT)},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.fixture(autouse=True)
def surroundings(record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("AGENT_EVAL_", "OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AGENT_EVAL_LLM_PROVIDER", f"replay:{record}")
    monkeypatch.setenv("AGENT_EVAL_HOME", str(tmp_path / "home"))


@pytest.fixture
def server(cli: list[str], tmp_path: Path, surroundings: None) -> Iterator[str]:
    yield from running([*cli, "serve", "--port", "0", "--store", str(tmp_path / "store")])


@pytest.fixture
def closed_server(cli: list[str], tmp_path: Path, surroundings: None) -> Iterator[str]:
    token = tmp_path / "token"
    token.write_text("secret")
    yield from running([*cli, "serve", "--port", "0", "--store", "none", "--token-file", str(token)])


def running(command: list[str]) -> Iterator[str]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        yield found.group()
        process.terminate()
        assert process.wait(20) == 0
