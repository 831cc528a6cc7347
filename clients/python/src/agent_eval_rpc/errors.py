"""What a call can fail with."""

from __future__ import annotations

from typing import Any


class AgentEvalError(Exception):
    """The server's no. ``code`` is the wire's, ``status`` the HTTP status where there was one."""

    def __init__(self, code: str, message: str, details: Any = None, status: int | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = details
        self.status = status


class ValidationError(AgentEvalError):
    """The request does not fit its schema."""


class RubricNotFoundError(AgentEvalError):
    """No rubric bears that name."""


class JudgeError(AgentEvalError):
    """The model gave no usable verdict."""


class TransportError(AgentEvalError):
    """No server, no program, no answer, or one that is not of this protocol."""

    def __init__(self, message: str, details: Any = None, status: int | None = None) -> None:
        super().__init__("transport_error", message, details, status)


_BY_CODE: dict[str, type[AgentEvalError]] = {
    "validation_error": ValidationError,
    "rubric_not_found": RubricNotFoundError,
    "judge_error": JudgeError,
}


def error_of(body: Any, status: int | None) -> AgentEvalError:
    """The error that an answer's body says, or a TransportError where it says none."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return TransportError("the answer is not of this protocol", body, status)
    code = error["code"]
    kind = _BY_CODE.get(code, AgentEvalError)
    return kind(code, str(error.get("message", "")), error.get("details"), status)
