"""`polyseme tag MODEL [FILE]`"""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag, ModelPath, NotOption, StdinText
from polyseme.cli.output import print_json


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
    from polyseme.corpus.readers.text import read_blocks
    from polyseme.corpus.sources import find_sources
    from polyseme.model.json_results import tokens_json
    from polyseme.model.tagging import Tagger

    tagger = Tagger(open_for_query(model, "senses", "contexts")._data)
    for source in find_sources(file):
        for block in read_blocks(source):
            text = block.text.decode()
            tagged = tagger.tag(text)
            if json:
                for before, after in zip(_lines(text), _lines(tagged), strict=True):
                    print_json({"text": before, "tagged": after, "tokens": tokens_json(tagger.pieces(before))})
            else:
                sys.stdout.write(tagged)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")
