"""The model card: README.md of a model folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from polyseme.errors import ConfigError, shorten
from polyseme.model.data import ModelData

MAX_VALUE_LENGTH = 80  # of a setting: a word list can be long
TAGS = ("word-embeddings", "word-sense-induction", "word-sense-disambiguation", "word2vec")


def card(data: ModelData, metadata: Mapping[str, Any] = MappingProxyType({})) -> str:
    """A description of the model, its training data and its use, in Markdown.

    metadata  further fields of the front matter, which the Hugging Face Hub reads: license, language, datasets, metrics
    """
    num_senses = data.num_visible_senses
    ambiguous = num_senses[num_senses > 1]
    mean = float(ambiguous.mean()) if len(ambiguous) else 1.0
    settings = "\n".join(f"| {name} | {shorten(value, MAX_VALUE_LENGTH)} |" for name, value in data.config.items())
    options = "".join(f"- `{refinement}`\n" for refinement in data.refinements)
    refined = f"\nRefined after the training, with these options of `polyseme refine`:\n\n{options}" if options else ""
    earlier = "".join(
        f"- `{model['fingerprint'][:12]}`, trained on {model['corpus']['tokens']:,} tokens"
        f"{''.join(f', refined with `{shorten(options)}`' for options in model['refinements'])}\n"
        for model in data.continued_from
    )
    frozen = ", whose vectors were kept as they were" if data.training.get("frozen") else ""
    continued = f"\nContinued from these models, oldest first{frozen}:\n\n{earlier}" if earlier else ""
    return f"""{front_matter(metadata)}
# A polyseme model

{len(data.vocabulary):,} words, {len(data.arrays.sense_vectors):,} sense vectors of {data.arrays.dim} dimensions
({data.config.get("model", "?")}), stored as {data.dtype}. {len(ambiguous):,} words have several senses, {mean:.1f} on
average.

{_origin(data)}
{continued}{refined}
    polyseme senses MODEL WORD

    import polyseme
    model = polyseme.load("MODEL")  # or polyseme.SenseModel.from_pretrained("USER/MODEL"), from the Hugging Face Hub
    for sense in model.senses("WORD"):
        print(sense.key, sense.share, sense.neighbours(5))

| setting | value |
|---|---|
{settings}

The vectors reflect the corpus, including its errors and biases. The example sentences are quoted from the corpus: its
licence applies to them.
"""


def front_matter(metadata: Mapping[str, Any]) -> str:
    """The YAML at the top of a card. Values are written as JSON, which is also YAML.

    >>> print(front_matter({"license": "mit", "tags": ["demo"]}))
    ---
    library_name: "polyseme"
    tags: ["demo"]
    license: "mit"
    ---
    """
    fields = {"library_name": "polyseme", "tags": list(TAGS), **metadata}
    try:
        lines = [f"{json.dumps(name)[1:-1]}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the metadata of a model card must be strings, numbers and lists ({error}).") from error
    return "\n".join(["---", *lines, "---"])


def _origin(data: ModelData) -> str:
    """How the vectors were made."""
    corpus, training, config = data.corpus, data.training, data.config
    if "imported_from" in config:
        missing = f" The file did not have: {config['missing']}." if config.get("missing") else ""
        return f"Imported from vectors in the format `{config['imported_from']}`.{missing}"
    return f"""Trained on {corpus.get("tokens", 0):,} tokens in {corpus.get("sentences", 0):,} sentences
({corpus.get("bad_bytes", 0):,} bytes were not UTF-8), with the tokenizer `{data.tokenizer.name}`.
Loss per pair {training.get("loss", float("nan")):.4f}, {training.get("seconds", 0):.0f} s of training."""
