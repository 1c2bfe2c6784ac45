"""`polyseme export` and `polyseme import`, and queries of vectors of other programs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from polyseme import load
from polyseme.cli.app import main
from tests.conftest import Run, command

SENSES = "the 1 1\nbank#1 1 0\nbank#2 0 1\nmoney 1 0.1\nriver 0.1 1\n"
WORDS = "the 1 1\nbank 1 0.5\nmoney 1 0\nriver 0 1\n"
ASSUMED = "polyseme: senses.vec has no counts; the senses of a word are assumed to be equally frequent.\n"
LESS_ACCURATE = (
    "polyseme: senses.vec has no global vectors; contexts are compared with the sense vectors, which is less "
    "accurate.\n"
)
MEANS = "polyseme: senses.vec has no global vectors; that of a word is assumed to be the mean of its senses.\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "senses.vec").write_text(f"5 2\n{SENSES}")
    (tmp_path / "words.glove").write_text(WORDS)
    return tmp_path


def test_a_model_is_exported_and_imported_again(mssg_path: Path, tmp_path: Path, polyseme_command: Run) -> None:
    pytest.importorskip("pyarrow")
    done = polyseme_command("export", mssg_path, "bank.parquet", "--words", "400")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("saved     bank.parquet: Parquet, ")
    done = polyseme_command("import", "bank.parquet", "bank.model")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("saved     bank.model: 400 words, ")
    assert done.stderr.endswith("; not in the file: global_vectors, cluster_centers\n")
    before, after = load(mssg_path), load(tmp_path / "bank.model")
    assert after.vocabulary.words == before.vocabulary.words[:400]
    assert after.index_to_key == before.index_to_key[: len(after.index_to_key)]
    assert [s.share for s in after.senses("bank")] == [s.share for s in before.senses("bank")]


def test_sentence_transformers_cannot_choose_senses_and_the_export_says_so(
    mssg_path: Path, polyseme_command: Run
) -> None:
    done = polyseme_command("export", mssg_path, "out", "--format", "sentence-transformers")
    assert done.returncode == 0
    assert "It has one vector per word, the mean of its senses: a StaticEmbedding cannot choose senses." in done.stderr
    assert "cannot choose senses" in " ".join(polyseme_command("export", "--help").stdout.replace("│", " ").split())


def test_vectors_of_other_programs_can_be_queried_with_notes_on_what_they_lack(
    files: Path, polyseme_command: Run
) -> None:
    senses = polyseme_command("senses", "senses.vec", "bank", "--neighbours", "1")
    assert senses.stdout == "bank#1  50%  money\nbank#2  50%  river\n"
    assert senses.stderr == ASSUMED
    neighbours = polyseme_command("neighbours", "senses.vec", "bank#2", "-n", "1")
    assert (neighbours.stdout, neighbours.stderr) == ("0.995  river\n", "")
    similarity = json.loads(polyseme_command("similarity", "words.glove", "money", "river", "--json").stdout)
    assert similarity["global_sim"] == 0
    assert polyseme_command("similarity", "senses.vec", "bank", "river").stderr == MEANS
    assert polyseme_command("neighbours", "senses.vec", "bank", "--among", "words").stderr == MEANS
    chosen = polyseme_command("disambiguate", "senses.vec", "bank", "money, money", "--json")
    assert json.loads(chosen.stdout)["best"] == "bank#1"
    assert chosen.stderr == LESS_ACCURATE
    tagged = polyseme_command("tag", "senses.vec", stdin="the bank of the river\n")
    assert (tagged.stdout, tagged.stderr) == ("the bank#2 of the river\n", LESS_ACCURATE)
    info = polyseme_command("info", "senses.vec")
    assert "imported from    word2vec\n" in info.stdout
    assert "not in the file  counts, shares, global_vectors, cluster_centers\n" in info.stdout
    assert f"size             {(files / 'senses.vec').stat().st_size} bytes\n" in info.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tag", "words.glove", "words.glove"], "words.glove has one vector per word, so there is no sense to choose"),
        (["info", "words.glove", "--verify"], "words.glove has no digests, which --verify compares"),
        (["export", "words.glove", "out"], "the name out does not say which format to write"),
        (["export", "words.glove", "out", "--format", "excel"], "--format"),
        (["export", "words.glove", "out.vec", "--words", "0"], "--words"),
        (["export", "words.glove", "senses.vec"], "senses.vec already exists; choose another name, or overwrite it"),
        (["export", "missing", "out.vec"], "missing does not exist"),
        (["export", "words.glove", "no/out.vec"], "the folder no does not exist"),
        (["import", "missing", "out"], "missing does not exist; check the path"),
        (["import", "words.glove", "senses.vec"], "senses.vec already exists"),
        (["import", "words.glove", "senses.vec", "--force"], "is not a model, so --force does not remove it"),
        (["import", "lying.vec", "out"], "lying.vec: the header says 3 words, but 1 follow; the file may be truncated"),
        (["import", "columns.vec", "out"], "columns.vec, line 3: 2 columns, expected 3: a word and 2 numbers"),
        (["import", "nan.vec", "out"], "nan.vec, line 2: 'nan' is not a finite number"),
        (["import", "empty.vec", "out"], "empty.vec is empty"),
        (["import", "huge.vec", "out"], "huge.vec, line 1: the header says 1 words of 999,999 dimensions"),
        (["import", "cut.bin", "out"], "cut.bin, word 2: unexpected end of file"),
        (["import", "words.glove", "out", "--format", "numpy"], "words.glove is not a NumPy archive"),
    ],
)
def test_an_error_is_one_line_and_leaves_nothing_behind(
    arguments: list[str],
    message: str,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)
    (files / "lying.vec").write_text("3 2\na 1 2\n")
    (files / "columns.vec").write_text("2 2\na 1 2\nb 1\n")
    (files / "nan.vec").write_text("1 2\na 1 nan\n")
    (files / "empty.vec").write_text("")
    (files / "huge.vec").write_text("1 999999\na 1 2\n")
    (files / "cut.bin").write_bytes(b"2 2\na \0\0\x80\x3f\0\0\x80\x3f\nb \0\0")
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    with pytest.raises(SystemExit) as status:
        main(arguments)
    output = capsys.readouterr()
    assert status.value.code == 2
    assert output.out == ""
    assert message in output.err
    assert output.err.startswith("polyseme: ")
    assert output.err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_duplicate_keys_are_counted_and_the_first_is_kept(files: Path, polyseme_command: Run) -> None:
    (files / "twice.vec").write_text("3 2\na 1 2\nb 3 4\na 5 6\n")
    done = polyseme_command("import", "twice.vec", "out")
    assert "2 words, 0 with several senses; 1 entry with a repeated key left out; " in done.stderr
    assert load(files / "out")["a"].tolist() == [1, 2]


@pytest.mark.parametrize("streams", [">&-", "<&- >&- 2>&-", "2>/dev/full"])
@pytest.mark.parametrize("call", ["export senses.vec out.npz", "import senses.vec out.npz"])
def test_closed_or_full_streams_do_not_matter(call: str, streams: str, files: Path) -> None:
    script = " ".join(command()) + f" {call} {streams}"
    done = subprocess.run(["bash", "-c", script], cwd=files, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0
    assert load(files / "out.npz").index_to_key == ["the", "bank#1", "bank#2", "money", "river"]


def test_a_small_model_is_exported(
    mssg_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["export", str(mssg_path), "small.model", "--dtype", "int8", "--words", "300", "--no-examples"])
    assert ended.value.code == 0
    model = load("small.model")
    assert (len(model), model._data.dtype) == (300, "int8")
    assert not any(sense.examples for sense in model.senses("bank"))
    with pytest.raises(SystemExit) as ended:
        main(["export", str(mssg_path), "vectors.vec", "--dtype", "int8"])
    assert ended.value.code == 2
    assert "the format word2vec has no option --dtype" in capsys.readouterr().err
