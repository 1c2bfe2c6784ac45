"""Errors: one line that says what to do next, exit status 2 (1 if nothing was found), and no lost files."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run, command

TEXT = "the bank of the river\nmoney in the bank\n" * 20


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(TEXT)
    return tmp_path / "text.txt"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def assert_fails(done: subprocess.CompletedProcess[str], message: str, status: int = 2) -> None:
    assert done.returncode == status, done
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.startswith("polyseme: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "missing.txt", "m"], "missing.txt does not exist"),
        (["train", "no*.txt", "m"], "no*.txt does not exist"),
        (["train", "text.txt"], "polyseme train CORPUS... MODEL"),
        (["train"], "polyseme train CORPUS... MODEL"),
        (["train", "text.txt", "m", "--dim", "0"], "--dim must be between 1 and 10000, not 0"),
        (["train", "text.txt", "m", "--senses", "0"], "--senses must be between 1 and 100, not 0"),
        (["train", "text.txt", "m", "--threads", "-1"], "--threads must be between 0 and 1024, not -1"),
        (["train", "text.txt", "m", "--dim", "wide"], "--dim"),
        (["train", "text.txt", "m", "--model", "bert"], "--model"),
        (["train", "text.txt", "m", "--tokenizer", "magic"], "tokenizer 'magic' is not known"),
        (["train", "text.txt", "m", "--phrases", "--phrase-threshold", "2"], "must be between 0 and 1, not 2"),
        (["train", "text.txt", "m", "--phrase-passes", "1"], "--phrase-passes has no effect without --phrases"),
        (["encode", "text.txt", "m", "--phrases", "--phrase-passes", "9"], "must be between 1 and 5, not 9"),
        (["encode", "text.txt", "m", "--phrase-min-count", "9"], "--phrase-min-count has no effect without --phrases"),
        (["train", "text.txt", "m", "--diim", "5"], "Unknown option: --diim. Did you mean --dim? See: polyseme train"),
        (["encode", "text.txt", "m", "--tokeniser=words"], "--tokeniser=words. Did you mean --tokenizer?"),
        (["similarity", "m", "bank"], "B requires an argument. See: polyseme similarity --help"),
        (
            ["disambiguate", "m", "bank", "the", "river", "bank"],
            "unexpected arguments: river bank. Put quotes around a text with spaces. See: polyseme disambiguate --help",
        ),
        (["disambiguate", "m", "bank", "--windw=3"], 'Invalid value "--windw=3" for CONTEXT. It looks like an option'),
        (["tag", "m", "--jsn"], 'Invalid value "--jsn" for FILE. It looks like an option'),
        (["senses"], "See: polyseme senses --help"),
        (["train", "text.txt", "m", "--min-count", "10000"], "lower --min-count than 10000"),
        (["train", "text.txt", "m", "--multi-sense-words", "none.txt"], "none.txt does not exist"),
        (["train", "text.txt", "text.txt"], "already exists; choose another name"),
        (["train", "text.txt", "text.txt", "--force"], "is not a model, so --force does not remove it"),
        (["train", ".", "text.txt/m"], "text.txt"),
        (["senses", "m", "bank"], "m does not exist; train a model with"),
        (["senses", ".", "bank"], "is not a model"),
        (["tag", "text.txt"], "text.txt is not a vector file; supported formats are"),
        (["fly"], "fly"),
        (["demo", "--seed", "-1"], 'Invalid value "-1" for --seed. It must be between 0 and'),
        (["train", "text.txt", "."], "already exists"),
        (["train", "text.txt", "/"], "/ is not the name of a model"),
        (["train", "text.txt", "/", "--force"], "/ is not the name of a model"),
        (["train", "text.txt", "m", "--min-count", "9" * 400], "--min-count"),
        (
            ["train", "text.txt", "m", "--epochs", "1.5"],
            "Invalid value for --epochs: it must be a whole number, not 1.5.",
        ),
        (["train", "text.txt", "m", "--epochs", "2.0"], "--epochs: it must be a whole number, not 2.0."),
        (
            ["train", "text.txt", "m", "--max-vocabulary", "1e5"],
            "--max-vocabulary: it must be a whole number, not 1e5.",
        ),
        (["neighbours", "m", "bank", "-n", "2.5"], "-n: it must be a whole number, not 2.5."),
        (["disambiguate", "m", "bank", "text", "--window", "2.5"], "--window: it must be a whole number, not 2.5."),
        (["demo", "--sentences", "99.9"], "--sentences: it must be a whole number, not 99.9."),
        (["reproduce", "c", "out", "--data", "d", "--threads", "1.9"], "--threads: it must be a whole number"),
        (["evaluate", "m", "health", "--seed", "0.5"], "--seed: it must be a whole number, not 0.5."),
        (["train", "text.txt", "m", "--checkpoint-minutes", "nan"], "--checkpoint-minutes must be 0 or more, not nan."),
        (["train", "text.txt", "m", "--checkpoint-minutes", "-1"], "--checkpoint-minutes must be 0 or more, not -1.0."),
        (["train", "text.txt", "m", "--model", "np-mssg", "--senses", "5"], "use --max-senses instead"),
        (
            ["train", "text.txt", "m", "--senses", "3", "--max-senses", "5"],
            "--max-senses has no effect with --model mssg;",
        ),
        (["train", "text.txt", "m", "--adagrad-delta", "0.1"], "--adagrad-delta has no effect with --optimizer sgd;"),
        (["train", "text.txt", "m", "--model", "skip-gram", "--warmup", "0.4"], "--warmup has no effect with"),
        (["demo", "--model", "np-mssg", "--senses", "3", "--sentences", "99"], "--senses has no effect with"),
        (
            ["train", "text.txt", "m", "--multi-sense-words", "text.txt", "--multi-sense-top", "5"],
            "--multi-sense-top has",
        ),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(
    arguments: list[str], message: str, polyseme_command: Run, text: Path
) -> None:
    assert_fails(polyseme_command(*arguments), message)
    assert names(text.parent) == {"text.txt"}
    assert text.read_text() == TEXT


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no words"),
        (b"\n\n \n", "holds no words"),
        (b"one\n" * 100, "at least 2 are needed"),
        (b"\x7fELF\x00\x00" * 100, "is not a text: byte 4 is NUL"),
        (os.urandom(100_000), "is not"),
        ("Ћирилица".encode("utf-16"), "UTF-16"),
    ],
    ids=["empty", "blank", "one word", "binary", "random", "UTF-16"],
)
def test_texts_that_cannot_be_trained_on_are_refused(
    data: bytes, message: str, polyseme_command: Run, tmp_path: Path
) -> None:
    (tmp_path / "bad.txt").write_bytes(data)
    assert_fails(polyseme_command("train", "bad.txt", "m", "--quiet"), message)
    assert not (tmp_path / "m").exists()


def test_a_model_given_as_a_text_is_refused_with_the_option_that_takes_it(
    polyseme_command: Run, mssg_path: Path
) -> None:
    done = polyseme_command("train", mssg_path, "m")
    assert_fails(done, "is a model, not a text; to continue its training, give it with --init.")


def test_the_message_on_a_very_long_argument_is_short(polyseme_command: Run) -> None:
    done = polyseme_command("train", "text.txt", "m", f"--optimizer={5000 * 'y'}")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("polyseme: Invalid value")
    assert done.stderr.endswith("See: polyseme train --help\n")
    assert len(done.stderr) < 1000


def test_an_unknown_word_exits_with_1(polyseme_command: Run, mssg_path: Path) -> None:
    assert_fails(polyseme_command("senses", mssg_path, "bnak"), "Closest: beak, bark, bank", status=1)
    assert_fails(polyseme_command("neighbours", mssg_path, "bank#9"), "'bank' has", status=1)
    assert_fails(polyseme_command("disambiguate", mssg_path, "zebras", "a"), "'zebras' is not among", status=1)


def test_refine_refuses_wrong_options_and_writes_nothing(
    polyseme_command: Run, mssg_path: Path, tmp_path: Path
) -> None:
    for options, message, status in (
        ((), "nothing to refine: give --min-separation", 2),
        (("--min-share", "2"), "--min-share must be between 0 and 1, not 2.0.", 2),
        (("--drop", "bank#1", "bank#2"), "--drop cannot remove the last sense of a word", 2),
        (("--drop", "bank#9"), "'bank' has", 1),
        (("--merge", "bank#1+cell#2"), "senses of different words", 2),
        (("--label", "bank#2"), "--label needs a sense and its name, such as 'bank#2=river bank', not 'bank#2'.", 2),
        (("--label", "bank#2="), "the label of 'bank#2' is empty", 2),
        (("--label", "bank#2=a", "--label", "bank#2=b"), "'bank#2' is labelled twice", 2),
    ):
        assert_fails(polyseme_command("refine", mssg_path, "m", *options), message, status)
    (tmp_path / "thesis").mkdir()
    assert_fails(polyseme_command("refine", mssg_path, "thesis", "--min-share", "0.1"), "thesis already exists")
    assert names(tmp_path) == {"thesis"}


def test_a_damaged_model_is_refused_in_one_line(polyseme_command: Run, mssg_path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "m"
    copy.mkdir()
    for file in mssg_path.iterdir():
        (copy / file.name).write_bytes(file.read_bytes()[:-1])
    for arguments in (["senses", "m", "bank"], ["tag", "m"], ["info", "m"], ["info", "m", "--verify"]):
        assert_fails(polyseme_command(*arguments), "m is damaged")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_an_error(polyseme_command: Run, text: Path) -> None:
    text.parent.chmod(0o500)
    try:
        assert_fails(polyseme_command("train", "text.txt", "m"), "no permission")
    finally:
        text.parent.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="needs a read-only file system")
def test_a_read_only_file_system_is_an_error(polyseme_command: Run, text: Path) -> None:
    assert_fails(polyseme_command("train", text, "/proc/polyseme.model"), "/proc/polyseme.model.training")


@pytest.mark.skipif(os.name == "nt", reason="needs resource limits")
@pytest.mark.parametrize("limit", [100, 20_000, 400_000, 1_000_000])
def test_training_can_be_resumed_after_the_disk_was_full(limit: int, planted_text: Path, tmp_path: Path) -> None:
    """Simulates a full disk by a limit on the size of files: the same write calls fail."""

    def limit_file_size() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    flags = ("--dim", "100", "--epochs", "1", "--quiet")
    done = subprocess.run(
        command("train", planted_text, "m", *flags),
        cwd=tmp_path, preexec_fn=limit_file_size, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("polyseme: the disk is full")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "m").exists()
    again = subprocess.run(command("train", planted_text, "m", "--resume", *flags), cwd=tmp_path, check=False)
    assert again.returncode == 0
    assert names(tmp_path) == {"m"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_an_error(mssg_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("senses", mssg_path, "bank"), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("polyseme: the disk is full")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_any_text_encoding_and_invalid_utf8_is_handled(encoding: str, mssg_path: Path) -> None:
    done = subprocess.run(
        command("disambiguate", mssg_path, "bank", "-"),
        input="the bank in 東京\n".encode() + b"\xff\xfe bank\n",
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 2


def test_errors_subclass_ours_and_the_builtin_ones() -> None:
    check = (
        "import polyseme\n"
        "calls = {ValueError: lambda: polyseme.train('x', dim=0), FileNotFoundError: lambda: polyseme.load('x')}\n"
        "for kind, call in calls.items():\n"
        "    try: call()\n"
        "    except kind as e: assert isinstance(e, polyseme.PolysemeError)\n"
        "    else: raise SystemExit(1)\n"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_a_word_list_without_known_words_is_refused(polyseme_command: Run, text: Path) -> None:
    words = text.with_name("words.txt")
    words.write_text("shore\nloan\n")
    done = polyseme_command("train", "text.txt", "m", "--multi-sense-words", "words.txt", "--quiet")
    assert_fails(done, "no word of --multi-sense-words (shore, loan) is in the vocabulary of 6 words")
    assert names(text.parent) == {"text.txt", "words.txt"}


def test_a_setting_without_effect_is_accepted_from_a_recipe(polyseme_command: Run, text: Path) -> None:
    done = polyseme_command("train", text, "m", "--recipe", "paper", "--model", "skip-gram", "--dim", "4", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
