"""The card of a model: its README.md, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel


def card(model: SenseModel) -> str:
    """What the model is, what it was made from, and how to use it."""
    shown = model.visible_senses
    several = shown[shown > 1]
    corpus, training = model.corpus, model.training
    settings = "\n".join(f"| {name} | {_short(value)} |" for name, value in model.config.items())
    return f"""# A polyseme model

{len(model):,} words, {len(model.arrays.sense_vectors):,} sense vectors of {model.arrays.dim} dimensions
({model.config.get("model", "?")}). {len(several):,} words have several senses, {_mean(several):.1f} on average.

Learned from {corpus.get("tokens", 0):,} tokens in {corpus.get("sentences", 0):,} sentences
({corpus.get("bad_bytes", 0):,} bytes were not UTF-8), cut by the tokenizer `{model.tokenizer.name}`.
Loss per pair {training.get("loss", float("nan")):.4f}, {training.get("seconds", 0):.0f} s of training.

    polyseme senses MODEL WORD

    import polyseme
    model = polyseme.load("MODEL")
    for sense in model.senses("WORD"):
        print(sense.key, sense.share, sense.neighbours(5))

| setting | value |
|---|---|
{settings}

The vectors carry whatever the corpus says, its errors and prejudices included. The example sentences are snippets of
the corpus: its licence applies to them.
"""


def _mean(values: np.ndarray[tuple[int], np.dtype[np.int32]]) -> float:
    return float(values.mean()) if len(values) else 1.0


def _short(value: object) -> str:
    """A list of words can be long."""
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."
