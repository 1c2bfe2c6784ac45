"""Command-line options of training settings, made from TrainConfig."""

from __future__ import annotations

from dataclasses import Field, field, fields, make_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from cyclopts import Group, Parameter

from polyseme.cli.arguments import SWITCH
from polyseme.training.config import GroupName, TrainConfig

COMMON = Group("Common options", sort_key=0)
GROUPS = {name: Group(name.capitalize(), sort_key=i) for i, name in enumerate(get_args(GroupName), 1)}


def settings_options(prefix: str = "") -> type:
    """A dataclass with an option for each setting of TrainConfig whose name begins with `prefix`.

    It is None if the option is not given: the recipe decides then. Without a prefix, the options are grouped.
    """
    types: dict[str, Any] = {**get_type_hints(TrainConfig), "multi_sense_words": Path}
    options: list[tuple[str, Any, Any]] = []
    for f in fields(TrainConfig):
        if f.name.startswith(prefix):
            parameter = Parameter(help=f.metadata["help"], show_choices=False, show_default=_default_text(f))
            if not prefix:
                group = COMMON if f.metadata["common"] else GROUPS[f.metadata["group"]]
                parameter = Parameter.combine(parameter, Parameter(group=group))
            if types[f.name] is bool:
                parameter = Parameter.combine(parameter, SWITCH)
            options.append((f.name, Annotated[types[f.name] | None, parameter], field(default=None)))
    return make_dataclass("Options", options, namespace={"__module__": __name__})


def given_settings(options: object) -> dict[str, Any]:
    """The settings whose options were given."""
    return {} if options is None else {name: value for name, value in vars(options).items() if value is not None}


def _default_text(setting: Field[Any]) -> str | bool:
    """The default of a setting with its reason, for the help."""
    reason: str = setting.metadata["reason"]
    if setting.default is None:
        return reason or False
    return f"{setting.default} ({reason})" if reason else str(setting.default)
