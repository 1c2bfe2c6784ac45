"""`polyseme disambiguate MODEL WORD CONTEXT`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag, ModelPath, PosteriorName, StdinText
from polyseme.cli.output import print_json

if TYPE_CHECKING:
    from polyseme.model.results import Disambiguation


def disambiguate(
    model: ModelPath,
    word: str,
    context: Annotated[
        str, StdinText, Parameter(help="A text around the word; - for one a line from standard input.")
    ] = "-",
    /,
    *,
    posterior: PosteriorName = "softmax",
    window: Annotated[
        int | None, Parameter(help="Words on each side that count; default: twice the training's.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """The probability of each sense of a word in a context."""
    from polyseme.model.sense_model import SenseModel

    loaded = SenseModel.load(model)
    loaded._data.find(word)
    for text in sys.stdin if context == "-" else [context]:
        found = loaded.disambiguate(word, text, posterior=posterior, window=window)
        if json:
            print_json(as_json(found))
        elif context == "-":
            print(f"{found.best.key}\t{found.best.probability:.3f}\t{text.rstrip()}")
        else:
            for sense in found.senses:
                print(f"{sense.probability:.3f}  {sense.key}")
            if not found.known:
                print("polyseme: no word of the context is known; these are the senses' shares.", file=sys.stderr)


def as_json(found: Disambiguation) -> dict[str, Any]:
    """For machines."""
    return {
        "word": found.word,
        "best": found.best.key,
        "known_context_words": found.known,
        "senses": [vars(s) for s in found.senses],
    }
