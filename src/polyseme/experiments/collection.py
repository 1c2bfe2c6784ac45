"""The results of all runs so far, by row of the tables, and the cells made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from polyseme.evaluation.scores import Score
from polyseme.experiments.corpora import NamedCorpus
from polyseme.experiments.plan import Profile, Task
from polyseme.experiments.report import NOT_RUN, Cell
from polyseme.experiments.results import Result, mean_score
from polyseme.training.config import RecipeName

RECIPE_NAMES = {"paper": "paper's recipe", "default": "default recipe"}
OWN_POSTERIOR = {"paper": "inverse-distance", "default": "softmax"}  # of the models of each recipe
Key = tuple[str, str, str]  # corpus, label, recipe


@dataclass(frozen=True)
class Collection:
    """The results by row; a row has one result per seed."""

    corpora: Sequence[NamedCorpus]
    profile: Profile
    planned: Sequence[Task]
    results: dict[Key, list[Result]] = field(default_factory=dict)

    def add(self, task: Task, result: Result) -> None:
        self.results.setdefault(task.key, []).append(result)

    @property
    def names(self) -> list[str]:
        """The names of the corpora."""
        return [corpus.name for corpus in self.corpora]

    @property
    def num_finished(self) -> int:
        return sum(len(results) for results in self.results.values())

    def is_planned(self, key: Key) -> bool:
        return any(task.key == key for task in self.planned)

    def of(self, corpus: str, label: str, recipe: RecipeName) -> list[Result]:
        return self.results.get((corpus, label, recipe), [])

    def scores(self, key: Key, task: str, group: str, measure: str) -> list[Score]:
        """The scores of all seeds. Measures that do not depend on contexts are in the group "words"."""
        tables = [getattr(result, task).get(group, {}) for result in self.results.get(key, [])]
        return [table[measure] for table in tables if measure in table]

    def score(self, key: Key, task: str, group: str, measure: str) -> Score | None:
        scores = self.scores(key, task, group, measure)
        return mean_score(scores) if scores else None

    def cell(self, key: Key, task: str, group: str, measure: str) -> Cell:
        """A score and its control, as '66.9 (61.2)'; `NOT_RUN` if a run is missing, None if there is no such run."""
        score = self.score(key, task, group, measure)
        if score is None:
            return NOT_RUN if self.is_planned(key) and key not in self.results else None
        return f"{score.value:.1f}" if score.control is None else f"{score.value:.1f} ({score.control:.1f})"

    def interval(self, key: Key, task: str, group: str, measure: str) -> Cell:
        """A score with its 95% interval, as '66.9 [65.1, 68.5]'."""
        score = self.score(key, task, group, measure)
        if score is None:
            return self.cell(key, task, group, measure)
        return f"{score.value:.1f} [{score.low:.1f}, {score.high:.1f}]"

    def per_corpus(self, title: str) -> list[str]:
        """The heading of one column per corpus."""
        return [f"{title}, {name}" for name in self.names]


def group_of(measure: str, posterior: str) -> str:
    """The group of a measure in the table of an evaluation.

    >>> group_of("avg_sim", "softmax"), group_of("avg_sim_c", "softmax")
    ('words', 'softmax')
    """
    return posterior if measure in ("avg_sim_c", "local_sim", "max_sim_c") else "words"


def lowest(results: Iterable[Result], name: str) -> float | None:
    """The lowest value of an attribute over seeds: for times, the least disturbed run."""
    values = [value for result in results if (value := getattr(result, name)) is not None]
    return min(values) if values else None
