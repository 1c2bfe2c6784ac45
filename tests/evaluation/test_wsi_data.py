"""The formats of labelled instances, and the errors for malformed files."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyseme.errors import DataError, MissingFile
from polyseme.evaluation.instances import Instance
from polyseme.evaluation.wsi_data import read_key, read_wsi
from tests.conftest import DATA

DATASET = "bank.n 2\nfirst left\tfirst right\n\tsecond right\nrun.v 1\nthey\tfast\n"
KEY = "bank.n bank.n.2 bank.n.b\nrun.v run.v.1 run.v.a\nbank.n bank.n.1 bank.n.a\n"
XML_2010 = """<lie.v.test>
<lie.v.1>He was tired . <TargetSentence>Life was hard and he was lying &amp; waiting .</TargetSentence> So .</lie.v.1>
<lie.v.2><TargetSentence>They lie a lot, liers .</TargetSentence></lie.v.2>
</lie.v.test>"""
XML_2013 = """<instances lemma="trace" partOfSpeech="n">
<instance id="trace.n.1" lemma="trace" partOfSpeech="n" token="trace" tokenStart="2" tokenEnd="7"
>A trace of DNA.</instance>
<instance id="trace.n.2" lemma="trace" partOfSpeech="n" token="traces" tokenStart="1" tokenEnd="2"
>No traces remain</instance>
<instance id="trace.n.3" lemma="trace" partOfSpeech="n" token="trace" tokenStart="0" tokenEnd="5">trace?</instance>
</instances>"""


def folder(path: Path, **files: str) -> Path:
    """Write files to a folder; `__` stands for a dot in their names."""
    for name, text in files.items():
        (path / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return path


def test_instances_of_one_file_are_numbered_independently_of_the_order_of_the_key(tmp_path: Path) -> None:
    bank, run = read_wsi(folder(tmp_path, dataset__txt=DATASET, key__txt=KEY))
    assert (bank.lemma, bank.pos, run.lemma, run.pos) == ("bank", "n", "run", "v")
    assert bank.instances == [Instance("bank", "first left", "first right"), Instance("bank", "", "second right")]
    assert bank.labels == [{"bank.n.a": 1.0}, {"bank.n.b": 1.0}]
    assert read_wsi(tmp_path / "dataset.txt") == [bank, run]


def test_the_target_in_the_2010_format_has_the_longest_common_prefix_with_the_lemma(tmp_path: Path) -> None:
    key = "lie.v lie.v.1 lie.v.1\nlie.v lie.v.2 lie.v.2\n"
    (word,) = read_wsi(folder(tmp_path, lie__v__xml=XML_2010, all__key=key))
    assert word.instances == [
        Instance("lie", "He was tired . ", " was hard and he was lying & waiting . So ."),
        Instance("lie", "They ", " a lot, liers ."),
    ]


def test_positions_in_the_2013_format_are_characters_or_words_and_its_key_has_weights(tmp_path: Path) -> None:
    (tmp_path / "contexts").mkdir()
    folder(tmp_path / "contexts", trace__n__xml=XML_2013, corpus__xml="<!DOCTYPE corpus><corpus><lexelt/></corpus>")
    folder(tmp_path, some__key="trace.n trace.n.1 a/4 b/1 !! a comment\ntrace.n trace.n.2 b\n")
    (word,) = read_wsi(tmp_path)
    assert word.instances == [Instance("trace", "A ", " of DNA."), Instance("trace", "No", "remain")]
    assert word.labels == [{"a": 1.0, "b": 0.25}, {"b": 1.0}]


def test_of_several_keys_all_key_is_read(tmp_path: Path) -> None:
    folder(tmp_path, a__xml=XML_2010, nouns__key="x.n x.n.1 x", verbs_key__txt="lie.v lie.v.2 wrong")
    with pytest.raises(DataError, match="has 2 keys, such as nouns.key"):
        read_wsi(tmp_path)
    folder(tmp_path, all__key="lie.v lie.v.2 right")
    assert read_wsi(tmp_path)[0].labels == [{"right": 1.0}]


def test_a_sense_without_a_weight_has_the_largest_weight(tmp_path: Path) -> None:
    key = read_key(folder(tmp_path, a__key="w.n w.n.1 x%1:2::/2 y z/4") / "a.key")
    assert key == {"w.n.1": {"x%1:2::": 0.5, "y": 1.0, "z": 1.0}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("w.n w.n.1\n", "line 1: 2 columns where 3 are needed"),
        ("w.n w.n.1 !! nothing\n", "line 1: no sense"),
        ("w.n w.n.1 a/b\n", "line 1: 'b' is not a number"),
        ("w.n w.n.1 a/0\n", "line 1: the weight of a sense must be above 0"),
        ("w.n w.n.1 a\nw.n w.n.1 b\n", "line 2: 'w.n.1' is in the key twice"),
    ],
)
def test_errors_in_a_key_name_the_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        read_key(folder(tmp_path, key__txt=text) / "key.txt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "dataset.txt is empty"),
        ("bank 2\n", "line 1: not a header"),
        ("bank.n two\n", "line 1: not a header"),
        (f"bank.n {'9' * 5000}\n", "line 1: not a header"),
        ("bank.n 1\nno tab\n", "line 2: 1 columns where 2 are needed"),
        ("bank.n 2\na\tb\n", "line 1: 2 instances of 'bank.n' are announced, but the file has 1"),
        ("bank.n 1\na\tb\nc\td\n", "line 3: not a header"),
        ("bank.n 3\na\tb\na\tb\na\tb\n", "line 4: 'bank.n.3' is not in the key"),
        ("bank.n 0\n", "has no instance that is in .*key.txt"),
    ],
)
def test_errors_in_a_data_set_name_the_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        read_wsi(folder(tmp_path, dataset__txt=text, key__txt=KEY))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<instances><instance></instances>", "a.xml, line 1: not XML"),
        ("<instances><instance id='w.n.1'/></instances>", "instance 'w.n.1' must have the attributes id, lemma"),
        (XML_2013.replace("No traces", "Not one"), "'traces' is not at 1 to 2 in the text of 'trace.n.2'"),
        (XML_2010.replace("TargetSentence", "b"), "'lie.v.1' has no <TargetSentence>"),
        (XML_2010.replace("They lie a lot, liers", "We"), "no word in the sentence of 'lie.v.2' has a common prefix"),
        ("<something/>", "has no instance that is in .*a.key"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><instances>&a;</instances>', "a.xml has a DOCTYPE"),
        ('<!DOCTYPE x SYSTEM "x.dtd"><instances/>', "a.xml has a DOCTYPE"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_malformed_and_malicious_xml_is_refused(text: str, message: str, encoding: str, tmp_path: Path) -> None:
    folder(tmp_path, a__key="w.n w.n.1 a\n")
    (tmp_path / "a.xml").write_bytes(text.encode(encoding))
    with pytest.raises(DataError, match=message):
        read_wsi(tmp_path)


@pytest.mark.parametrize("encoding", ["shift_jis", "euc-jp", "gb18030", "utf-32", "unheard-of", "rot13", "base64"])
def test_xml_in_an_encoding_that_the_parser_does_not_support_is_refused(encoding: str, tmp_path: Path) -> None:
    folder(tmp_path, a__key="lie.v lie.v.1 a\n", a__xml=f'<?xml version="1.0" encoding="{encoding}"?>{XML_2010}')
    with pytest.raises(DataError, match="a.xml.*convert the file to UTF-8|a.xml, line 1: not XML") as error:
        read_wsi(tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("position", ["9" * 5000, "²", "-1", ""])
def test_a_token_position_that_is_no_number_is_refused(position: str, tmp_path: Path) -> None:
    text = (
        f'<instances><instance id="a.n.1" lemma="a" partOfSpeech="n" token="a" tokenStart="0" tokenEnd="{position}"/>'
    )
    folder(tmp_path, a__key="a.n a.n.1 x\n", a__xml=text + "</instances>")
    with pytest.raises(DataError, match="instance 'a.n.1' must have the attributes"):
        read_wsi(tmp_path)


def test_an_instance_in_two_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="b.xml: 'lie.v.1' is also in another file"):
        read_wsi(folder(tmp_path, a__xml=XML_2010, b__xml=XML_2010, a__key="lie.v lie.v.1 a"))


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="has neither a dataset.txt nor a key"):
        read_wsi(tmp_path)
    with pytest.raises(MissingFile, match="nowhere does not exist"):
        read_wsi(tmp_path / "nowhere")
    folder(tmp_path, dataset__txt=DATASET)
    with pytest.raises(MissingFile, match="key.txt is not a file"):
        read_wsi(tmp_path)


@pytest.mark.skipif(not (DATA / "eval" / "semeval2010").is_dir(), reason="needs SemEval-2010")
def test_repeated_contexts_of_semeval_2010_have_the_same_label() -> None:
    labels_by_context: dict[tuple[str, ...], list[str]] = {}
    for word in read_wsi(DATA / "eval" / "semeval2010"):
        for instance, labels in zip(word.instances, word.labels, strict=True):
            context = (word.lemma, *instance.left.split()[-4:], *instance.right.split()[:4])
            labels_by_context.setdefault(context, []).extend(labels)
    same = [len(set(labels)) == 1 for labels in labels_by_context.values() if len(labels) > 1]
    assert len(same) == 578
    assert sum(same) / len(same) > 0.9  # 0.63 if labels were assigned in the order of the key
