"""JSON without NaN and infinity, and JSON from files that may be damaged: every problem is a ValueError."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from polyseme._io.plain_files import plain_file_size
from polyseme.errors import shorten

TYPE_NAMES = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def parse_json(text: str | bytes) -> Any:
    """A JSON document. ValueError also for deep nesting, lone surrogates, and numbers that are too large or not finite.

    >>> parse_json('{"loss": 1e999}')
    Traceback (most recent call last):
    ValueError: 1e999 is not a finite number
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    try:
        value = _DECODER.decode(text)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair cannot be written
    except UnicodeEncodeError:
        raise ValueError("a string has half of a surrogate pair") from None
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None
    return value


def only_finite(value: Any) -> Any:
    """The same value with None for NaN and infinity, which JSON does not have.

    >>> only_finite({"scores": (0.5, float("nan"))})
    {'scores': [0.5, None]}
    """
    if isinstance(value, Mapping):
        return {name: only_finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [only_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a regular file."""
    plain_file_size(path)
    values = parse_json(path.read_bytes())
    if not isinstance(values, dict):
        raise ValueError("it is not a JSON object")
    return values


def check_types(values: Mapping[str, Any], types: Mapping[str, type]) -> None:
    """Raise ValueError if one of the values is missing or has another type. A float may be written as an integer.

    >>> check_types({"tokens": "12"}, {"tokens": int})
    Traceback (most recent call last):
    ValueError: 'tokens' must be a whole number, not '12'
    """
    for name, kind in types.items():
        if name not in values:
            raise ValueError(f"'{name}' is missing")
        value = values[name]
        accepted = (int, float) if kind is float else kind
        if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"'{name}' must be {TYPE_NAMES[kind]}, not {shorten(repr(value))}")


def _parse_int(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
        raise ValueError(f"{shorten(text)} is too large a number")
    return int(text)


def _parse_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{shorten(text)} is not a finite number")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a finite number")


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_DECODER = json.JSONDecoder(parse_int=_parse_int, parse_float=_parse_float, parse_constant=_refuse_constant)
