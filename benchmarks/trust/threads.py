"""More threads than cores: training on 1, 2, 4 and 8 threads must find the planted senses equally well."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from .commands import Child
from .results import Context, Part, Result

THREADS = (1, 2, 4, 8)
SEEDS = 5
MIN_SCORE = 0.8  # of the adjusted Rand index, averaged over the ambiguous words


def cases(context: Context, numbers: Iterable[int]) -> Iterator[Result]:
    for number in numbers:
        threads, seed = THREADS[number % len(THREADS)], number // len(THREADS)
        child = Child(lambda threads=threads, seed=seed: _train(threads, seed), context.scratch)  # type: ignore[misc]
        outcome = child.wait(300)
        score = float(outcome.stdout or "nan")
        problem = outcome.problem(0) or ("" if score > MIN_SCORE else f"adjusted Rand index {score:.3f}")
        yield Result(f"{threads} threads", "finished", problem, {"score": score, "cores": len(os.sched_getaffinity(0))})


def _train(threads: int, seed: int) -> None:
    import polyseme
    from polyseme.corpus.planted import plant
    from polyseme.evaluation.planted_recovery import score_planted

    planted = plant(sentences=8000, difficulty=0.3, seed=7)
    model = polyseme.train(texts=planted.sentences, dim=32, seed=seed, threads=threads, quiet=True, senses=2)
    scores = [score.ari for score in score_planted(model, planted) if score.planted > 1]
    print(sum(scores) / len(scores))


PART = Part(
    "threads",
    "Training on 1, 2, 4 and 8 threads",
    "the planted senses are found equally well",
    len(THREADS) * SEEDS,
    cases,
)
