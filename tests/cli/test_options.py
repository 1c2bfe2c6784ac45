"""Odd values of every numeric option of every command: a result, or an error in one line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn, get_args

import pytest
from cyclopts import Argument

from polyseme.cli.app import app, main
from polyseme.training.cluster import run as cluster_run
from polyseme.training.config import make_config

ODD_VALUES = ("0", "-1", "1", "9" * 30, "9" * 5000, "1e-300", "nan", "inf", "-inf", "", "x", "0x10", "٣")
COMMANDS = {
    "demo": ["--sentences", "60"],
    "train": ["text.txt", "out", "--force", "--quiet", "--dim", "4", "--epochs", "1", "--checkpoint-minutes", "inf"],
    "senses": ["MODEL", "bank"],
    "neighbours": ["MODEL", "bank"],
    "disambiguate": ["MODEL", "bank", "money in the bank"],
    "tag": ["MODEL", "text.txt"],
    "similarity": ["MODEL", "bank", "money"],
    "explore": ["MODEL", "--export", "page.html", "--words", "bank", "--force", "--quiet"],
    "refine": ["MODEL", "out", "--force", "--label", "bank#1=money"],
    "evaluate": ["MODEL", "health", "text.txt"],
    "reproduce": ["text.txt", "out", "--data", "."],
    "info": ["MODEL"],
    "export": ["MODEL", "out.model", "--force"],
    "import": ["vectors.vec", "out", "--force"],
    "encode": ["text.txt", "out", "--force", "--quiet"],
}


def is_numeric(argument: Argument) -> bool:
    return bool({int, float} & {argument.hint, *get_args(argument.hint)})


OPTIONS = [
    (command, argument.name)
    for command in COMMANDS
    for argument in app[command].assemble_argument_collection()
    if is_numeric(argument)
]


def check_settings(_text: Path, _out: Path | None, settings: dict[str, Any]) -> NoReturn:
    """Does not train the demo's models, which would take minutes."""
    make_config(**settings)
    raise SystemExit(0)


def test_every_command_is_tested() -> None:
    assert set(COMMANDS) == {name for name in app if not name.startswith("-")}
    assert {("train", "--dim"), ("evaluate", "--seed"), ("reproduce", "--threads")} <= set(OPTIONS)


@pytest.mark.parametrize(("command", "option"), OPTIONS, ids=[" ".join(names) for names in OPTIONS])
def test_odd_numbers_give_a_result_or_an_error_in_one_line(
    command: str,
    option: str,
    mssg_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("polyseme.cli.demo._train", check_settings)
    monkeypatch.setattr(cluster_run, "cluster_run", lambda run, workers, _: cluster_run.local_run(run, workers))
    (tmp_path / "text.txt").write_text("the bank of the river\nmoney in the bank\n" * 20)
    (tmp_path / "vectors.vec").write_text("2 2\nbank 1 0\nriver 0 1\n")
    arguments = [str(mssg_path) if word == "MODEL" else word for word in COMMANDS[command]]
    if option in arguments:
        del arguments[arguments.index(option) : arguments.index(option) + 2]
    for value in ODD_VALUES:
        with pytest.raises(SystemExit) as ended:
            main([command, *arguments, f"{option}={value}"])
        errors = capsys.readouterr().err
        message = f"{option} {value[:40]}: {ended.value.code}, {errors}"
        assert ended.value.code in (0, 2), message
        assert "internal error" not in errors, message
        if ended.value.code == 2:
            assert re.fullmatch(r"polyseme: .*\n", errors), message
            assert len(errors) < 1000, message
            assert option in errors or "scws/ratings.txt" in errors, message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["train", "text.txt", "out", "--quiet", "--subsample", "1e-300"],
            "--subsample 1e-300 drops all of the 180 tokens;",
        ),
        (["evaluate", "MODEL", "pseudowords", "text.txt", "--seed", "-1"], "--seed"),
        (["evaluate", "MODEL", "health", "--window", "5"], "--window is for tasks with contexts"),
        (["senses", "MODEL", "bank", "--examples", "-1"], "--examples"),
        (["train", "", "out"], "a path is empty"),
        (["encode", "text.txt", ""], "a path is empty"),
    ],
)
def test_the_error_names_the_option(
    arguments: list[str],
    message: str,
    mssg_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("the bank of the river\nmoney in the bank\n" * 20)
    with pytest.raises(SystemExit) as ended:
        main([str(mssg_path) if word == "MODEL" else word for word in arguments])
    output = capsys.readouterr()
    assert (ended.value.code, output.out, output.err.count("\n")) == (2, "", 1)
    assert message in output.err
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]
