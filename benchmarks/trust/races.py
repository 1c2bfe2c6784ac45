"""Two trainings to one output, reading while a model is overwritten, and a corpus that changes under a run."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from .commands import Child, run, start
from .kills import JOBS, Reference, digest, prepared, reference
from .results import Context, Part, Result

TRAINING = next(job for job in JOBS if job.name == "train")
READS_PER_CASE = 6
READS = (
    ["senses", "m", "bank", "--json"],
    ["info", "m"],
    ["tag", "m", "text.txt"],
    ["export", "m", "copy.vec", "--force"],
)


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    expected = reference(TRAINING, context)
    for number in numbers:
        rng = random.Random(f"{context.seed} {number}")
        folder = prepared(TRAINING, context, number)
        kind = (two_trainings, reading_while_overwriting, changing_corpus)[number % 3]
        try:
            yield kind(folder, expected, rng, context)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def two_trainings(folder: Path, expected: Reference, rng: random.Random, _: Context) -> Result:
    """Of two runs with the same output, one is refused or finds the finished model."""
    force = ["--force"] if rng.random() < 0.3 else ["--resume"] if rng.random() < 0.3 else []
    first = start([*TRAINING.command, *force], folder)
    time.sleep(rng.random() * expected.seconds * rng.choice((0.01, 1.0)))
    second = start([*TRAINING.command, *force], folder)
    outcomes = [child.wait(60) for child in (first, second)]
    problem = next(filter(None, (outcome.problem(0, 2) for outcome in outcomes)), "")
    if not problem and all(outcome.status for outcome in outcomes):
        problem = f"no winner: {[outcome.stderr for outcome in outcomes]}"
    if not problem and digest(folder / "out") != expected.digest:
        problem = "the model differs from that of a single run"
    if not problem:
        problem = _left(folder, {"out"})
    winners = sum(outcome.status == 0 for outcome in outcomes)
    return Result("two trainings to one output", f"{winners} of 2 finished", problem)


def reading_while_overwriting(folder: Path, __: Reference, rng: random.Random, context: Context) -> Result:
    """Readers see the old model or the new one, as a whole, while a writer replaces it again and again."""
    sources = {name: context.targets / name for name in ("np.model", "phrased.model")}
    shutil.copytree(sources["np.model"], folder / "m")

    def overwrite() -> None:
        import polyseme

        models = [polyseme.load(path) for path in sources.values()]
        end = time.monotonic() + 30
        while time.monotonic() < end and not (folder / "stop").exists():
            for model in models:
                model.save(folder / "m", force=True)

    answers = {_answer(folder, path) for path in sources.values()}
    writer = Child(overwrite, folder)
    problem = ""
    for _ in range(READS_PER_CASE):
        command = rng.choice(READS)
        outcome = run(command, folder)
        problem = outcome.problem(0)
        if not problem and command[0] == "senses" and outcome.stdout not in answers:
            problem = f"an answer of neither model: {outcome.stdout[:500]!r}"
        if problem:
            problem = f"{' '.join(command)}: {problem}"
            break
    (folder / "stop").touch()
    done = writer.wait(60)
    problem = problem or done.problem(0) or _left(folder, {"m", "stop", "copy.vec"})
    return Result("reading while overwriting", f"{READS_PER_CASE} reads", problem)


def _answer(folder: Path, model: Path) -> bytes:
    return run(["senses", str(model), "bank", "--json"], folder).stdout


def changing_corpus(folder: Path, expected: Reference, rng: random.Random, context: Context) -> Result:
    """The text is truncated, extended, replaced or removed while it is read or while the run trains."""
    text = folder / "text.txt"
    text.unlink()
    shutil.copy(context.targets / "text.txt", text)
    reader = rng.choice(("train", "encode"))
    command = TRAINING.command if reader == "train" else ["encode", "text.txt", "out", "--quiet"]
    child = start(command, folder)
    time.sleep(rng.random() * expected.seconds)
    how = rng.choice(("truncated", "extended", "replaced", "removed"))
    if how == "truncated":
        os.truncate(text, rng.randrange(text.stat().st_size))
    elif how == "extended":
        with text.open("ab") as file:
            file.write(b"more words of the bank\n" * 50)
    elif how == "replaced":
        (folder / "new").write_text("something else\n" * 500)
        (folder / "new").rename(text)
    else:
        text.unlink()
    outcome = child.wait(60)
    problem = outcome.problem(0, 2)
    if not problem and outcome.status == 0 and reader == "train":
        problem = run(["senses", "out", "bank"], folder).problem(0, 1)
    if not problem:
        problem = _left(folder, {"out", "text.txt"} if outcome.status == 0 else {"text.txt", "out.training"})
    status = "finished" if outcome.status == 0 else "refused"
    return Result(f"corpus {how} under a run", status, problem)


def _left(folder: Path, known: set[str]) -> str:
    extra = {path.name for path in folder.iterdir() if not path.is_symlink()} - known
    return f"left behind: {', '.join(sorted(extra))}" if extra else ""


PART = Part(
    "races",
    "Two trainings to one output; reading while overwriting; a corpus that changes under a run",
    "a run that ends without an error has saved the model; readers see complete models; one line if the corpus changed",
    300,
    cases,
)
