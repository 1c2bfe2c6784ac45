"""`polyseme demo`: train on a generated corpus with known senses, show the senses found, and score them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag, Seed, between
from polyseme.cli.output import bold, print_json
from polyseme.cli.signals import interruptible
from polyseme.training.config import ModelName

if TYPE_CHECKING:
    from polyseme.evaluation.planted_recovery import PlantedScore

MIN_SENTENCES, MAX_SENTENCES = 50, 10_000_000  # fewer have no frequent words; they are generated in memory
SHOWN = ("bank", "bass", "plant", "rock", "apple", "cell")


def demo(
    *,
    model: Annotated[ModelName, Parameter(help="Model to train.")] = "mssg",
    senses: Annotated[
        int | None, Parameter(help="Senses per word, except for np-mssg and skip-gram.", show_default="3")
    ] = None,
    sentences: Annotated[
        int, between(MIN_SENTENCES, MAX_SENTENCES), Parameter(help="Number of sentences in the corpus.")
    ] = 30_000,
    difficulty: Annotated[
        float, Parameter(help="Fraction of the words in a sentence that do not belong to its topic.")
    ] = 0.5,
    seed: Seed = 1,
    out: Annotated[Path | None, Parameter(help="Folder to save the model in.")] = None,
    json: JsonFlag = False,
) -> None:
    """Train on a generated corpus with known senses, show the senses found, and compare them with the known ones."""
    import tempfile

    from polyseme.cli.senses import print_senses
    from polyseme.corpus.planted import plant
    from polyseme.evaluation.planted_recovery import score_planted
    from polyseme.training.progress import ProgressDisplay
    from polyseme.training.run import train

    settings: dict[str, Any] = {} if senses is None else {"senses": senses}
    planted = plant(sentences=sentences, difficulty=difficulty, seed=seed)
    with interruptible(), tempfile.TemporaryDirectory(prefix="polyseme-demo-") as folder:
        text = planted.write(Path(folder) / "planted.txt")
        with ProgressDisplay() as progress:
            trained = train(
                text, out or Path(folder) / "demo.model", model=model, seed=seed, listen=progress, **settings
            )
        scores = score_planted(trained, planted)
        if json:
            print_json([vars(score) for score in scores])
            return
        for word in SHOWN:
            if word in trained.vocabulary:
                print()
                print_senses(trained.senses(word), 8, 2)
    print_scores(scores)


def print_scores(scores: list[PlantedScore]) -> None:
    """Print a table with the scores of each word and their means."""
    print(f"\n{bold('senses found, compared with the known ones')}")
    print("word           known  found    ARI  purity  (one sense)")
    for s in scores:
        print(f"{s.word:<12} {s.planted:>7}  {s.found:>5}  {_ari(s)}  {s.purity:>6.2f}  {s.single_sense_purity:>11.2f}")
    several = [s for s in scores if s.planted > 1]
    if several:
        ari, purity, single = (
            sum(getattr(s, name) for s in several) / len(several) for name in ("ari", "purity", "single_sense_purity")
        )
        print(f"{'mean of the ambiguous':<21} {'':>5}  {ari:>5.2f}  {purity:>6.2f}  {single:>11.2f}")


def _ari(score: PlantedScore) -> str:
    """The adjusted Rand index; it means nothing for a word with one known sense."""
    return f"{score.ari:>5.2f}" if score.planted > 1 else "    -"
