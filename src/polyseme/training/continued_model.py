"""What a continued model takes over from its initial model besides arrays: labels, example sentences and history."""

from __future__ import annotations

from typing import Any

from polyseme.examples.store import Example, ExampleReader, examples_line, parse_line, snippet_json
from polyseme.model.data import ModelData
from polyseme.training.init_model import InitModel


def history(init: InitModel) -> tuple[dict[str, Any], ...]:
    """`ModelData.continued_from` of a model that continues `init`."""
    data = init.data
    last = {
        "fingerprint": init.origin.fingerprint,
        "corpus": data.corpus,
        "training": data.training,
        "refinements": list(data.refinements),
    }
    return (*data.continued_from, last)


def kept_labels(old: ModelData, new: ModelData) -> dict[str, str]:
    """The labels of the old senses by their keys in the new model: `bank` may have become `bank#1`."""
    labels = {}
    for key, label in old.labels.items():
        match = old.lookup(key)
        if match is None:
            continue
        word, row = match
        row = old.rows(word)[0] if row is None else row
        new_row = _row_of_number(new, old.vocabulary.words[word], int(old.sense_numbers[row]))
        if new_row is not None:
            labels[new.key(new_row)] = label
    return labels


def joined_examples(old: ModelData, new: ModelData, per_sense: int) -> ExampleReader:
    """An ExampleReader of the new model. Old senses keep their examples; those of the new text fill up the rest."""
    read_new = new.read_examples

    def read(first: int, end: int) -> list[bytes]:
        lines = read_new(first, end)
        for i, word in enumerate(range(first, end)):
            old_word = old.vocabulary.index.get(new.vocabulary.words[word])
            old_line = b"" if old_word is None else old.read_examples(old_word, old_word + 1)[0]
            if old_line:
                lines[i] = _joined_line(old, new, word, old_line, lines[i], per_sense)
        return lines

    return read


def _joined_line(old: ModelData, new: ModelData, word: int, old_line: bytes, new_line: bytes, per_sense: int) -> bytes:
    """The JSON line of a word with the examples of both models."""
    name = new.vocabulary.words[word]
    rows = list(new.rows(word))
    examples: list[list[Example]] = [[] for _ in rows]
    old_rows = old.rows(old.vocabulary.index[name])
    for row, of_sense in zip(old_rows, parse_line(old_line), strict=False):
        new_row = _row_of_number(new, name, int(old.sense_numbers[row]))
        if new_row is not None:
            examples[rows.index(new_row)] += of_sense
    for of_sense, added in zip(examples, parse_line(new_line), strict=False):
        of_sense += [example for example in added if example not in of_sense]
    senses = [b",".join(snippet_json(*e).encode() for e in of_sense[:per_sense]) for of_sense in examples]
    return examples_line(name, senses)


def _row_of_number(data: ModelData, word: str, number: int) -> int | None:
    """The visible row of a word's sense with this number."""
    rows = data.rows(data.vocabulary.index[word])
    return next((row for row in rows if data.sense_numbers[row] == number), None)
