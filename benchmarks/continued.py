"""What a model forgets in continued training: python benchmarks/continued.py OLD_TEXT NEW_TEXT SCWS

Trains a model on the old text and continues it on the new text, in several ways:

    continued     polyseme train NEW_TEXT MODEL --init OLD_MODEL
    frozen        the same with --freeze
    full rate     the same, but old words are trained with the same learning rate as new ones
    quarter rate  the same, but all words are trained with a quarter of the learning rate
    vectors only  a control, the common way in other programs: the old vectors are the initial vectors of the words,
                  their output vectors are random, and the learning rate is the full one

`old text` is the model before, and `both texts` a new model trained on both. The scores:

    SCWS, old     Spearman x 100 of avg_sim_c, on pairs whose words the old model knows
    SCWS, all     the same on all pairs; an unknown word gets the mean similarity
    pseudowords   words of the old text are merged into pairs and triples, and the senses that a model assigns to them
                  in the old text are compared with the original words: mean ARI. The first number is of pseudowords
                  that occur in the new text as well, the second of those that do not

Scores are kept in the folder --work: a stopped run continues there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np

from polyseme import SenseModel, train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WORDS
from polyseme.evaluation.pseudowords import _agreement, _AssignedSenses, merge_words, select_words
from polyseme.evaluation.word_similarity import scws
from polyseme.formats.open_model import open_model
from polyseme.training.continued import ContinuedState
from polyseme.training.init_model import renumbered

PAIRS, TRIPLES = 60, 30
COLUMNS = ("SCWS, old", "SCWS, all", "pseudowords, in both", "pseudowords, only in old")

Scores = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("scws", type=Path)
    parser.add_argument("--tokens", type=int, default=3_000_000, help="of the new text that are used, from the start")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--work", type=Path, default=Path("continued"), help="folder of the corpora and scores")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    results = [Experiment(arguments, seed).scores() for seed in arguments.seeds]
    print("\n".join(table(results)))


class Experiment:
    """All models of one seed. Training has one thread, so its results can be repeated."""

    def __init__(self, arguments: argparse.Namespace, seed: int) -> None:
        self.work, self.seed, self.dim, self.scws = arguments.work, seed, arguments.dim, arguments.scws
        self.name = f"{arguments.old.name}-{arguments.new.name}-{arguments.tokens}-{arguments.dim}-{seed}"
        self.old = encoded(arguments.old, self.work)
        self.new = first_tokens(encoded(arguments.new, self.work), arguments.tokens)

    def scores(self) -> dict[str, Scores]:
        """The scores of each way to continue; those of an earlier run are read from the folder."""
        path = self.work / f"{self.name}.json"
        scores: dict[str, Scores] = json.loads(path.read_text()) if path.exists() else {}
        ways: dict[str, Callable[[SenseModel, EncodedCorpus, EncodedCorpus], SenseModel]] = {
            "old text": lambda model, _old, _new: model,
            "continued": lambda model, _, new: self.train(new, init=model),
            "frozen": lambda model, _, new: self.train(new, init=model, freeze=True),
            "full rate": self.with_rates(1.0),
            "quarter rate": self.with_rates(0.25, new_rate=0.25),
            "vectors only": self.vectors_only,
            "both texts": lambda _, old, new: self.train(joined(old, new), min_count=5),
        }
        missing = [way for way in ways if way not in scores]
        if missing:
            models = Models(self)
        for way in missing:
            scores[way] = models.scores(ways[way])
            path.write_text(json.dumps(scores, indent=1))
            print(self.seed, way, scores[way], file=sys.stderr, flush=True)
        return scores

    def train(self, corpus: EncodedCorpus, init: SenseModel | None = None, **options: object) -> SenseModel:
        dim = {} if init is not None else {"dim": self.dim}
        return train(corpus, init=init, seed=self.seed, threads=1, examples=0, quiet=True, **dim, **options)  # type: ignore[arg-type]

    def with_rates(
        self, rate: float, new_rate: float = 1.0
    ) -> Callable[[SenseModel, EncodedCorpus, EncodedCorpus], SenseModel]:
        def continued(model: SenseModel, _: EncodedCorpus, new: EncodedCorpus) -> SenseModel:
            rates = property(lambda state: np.where(state.is_old, rate, new_rate).astype(np.float32))
            with mock.patch.object(ContinuedState, "rates", rates):
                return self.train(new, init=model)

        return continued

    def vectors_only(self, model: SenseModel, _: EncodedCorpus, new: EncodedCorpus) -> SenseModel:
        path = self.work / f"{self.name}.vec"
        with path.open("w", encoding="utf-8") as file:
            file.write(f"{len(model)} {model.dim}\n")
            file.writelines(f"{word} {' '.join(map(str, model.vector(word)))}\n" for word in model.vocabulary.words)
        with naive_start():
            return self.train(new, init=open_model(path))


class Models:
    """The old models of an experiment: one of the text, one of the text with pseudowords."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        old, new, seed = experiment.old, experiment.new, experiment.seed
        self.plain = experiment.train(old)
        groups = select_words(self.plain, old, pairs=PAIRS, triples=TRIPLES, controls=0, seed=seed).groups
        self.sizes = [len(group) for group in groups]
        self.merged, self.names = merge_words(old, groups)
        ids = {word: i for i, word in enumerate(new.words)}
        words, target = list(new.words), np.arange(len(new.words), dtype=np.int32)
        for name, group in zip(self.names[::2], groups[::2], strict=True):
            members = [ids[old.words[word]] for word in group if old.words[word] in ids]
            if members:
                words[members[0]] = name
                target[members] = members[0]
        self.merged_new = new.with_tokens(target[new.tokens], words)
        self.with_pseudowords = experiment.train(self.merged)
        self.known = experiment.work / f"{experiment.name}-scws.txt"
        lines = experiment.scws.read_text(encoding="utf-8").splitlines(keepends=True)
        known = [line for line in lines if all(word in self.plain for word in line.split("\t")[1:4:2])]
        self.known.write_text("".join(known), encoding="utf-8")

    def scores(self, way: Callable[[SenseModel, EncodedCorpus, EncodedCorpus], SenseModel]) -> Scores:
        experiment = self.experiment
        model = way(self.plain, experiment.old, experiment.new)
        known = scws(model, self.known).table["softmax"]["avg_sim_c"].value
        every = scws(model, experiment.scws).table["softmax"]["avg_sim_c"].including_oov or float("nan")
        model = way(self.with_pseudowords, self.merged, self.merged_new)
        corpus = renumbered(self.merged, model.vocabulary, experiment.work)
        assigned = _AssignedSenses(model, corpus, experiment.old, [self.names], experiment.seed)
        ari = []
        for name, size in zip(self.names, self.sizes, strict=True):
            positions = assigned.positions[name]
            labels_true = np.asarray(experiment.old.tokens[positions])
            ari.append(_agreement(labels_true, assigned.senses[positions], size)["ari"])
        values = (known, every, float(np.mean(ari[::2])), float(np.mean(ari[1::2])))
        return dict(zip(COLUMNS, values, strict=True))


