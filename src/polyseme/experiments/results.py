"""What is kept of a run: its scores, times and neighbours, in a JSON file. The report is made of these files alone."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from polyseme._io.atomic import atomic_file
from polyseme._io.strict_json import check_types, only_finite, read_json_object
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.errors import DataError, MissingFile, OutputExists
from polyseme.evaluation.analogy import analogy
from polyseme.evaluation.scores import Evaluation, Score
from polyseme.evaluation.word_similarity import scws, wordsim
from polyseme.experiments.machine_load import MAX_IDLE_LOAD
from polyseme.experiments.paper import NEIGHBOURS as QUOTED_NEIGHBOURS
from polyseme.experiments.plan import Run
from polyseme.model.data import ModelData
from polyseme.model.sense_model import SenseModel

SCWS, ANALOGIES = "scws/ratings.txt", "analogy/questions-words.txt"
WORDSIM = ("wordsim353/combined.csv", "wordsim353/combined.tab")
NUM_NEIGHBOURS = 5
IGNORED = {"threads"}  # settings that may differ between a run and a result that stands for it

Scores = Mapping[str, Mapping[str, Score]]  # by group, then by measure


class DataFiles:
    """The paths of the evaluation sets in a folder; MissingFile if one does not exist."""

    def __init__(self, folder: Path) -> None:
        self.scws = _first_existing(folder, SCWS)
        self.wordsim = _first_existing(folder, *WORDSIM)
        self.analogies = _first_existing(folder, ANALOGIES)


def _first_existing(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise MissingFile(f"{folder / names[0]} does not exist; give the folder of the evaluation sets with --data.")


@dataclass(frozen=True)
class SenseNeighbours:
    """The neighbours of a sense, as in the paper (by global vectors, among all words), and among senses."""

    share: float
    words: list[str]
    senses: list[str]


@dataclass(frozen=True)
class Result:
    """The scores of a run on a corpus.

    scws, wordsim    scores by group ("words", or a posterior) and measure; for analogies by section and vectors
    covered          pairs or analogies with known words, and all of them, by task
    senses_per_word  of the words that may have several senses, how many have each number
    other_load       the share of the processors that other programs used during the training; None if unknown
    """

    settings: dict[str, Any]
    fingerprint: str
    tokenizer: str
    scws: Scores
    wordsim: Scores
    analogies: Scores = field(default_factory=dict)
    covered: dict[str, list[int]] = field(default_factory=dict)
    seconds: float | None = None
    threads: int | None = None
    other_load: float | None = None
    senses_per_word: dict[int, int] = field(default_factory=dict)
    neighbours: dict[str, list[SenseNeighbours]] = field(default_factory=dict)

    @property
    def idle_seconds(self) -> float | None:
        """The training time, if the machine was otherwise idle; else None."""
        return self.seconds if self.other_load is not None and self.other_load <= MAX_IDLE_LOAD else None

    @property
    def mean_senses(self) -> float:
        """The mean number of senses of the words that may have several."""
        words = sum(self.senses_per_word.values())
        return sum(n * count for n, count in self.senses_per_word.items()) / words if words else 1.0

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as temporary:
            # The correlation with constant scores is NaN.
            temporary.write_text(json.dumps(only_finite(asdict(self)), ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Result:
        """A saved result; DataError if the file is damaged."""
        try:
            values = read_json_object(path)
            check_types(values, {"settings": dict, "fingerprint": str, "tokenizer": str, "scws": dict, "wordsim": dict})
            for task in ("scws", "wordsim", "analogies"):
                values[task] = {group: _scores(scores) for group, scores in values[task].items()}
            values["senses_per_word"] = {int(n): count for n, count in values["senses_per_word"].items()}
            values["neighbours"] = {
                word: [SenseNeighbours(**sense) for sense in senses] for word, senses in values["neighbours"].items()
            }
            return cls(**values)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(f"{path} is damaged ({error}); remove it to run this row again.") from error

    def check_same(self, run: Run, corpus: EncodedCorpus, path: Path) -> None:
        """Raise OutputExists if this is the result of another corpus, or of other settings than the run's."""
        expected = json.loads(json.dumps(run_settings(run)))
        names = sorted((expected.keys() | self.settings.keys()) - IGNORED)
        differing = [name for name in names if self.settings.get(name) != expected.get(name)]
        difference = ""
        if self.tokenizer != corpus.description["tokenizer"]:
            difference = "another tokenizer"
        elif self.fingerprint != corpus.fingerprint:
            difference = "another corpus"
        elif differing:
            difference = f"another {differing[0].replace('_', '-')}"
        if difference:
            raise OutputExists(f"{path} is the result of {difference}; choose another OUT, or remove it.")


