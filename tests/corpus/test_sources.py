"""Sources: files, globs, folders, compressed files."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from polyseme.corpus.sources import find_sources
from polyseme.errors import CorpusError, MissingFile

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


def names(*found: str | Path) -> list[str]:
    return [Path(source.path).name for source in find_sources(found)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name in ("b.txt", "a.txt", "notes.md", "sub/c.txt.gz"):
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def test_a_folder_is_its_texts_in_order_and_those_below_it(folder: Path) -> None:
    assert names(folder) == ["a.txt", "b.txt", "c.txt.gz"]


def test_a_glob_is_what_it_matches(folder: Path) -> None:
    assert names(f"{folder}/*.txt") == ["a.txt", "b.txt"]
    assert names(f"{folder}/**/*.gz") == ["c.txt.gz"]


def test_a_file_named_twice_is_read_once(folder: Path) -> None:
    assert names(folder / "a.txt", folder) == ["a.txt", "b.txt", "c.txt.gz"]


def test_a_file_whose_name_looks_like_a_glob_is_found(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").write_bytes(b"")
    assert names(tmp_path / "a[1].txt") == ["a[1].txt"]


@pytest.mark.parametrize("ending", COMPRESS)
def test_compressed_files_are_read_as_what_they_hold(ending: str, tmp_path: Path) -> None:
    text = "ein Fluß\n".encode() * 1000
    (tmp_path / f"a.txt{ending}").write_bytes(COMPRESS[ending](text))
    with find_sources(tmp_path)[0].open() as stream:
        assert stream.read() == text


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="nothing.txt is not there"):
        find_sources(tmp_path / "nothing.txt")


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"holds no text: no file there ends in \.txt"):
        find_sources(tmp_path)
