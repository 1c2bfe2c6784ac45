"""Arguments that several commands share, and how their values are converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from cyclopts import Parameter, Token, convert

from polyseme.errors import ConfigError

# A flag that takes no value, has no --no- form, and is off by default.
SWITCH = Parameter(negative="", show_default=False)

JsonFlag = Annotated[bool, SWITCH, Parameter(name="--json", help="Print JSON.")]
ModelPath = Annotated[str, Parameter(help="Model folder.")]
PosteriorName = Annotated[
    Literal["softmax", "inverse-distance"],
    Parameter(help="How cosines become probabilities; inverse-distance is the paper's formula."),
]
QuietFlag = Annotated[bool, SWITCH, Parameter(help="Show no progress.")]
Seed = Annotated[int, Parameter(help="Random seed.")]
StdinText = Parameter(allow_leading_hyphen=True)  # a single hyphen stands for standard input
TokenizerName = Annotated[
    str, Parameter(help="words: Unicode words in lower case. whitespace: split at white space, change nothing.")
]


def convert_value(type_: Any, tokens: Sequence[Token]) -> Any:
    """Convert the value of an option as cyclopts does, but refuse fractions for whole numbers instead of rounding."""
    if int in (type_, *get_args(type_)):
        for token in tokens:
            try:
                int(token.value)
            except ValueError:
                raise ValueError(f"it must be a whole number, not {token.value}.") from None
    return convert(type_, tokens)


def check_paths(paths: tuple[str, ...], usage: str) -> tuple[list[str], str]:
    """Split the positional arguments into CORPUS... and OUT; ConfigError for misspelled options among them."""
    for path in paths:
        if path.startswith("-") and path != "-":
            raise ConfigError(f"Unknown option: {path}. See: {usage.split(' CORPUS')[0]} --help")
    if len(paths) < 2:
        raise ConfigError(f"at least two paths are needed: {usage}")
    return list(paths[:-1]), paths[-1]
