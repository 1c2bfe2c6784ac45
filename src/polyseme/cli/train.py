"""`polyseme train CORPUS... MODEL`"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from polyseme.cli.arguments import SWITCH, FieldOption, QuietFlag, ReaderOption, StdinText, TokenizerName, check_paths
from polyseme.cli.settings import COMMON, GROUPS, given_settings, settings_options
from polyseme.cli.signals import Signals
from polyseme.errors import ConfigError, MissingFile
from polyseme.training.config import RecipeName

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

CONTINUED = Group("Continued training", sort_key=10)
CLUSTER = Group("Several processes or machines", sort_key=11)
Options = settings_options()
NUM_TRIED = 10  # words among which one is chosen to try: comparing more takes seconds with large models


def train(
    *paths: Annotated[
        str,
        StdinText,
        Parameter(
            name="CORPUS... MODEL",
            help="Texts (files, globs, folders, - for standard input) or an encoded corpus, and the folder to write. "
            "Plain text, JSON Lines, CSV, TSV, Parquet or a Wikipedia dump; also compressed.",
        ),
    ],
    options: Annotated[Options | None, Parameter(name="*")] = None,  # type: ignore[valid-type]
    init: Annotated[
        str | None,
        Parameter(
            group=CONTINUED,
            help="Continue the training of this model on a new text: a model folder, or a word2vec file. New words are "
            "added, old words keep their senses and keys. Other settings are those of the model.",
        ),
    ] = None,
    freeze: Annotated[
        bool,
        SWITCH,
        Parameter(
            group=CONTINUED, help="Keep the vectors of the model as they are, and learn only those of new words."
        ),
    ] = False,
    workers: Annotated[
        int | None,
        Parameter(
            group=CLUSTER,
            help="Number of worker processes, on this machine or on a Ray cluster. Needs polyseme[cluster]. --threads "
            "is per worker; by default, workers share the cores of their machine.",
        ),
    ] = None,
    ray_address: Annotated[
        str | None,
        Parameter(
            group=CLUSTER,
            help="Address of a running Ray cluster: auto, or host:port. By default a Ray is started on this machine.",
        ),
    ] = None,
    recipe: Annotated[
        RecipeName | None,
        Parameter(
            group=COMMON,
            show_default="default",
            help="Preset for options that are not given. default: the defaults shown here. paper: the settings of "
            "Neelakantan et al. (2014).",
            show_choices=False,
        ),
    ] = None,
    tokenizer: Annotated[TokenizerName, Parameter(group=GROUPS["vocabulary"])] = "words",
    reader: Annotated[ReaderOption, Parameter(group=GROUPS["vocabulary"])] = None,
    field: Annotated[FieldOption, Parameter(group=GROUPS["vocabulary"])] = None,
    resume: Annotated[
        bool,
        SWITCH,
        Parameter(group=GROUPS["run"], help="Continue an unfinished run of MODEL with its settings."),
    ] = False,
    force: Annotated[
        bool, SWITCH, Parameter(group=GROUPS["run"], help="Overwrite MODEL and discard an unfinished run of it.")
    ] = False,
    checkpoint_minutes: Annotated[
        float,
        Parameter(
            group=GROUPS["run"],
            help="Time between checkpoints; inf to write one only when training stops.",
            show_default="3 (a crash loses no more)",
        ),
    ] = 3.0,
    quiet: Annotated[QuietFlag, Parameter(group=GROUPS["run"])] = False,
) -> None:
    """Learn sense vectors from text."""
    corpus, model = check_paths(paths, "polyseme train CORPUS... MODEL", train)
    if not checkpoint_minutes >= 0:  # also if it is NaN
        raise ConfigError(f"--checkpoint-minutes must be 0 or more, not {checkpoint_minutes}.")
    settings: dict[str, Any] = given_settings(options)
    if "multi_sense_words" in settings:
        settings["multi_sense_words"] = _read_words(settings["multi_sense_words"])
    from polyseme.model.unfinished import has_unfinished_run
    from polyseme.training.progress import ProgressDisplay
    from polyseme.training.run import train as run

    def hint() -> str:
        return "Continue with the same command and --resume." if has_unfinished_run(Path(model)) else ""

    with Signals(hint) as signals, ProgressDisplay(quiet) as progress:
        trained = run(
            corpus, model, init=init, freeze=freeze, recipe=recipe, tokenizer=tokenizer, resume=resume, force=force,
            reader=reader, field=field, listen=progress, stop=signals.stop, checkpoint_seconds=checkpoint_minutes * 60,
            workers=workers, ray_address=ray_address, **settings,
        )  # fmt: skip
        if not quiet:
            arguments = shlex.join([model, _interesting_word(trained)])
            progress.console.print(f"Try:      polyseme senses {arguments}", markup=False)


def _interesting_word(model: SenseModel) -> str:
    """A word to try: one with clearly different senses, or the most frequent one if there is none."""
    from polyseme.evaluation.clear_senses import clearest_words

    return (clearest_words(model, 1, max_candidates=NUM_TRIED) or model.vocabulary.words)[0]


def _read_words(path: Path) -> tuple[str, ...]:
    """The words of a file, each once."""
    try:
        return tuple(dict.fromkeys(path.read_text(encoding="utf-8").split()))
    except FileNotFoundError:
        raise MissingFile(f"{path} does not exist; --multi-sense-words needs a file with one word per line.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text ({error}); --multi-sense-words needs one word per line.") from None
