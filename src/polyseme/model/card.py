"""The model card: README.md of a model folder."""

from __future__ import annotations

from polyseme.errors import shorten
from polyseme.model.data import ModelData

MAX_VALUE_LENGTH = 80  # of a setting: a word list can be long


def card(data: ModelData) -> str:
    """A description of the model, its training data and its use, in Markdown."""
    num_senses = data.num_visible_senses
    ambiguous = num_senses[num_senses > 1]
    mean = float(ambiguous.mean()) if len(ambiguous) else 1.0
    settings = "\n".join(f"| {name} | {shorten(value, MAX_VALUE_LENGTH)} |" for name, value in data.config.items())
    options = "".join(f"- `{refinement}`\n" for refinement in data.refinements)
    refined = f"\nRefined after the training, with these options of `polyseme refine`:\n\n{options}" if options else ""
    return f"""# A polyseme model

{len(data.vocabulary):,} words, {len(data.arrays.sense_vectors):,} sense vectors of {data.arrays.dim} dimensions
({data.config.get("model", "?")}). {len(ambiguous):,} words have several senses, {mean:.1f} on average.

{_origin(data)}
{refined}
    polyseme senses MODEL WORD

    import polyseme
    model = polyseme.load("MODEL")
    for sense in model.senses("WORD"):
        print(sense.key, sense.share, sense.neighbours(5))

| setting | value |
|---|---|
{settings}

The vectors reflect the corpus, including its errors and biases. The example sentences are quoted from the corpus: its
licence applies to them.
"""


def _origin(data: ModelData) -> str:
    """How the vectors were made."""
    corpus, training, config = data.corpus, data.training, data.config
    if "imported_from" in config:
        missing = f" The file did not have: {config['missing']}." if config.get("missing") else ""
        return f"Imported from vectors in the format `{config['imported_from']}`.{missing}"
    return f"""Trained on {corpus.get("tokens", 0):,} tokens in {corpus.get("sentences", 0):,} sentences
({corpus.get("bad_bytes", 0):,} bytes were not UTF-8), with the tokenizer `{data.tokenizer.name}`.
Loss per pair {training.get("loss", float("nan")):.4f}, {training.get("seconds", 0):.0f} s of training."""
