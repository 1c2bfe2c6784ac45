"""Tokenizers."""

from __future__ import annotations

import pytest

from polyseme.corpus.tokenizers import get_tokenizer
from polyseme.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The bank's a BANK.", ["the", "bank's", "a", "bank"]),
        ("don’t 'quote' it", ["don't", "quote", "it"]),
        ("self-governed, 3.14 e_mail", ["self", "governed", "3", "14", "e_mail"]),
        ("Ärger Ünïcödé", ["ärger", "ünïcödé"]),
        ("A\u030angstro\u0308m", ["ångström"]),
        ("हिन्दी में शब्द", ["हिन्दी", "में", "शब्द"]),
        ("私は東京", ["私", "は", "東", "京"]),
        ("Привет, мир!", ["привет", "мир"]),
        ("ΟΔΟΣ", ["οδος"]),
        ("\ufeff\u200b ... !?", []),
        ("İçin için İSTANBUL", ["için", "için", "istanbul"]),
        ("I \u2764\ufe0f \U0001f469\u200d\U0001f467 1\ufe0f\u20e3", ["i", "1"]),  # emoji leave no invisible words
        ("葛\U000e0100城", ["葛", "城"]),  # nor do the variants of characters in Japanese names
        ("می\u200cخواهم क्\u200dष", ["می\u200cخواهم", "क्\u200dष"]),  # joiners between letters stay
    ],
)
def test_words_are_lower_case_unicode_words(text: str, words: list[str]) -> None:
    assert get_tokenizer("words")(text) == words


def test_whitespace_changes_no_word() -> None:
    assert get_tokenizer("whitespace")("The bank,\u3000as\tit\xa0is.\n") == ["The", "bank,", "as", "it", "is."]


def test_any_function_is_a_tokenizer() -> None:
    assert get_tokenizer(lambda line: line.split("|"))("new york|bank||") == ["new york", "bank"]


def test_an_unknown_tokenizer_is_refused() -> None:
    with pytest.raises(ConfigError, match="tokenizer 'spacey' is not known; use 'words', .* or a function"):
        get_tokenizer("spacey")
