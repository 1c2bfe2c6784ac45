"""Atomic writes: complete or absent, and nothing is lost on errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyseme._io.atomic import atomic_file, atomic_folder, replace_folder


def contents(folder: Path) -> dict[str, str]:
    """The text of all files in a folder, by relative path."""
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_a_file_is_replaced_when_it_is_complete(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with atomic_file(tmp_path / "a") as temporary:
        temporary.write_text("new")
        assert (tmp_path / "a").read_text() == "old"
    assert contents(tmp_path) == {"a": "new"}


def test_an_error_keeps_the_old_file_and_leaves_no_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")

    def interrupted() -> None:
        with atomic_file(tmp_path / "a") as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert contents(tmp_path) == {"a": "old"}


@pytest.mark.parametrize("own_temporary", [False, True])
def test_a_folder_is_replaced_when_it_is_complete(own_temporary: bool, tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "old").write_text("old")
    temporary = tmp_path / "work" / "m" if own_temporary else None
    if temporary is not None:
        temporary.mkdir(parents=True)
        (temporary / "leftover").write_text("of a killed process")
    with atomic_folder(tmp_path / "m", temporary) as folder:
        (folder / "new").write_text("new")
        assert (tmp_path / "m" / "old").exists()
    assert contents(tmp_path) == {"m/new": "new"}


def test_an_error_keeps_the_old_folder_and_leaves_no_other(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "old").write_text("old")

    def fail() -> None:
        with atomic_folder(tmp_path / "m") as folder:
            (folder / "new").write_text("half")
            raise ValueError("full")

    with pytest.raises(ValueError, match="full"):
        fail()
    assert contents(tmp_path) == {"m/old": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_a_folder_that_cannot_be_renamed_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "old").write_text("old")
    with pytest.raises(FileNotFoundError):
        replace_folder(tmp_path / "missing", tmp_path / "m")
    assert contents(tmp_path) == {"m/old": "old"}


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_a_file_or_dangling_link_is_replaced_by_a_folder(kind: str, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("old") if kind == "file" else (tmp_path / "m").symlink_to("missing")
    with atomic_folder(tmp_path / "m") as folder:
        (folder / "new").write_text("new")
    assert contents(tmp_path) == {"m/new": "new"}


def test_a_symbolic_link_is_replaced_and_its_target_kept(tmp_path: Path) -> None:
    for name in ("target", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    (tmp_path / "m").symlink_to(tmp_path / "target")
    replace_folder(tmp_path / "new", tmp_path / "m")
    assert not (tmp_path / "m").is_symlink()
    assert contents(tmp_path) == {"target/file": "target", "m/file": "new"}
    assert {path.name for path in tmp_path.iterdir()} == {"target", "m"}
