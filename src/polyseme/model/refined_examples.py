"""The example sentences of a refined model: those of merged senses are joined, and the best ones are kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyseme.examples.store import Example, ExampleReader, examples_line, parse_line, snippet_json
from polyseme.model.data import ModelData, default_numbers, unit_rows
from polyseme.model.disambiguation import context_vectors

MAX_EXAMPLES = 5  # of a merged sense, for models without the setting `examples`
TARGET = -1  # stands for the word that an example is about, which is not part of its own context


def refined_reader(old: ModelData, new: ModelData, new_rows: NDArray[np.int64]) -> ExampleReader:
    """An ExampleReader of the model `new`, which was refined from `old`.

    new_rows  IN  int64 (R,)  row of each sense of `old` in `new`; -1 for a dropped sense
    """
    per_sense = int(old.config.get("examples", MAX_EXAMPLES))
    old_offsets = old.arrays.sense_offsets
    in_order = new_rows == new.arrays.sense_offsets[old.arrays.word_of_row] + default_numbers(old_offsets) - 1
    unchanged = np.logical_and.reduceat(in_order, old_offsets[:-1])

    def read(first: int, end: int) -> list[bytes]:
        lines = old.read_examples(first, end)
        changed = [word for word in range(first, end) if lines[word - first] and not unchanged[word]]
        examples: dict[int, list[Example]] = {}  # by new row
        merged: set[int] = set()
        for word in changed:
            for row, of_sense in enumerate(parse_line(lines[word - first]), int(old_offsets[word])):
                new_row = int(new_rows[row])
                if new_row >= 0:
                    if new_row in examples:
                        merged.add(new_row)
                    examples.setdefault(new_row, []).extend(of_sense)
        examples |= rank_examples(new, {row: list(dict.fromkeys(examples[row])) for row in merged}, per_sense)
        for word in changed:
            senses = [b",".join(snippet_json(*e).encode() for e in examples.get(row, [])) for row in new.rows(word)]
            lines[word - first] = examples_line(new.vocabulary.words[word], senses)
        return lines

    return read


def rank_examples(data: ModelData, examples: dict[int, list[Example]], n: int) -> dict[int, list[Example]]:
    """The n examples of each sense whose contexts have the highest cosines with its center, best first."""
    if not examples:
        return {}
    tokens: list[int] = []
    positions: list[int] = []
    sentences = [0]
    for of_sense in examples.values():
        for left, _, right in of_sense:
            tokens += [*data.known_ids(data.tokenize(left)), TARGET]
            positions.append(len(tokens) - 1)
            tokens += data.known_ids(data.tokenize(right))
            sentences.append(len(tokens))
    rows = np.repeat(list(examples), [len(of_sense) for of_sense in examples.values()]).astype(np.int64)
    contexts = context_vectors(data, np.array(tokens, np.int32), np.array(sentences), np.array(positions, np.int64))
    cosines = np.einsum("ij,ij->i", unit_rows(contexts), unit_rows(data.sense_centers[rows]))
    ranked: dict[int, list[Example]] = {}
    first = 0
    for row, of_sense in examples.items():
        order = np.argsort(-cosines[first : first + len(of_sense)], kind="stable")[:n]
        ranked[row] = [of_sense[i] for i in order.tolist()]
        first += len(of_sense)
    return ranked
