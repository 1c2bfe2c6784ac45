"""Lines of vector files: a line that no vector file has is refused before it fills the memory."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from pathlib import Path

import pytest

from polyseme.errors import DataError
from polyseme.formats import lines
from polyseme.formats.lines import numbered_lines
from polyseme.formats.open_model import open_model
from polyseme.formats.text_file import _parse

STARTS = {
    "word2vec": b"2 2\nbank 1 0\n",
    "glove": b"bank 1 0\n",
    "authors": b"3 2 2 1\nbank 1\n1 0\n",
}


@pytest.mark.parametrize("layout", STARTS)
def test_a_giant_line_is_refused_in_little_memory(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(STARTS[layout])
        for _ in range(100):
            file.write(b"x" * 1_000_000)
    _parse(b"bank 1 0\n", 2, True)  # loads the kernel, whose memory is not measured
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"vectors\.gz, line \d: longer than 4,194,304 bytes"):
            open_model(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000


def test_a_header_of_spaces_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "vectors.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"2 2")
        for _ in range(100):
            file.write(b" " * 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"vectors\.gz"):
            open_model(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000


def test_lines_are_numbered_and_may_be_as_long_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 4)
    assert list(numbered_lines(io.BytesIO(b"abc\n\nab"), Path("v"), 2)) == [(2, b"abc\n"), (3, b"\n"), (4, b"ab")]
    with pytest.raises(DataError, match="v, line 3: longer than 4 bytes"):
        list(numbered_lines(io.BytesIO(b"abc\nabcd\n"), Path("v"), 2))


@pytest.mark.parametrize("number", [b"y" * 1_000_000, b"9" * 1_000_000])
def test_a_giant_value_is_shortened_in_the_message(number: bytes, tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(b"2 2\nbank 1 0\nriver 1 " + number + b"\n")
    with pytest.raises(DataError, match=r"line 3: '.*\.\.\.' is not a (finite )?number") as error:
        open_model(tmp_path / "vectors")
    assert len(str(error.value)) < 300
