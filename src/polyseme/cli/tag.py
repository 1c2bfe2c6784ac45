"""`polyseme tag MODEL [FILE]`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag, ModelPath, NotOption, StdinText
from polyseme.cli.output import print_json
from polyseme.errors import CorpusError


def tag(
    model: ModelPath,
    file: Annotated[
        str, StdinText, NotOption, Parameter(help="Text file, plain or compressed; - for standard input.")
    ] = "-",
    /,
    *,
    json: JsonFlag = False,
) -> None:
    """Print a text with the number of the sense after each word that has several, such as bank#2."""
    from polyseme.cli.opening import open_for_query
    from polyseme.corpus.readers.names import reader_of
    from polyseme.corpus.readers.text import read_blocks
    from polyseme.corpus.sources import find_sources
    from polyseme.model.json_results import tokens_json
    from polyseme.model.tagging import Tagger
    from polyseme.training.events import warnings_of_bad_text

    if Path(file).is_dir():
        raise CorpusError(f"{file} is a folder; give one text file.")
    if (reader := reader_of(file)) not in (None, "text"):
        raise CorpusError(f"{file} is in the format {reader}, and tag reads plain text; extract the text first.")
    tagger = Tagger(open_for_query(model, "senses", "contexts")._data)
    bad_bytes = 0
    for source in find_sources(file, "text"):
        for block in read_blocks(source):
            bad_bytes += block.bad_bytes
            text = block.text.decode()
            tagged = tagger.tag(text)
            if json:
                for before, after in zip(_lines(text), _lines(tagged), strict=True):
                    print_json({"text": before, "tagged": after, "tokens": tokens_json(tagger.pieces(before))})
            else:
                sys.stdout.write(tagged)
    for warning in warnings_of_bad_text(bad_bytes):
        print(f"polyseme: warning: {warning}", file=sys.stderr)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")
