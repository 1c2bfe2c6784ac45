"""The index: what it counts equals a plain count of the tagged text, and a damaged one is noticed."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from polyseme import SenseModel
from polyseme.corpus.encoded_corpus import BY_COUNTS
from polyseme.corpus.encoding import encode
from polyseme.corpus.inputs import CorpusInput
from polyseme.corpus.sources import find_sources
from polyseme.corpus.tokenizers import WHITESPACE, WORDS
from polyseme.errors import CorpusError, Interrupted, OutputExists
from polyseme.explorer import index as index_module
from polyseme.explorer.index_building import build_index
from polyseme.explorer.index_files import FORMAT_VERSION
from polyseme.explorer.models import Session
from polyseme.explorer.opening import index_path, open_session
from tests.explorer.conftest import HOSTILE, MakeClient


@pytest.fixture(scope="session")
def lines(text_path: Path) -> list[str]:
    return text_path.read_text(encoding="utf-8").split("\n")


@pytest.fixture(scope="session")
def keys(indexed_path: Path, lines: list[str]) -> list[list[str]]:
    """The words of each line, each with the key of its sense; '' for unknown words. By tagging, not by the index."""
    model = SenseModel.load(indexed_path)
    tagged = []
    for line in lines:
        pieces = [(piece.key, piece.text) for piece in model._tagger.pieces(line)]
        tagged.append(
            [
                key or (word if word in model else "")
                for key, text in pieces
                for word in ([text] if key else WORDS(text))
            ]
        )
    return tagged


def occurrences(keys: list[list[str]], key: str) -> list[tuple[int, int]]:
    return [(line, i) for line, words in enumerate(keys) for i, word in enumerate(words) if word == key]


@pytest.mark.parametrize("key", ["bank#1", "bank#2", "rock#1", "the"])
def test_the_occurrences_of_a_sense_are_those_of_the_tagged_text(
    client: TestClient, keys: list[list[str]], key: str
) -> None:
    if key == "the":
        key = Counter(word for words in keys for word in words if word and "#" not in word).most_common(1)[0][0]
    expected = occurrences(keys, key)
    answer = client.get(f"/api/concordance/{key.replace('#', '%23')}?sort=text&limit=500").json()
    assert (answer["total"], answer["key"]) == (len(expected), key)
    assert [line["sentence"] for line in answer["lines"]] == [line for line, _ in expected[:500]]
    assert answer["lines"][0]["source"] == "text.txt"


@pytest.mark.parametrize("window", [1, 3])
def test_collocates_equal_a_plain_count(client: TestClient, keys: list[list[str]], window: int) -> None:
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    counts = Counter(word.split("#")[0] for words in keys for word in words)
    found = occurrences(keys, "bank#1")
    for line, i in found:
        left.update(word.split("#")[0] for word in keys[line][max(0, i - window) : i])
        right.update(word.split("#")[0] for word in keys[line][i + 1 : i + 1 + window])
    together = left + right
    expected = {
        word: round(14 + math.log2(2 * n / (len(found) + counts[word])), 2)
        for word, n in together.items()
        if n >= 3 and word not in ("", "bank")
    }
    answer = client.get(f"/api/collocates/bank%231?window={window}&n=500").json()
    assert (answer["occurrences"], answer["sampled"], answer["window"]) == (len(found), False, window)
    assert {c["word"]: c["log_dice"] for c in answer["collocates"]} == expected
    assert all((c["left"], c["right"]) == (left[c["word"]], right[c["word"]]) for c in answer["collocates"])
    scores = [c["log_dice"] for c in answer["collocates"]]
    assert scores == sorted(scores, reverse=True)


def test_many_occurrences_are_sampled(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = client.get("/api/collocates/bank?window=2&n=500").json()
    monkeypatch.setattr(index_module, "MAX_SAMPLED", 200)
    sampled = client.get("/api/collocates/bank?window=2&n=499").json()
    sorted_lines = client.get("/api/concordance/bank?sort=left&limit=499").json()
    assert (sorted_lines["sampled"], sorted_lines["total"]) == (True, 200)
    near = client.get(f"/api/concordance/bank?near={exact['collocates'][0]['word']}").json()
    assert near["sampled"]
    assert 0 < near["total"] <= 200
    assert (sampled["sampled"], sampled["occurrences"]) == (True, exact["occurrences"])
    counts = {c["word"]: c["count"] for c in exact["collocates"]}
    assert sampled["collocates"][0]["count"] == pytest.approx(counts[sampled["collocates"][0]["word"]], rel=0.5)


@pytest.mark.parametrize(("sort", "side", "step"), [("left", "left", -1), ("right", "right", 1)])
def test_a_concordance_is_sorted_by_the_words_on_a_side(client: TestClient, sort: str, side: str, step: int) -> None:
    lines = client.get(f"/api/concordance/bank?sort={sort}&limit=500").json()["lines"]
    near = [WORDS(line[side])[::step][:3] for line in lines if "script" not in line["left"]]  # unknown words are last
    assert near == sorted(near, key=lambda words: (not words, words))  # those without a word on that side are last
    assert len({tuple(words) for words in near}) > 50
    assert {line["key"] for line in lines} == {"bank#1", "bank#2"}


@pytest.mark.parametrize("sort", ["best", "left", "right", "text"])
def test_lines_near_a_word_are_those_that_have_it_in_the_window(
    client: TestClient, keys: list[list[str]], sort: str
) -> None:
    collocates = client.get("/api/collocates/bank%231?window=2&n=500").json()["collocates"]
    word = min(collocates, key=lambda c: abs(c["count"] - 40))["word"]
    plain = [[key.partition("#")[0] for key in of_line] for of_line in keys]
    expected = Counter(
        line
        for line, i in occurrences(keys, "bank#1")
        if word in plain[line][max(0, i - 2) : i] + plain[line][i + 1 : i + 3]
    )
    query = f"sort={sort}&near={word.upper()}&window=2"
    answer = client.get(f"/api/concordance/bank%231?{query}&limit=500").json()
    assert (answer["total"], answer["sampled"]) == (expected.total(), False)
    assert Counter(line["sentence"] for line in answer["lines"]) == expected
    page = client.get(f"/api/concordance/bank%231?{query}&limit=5&offset=3").json()["lines"]
    assert page == answer["lines"][3:8]


def test_lines_near_a_word_that_is_never_near_are_none(client: TestClient) -> None:
    assert client.get("/api/concordance/bank?near=bank&window=1").json()["lines"] == []


def test_pages_of_a_concordance_have_each_line_once(client: TestClient) -> None:
    total = client.get("/api/concordance/bank?limit=1").json()["total"]
    for sort in ("best", "left", "right", "text"):
        pages = [
            client.get(f"/api/concordance/bank?sort={sort}&limit=77&offset={offset}").json()["lines"]
            for offset in range(0, total + 77, 77)
        ]
        assert [len(page) for page in pages[:-2]] == [77] * (len(pages) - 2)
        assert sum(map(len, pages)) == total
        sentences = Counter(line["sentence"] for page in pages for line in page)
        assert max(sentences.values()) <= 5
    assert client.get("/api/concordance/bank?offset=2147483647").json()["lines"] == []


def test_the_examples_of_a_sense_are_whole_sentences_of_the_text(
    client: TestClient, keys: list[list[str]], lines: list[str]
) -> None:
    senses = client.get("/api/senses/bank?examples=5&neighbours=0").json()["senses"]
    for sense in senses:
        texts = [example["text"] for example in sense["examples"]]
        assert len(set(texts)) == 5
        for example in sense["examples"]:
            assert example["text"] in lines
            assert example["word"].lower() == "bank"
            assert sense["key"] in keys[lines.index(example["text"])]
            assert len(example["text"].split()) >= 8


def test_markup_in_the_text_is_given_as_text(client: TestClient, lines: list[str]) -> None:
    answer = client.get("/api/concordance/bank?sort=text&limit=500&offset=0")
    total = answer.json()["total"]
    # The text of a line begins with its first word.
    last = client.get(f"/api/concordance/bank?sort=text&limit=5&offset={total - 3}").json()["lines"]
    assert [line["left"] + line["word"] + line["right"] for line in last] == [
        line.removeprefix("<") for line in (HOSTILE, lines[-1], lines[-1])
    ]
    assert answer.headers["content-type"] == "application/json"


# Building


def test_an_index_is_built_once(indexed_path: Path, text_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (index_path(indexed_path) / "index.json").stat().st_mtime_ns
    monkeypatch.setattr("polyseme.explorer.index_building.build_index", None)
    assert open_session([str(indexed_path)], [str(text_path)], quiet=True).models[0].index is not None
    assert (index_path(indexed_path) / "index.json").stat().st_mtime_ns == before


def postings(session: Session) -> tuple[list[int], list[int]]:
    index = session.models[0].index
    assert index is not None
    return index.arrays.offsets.tolist(), index.arrays.positions.tolist()


def test_all_forms_of_a_text_give_the_same_index(
    model_path: Path, indexed_path: Path, text_path: Path, lines: list[str], tmp_path: Path
) -> None:
    import gzip

    expected = postings(open_session([str(indexed_path)]))
    (tmp_path / "text.txt.gz").write_bytes(gzip.compress(text_path.read_bytes()))
    rows = "".join(json.dumps({"body": line}) + "\n" for line in lines)
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    encode(find_sources(tmp_path / "text.txt.gz"), WORDS, tmp_path / "encoded")
    forms: dict[str, str | None] = {"text.txt.gz": None, "rows.jsonl": "body", "encoded": None}
    for name, field in forms.items():
        session = open_session([str(model_path)], [str(tmp_path / name)], None, field, quiet=True)
        assert postings(session) == expected
        index = session.models[0].index
        assert index is not None
        rows_of_bank = session.models[0].data.rows(session.models[0].data.find("bank")[0])
        _, found = index.concordance(rows_of_bank, "text", 0, 1)
        line = found[0][1]
        assert line["left"] + line["word"] + line["right"] in lines[line["sentence"]]
        again = open_session([str(model_path)], [str(tmp_path / name)], None, field, quiet=True).models[0].index
        assert again is not None
        assert again.arrays.description == index.arrays.description


def test_an_index_stays_when_its_text_is_gone(model_path: Path, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("We sat on the bank of the river.\n" * 3, encoding="utf-8")
    open_session([str(model_path)], [str(tmp_path / "t.txt")], quiet=True)
    (tmp_path / "t.txt").unlink()
    index = open_session([str(model_path)]).models[0].index
    assert index is not None
    total, lines = index.concordance(range(len(index.arrays.offsets) - 1), "text", 0, 1)
    assert lines[0][1]["right"].endswith("of the river.")
    assert total == index.arrays.description["postings"]


def test_another_text_or_model_gives_a_new_index(
    model_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "t.txt"
    text.write_text("money in the bank\n", encoding="utf-8")
    tokens = []
    for _ in range(2):
        index = open_session([str(model_path)], [str(text)], quiet=True).models[0].index
        assert index is not None
        tokens.append(index.arrays.description["tokens"])
        text.write_text("money in the bank of the river\n", encoding="utf-8")
    assert tokens == [4, 7]
    SenseModel.load(model_path).refine(labels={"bank#1": "money"}).save(model_path, force=True)
    assert open_session([str(model_path)]).models[0].index is not None  # a label does not change the senses
    SenseModel.load(model_path).refine(merge=["bank#1+bank#2"]).save(model_path, force=True)
    capsys.readouterr()
    model = open_session([str(model_path)]).models[0]
    assert model.index is None
    assert "belongs to another version of the model and is not used" in str(model.info()["index_problem"])
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "belongs to another version of the model and is not used; build it again with: polyseme explore" in printed
    assert open_session([str(model_path)], [str(text)], quiet=True).models[0].index is not None


def test_a_text_that_the_model_was_not_trained_on_is_named(
    model_path: Path,
    planted_text: Path,
    tmp_path: Path,
    make_client: MakeClient,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "other.txt").write_text("money in the bank\n", encoding="utf-8")
    (tmp_path / "more.txt").write_text("river\n", encoding="utf-8")
    texts = [[str(planted_text)], [str(tmp_path / "other.txt"), str(tmp_path / "more.txt")]]
    for text, name, trained in zip(texts, (planted_text.name, "other.txt and 1 more"), (True, False), strict=True):
        session = open_session([str(model_path)], text, quiet=True)
        info = make_client(session).get("/api/info").json()["models"][0]
        assert (info["indexed_text"], info["was_trained_on_index"], info["index_problem"]) == (name, trained, None)
        printed = capsys.readouterr().err
        assert printed.count("\n") == (not trained)
    assert "small.model was not trained on the indexed text (other.txt and 1 more, 5 words), but on another" in printed


@pytest.mark.parametrize(
    ("corpus", "is_same"),
    [
        ({"tokens": 0, "sentences": 0}, True),  # vectors of another program
        ({"tokens": 5, "fingerprint": "another"}, False),
        ({"tokens": 7, "fingerprint": f"{BY_COUNTS}another"}, True),  # trained by several workers
        ({"tokens": 5, "fingerprint": f"{BY_COUNTS}another"}, False),
    ],
)
def test_the_indexed_text_is_compared_with_what_is_known_of_the_training_corpus(
    model_path: Path, tmp_path: Path, corpus: dict[str, object], is_same: bool
) -> None:
    (tmp_path / "t.txt").write_text("money in the bank of the river\n", encoding="utf-8")
    index = open_session([str(model_path)], [str(tmp_path / "t.txt")], quiet=True).models[0].index
    assert index is not None
    assert index.is_of(corpus) is is_same


def test_an_encoded_corpus_of_another_tokenizer_is_refused(model_path: Path, text_path: Path, tmp_path: Path) -> None:
    encode(find_sources(text_path), WHITESPACE, tmp_path / "encoded")
    with pytest.raises(CorpusError, match="encoded with the tokenizer 'whitespace'"):
        open_session([str(model_path)], [str(tmp_path / "encoded")], quiet=True)


def test_another_folder_is_not_overwritten(model_path: Path, text_path: Path) -> None:
    index_path(model_path).mkdir()
    with pytest.raises(OutputExists, match="exists and is not an index"):
        open_session([str(model_path)], [str(text_path)], quiet=True)


@pytest.mark.parametrize("stop_at", ["reading", "assigning senses", "grouping"])
def test_an_interrupted_build_leaves_nothing(model_path: Path, text_path: Path, stop_at: str) -> None:
    steps: list[str] = []

    def check() -> None:
        if steps and steps[-1] == stop_at:
            raise Interrupted("stopped.")

    def report(event: object) -> None:
        steps.append(event[0] if isinstance(event, tuple) else "reading")
        check()

    model = open_session([str(model_path)]).models[0]
    with pytest.raises(Interrupted):
        build_index(model.data, model.path, CorpusInput(str(text_path)), index_path(model_path), report, check)
    assert {path.name for path in model_path.parent.iterdir()} == {"small.model"}


def test_a_model_with_phrases_is_indexed_by_phrase(phrase_text: Path, tmp_path: Path) -> None:
    from polyseme import train

    train(phrase_text, tmp_path / "m", phrases=True, model="skip-gram", dim=8, epochs=1, threads=1, quiet=True)
    model = open_session([str(tmp_path / "m")], [str(phrase_text)], quiet=True).models[0]
    assert model.index is not None
    assert model.was_trained_on_index
    row = model.data.rows(model.data.find("new_york_times")[0])[0]
    total, lines = model.index.concordance([row], "text", 0, 1)
    assert (total, lines[0][1]["word"]) == (40, "New York Times")


# Damage


@pytest.fixture
def damaged(indexed_path: Path, tmp_path: Path) -> Path:
    """A copy of a model and its index, to damage."""
    shutil.copytree(indexed_path, tmp_path / "small.model")
    shutil.copytree(index_path(indexed_path), tmp_path / "small.model.index")
    return tmp_path / "small.model"


def refused(model: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert open_session([str(model)]).models[0].index is None
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    return printed


FILES = (
    "tokens.bin",
    "sentences.bin",
    "byte_offsets.bin",
    "offsets.bin",
    "positions.bin",
    "confidences.bin",
    "text.zst",
)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["truncated", "missing", "link", "changed"])
def test_a_damaged_file_is_noticed(damaged: Path, name: str, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = index_path(damaged) / name
    data = file.read_bytes()
    file.unlink()
    if damage == "truncated":
        file.write_bytes(data[:-1])
    elif damage == "link":
        file.symlink_to("/etc/passwd")
    elif damage == "changed":
        file.write_bytes(bytes(byte ^ 0xFF for byte in data))
    assert f"{index_path(damaged)} is damaged (" in refused(damaged, capsys)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": FORMAT_VERSION + 1}, "was written by a newer polyseme"),
        ({"format_version": "1"}, "'format_version' must be a whole number"),
        ({"tokens": -1}, "are not possible"),
        ({"rows": 1}, "are not possible"),
        ({"sources": []}, "'source_sentences' does not fit 'sources'"),
        ({"sources": [1]}, "a source is malformed"),
        ({"source_sentences": [0, 1]}, "'source_sentences' does not cover all sentences"),
        ({"source_sentences": ["", 1]}, "'source_sentences' does not fit 'sources'"),
        ({"spooled_bytes": 1}, "text.zst does not have 'spooled_bytes'"),
        ({"files": {}}, "does not have the size"),
        ({"model": "x"}, "belongs to another version of the model"),
    ],
)
def test_an_inconsistent_description_is_noticed(
    damaged: Path, change: dict[str, object], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = index_path(damaged) / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert message in refused(damaged, capsys)


@pytest.mark.parametrize("text", ["", "[]", "{", "\0"])
def test_a_malformed_description_is_noticed(damaged: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (index_path(damaged) / "index.json").write_text(text)
    assert "is damaged (index.json:" in refused(damaged, capsys)


def test_large_files_are_checked_when_they_are_used(
    damaged: Path, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that are too large to be digested: impossible positions and tokens give errors and no wrong memory."""
    monkeypatch.setattr("polyseme.explorer.index_files.MAX_DIGESTED_BYTES", 0)
    folder = index_path(damaged)
    rng = np.random.default_rng(1)
    for name in ("positions.bin", "tokens.bin", "text.zst", "byte_offsets.bin"):
        for file in folder.iterdir():
            file.write_bytes((index_path_of_original(damaged) / file.name).read_bytes())
        data = bytearray((folder / name).read_bytes())
        end = len(data) - 2000 if name == "text.zst" else len(data)  # not the table of frames
        data[:end] = rng.bytes(end)
        (folder / name).write_bytes(data)
        client = make_client(open_session([str(damaged)]))
        for address in ("senses/bank", "concordance/bank", "concordance/bank?sort=left", "collocates/bank"):
            answer = client.get(f"/api/{address}")
            assert answer.status_code in ((400,) if name == "positions.bin" else (200, 400)), (name, address)
            if answer.status_code == 400:
                assert "is damaged (positions.bin); delete it" in answer.json()["error"]


def index_path_of_original(copy: Path) -> Path:
    kept = copy.with_name("kept")
    if not kept.exists():
        shutil.copytree(index_path(copy), kept)
    return kept
