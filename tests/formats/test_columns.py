"""Tables with columns: NumPy, Parquet, Arrow and the projector, as other programs may write them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyseme import load
from polyseme.errors import DataError

VECTORS = np.array([[1, 0], [0, 1], [1, 1]], np.float32)


def archive(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "v.npz", **arrays)
    return folder / "v.npz"


def test_keys_and_vectors_are_enough(tmp_path: Path) -> None:
    model = load(archive(tmp_path, key=["bank#1", "bank#2", "the"], vectors=VECTORS.astype(np.float64)))
    assert model.index_to_key == ["bank#1", "bank#2", "the"]
    assert model["bank#2"].tolist() == [0, 1]
    assert model.config["missing"] == "counts, shares, global_vectors, cluster_centers"


def test_words_and_senses_are_sorted_by_count(tmp_path: Path) -> None:
    columns = {"word": ["bank", "the", "bank"], "sense": [1, 1, 2], "count": [3, 9, 5]}
    model = load(archive(tmp_path, vectors=VECTORS, **columns))
    assert model.index_to_key == ["the", "bank#2", "bank#1"]
    assert model.vocabulary.counts.tolist() == [9, 8]
    assert model["bank#2"].tolist() == [1, 1]
    assert [s.count for s in model.senses("bank")] == [5, 3]


def test_words_with_counts_have_one_sense(tmp_path: Path) -> None:
    model = load(archive(tmp_path, word=["bank", "the", "c#1"], count=[3, 9, 5], vectors=VECTORS))
    assert model.index_to_key == ["the", "c#1", "bank"]
    assert model.vocabulary.counts.tolist() == [9, 5, 3]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"key": ["a", "b", "c"]}, " has no array 'vectors', only key"),
        ({"vectors": VECTORS}, " has no column 'key' or 'word', only vectors"),
        ({"key": ["a", "b"], "vectors": VECTORS}, ": 2 rows of 'key', but 3 vectors"),
        ({"key": ["a", "b", "a"], "vectors": VECTORS}, ", row 3: the key 'a' occurs twice"),
        ({"word": ["a", "b", "a"], "sense": [1, 1, 1], "vectors": VECTORS}, ", row 3: the key 'a#1' occurs twice"),
        ({"key": ["a", "", "c"], "vectors": VECTORS}, ", row 2: the key is empty"),
        ({"key": ["a", "b", "c\nd"], "vectors": VECTORS}, ", row 3: the key is empty or contains a tab or newline"),
        ({"word": ["a\tb", "b", "c"], "vectors": VECTORS}, ", row 1: the key is empty or contains a tab or newline"),
        (
            {"word": ["a", "b\tc", "c"], "sense": [1, 1, 1], "vectors": VECTORS},
            ", row 2: the word is empty or contains",
        ),
        ({"key": [1, 2, 3], "vectors": VECTORS}, ": 'key' must be an array of strings, not of int64"),
        ({"key": ["a", "b", "c"], "vectors": VECTORS.astype(int)}, ": 'vectors' must be an array of floats"),
        ({"key": ["a", "b", "c"], "vectors": VECTORS[0]}, ": its vectors have the shape (2,)"),
        ({"key": ["a", "b", "c"], "vectors": VECTORS * np.nan}, ", row 1: its vector contains nan or inf"),
        ({"key": ["a", "b", "c"], "vectors": VECTORS.astype(float) * 1e300}, ", row 1: its vector contains nan or inf"),
        ({"key": ["a"], "vectors": np.empty((1, 0), np.float32)}, ": its vectors have the shape (1, 0)"),
        ({"key": ["a"], "vectors": np.empty((1, 70_000), np.float32)}, ": its vectors have the shape (1, 70000)"),
        ({"word": ["a", "b", "c"], "sense": [1, 0, 1], "vectors": VECTORS}, ", row 2: 'sense' must be a whole"),
        (
            {"word": ["a", "b", "c"], "sense": [1, 1, 2**31], "vectors": VECTORS},
            ", row 3: 'sense' must be a whole number from 1 to 2,147,483,647, not 2,147,483,648.",
        ),
        ({"key": ["a", "b", "c"], "count": [-1, 1, 1], "vectors": VECTORS}, ", row 1: 'count' must be a whole number"),
        ({"key": ["a", "b", "c"], "count": np.ones((3, 2), int), "vectors": VECTORS}, ": 'count' has 2 dimensions"),
        ({"key": ["a", "b", "c"], "count": np.array(1), "vectors": VECTORS}, ": 'count' has 0 dimensions"),
        ({"key": ["a", "b", "c"], "count": [0.5, 1, 1], "vectors": VECTORS}, ": the values of 'count' must be whole"),
        ({"key": np.array(["a", None], object), "vectors": VECTORS}, " is not a NumPy archive (.npz), or is damaged"),
    ],
)
def test_a_wrong_table_is_refused(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = archive(tmp_path, **arrays)
    with pytest.raises(DataError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ("word\tcount\na\t1\nb\n", "metadata.tsv, line 3: 1 columns, expected 2"),
        ("word\tcount\na\t1\nb\tmany\n", "metadata.tsv, line 3: count is 'many', not a whole number"),
        ("word\tcount\na\t1\n", "1 rows of 'word', but 2 vectors"),
        (b"a\n\xff\n", "metadata.tsv is not UTF-8"),
        ("label\tcolor\na\tred\nb\tblue\n", "has no column 'key' or 'word'"),
    ],
)
def test_wrong_metadata_of_a_projector_is_refused(metadata: str | bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "tensors.tsv").write_text("1\t2\n3\t4\n")
    (tmp_path / "metadata.tsv").write_bytes(metadata.encode() if isinstance(metadata, str) else metadata)
    with pytest.raises(DataError, match=message):
        load(tmp_path)


def test_a_projector_with_labels_only_is_read(tmp_path: Path) -> None:
    (tmp_path / "tensors.tsv").write_text("1\t2\n3\t4\n")
    (tmp_path / "metadata.tsv").write_text("bank\nriver\n")
    model = load(tmp_path)
    assert model.vocabulary.words == ["bank", "river"]
    assert model["river"].tolist() == [3, 4]


def test_tables_of_other_programs_are_read_from_parquet(tmp_path: Path) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    pq: Any = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"word": pa.array(["a", "b"], pa.large_string()), "vector": [[1.0, 2.0], [3.0, 4.0]], "x": [1, 2]})
    pq.write_table(table, tmp_path / "v")
    assert load(tmp_path / "v")["b"].tolist() == [3, 4]
    for words in (pa.array(["a", "b"]).dictionary_encode(), pa.array(["a", "b"], pa.string_view())):
        table = table.set_column(0, "word", words)  # as pandas and Polars write them
        with pa.ipc.new_file(tmp_path / "v", table.schema) as writer:
            writer.write_table(table)
        assert load(tmp_path / "v")["b"].tolist() == [3, 4]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"word": ["a", "b"]}, "has no column 'vector', only word"),
        ({"text": ["a", "b"], "id": [1, 2]}, "has no column 'vector', only text, id"),
        ({"word": ["a", None], "vector": [[1.0], [2.0]]}, "row 2: the column 'word' has no value"),
        ({"word": [1, 2], "vector": [[1.0], [2.0]]}, "the column 'word' must be text, not int64"),
        ({"word": ["a", "b"], "vector": [[1.0], [2.0, 3.0]]}, "row 2: 2 numbers, expected 1 as in the first row"),
        ({"word": ["a", "b"], "vector": [[1.0], None]}, "row 2: the column 'vector' has no value"),
        ({"word": ["a", "b"], "vector": [[1.0], [None]]}, "a vector of the column 'vector' has a missing number"),
        ({"word": ["a", "b"], "vector": [1.0, 2.0]}, "the column 'vector' must be lists of floats, not double"),
    ]
    for columns, message in wrong:
        pq.write_table(pa.table(columns), tmp_path / "w")
        with pytest.raises(DataError, match=message):
            load(tmp_path / "w")


def test_an_archive_with_another_compression_or_an_endless_array_is_refused_in_one_line(tmp_path: Path) -> None:
    whole = archive(tmp_path, key=["a", "b", "c"], vectors=VECTORS).read_bytes()
    encrypted, unknown = bytearray(whole), bytearray(whole)
    for header, flags, method in ((b"PK\x03\x04", 6, 8), (b"PK\x01\x02", 8, 10)):
        start = whole.find(header)
        while start >= 0:
            encrypted[start + flags] |= 1
            unknown[start + method] = 97
            start = whole.find(header, start + 1)
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (1 << 45, 2)})
    with zipfile.ZipFile(tmp_path / "endless.npz", "w") as endless:
        endless.writestr("vectors.npy", file.getvalue())
    for data in (encrypted, unknown, (tmp_path / "endless.npz").read_bytes()):
        (tmp_path / "w.npz").write_bytes(data)
        with pytest.raises(DataError, match=r"is not a NumPy archive \(.npz\), or is damaged: \w+") as error:
            load(tmp_path / "w.npz")
        assert "\n" not in str(error.value)
