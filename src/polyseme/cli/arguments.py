"""Arguments that several commands share, and how their values are converted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args

from cyclopts import App, Parameter, Token, convert

from polyseme.corpus.readers.names import ReaderName
from polyseme.errors import ConfigError, shorten

# A flag that takes no value, has no --no- form, and is off by default.
SWITCH = Parameter(negative="", show_default=False)

MAX_SEED, MAX_THREADS, MAX_WINDOW = 2**63 - 1, 1024, 10**6
MAX_NEIGHBOURS = MAX_EXAMPLES = 10**6
MAX_COUNT = 10**12


def between(low: int, high: int) -> Parameter:
    """A parameter whose value must be in a range."""

    def check(_: Any, value: int | None) -> None:
        if value is not None and not low <= value <= high:
            raise ValueError(f"It must be between {low} and {high}.")

    return Parameter(validator=check)


def _refuse_option(_: Any, value: str) -> None:
    if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", value):
        raise ValueError("It looks like an option, but there is none of this name.")


JsonFlag = Annotated[bool, SWITCH, Parameter(name="--json", help="Print JSON.")]
ModelPath = Annotated[str, Parameter(help="Model folder, or vectors of another program (see polyseme import).")]
PosteriorName = Annotated[
    Literal["softmax", "inverse-distance"] | None,
    Parameter(
        help="How cosines become probabilities; inverse-distance is the paper's formula.",
        show_default="the model's; softmax unless trained with --recipe paper",
    ),
]
QuietFlag = Annotated[bool, SWITCH, Parameter(help="Show warnings only, no progress.")]
Seed = Annotated[int, between(0, MAX_SEED), Parameter(help="Random seed.")]
ReaderOption = Annotated[
    ReaderName | None,
    Parameter(
        help="Format of the corpus, if the suffixes of the files do not show it: text, jsonl, csv, tsv, parquet or "
        "wikipedia (a dump in XML).",
        show_choices=False,
    ),
]
FieldOption = Annotated[
    str | None,
    Parameter(
        help="Field (column) of each row that has the text, for jsonl, csv, tsv and parquet. a.b is field b of a.",
        show_default="text",
    ),
]
StdinText = Parameter(allow_leading_hyphen=True)  # a single hyphen stands for standard input
NotOption = Parameter(validator=_refuse_option)  # for a StdinText, which else takes a misspelled option
TokenizerName = Annotated[
    str,
    Parameter(
        help="words: Unicode words in lower case. whitespace: split at white space, change nothing. rjieba: Chinese. "
        "sudachi: Japanese. pythainlp: Thai."
    ),
]


def convert_value(type_: Any, tokens: Sequence[Token]) -> Any:
    """Convert the value of an option as cyclopts does, but refuse fractions for whole numbers instead of rounding."""
    if int in (type_, *get_args(type_)):
        for token in tokens:
            try:
                int(token.value)
            except ValueError:
                raise ValueError(f"it must be a whole number, not {shorten(token.value) or 'empty'}.") from None
    return convert(type_, tokens)


def check_paths(paths: tuple[str, ...], usage: str, command: Callable[..., None]) -> tuple[list[str], str]:
    """Split the positional arguments of a command into CORPUS... and OUT; ConfigError for misspelled options."""
    for path in paths:
        if not path:
            raise ConfigError(f"a path is empty: {usage}")
        if path.startswith("-") and path != "-":
            options = [
                name for option in App(default_command=command).assemble_argument_collection() for name in option.names
            ]
            close = get_close_matches(path.split("=")[0], options, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise ConfigError(f"Unknown option: {path}.{hint} See: {usage.split(' CORPUS')[0]} --help")
    if len(paths) < 2:
        raise ConfigError(f"at least two paths are needed: {usage}")
    return list(paths[:-1]), paths[-1]
