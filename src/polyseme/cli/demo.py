"""`polyseme demo`: the senses that a model finds in a real text, and its scores on planted senses, which are known."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polyseme.cli.arguments import JsonFlag, Seed, between
from polyseme.cli.output import bold, one_line, print_json
from polyseme.cli.senses import print_senses
from polyseme.cli.signals import Signals, interruptible
from polyseme.training.config import ModelName

if TYPE_CHECKING:
    from polyseme.corpus.planted import PlantedCorpus
    from polyseme.evaluation.planted_recovery import PlantedScore
    from polyseme.model.sense_model import SenseModel

TEXT, SOURCE = "simplewiki.txt.xz", "Simple English Wikipedia"
NUM_WORDS, NUM_NEIGHBOURS, NUM_EXAMPLES = 6, 8, 2  # shown
MIN_SENTENCES, MAX_SENTENCES = 50, 10_000_000  # fewer have no frequent words; they are generated in memory


def demo(
    *,
    model: Annotated[ModelName | None, Parameter(help="Model to train.", show_default="np-mssg")] = None,
    senses: Annotated[int | None, Parameter(help="Number of senses per word, as for train.")] = None,
    sentences: Annotated[
        int, between(MIN_SENTENCES, MAX_SENTENCES), Parameter(help="Number of sentences of the planted corpus.")
    ] = 30_000,
    difficulty: Annotated[
        float, Parameter(help="Fraction of the words in a planted sentence that do not belong to its topic.")
    ] = 0.5,
    seed: Seed = 1,
    out: Annotated[Path | None, Parameter(help="Folder to save the model of Wikipedia in.")] = None,
    json: JsonFlag = False,
) -> None:
    """Show the senses in 2 million words of Simple English Wikipedia; then score senses planted in a generated text."""
    from importlib.resources import as_file, files

    from polyseme.corpus.planted import plant
    from polyseme.evaluation.clear_senses import clearest_sentence, clearest_words
    from polyseme.model.json_results import senses_json

    options = {"model": model, "senses": senses, "seed": seed, "threads": 1}  # one thread: the same senses each time
    settings = {name: value for name, value in options.items() if value is not None}
    planted = plant(sentences=sentences, difficulty=difficulty, seed=seed)
    with as_file(files("polyseme") / "data" / TEXT) as text:
        trained = _train(text, out, settings)
        words = clearest_words(trained, NUM_WORDS)
        sentence = clearest_sentence(trained, _lines(text), words)
    tagged = None if sentence is None else trained.tag(sentence)
    if not json:
        _print_words(trained, words, tagged)
        print("\nNow a generated text with planted senses, which are known:", flush=True)
    scores = _planted_scores(planted, settings)
    if json:
        shown = [senses_json(trained.senses(word), NUM_NEIGHBOURS, NUM_EXAMPLES) for word in words]
        print_json(
            {
                "corpus": SOURCE,
                "words": shown,
                "text": sentence,
                "tagged": tagged,
                "planted": [vars(score) for score in scores],
            }
        )
        return
    print_scores(scores)
    if out is None:
        print("Keep the model with: polyseme demo --out demo.model", file=sys.stderr)
    elif words:
        print(f"Try: polyseme senses {shlex.join([str(out), words[-1]])}", file=sys.stderr)


def _train(text: Path, out: Path | None, settings: dict[str, Any]) -> SenseModel:
    from polyseme.training.progress import ProgressDisplay
    from polyseme.training.run import train

    with Signals() as signals, ProgressDisplay() as progress:
        return train(text, out, listen=progress, stop=signals.stop, **settings)


def _lines(text: Path) -> list[str]:
    from polyseme.corpus.sources import find_sources

    with find_sources(text)[0].open() as file:
        return file.read().decode().splitlines()


def _planted_scores(planted: PlantedCorpus, settings: dict[str, Any]) -> list[PlantedScore]:
    """Train on the planted corpus and score each planted word."""
    import tempfile

    from polyseme.evaluation.planted_recovery import score_planted

    with interruptible(), tempfile.TemporaryDirectory(prefix="polyseme-demo-") as folder:
        text = planted.write(Path(folder) / "planted.txt")
        return score_planted(_train(text, None, {**settings, "examples": 0}), planted)


def _print_words(model: SenseModel, words: list[str], tagged: str | None) -> None:
    """Print the senses of words, and a tagged sentence."""
    ambiguous = int((model._data.num_visible_senses > 1).sum())
    print(bold(f"{SOURCE}, 2 million words (by its contributors, CC BY-SA 3.0)"))
    print(f"{ambiguous:,} of {len(model):,} words have several senses.", end="")
    print(" The clearest, with shares, nearest neighbours and example sentences:" if words else "")
    for word in words:
        print()
        print_senses(model.senses(word), NUM_NEIGHBOURS, NUM_EXAMPLES)
    if tagged is not None:
        print(f"\n{bold('a sentence of the text, tagged')}\n    {one_line(tagged)}")


def print_scores(scores: list[PlantedScore]) -> None:
    """Print a table with the mean scores of the planted words, by their number of senses."""
    print(f"\n{bold('senses found, compared with the planted ones')}")
    print("planted senses  words  found    ARI  purity  (one sense)")
    for planted in sorted({score.planted for score in scores}):
        group = [score for score in scores if score.planted == planted]
        print(f"{planted:<14}  {len(group):>5}  {_mean(group, 'found'):>5.1f}  {_mean_scores(group)}")
    if ambiguous := [score for score in scores if score.planted > 1]:
        print(f"{'mean of the ambiguous':<21}  {_mean(ambiguous, 'found'):>5.1f}  {_mean_scores(ambiguous)}")


def _mean_scores(scores: list[PlantedScore]) -> str:
    # The adjusted Rand index means nothing for words with one planted sense.
    ari = "    -" if scores[0].planted == 1 else f"{_mean(scores, 'ari'):>5.2f}"
    return f"{ari}  {_mean(scores, 'purity'):>6.2f}  {_mean(scores, 'single_sense_purity'):>11.2f}"


def _mean(scores: list[PlantedScore], name: str) -> float:
    return float(sum(getattr(score, name) for score in scores) / len(scores))
