"""`polyseme train CORPUS... MODEL`"""

from __future__ import annotations

import dataclasses
from dataclasses import Field, fields, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

from cyclopts import Group, Parameter

from polyseme.cli.arguments import SWITCH, FieldOption, QuietFlag, ReaderOption, StdinText, TokenizerName, check_paths
from polyseme.cli.signals import Signals
from polyseme.errors import ConfigError, MissingFile
from polyseme.training.config import GroupName, RecipeName, TrainConfig

if TYPE_CHECKING:
    from polyseme.model.sense_model import SenseModel

COMMON = Group("Common options", sort_key=0)
CONTINUED = Group("Continued training", sort_key=10)
GROUPS = {name: Group(name.capitalize(), sort_key=i) for i, name in enumerate(get_args(GroupName), 1)}


def _options() -> type:
    """A dataclass with an option for each setting of TrainConfig; None if it is not given: the recipe decides then."""
    types: dict[str, Any] = {**get_type_hints(TrainConfig), "multi_sense_words": Path}
    options: list[tuple[str, Any, Any]] = []
    for f in fields(TrainConfig):
        group = COMMON if f.metadata["common"] else GROUPS[f.metadata["group"]]
        parameter = Parameter(group=group, help=f.metadata["help"], show_choices=False, show_default=_default_text(f))
        options.append((f.name, Annotated[types[f.name] | None, parameter], dataclasses.field(default=None)))
    return make_dataclass("Options", options, namespace={"__module__": __name__})


def _default_text(setting: Field[Any]) -> str | bool:
    """The default of a setting with its reason, for the help."""
    reason: str = setting.metadata["reason"]
    if setting.default is None:
        return reason or False
    return f"{setting.default} ({reason})" if reason else str(setting.default)


Options = _options()


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
    corpus, model = check_paths(paths, "polyseme train CORPUS... MODEL")
    if not checkpoint_minutes >= 0:  # also if it is NaN
        raise ConfigError(f"--checkpoint-minutes must be 0 or more, not {checkpoint_minutes}.")
    settings: dict[str, Any] = {n: v for n, v in vars(options or Options()).items() if v is not None}
    if "multi_sense_words" in settings:
        settings["multi_sense_words"] = _read_words(settings["multi_sense_words"])
    from polyseme.training.progress import ProgressDisplay
    from polyseme.training.run import train as run

    with Signals("Continue with the same command and --resume.") as signals, ProgressDisplay(quiet) as progress:
        trained = run(
            corpus, model, init=init, freeze=freeze, recipe=recipe, tokenizer=tokenizer, resume=resume, force=force,
            reader=reader, field=field, listen=progress, stop=signals.stop, checkpoint_seconds=checkpoint_minutes * 60,
            **settings,
        )  # fmt: skip
        if not quiet:
            progress.console.print(f"Try:      polyseme senses {model} {_interesting_word(trained)}", markup=False)


def _interesting_word(model: SenseModel) -> str:
    """A word to try: one with several senses, but not among the most frequent words, which carry little meaning."""
    several = [i for i, n in enumerate(model._data.num_visible_senses.tolist()) if n > 1] or [0]
    return model.vocabulary.words[several[min(len(several) // 10, 500)]]


def _read_words(path: Path) -> tuple[str, ...]:
    """The words of a file, each once."""
    try:
        return tuple(dict.fromkeys(path.read_text(encoding="utf-8").split()))
    except FileNotFoundError:
        raise MissingFile(f"{path} does not exist; --multi-sense-words needs a file with one word per line.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text ({error}); --multi-sense-words needs one word per line.") from None
