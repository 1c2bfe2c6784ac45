"""`reproduce`: train what the tables and figures need, score it, and write the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import Interrupted, MissingFile
from polyseme.evaluation.analogy import analogy
from polyseme.evaluation.scores import Evaluation, Score
from polyseme.evaluation.word_similarity import scws, wordsim
from polyseme.experiments import figures, paper, tables
from polyseme.experiments.plan import PROFILES, Plan, Profile, Run, make_plan, trained
from polyseme.experiments.report import Figure, Report, Table
from polyseme.experiments.tfidf import sparse_scws, sparse_wordsim
from polyseme.model.disambiguation import Posterior
from polyseme.model.sense_model import SenseModel
from polyseme.training.events import Listener, silent
from polyseme.vocabulary import Vocabulary

SCWS, ANALOGIES = "scws/ratings.txt", "analogy/questions-words.txt"
WORDSIM = ("wordsim353/combined.csv", "wordsim353/combined.tab")
SPARSE = ("TF-IDF", "Pruned TF-IDF")


def reproduce(
    corpus: Path,
    out: Path,
    *,
    data: Path,
    profile: str | Profile = "quick",
    seed: int = 1,
    threads: int = 0,
    tokenizer: str = "words",
    say: Callable[[str], None] = lambda _: None,
    listen: Listener = silent,
    stop: Callable[[], bool] = lambda: False,
) -> Path:
    """Make the report in `out`, and say where it is. What was trained there before is not trained again.

    data  a folder of the evaluation sets: scws/ratings.txt, wordsim353/combined.csv, analogy/questions-words.txt
    """
    files = _DataFiles(data)
    out.mkdir(parents=True, exist_ok=True)
    encoded = _encoded(corpus, out, tokenizer)
    chosen = PROFILES[profile] if isinstance(profile, str) else profile
    plan = make_plan(chosen, encoded, seed, threads)
    models: dict[str, SenseModel] = {}
    for number, run in enumerate(plan.every, 1):
        say(f"model {number} of {len(plan.every)}: {run.label}")
        models[run.label] = trained(run, encoded, out / "models", listen, stop)
    experiments = _Experiments(plan, models, encoded, files, say, stop)
    title = "The experiments of Neelakantan et al. (2014), run again"
    Report(title, _intro(encoded, chosen, seed), experiments.parts()).write(out)
    return out / "report.html"


class _DataFiles:
    """The evaluation sets in a folder; MissingFile if one is not there."""

    def __init__(self, folder: Path) -> None:
        self.scws = _first(folder, SCWS)
        self.wordsim = _first(folder, *WORDSIM)
        self.analogies = _first(folder, ANALOGIES)


def _first(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise MissingFile(f"{folder / names[0]} is not there; name with --data the folder of the evaluation sets.")


def _encoded(corpus: Path, out: Path, tokenizer: str) -> EncodedCorpus:
    if is_encoded(corpus):
        return EncodedCorpus.open(corpus)
    kept = out / "corpus"
    if is_encoded(kept):
        encoded = EncodedCorpus.open(kept)
        if encoded.sources == find_sources([corpus]):
            return encoded
    return encode(find_sources([corpus]), get_tokenizer(tokenizer), kept, lambda _: None)


def _intro(encoded: EncodedCorpus, profile: Profile, seed: int) -> str:
    names = ", ".join(Path(source.path).name for source in encoded.sources)
    return (
        f"Trained on {names}, {len(encoded.tokens):,} tokens; the paper's models on {paper.TOKENS:,}. "
        f"Rows without a note have the default recipe, {profile.epochs} epochs, and several senses for the 6,000 most "
        f"frequent words (the paper has a list of about as many). Seed {seed}. Columns headed 'paper' are quoted from "
        "the paper (checked only for 300 dimensions on SCWS); all other figures were measured."
    )


class _Experiments:
    """Scores of all models, and the parts of the report."""

    def __init__(
        self,
        plan: Plan,
        models: Mapping[str, SenseModel],
        corpus: EncodedCorpus,
        files: _DataFiles,
        say: Callable[[str], None],
        stop: Callable[[], bool],
    ) -> None:
        self.plan = plan
        self.models = models
        self.corpus = corpus
        self.files = files
        self.say = say
        self.stop = stop
        self.scws: dict[Posterior, dict[str, Mapping[str, Score]]] = {"softmax": {}, "inverse-distance": {}}
        self.wordsim: dict[str, Mapping[str, Score]] = {}

    def parts(self) -> list[Table | Figure]:
        self._score_baselines()
        for label, model in self.models.items():
            self._say(f"scoring {label}")
            found = scws(model, self.files.scws)
            for posterior, scores in self.scws.items():
                scores[label] = {**found.table["words"], **found.table[posterior]}
            self.wordsim[label] = wordsim(model, self.files.wordsim).table["words"]
        return [*self._tables(), *self._figures(), *self._appendix()]

    def _say(self, what: str) -> None:
        if self.stop():
            raise Interrupted("stopped.")
        self.say(what)

    def _score_baselines(self) -> None:
        """The sparse vectors, which choose senses in one way only."""
        config = self.plan.main[0].config
        vocabulary = Vocabulary.from_counts(
            self.corpus.words, self.corpus.counts, min_count=config.min_count, max_size=None
        )
        self._say("scoring TF-IDF")
        in_contexts = sparse_scws(self.corpus, vocabulary, self.files.scws)
        words = sparse_wordsim(self.corpus, vocabulary, self.files.wordsim)
        for label in SPARSE:
            for scores in self.scws.values():
                scores[label] = in_contexts[label]
            self.wordsim[label] = words[label]

    def _tables(self) -> list[Table | Figure]:
        plan = self.plan
        high = plan.main[-1].settings["dim"]
        timed = [*plan.main, *plan.paper, plan.two_stage]
        main = [run.label for run in timed]
        control = [f"MSSG {high}d", *(run.label for run in plan.controls)]
        many = [run.label for run in plan.many_words]
        at_high = [run.label for run in (*plan.main, *plan.many_words) if run.settings["dim"] == high]
        answered: dict[str, Evaluation] = {}
        for label in at_high:
            self._say(f"analogies of {label}")
            answered[label] = analogy(self.models[label], self.files.analogies)
        softmax, inverse = self.scws["softmax"], self.scws["inverse-distance"]
        title = "Similarity in context (SCWS)"
        return [
            tables.training_time(timed, self.models, len(self.corpus.tokens)),
            tables.nearest_neighbours([*(run.label for run in plan.main[-3:]), plan.two_stage.label], self.models),
            tables.similarity_in_context("scws", title, [*SPARSE, *main], softmax, paper.SCWS),
            tables.similarity_in_context(
                "scws_inverse_distance", f"{title}, senses weighted as in the paper", main, inverse, paper.SCWS
            ),
            tables.against_controls(control, softmax),
            tables.word_similarity([*SPARSE, *main], self.wordsim),
            tables.similarity_in_context(
                "top_30000", f"{title}, 30,000 words of several senses", many, softmax, paper.SCWS_30K
            ),
            tables.analogies(answered),
        ]

    def _figures(self) -> list[Table | Figure]:
        plan, scores = self.plan, self.scws["softmax"]
        measures = ("avg_sim", "avg_sim_c", "local_sim")  # all of which have controls
        discovering = [run for run in (*plan.main, *plan.many_words) if run.settings["model"] == "np-mssg"]
        dotted = "Bars are 95% intervals; dotted are the same vectors with senses drawn at random."

        def series(runs: list[Run]) -> dict[str, list[Score]]:
            return {measure: [scores[run.label][measure] for run in runs] for measure in measures}

        return [
            figures.histogram(
                "senses_per_word",
                "Number of senses per word in NP-MSSG",
                {run.label: _number_of_senses(self.models[run.label]) for run in discovering},
                "Of the words that may have several.",
            ),
            figures.lines(
                "dimension", "Dimension and SCWS score, MSSG", "dimensions",
                [run.settings["dim"] for run in plan.by_dim], series(plan.by_dim), dotted,
            ),
            figures.lines(
                "number_of_senses", "Number of senses and SCWS score, MSSG", "senses per word",
                [run.config.senses if run.settings["model"] == "mssg" else 1 for run in plan.by_senses],
                series(plan.by_senses), dotted,
            ),
        ]  # fmt: skip

    def _appendix(self) -> list[Table | Figure]:
        tasks = {"SCWS": self.scws["softmax"], "SCWS, inverse distance": self.scws["inverse-distance"]}
        return [
            tables.intervals({**tasks, "WordSim-353": self.wordsim}),
            tables.settings_of(self.plan.every, self.models),
        ]


def _number_of_senses(model: SenseModel) -> dict[int, int]:
    numbers, counts = np.unique(model._data.num_visible_senses[model._data.multi_sense_mask], return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))
