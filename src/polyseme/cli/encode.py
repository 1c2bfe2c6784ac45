"""`polyseme encode CORPUS... OUT`"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import QuietFlag, StdinText, TokenizerName, check_paths
from polyseme.errors import OutputExists


def encode(
    *paths: Annotated[str, StdinText, Parameter(help="Texts (files, globs, folders, - for stdin); then OUT.")],
    tokenizer: TokenizerName = "words",
    force: Annotated[bool, Parameter(negative="", help="Overwrite OUT.")] = False,
    quiet: QuietFlag = False,
) -> None:
    """Turn texts into token ids once, to train on them many times."""
    corpus, out = check_paths(paths, "polyseme encode CORPUS... OUT")
    folder = Path(os.path.abspath(out))  # noqa: PTH100 - a link stays a link
    from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded

    if folder.exists():
        if not (force and is_encoded(folder)):
            raise OutputExists(f"{out} exists already; choose another name, or overwrite a corpus with --force.")
        EncodedCorpus.open(folder)  # only a whole one is overwritten: another program may have a file of that name
    from polyseme.cli.progress import Progress
    from polyseme.corpus.encoding import encode as run
    from polyseme.corpus.sources import find_sources
    from polyseme.corpus.tokenizers import get_tokenizer

    with Progress(quiet) as progress:
        encoded = run(find_sources(corpus), get_tokenizer(tokenizer), folder, progress)
    print(f"{out}: {len(encoded.tokens):,} tokens, {encoded.num_sentences:,} sentences, {len(encoded.words):,} words")
