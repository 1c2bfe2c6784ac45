"""`polyseme train CORPUS... MODEL`"""

from __future__ import annotations

from dataclasses import field, fields, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from cyclopts import Parameter

from polyseme.cli.arguments import QuietFlag, StdinText, TokenizerName, check_paths
from polyseme.cli.signals import Signals
from polyseme.errors import ConfigError, MissingFile
from polyseme.training.config import RecipeName, TrainConfig

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel


def _options() -> type:
    """A flag for each setting of TrainConfig; None where it was not given, so that the recipe decides."""
    types: dict[str, Any] = {**get_type_hints(TrainConfig), "multi_sense_words": Path}
    flags: list[tuple[str, Any, Any]] = []
    for f in fields(TrainConfig):
        file = f.name == "multi_sense_words"
        text = f.metadata["doc"] + (", one a line in a file." if file else ".")
        note = "" if f.default is None else f" Default: {f.default}."
        flags.append((f.name, Annotated[types[f.name] | None, Parameter(help=text + note)], field(default=None)))
    return make_dataclass("Options", flags, namespace={"__module__": __name__})


Options = _options()


def train(
    *paths: Annotated[
        str, StdinText, Parameter(help="Texts (files, globs, folders, - for stdin, an encoded corpus); then MODEL.")
    ],
    recipe: Annotated[RecipeName, Parameter(help="Where the settings come from that are not given.")] = "default",
    tokenizer: TokenizerName = "words",
    resume: Annotated[bool, Parameter(negative="", help="Go on with an unfinished run of MODEL.")] = False,
    force: Annotated[bool, Parameter(negative="", help="Overwrite MODEL, throw away an unfinished run.")] = False,
    checkpoint_minutes: Annotated[float, Parameter(help="Time between checkpoints.")] = 3.0,
    quiet: QuietFlag = False,
    options: Annotated[Options | None, Parameter(name="*")] = None,  # type: ignore[valid-type]
) -> None:
    """Learn sense vectors from text: CORPUS... MODEL."""
    corpus, model = check_paths(paths, "polyseme train CORPUS... MODEL")
    settings: dict[str, Any] = {n: v for n, v in vars(options or Options()).items() if v is not None}
    if "multi_sense_words" in settings:
        settings["multi_sense_words"] = _read_list(settings["multi_sense_words"])
    from polyseme.cli.progress import Progress
    from polyseme.training.run import train as run

    with Signals("Go on with the same command and --resume.") as signals, Progress(quiet) as progress:
        done = run(
            corpus, model, recipe=recipe, tokenizer=tokenizer, resume=resume, force=force, listen=progress,
            stop=signals.stop, checkpoint_seconds=checkpoint_minutes * 60, **settings,
        )  # fmt: skip
        if not quiet:
            progress.console.print(f"Try:      polyseme senses {model} {_interesting_word(done)}", markup=False)


def _interesting_word(model: SenseModel) -> str:
    """A word to try: among those of several senses not the most frequent, which have little meaning."""
    several = [i for i, n in enumerate(model._data.num_visible_senses.tolist()) if n > 1] or [0]
    return model.vocabulary.words[several[min(len(several) // 10, 500)]]


def _read_list(path: Path) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(path.read_text(encoding="utf-8").split()))
    except FileNotFoundError:
        raise MissingFile(f"{path} is not there; it should list words, one a line.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not a list of words in UTF-8 ({error}).") from None
