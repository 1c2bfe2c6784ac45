"""Reading JSON of damaged files: every problem is a ValueError."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polyseme._io.strict_json import check_types, parse_json, read_json_object


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[NaN]", "NaN is not a finite number"),
        ("[-Infinity]", "-Infinity is not a finite number"),
        ("[1e400]", "1e400 is not a finite number"),
        ("[9223372036854775808]", "too large a number"),
        ("9" * 5000, r"999\.\.\. is too large a number"),
        (r'["\ud800"]', "half of a surrogate pair"),
        (r'{"\uDFFF": 1}', "half of a surrogate pair"),
        ("", "Expecting value"),
        (b'"\xff"', "decode byte"),
    ],
)
def test_a_value_that_other_code_cannot_handle_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_json(text)


def test_valid_json_is_parsed() -> None:
    assert parse_json(r'["\ud83d\ude00"]') == ["😀"]
    assert parse_json('{"a": [1, -2.5e-3, "ü", null, true, -9223372036854775808]}'.encode()) == {
        "a": [1, -0.0025, "ü", None, True, -(2**63)]
    }


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_only_a_regular_file_is_read(kind: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('{"a": 1}')
    path = tmp_path / "config.json"
    if kind == "link":
        path.symlink_to("secret")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(ValueError, match=r"config\.json is (a symbolic link|not a regular file)"):
        read_json_object(path)
    assert read_json_object(tmp_path / "secret") == {"a": 1}


def test_types_are_checked() -> None:
    check_types({"loss": 1, "name": "x", "exact": False, "extra": None}, {"loss": float, "name": str, "exact": bool})
    for value, kind in ((True, int), (1.0, int), ("1", float), (1, bool), (None, str), ({}, list)):
        with pytest.raises(ValueError, match="'x' must be"):
            check_types({"x": value}, {"x": kind})
    with pytest.raises(ValueError, match="'x' is missing"):
        check_types({}, {"x": int})
