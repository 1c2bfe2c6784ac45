"""Quality of the default recipe: python benchmarks/quality.py CORPUS EVAL [--seeds 1 2 3]

    tasks        np-mssg, mssg and skip-gram with --dim dimensions on every task, for each seed; the senses of WORDS
    pseudowords  np-mssg and mssg with --small-dim dimensions on corpora with pseudowords, for each seed
    separation   np-mssg with --small-dim dimensions and several values of --min-separation, for the first seed
    sharing      mssg with shared negative samples, and with separate ones for each pair
    variants     variants of the recipe on pseudowords, for the first seed

Writes sections of benchmarks/RESULTS.md: means over seeds, with the controls of the scores of senses. Models and scores
are kept in the folder --work and reused. CORPUS is an encoded corpus, EVAL the folder of the evaluation sets.
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

MODELS = ("np-mssg", "mssg", "skip-gram")
SEPARATIONS = (0.42, 0.48, 0.54, 0.60, 0.66)
WORDS = (
    "plant", "apple", "bank", "rock", "fox", "net", "run", "cell", "mercury", "bass",
    "star", "spring", "seal", "turkey", "crane", "mint", "port", "palm", "jaguar", "bow",
)  # fmt: skip
TASKS = {
    "ambiguity": "ambiguity",
    "scws": "scws/ratings.txt",
    "wordsim": "wordsim353/combined.csv",
    "analogy": "analogy/questions-words.txt",
    "wsi": "semeval2010",
    "wic": "wic",
    "health": None,
}
PERCENTAGES = ("ambiguity", "scws", "wordsim", "analogy", "wic")  # tasks with scores from 0 to 100
# The scores shown for each task: group and measure. All scores of a task that is not listed here are shown.
SHOWN = {
    "scws": (("words", "global_sim"), ("words", "avg_sim"), ("softmax", "avg_sim_c"), ("softmax", "local_sim")),
    "wordsim": (("words", "avg_sim"),),
    "analogy": (("total", "words"), ("total", "mean"), ("total", "senses")),
    "wsi": (("all", "ari"), ("all", "v_measure"), ("all", "b_cubed"), ("all", "paired_f")),
    "wic": (("dev", "same_sense"), ("dev", "avg_sim_c"), ("dev", "context_sim")),
    "health": (("all", "senses"), ("all", "dead"), ("all", "duplicates")),
    "pseudowords": (
        ("pairs", "ari"), ("pairs", "ceiling"), ("pairs", "correct_number where ceiling > 0.5"),
        ("triples", "ari"), ("triples", "ceiling"), ("triples", "correct_number where ceiling > 0.5"),
        ("controls", "unsplit"), ("controls", "unsplit function words"), ("controls", "unsplit frequent words"),
        ("all", "ARI / ceiling"),
    ),
}  # fmt: skip
# The default recipe with one setting changed, and the paper's recipe: (recipe, settings) by name.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "np-mssg": ("default", {"model": "np-mssg"}),
    "no whitening, sense window 5": ("default", {"model": "np-mssg", "whitening": 0.0}),
    "sense window 10, no decay": ("default", {"model": "np-mssg", "sense_window": 10, "sense_decay": 1.0}),
    "subsampling 1e-3, not 1e-4": ("default", {"model": "np-mssg", "subsample": 1e-3}),
    "mssg": ("default", {"model": "mssg"}),
    "mssg, senses start at first contexts": ("default", {"model": "mssg", "sense_init": "contexts"}),
    "mssg, paper's recipe": ("paper", {"model": "mssg"}),
    "np-mssg, paper's recipe": ("paper", {"model": "np-mssg"}),
}

# Sharing negative samples makes training faster and might cost quality: this model does without.
UNSHARED, UNSHARED_SETTINGS = (
    "mssg, negative samples per pair",
    {"model": "mssg", "max_negatives": 10**6, "negative_sharing": 1},
)
VARIANTS[UNSHARED] = ("default", UNSHARED_SETTINGS)

SEPARATION_COLUMNS = (
    ("health", "all", "senses"),
    ("wsi", "all", "ari"),
    ("wsi", "all", "b_cubed"),
    ("scws", "softmax", "avg_sim_c"),
    ("scws", "softmax", "local_sim"),
)

Scores = dict[str, dict[str, list[float | None]]]  # by group, then by measure: the value and its control


def main() -> None:
    arguments = parse()
    arguments.work.mkdir(parents=True, exist_ok=True)
    seeds, dim, small_dim = arguments.seeds, arguments.dim, arguments.small_dim

    def write(heading: str, lines: Iterable[str]) -> None:
        write_section(arguments.out, f"## {heading}", "\n".join([*header(arguments), *lines]))

    if "tasks" in arguments.parts:
        results = {name: [task_scores(name, dim, seed, arguments) for seed in seeds] for name in MODELS}
        write(f"Quality, {dim} dimensions", report(results, f"{dim} dimensions", seeds))
        write(f"Senses, {dim} dimensions", sense_lists(arguments))
        if arguments.wordnet:
            write("Number of senses", sense_number_correlations(arguments))
    if "pseudowords" in arguments.parts:
        results = {
            name: [{"pseudowords": pseudoword_scores(name, seed, arguments)} for seed in seeds]
            for name in ("np-mssg", "mssg")
        }
        note = f"{small_dim} dimensions, 100 pairs, 50 triples and 200 control words with a topic for each seed"
        write("Pseudowords", report(results, note, seeds))
    if "separation" in arguments.parts:
        tasks = ("ambiguity", "health", "wsi", "scws")
        rows = {
            f"{x:.2f}": task_scores("np-mssg", small_dim, seeds[0], arguments, tasks, min_separation=x)
            for x in SEPARATIONS
        }
        first_row = next(iter(rows.values()))
        columns = [("ambiguity", *names) for names in measures_of(first_row["ambiguity"])]
        note = f"np-mssg with the default recipe, {small_dim} dimensions, seed {seeds[0]}."
        write("Minimum separation", table("--min-separation", rows, [*columns, *SEPARATION_COLUMNS], note))
    if "sharing" in arguments.parts:
        results = {
            name: [
                {
                    **task_scores(name, dim, seed, arguments, ("scws", "wordsim")),
                    "pseudowords": pseudoword_scores(name, seed, arguments),
                }
                for seed in seeds
            ]
            for name in ("mssg", UNSHARED)
        }
        note = f"{dim} dimensions ({small_dim} for pseudowords)"
        write("Shared negative samples", report(results, note, seeds))
    if "variants" in arguments.parts:
        rows = {
            name: {"pseudowords": pseudoword_scores(name, seeds[0], arguments)} for name in VARIANTS if name != UNSHARED
        }
        columns = [("pseudowords", group, measure) for group, measure in SHOWN["pseudowords"]]
        note = f"{small_dim} dimensions, seed {seeds[0]}; np-mssg with the default recipe, except as named."
        write("Variants of the recipe", table("variant", rows, columns, note))


def parse() -> argparse.Namespace:
    parts = ["tasks", "pseudowords", "separation", "sharing", "variants"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("eval", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--small-dim", type=int, default=100)
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    parser.add_argument("--wordnet", type=Path, help="folder `dict` of WordNet, to compare numbers of senses")
    parser.add_argument("--work", type=Path, default=Path("quality"), help="folder of the models and scores")
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md", help="file whose sections are written")
    return parser.parse_args()


def model_path(name: str, dim: int, seed: int, arguments: argparse.Namespace, **changes: Any) -> Path:
    """The folder of a model. Its scores are in files beside it."""
    changed = [f"{setting}-{value}" for setting, value in changes.items()]
    stem = "-".join([*name.replace(",", "").split(), str(dim), *changed, str(seed)])
    return Path(arguments.work / f"{stem}.model")


def task_scores(
    name: str, dim: int, seed: int, arguments: argparse.Namespace, tasks: Iterable[str] = tuple(TASKS), **changes: Any
) -> dict[str, Scores]:
    """The scores of a model on tasks other than pseudowords; `changes` are settings that differ from the recipe."""
    path = model_path(name, dim, seed, arguments, **changes)
    settings = UNSHARED_SETTINGS if name == UNSHARED else {"model": name}

    def score(task: str) -> Evaluation:
        data = TASKS[task]
        model = load_or_train(path, arguments, dim=dim, seed=seed, **settings, **changes)
        return evaluate(model, task, arguments.eval / data if data else None)

    return {task: load_or_score(path.with_name(f"{path.stem}-{task}.json"), partial(score, task)) for task in tasks}


def pseudoword_scores(name: str, seed: int, arguments: argparse.Namespace) -> Scores:
    """The scores of a variant on pseudowords, whose words are selected with a skip-gram model."""
    dim = arguments.small_dim

    def score() -> Evaluation:
        path = arguments.work / f"selector-{dim}.model"
        model = load_or_train(path, arguments, model="skip-gram", dim=dim, seed=1, epochs=2)
        recipe, settings = VARIANTS[name]
        return pseudowords(model, arguments.corpus, seed=seed, config=make_config(recipe, dim=dim, **settings))

    path = model_path(name, dim, seed, arguments)
    return load_or_score(path.with_name(f"{path.stem}-pseudowords.json"), score)


def load_or_train(path: Path, arguments: argparse.Namespace, **settings: Any) -> SenseModel:
    corpus = EncodedCorpus.open(arguments.corpus)
    return train(corpus, path, tokenizer=corpus.description["tokenizer"], examples=0, resume=True, **settings)


def load_or_score(path: Path, score: Callable[[], Evaluation]) -> Scores:
    """The scores in a JSON file; if it does not exist, compute and save them."""
    if not path.exists():
        evaluation = score()
        table: Scores = {
            group: {measure: [s.value, s.control] for measure, s in measures.items()}
            for group, measures in evaluation.table.items()
        }
        facts = {name: [float(x), None] for name, x in evaluation.facts.items() if isinstance(x, float)}
        table.setdefault("all", {}).update(facts)
        path.write_text(json.dumps(table))
        print(path.stem, {g: {m: s[0] for m, s in ms.items()} for g, ms in table.items()}, flush=True)
    return json.loads(path.read_text())  # type: ignore[no-any-return]


def report(results: dict[str, list[dict[str, Scores]]], note: str, seeds: list[int]) -> Iterator[str]:
    """A table with a row per measure and a column per model."""
    yield (
        f"{note}, default recipe: the mean over seeds {' '.join(map(str, seeds))}, with minimum and maximum in "
        "parentheses. After the slash the control: the same vectors with senses drawn at random; for ambiguity, words "
        "of the same frequency.\n"
    )
    yield f"| task | measure | {' | '.join(results)} |"
    yield "|---|---|" + "---|" * len(results)
    all_runs = [run for runs in results.values() for run in runs]
    for task in all_runs[0]:
        measures = SHOWN.get(task) or dict.fromkeys(names for run in all_runs for names in measures_of(run[task]))
        for group, measure in measures:
            scores = [[run[task].get(group, {}).get(measure) for run in runs] for runs in results.values()]
            if any(model_scores[0] for model_scores in scores):
                cells = [cell(model_scores, percent=task in PERCENTAGES) for model_scores in scores]
                yield f"| {task} | {group}: {measure} | {' | '.join(cells)} |"


def measures_of(scores: Scores) -> list[tuple[str, str]]:
    """The groups and measures of a task's scores."""
    return [(group, measure) for group, measures in scores.items() for measure in measures]


