"""Merging, dropping and labelling the senses of a finished model, without training.

Of senses k that are merged, with counts n_k:

    v = sum n_k v_k / sum n_k      for sense vectors and cluster centers
    n = sum n_k                    and the lowest of their numbers

A dropped sense adds its count to the nearest remaining sense of its word, whose vector and center stay as they are.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from polyseme.errors import ConfigError
from polyseme.kernels.linkage import group_senses, largest_distances
from polyseme.model.arrays import ModelArrays
from polyseme.model.data import ModelData, default_numbers, unit_rows
from polyseme.model.refined_examples import refined_reader
from polyseme.model.rows import Rows, dense

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]


def refine(
    data: ModelData,
    *,
    min_separation: float | None,
    min_share: float | None,
    merge: Iterable[str | Iterable[str]],
    drop: Iterable[str],
    labels: Mapping[str, str],
) -> ModelData:
    """See `SenseModel.refine`."""
    _check_range("--min-separation", min_separation, 2)
    _check_range("--min-share", min_share, 1)
    if isinstance(merge, str) or isinstance(drop, str):
        raise ConfigError("merge and drop are lists, such as merge=['bank#1+bank#3'] and drop=['rock#2'].")
    groups = [_group_rows(data, group) for group in merge]
    dropped = [_row(data, key) for key in drop]
    _check_rows(data, groups, dropped)
    steps = _Steps(data)
    if groups:
        target = np.arange(len(steps.rows))
        for group in groups:
            target[group] = group[0]
        steps.combine(target, np.ones(len(target), np.bool_))
    if dropped:
        steps.drop(steps.rows[dropped])
    if min_separation is not None:
        _check_centers(data)
        known = float(data.training.get("sense_distance", 0))
        typical_distance = known if known > 0 else typical_sense_distance(data.arrays)
        steps.combine(*merge_targets(steps.data.arrays, typical_distance, min_separation))
    if min_share is not None:
        steps.drop(rare_rows(steps.data.arrays, min_share))
    options = _options(data, min_separation, min_share, groups, dropped, labels)
    return replace(
        steps.data,
        labels=_new_labels(data, steps, labels),
        last_numbers=_last_numbers(data, steps.data),
        read_examples=refined_reader(data, steps.data, steps.rows),
        refinements=(*data.refinements, *([shlex.join(options)] if options else [])),
    )


def _last_numbers(old: ModelData, new: ModelData) -> dict[str, int]:
    """`ModelData.last_numbers` of a refined model."""
    words, highest = old.vocabulary.words, old.highest_numbers
    changed = np.flatnonzero(highest > replace(new, last_numbers={}).highest_numbers).tolist()
    return {words[word]: int(highest[word]) for word in changed}


class _Steps:
    """A model after each step of a refinement.

    data  the model after the last step
    rows  int64 (R,)  row in it of each sense of the original model; -1 for a dropped sense
    """

    def __init__(self, data: ModelData) -> None:
        self.data = data
        self.rows = np.arange(len(data.arrays.sense_vectors))

    def combine(self, target: Ints, averaged: Bools) -> None:
        arrays, new_rows = combine(self.data.arrays, self.data.sense_numbers, target, averaged)
        self.data = replace(self.data, arrays=arrays)
        self.rows = np.where(self.rows >= 0, new_rows[self.rows], -1)

    def drop(self, rows: Ints) -> None:
        remaining = np.ones(len(self.data.arrays.sense_vectors), np.bool_)
        remaining[rows] = False
        offsets = self.data.arrays.sense_offsets
        visible = default_numbers(offsets) <= self.data.num_visible_senses[self.data.arrays.word_of_row]
        self.combine(nearest_targets(self.data.sense_centers, offsets, rows, remaining & visible), remaining)


# Array functions


def combine(
    arrays: ModelArrays, sense_numbers: NDArray[np.int32], target: Ints, averaged: Bools
) -> tuple[ModelArrays, Ints]:
    """Combine senses; returns the new arrays, and the new row of each sense: int64 (R,), -1 if it is not averaged.

    sense_numbers  IN  int32 (R,)
    target         IN  int64 (R,)  the sense of the same word that each sense becomes a part of; itself if it remains
    averaged       IN  bool (R,)   whether it contributes to vector, center and number of the target, or only its count;
                                   True for senses that remain
    """
    counts = np.zeros_like(arrays.sense_counts)
    np.add.at(counts, target, arrays.sense_counts)
    numbers = np.array(sense_numbers)
    np.minimum.at(numbers, target[averaged], sense_numbers[averaged])
    remaining = np.flatnonzero(target == np.arange(len(target)))
    word_of_row = arrays.word_of_row[remaining]
    remaining = remaining[np.lexsort((numbers[remaining], -counts[remaining], word_of_row))]
    offsets = np.searchsorted(word_of_row, np.arange(len(arrays.sense_offsets)))
    numbers = numbers[remaining]
    new_rows = np.full(len(target), -1)
    new_rows[remaining] = np.arange(len(remaining))
    new_rows = np.where(averaged, new_rows[target], -1)
    vectors, centers, old_counts = arrays.sense_vectors, arrays.cluster_centers, arrays.sense_counts
    combined = replace(
        arrays,
        sense_vectors=_mean_rows(vectors, old_counts, new_rows, vectors[remaining]),
        sense_offsets=offsets,
        sense_counts=counts[remaining],
        cluster_centers=None if centers is None else _mean_rows(centers, old_counts, new_rows, centers[remaining]),
        sense_numbers=None if np.array_equal(numbers, default_numbers(offsets)) else numbers,
    )
    return combined, new_rows


def _mean_rows(rows: Rows, counts: Ints, new_rows: Ints, out: Floats) -> Floats:
    """Replace each row of `out` that combines several rows by their mean, weighted by count; returns `out`.

    rows      IN   float32 (R, n)
    counts    IN   int64 (R,)      if all are 0, the weights are equal
    new_rows  IN   int64 (R,)      row of `out` that each row is part of; -1 for none
    out       OUT  float32 (Q, n)
    """
    num_parts = np.bincount(new_rows[new_rows >= 0], minlength=len(out))
    parts = np.flatnonzero((new_rows >= 0) & (num_parts[new_rows] > 1))
    if len(parts):
        parts = parts[np.argsort(new_rows[parts], kind="stable")]
        merged, starts = np.unique(new_rows[parts], return_index=True)
        totals = np.repeat(np.add.reduceat(counts[parts], starts), num_parts[merged])
        weights = np.where(totals > 0, counts[parts] / np.maximum(totals, 1), 1 / num_parts[new_rows[parts]])
        out[merged] = np.add.reduceat(rows[parts] * weights[:, None].astype(np.float32), starts)
    return out


def merge_targets(arrays: ModelArrays, typical_distance: float, min_separation: float) -> tuple[Ints, Bools]:
    """`target` and `averaged` of `combine`, for senses that are too similar (see `group_senses`).

    A sense without tokens is removed, as its center is arbitrary. Needs cluster centers.
    """
    assert arrays.cluster_centers is not None
    offsets, counts = arrays.sense_offsets, arrays.sense_counts
    target = np.empty(offsets[-1], np.int64)
    centers, vectors = dense(arrays.cluster_centers), dense(arrays.sense_vectors)
    group_senses(centers, vectors, offsets, counts, typical_distance, min_separation, target)
    return target, (counts > 0) | (target == np.arange(len(target)))


def typical_sense_distance(arrays: ModelArrays) -> float:
    """The median, over words with several senses, of the largest cosine distance of two sense vectors; 1 without any.

    It depends on the corpus and the settings: sense vectors differ more, the longer they are trained.
    """
    distances = np.empty(len(arrays.sense_offsets) - 1)
    largest_distances(dense(arrays.sense_vectors), arrays.sense_offsets, arrays.sense_counts, distances)
    distances = distances[distances > 0]
    return float(np.median(distances)) if len(distances) else 1.0


def merge_similar_senses(
    arrays: ModelArrays, typical_distance: float, min_separation: float, among: Bools | None = None
) -> ModelArrays:
    """The arrays of a trained model with the senses of each word merged that are too similar.

    among  IN  bool (V,)  whether to merge the senses of each word; by default of all words, which are numbered anew
    """
    target, averaged = merge_targets(arrays, typical_distance, min_separation)
    if among is not None:
        kept = ~among[arrays.word_of_row]
        target, averaged = np.where(kept, np.arange(len(target)), target), averaged | kept
    numbers = default_numbers(arrays.sense_offsets) if arrays.sense_numbers is None else arrays.sense_numbers
    combined, _ = combine(arrays, numbers, target, averaged)
    return replace(combined, sense_numbers=None) if among is None else combined


def rare_rows(arrays: ModelArrays, min_share: float) -> Ints:
    """The rows of senses with a smaller share of their word's tokens, except the most frequent sense of each word."""
    offsets, counts = arrays.sense_offsets, arrays.sense_counts
    totals = np.add.reduceat(counts, offsets[:-1])
    rare = counts < min_share * totals[arrays.word_of_row]
    rare[offsets[:-1]] = False
    return np.flatnonzero(rare)


