"""Answers of the API: JSON with a status, and the errors that become one."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from polyseme._io.strict_json import only_finite


class ApiError(Exception):
    """An error to answer with: a status, a sentence, and further fields and headers."""

    def __init__(self, status: int, message: str, *, headers: dict[str, str] | None = None, **fields: object) -> None:
        super().__init__(message)
        self.status, self.message, self.fields, self.headers = status, message, fields, headers or {}

    def response(self) -> Response:
        return json_response({"error": self.message, **self.fields}, self.status, self.headers)


def busy(message: str = "the server is busy; try again in a second.") -> ApiError:
    return ApiError(503, message, headers={"Retry-After": "1"})


def to_json(value: Any) -> bytes:
    """A value as JSON in UTF-8. Numbers that are not finite, which damaged vectors give, become null."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(only_finite(value), ensure_ascii=False)
    return text.encode("utf-8", "replace")


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(to_json(value), status, headers, "application/json")
