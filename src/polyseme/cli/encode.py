"""`polyseme encode CORPUS... OUT`"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import SWITCH, FieldOption, QuietFlag, ReaderOption, StdinText, TokenizerName, check_paths
from polyseme.cli.settings import given_settings, settings_options
from polyseme.cli.signals import Signals
from polyseme.errors import OutputExists

if TYPE_CHECKING:
    from polyseme.corpus.phrases import PhraseSettings

Options = settings_options("phrase")


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
    options: Annotated[Options | None, Parameter(name="*")] = None,  # type: ignore[valid-type]
    force: Annotated[bool, SWITCH, Parameter(help="Overwrite OUT.")] = False,
    quiet: QuietFlag = False,
) -> None:
    """Encode texts as token ids, to train on them several times."""
    corpus, out = check_paths(paths, "polyseme encode CORPUS... OUT", encode)
    phrases = _phrase_settings(options)
    folder = Path(os.path.abspath(out))  # noqa: PTH100 - does not follow symbolic links
    from polyseme.corpus.encoded_corpus import is_replaceable

    if folder.exists():
        if not force:
            raise OutputExists(f"{out} already exists; choose another name, or overwrite it with --force.")
        if not is_replaceable(folder):
            raise OutputExists(
                f"{out} exists and is not an encoded corpus, so --force does not remove it; choose another name."
            )
    from polyseme.corpus.encoding import encode as run
    from polyseme.corpus.sources import find_sources
    from polyseme.corpus.tokenizers import get_tokenizer
    from polyseme.training.events import warnings_of_bad_text
    from polyseme.training.progress import ProgressDisplay

    with Signals() as signals, ProgressDisplay(quiet) as progress:
        sources = find_sources(corpus, reader, field)
        encoded = run(sources, get_tokenizer(tokenizer), folder, progress, signals.check, phrases)
        about = encoded.description
        for text in warnings_of_bad_text(about["bad_bytes"], about["bad_rows"], about["first_bad_row"]):
            progress.print_line("warning", text)
    found = "" if encoded.phrases is None else f", {len(encoded.phrases):,} phrases"
    sizes = f"{len(encoded.tokens):,} tokens, {encoded.num_sentences:,} sentences, {len(encoded.words):,} words"
    print(f"{out}: {sizes}{found}")


def _phrase_settings(options: object) -> PhraseSettings | None:
    """How to find phrases; None if they are not wanted."""
    from polyseme.corpus.phrases import PhraseSettings
    from polyseme.training.config import make_config
    from polyseme.training.setting_rules import refuse_no_effect

    given = given_settings(options)
    config = make_config(**given)
    refuse_no_effect(config, given)
    if not config.phrases:
        return None
    return PhraseSettings(config.phrase_threshold, config.phrase_min_count, config.phrase_passes)
