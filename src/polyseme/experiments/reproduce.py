"""`reproduce`: train the models of the paper's experiments, evaluate them, and write the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from polyseme.corpus.encoded_corpus import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import encode
from polyseme.corpus.inputs import CorpusInput
from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import MissingFile
from polyseme.evaluation.analogy import analogy
from polyseme.evaluation.scores import Evaluation, Score
from polyseme.evaluation.word_similarity import scws, wordsim
from polyseme.experiments import figures, paper, tables
from polyseme.experiments.plan import PROFILES, Plan, Profile, Run, load_or_train, make_plan
from polyseme.experiments.report import Figure, Report, Table
from polyseme.experiments.tfidf import tfidf_scws, tfidf_wordsim
from polyseme.model.disambiguation import Posterior
from polyseme.model.sense_model import SenseModel
from polyseme.training.events import Listener, raise_if_stopped, silent
from polyseme.vocabulary import Vocabulary

SCWS, ANALOGIES = "scws/ratings.txt", "analogy/questions-words.txt"
WORDSIM = ("wordsim353/combined.csv", "wordsim353/combined.tab")
BASELINES = ("TF-IDF", "Pruned TF-IDF")


def reproduce(
    corpus: Path,
    out: Path,
    *,
    data: Path,
    profile: str | Profile = "quick",
    seed: int = 1,
    threads: int = 0,
    tokenizer: str = "words",
    reader: str | None = None,
    field: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    listen: Listener = silent,
    stop: Callable[[], bool] = lambda: False,
) -> Path:
    """Write the report to the folder `out` and return the path of its HTML page. Trained models are kept and reused.

    corpus  a text, or an encoded corpus
    reader, field  the format of the text and the field of its rows: see `polyseme.train`
    data    folder of the evaluation sets: scws/ratings.txt, wordsim353/combined.csv, analogy/questions-words.txt
    say     called with a line of text before each step
    listen  called with the events of each training run
    stop    called regularly; Interrupted is raised when it returns True
    """
    files = _DataFiles(data)
    out.mkdir(parents=True, exist_ok=True)
    encoded = _encoded_corpus(CorpusInput(corpus, None, reader, field), out, tokenizer, stop)
    if isinstance(profile, str):
        profile = PROFILES[profile]
    plan = make_plan(profile, encoded, seed, threads)
    models: dict[str, SenseModel] = {}
    for number, run in enumerate(plan.all_runs, 1):
        say(f"model {number} of {len(plan.all_runs)}: {run.label}")
        models[run.label] = load_or_train(run, encoded, out / "models", listen, stop)
    experiments = _Experiments(plan, models, encoded, files, say, stop)
    title = "Reproduction of the experiments of Neelakantan et al. (2014)"
    Report(title, _intro(encoded, profile, seed), experiments.parts()).write(out)
    return out / "report.html"


class _DataFiles:
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


def _encoded_corpus(corpus: CorpusInput, out: Path, tokenizer: str, stop: Callable[[], bool]) -> EncodedCorpus:
    """The corpus if it is encoded already, else its encoding in `out`, reused for the same text and tokenizer."""
    given = corpus.open_encoded()
    if given is not None:
        return given
    folder, sources, chosen = out / "corpus", corpus.sources(), get_tokenizer(tokenizer)
    if is_encoded(folder):
        encoded = EncodedCorpus.open(folder)
        if encoded.sources == sources and encoded.description["tokenizer"] == chosen.name:
            return encoded
    return encode(sources, chosen, folder, check=lambda: raise_if_stopped(stop))


def _intro(encoded: EncodedCorpus, profile: Profile, seed: int) -> str:
    names = ", ".join(Path(source.path).name for source in encoded.sources)
    return (
        f"Trained on {names}, {len(encoded.tokens):,} tokens; the paper's models were trained on {paper.TOKENS:,}. "
        f"Unless a row says otherwise, models use the default recipe, {profile.epochs} epochs, and several senses for "
        f"the 6,000 most frequent words (the paper has a list of about 6,000 words). Seed {seed}. Columns headed "
        "'paper' are quoted from the paper; all other numbers were measured."
    )


class _Experiments:
    """The scores of all models, and the tables and figures made of them."""

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
            table = scws(model, self.files.scws).table
            for posterior, scores in self.scws.items():
                scores[label] = {**table["words"], **table[posterior]}
            self.wordsim[label] = wordsim(model, self.files.wordsim).table["words"]
        return [*self._tables(), *self._figures(), *self._appendix()]

    def _say(self, step: str) -> None:
        raise_if_stopped(self.stop)
        self.say(step)

    def _score_baselines(self) -> None:
        """Score the TF-IDF vectors, which have only one way to compute the probabilities of senses."""
        config = self.plan.main[0].config
        vocabulary = Vocabulary.from_counts(
            self.corpus.words, self.corpus.counts, min_count=config.min_count, max_size=None
        )
        self._say("scoring TF-IDF")
        scws_scores = tfidf_scws(self.corpus, vocabulary, self.files.scws)
        wordsim_scores = tfidf_wordsim(self.corpus, vocabulary, self.files.wordsim)
        for label in BASELINES:
            for scores in self.scws.values():
                scores[label] = scws_scores[label]
            self.wordsim[label] = wordsim_scores[label]

    def _tables(self) -> list[Table | Figure]:
        plan = self.plan
        high = plan.main[-1].settings["dim"]
        timed = [*plan.main, *plan.paper, plan.two_stage]
        main = [run.label for run in timed]
        controls = [f"MSSG {high}d", *(run.label for run in plan.controls)]
        top_30000 = [run.label for run in plan.top_30000]
        at_high = [run.label for run in (*plan.main, *plan.top_30000) if run.settings["dim"] == high]
        analogies: dict[str, Evaluation] = {}
        for label in at_high:
            self._say(f"analogies of {label}")
            analogies[label] = analogy(self.models[label], self.files.analogies)
        softmax, inverse = self.scws["softmax"], self.scws["inverse-distance"]
        title = "Similarity in context (SCWS)"
        return [
            tables.training_time(timed, self.models, len(self.corpus.tokens)),
            tables.nearest_neighbours([*(run.label for run in plan.main[-3:]), plan.two_stage.label], self.models),
            tables.similarity_in_context("scws", title, [*BASELINES, *main], softmax, paper.SCWS),
            tables.similarity_in_context(
                "scws_inverse_distance",
                f"{title}, senses weighted by inverse distance as in the paper",
                main,
                inverse,
                paper.SCWS,
            ),
            tables.against_controls(controls, softmax),
            tables.word_similarity([*BASELINES, *main], self.wordsim),
            tables.similarity_in_context(
                "top_30000", f"{title}, several senses for 30,000 words", top_30000, softmax, paper.SCWS_30K
            ),
            tables.analogies(analogies),
        ]

    def _figures(self) -> list[Table | Figure]:
        plan, scores = self.plan, self.scws["softmax"]
        measures = ("avg_sim", "avg_sim_c", "local_sim")  # those with a control
        np_mssg = [run for run in (*plan.main, *plan.top_30000) if run.settings["model"] == "np-mssg"]
        note = "Bars are 95% intervals; dotted lines are the control, the same vectors with senses drawn at random."

        def series(runs: list[Run]) -> dict[str, list[Score]]:
            return {measure: [scores[run.label][measure] for run in runs] for measure in measures}

        return [
            figures.histogram(
                "senses_per_word",
                "Number of senses per word in NP-MSSG",
                {run.label: _words_by_num_senses(self.models[run.label]) for run in np_mssg},
                "Only words that may have several senses.",
            ),
            figures.lines(
                "dimension", "Dimension and SCWS score, MSSG", "dimensions",
                [run.settings["dim"] for run in plan.by_dim], series(plan.by_dim), note,
            ),
            figures.lines(
                "number_of_senses", "Number of senses and SCWS score, MSSG", "senses per word",
                [run.config.senses if run.settings["model"] == "mssg" else 1 for run in plan.by_senses],
                series(plan.by_senses), note,
            ),
        ]  # fmt: skip

    def _appendix(self) -> list[Table | Figure]:
        tasks = {"SCWS": self.scws["softmax"], "SCWS, inverse distance": self.scws["inverse-distance"]}
        return [
            tables.intervals({**tasks, "WordSim-353": self.wordsim}),
            tables.settings(self.plan.all_runs, self.models),
        ]


def _words_by_num_senses(model: SenseModel) -> dict[int, int]:
    """Of the words that may have several senses, how many have each number of senses."""
    data = model._data
    numbers, counts = np.unique(data.num_visible_senses[data.multi_sense_mask], return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))
