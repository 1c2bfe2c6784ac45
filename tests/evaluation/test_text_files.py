"""Reading data sets line by line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polyseme.errors import DataError, MissingFile
from polyseme.evaluation.text_files import Line, read_lines


def test_lines_have_their_numbers_and_blank_ones_are_skipped_unless_kept(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_bytes(b"\xef\xbb\xbffirst\r\n\n  \nlast")
    assert [(line.number, line.text) for line in read_lines(path)] == [(1, "first"), (4, "last")]
    assert [line.number for line in read_lines(path, keep_blank=True)] == [1, 2, 3, 4]


def test_a_line_that_is_not_utf_8_is_read_as_latin_1(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_bytes("na\u00efve\n".encode() + b"na\xefve\n")
    assert [line.text for line in read_lines(tmp_path / "data.txt")] == ["na\u00efve", "na\u00efve"]


def test_columns_are_stripped_and_too_few_are_an_error_that_names_the_line() -> None:
    line = Line(Path("pairs.tsv"), 7, "a \t b")
    assert line.columns(2, "WORD WORD") == ["a", "b"]
    with pytest.raises(DataError, match=r"^pairs.tsv, line 7: 2 columns where 3 are needed: WORD WORD RATING\.$"):
        line.columns(3, "WORD WORD RATING")


def test_numbers_must_be_finite() -> None:
    line = Line(Path("pairs.tsv"), 2, "")
    assert line.parse_number(" 1.5e1 ") == 15
    with pytest.raises(DataError, match="pairs.tsv, line 2: 'x' is not a number."):
        line.parse_number("x")
    with pytest.raises(DataError, match="pairs.tsv, line 2: 'inf' is not a finite number."):
        line.parse_number("inf")


def test_files_without_lines_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" \n")
    with pytest.raises(DataError, match=r"empty.txt is empty\."):
        list(read_lines(tmp_path / "empty.txt"))
    for path in (tmp_path, tmp_path / "missing.txt"):
        with pytest.raises(MissingFile, match="is not a file; name the data set's file"):
            list(read_lines(path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no such device")
def test_devices_are_refused_because_some_never_end() -> None:
    with pytest.raises(DataError, match="/dev/full is a device or a pipe, not a file; name the data set's file"):
        list(read_lines(Path("/dev/full")))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_refused_because_it_may_have_no_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "data.txt")
    with pytest.raises(DataError, match=r"data\.txt is a device or a pipe, not a file"):
        list(read_lines(tmp_path / "data.txt"))


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no /dev/fd")
def test_the_pipe_of_a_shell_substitution_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"a line\n")
    os.close(writer)
    assert [line.text for line in read_lines(Path(f"/dev/fd/{reader}"))] == ["a line"]
    os.close(reader)
