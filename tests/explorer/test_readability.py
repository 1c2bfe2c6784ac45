"""Sentences are cut at their ends, and readable ones have higher scores."""

from __future__ import annotations

import pytest

from polyseme.examples.store import Example
from polyseme.explorer.readability import Sentence, choose_diverse, cut_sentence, score


def cut(text: str, *, starts: bool = True, ends: bool = True) -> tuple[str, bool]:
    """The sentence of the word between asterisks."""
    left, word, right = text.split("*")
    sentence = cut_sentence(Example(left, word, right), starts, ends)
    return sentence.example.text, sentence.whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. The *bank* was wet. We left.", "The bank was wet."),
        ("The *bank* was wet.", "The bank was wet."),
        ("Was it? “The *bank* was wet!” he said. No.", "“The bank was wet!” he said."),
        (
            "Dr. Hill and J. R. Smith saw the *bank* at 3.5 m. It fell.",
            "Dr. Hill and J. R. Smith saw the bank at 3.5 m.",
        ),
        ("See e.g. the *bank* of it. Done.", "See e.g. the bank of it."),
        ("我们在银行。他坐在*岸*边。走了。", "他坐在岸边。"),
        ("Он ушёл. Мы сидели на *берегу* реки. Потом мы ушли.", "Мы сидели на берегу реки."),
        ("كان هناك؟ جلسنا على *ضفة* النهر. ثم ذهبنا.", "جلسنا على ضفة النهر."),
    ],
)
def test_a_sentence_is_cut_from_its_line(text: str, expected: str) -> None:
    assert cut(text) == (expected, True)


@pytest.mark.parametrize(
    "text", ["the *bank* was wet.", "The *bank* was wet", "The *bank*", "- *bank*", "1 *bank* was wet.", "*bank*"]
)
def test_parts_of_sentences_are_not_whole(text: str) -> None:
    assert not cut(text)[1]


def test_a_sentence_that_is_cut_off_is_not_whole() -> None:
    text = "The *bank* was wet."
    assert not cut(text, starts=False)[1]
    assert not cut(text.removesuffix("."), ends=False)[1]
    assert cut(f"Rain. {text} Wind", starts=False, ends=False)[1]


def scored(text: str, ids: list[int] | None = None, whole: bool = True) -> float:
    return score(Sentence(Example("", text, ""), whole), ids or [100] * len(text.split()))


def test_readable_sentences_have_higher_scores() -> None:
    good = "The old man sat down on the bank and looked at the quiet river."
    best = scored(good)
    for worse in (
        scored(good, whole=False),
        scored(good, [100] * 10 + [50_000] * 4),
        scored("He sat."),
        scored(" ".join([good] * 5)),
        scored("The Old Man Sat Down On The Bank And Looked At The River."),
        scored("In 1923 and 1924 the 3 banks had 17 men and 25 women in 1926."),
        scored("The old man sat [[down]] on the bank | and looked at http://x.y/ now."),
        scored("The old man (sat down on the bank and looked at the quiet river."),
    ):
        assert worse < best


def test_similar_examples_are_left_out() -> None:
    texts = ["The boat lay at the left bank.", "The boat lay at the right bank!", "Money is kept safely inside.", ""]
    assert choose_diverse([Example("", text, "") for text in texts], 5) == [0, 2, 3]
    assert choose_diverse([Example("", text, "") for text in texts], 1) == [0]


def test_vowel_signs_do_not_split_words() -> None:
    texts = ["كَتَبَ ٱلۡوَلَدُ", "رَكِبَ بَكۡرُ دَوَلٌ"]  # no word in common, but most letters
    assert choose_diverse([Example("", text, "") for text in texts], 5) == [0, 1]
