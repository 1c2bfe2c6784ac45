"""Every option of every command with absurd values, and every pair of options of `train` with valid ones."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

from .batch import Batch
from .results import Context, Part, Result
from .targets import SMALL

ABSURD = ("", "-1", "0", "1", "1.5", "nan", "inf", "-inf", "1e999", "9" * 30, "-" + "9" * 30, "0x10", "x", "é東", " ",
          "true", "None", "[]", "a,b", "../..", "/", "/dev/null", "-", "--", "\t", "text.txt", "y" * 5000)  # fmt: skip
BASE: dict[str, list[str]] = {
    "train": ["train", "text.txt", "out"],
    "encode": ["encode", "text.txt", "out"],
    "senses": ["senses", "np.model", "bank"],
    "neighbours": ["neighbours", "np.model", "bank"],
    "disambiguate": ["disambiguate", "np.model", "bank", "the river bank"],
    "tag": ["tag", "np.model", "text.txt"],
    "similarity": ["similarity", "np.model", "bank", "river"],
    "refine": ["refine", "np.model", "out"],
    "evaluate": ["evaluate", "np.model", "health"],
    "export": ["export", "np.model", "out.vec"],
    "import": ["import", "v.vec", "out"],
    "info": ["info", "np.model"],
    "explore": ["explore", "np.model", "--no-browser"],
    "demo": ["demo", "out"],
    "reproduce": ["reproduce", "text.txt", "out"],
}
STOP_SECONDS = 1.0
EXPLORE_SECONDS = 3.0  # of elapsed time
# Values that are valid and differ from the defaults, for pairs of options.
VALID = {"int": "3", "float": "0.5", "str": "words"}


class Option(NamedTuple):
    name: str
    kind: Any
    is_flag: bool


def options_of(command: str) -> list[Option]:
    """The options of a command, from its own description."""
    from polyseme.cli.app import app

    arguments = app[command].assemble_argument_collection()
    found = []
    for argument in arguments:
        names = [name for name in argument.names if name.startswith("--")]
        if names:
            found.append(Option(names[0], argument.hint, argument.hint is bool))
    return found


def all_cases() -> list[tuple[str, list[str]]]:
    """The kind and the arguments of each case, in an order that depends on the code alone."""
    found: list[tuple[str, list[str]]] = []
    for command, base in BASE.items():
        for option in options_of(command):
            values = ABSURD if not option.is_flag else ("", "x", "-1")
            found += [(f"{command}: absurd values", [*base, f"{option.name}={value}"]) for value in values]
            found.append((f"{command}: no value", [*base, option.name]))
            found.append((f"{command}: given twice", [*base, *2 * [f"{option.name}={VALID['int']}"]]))
        found.append((f"{command}: unknown option", [*base, "--no-such-option"]))
        for i in range(1, len(base)):
            found += [(f"{command}: absurd arguments", [*base[:i], value, *base[i + 1 :]]) for value in ABSURD]
        found.append((f"{command}: no arguments", [command]))
        found.append((f"{command}: too many arguments", [*base, "x", "y", "z"]))
    for first, second in combinations(options_of("train"), 2):
        found.append(("train: pairs of options", [*BASE["train"], *_valid(first), *_valid(second)]))
    return found


def _valid(option: Option) -> list[str]:
    if option.is_flag:
        return [option.name]
    kinds = [option.kind, *get_args(option.kind)]
    literals = [value for kind in kinds if get_origin(kind) is Literal for value in get_args(kind)]
    if literals:
        return [option.name, str(literals[-1])]
    if Path in kinds:
        return [option.name, "lists/a.txt"]
    return [option.name, VALID["float" if float in kinds else "int" if int in kinds else "str"]]


def _without_ray() -> None:
    """Make Ray seem not to be installed: starting a cluster would take longer than all other cases."""
    sys.modules["ray"] = None  # type: ignore[assignment]


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    everything = all_cases()
    batch = Batch(context.scratch, before=_without_ray)
    for number in numbers:
        kind, arguments = everything[number * 7919 % len(everything)]  # mixed, so that any part of them is a sample
        folder = context.scratch / "options"
        folder.mkdir()
        for name in ("text.txt", "np.model", "v.vec", "lists"):
            (folder / name).symlink_to(context.targets / name)
        small = SMALL if arguments[0] == "train" and "absurd" in kind else []
        given = {argument.partition("=")[0] for argument in arguments}
        extra = [part for i in range(0, len(small) - 1, 2) if small[i] not in given for part in small[i : i + 2]]
        outcome = batch.run([*arguments, *extra], folder, EXPLORE_SECONDS if "explore" in arguments else STOP_SECONDS)
        problem = outcome.problem(0, 1, 2, 143)
        if not problem:
            left = {p.name for p in folder.iterdir() if p.name.startswith(".")}
            problem = f"left behind: {', '.join(left)}" if left else ""
        status = {0: "accepted", 1: "nothing found", 2: "refused"}.get(outcome.status, "stopped")
        yield Result(kind, status, problem and f"{[argument[:50] for argument in arguments]}: {problem}")
        shutil.rmtree(folder)
    batch.close()


PART = Part(
    "options",
    "Every option with invalid values and types, every pair of options of train",
    "accepted, or refused in one line",
    8000,
    cases,
)
