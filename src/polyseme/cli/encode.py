"""`polyseme encode CORPUS... OUT`"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import SWITCH, FieldOption, QuietFlag, ReaderOption, StdinText, TokenizerName, check_paths
from polyseme.cli.signals import Signals
from polyseme.errors import OutputExists


def encode(
    *paths: Annotated[
        str,
        StdinText,
        Parameter(
            name="CORPUS... OUT",
            help="Texts (files, globs, folders, - for standard input), and the folder to write. "
            "Plain text, JSON Lines, CSV, TSV, Parquet or a Wikipedia dump; also compressed.",
        ),
    ],
    tokenizer: TokenizerName = "words",
    reader: ReaderOption = None,
    field: FieldOption = None,
    force: Annotated[bool, SWITCH, Parameter(help="Overwrite OUT.")] = False,
    quiet: QuietFlag = False,
) -> None:
    """Encode texts as token ids, to train on them several times."""
    corpus, out = check_paths(paths, "polyseme encode CORPUS... OUT")
    folder = Path(os.path.abspath(out))  # noqa: PTH100 - does not follow symbolic links
    from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded

    if folder.exists():
        if not (force and is_encoded(folder)):
            raise OutputExists(
                f"{out} exists already; choose another name, or overwrite an encoded corpus with --force."
            )
        EncodedCorpus.open(folder)  # raises if it is not one of ours: then it must not be removed
    from polyseme.corpus.encoding import encode as run
    from polyseme.corpus.sources import find_sources
    from polyseme.corpus.tokenizers import get_tokenizer
    from polyseme.training.progress import ProgressDisplay

    with Signals() as signals, ProgressDisplay(quiet) as progress:
        encoded = run(find_sources(corpus, reader, field), get_tokenizer(tokenizer), folder, progress, signals.check)
        progress.warn_of_bad_text(*(encoded.description[name] for name in ("bad_bytes", "bad_rows", "first_bad_row")))
    print(f"{out}: {len(encoded.tokens):,} tokens, {encoded.num_sentences:,} sentences, {len(encoded.words):,} words")
