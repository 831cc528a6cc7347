"""The package itself: versions in step, models fresh, new fields harmless, a wheel that works, types for every Python."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from agent_eval_rpc import WIRE_VERSION, JudgeResult, __version__

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]


def test_the_version_is_the_npm_packages() -> None:
    manifest = json.loads((ROOT / "packages/agent-eval/package.json").read_text())
    assert __version__ == manifest["version"]
    assert f'version = "{__version__}"' in (HERE / "pyproject.toml").read_text()


def test_the_wire_version_is_the_programs(cli: list[str]) -> None:
    out = subprocess.run([*cli, "version", "--json"], capture_output=True, check=True, text=True).stdout
    assert json.loads(out)["wireVersion"] == WIRE_VERSION


def test_models_are_fresh(cli: list[str], tmp_path: Path) -> None:
    sys.path.insert(0, str(HERE / "scripts"))
    from gen_models import models

    openapi = tmp_path / "openapi.json"
    subprocess.run([*cli, "openapi", "--out", str(openapi)], check=True)
    assert models(openapi) == (HERE / "src/agent_eval_rpc/models.py").read_text()


def test_a_field_that_a_later_server_adds_breaks_nothing() -> None:
    result = {
        "composite": 0.5,
        "dimensions": {},
        "failureModes": [],
        "wins": [],
        "rationale": "x",
        "rubricVersion": "r",
        "model": "m",
        "durationMs": 1,
        "later": {"new": True},
    }
    assert JudgeResult.model_validate(result).composite == 0.5


def test_the_wheel_builds_and_holds_its_types(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(HERE)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"agent_eval_rpc-{__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("__init__", "aio", "client", "errors", "models", "protocol", "version"):
        assert f"agent_eval_rpc/{name}.py" in names
    assert "agent_eval_rpc/py.typed" in names


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13"])
def test_types(python: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--python-version", python, "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
