"""Ambiguity: how many words of a list a model splits into several senses.

    split        percentage of the words with more than one visible sense, with its Wilson interval
    correlation  Spearman x 100 of the number of senses and the number after each word, for lists with numbers; left
                 out if all words have the same number of senses

A word is judged if it is in the vocabulary and occurs at least `min_count` times. The control is the same measure for
words of the same frequency: each judged word is replaced by a random one of the CANDIDATES words that are nearest to it
in rank and in none of the lists; the mean of CONTROL_RUNS runs. The most frequent words of the model, which are mostly
function words in any language, are two more groups, without a control.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from polyseme.errors import ConfigError, DataError, MissingFile
from polyseme.evaluation.scores import CONTROL_RUNS, Evaluation, Score, bootstrap_interval
from polyseme.evaluation.text_files import is_number, read_lines
from polyseme.evaluation.word_similarity import spearman
from polyseme.model.data import ModelData

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

MIN_COUNT = 300
CANDIDATES = 20
MOST_FREQUENT, NEXT_FREQUENT = slice(0, 100), slice(100, 300)
LAYOUT = "a word or phrase, or one and a number"
ZIPF_NOTE = "The vectors come without counts, which are assumed from the order of the words (Zipf's law)."

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WordList:
    """Words and their numbers, which are all None in a list without numbers."""

    name: str
    words: dict[str, float | None]


def ambiguity(model: SenseModel, path: Path, *, min_count: int = MIN_COUNT) -> Evaluation:
    """Evaluate on a folder of word lists (`*.txt`), or on a single list."""
    if min_count < 1:
        raise ConfigError(f"--min-count must be 1 or more, not {min_count}.")
    data = model._data
    lists = read_word_lists(path)
    counts = data.vocabulary.counts
    frequent = np.flatnonzero(counts >= min_count)
    listed = {word for words in lists for word in _known(data, words)}
    pool = frequent[~np.isin(frequent, list(listed))]
    rng = np.random.default_rng(0)
    table: dict[str, dict[str, Score]] = {}
    judged: dict[str, int] = {}
    notes: list[str] = []
    for words in lists:
        numbers = {word: number for word, number in _known(data, words).items() if counts[word] >= min_count}
        judged[words.name] = len(numbers)
        if numbers:
            table[words.name] = _scores(data, numbers, pool, rng)
        else:
            notes.append(f"{words.name}: none of its {len(words.words)} words occurs {min_count:,} times or more.")
    total = sum(len(words.words) for words in lists)
    if not table:
        raise DataError(f"{path}: none of the {total} words occurs {min_count:,} times or more; lower --min-count.")
    covered = sum(judged.values())
    for name, ranks in (("100 most frequent words", MOST_FREQUENT), ("ranks 101 to 300", NEXT_FREQUENT)):
        judged[name] = len(frequent[ranks])
        if judged[name]:
            table[name] = {"split": _split_score(data.num_visible_senses[frequent[ranks]])}
    if not model.corpus.get("tokens"):
        notes.append(ZIPF_NOTE)
    facts = {"words in the list": {words.name: len(words.words) for words in lists}, "words judged": judged}
    items = f"words that occur {min_count:,} times or more"
    return Evaluation("ambiguity", covered, total, table, tuple(notes), facts, items, control="same frequency")


def read_word_lists(path: Path) -> list[WordList]:
    """The lists of a folder in alphabetical order, or the one list that a file contains."""
    if path.is_dir():
        files = sorted(file for file in path.glob("*.txt") if not file.name.startswith("."))
        if not files:
            raise MissingFile(f"{path} has no word lists; add files *.txt with one word per line.")
        return [read_word_list(file) for file in files]
    if not path.exists():
        raise MissingFile(f"{path} does not exist; give a folder of word lists (*.txt), or one list.")
    return [read_word_list(path)]


def read_word_list(path: Path) -> WordList:
    """Read a word per line, with a number after each word or after none. Of duplicate words the first is kept.

    Lines that start with # are comments.
    """
    words: dict[str, float | None] = {}
    with_numbers: bool | None = None
    for line in read_lines(path):
        if line.text.startswith("#"):
            continue
        columns = line.text.split()
        number = line.parse_number(columns.pop()) if len(columns) > 1 and is_number(columns[-1]) else None
        if len(columns) > 1 and any(map(is_number, columns)):
            raise line.error(f"several numbers, expected {LAYOUT}.")
        if with_numbers is None:
            with_numbers = number is not None
        if with_numbers != (number is not None):
            problem = "no number after the word" if with_numbers else "a number after the word"
            raise line.error(f"{problem}, unlike in the lines before; give all words a number, or none.")
        words.setdefault(" ".join(columns), number)
    if not words:
        raise DataError(f"{path} has no words; write one word per line.")
    return WordList(path.stem, words)


def _known(data: ModelData, words: WordList) -> dict[int, float | None]:
    """The ids of the words of a list that are in the vocabulary, with their numbers."""
    known: dict[int, float | None] = {}
    for word, number in words.words.items():
        word_id = data.word_id(word)
        if word_id is not None:
            known.setdefault(word_id, number)
    return known


def _scores(
    data: ModelData, numbers: dict[int, float | None], pool: Ints, rng: np.random.Generator
) -> dict[str, Score]:
    """The scores of words, given by their ids, with the words of `pool` as candidates for the control."""
    words = np.array(list(numbers))
    senses = data.num_visible_senses[words]
    control = data.num_visible_senses[_same_frequency(words, pool, rng)] if len(pool) else None
    scores = {"split": _split_score(senses, control)}
    if None not in numbers.values():
        values = np.array(list(numbers.values()), np.float64)
        if np.ptp(values) and np.ptp(senses):  # else the correlation is undefined
            scores["correlation"] = _correlation_score(senses, values, control)
    return scores


def _same_frequency(words: Ints, pool: Ints, rng: np.random.Generator) -> Ints:
    """Random words of the pool with ranks near those of `words`, (CONTROL_RUNS, len(words)).

    Ids are ranks, since the vocabulary is sorted by frequency; the pool is sorted as well.
    """
    num_candidates = min(CANDIDATES, len(pool))
    first = np.searchsorted(pool, words) - num_candidates // 2
    first = np.clip(first, 0, len(pool) - num_candidates)
    return np.asarray(pool[first + rng.integers(0, num_candidates, (CONTROL_RUNS, len(words)))])


def _split_score(senses: NDArray[np.int32], control: NDArray[np.int32] | None = None) -> Score:
    """The percentage of words with several senses, given each word's number of senses."""
    split = senses > 1
    # Not a bootstrap interval: if no word of a list is split, that would be 0 to 0, even for a list of five words.
    interval = binomtest(int(split.sum()), len(split)).proportion_ci(method="wilson")
    return Score(
        value=100 * float(split.mean()),
        low=100 * float(interval.low),
        high=100 * float(interval.high),
        control=None if control is None else 100 * float((control > 1).mean()),
    )


def _correlation_score(senses: NDArray[np.int32], numbers: Floats, control: NDArray[np.int32] | None) -> Score:
    low, high = bootstrap_interval(len(senses), lambda samples: spearman(senses[samples], numbers[samples]))
    runs = [] if control is None else [spearman(run, numbers) for run in control]
    return Score(
        value=100 * float(spearman(senses, numbers)),
        low=100 * low,
        high=100 * high,
        # Control words that all have the same number of senses tell nothing about the numbers, as a correlation of 0.
        control=100 * float(np.mean(np.nan_to_num(runs))) if runs else None,
    )