def run_settings(run: Run) -> dict[str, Any]:
    """The settings that a result of a run stands for."""
    return {"kind": run.kind, "seed": run.seed} if run.kind == "tf-idf" else {"kind": run.kind, **run.config.to_dict()}


def _scores(scores: Mapping[str, Mapping[str, float | None]]) -> dict[str, Score]:
    def number(value: float | None) -> float:
        return math.nan if value is None else float(value)

    return {
        measure: Score(number(s["value"]), number(s["low"]), number(s["high"]), s["control"], s["including_oov"])
        for measure, s in scores.items()
    }


def evaluate_model(
    model: SenseModel, run: Run, corpus: EncodedCorpus, files: DataFiles, check: Callable[[], None] = lambda: None
) -> Result:
    """The result of a trained model. `check` is called between the tasks; it may raise."""
    data = model._data
    evaluations: list[Evaluation] = []
    for evaluate, path in ((scws, files.scws), (wordsim, files.wordsim), (analogy, files.analogies)):
        check()
        if evaluate is not analogy or run.detailed:
            evaluations.append(evaluate(model, path))
    tables = {evaluation.task: evaluation.table for evaluation in evaluations}
    numbers, counts = np.unique(data.num_visible_senses[data.multi_sense_mask], return_counts=True)
    check()
    return Result(
        settings=run_settings(run),
        fingerprint=corpus.fingerprint,
        tokenizer=str(corpus.description["tokenizer"]),
        scws=tables["scws"],
        wordsim=tables["wordsim"],
        analogies=tables.get("analogy", {}),
        covered={evaluation.task: [evaluation.covered, evaluation.total] for evaluation in evaluations},
        seconds=float(model.training["seconds"]),
        threads=int(model.training["threads"]),
        senses_per_word=dict(zip(numbers.tolist(), counts.tolist(), strict=True)),
        neighbours=find_neighbours(model) if run.detailed else {},
    )


def find_neighbours(model: SenseModel) -> dict[str, list[SenseNeighbours]]:
    """The neighbours of each sense of the paper's example words that the model knows."""
    data = model._data
    return {
        word: [
            SenseNeighbours(
                share=sense.share,
                words=nearest_words(data, row, NUM_NEIGHBOURS),
                senses=[n.word for n in sense.neighbours(NUM_NEIGHBOURS)],
            )
            for sense, row in zip(model.senses(word), data.rows(data.find(word)[0]), strict=True)
        ]
        for word in QUOTED_NEIGHBOURS
        if word in model
    }


def nearest_words(data: ModelData, row: int, n: int) -> list[str]:
    """The other words whose global vectors have the highest cosines with a sense vector; of all words, as in the paper.

    `neighbours(among="words")` leaves out rare words.
    """
    cosines = data.unit_global_vectors @ data.arrays.sense_vectors[row]
    word = data.word_of(row)
    nearest = np.argsort(-cosines, kind="stable")[: n + 1].tolist()
    return [data.vocabulary.words[i] for i in nearest if i != word][:n]


def mean_score(scores: Sequence[Score]) -> Score:
    """The mean of the scores of several seeds, and of their intervals and controls."""

    def mean(values: Sequence[float | None]) -> float | None:
        numbers = [value for value in values if value is not None]
        return sum(numbers) / len(numbers) if numbers else None

    first = scores[0]
    return replace(
        first,
        value=sum(s.value for s in scores) / len(scores),
        low=sum(s.low for s in scores) / len(scores),
        high=sum(s.high for s in scores) / len(scores),
        control=mean([s.control for s in scores]),
        including_oov=mean([s.including_oov for s in scores]),
    )