def table(
    label: str, rows: dict[str, dict[str, Scores]], columns: list[tuple[str, str, str]], note: str
) -> Iterator[str]:
    """A table with a row per setting and a column per task, group and measure."""
    yield f"{note}\n"
    yield f"| {label} | {' | '.join(f'{task}, {group}: {measure}' for task, group, measure in columns)} |"
    yield "|---|" + "---:|" * len(columns)
    for name, scores in rows.items():
        cells = [
            cell([scores[task].get(group, {}).get(measure)], percent=task in PERCENTAGES, with_control=False)
            for task, group, measure in columns
        ]
        yield f"| {name} | {' | '.join(cells)} |"


def header(arguments: argparse.Namespace) -> Iterator[str]:
    """The command, the machine and the size of the corpus."""
    seeds = " ".join(map(str, arguments.seeds))
    dims = f"--dim {arguments.dim} --small-dim {arguments.small_dim}"
    yield f"`python benchmarks/quality.py {arguments.corpus.name} eval --seeds {seeds} {dims}`\n"
    yield f"{processor()}; {len(EncodedCorpus.open(arguments.corpus).tokens):,} tokens.\n"


def cell(scores: list[list[float | None] | None], *, percent: bool, with_control: bool = True) -> str:
    """The mean over seeds, its range, and the mean of the controls."""
    present = [score for score in scores if score is not None]
    values = [float(value) for value, _ in present if value is not None]
    if not values:
        return "-"
    digits = 1 if percent or max(map(abs, values)) > 10 else 3
    text = f"{np.mean(values):.{digits}f}"
    if len(values) > 1:
        text += f" ({min(values):.{digits}f} to {max(values):.{digits}f})"
    controls = [control for _, control in present if control is not None]
    return f"{text} / {np.mean(controls):.{digits}f}" if controls and with_control else text


