"""Formats of corpora on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from polyseme.corpus.encoded_corpus import EncodedCorpus
from tests.conftest import Run

ROWS = [{"id": i, "page": {"body": f"Sentence {i}, about the bank."}} for i in range(30)]


def test_rows_of_a_file_are_encoded(polyseme_command: Run, tmp_path: Path) -> None:
    data = "".join(json.dumps(row) + "\n" for row in ROWS) + '{"page": 5}\n'
    (tmp_path / "a.jsonl").write_text(data)
    done = polyseme_command("encode", "a.jsonl", "out", "--field", "page.body")
    assert done.returncode == 0
    assert done.stdout == "out: 150 tokens, 30 sentences, 34 words\n"
    assert "warning   1 row had no text and was skipped: " in done.stderr
    assert "a.jsonl, line 31 has no field 'page.body', since it is a value of type int" in done.stderr


def test_rows_from_standard_input_are_encoded_with_their_text(polyseme_command: Run, tmp_path: Path) -> None:
    data = "".join(json.dumps(row) + "\n" for row in ROWS)
    done = polyseme_command("encode", "-", "out", "--reader", "jsonl", "--field", "page.body", stdin=data)
    assert (done.returncode, done.stderr) == (0, "")
    texts = list(EncodedCorpus.open(tmp_path / "out").source_texts([0, 29]))
    assert texts == [b"Sentence 0, about the bank.", b"Sentence 29, about the bank."]


def test_a_field_that_no_row_has_is_refused_in_one_line_and_leaves_nothing(
    polyseme_command: Run, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    done = polyseme_command("train", "a.jsonl", "out.model")
    assert done.returncode == 2
    assert "a.jsonl: 30 of the 30 rows read have no text (line 1 has no field 'text', only id, page)" in done.stderr
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_reader_that_does_not_exist_is_refused(polyseme_command: Run) -> None:
    done = polyseme_command("encode", "a.txt", "out", "--reader", "word")
    assert done.returncode == 2
    assert 'Invalid value "word" for --reader. Choose from: "text", "jsonl"' in done.stderr
