"""Quality of the default recipe: python benchmarks/quality.py CORPUS EVAL [--seeds 1 2 3] [--dim 300]

Trains skip-gram, mssg and np-mssg with each seed (a finished model is not trained again), scores them on every task,
and writes its sections of benchmarks/RESULTS.md: a table of means over seeds, each score of senses before its control,
and the senses of a dozen words. CORPUS is a text or an encoded corpus, EVAL the folder of the evaluation sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from speed import processor, write_section

from polyseme import SenseModel, train
from polyseme.corpus.encoded import EncodedCorpus, is_encoded
from polyseme.corpus.encoding import encode
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import find_tokenizer
from polyseme.evaluation.scores import Evaluation, Score
from polyseme.evaluation.tasks import evaluate

MODELS = ("skip-gram", "mssg", "np-mssg")
WORDS = ("plant", "apple", "bank", "rock", "fox", "net", "run", "cell", "mercury", "bass", "star", "spring")
TASKS = {
    "scws": "scws/ratings.txt",
    "wordsim": "wordsim353/combined.csv",
    "analogy": "analogy/questions-words.txt",
    "wsi": "semeval2010",
    "wic": "wic",
}
# What of each task is shown: group and measure.
SHOWN = {
    "scws": (("words", "global_sim"), ("words", "avg_sim"), ("softmax", "avg_sim_c"), ("softmax", "local_sim")),
    "wordsim": (("words", "avg_sim"),),
    "analogy": (("total", "words"), ("total", "mean"), ("total", "senses")),
    "wsi": (("all", "ari"),),
    "wic": (("dev", "same_sense"), ("dev", "avg_sim_c"), ("dev", "context_sim")),
    "pseudowords": (
        ("pairs", "ari"), ("pairs", "ceiling of ari"), ("pairs", "right number, ceiling above 0.5"),
        ("triples", "ari"), ("triples", "ceiling of ari"), ("controls", "left whole"),
    ),
    "health": (("all", "senses"), ("all", "dead"), ("all", "duplicates"), ("all", "sureness")),
}  # fmt: skip

Found = dict[str, list[Evaluation]]  # by task, one for each seed


def main() -> None:
    arguments = parse()
    arguments.work.mkdir(parents=True, exist_ok=True)
    corpus = encoded(arguments.corpus, arguments.work)
    results: dict[str, Found] = {name: {} for name in MODELS}
    for name in MODELS:
        for seed in arguments.seeds:
            path = arguments.work / f"{name}-{arguments.dim}-{seed}.model"
            model = train(
                corpus, path, model=name, dim=arguments.dim, seed=seed, examples=0, resume=True,
                tokenizer=corpus.description["tokenizer"],
            )  # fmt: skip
            for task, evaluation in scored(model, arguments, seed):
                results[name].setdefault(task, []).append(evaluation)
                print(name, seed, task, flush=True)
    head = f"Quality, {arguments.dim} dimensions"
    results_file = Path(__file__).resolve().parent / "RESULTS.md"
    write_section(results_file, f"## {head}", "\n".join(report(results, corpus, arguments)))
    write_section(results_file, f"## Senses, {arguments.dim} dimensions", "\n".join(senses(arguments)))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("eval", type=Path)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--work", type=Path, default=Path("quality"), help="where models are kept")
    parser.add_argument("--skip-pseudowords", action="store_true", help="they need a training of their own each")
    return parser.parse_args()


def encoded(path: Path, work: Path) -> EncodedCorpus:
    if is_encoded(path):
        return EncodedCorpus.open(path)
    if is_encoded(work / "corpus"):
        return EncodedCorpus.open(work / "corpus")
    return encode(find_sources([path]), find_tokenizer("words"), work / "corpus", lambda _: None)


def scored(model: SenseModel, arguments: argparse.Namespace, seed: int) -> Iterator[tuple[str, Evaluation]]:
    for task, data in TASKS.items():
        yield task, evaluate(model, task, arguments.eval / data)
    yield "health", evaluate(model, "health")
    if not arguments.skip_pseudowords and model.config["model"] != "skip-gram":
        yield "pseudowords", evaluate(model, "pseudowords", arguments.corpus, seed=seed)


def report(results: dict[str, Found], corpus: EncodedCorpus, arguments: argparse.Namespace) -> Iterator[str]:
    seeds = " ".join(map(str, arguments.seeds))
    yield f"`python benchmarks/quality.py {arguments.corpus.name} eval --dim {arguments.dim} --seeds {seeds}`\n"
    yield (
        f"{processor()}; {len(corpus.tokens):,} tokens, the default recipe, means over seeds {seeds}, and in brackets "
        "the lowest and highest. Behind a slash the same vectors with senses drawn at random.\n"
    )
    yield f"| task | measure | {' | '.join(MODELS)} |"
    yield "|---|---|" + "---|" * len(MODELS)
    for task, measures in SHOWN.items():
        for group, measure in measures:
            cells = [cell(found.get(task, []), group, measure) for found in results.values()]
            if any(value != "-" for value in cells):
                yield f"| {task} | {group}: {measure} | {' | '.join(cells)} |"


def cell(evaluations: list[Evaluation], group: str, measure: str) -> str:
    scores: list[Score] = [
        e.table[group][measure] for e in evaluations if group in e.table and measure in e.table[group]
    ]
    if not scores:
        return "-"
    values = [score.value for score in scores]
    digits = 1 if max(map(abs, values)) > 1 else 3
    text = f"{np.mean(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"
    controls = [score.control for score in scores if score.control is not None]
    return f"{text} / {np.mean(controls):.{digits}f}" if controls else text


def senses(arguments: argparse.Namespace) -> Iterator[str]:
    """The senses of the words, as the models of the first seed have them."""
    for name in MODELS[1:]:
        model = SenseModel.load(arguments.work / f"{name}-{arguments.dim}-{arguments.seeds[0]}.model")
        yield f"### {name}\n"
        for word in WORDS:
            if model.id_of(word) is not None:
                for sense in model.senses(word):
                    near = ", ".join(n.word for n in sense.neighbours(8))
                    yield f"    {sense.key:<10} {sense.share:4.0%}  {near}"
        yield ""


if __name__ == "__main__":
    main()
