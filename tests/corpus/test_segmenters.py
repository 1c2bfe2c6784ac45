"""Tokenizers for languages without spaces, each on a few sentences, from the text to the tagged text."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme import SenseModel, train
from polyseme.corpus.lexicon import tokenize
from polyseme.corpus.segmenters import MAX_CHARACTERS, Segment, Segmenter
from polyseme.corpus.tokenizers import TOKENIZERS, get_tokenizer, lower_nfc
from polyseme.errors import MissingExtra
from tests.conftest import Run

LIBRARIES = {"rjieba": "rjieba", "sudachi": "sudachidict_small", "pythainlp": "pythainlp"}
EXTRAS = {"rjieba": "chinese", "sudachi": "japanese", "pythainlp": "thai"}
NAMES = tuple(LIBRARIES)

# The first two sentences of each language have the word for bank.
SENTENCES = {
    "rjieba": ("我在银行存钱，买了T恤。", "他从银行借了贷款！", "Café语言：don't"),
    "sudachi": ("銀行でお金を預けた。", "銀行からお金を借りた、Tシャツ！", "カフェでcafé"),
    "pythainlp": ("ฉันไปธนาคารเพื่อฝากเงิน", "เขากู้เงินจากธนาคาร 2024", "ภาษาPython"),
}
WORDS = {
    "rjieba": "我 在 银行 存钱 买 了 t恤 他 从 银行 借 了 贷款 café 语言 don't",
    "sudachi": "銀行 で お 金 を 預け た 銀行 から お 金 を 借り た t シャツ カフェ で café",
    "pythainlp": "ฉัน ไป ธนาคาร เพื่อ ฝากเงิน เขา กู้เงิน จาก ธนาคาร 2024 ภาษา python",
}
BANK = {"rjieba": "银行", "sudachi": "銀行", "pythainlp": "ธนาคาร"}


def need(name: str) -> None:
    pytest.importorskip(LIBRARIES[name])


@pytest.mark.parametrize("name", NAMES)
def test_text_is_split_into_words(name: str) -> None:
    need(name)
    words = [word for sentence in SENTENCES[name] for word in get_tokenizer(name)(sentence)]
    assert words == WORDS[name].split()


@pytest.mark.parametrize("name", NAMES)
def test_emoji_leave_no_invisible_words(name: str) -> None:
    need(name)
    assert get_tokenizer(name)("\u2764\ufe0f \U0001f469\u200d\U0001f467 1\ufe0f\u20e3") == ["1"]


@pytest.mark.parametrize("name", NAMES)
def test_spans_in_bytes_are_those_of_the_words(name: str) -> None:
    need(name)
    tokenizer = TOKENIZERS[name]
    text = ("\n" + "\n\n".join(SENTENCES[name])).encode()
    words = [text[start:end].decode() for start, end in tokenize(text, tokenizer).bounds.tolist()]
    assert [tokenizer.normalize(word) for word in words if word] == WORDS[name].split()
    assert words.count("") == text.count(b"\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_text_without_words_has_no_spans(name: str) -> None:
    assert tokenize(b"", TOKENIZERS[name]).bounds.tolist() == []
    assert tokenize(b" ,\n", TOKENIZERS[name]).bounds.tolist() == [[2, 2]]


def pairs(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(0, len(text), 2)]


PAIRS = replace(TOKENIZERS["rjieba"], segmenter=Segmenter("pairs", r"\p{Han}", "", lambda: pairs))


@given(
    st.lists(st.sampled_from(["中", "国", "T", "é", "ー", "一" * 7, "9", "'", "’", "ก", " ", "𠀀", "\n"]), max_size=30)
)
def test_no_character_of_a_word_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    words = [text.encode()[a:b].decode() for a, b in tokenize(text.encode(), PAIRS).bounds.tolist()]
    assert [lower_nfc(word) for word in words if word] == PAIRS(text)
    assert "".join(PAIRS(text)) == "".join(get_tokenizer("words")(text))


def test_apostrophes_join_only_letters_of_other_scripts() -> None:
    assert PAIRS("他说‘银行’很好’t don't中’’café’国") == ["他说", "银行", "很好", "t", "don't", "中", "café", "国"]


@pytest.mark.parametrize("name", NAMES)
def test_long_runs_are_segmented_in_pieces(name: str) -> None:
    need(name)
    run = BANK[name] * MAX_CHARACTERS
    words = get_tokenizer(name)(run)
    assert "".join(words) == run
    assert words.count(BANK[name]) > 0.9 * MAX_CHARACTERS


def test_a_library_that_changes_the_text_does_not_move_words() -> None:
    assert Segmenter("broken", r"\p{Han}", "", lambda: lambda _: ["x"]).split("中国café") == ["中国", "café"]


@pytest.mark.parametrize("name", NAMES)
def test_threads_can_share_a_tokenizer(name: str) -> None:
    need(name)
    text = "\n".join(SENTENCES[name])
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(get_tokenizer(name), [text] * 200))
    assert results == [WORDS[name].split()] * 200


@pytest.mark.parametrize("name", NAMES)
def test_a_model_keeps_its_tokenizer_and_shows_the_original_text(name: str, tmp_path: Path) -> None:
    need(name)
    text = tmp_path / "text.txt"
    text.write_text("\n".join(SENTENCES[name][:2]) * 40 + "\n", encoding="utf-8")
    settings = {"dim": 8, "min_count": 1, "senses": 2, "multi_sense_min_count": 1, "threads": 1}
    train(text, tmp_path / "m", tokenizer=name, recipe="paper", quiet=True, **settings)  # type: ignore[arg-type]
    model = SenseModel.load(tmp_path / "m")
    assert model.tokenizer.name == name
    tagged = model.tag("\n".join(SENTENCES[name]))
    assert tagged.count(f"{BANK[name]}#") == 2
    assert tagged.replace("#1", "").replace("#2", "") == "\n".join(SENTENCES[name])
    assert model.disambiguate(BANK[name], SENTENCES[name][0]).known > 0
    examples = [example for sense in model.senses(BANK[name]) for example in sense.examples]
    assert examples
    source = text.read_text(encoding="utf-8")
    assert all(f"{example.left}{example.word}{example.right}" in source for example in examples)
    assert {example.word for example in examples} == {BANK[name]}


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_library_is_named_with_the_pip_line_and_nothing_is_left(name: str, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("no word that the library splits\n", encoding="utf-8")
    statements = (
        f"import sys; sys.modules['{LIBRARIES[name]}'] = None; from polyseme.__main__ import main; "
        f"sys.argv = ['polyseme', 'train', 'text.txt', 'm', '--tokenizer', '{name}', '--quiet']; main()"
    )
    done = subprocess.run([sys.executable, "-c", statements], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"pip install 'polyseme[{EXTRAS[name]}]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_an_unknown_name_lists_the_tokenizers(polyseme_command: Run, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a b c")
    done = polyseme_command("encode", "text.txt", "out", "--tokenizer", "jieba")
    assert done.returncode == 2
    assert "tokenizer 'jieba' is not known; use 'words', 'whitespace', 'rjieba', 'sudachi', 'pythainlp'" in done.stderr


def test_a_library_that_cannot_be_imported_is_named_by_its_error() -> None:
    def load() -> Segment:
        raise ImportError("undefined symbol")

    with pytest.raises(MissingExtra, match=r"the tokenizer 'x' needs undefined symbol: pip install 'polyseme\[y\]'"):
        Segmenter("x", "[一]", "y", load).split("一")
