"""Makes src/agent_eval_rpc/models.py out of an openapi.json: ``python gen_models.py OPENAPI OUT``."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

OPTIONS = [
    "--input-file-type", "openapi",
    "--output-model-type", "pydantic_v2.BaseModel",
    "--target-python-version", "3.10",
    "--snake-case-field",
    "--use-standard-collections",
    "--use-union-operator",
    "--disable-timestamp",
    "--enum-field-as-literal", "all",
    "--allow-population-by-field-name",
    "--strict-nullable",
    "--use-annotated",
    "--collapse-root-models",
    "--formatters", "builtin",
]  # fmt: skip

HEAD = '"""The wire\'s shapes. Generated from openapi.json by scripts/gen_models.py; do not edit."""\n'


def models(openapi: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "openapi.json"
        source.write_bytes(openapi.read_bytes())
        made = Path(folder) / "models.py"
        program = [sys.executable, "-m", "datamodel_code_generator"]
        command = [*program, "--input", str(source), "--output", str(made), *OPTIONS]
        subprocess.run(command, check=True, capture_output=True, text=True)
        text = made.read_text()
    # Type checkers take an assignment to __annotations__ for what it is; extra='allow' says the same.
    text = re.sub(r" {4}__annotations__ = \{\n.*?\n {4}\}\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^from typing import (.*)$", _without_dict, text, count=1, flags=re.MULTILINE)
    return HEAD + re.sub(r"\A(?:#[^\n]*\n)+", "", text)


def _without_dict(found: re.Match[str]) -> str:
    return "from typing import " + ", ".join(name for name in found.group(1).split(", ") if name != "Dict")


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(models(Path(sys.argv[1])))
