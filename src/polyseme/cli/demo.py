"""`polyseme demo`: train on the planted corpus, show the senses found, score them against the truth."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag
from polyseme.cli.output import bold, print_json
from polyseme.training.config import ModelName

if TYPE_CHECKING:
    from polyseme.evaluation.planted_recovery import PlantedScore

SHOWN = ("bank", "bass", "plant", "rock", "apple", "cell")


def demo(
    *,
    model: ModelName = "mssg",
    senses: Annotated[int, Parameter(help="Senses per word of mssg and mssg-maxout.")] = 3,
    sentences: Annotated[int, Parameter(help="Size of the corpus.")] = 30_000,
    difficulty: Annotated[float, Parameter(help="From 0 to 1: how many words of a sentence are off its topic.")] = 0.5,
    seed: int = 1,
    out: Annotated[Path | None, Parameter(help="Keep the model in this folder.")] = None,
    json: JsonFlag = False,
) -> None:
    """Train on a corpus with planted senses, show those found, and score them against the truth."""
    from polyseme.cli.progress import Progress
    from polyseme.cli.senses import print_senses
    from polyseme.corpus.planted import plant
    from polyseme.evaluation.planted_recovery import score_planted
    from polyseme.training.run import train

    planted = plant(sentences=sentences, difficulty=difficulty, seed=seed)
    with tempfile.TemporaryDirectory(prefix="polyseme-demo-") as folder:
        text = planted.write(Path(folder) / "planted.txt")
        with Progress() as progress:
            learned = train(
                text, out or Path(folder) / "demo.model", model=model, senses=senses, seed=seed, listen=progress
            )
        scores = score_planted(learned, planted)
        if json:
            print_json([vars(score) for score in scores])
            return
        for word in SHOWN:
            if word in learned.vocabulary:
                print()
                print_senses(learned.senses(word), 8, 2)
    print_scores(scores)


def print_scores(scores: list[PlantedScore]) -> None:
    """For people: the words, then the means."""
    print(f"\n{bold('against the planted truth')}")
    print("word         planted  found    ARI  purity  (one sense)")
    for s in scores:
        print(f"{s.word:<12} {s.planted:>7}  {s.found:>5}  {_ari(s)}  {s.purity:>6.2f}  {s.single_sense_purity:>11.2f}")
    several = [s for s in scores if s.planted > 1]
    if several:
        ari, pure, single = (
            sum(getattr(s, name) for s in several) / len(several) for name in ("ari", "purity", "single_sense_purity")
        )
        print(f"{'mean of the ambiguous':<21} {'':>5}  {ari:>5.2f}  {pure:>6.2f}  {single:>11.2f}")


def _ari(score: PlantedScore) -> str:
    """A word with one sense has no partition to agree with."""
    return f"{score.ari:>5.2f}" if score.planted > 1 else "    -"
