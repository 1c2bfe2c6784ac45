"""Snippets and lines of examples as JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from polyseme.examples.store import no_examples, parse_line, snippet_json

SPECIAL = st.sampled_from('"\\/é') | st.characters(min_codepoint=32, exclude_categories=["Cs"])


@given(st.lists(st.text(SPECIAL), min_size=3, max_size=3))
def test_the_json_of_a_snippet_is_that_of_the_standard_library(parts: list[str]) -> None:
    assert snippet_json(*parts) == json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


def test_a_model_without_examples_has_empty_lines() -> None:
    assert no_examples(3, 5) == [b"", b""]
    assert parse_line(b"") == []
