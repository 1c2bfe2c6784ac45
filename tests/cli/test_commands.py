"""Commands: results on standard output, progress and messages on standard error."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from polyseme import SenseModel, TrainConfig, __version__
from polyseme.model.json_results import tokens_json
from tests.conftest import Run, command


def test_train_writes_a_model_that_senses_reads(polyseme_command: Run, planted_text: Path, tmp_path: Path) -> None:
    trained = polyseme_command("train", planted_text, "my.model", "--dim", "16", "--epochs", "2", "--senses", "2")
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


def test_the_command_to_try_can_be_pasted(polyseme_command: Run, planted_text: Path) -> None:
    trained = polyseme_command("train", planted_text, "my model", "--dim", "8", "--epochs", "1")
    assert "Try:      polyseme senses 'my model' " in trained.stderr


def test_training_on_a_text_that_is_too_short_warns(polyseme_command: Run, tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("the bank\n" * 5)
    done = polyseme_command("train", "short.txt", "m")
    assert "training  0 tokens trained" in done.stderr
    assert "warning   the text is too short: nothing was learned" in done.stderr


def test_train_reads_standard_input_and_compressed_texts(
    polyseme_command: Run, planted_text: Path, tmp_path: Path
) -> None:
    text = planted_text.read_bytes()
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(text))
    flags = ("--dim", "8", "--epochs", "1", "--threads", "1", "--quiet")
    assert polyseme_command("train", "-", "a.model", *flags, stdin=text).stderr == ""
    assert polyseme_command("train", "t.txt.gz", "b.model", *flags).stderr == ""
    a, b = SenseModel.load(tmp_path / "a.model"), SenseModel.load(tmp_path / "b.model")
    assert (a.sense_vectors == b.sense_vectors).all()
    assert a.senses("bank")[0].examples


def test_senses_are_discovered_unless_their_number_is_given(
    polyseme_command: Run, planted_text: Path, tmp_path: Path
) -> None:
    flags = ("--dim", "8", "--epochs", "1", "--quiet")
    assert polyseme_command("train", planted_text, "discovered", *flags).returncode == 0
    assert polyseme_command("train", planted_text, "given", "--senses", "4", *flags).returncode == 0
    discovered, given = SenseModel.load(tmp_path / "discovered"), SenseModel.load(tmp_path / "given")
    assert discovered.config["model"] == "np-mssg"
    assert given.config["model"] == "mssg"
    assert (np.diff(given._data.arrays.sense_offsets)[given._data.multi_sense_mask] == 4).all()


def test_an_encoded_corpus_can_be_trained_on_several_times(polyseme_command: Run, planted_text: Path) -> None:
    encoded = polyseme_command("encode", planted_text, "planted.corpus")
    assert encoded.stdout.startswith("planted.corpus: ")
    for min_count in ("5", "50"):
        done = polyseme_command(
            "train", "planted.corpus", f"{min_count}.model", "--min-count", min_count, "--dim", "8", "--epochs", "1"
        )
        assert done.returncode == 0, done.stderr
    assert "already exists" in polyseme_command("encode", planted_text, "planted.corpus").stderr


def test_a_damaged_corpus_can_be_encoded_again_and_other_folders_are_kept(
    polyseme_command: Run, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("by the river bank\n" * 20)
    assert polyseme_command("encode", "text.txt", "c").returncode == 0
    (tmp_path / "c" / "tokens.bin").write_bytes(b"")
    assert "encode the text again with: polyseme encode" in polyseme_command("train", "c", "m").stderr
    done = polyseme_command("encode", "text.txt", "c", "--force")
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "c" / "corpus.json").write_text("{}")
    done = polyseme_command("encode", "text.txt", "c", "--force")
    assert done.returncode == 2
    assert "c exists and is not an encoded corpus, so --force does not remove it; choose another" in done.stderr
    assert (tmp_path / "c" / "corpus.json").read_text() == "{}"


def test_only_words_of_the_word_list_have_several_senses(
    polyseme_command: Run, planted_text: Path, tmp_path: Path
) -> None:
    (tmp_path / "list.txt").write_text("bank\nbass\nnowhere\n")
    polyseme_command(
        "train", planted_text, "m", "--multi-sense-words", "list.txt", "--senses", "2", "--dim", "8", "--epochs", "1"
    )
    model = SenseModel.load(tmp_path / "m")
    several = {w for i, w in enumerate(model.vocabulary.words) if model._data.num_visible_senses[i] > 1}
    assert several == {"bank", "bass"}


def test_each_query_can_print_json(polyseme_command: Run, mssg_path: Path, mssg: SenseModel) -> None:
    def query(*arguments: str, stdin: str = "") -> list[object]:
        done = polyseme_command(arguments[0], mssg_path, *arguments[1:], "--json", stdin=stdin)
        assert (done.returncode, done.stderr) == (0, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    (senses,) = query("senses", "bank", "--neighbours", "2", "--examples", "1")
    assert isinstance(senses, dict)
    assert [s["key"] for s in senses["senses"]] == [s.key for s in mssg.senses("bank")]
    assert [len(s["neighbours"]) for s in senses["senses"]] == [2] * len(senses["senses"])
    assert query("neighbours", "bank#2", "-n", "3") == [[vars(n) for n in mssg.neighbours("bank#2", 3)]]
    result = mssg.disambiguate("bank", "water bank")
    assert query("disambiguate", "bank", "water bank") == [
        {
            "word": "bank",
            "best": result.best.key,
            "known_context_words": 1,
            "senses": [vars(s) for s in result.senses],
        }
    ]
    assert len(query("disambiguate", "bank", stdin="water bank\nmoney bank\n")) == 2
    assert query("similarity", "bank", "water") == [
        {name: v for name, v in vars(mssg.similarity("bank", "water")).items() if v is not None}
    ]
    assert query("tag", stdin="a water bank\nx\n") == [
        {"text": line, "tagged": mssg.tag(line), "tokens": tokens_json(mssg._tagger.pieces(line))}
        for line in ("a water bank", "x")
    ]
    (info,) = query("info", "--verify")
    assert isinstance(info, dict)
    assert info["words"] == len(mssg)


def test_queries_print_text(polyseme_command: Run, mssg_path: Path, mssg: SenseModel) -> None:
    neighbours = polyseme_command("neighbours", mssg_path, "bank#2", "-n", "30").stdout.splitlines()
    assert [line.split() for line in neighbours] == [
        [f"{n.similarity:.3f}", n.key] for n in mssg.neighbours("bank#2", 30)
    ]  # fmt: skip
    probabilities = polyseme_command("disambiguate", mssg_path, "bank", "water shore bank").stdout.splitlines()
    assert [line.split() for line in probabilities] == [
        [f"{s.probability:.3f}", s.key] for s in mssg.disambiguate("bank", "water shore bank").senses
    ]  # fmt: skip
    lines = polyseme_command("disambiguate", mssg_path, "bank", "-", stdin="water shore bank\nmoney bank\n").stdout
    assert [line.split("\t")[0] for line in lines.splitlines()] == ["bank#2", "bank#1"]
    similarity = polyseme_command("similarity", mssg_path, "bank", "water", "--contexts", "money bank", "water")
    measures = vars(mssg.similarity("bank", "water", contexts=("money bank", "water")))
    assert [line.split() for line in similarity.stdout.splitlines()] == [
        [f"{value:.3f}", name] for name, value in measures.items()
    ]  # fmt: skip
    sizes = f"mssg, {len(mssg):,} words, {len(mssg.sense_vectors):,} senses, 32 dimensions"
    assert polyseme_command("info", mssg_path).stdout.splitlines()[0] == f"{mssg_path}: {sizes}"


def test_refine_writes_a_model_that_queries_read(polyseme_command: Run, mssg_path: Path, tmp_path: Path) -> None:
    options = ("--merge", "bank#1+bank#2", "cell#1+cell#2", "--drop", "bass#1", "--label", "bass#2=deep sound")
    done = polyseme_command("refine", mssg_path, "m", *options, "--label", "bank=any bank", "--min-share", "0.02")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("saved     m: ")
    assert done.stderr.count("\n") == 1
    model = SenseModel.load(tmp_path / "m")
    assert [(s.key, s.number, s.label) for s in model.senses("bass")] == [("bass", 2, "deep sound")]
    assert polyseme_command("senses", "m", "bank").stdout.startswith("bank (any bank)  100%  ")
    shown = json.loads(polyseme_command("senses", "m", "bass", "--json").stdout)
    assert [(s["key"], s["label"]) for s in shown["senses"]] == [("bass", "deep sound")]
    assert "refined          --min-share 0.02 --merge 'bank#1+bank#2'" in polyseme_command("info", "m").stdout
    (refinement,) = json.loads(polyseme_command("info", "m", "--json").stdout)["refinements"]
    assert refinement.endswith("--drop 'bass#1' --label 'bass#2=deep sound' 'bank=any bank'")
    assert polyseme_command("refine", "m", "m", "--min-separation", "0.5", "--force").returncode == 0
    assert len(SenseModel.load(tmp_path / "m").refinements) == 2
    assert {p.name for p in tmp_path.iterdir()} == {"m"}


def test_messages_about_rare_senses_suit_the_settings_of_the_model(
    polyseme_command: Run, mssg: SenseModel, tmp_path: Path
) -> None:
    share = mssg.senses("bank")[1].share
    SenseModel(replace(mssg._data, config={**mssg.config, "min_share": 0.475})).save(tmp_path / "m")
    assert share < 0.475
    assert polyseme_command("senses", "m", "bank").stdout.endswith("\n(1 rarer sense not shown)\n")
    assert "senses with less than 47.5% of their word's tokens" in polyseme_command("info", "m").stdout


def test_a_tagged_file_keeps_its_lines(polyseme_command: Run, mssg_path: Path, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("Bank of the river.\r\n\n no end")
    done = polyseme_command("tag", mssg_path, "t.txt")
    assert done.stdout.count("\n") == 2
    assert done.stdout.split("\n")[0].startswith("Bank#")
    assert done.stdout.split("\n")[0].endswith("\r")


def test_tag_says_how_much_of_a_text_it_could_not_read(polyseme_command: Run, mssg_path: Path, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes("the café is by the river bank\n".encode("latin-1"))
    done = polyseme_command("tag", mssg_path, "t.txt")
    assert done.returncode == 0
    assert done.stderr.startswith("polyseme: warning: 1 byte was not UTF-8 and was read as '?'")


@pytest.mark.parametrize(
    ("name", "message"),
    [("rows.jsonl.gz", "rows.jsonl.gz is in the format jsonl, and tag reads plain text"), (".", ". is a folder")],
)
def test_tag_refuses_what_is_not_a_text_file(name: str, message: str, polyseme_command: Run, mssg_path: Path) -> None:
    done = polyseme_command("tag", mssg_path, name)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_help_and_version(polyseme_command: Run) -> None:
    shown = polyseme_command("--help").stdout
    for name in ("demo", "train", "senses", "neighbours", "disambiguate", "tag", "similarity", "info"):
        assert name in shown
    assert polyseme_command("--version").stdout.strip() == __version__


def test_the_help_of_train_shows_options_in_groups_and_common_ones_first(polyseme_command: Run) -> None:
    shown = polyseme_command("train", "--help", env={**os.environ, "COLUMNS": "80"}).stdout
    panels = re.findall(r"╭─ ([\w ]+?) ─+╮\n(.*?)╰", shown, re.DOTALL)
    assert [title for title, _ in panels] == [
        "Arguments", "Common options", "Model", "Senses", "Optimisation", "Vocabulary", "Run",
        "Continued training", "Several processes or machines",
    ]  # fmt: skip
    options = {title: re.findall(r"│ --([\w-]+)", text) for title, text in panels}
    assert options["Common options"] == [
        "model", "dim", "window", "senses", "epochs", "negatives", "min-count", "threads", "seed", "recipe",
    ]  # fmt: skip
    listed = [name for names in options.values() for name in names]
    assert len(listed) == len(set(listed))
    others = {
        "recipe", "tokenizer", "reader", "field", "init", "freeze", "resume", "force", "checkpoint-minutes", "quiet",
        "workers", "ray-address",
    }  # fmt: skip
    assert set(listed) == {f.name.replace("_", "-") for f in fields(TrainConfig)} | others
    text = " ".join(shown.replace("│", " ").split())
    assert "[default: 5 (as in word2vec)]" in text
    assert "[default: np-mssg (senses are discovered where words have them; with --senses: mssg)]" in text
    assert "Decay of a context word's weight per position" in text
    assert "Preset for options that are not given" in text


@pytest.mark.parametrize(
    "statement",
    ["import polyseme", "import polyseme.cli.app", "import polyseme; polyseme.TrainConfig", "import polyseme.errors"],
)
def test_importing_does_not_import_numba(statement: str) -> None:
    check = f"{statement}; import sys; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_queries_do_not_import_numba(mssg_path: Path) -> None:
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


def test_training_continues_if_standard_error_is_closed(planted_text: Path, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = command("train", planted_text, tmp_path / "m", "--dim", "8", "--epochs", "1")
    assert subprocess.run(run, stderr=writer, check=False).returncode == 0
    os.close(writer)
    assert (tmp_path / "m" / "config.json").exists()


def test_train_reads_a_named_pipe(planted_text: Path, tmp_path: Path) -> None:
    script = f"{' '.join(command('train'))} <(cat {planted_text}) {tmp_path / 'm'} --dim 8 --epochs 1 --quiet"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
