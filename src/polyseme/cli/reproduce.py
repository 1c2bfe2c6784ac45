"""`polyseme reproduce CORPUS... OUT --data FOLDER`"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from polyseme.cli.arguments import (
    MAX_SEED,
    MAX_THREADS,
    SWITCH,
    QuietFlag,
    StdinText,
    TokenizerName,
    between,
    check_paths,
)
from polyseme.errors import ConfigError, MissingExtra

USAGE = "polyseme reproduce CORPUS... OUT --data FOLDER"
DEFAULT_TOKENIZER = "words"


def reproduce(
    *paths: Annotated[
        str,
        StdinText,  # which is refused with a reason
        Parameter(
            name="CORPUS... OUT",
            help="Corpora, and the folder for the report. Each corpus has columns of its own in the tables. It is a "
            "text file, a folder, a glob in quotes, several of these joined by commas, or an encoded corpus.",
        ),
    ],
    data: Annotated[Path, Parameter(help="Folder with scws/, wordsim353/ and analogy/.")],
    profile: Annotated[
        Literal["quick", "full"],
        Parameter(help="quick: the first 2 million tokens, in minutes. full: all tokens, in hours."),
    ] = "quick",
    seeds: Annotated[
        list[int] | None,
        Parameter(
            consume_multiple=True, negative="", show_default="1 for quick, 1 2 3 for full",
            help="Random seeds of the models in tables. Table 6, figures, controls and baselines take the first one.",
        ),
    ] = None,
    describe: Annotated[
        list[str] | None,
        Parameter(
            consume_multiple=True, negative="",
            help="What each corpus is, such as 'English Wikipedia 2018'; shown in the table of corpora.",
        ),
    ] = None,
    tokenizer: TokenizerName = DEFAULT_TOKENIZER,
    threads: Annotated[
        int, between(0, MAX_THREADS), Parameter(help="Training threads.", show_default="0 (one per core)")
    ] = 0,
    keep_models: Annotated[bool, SWITCH, Parameter(help="Keep the trained models in OUT/models.")] = False,
    quiet: QuietFlag = False,
) -> None:  # fmt: skip
    """Repeat the paper's experiments and write a report with its tables and figures.

    The report is written anew as runs finish. The same command continues where it was stopped.
    """
    corpora, out = check_paths(paths, USAGE, reproduce)
    for seed in seeds or []:
        if not 0 <= seed <= MAX_SEED:
            raise ConfigError(f"--seeds must be between 0 and {MAX_SEED}, not {seed}.")
    try:
        from polyseme.experiments.reproduce import reproduce as run
    except ModuleNotFoundError as error:
        raise MissingExtra(f"reproduce needs {error.name}: pip install 'polyseme[eval]'") from error
    from polyseme.cli.signals import Signals
    from polyseme.training.progress import ProgressDisplay

    command = _command_line(corpora, profile, seeds or [], describe or [], tokenizer)
    with Signals(lambda: "Continue with the same command.") as signals, ProgressDisplay(quiet) as progress:
        report = run(
            corpora, Path(out), data=data, profile=profile, seeds=seeds or (), threads=threads, tokenizer=tokenizer,
            descriptions=describe or (), keep_models=keep_models, command=command,
            say=lambda message: None if quiet else print(message, file=sys.stderr), listen=progress, stop=signals.stop,
        )  # fmt: skip
    print(report)


def _command_line(corpora: list[str], profile: str, seeds: list[int], descriptions: list[str], tokenizer: str) -> str:
    """The command for the report, with the options that its numbers depend on and without the paths of this machine."""
    names = [",".join(Path(part).name for part in corpus.split(",")) for corpus in corpora]
    command = ["polyseme", "reproduce", *names, "OUT", "--data", "SETS", "--profile", profile]
    command += ["--seeds", *map(str, seeds)] if seeds else []
    command += ["--describe", *descriptions] if descriptions else []
    command += ["--tokenizer", tokenizer] if tokenizer != DEFAULT_TOKENIZER else []
    return shlex.join(command)
