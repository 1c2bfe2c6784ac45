"""Sources: files, globs, folders, compressed files."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import select
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from polyseme.corpus.readers.registry import read_blocks
from polyseme.corpus.sources import find_sources
from polyseme.errors import CorpusError, Interrupted, MissingFile

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


def names(*paths: str | Path) -> list[str]:
    return [Path(source.path).name for source in find_sources(paths)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name in ("b.txt", "a.txt", "notes.md", "sub/c.txt.gz"):
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def test_a_folder_gives_its_text_files_recursively_and_sorted(folder: Path) -> None:
    assert names(folder) == ["a.txt", "b.txt", "c.txt.gz"]


def test_a_glob_gives_the_files_it_matches(folder: Path) -> None:
    assert names(f"{folder}/*.txt") == ["a.txt", "b.txt"]
    assert names(f"{folder}/**/*.gz") == ["c.txt.gz"]


def test_a_file_given_twice_is_read_once(folder: Path) -> None:
    assert names(folder / "a.txt", folder) == ["a.txt", "b.txt", "c.txt.gz"]


def test_a_file_whose_name_looks_like_a_glob_is_found(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").write_bytes(b"")
    assert names(tmp_path / "a[1].txt") == ["a[1].txt"]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_are_decompressed(suffix: str, tmp_path: Path) -> None:
    text = "ein Fluß\n".encode() * 1000
    (tmp_path / f"a.txt{suffix}").write_bytes(COMPRESS[suffix](text))
    with find_sources(tmp_path)[0].open() as stream:
        assert stream.read() == text


def test_a_suffix_of_compression_may_have_capitals(tmp_path: Path) -> None:
    (tmp_path / "A.TXT.GZ").write_bytes(gzip.compress(b"a text\n"))
    source = find_sources(tmp_path)[0]
    assert next(read_blocks(source)).text == b"a text\n"


def test_a_source_is_unchanged_until_its_file_is_written_or_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    source = find_sources(path)[0]
    assert source.unchanged
    path.write_text("other")
    assert not source.unchanged
    path.unlink()
    assert not source.unchanged
    assert not find_sources("-")[0].unchanged


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="nothing.txt does not exist"):
        find_sources(tmp_path / "nothing.txt")


def test_an_empty_path_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"the path of the corpus is empty; .*pass sentences as texts=\[...\]"):
        find_sources("")


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"has no files for the reader 'text'; their names must end in \.txt"):
        find_sources(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX terminal")
def test_input_of_a_terminal_that_is_discarded_before_it_is_read_does_not_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As by Ctrl-C between `select`, which announces the input, and the read."""
    import pty

    ours, terminal = pty.openpty()

    def announce_input(*_: object) -> tuple[list[int], list[int], list[int]]:
        monkeypatch.undo()
        return [terminal], [], []

    def stop() -> None:
        raise Interrupted("stopped.")

    with open(terminal) as stdin:  # noqa: PTH123 - of a descriptor
        monkeypatch.setattr(sys, "stdin", stdin)
        with find_sources("-")[0].open(wait=stop) as stream:
            monkeypatch.setattr(select, "select", announce_input)
            with pytest.raises(Interrupted):
                stream.read(1)
    os.close(ours)
