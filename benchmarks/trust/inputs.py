"""Damaged files of every kind, given to the commands that read them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .batch import Batch
from .commands import run
from .mutation import Mutator
from .results import Context, Part, Result
from .targets import COMPRESS, EVALUATION, FAST, FORMATS, READERS, WSI_XML

QUERIES = (
    ["info", "{}"], ["senses", "{}", "bank", "--json"], ["neighbours", "{}", "bank"], ["tag", "{}", "../text.txt"],
    ["disambiguate", "{}", "bank", "the river bank"], ["similarity", "{}", "bank", "guitar"],
    ["refine", "{}", "out", "--min-separation", "2"], ["export", "{}", "out.vec"],
    ["export", "{}", "out.model", "--dtype", "int8"], ["evaluate", "{}", "health"],
    ["train", "../text.txt", "out", "--init", "{}", "--epochs", "1", "--threads", "1", "--quiet", "--min-count", "2"],
)  # fmt: skip
STOP_SECONDS = 2.0  # after which a run is stopped: a damaged config may have thousands of epochs
PER_CASE = 2  # commands for each damaged model or file of vectors


class Input(NamedTuple):
    """A kind of file: which target is damaged, and the commands of which some are run on it."""

    kind: str
    source: str
    commands: tuple[list[str], ...]


def inputs() -> list[Input]:
    """All kinds, each with its commands."""
    found = []
    for reader, suffix in READERS.items():
        train = ["train", "{}", "out", *FAST]
        wrong = ["encode", "{}", "out", "--quiet", "--reader", next(r for r in READERS if r != reader)]
        commands = (["encode", "{}", "out", "--quiet"], train, wrong)
        found += [Input(f"corpus: {reader}{end}", f"corpus{suffix}{end}", commands) for end in COMPRESS]
    for model in ("np.model", "int8.model", "float16.model", "phrased.model"):
        found += 4 * [Input(f"model: {model.removesuffix('.model')}", model, QUERIES)]
    for corpus in ("corpus", "phrased"):
        found += 4 * [Input(f"encoded corpus: {corpus}", corpus, (["train", "{}", "out", *FAST],))]
    resume = ["train", "../corpus", "{}/m", "--resume", "--quiet"]
    found += 6 * [Input("checkpoint", name, (resume,)) for name in ("checkpoint", "checkpoint-done")]
    for format, path in FORMATS.items():
        reading = ["import", "{}", "out"], ["import", "{}", "out", "--format", format], *QUERIES[1:3], QUERIES[-1]
        found += 2 * [Input(f"vectors: {format}", path, reading)]
    found += [Input("vectors: word2vec, compressed", "v.vec.gz", (["import", "{}", "out"], QUERIES[1]))]
    for task, data in [*EVALUATION.items(), ("wsi", WSI_XML)]:
        more = ["--min-count", "1"] if task == "ambiguity" else []
        found.append(Input(f"evaluation: {task}", data, (["evaluate", "../np.model", task, "{}", *more],)))
    explore = ["explore", "../np.model", "--export", "out.html", "--words", "bank", "--quiet"]
    found += 2 * [Input("index of the explorer", "np.model.index", (explore,))]
    found.append(
        Input("word list", "lists/a.txt", (["train", "../corpus", "out", *FAST, "--multi-sense-words", "{}"],))
    )
    return found


INPUTS = inputs()


def damaged(kind: Input, folder: Path, context: Context, mutator: Mutator) -> Path:
    """A damaged copy of a target in a folder."""
    path = folder / Path(kind.source).name
    end = next((suffix for suffix in COMPRESS if suffix and path.name.endswith(suffix)), "")
    source = context.targets / kind.source.removesuffix(end)
    if source.is_dir():
        shutil.copytree(source, path)
        mutator.damage(path)
    else:
        data = source.read_bytes()
        if mutator.random.random() < 0.5:
            data = mutator.mutated(source.name, data)
        data = COMPRESS[end](data)
        path.write_bytes(mutator.mutated(path.name, data) if mutator.random.random() < 0.6 else data)
    return path


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    batch = Batch(context.scratch)
    for number in numbers:
        kind = INPUTS[number % len(INPUTS)]
        mutator = Mutator(f"{context.seed} {number}")
        folder = context.targets / f"case-{number}"  # beside the targets, which commands name as ../text.txt
        shutil.rmtree(folder, ignore_errors=True)  # left by a campaign that was stopped
        folder.mkdir()
        try:
            yield run_case(kind, folder, context, mutator, batch)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    batch.close()


def run_case(kind: Input, folder: Path, context: Context, mutator: Mutator, batch: Batch) -> Result:
    path = damaged(kind, folder, context, mutator)
    if kind.kind == "index of the explorer":
        shutil.copytree(context.targets / "np.model", folder / "np.model")
    before = _names(context.targets)
    statuses, seconds, peak = [], 0.0, 0
    for template in mutator.random.sample(kind.commands, min(PER_CASE, len(kind.commands))):
        arguments = [part.replace("{}", path.name) for part in template]
        if kind.kind == "index of the explorer":
            arguments[1] = "np.model"
        _remove_outputs(folder)
        outcome = batch.run(arguments, folder, STOP_SECONDS)
        problem = outcome.problem(0, 1, 2, 143)
        if problem:
            _remove_outputs(folder)
            alone = run(arguments, folder, stop_after=STOP_SECONDS).problem(0, 1, 2, 143)
            problem = alone or f"only after other commands: {problem}"
        statuses.append(outcome.status)
        seconds, peak = max(seconds, outcome.seconds), max(peak, outcome.peak)
        if not problem:
            problem = _left_behind(folder, path) or _changed(before, context)
        if problem:
            return Result(kind.kind, "failure", f"{' '.join(arguments)}: {problem}", {})
    outcome_name = "answer" if 0 in statuses else "error"
    return Result(kind.kind, outcome_name, "", {"seconds": round(seconds, 3), "megabytes": peak >> 20})


def _remove_outputs(folder: Path) -> None:
    for path in folder.glob("out*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _left_behind(folder: Path, path: Path) -> str:
    known = {path.name, "np.model", "np.model.index", "out", "out.vec", "out.model", "out.html", "out.training"}
    extra = sorted(_names(folder) - known)
    return f"left behind: {', '.join(extra)}" if extra else ""


def _changed(before: set[str], context: Context) -> str:
    extra = sorted(_names(context.targets) ^ before)
    return f"other files changed: {', '.join(extra)}" if extra else ""


PART = Part(
    "inputs",
    "Damaged corpora, models, checkpoints, vectors, evaluation data",
    "an answer, or one line and exit status 2; under 20 s and 1 GB; nothing left behind",
    10_000,
    cases,
)
