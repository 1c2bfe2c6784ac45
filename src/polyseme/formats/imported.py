"""The contents of a vector file, and how the keys of senses are recognised among its words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SENSE_SEPARATORS = ("#", "_", "--")
SENSE_NUMBER = re.compile("0|[1-9][0-9]{0,3}")
MIN_AMBIGUOUS_WORDS = 2
MIN_NUMBERED_SHARE = 0.5


@dataclass(frozen=True)
class ImportedVectors:
    """The contents of a vector file: V words in file order, and R senses, as in `ModelArrays`.

    What a format does not have is None.
    """

    words: list[str]
    sense_vectors: NDArray[np.float32]  # (R, d)
    sense_offsets: NDArray[np.int64]  # (V + 1,)
    sense_numbers: NDArray[np.int32] | None = None  # (R,)
    sense_counts: NDArray[np.int64] | None = None  # (R,)
    word_counts: NDArray[np.int64] | None = None  # (V,)
    global_vectors: NDArray[np.float32] | None = None  # (V, d)
    cluster_centers: NDArray[np.float32] | None = None  # (R, d)
    model: str = "word2vec"  # the kind of model, as far as the format tells
    duplicates: int = 0  # entries that were left out, because an earlier one has the same key


def unique_rows(keys: list[str], rows: NDArray[np.float32]) -> tuple[list[str], NDArray[np.float32], int]:
    """Keys and rows without duplicate keys, of which the first is kept, and the number of those left out."""
    if len(set(keys)) == len(keys):
        return keys, rows, 0
    first: dict[str, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    return list(first), rows[list(first.values())], len(keys) - len(first)


def group_senses(keys: list[str], rows: NDArray[np.float32], duplicates: int = 0) -> ImportedVectors:
    """The vectors with the senses of each word in consecutive rows.

    keys   names in the file, without duplicates: `bank#1`, `bank#2`, or `bank` if there is one vector per word
    rows   IN  float32 (len(keys), d)
    """
    numbered = find_numbered_senses(keys)
    if not numbered:
        return ImportedVectors(keys, rows, np.arange(len(keys) + 1), duplicates=duplicates)
    word_of = {row: word for word, senses in numbered.items() for row in senses.values()}
    senses_of: dict[str, dict[int, int]] = {}
    for row, key in enumerate(keys):
        word = word_of.get(row, key)
        senses_of.setdefault(word, numbered.get(word, {1: row}))
    num_senses = [len(senses) for senses in senses_of.values()]
    numbers = np.array([number for senses in senses_of.values() for number in senses], np.int32)
    order = [row for senses in senses_of.values() for row in senses.values()]
    if numbers.min() == 0:  # the numbers of our keys start at 1
        numbers[[row in word_of for row in order]] += 1
    return ImportedVectors(
        words=list(senses_of),
        sense_vectors=rows[order],
        sense_offsets=np.cumsum([0, *num_senses]),
        sense_numbers=numbers,
        duplicates=duplicates,
    )


def find_numbered_senses(keys: Sequence[str]) -> dict[str, dict[int, int]]:
    """The rows of each word's senses by number, in ascending order, if the file has one vector per sense; else nothing.

    A sense is named by its word, a separator (`#`, `_` or `--`) and a number: `bank#1`. Since other names end in a
    number too, numbers are accepted only under these conditions:

    - The word itself is not in the file: `figure_1` is not a sense if there is a `figure`.
    - The word has several numbers, or most of the words without several numbers have one: `covid_19` is not a sense,
      unless the file has `the_1` and `of_1` too.
    - With `_` and `--`, the numbers of a word start at 0 or 1 and have no gap, and MIN_AMBIGUOUS_WORDS words have
      several. polyseme itself writes `#`, where numbers can have gaps after `polyseme refine`.
    - At least MIN_NUMBERED_SHARE of the words with that separator and a number are accepted.

    >>> find_numbered_senses(["bank_1", "covid_19", "bank_2", "bass_2", "bass_1"])
    {'bank': {1: 0, 2: 2}, 'bass': {1: 4, 2: 3}}
    >>> find_numbered_senses(["route_66", "covid_19", "mp3", "figure_1", "figure_2"])
    {}
    """
    all_keys = set(keys)
    with_number = [(row, key) for row, key in enumerate(keys) if key[-1:].isdigit()]
    for separator in SENSE_SEPARATORS:
        strict = separator != "#"
        candidates: dict[str, dict[int, int]] = {}  # word -> sense number -> row
        for row, key in with_number:
            word, _, number = key.rpartition(separator)
            if word and SENSE_NUMBER.fullmatch(number):
                candidates.setdefault(word, {})[int(number)] = row
        accepted = {
            word: dict(sorted(rows.items()))
            for word, rows in candidates.items()
            if word not in all_keys
            and ((not strict and len(rows) > 1) or (min(rows) <= 1 and max(rows) - min(rows) == len(rows) - 1))
        }
        several = {word: rows for word, rows in accepted.items() if len(rows) > 1}
        num_single = len(accepted) - len(several)
        num_unnumbered = len(keys) - sum(map(len, accepted.values()))
        if num_single < MIN_NUMBERED_SHARE * (num_single + num_unnumbered):
            accepted = several
        if len(several) >= (MIN_AMBIGUOUS_WORDS if strict else 1) and num_single + len(
            several
        ) >= MIN_NUMBERED_SHARE * len(candidates):
            return accepted
    return {}
