"""Running the Python examples of a guide."""

from __future__ import annotations

import re

import polyseme
from tests.conftest import ROOT


def run_examples(guide: str) -> None:
    """Run the Python examples of a page of docs/guides in one namespace, in the current folder."""
    page = (ROOT / "docs" / "guides" / f"{guide}.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert examples
    names: dict[str, object] = {"polyseme": polyseme}
    for example in examples:
        exec(compile(example, guide, "exec"), names)
