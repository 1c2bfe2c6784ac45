"""Instances: target words in context, as data sets list them, and their sense probabilities."""

from __future__ import annotations

import re
from dataclasses import dataclass

from polyseme.errors import shorten
from polyseme.evaluation.controls import Probabilities
from polyseme.evaluation.text_files import Line
from polyseme.model.data import ModelData
from polyseme.model.disambiguation import Posterior, context_around, sense_probabilities

MARKED = re.compile(r"^(.*?)<b>(.*?)</b>(.*)$", re.DOTALL)


@dataclass(frozen=True)
class Instance:
    """A target word with the text to its left and right."""

    word: str
    left: str
    right: str


def parse_marked(word: str, text: str, line: Line) -> Instance:
    """The instance of a word in a text that marks it with `<b>` and `</b>`."""
    match = MARKED.match(text)
    if not match:
        raise line.error(f"the context of '{shorten(word)}' has no <b>...</b> around the word.")
    return Instance(word, match[1], match[3])


def instance_probabilities(
    data: ModelData, word: int, instance: Instance, posterior: Posterior | None = None, window: int | None = None
) -> Probabilities:
    """The probabilities of the visible senses of a word, given by its id, in the context of an instance."""
    context = context_around(data, instance.left, instance.right, window)
    return sense_probabilities(data, word, context, posterior)
