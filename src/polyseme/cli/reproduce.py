"""`polyseme reproduce CORPUS OUT --data FOLDER`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from polyseme.cli.arguments import MAX_THREADS, FieldOption, QuietFlag, ReaderOption, Seed, TokenizerName, between
from polyseme.errors import MissingExtra


def reproduce(
    corpus: Annotated[Path, Parameter(help="Text or encoded corpus.")],
    out: Annotated[Path, Parameter(help="Folder for the report; models that are in it are not trained again.")],
    /,
    *,
    data: Annotated[Path, Parameter(help="Folder with scws/, wordsim353/ and analogy/.")],
    profile: Annotated[Literal["quick", "full"], Parameter(help="quick takes minutes, full takes hours.")] = "quick",
    tokenizer: TokenizerName = "words",
    reader: ReaderOption = None,
    field: FieldOption = None,
    seed: Seed = 1,
    threads: Annotated[
        int, between(0, MAX_THREADS), Parameter(help="Training threads.", show_default="0 (one per core)")
    ] = 0,
    quiet: QuietFlag = False,
) -> None:
    """Repeat the paper's experiments on a corpus and write a report with its tables and figures."""
    try:
        from polyseme.experiments.reproduce import reproduce as run
    except ModuleNotFoundError as error:
        raise MissingExtra(f"reproduce needs {error.name}: pip install 'polyseme[eval]'") from error
    from polyseme.cli.signals import Signals
    from polyseme.training.progress import ProgressDisplay

    with Signals("Continue with the same command.") as signals, ProgressDisplay(quiet) as progress:
        report = run(
            corpus, out, data=data, profile=profile, seed=seed, threads=threads, tokenizer=tokenizer, reader=reader,
            field=field, say=lambda message: None if quiet else print(message, file=sys.stderr), listen=progress,
            stop=signals.stop,
        )  # fmt: skip
    print(report)
