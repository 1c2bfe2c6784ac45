"""Small models: vectors of int8 or float16, fewer words, fewer example sentences, no global vectors.

Global vectors are as large as the sense vectors of a model with few senses, and hardly a query uses them: contexts are
sums of whitened vectors, and neighbours and similarities are those of senses.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import get_args

from polyseme.errors import ConfigError
from polyseme.examples.store import ExampleReader, examples_line, no_examples, parse_line, snippet_json
from polyseme.model import storage
from polyseme.model.data import ModelData
from polyseme.model.rows import Dtype
from polyseme.model.sense_model import SenseModel
from polyseme.vocabulary import Vocabulary

MIN_WORDS = 2  # as in training
SMALL_EXAMPLES = 1  # example sentences per sense of a small model


def save_compact(
    model: SenseModel,
    path: str | os.PathLike[str],
    *,
    dtype: Dtype = "int8",
    words: int | None = None,
    examples: bool | int | None = None,
    global_vectors: bool = False,
    force: bool = False,
) -> None:
    """Write a model in less space, to a folder that is opened and queried as any other model.

    model           the model
    path            the folder
    dtype           int8, an eighth of the size, keeps 99% of the nearest neighbours; float16, a quarter of the size,
                    nearly all; examples are compressed with both. float32 keeps all vectors, and does not compress
    words           keep only this many words, the most frequent ones
    examples        at most so many example sentences per sense; True for all of them, False for none. By default 1 with
                    int8 and float16, and all with float32
    global_vectors  keep the global vectors with int8 and float16, too. They are needed for
                    `neighbours(among="words")` and global_sim. Models without whitened vectors keep them in any case
    force           replace a model that exists at `path`
    Raises ConfigError if an option is invalid.
    Raises OutputExists if the path exists, without `force` or if it is not a model.

    >>> save_compact(model, "small.model", words=20)
    >>> polyseme.load("small.model")
    <SenseModel mssg: 20 words, 22 senses, 8 dimensions>
    """
    data = compact(model, dtype=dtype, words=words, examples=examples, global_vectors=global_vectors)
    storage.save(data, Path(path), force=force)


def compact(
    model: SenseModel,
    *,
    dtype: Dtype,
    words: int | None = None,
    examples: bool | int | None = None,
    global_vectors: bool = False,
) -> ModelData:
    """What `save_compact` writes."""
    if dtype not in get_args(Dtype):
        raise ConfigError(f"--dtype must be one of {', '.join(get_args(Dtype))}, not '{dtype}'.")
    data = replace(model._data, dtype=dtype)
    if words is not None and words < len(data.vocabulary):
        data = most_frequent(data, words)
    if examples is None:
        examples = True if dtype == "float32" else SMALL_EXAMPLES
    if examples is not True:
        data = replace(data, read_examples=limited_reader(data, int(examples)))
    if dtype != "float32" and not global_vectors and data.arrays.whitened_vectors is not None:
        data = replace(data, arrays=replace(data.arrays, global_vectors=None))
    return data


def most_frequent(data: ModelData, words: int) -> ModelData:
    """The model with only the most frequent words."""
    if words < MIN_WORDS:
        raise ConfigError(f"--words must be {MIN_WORDS} or more, not {words}.")
    vocabulary = data.vocabulary
    frequent = Vocabulary(vocabulary.words[:words], vocabulary.counts[:words].copy())
    rows = int(data.arrays.sense_offsets[words])
    ends = {
        "global_vectors": words,
        "whitened_vectors": words,
        "sense_offsets": words + 1,
        "sense_vectors": rows,
        "sense_counts": rows,
        "cluster_centers": rows,
        "sense_numbers": rows,
    }
    kept = {name: array[: ends[name]] for name, array in data.arrays.to_dict().items() if name in ends}
    return replace(
        data,
        vocabulary=frequent,
        arrays=replace(data.arrays, **kept),
        labels={key: label for key, label in data.labels.items() if data.find(key)[0] < words},
        last_numbers={word: n for word, n in data.last_numbers.items() if vocabulary.index.get(word, words) < words},
        phrases=None if data.phrases is None else data.phrases.known_to(frequent),
    )


def limited_reader(data: ModelData, per_sense: int) -> ExampleReader:
    """An ExampleReader with only the first examples of each sense, which are the best ones."""
    if per_sense < 0:
        raise ConfigError(f"the number of examples per sense must be 0 or more, not {per_sense}.")
    if per_sense == 0:
        return no_examples

    def read(first: int, end: int) -> list[bytes]:
        lines = data.read_examples(first, end)
        for i, line in enumerate(lines):
            senses = [b",".join(snippet_json(*e).encode() for e in sense[:per_sense]) for sense in parse_line(line)]
            lines[i] = examples_line(data.vocabulary.words[first + i], senses)
        return lines

    return read
