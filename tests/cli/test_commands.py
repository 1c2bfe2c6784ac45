"""The command line does what the library does: data on standard output, the rest on standard error."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from polyseme import SenseModel, __version__
from tests.conftest import Run, command


def test_from_a_text_to_senses(polyseme_command: Run, planted_text: Path, tmp_path: Path) -> None:
    trained = polyseme_command("train", planted_text, "my.model", "--dim", "16", "--epochs", "2")
    assert (trained.returncode, trained.stdout) == (0, "")
    assert "words kept" in trained.stderr
    assert "saved     my.model" in trained.stderr
    assert "Try:      polyseme senses my.model" in trained.stderr
    senses = polyseme_command("senses", "my.model", "bank")
    assert senses.returncode == 0
    assert senses.stderr == ""
    assert senses.stdout.startswith("bank#1  ")
    assert "*bank*" in senses.stdout
    assert {p.name for p in tmp_path.iterdir()} == {"my.model"}
    log = [json.loads(line) for line in (tmp_path / "my.model" / "training.jsonl").read_text().splitlines()]
    assert [entry["event"] for entry in log if entry["event"] != "training_progress"] == [
        "corpus_encoded", "training_finished", "checkpoint_written",
    ]  # fmt: skip


def test_standard_input_and_compressed_texts_are_trained_on(
    polyseme_command: Run, planted_text: Path, tmp_path: Path
) -> None:
    text = planted_text.read_bytes()
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(text))
    flags = ("--dim", "8", "--epochs", "1", "--threads", "1", "--quiet")
    assert polyseme_command("train", "-", "a.model", *flags, stdin=text).stderr == ""
    assert polyseme_command("train", "t.txt.gz", "b.model", *flags).stderr == ""
    a, b = SenseModel.load(tmp_path / "a.model"), SenseModel.load(tmp_path / "b.model")
    assert (a._data.arrays.sense_vectors == b._data.arrays.sense_vectors).all()
    assert a.senses("bank")[0].examples


def test_an_encoded_corpus_is_used_again(polyseme_command: Run, planted_text: Path) -> None:
    encoded = polyseme_command("encode", planted_text, "planted.corpus")
    assert encoded.stdout.startswith("planted.corpus: ")
    for min_count in ("5", "50"):
        done = polyseme_command(
            "train", "planted.corpus", f"{min_count}.model", "--min-count", min_count, "--dim", "8", "--epochs", "1"
        )
        assert done.returncode == 0, done.stderr
    assert "exists already" in polyseme_command("encode", planted_text, "planted.corpus").stderr


def test_a_list_of_words_says_which_get_several_senses(
    polyseme_command: Run, planted_text: Path, tmp_path: Path
) -> None:
    (tmp_path / "list.txt").write_text("bank\nbass\nnowhere\n")
    polyseme_command("train", planted_text, "m", "--multi-sense-words", "list.txt", "--dim", "8", "--epochs", "1")
    model = SenseModel.load(tmp_path / "m")
    several = {w for i, w in enumerate(model.vocabulary.words) if model._data.num_visible_senses[i] > 1}
    assert several == {"bank", "bass"}


def test_json_on_every_query(polyseme_command: Run, mssg_path: Path, mssg: SenseModel) -> None:
    def ask(*arguments: str, stdin: str = "") -> list[object]:
        done = polyseme_command(arguments[0], mssg_path, *arguments[1:], "--json", stdin=stdin)
        assert (done.returncode, done.stderr) == (0, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    (senses,) = ask("senses", "bank", "--neighbours", "2", "--examples", "1")
    assert isinstance(senses, dict)
    assert [s["key"] for s in senses["senses"]] == [s.key for s in mssg.senses("bank")]
    assert [len(s["neighbours"]) for s in senses["senses"]] == [2] * len(senses["senses"])
    assert ask("neighbours", "bank#2", "-n", "3") == [[vars(n) for n in mssg.neighbours("bank#2", 3)]]
    found = mssg.disambiguate("bank", "water bank")
    assert ask("disambiguate", "bank", "water bank") == [
        {
            "word": "bank",
            "best": found.best.key,
            "known_context_words": 1,
            "senses": [vars(s) for s in found.senses],
        }
    ]
    assert len(ask("disambiguate", "bank", stdin="water bank\nmoney bank\n")) == 2
    assert ask("similarity", "bank", "water") == [
        {name: v for name, v in vars(mssg.similarity("bank", "water")).items() if v is not None}
    ]
    assert ask("tag", stdin="a water bank\nx\n") == [
        {"text": "a water bank", "tagged": mssg.tag("a water bank")}, {"text": "x", "tagged": "x"},
    ]  # fmt: skip
    (info,) = ask("info", "--verify")
    assert isinstance(info, dict)
    assert info["words"] == len(mssg)


def test_queries_for_people(polyseme_command: Run, mssg_path: Path) -> None:
    assert "water" in polyseme_command("neighbours", mssg_path, "bank#2", "-n", "30").stdout
    assert "bank#2" in polyseme_command("disambiguate", mssg_path, "bank", "water shore bank").stdout
    lines = polyseme_command("disambiguate", mssg_path, "bank", "-", stdin="water shore bank\nmoney bank\n").stdout
    assert [line.split("\t")[0] for line in lines.splitlines()] == ["bank#2", "bank#1"]
    similarity = polyseme_command("similarity", mssg_path, "bank", "water", "--contexts", "money bank", "water")
    assert [line.split()[1] for line in similarity.stdout.splitlines()] == [
        "global_sim", "avg_sim", "max_sim", "avg_sim_c", "max_sim_c", "local_sim",
    ]  # fmt: skip
    assert "32 dimensions" in polyseme_command("info", mssg_path).stdout


def test_a_tagged_file_keeps_its_lines(polyseme_command: Run, mssg_path: Path, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("Bank of the river.\r\n\n no end")
    done = polyseme_command("tag", mssg_path, "t.txt")
    assert done.stdout.count("\n") == 2
    assert done.stdout.split("\n")[0].startswith("Bank#")
    assert done.stdout.split("\n")[0].endswith("\r")


def test_the_demo_shows_senses_and_scores_them(polyseme_command: Run) -> None:
    done = polyseme_command("demo", "--sentences", "6000", "--difficulty", "0.2")
    assert done.returncode == 0, done.stderr
    assert "bank#2" in done.stdout
    mean = done.stdout.splitlines()[-1].split()
    assert mean[:4] == ["mean", "of", "the", "ambiguous"]
    assert float(mean[4]) > 0.5


def test_help_and_version(polyseme_command: Run) -> None:
    shown = polyseme_command("--help").stdout
    for name in ("demo", "train", "senses", "neighbours", "disambiguate", "tag", "similarity", "info"):
        assert name in shown
    assert "--new-sense-threshold" in polyseme_command("train", "--help").stdout
    assert polyseme_command("--version").stdout.strip() == __version__


@pytest.mark.parametrize(
    "statement",
    ["import polyseme", "import polyseme.cli.app", "import polyseme; polyseme.TrainConfig", "import polyseme.errors"],
)
def test_importing_does_not_import_numba(statement: str) -> None:
    check = f"{statement}; import sys; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_queries_without_contexts_do_not_import_numba(mssg_path: Path) -> None:
    check = (
        f"import polyseme, sys; m = polyseme.load({str(mssg_path)!r}); m.senses('bank')[0].neighbours(3);"
        "m.similarity('bank', 'water'); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_a_broken_pipe_is_success(mssg_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        command("tag", mssg_path),
        input=b"bank of the river\n" * 50_000,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (0, b"")


def test_training_goes_on_when_no_one_reads_its_progress(planted_text: Path, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = command("train", planted_text, tmp_path / "m", "--dim", "8", "--epochs", "1")
    assert subprocess.run(run, stderr=writer, check=False).returncode == 0
    os.close(writer)
    assert (tmp_path / "m" / "config.json").exists()


def test_a_pipe_with_a_name_is_read(planted_text: Path, tmp_path: Path) -> None:
    script = f"{' '.join(command('train'))} <(cat {planted_text}) {tmp_path / 'm'} --dim 8 --epochs 1 --quiet"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
