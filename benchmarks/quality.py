"""Quality of the default recipe: python benchmarks/quality.py CORPUS EVAL [--seeds 1 2 3]

Trains skip-gram, mssg and np-mssg with each seed at 300 dimensions and scores them on every task; then trains on
corpora with pseudowords at 100 dimensions, the default recipe with each seed and its variants with the first; and mssg
with noise words of their own for each pair, as if time did not matter, for both. Writes its sections of
benchmarks/RESULTS.md: means over seeds, each score of senses before its control; the variants; and the senses of a
dozen words. What was trained or scored before, in the folder given by --work, is not done again. CORPUS is an encoded
corpus, EVAL the folder of the evaluation sets.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from speed import HERE, processor, write_section

from polyseme import SenseModel, train
from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.evaluation.pseudowords import pseudowords
from polyseme.evaluation.scores import Evaluation
from polyseme.evaluation.tasks import evaluate
from polyseme.evaluation.word_similarity import spearman
from polyseme.training.config import make_config

MODELS = ("skip-gram", "mssg", "np-mssg")
DIM, PSEUDOWORD_DIM = 300, 100
WORDS = ("plant", "apple", "bank", "rock", "fox", "net", "run", "cell", "mercury", "bass", "star", "spring")
TASKS = {
    "scws": "scws/ratings.txt",
    "wordsim": "wordsim353/combined.csv",
    "analogy": "analogy/questions-words.txt",
    "wsi": "semeval2010",
    "wic": "wic",
    "health": None,
}
# What of each task is shown: group and measure.
SHOWN = {
    "scws": (("words", "global_sim"), ("words", "avg_sim"), ("softmax", "avg_sim_c"), ("softmax", "local_sim")),
    "wordsim": (("words", "avg_sim"),),
    "analogy": (("total", "words"), ("total", "mean"), ("total", "senses")),
    "wsi": (("all", "ari"),),
    "wic": (("dev", "same_sense"), ("dev", "avg_sim_c"), ("dev", "context_sim")),
    "health": (("all", "senses"), ("all", "dead"), ("all", "duplicates")),
    "pseudowords": (
        ("pairs", "ari"), ("pairs", "ceiling"), ("pairs", "correct_number where ceiling > 0.5"),
        ("triples", "ari"), ("triples", "ceiling"), ("triples", "correct_number where ceiling > 0.5"),
        ("controls", "unsplit"), ("all", "ARI / ceiling"),
    ),
}  # fmt: skip
# The default recipe with one thing taken back, and the recipe of the paper: (recipe, settings) by what was changed.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "np-mssg": ("default", {"model": "np-mssg"}),
    "not whitened, window 5": ("default", {"model": "np-mssg", "whitening": 0.0}),
    "the ten nearest words choose alike": ("default", {"model": "np-mssg", "sense_window": 10, "sense_decay": 1.0}),
    "words thinned above 1e-3, not 1e-4": ("default", {"model": "np-mssg", "subsample": 1e-3}),
    "mssg": ("default", {"model": "mssg"}),
    "mssg, senses from first contexts": ("default", {"model": "mssg", "sense_init": "contexts"}),
    "mssg, paper's recipe": ("paper", {"model": "mssg"}),
    "np-mssg, paper's recipe": ("paper", {"model": "np-mssg"}),
}

# What makes training fast and might cost quality, taken back: noise words are not shared.
SLOW, SLOW_SETTINGS = "mssg, noise for each pair", {"model": "mssg", "max_negatives": 10**6, "negative_sharing": 1}
VARIANTS[SLOW] = ("default", SLOW_SETTINGS)

Scores = dict[str, dict[str, list[float | None]]]  # by group and measure: the value and its control


def main() -> None:
    arguments = parse()
    arguments.work.mkdir(parents=True, exist_ok=True)
    if "tasks" in arguments.parts:
        results = {name: [tasks(name, seed, arguments) for seed in arguments.seeds] for name in MODELS}
        note = f"{DIM} dimensions"
        write_section(HERE / "RESULTS.md", "## Quality", "\n".join(report(results, note, arguments)))
        write_section(HERE / "RESULTS.md", f"## Senses, {DIM} dimensions", "\n".join(senses(arguments)))
        if arguments.wordnet:
            write_section(HERE / "RESULTS.md", "## Number of senses", "\n".join(numbers(arguments)))
    if "pseudowords" in arguments.parts:
        results = {
            name: [{"pseudowords": variant(name, seed, arguments)} for seed in arguments.seeds]
            for name in ("np-mssg", "mssg")
        }
        note = f"{PSEUDOWORD_DIM} dimensions, 100 pairs, 50 triples and 200 words left alone for each seed"
        write_section(HERE / "RESULTS.md", "## Pseudowords", "\n".join(report(results, note, arguments)))
    if "slow" in arguments.parts:
        results = {
            name: [
                {**tasks(name, seed, arguments, ("scws", "wordsim")), "pseudowords": variant(name, seed, arguments)}
                for seed in arguments.seeds
            ]
            for name in ("mssg", SLOW)
        }
        note = f"{DIM} dimensions ({PSEUDOWORD_DIM} for pseudowords)"
        write_section(HERE / "RESULTS.md", "## Fast and slow", "\n".join(report(results, note, arguments)))
    if "variants" in arguments.parts:
        first = arguments.seeds[0]
        variants = {name: variant(name, first, arguments) for name in VARIANTS if name != SLOW}
        write_section(HERE / "RESULTS.md", "## Variants of the recipe", "\n".join(comparison(variants, arguments)))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("eval", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--parts", nargs="+", default=["tasks", "pseudowords", "slow", "variants"])
    parser.add_argument("--wordnet", type=Path, help="WordNet's folder dict, to compare numbers of senses with")
    parser.add_argument("--work", type=Path, default=Path("quality"), help="where models and scores are kept")
    return parser.parse_args()


def tasks(
    name: str, seed: int, arguments: argparse.Namespace, wanted: Iterable[str] = tuple(TASKS)
) -> dict[str, Scores]:
    """The scores of a model on tasks other than pseudowords."""
    stem = f"{name.replace(' ', '-')}-{seed}"
    settings = SLOW_SETTINGS if name == SLOW else {"model": name}

    def score(task: str) -> Evaluation:
        data = TASKS[task]
        model = trained(arguments.work / f"{stem}.model", arguments, dim=DIM, seed=seed, **settings)
        return evaluate(model, task, arguments.eval / data if data else None)

    return {task: kept(arguments.work / f"{stem}-{task}.json", partial(score, task)) for task in wanted}


def variant(name: str, seed: int, arguments: argparse.Namespace) -> Scores:
    """How well a variant finds the words of pseudowords, which are chosen by a model of one sense."""

    def score() -> Evaluation:
        chooser = arguments.work / "chooser.model"
        model = trained(chooser, arguments, model="skip-gram", dim=PSEUDOWORD_DIM, seed=1, epochs=2)
        recipe, settings = VARIANTS[name]
        config = make_config(recipe, dim=PSEUDOWORD_DIM, **settings)
        return pseudowords(model, arguments.corpus, seed=seed, config=config)

    return kept(arguments.work / f"pseudowords-{name.replace(' ', '-')}-{seed}.json", score)


def trained(path: Path, arguments: argparse.Namespace, **settings: Any) -> SenseModel:
    corpus = EncodedCorpus.open(arguments.corpus)
    return train(corpus, path, tokenizer=corpus.description["tokenizer"], examples=0, resume=True, **settings)


def kept(path: Path, score: Callable[[], Evaluation]) -> Scores:
    """The scores in a file, which is written first if it is not there."""
    if not path.exists():
        found = score()
        table: Scores = {
            group: {measure: [s.value, s.control] for measure, s in measures.items()}
            for group, measures in found.table.items()
        }
        figures = {name: [float(x), None] for name, x in found.facts.items() if isinstance(x, float)}
        table.setdefault("all", {}).update(figures)
        path.write_text(json.dumps(table))
        print(path.stem, {g: {m: s[0] for m, s in ms.items()} for g, ms in table.items()}, flush=True)
    return json.loads(path.read_text())  # type: ignore[no-any-return]


def report(results: dict[str, list[dict[str, Scores]]], note: str, arguments: argparse.Namespace) -> Iterator[str]:
    """A table of models by measures."""
    yield from head(arguments)
    seeds = " ".join(map(str, arguments.seeds))
    yield (
        f"{note}, the default recipe: the mean over seeds {seeds}, and in brackets the lowest and the highest. "
        "Behind a slash the same vectors with senses drawn at random.\n"
    )
    yield f"| task | measure | {' | '.join(results)} |"
    yield "|---|---|" + "---|" * len(results)
    for task, measures in SHOWN.items():
        for group, measure in measures:
            found = [[run.get(task, {}).get(group, {}).get(measure) for run in runs] for runs in results.values()]
            if any(scores[0] for scores in found):
                yield f"| {task} | {group}: {measure} | {' | '.join(map(cell, found))} |"


def head(arguments: argparse.Namespace) -> Iterator[str]:
    yield f"`python benchmarks/quality.py {arguments.corpus.name} eval --seeds {' '.join(map(str, arguments.seeds))}`\n"
    yield f"{processor()}; {len(EncodedCorpus.open(arguments.corpus).tokens):,} tokens.\n"


def cell(scores: list[list[float | None] | None]) -> str:
    there = [score for score in scores if score is not None]
    if not there:
        return "-"
    values = [float(value) for value, _ in there if value is not None]
    digits = 1 if max(map(abs, values)) > 1 else 3
    text = f"{np.mean(values):.{digits}f}"
    if len(values) > 1:
        text += f" ({min(values):.{digits}f} to {max(values):.{digits}f})"
    controls = [control for _, control in there if control is not None]
    return f"{text} / {np.mean(controls):.{digits}f}" if controls else text


def comparison(variants: dict[str, Scores], arguments: argparse.Namespace) -> Iterator[str]:
    """A table of variants by the measures of pseudowords."""
    yield from head(arguments)
    first = arguments.seeds[0]
    yield f"{PSEUDOWORD_DIM} dimensions, seed {first}; np-mssg and the default recipe, but for what is named.\n"
    shown = SHOWN["pseudowords"]
    yield f"| variant | {' | '.join(f'{group}: {measure}' for group, measure in shown)} |"
    yield "|---|" + "---:|" * len(shown)
    for name, scores in variants.items():
        values = [scores.get(group, {}).get(measure, [float("nan")])[0] for group, measure in shown]
        yield f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


def numbers(arguments: argparse.Namespace) -> Iterator[str]:
    """What the number of senses that np-mssg discovers goes with, over the words that may have several."""
    yield from head(arguments)
    yield (
        "Spearman correlation of the number of senses that np-mssg discovers with a word's frequency, with the number "
        "of its senses in WordNet 3.1, and with the latter at the same frequency (partial).\n"
    )
    yield "| seed | words | senses a word | frequency | WordNet | WordNet, frequency held |"
    yield "|---|---:|---:|---:|---:|---:|"
    meanings = wordnet_senses(arguments.wordnet)
    for seed in arguments.seeds:
        model = SenseModel.load(arguments.work / f"np-mssg-{seed}.model")
        words = [w for w in np.flatnonzero(model._data.multi_sense_mask) if model.vocabulary.words[w] in meanings]
        found = model._data.num_visible_senses[words].astype(np.float64)
        frequency = model.vocabulary.counts[words].astype(np.float64)
        known = np.array([meanings[model.vocabulary.words[w]] for w in words], np.float64)
        by_frequency, by_wordnet, between = (
            spearman(found, frequency),
            spearman(found, known),
            spearman(known, frequency),
        )
        held = (by_wordnet - by_frequency * between) / np.sqrt((1 - by_frequency**2) * (1 - between**2))
        yield (f"| {seed} | {len(words):,} | {found.mean():.2f} | {by_frequency:.2f} | {by_wordnet:.2f} | {held:.2f} |")


def wordnet_senses(folder: Path) -> dict[str, int]:
    """The number of synsets of each lemma, over all parts of speech."""
    found: dict[str, int] = {}
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"index.{part}").read_text(encoding="utf-8").splitlines():
            if not line.startswith(" "):  # the licence
                lemma, _, synsets = line.split(" ", 3)[:3]
                found[lemma] = found.get(lemma, 0) + int(synsets)
    return found


def senses(arguments: argparse.Namespace) -> Iterator[str]:
    """The senses of the words, as the models of the first seed have them."""
    for name in MODELS[1:]:
        model = SenseModel.load(arguments.work / f"{name}-{arguments.seeds[0]}.model")
        yield f"### {name}\n"
        for word in WORDS:
            if model._data.word_id(word) is not None:
                for sense in model.senses(word):
                    near = ", ".join(n.word for n in sense.neighbours(8))
                    yield f"    {sense.key:<10} {sense.share:4.0%}  {near}"
        yield ""


if __name__ == "__main__":
    main()