def nearest_targets(centers: Rows, sense_offsets: Ints, rows: Ints, remaining: Bools) -> Ints:
    """int64 (R,) For each of `rows` the sense of its word that remains with the nearest center; other rows themselves.

    centers        IN  float32 (R, c)
    sense_offsets  IN  int64 (V + 1,)
    rows           IN  int64 (k,)
    remaining      IN  bool (R,)       the candidates; every word of `rows` has one
    """
    target = np.arange(len(remaining))
    words = np.searchsorted(sense_offsets, rows, side="right") - 1
    for row, word in zip(rows.tolist(), words.tolist(), strict=True):
        first, last = sense_offsets[word : word + 2]
        candidates = first + np.flatnonzero(remaining[first:last])
        cosines = unit_rows(centers[candidates]) @ unit_rows(centers[[row]])[0]
        target[row] = candidates[cosines.argmax()]
    return target


# Options


def _group_rows(data: ModelData, group: str | Iterable[str]) -> list[int]:
    """The rows of senses to merge."""
    # A word may contain a plus: only the one after a number separates two keys.
    keys = re.sub(r"(#\d+)\+", r"\1\n", group).split("\n") if isinstance(group, str) else list(group)
    if len(keys) < 2:
        raise ConfigError(f"--merge needs two or more senses, such as bank#1+bank#3, not '{'+'.join(keys)}'.")
    rows = [_row(data, key) for key in keys]
    if len({data.word_of(row) for row in rows}) > 1:
        raise ConfigError(f"--merge cannot merge senses of different words: {'+'.join(keys)}.")
    return rows