@contextmanager
def naive_start() -> Iterator[None]:
    """Random output vectors and the same learning rate for all words, instead of what polyseme does with a file."""
    copy = ContinuedState._copy_from_model

    def copy_and_randomize(state: ContinuedState) -> None:
        copy(state)
        vectors = state.parameters.global_vectors[: len(state.vocabulary), : state.config.dim]
        vectors[:] = (np.random.default_rng(state.config.seed).random(vectors.shape) - 0.5) / state.config.dim

    with (
        mock.patch.object(ContinuedState, "_copy_from_model", copy_and_randomize),
        mock.patch.object(ContinuedState, "_set_rates", return_value=None),
    ):
        yield


def encoded(text: Path, work: Path) -> EncodedCorpus:
    folder = work / f"{text.name}.corpus"
    return (
        EncodedCorpus.open(folder) if folder.exists() else encode(find_sources([text]), WORDS, folder, lambda _: None)
    )


def first_tokens(corpus: EncodedCorpus, tokens: int) -> EncodedCorpus:
    """The first sentences of a corpus."""
    sentences = np.array(corpus.sentences[: np.searchsorted(corpus.sentences, tokens) + 1])
    return corpus.with_tokens(np.array(corpus.tokens[: sentences[-1]]), corpus.words, sentences)


def joined(a: EncodedCorpus, b: EncodedCorpus) -> EncodedCorpus:
    """The sentences of both corpora."""
    ids = {word: i for i, word in enumerate(a.words)}
    words = [*a.words, *(word for word in b.words if word not in ids)]
    ids = {word: i for i, word in enumerate(words)}
    tokens = np.array([ids[word] for word in b.words], np.int32)[b.tokens]
    sentences = np.concatenate([a.sentences, b.sentences[1:] + a.sentences[-1]])
    return a.with_tokens(np.concatenate([a.tokens, tokens]), words, sentences)


def table(results: list[dict[str, Scores]]) -> Iterator[str]:
    """The means over seeds, in Markdown."""
    yield f"| training | {' | '.join(COLUMNS)} |"
    yield "|---" * (len(COLUMNS) + 1) + "|"
    for way in results[0]:
        means = {column: np.mean([scores[way][column] for scores in results]) for column in COLUMNS}
        cells = [f"{value:.1f}" if column.startswith("SCWS") else f"{value:.2f}" for column, value in means.items()]
        yield f"| {way} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
