"""Examples on disk, plain and compressed: each word is found, and damage is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from polyseme._io.zstd import load_zstd
from polyseme.errors import ConfigError
from polyseme.examples import files
from polyseme.examples.store import ExampleReader, examples_line, no_examples

Writer = Callable[[Path, ExampleReader, int], NDArray[np.int64]]
Opener = Callable[[Path, NDArray[np.int64], list[str]], ExampleReader]

WORDS = [f'w"{i}' for i in range(600)]
SENSES = [[b'["of ","%d",""]' % i, b'["","%d"," \\"senses\\":"]' % i] for i in range(600)]
LINES = [b"" if i % 7 == 3 else examples_line(WORDS[i], SENSES[i]) for i in range(600)]
FRAME_BYTES = 2000  # of about forty words


def plain_reader(path: Path, index: NDArray[np.int64], words: list[str]) -> ExampleReader:
    return files.plain_reader(path, index, len(words))


FORMATS = [(files.write_plain, plain_reader), (files.write_compressed, files.compressed_reader)]


@pytest.fixture(autouse=True)
def small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FRAME_BYTES", FRAME_BYTES)


def lines(first: int, end: int) -> list[bytes]:
    return LINES[first:end]


@pytest.mark.parametrize(("write", "open_reader"), FORMATS)
@pytest.mark.parametrize("num_words", [1, 255, 256, 257, 600])
def test_every_range_of_words_is_read_as_it_was_written(
    num_words: int, write: Writer, open_reader: Opener, tmp_path: Path
) -> None:
    index = write(tmp_path / "examples", lines, num_words)
    read = open_reader(tmp_path / "examples", index, WORDS[:num_words])
    for first in range(0, num_words, 51):
        for end in (first, first + 1, min(first + 256, num_words), num_words):
            assert read(first, end) == LINES[first:end]


@pytest.mark.parametrize(("write", "open_reader"), FORMATS)
def test_a_model_without_examples_has_an_empty_file(write: Writer, open_reader: Opener, tmp_path: Path) -> None:
    index = write(tmp_path / "examples", no_examples, 600)
    assert (tmp_path / "examples").read_bytes() == b""
    assert open_reader(tmp_path / "examples", index, WORDS)(254, 258) == [b""] * 4


def test_a_compressed_file_can_be_decompressed_by_any_program(tmp_path: Path) -> None:
    files.write_compressed(tmp_path / "examples.zst", lines, 600)
    with load_zstd().open(tmp_path / "examples.zst") as file:
        text = file.read().split(b"\n")
    assert [json.loads(line) if line else None for line in text[:-1]] == [
        {"senses": json.loads(line)["senses"]} if line else None for line in LINES
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda index: index[:, :-1],
        lambda index: index[0],
        lambda index: index[None],
        lambda index: index[:1],
        lambda index: index + 1,
        lambda index: index[:, ::-1],
        lambda index: index[::-1],
        lambda index: index - [[0], [1]] * (index == index[:, -1:]),
        lambda index: index - [[1], [0]] * (index == index[:, -1:]),
        lambda index: np.insert(index, 1, index[:, 1], axis=1),
        lambda index: index * -1,
    ],
)
def test_an_index_that_does_not_divide_the_file_is_refused(
    change: Callable[[NDArray[np.int64]], NDArray[np.int64]], tmp_path: Path
) -> None:
    index = files.write_compressed(tmp_path / "examples", lines, 600)
    with pytest.raises(ValueError, match="does not have a word and an offset|that do not divide"):
        files.compressed_reader(tmp_path / "examples", change(index), WORDS)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b"not zstd at all", "a frame is damaged"),
        (load_zstd().compress(b"\n" * 256)[:-3], "a frame does not consist of the lines of 256 words"),
        (load_zstd().compress(b"\n" * 256) * 2, "a frame does not consist of the lines of 256 words"),
        (load_zstd().compress(b"\n" * 255), "a frame does not consist of the lines of 256 words"),
        (load_zstd().compress(b"\n" * 256 + b"x"), "a frame does not consist of the lines of 256 words"),
    ],
)
def test_a_damaged_frame_is_refused(frame: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "examples").write_bytes(frame)
    read = files.compressed_reader(tmp_path / "examples", np.array([[0, 256], [0, len(frame)]]), WORDS[:256])
    with pytest.raises(ValueError, match=message):
        read(0, 1)


def test_a_frame_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FRAME_BYTES", 1000)
    frame = load_zstd().compress(b"\n" * 10_000_000)
    (tmp_path / "examples").write_bytes(frame)
    read = files.compressed_reader(tmp_path / "examples", np.array([[0, 256], [0, len(frame)]]), WORDS[:256])
    with pytest.raises(ValueError, match="a frame does not consist of"):
        read(0, 1)
    with pytest.raises(ConfigError, match="the examples of a word have .* bytes; keep fewer per sense"):
        files.write_compressed(tmp_path / "more", lines, 600)


def test_a_plain_file_whose_last_line_has_no_end_is_refused(tmp_path: Path) -> None:
    index = files.write_plain(tmp_path / "examples", lines, 600)
    (tmp_path / "examples").write_bytes((tmp_path / "examples").read_bytes()[:-1])
    with pytest.raises(ValueError, match="whose last line has no end"):
        files.plain_reader(tmp_path / "examples", index, 600)
