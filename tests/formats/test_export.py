"""Choosing the format of an export, options, and outputs that cannot be written."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from polyseme import export, load
from polyseme.errors import ConfigError, MissingExtra, MissingFile
from polyseme.formats.registry import get_format
from polyseme.model import storage
from tests.formats.toy import toy_model


def test_the_suffix_chooses_the_format(tmp_path: Path) -> None:
    for name, kind in (("a.vec", "word2vec"), ("a.BIN", "word2vec-binary"), ("a.npz", "numpy"), ("a.mssg", "mssg")):
        export(toy_model(), tmp_path / name)
        assert load(tmp_path / name).config["imported_from"] == kind


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "vectors",
            {},
            "the name vectors does not say which format to write: choose it with --format, or end the name",
        ),
        ("vectors.xyz", {}, "the name vectors.xyz does not say"),
        ("vectors", {"format": "excel"}, "format 'excel' is not known; choose one of word2vec, word2vec-binary, glove"),
        ("vectors.vec.gz", {}, "vectors.vec.gz is the name of a compressed file; export without .gz, then compress"),
        ("vectors.vec", {"dtype": "int8"}, "the format word2vec has no option --dtype; remove it"),
        ("vectors.vec", {"some_option": 1}, "the format word2vec has no option --some-option"),
    ],
)
def test_a_wrong_name_or_option_is_refused(name: str, options: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        export(toy_model(), tmp_path / name, **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


def test_a_model_can_be_named_by_its_path(tmp_path: Path) -> None:
    toy_model().save(tmp_path / "m")
    export(tmp_path / "m", tmp_path / "a.vec")
    export(toy_model(), tmp_path / "b.vec")
    assert (tmp_path / "a.vec").read_bytes() == (tmp_path / "b.vec").read_bytes()


def test_the_folder_of_the_output_must_exist(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="the folder .*missing does not exist; create it first"):
        export(toy_model(), tmp_path / "missing" / "a.vec")


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "polyseme.formats.arrow", raising=False)
    with pytest.raises(MissingExtra, match=r"Parquet and Arrow need pyarrow: pip install 'polyseme\[parquet\]'"):
        export(toy_model(), tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []
    assert importlib.util.find_spec("polyseme.formats.arrow")


def test_every_file_of_a_model_folder_can_be_replaced() -> None:
    names = {*get_format("polyseme").folder, storage.CARD}
    assert names == {*storage.FILES, storage.LOG}