def _row(data: ModelData, key: str) -> int:
    """The row of a sense, given by its key."""
    word, row = data.find(key)
    if row is not None:
        return row
    if len(data.rows(word)) > 1:
        raise ConfigError(f"{data.describe_senses(word)}. Name one of them instead of '{key}'.")
    return data.rows(word)[0]


def _check_rows(data: ModelData, groups: list[list[int]], dropped: list[int]) -> None:
    """ConfigError if a sense is named twice, or if a word would lose all its senses."""
    named: set[int] = set()
    for row in chain(*groups, dropped):
        if row in named:
            raise ConfigError(f"'{data.key(row)}' is named twice in --merge and --drop; name each sense once.")
        named.add(row)
    for word in {data.word_of(row) for row in dropped}:
        if set(data.rows(word)) <= set(dropped):
            raise ConfigError(f"--drop cannot remove the last sense of a word: {data.describe_senses(word)}.")


def _check_range(option: str, value: float | None, maximum: int) -> None:
    if value is not None and not 0 <= value <= maximum:  # also if it is NaN
        raise ConfigError(f"{option} must be between 0 and {maximum}, not {value}.")


def _check_centers(data: ModelData) -> None:
    """ConfigError if the model has no centers that are means of contexts."""
    name = data.config.get("model")
    if data.arrays.cluster_centers is None or name == "mssg-maxout":  # whose centers are sense vectors
        raise ConfigError(f"--min-separation needs cluster centers, which {name} does not have; use --merge instead.")


def _options(
    data: ModelData,
    min_separation: float | None,
    min_share: float | None,
    groups: list[list[int]],
    dropped: list[int],
    labels: Mapping[str, str],
) -> list[str]:
    """The options of this refinement as on the command line."""
    options = {
        "--min-separation": [] if min_separation is None else [f"{min_separation:g}"],
        "--min-share": [] if min_share is None else [f"{min_share:g}"],
        "--merge": ["+".join(map(data.key, group)) for group in groups],
        "--drop": [data.key(row) for row in dropped],
        "--label": [f"{key}={_one_line(label)}" for key, label in labels.items()],
    }
    return [argument for name, values in options.items() if values for argument in (name, *values)]


# Labels


def _new_labels(data: ModelData, steps: _Steps, labels: Mapping[str, str]) -> dict[str, str]:
    """The labels of the refined model by its keys. A label stays with its number, and a new one replaces it."""
    old = {_row(data, key): label for key, label in data.labels.items()}
    kept = {row: label for row, label in old.items() if _keeps_number(data, steps, row)}
    new: dict[int, str] = {}
    for key, label in labels.items():
        row = _labelled_row(data, steps, key)
        if row in new:
            raise ConfigError(f"'{key}' is labelled twice; give one label.")
        if not _one_line(label):
            raise ConfigError(f"the label of '{key}' is empty; give one, such as --label 'bank#2=river bank'.")
        new[row] = _one_line(label)
    by_row = {int(steps.rows[row]): label for row, label in kept.items()} | new
    return {steps.data.key(row): by_row[row] for row in sorted(by_row)}


def _labelled_row(data: ModelData, steps: _Steps, key: str) -> int:
    """The row in the refined model of a sense of the original model; a word stands for its only remaining sense."""
    word, row = data.find(key)
    if row is None:
        return _row(steps.data, data.vocabulary.words[word])
    if not _keeps_number(data, steps, row):
        raise ConfigError(f"'{key}' is merged or dropped; label another sense. {steps.data.describe_senses(word)}.")
    return int(steps.rows[row])


def _keeps_number(data: ModelData, steps: _Steps, row: int) -> bool:
    """Whether a sense of the original model remains under its number."""
    new_row = steps.rows[row]
    return bool(new_row >= 0 and steps.data.sense_numbers[new_row] == data.sense_numbers[row])


def _one_line(label: str) -> str:
    return " ".join(label.split())
