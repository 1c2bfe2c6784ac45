"""Hostile files. An audit hook checks that nothing outside the folder of the case is opened.

Allowed are that folder, Python with its libraries and caches, the files that the command names, and /proc and /sys.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from .commands import run
from .hostile_files import SECRET, Command, Hostile, hostile_cases
from .results import Context, Part, Result

HOSTILE = list(hostile_cases())
BOMB_SECONDS = 60.0
RUNNING = ("socket.connect", "subprocess.Popen", "os.system", "os.exec")  # events that no command needs


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    secret = context.scratch / SECRET
    secret.write_text("{}")
    for number in numbers:
        case = HOSTILE[number]
        folder = context.scratch / "case"
        folder.mkdir()
        shutil.copytree(context.targets / "np.model", folder / "m")
        shutil.copy(context.targets / "text.txt", folder)
        try:
            case.make(folder)
            problem = next(filter(None, (_problem(case, command, folder, secret) for command in case.commands)), "")
            yield Result(
                case.kind, "refused" if case.statuses == (2,) else "ended", problem and f"{case.name}: {problem}"
            )
        finally:
            shutil.rmtree(folder)


def _problem(case: Hostile, command: Command, folder: Path, secret: Path) -> str:
    """What is wrong after one of the commands of a case."""
    log = folder / "opened"
    harmless = case.kind == "model" and command[0] == "info" and "has " in case.name
    seconds = BOMB_SECONDS if case.kind == "bomb" else 20.0
    outcome = run(command, folder, before=lambda: _record_opens(log), seconds=seconds)
    problem = outcome.problem(*case.statuses, *([0] if harmless else [])) or _outside(log, folder, command)
    if not problem and secret.read_text() != "{}":
        problem = "a file outside the folder was written"
    if not problem and (folder / "harm").exists():
        problem = "code in a file was run"
    for path in folder.glob("out*"):
        if path.name != "out.training":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return problem and f"{' '.join(command)}: {problem}"


def _record_opens(log: Path) -> None:
    """Append the path of each file that this process opens to a log, which its parent reads."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes):
            os.write(descriptor, json.dumps(os.fsdecode(arguments[0])).encode() + b"\n")
        elif event in RUNNING:
            os.write(descriptor, json.dumps(f"!{event}").encode() + b"\n")

    sys.addaudithook(hook)


def _outside(log: Path, folder: Path, command: Command) -> str:
    """The first file that was opened and is not allowed, or the first event that no command needs."""
    root, here = Path(__file__).resolve().parents[2], folder.resolve()
    cache = Path(os.environ.get("NUMBA_CACHE_DIR", root / "src"))
    allowed = (here, Path(sys.prefix), Path(sys.base_prefix), root / "src", cache, Path("/proc"), Path("/sys"))
    for line in log.read_text().splitlines():
        name = json.loads(line)
        path = Path(os.path.normpath(here / name))
        if name.startswith("!"):
            return str(name[1:])
        if name in command or name == os.devnull:
            continue
        if not any(path.is_relative_to(place) for place in allowed):
            return f"opened {name}"
        if path.is_relative_to(here) and not path.resolve().is_relative_to(here):
            return f"opened {name}, a link to {path.resolve()}"
    return ""


PART = Part(
    "hostile",
    "Hostile files: paths, links, FIFOs, devices, decompression bombs, false sizes, XML entities, NaN and infinity",
    "refused in one line, or read within 1 GB; nothing outside the folder is opened",
    len(HOSTILE),
    cases,
)
