"""Arguments that several commands share."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from polyseme.errors import ConfigError

JsonFlag = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON, for machines.")]
ModelPath = Annotated[str, Parameter(help="A model folder.")]
PosteriorName = Annotated[
    Literal["softmax", "inverse-distance"], Parameter(help="How probabilities are made; the second is the paper's.")
]
QuietFlag = Annotated[bool, Parameter(negative="", help="Show no progress.")]
StdinText = Parameter(allow_leading_hyphen=True)  # a lone hyphen is a value, not an option
TokenizerName = Annotated[str, Parameter(help="words (Unicode words, lower-cased) or whitespace (as it is).")]


def check_paths(paths: tuple[str, ...], usage: str) -> tuple[list[str], str]:
    """CORPUS... and OUT. A lone hyphen is standard input, so that paths may begin with one: no option is meant."""
    for path in paths:
        if path.startswith("-") and path != "-":
            raise ConfigError(f"Unknown option: {path}. See: {usage.split(' CORPUS')[0]} --help")
    if len(paths) < 2:
        raise ConfigError(f"two paths are needed at least: {usage}")
    return list(paths[:-1]), paths[-1]
