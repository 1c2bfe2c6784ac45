"""`polyseme disambiguate MODEL WORD CONTEXT`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polyseme.cli.arguments import MAX_WINDOW, JsonFlag, ModelPath, NotOption, PosteriorName, StdinText, between
from polyseme.cli.output import print_json
from polyseme.cli.streams import read_stdin

if TYPE_CHECKING:
    from polyseme.model.results import Disambiguation


def disambiguate(
    model: ModelPath,
    word: Annotated[str, Parameter(help="Such as bank.")],
    context: Annotated[
        str,
        StdinText,
        NotOption,
        Parameter(help="Text around the word; - reads one text per line from standard input."),
    ] = "-",
    /,
    *,
    posterior: PosteriorName = None,
    window: Annotated[
        int | None,
        between(1, MAX_WINDOW),
        Parameter(help="Number of context words on each side.", show_default="as in training"),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show the probability of each sense of a word in a context."""
    from polyseme.cli.opening import open_for_query

    loaded = open_for_query(model, "contexts")
    loaded._data.find(word)  # fail on an unknown word before reading standard input
    for text in read_stdin() if context == "-" else [context]:
        result = loaded.disambiguate(word, text, posterior=posterior, window=window)
        if json:
            print_json(as_json(result))
        elif context == "-":
            print(f"{result.best.key}\t{result.best.probability:.3f}\t{text.rstrip()}")
        else:
            for sense in result.senses:
                print(f"{sense.probability:.3f}  {sense.key}")
            if not result.known:
                print("polyseme: the context has no known word; these are the shares of the senses.", file=sys.stderr)


def as_json(result: Disambiguation) -> dict[str, Any]:
    """A disambiguation as JSON."""
    return {
        "word": result.word,
        "best": result.best.key,
        "known_context_words": result.known,
        "senses": [vars(s) for s in result.senses],
    }
