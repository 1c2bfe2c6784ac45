"""Size and quality of small models: python benchmarks/small_models.py MODEL SCWS

Exports a float32 model in several ways, and compares the answers with its own:

    neighbours   share of the ten nearest senses that are also among its ten nearest: of SAMPLE words, drawn from all
                 words, and of SAMPLE senses of words with several
    same sense   share of the contexts of SCWS in which the same sense of the word is the most probable
    SCWS         Spearman x 100 of avg_sim_c and local_sim, on the pairs with known words, and of avg_sim_c on all
                 pairs; an unknown word gets the mean similarity
    ms           processor time of a query: median of QUERIES words, each model in turn

Only words that a model has are compared. Writes a section of benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from speed import HERE, write_section

from polyseme import SenseModel, export, load
from polyseme.evaluation.instances import instance_probabilities
from polyseme.evaluation.word_similarity import read_scws, scws
from polyseme.model.storage import size_of

SAMPLE, QUERIES = 500, 100
WAYS: dict[str, dict[str, Any]] = {
    "float16": {"dtype": "float16"},
    "int8": {"dtype": "int8"},
    "int8, no examples": {"dtype": "int8", "examples": 0},
    "int8, two examples per sense": {"dtype": "int8", "examples": 2},
    "int8, all examples": {"dtype": "int8", "examples": True},
    "int8, global vectors": {"dtype": "int8", "global_vectors": True},
    "int8, 50,000 words": {"dtype": "int8", "words": 50_000},
    "int8, 20,000 words": {"dtype": "int8", "words": 20_000},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("scws", type=Path)
    arguments = parser.parse_args()
    model = load(arguments.model)
    with tempfile.TemporaryDirectory() as folder:
        paths = {"float32": arguments.model}
        for way, options in WAYS.items():
            paths[way] = Path(folder, way)
            export(model, paths[way], format="polyseme", **options)
        text = "\n".join(report(arguments, model, paths))
    print(text)
    write_section(HERE / "RESULTS.md", "## Small models", text)


def report(arguments: argparse.Namespace, model: SenseModel, paths: dict[str, Path]) -> Iterator[str]:
    models = {way: load(path) for way, path in paths.items()}
    yield f"`python benchmarks/small_models.py {arguments.model.name} {arguments.scws.name}`"
    yield ""
    yield f"{model.config['model']}, {len(model):,} words, {len(model.index_to_key):,} senses, {model.dim} dimensions."
    yield ""
    yield (
        "| model | MB | neighbours of words | of senses | same sense | avg_sim_c | local_sim | avg_sim_c, all pairs "
        "| `neighbours` ms | `disambiguate` ms | `senses` ms |"
    )
    yield "|---" + "|---:" * 10 + "|"
    random = np.random.default_rng(0)
    words = random.choice(model.vocabulary.words, SAMPLE, replace=False).tolist()
    several = [key for key in model.index_to_key if "#" in key]
    senses = random.choice(several, min(SAMPLE, len(several)), replace=False).tolist()
    times = query_times(models, senses[:QUERIES])
    for way, small in models.items():
        scores = scws(small, arguments.scws).table["softmax"]
        cells = [
            f"{size_of(paths[way]) / 1e6:.1f}",
            f"{100 * neighbours_kept(model, small, words):.1f}%",
            f"{100 * neighbours_kept(model, small, senses):.1f}%",
            f"{100 * same_senses(model, small, arguments.scws):.1f}%",
            f"{scores['avg_sim_c'].value:.1f}",
            f"{scores['local_sim'].value:.1f}",
            f"{scores['avg_sim_c'].including_oov:.1f}",
            *(f"{milliseconds:.1f}" for milliseconds in times[way]),
        ]
        yield f"| {way} | {' | '.join(cells)} |"


def neighbours_kept(model: SenseModel, small: SenseModel, keys: list[str]) -> float:
    """The share of the ten nearest neighbours that a small model has as well."""
    shares = []
    for key in keys:
        if key in small:
            expected = [neighbour.key for neighbour in model.neighbours(key)]
            found = {neighbour.key for neighbour in small.neighbours(key)}
            shares.append(np.mean([neighbour in found for neighbour in expected]))
    return float(np.mean(shares))


def same_senses(model: SenseModel, small: SenseModel, path: Path) -> float:
    """The share of contexts in which both models choose the same sense of a word with several."""
    same = []
    for instance in (instance for pair in read_scws(path) for instance in (pair.a, pair.b)):
        word, other = model._data.word_id(instance.word), small._data.word_id(instance.word)
        if word is not None and other is not None and len(model._data.rows(word)) > 1:
            chosen, small_chosen = (
                int(instance_probabilities(m._data, w, instance).argmax()) for m, w in ((model, word), (small, other))
            )
            same.append(chosen == small_chosen)
    return float(np.mean(same))


def query_times(models: dict[str, SenseModel], keys: list[str]) -> dict[str, list[float]]:
    """The median milliseconds of each kind of query, by model."""
    queries: list[Callable[[SenseModel, str], object]] = [
        lambda model, key: model.neighbours(key),
        lambda model, key: model.disambiguate(key.rpartition("#")[0], "the river was near the bank of the old town"),
        lambda model, key: [sense.examples for sense in model.senses(key)],
    ]
    measured: dict[str, list[list[float]]] = {way: [[] for _ in queries] for way in models}
    for key in keys:
        for i, query in enumerate(queries):
            for way, model in models.items():
                if key in model:
                    start = time.process_time()
                    query(model, key)
                    measured[way][i].append(1000 * (time.process_time() - start))
    return {way: [float(np.median(of_query)) for of_query in of_way] for way, of_way in measured.items()}


if __name__ == "__main__":
    main()