def sense_number_correlations(arguments: argparse.Namespace) -> Iterator[str]:
    """Correlation of np-mssg's number of senses with frequency and WordNet, over words that may have several senses."""
    yield (
        "Spearman correlation of the number of senses that np-mssg discovers with a word's frequency, with its number "
        "of senses in WordNet 3.1, and the latter as a partial correlation given frequency.\n"
    )
    yield "| seed | words | senses per word | frequency | WordNet | WordNet, given frequency |"
    yield "|---|---:|---:|---:|---:|---:|"
    wordnet = wordnet_senses(arguments.wordnet)
    for seed in arguments.seeds:
        model = SenseModel.load(model_path("np-mssg", arguments.dim, seed, arguments))
        data, names = model._data, model.vocabulary.words
        words = [w for w in np.flatnonzero(data.multi_sense_mask) if names[w] in wordnet]
        discovered = data.num_visible_senses[words].astype(np.float64)
        frequency = model.vocabulary.counts[words].astype(np.float64)
        listed = np.array([wordnet[names[w]] for w in words], np.float64)
        r_frequency, r_wordnet = spearman(discovered, frequency), spearman(discovered, listed)
        r_both = spearman(listed, frequency)
        partial_r = (r_wordnet - r_frequency * r_both) / np.sqrt((1 - r_frequency**2) * (1 - r_both**2))
        yield (
            f"| {seed} | {len(words):,} | {discovered.mean():.2f} | {r_frequency:.2f} | {r_wordnet:.2f} "
            f"| {partial_r:.2f} |"
        )


def wordnet_senses(folder: Path) -> dict[str, int]:
    """The number of synsets of each lemma, over all parts of speech."""
    num_synsets: dict[str, int] = {}
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"index.{part}").read_text(encoding="utf-8").splitlines():
            if not line.startswith(" "):  # lines of the licence do
                lemma, _, synsets = line.split(" ", 3)[:3]
                num_synsets[lemma] = num_synsets.get(lemma, 0) + int(synsets)
    return num_synsets


def sense_lists(arguments: argparse.Namespace) -> Iterator[str]:
    """The senses of WORDS with their neighbours, in the models of the first seed."""
    for name in ("np-mssg", "mssg"):
        model = SenseModel.load(model_path(name, arguments.dim, arguments.seeds[0], arguments))
        yield f"### {name}\n"
        for word in WORDS:
            if word in model:
                for sense in model.senses(word):
                    near = ", ".join(n.word for n in sense.neighbours(8))
                    yield f"    {sense.key:<10} {sense.share:4.0%}  {near}"
        yield ""


if __name__ == "__main__":
    main()
