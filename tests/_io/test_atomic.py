"""Atomic writes: complete or absent, and nothing is lost on errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from polyseme._io import atomic
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


def ended_process() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.skipif(sys.platform == "win32", reason="cannot tell whether a process is running")
@pytest.mark.parametrize("write", [atomic_file, atomic_folder])
def test_what_killed_processes_have_left_is_removed_by_the_next_one(write: Any, tmp_path: Path) -> None:
    ended = ended_process()
    for name in (f".a.{ended}.part", f".a.{ended}.part.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("left")
    others = {f".a.{os.getppid()}.part", f".b.{ended}.part", ".a.x.part", f".ab.{ended}.part"}
    for name in others:
        (tmp_path / name).write_text("of somebody else")
    (tmp_path / "a").mkdir() if write is atomic_folder else (tmp_path / "a").touch()
    with write(tmp_path / "a") as temporary:
        (temporary / "new" if write is atomic_folder else temporary).write_text("new")
    assert {path.name for path in tmp_path.iterdir()} == {"a", *others}


@pytest.mark.skipif(sys.platform == "win32", reason="cannot tell whether a process is running")
def test_a_folder_that_a_killed_process_had_moved_away_is_kept_if_the_next_one_fails(tmp_path: Path) -> None:
    moved = tmp_path / f".m.{ended_process()}.part.old"
    moved.mkdir()
    (moved / "old").write_text("old")

    def fail() -> None:
        with atomic_folder(tmp_path / "m"):
            raise ValueError("full")

    with pytest.raises(ValueError, match="full"):
        fail()
    assert contents(tmp_path) == {"m/old": "old"}


@pytest.mark.parametrize("can_exchange", [True, False])
def test_readers_find_a_folder_at_any_moment_if_the_system_can_exchange_two(
    can_exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_exchange:
        monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    elif sys.platform != "linux":
        pytest.skip("only Linux can")
    for name in ("m", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    renamed: list[Path] = []
    rename = Path.rename

    def recorded(path: Path, target: Path) -> Path:
        renamed.append(path)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", recorded)
    replace_folder(tmp_path / "new", tmp_path / "m")
    assert [path.name for path in tmp_path.rglob("*")] == ["m", "new"]
    assert [path.name for path in renamed] == ([] if can_exchange else ["m", "new"])
