"""Completion and spelling suggestions, compared with a plain search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyseme.explorer.completion import Completion
from polyseme.vocabulary import fold

WORDS = [
    "the",
    "bank",
    "Élan",
    "banks",
    "el",
    "bänke",
    "tank",
    "banking",
    "new_york",
    "",
    "an",
    "ban",
    "x" * 30,
    "日本",
    "и́мя",
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ban", ["bank", "banks", "bänke", "banking", "ban"]),
        ("BÄN", ["bank", "banks", "bänke", "banking", "ban"]),
        ("ela", ["Élan"]),
        ("éla", ["Élan"]),
        ("bank#2", ["bank", "banks", "bänke", "banking"]),
        ("new  york", ["new_york"]),
        ("日", ["日本"]),
        ("имя", ["и́мя"]),
        ("zzz", []),
    ],
)
def test_words_with_a_prefix_are_found_without_case_and_diacritics(query: str, expected: list[str]) -> None:
    assert [WORDS[i] for i in Completion(WORDS).complete(query, 10)] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("BANKE", "bänke"),
        ("élan#1", "Élan"),
        ("New York", "new_york"),
        ("STRASSE", "straße"),
        ("ban", "ban"),
        ("b", None),
    ],
)
def test_a_word_is_found_without_case_and_diacritics(query: str, expected: str | None) -> None:
    words = [*WORDS, "straße", "strasse"]
    found = Completion(words).same(query)
    assert (None if found is None else words[found]) == expected
    assert Completion(words).same("") is Completion(words).same("#1") is Completion([]).same("a") is None


def test_the_most_frequent_words_come_first() -> None:
    assert [WORDS[i] for i in Completion(WORDS).complete("ban", 2)] == ["bank", "banks"]
    assert [WORDS[i] for i in Completion(WORDS).complete("", 3)] == ["the", "bank", "Élan"]


@pytest.mark.parametrize(
    ("query", "first"), [("bnak", "bank"), ("bannk", "bank"), ("bakn", "bank"), ("Tanc", "tank"), ("teh", "the")]
)
def test_words_with_a_similar_spelling_are_suggested(query: str, first: str) -> None:
    assert WORDS[Completion(WORDS).closest(query)[0]] == first


@pytest.mark.parametrize("query", ["", "x", "x" * 1000, "qqqqqqq", "\0", "#", "🙂" * 25])
def test_strange_queries_get_no_suggestions(query: str) -> None:
    assert Completion(WORDS).closest(query) == []


def test_an_empty_vocabulary_has_no_words() -> None:
    assert Completion([]).complete("a", 5) == Completion([]).closest("bank") == []


def distance(a: str, b: str) -> int:
    """The edit distance with swaps of adjacent letters, by its definition."""
    table = [[max(i, j) if 0 in (i, j) else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            options = [table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])]
            if i > 1 and j > 1 and a[i - 2 : i] == b[j - 1] + b[j - 2]:
                options.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(options)
    return table[-1][-1]


@given(st.lists(st.text("abcdé", max_size=7), max_size=30), st.text("abcd", min_size=1, max_size=7))
def test_suggestions_equal_a_plain_search(words: list[str], query: str) -> None:
    limit = min(2, len(query) // 2)
    distances = [(distance(query, fold(word)), i) for i, word in enumerate(words) if word]
    expected = [i for d, i in sorted(distances) if d <= limit] if limit else []
    assert Completion(words).closest(query, 100) == expected


@given(st.lists(st.text("abcdé", max_size=4), max_size=30), st.text("abcdé", max_size=3), st.integers(1, 5))
def test_completions_equal_a_plain_search(words: list[str], query: str, n: int) -> None:
    expected = [i for i, word in enumerate(words) if fold(word).startswith(fold(query))][:n]
    assert Completion(words).complete(query, n) == expected
