"""`polyseme reproduce CORPUS OUT --data FOLDER`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from polyseme.cli.arguments import QuietFlag, TokenizerName
from polyseme.errors import MissingExtra


def reproduce(
    corpus: Annotated[Path, Parameter(help="A text, or an encoded corpus.")],
    out: Annotated[Path, Parameter(help="The folder of the report; what is trained there is not trained again.")],
    /,
    *,
    data: Annotated[Path, Parameter(help="A folder with scws/, wordsim353/ and analogy/.")],
    profile: Annotated[Literal["quick", "full"], Parameter(help="Minutes, or hours.")] = "quick",
    tokenizer: TokenizerName = "words",
    seed: Annotated[int, Parameter(help="Of all that is random.")] = 1,
    threads: Annotated[int, Parameter(help="0 for one per core.")] = 0,
    quiet: QuietFlag = False,
) -> None:
    """Run the paper's experiments on a corpus, and write its tables and figures as a report."""
    try:
        from polyseme.experiments.reproduce import reproduce as run
    except ModuleNotFoundError as error:
        raise MissingExtra(f"reproduce needs {error.name}: pip install 'polyseme[eval]'") from error
    from polyseme.cli.progress import Progress
    from polyseme.cli.signals import Signals

    with Signals("Go on with the same command.") as signals, Progress(quiet) as progress:
        report = run(
            corpus, out, data=data, profile=profile, seed=seed, threads=threads, tokenizer=tokenizer,
            say=lambda what: None if quiet else print(what, file=sys.stderr), listen=progress, stop=signals.stop,
        )  # fmt: skip
    print(report)
