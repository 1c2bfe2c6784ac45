"""A small English text in which `bank` and `rock` have two meanings each, for examples in the documentation."""

from __future__ import annotations

import random

import polyseme
from polyseme import SenseModel

TOPICS = {
    "bank": (
        ("loan", "money", "credit", "interest", "deposit", "account", "debt", "cash", "lender", "savings"),
        ("river", "water", "boat", "shore", "mud", "fish", "reeds", "canal", "stream", "bridge"),
    ),
    "rock": (
        ("guitar", "band", "album", "concert", "singer", "song", "drums", "stage", "fans", "melody"),
        ("granite", "cliff", "limestone", "mountain", "lava", "basalt", "quarry", "layers", "fossil", "cave"),
    ),
}
FORMS = (
    "the {0} and the {1} near the {word} with a {2}",
    "a {0} of the {word} is the {1} and the {2}",
    "they saw the {word} and the {0} by the {1} in the {2}",
    "in the {0} was a {word} with the {1} and a {2}",
)
CONTEXT = {"bank": "the boat drifted to the bank of the river", "rock": "the band played rock with a guitar"}


def small_text(sentences: int = 1200, seed: int = 1) -> str:
    """Sentences about money, rivers, music and stones, in random order; 65% of the first meaning of each word."""
    rng = random.Random(seed)
    lines = []
    for _ in range(sentences):
        word, topics = rng.choice(list(TOPICS.items()))
        nouns = rng.sample(topics[rng.random() > 0.65], 3)
        lines.append(rng.choice(FORMS).format(*nouns, word=word))
    return "\n".join(lines) + "\n"


def small_model(text: str, dim: int = 16, phrases: bool = False) -> SenseModel:
    """A model of the text, with two senses of `bank` and two of `rock`; the same each time."""
    return polyseme.train(
        texts=text.splitlines(), dim=dim, senses=2, multi_sense_words=("bank", "rock"), epochs=40, subsample=0.001,
        examples=2, threads=1, quiet=True, phrases=phrases,
    )  # fmt: skip
